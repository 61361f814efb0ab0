//go:build e2e && linux

package e2e_test

import (
	"context"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/drain"

	"github.com/mullion-tui/mullion/kube"
	"github.com/mullion-tui/mullion/kube/e2e/cluster"
	"github.com/mullion-tui/mullion/model"
)

// open starts a session that ends with the test.
func open(t *testing.T, config *rest.Config) *kube.Session {
	t.Helper()
	s, err := kube.Open(kube.Target{Info: model.SessionInfo{Context: t.Name()}, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func openAdmin(t *testing.T) *kube.Session {
	t.Helper()
	config, err := plane.Config("admin", cluster.AdminGroup)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, config)
}

// await returns the first snapshot for which ok says so.
func await(t *testing.T, s *kube.Session, what string, ok func(*model.Snapshot) bool) *model.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last *model.Snapshot
	for serial := uint64(0); ; serial = last.Serial {
		next, err := s.Next(ctx, serial)
		if err != nil {
			if last != nil {
				t.Logf("the last feeds: %+v", last.Feeds)
			}
			t.Fatalf("%s: %v", what, err)
		}
		if last = next; ok(last) {
			return last
		}
	}
}

// synced reports whether all feeds are.
func synced(s *model.Snapshot) bool {
	for _, f := range s.Feeds {
		if f.State != model.FeedSynced {
			return false
		}
	}
	return len(s.Feeds) == len(model.Kinds)
}

// testLabel marks the nodes of one test; its value is the test.
const testLabel = "mullion.dev/e2e"

// makeNode registers a ready node as a kubelet does. The build is empty for Linux.
func makeNode(t *testing.T, client kubernetes.Interface, name, build, kernel string) *corev1.Node {
	t.Helper()
	labels := map[string]string{testLabel: t.Name(), corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64"}
	if build != "" {
		labels[corev1.LabelOSStable], labels[corev1.LabelWindowsBuild] = "windows", build
	}
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	node, err := client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status: corev1.NodeStatus{
			Capacity: room, Allocatable: room,
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
				LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
			}},
			NodeInfo: corev1.NodeSystemInfo{KernelVersion: kernel, OperatingSystem: labels[corev1.LabelOSStable], KubeletVersion: cluster.Version},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.CoreV1().Nodes().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	return node
}

// groups counts this test's nodes by the title of their group.
func groups(t *testing.T, s *model.Snapshot) map[string]int {
	out := map[string]int{}
	for _, g := range model.Arrange(s, model.Query{Filter: testLabel + "=" + t.Name()}, time.Now()).Groups {
		out[string(g.OS)+" "+g.Build] = g.Totals.Nodes
	}
	return out
}

func TestSessionShowsTheTrueGroups(t *testing.T) {
	client, s := admin(t), openAdmin(t)
	await(t, s, "all feeds synced", synced)
	makeNode(t, client, "groups-linux-1", "", "6.12.48")
	makeNode(t, client, "groups-linux-2", "", "6.8.0-79-generic")
	makeNode(t, client, "groups-win-2019", "10.0.17763", "10.0.17763.7792")
	makeNode(t, client, "groups-win-2022", "10.0.20348", "10.0.20348.4171")
	makeNode(t, client, "groups-win-2025-1", "10.0.26100", "10.0.26100.6584")
	makeNode(t, client, "groups-win-2025-2", "10.0.26100", "10.0.26100.4946")
	begin := time.Now()
	want := map[string]int{"linux ": 2, "windows 10.0.17763": 1, "windows 10.0.20348": 1, "windows 10.0.26100": 2}
	await(t, s, "the groups of all nodes", func(s *model.Snapshot) bool { return maps.Equal(groups(t, s), want) })
	t.Logf("the groups were true %v after the last node was there", time.Since(begin).Round(time.Millisecond))
}

func TestSessionFollowsACordon(t *testing.T) {
	client, s := admin(t), openAdmin(t)
	node := makeNode(t, client, "cordoned", "10.0.26100", "10.0.26100.6584")
	is := func(cordoned bool) func(*model.Snapshot) bool {
		return func(s *model.Snapshot) bool {
			n, ok := s.Node(node.Name)
			return ok && n.Unschedulable == cordoned
		}
	}
	await(t, s, "the node", is(false))
	for _, cordon := range []bool{true, false} {
		fresh, err := client.CoreV1().Nodes().Get(t.Context(), node.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := drain.RunCordonOrUncordon(&drain.Helper{Ctx: t.Context(), Client: client}, fresh, cordon); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		await(t, s, "what kubectl cordon or uncordon did", is(cordon))
		t.Logf("cordon=%v was seen after %v", cordon, time.Since(begin).Round(time.Millisecond))
	}
}

func TestSessionSurvivesARestartOfTheAPIServer(t *testing.T) {
	client, s := admin(t), openAdmin(t)
	makeNode(t, client, "before-restart", "", "6.12.48")
	await(t, s, "the first node", func(s *model.Snapshot) bool { _, ok := s.Node("before-restart"); return ok && synced(s) })

	if err := plane.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	broken := await(t, s, "a feed that says that the API server is gone", func(s *model.Snapshot) bool {
		return s.Feed(model.KindNode).State == model.FeedFailing
	})
	if _, ok := broken.Node("before-restart"); !ok {
		t.Error("what was known is not shown while the API server is away")
	}
	if f := broken.Feed(model.KindNode); f.Error == "" || f.Since.IsZero() {
		t.Errorf("the feed does not say why and since when it fails: %+v", f)
	}
	if err := plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	makeNode(t, client, "after-restart", "", "6.12.48")
	begin := time.Now()
	await(t, s, "a node that was made after the restart, on synced feeds", func(s *model.Snapshot) bool {
		_, ok := s.Node("after-restart")
		return ok && synced(s)
	})
	t.Logf("all feeds were back %v after the API server", time.Since(begin).Round(time.Millisecond))
}

func TestAMissingRightCostsOneFeedOnly(t *testing.T) {
	client := admin(t)
	read := []string{"get", "list", "watch"}
	bind(t, client, "no-pods",
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes", "namespaces", "persistentvolumes", "persistentvolumeclaims"}, Verbs: read},
		rbacv1.PolicyRule{APIGroups: []string{"apps", "batch", "policy", "node.k8s.io", "storage.k8s.io", "coordination.k8s.io", "certificates.k8s.io"}, Resources: []string{"*"}, Verbs: read},
	)
	config, err := plane.Config("night-shift", "no-pods")
	if err != nil {
		t.Fatal(err)
	}
	// The API server takes a moment to know of a binding, and a refused feed asks
	// again only after a minute.
	user, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the right to list nodes", func() (bool, error) {
		_, err := user.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		return true, err
	})
	makeNode(t, client, "seen-without-pods", "10.0.20348", "10.0.20348.4171")
	s := await(t, open(t, config), "every feed settled", func(s *model.Snapshot) bool {
		for _, f := range s.Feeds {
			if f.State == model.FeedWaiting {
				return false
			}
		}
		return s.Server.User != ""
	})
	for _, f := range s.Feeds {
		want := model.FeedSynced
		if f.Kind == model.KindPod {
			want = model.FeedForbidden
		}
		if f.State != want {
			t.Errorf("%s: %v (%s), want %v", f.Kind, f.State, f.Error, want)
		}
	}
	if _, ok := s.Node("seen-without-pods"); !ok {
		t.Error("the node is not shown although nodes may be read")
	}
	if s.Server.User != "night-shift" || s.Server.Version != cluster.Version {
		t.Errorf("who and where: %+v", s.Server)
	}
}
