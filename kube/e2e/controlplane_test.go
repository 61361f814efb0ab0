//go:build e2e && linux

package e2e_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/mullion-tui/mullion/kube/e2e/cluster"
)

// patience is how long a test waits for something that happens by itself. It is a
// limit, not an expectation: a loaded machine may need some of it.
const patience = 2 * time.Minute

// eventually asks until done says so; what is the sentence for the failure.
func eventually(t *testing.T, what string, done func() (bool, error)) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		var ok bool
		ok, last = done()
		return ok && last == nil, nil
	})
	if err != nil {
		t.Fatalf("%s: %v (last error: %v)", what, err, last)
	}
}

func admin(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	client, err := plane.Admin()
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// namespace makes a namespace for this test, with its service account.
func namespace(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	ns, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.CoreV1().Namespaces().Delete(context.Background(), ns.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	eventually(t, "the service account of namespace "+ns.Name, func() (bool, error) {
		_, err := client.CoreV1().ServiceAccounts(ns.Name).Get(t.Context(), "default", metav1.GetOptions{})
		return true, err
	})
	return ns.Name
}

func TestControlPlaneAnswersWithItsVersion(t *testing.T) {
	version, err := admin(t).ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.GitVersion != cluster.Version {
		t.Errorf("the API server calls itself %s, want %s", version.GitVersion, cluster.Version)
	}
}

func TestVersionIsTheOneOfTheModule(t *testing.T) {
	mod, err := os.ReadFile("controlplane/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), "\tk8s.io/kubernetes "+cluster.Version) {
		t.Errorf("controlplane/go.mod does not require k8s.io/kubernetes %s: change cluster.Version with it", cluster.Version)
	}
}

func TestUsersHaveTheRightsOfRBACAndNoMore(t *testing.T) {
	client := admin(t)
	config, err := plane.Config("viewer-of-nodes", "watchers")
	if err != nil {
		t.Fatal(err)
	}
	viewer, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := viewer.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Fatalf("before the binding: got %v, want forbidden", err)
	}
	bind(t, client, "watchers", rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}})
	eventually(t, "the right to list nodes", func() (bool, error) {
		_, err := viewer.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		return true, err
	})
	if _, err := viewer.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("pods: got %v, want forbidden", err)
	}
	eventually(t, "the refused list in the audit log", func() (bool, error) {
		events, err := plane.AuditOf("viewer-of-nodes")
		for _, e := range events {
			if e.Verb == "list" && e.Object.Resource == "pods" && e.Response.Code == http.StatusForbidden {
				return true, err
			}
		}
		return false, err
	})
}

// bind gives a group these rights in the whole cluster until the test ends.
func bind(t *testing.T, client kubernetes.Interface, group string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	role, err := client.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}, Rules: rules,
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	binding, err := client.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.RbacV1().ClusterRoleBindings().Delete(context.Background(), binding.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		if err := client.RbacV1().ClusterRoles().Delete(context.Background(), role.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

func TestAPIServerReturnsWithItsDataOnItsPort(t *testing.T) {
	client := admin(t)
	ns := namespace(t, client)
	if err := plane.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Namespaces().Get(t.Context(), ns, metav1.GetOptions{}); err == nil {
		t.Error("a stopped API server answered")
	}
	begin := time.Now()
	if err := plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("ready again after %v", time.Since(begin).Round(time.Millisecond))
	if _, err := client.CoreV1().Namespaces().Get(t.Context(), ns, metav1.GetOptions{}); err != nil {
		t.Errorf("after the restart: %v", err)
	}
}

func TestNodeProxyReachesTheHandlerOfItsAddress(t *testing.T) {
	client := admin(t)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "proxied"},
		Status: corev1.NodeStatus{
			Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.168.99.25"}},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
		},
	}
	if _, err := client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.CoreV1().Nodes().Delete(context.Background(), node.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	plane.ServeKubelets(func(address string) http.Handler {
		if address != "192.168.99.25:10250" {
			return nil
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.URL.Path)) })
	})
	get := func() ([]byte, error) {
		return client.CoreV1().RESTClient().Get().Resource("nodes").Name(node.Name).SubResource("proxy").Suffix("stats/summary").DoRaw(t.Context())
	}
	body, err := get()
	if err != nil || string(body) != "/stats/summary" {
		t.Errorf("got %q, %v; want the path that the kubelet was asked for", body, err)
	}
	plane.ServeKubelets(func(string) http.Handler { return nil })
	if body, err := get(); err == nil {
		t.Errorf("a node without a kubelet answered %q", body)
	}
}
