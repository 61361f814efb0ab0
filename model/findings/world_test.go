package findings

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// scene is a cluster in which one thing is wrong, or nearly.
type scene struct {
	objects []model.Object
	feeds   []model.Feed
	server  model.ServerFacts
	world   World
}

// windowsNode is a Windows Server 2025 node that is well, changed as the case says.
func windowsNode(name string, edit ...func(*model.Node)) *model.Node {
	n := &model.Node{
		Name: name, UID: "uid-" + name, OS: model.OSWindows, Windows: model.ParseWindowsVersion("10.0.26100", "10.0.26100.33674"), BootID: "8",
		Taints:     []model.Taint{{Key: "os", Value: "windows", Effect: "NoSchedule"}},
		Conditions: []model.Condition{{Type: "Ready", Status: "True"}}, Created: now.AddDate(0, -2, 0), MaxPods: 60,
		Labels: map[string]string{osLabel: "windows", model.WindowsBuildLabel: "10.0.26100"},
	}
	for _, e := range edit {
		e(n)
	}
	return n
}

func build(label, kernel string) func(*model.Node) {
	return func(n *model.Node) {
		n.Windows = model.ParseWindowsVersion(label, kernel)
		n.Labels[model.WindowsBuildLabel] = label
	}
}

func linuxNode(name string) *model.Node {
	return &model.Node{Name: name, OS: model.OSLinux, Labels: map[string]string{osLabel: "linux"}, Conditions: []model.Condition{{Type: "Ready", Status: "True"}}}
}

// windowsPod is a Windows pod that is well, on a node or (with "") on none.
func windowsPod(name, node string, edit ...func(*model.Pod)) *model.Pod {
	p := &model.Pod{
		Namespace: "shop", Name: name, Node: node, OS: model.OSWindows, Phase: "Running", State: "Running", Ready: 1, Total: 1, Created: now.AddDate(0, 0, -5), Started: now.AddDate(0, 0, -5),
		Shape:      &model.Shape{NodeSelector: map[string]string{osLabel: "windows"}},
		Containers: []model.Container{{Name: "app", ID: "containerd://1", MemoryRequest: 256 * mib, MemoryLimit: 256 * mib}},
	}
	for _, e := range edit {
		e(p)
	}
	return p
}

func image(ref string) func(*model.Pod) {
	return func(p *model.Pod) { p.Shape.Images = []model.ContainerImage{{Container: "app", Image: ref}} }
}

func unready(p *model.Pod) { p.Ready = 0 }

func pending(message string) func(*model.Pod) {
	return func(p *model.Pod) {
		p.Phase, p.State, p.Message, p.Ready, p.Containers[0].ID = "Pending", "Pending", message, 0, ""
	}
}

func class(name, build, handler string) *model.RuntimeClass {
	c := &model.RuntimeClass{Name: name, Handler: handler}
	if build != "" {
		c.NodeSelector = map[string]string{osLabel: "windows", model.WindowsBuildLabel: build}
	}
	return c
}

func daemonSet(name string, edit ...func(*model.Pod)) *model.Workload {
	p := &model.Pod{Namespace: "sys", Name: name, Shape: &model.Shape{Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}}}
	for _, e := range edit {
		e(p)
	}
	return &model.Workload{Kind: model.KindDaemonSet, Namespace: "sys", Name: name, Ready: 1, Template: p}
}

func ownedBy(name string) func(*model.Pod) {
	return func(p *model.Pod) { p.Namespace, p.Owner = "sys", model.Owner{Kind: "DaemonSet", Name: name} }
}

func booted(node string, ago time.Duration) *model.Usage {
	return &model.Usage{Node: node, Read: now, Boot: now.Add(-ago), Commit: figure(1000 * mib), CommitLimit: figure(10000 * mib)}
}

func heartbeat(node string, late time.Duration) *model.Lease {
	return &model.Lease{Node: node, Renewed: now.Add(-late)}
}

func (s scene) find(t *testing.T, id string) []string {
	t.Helper()
	c := model.NewCluster()
	feeds := s.feeds
	for _, k := range model.Kinds {
		if !slices.ContainsFunc(feeds, func(f model.Feed) bool { return f.Kind == k }) {
			feeds = append(feeds, model.Feed{Kind: k, State: model.FeedSynced, Listed: true})
		}
	}
	server := s.server
	server.Version = "v1.37.2"
	c.Apply(model.Delta{At: now, Objects: s.objects, Feeds: feeds, Server: &server})
	w := s.world
	w.Snapshot, w.Now = c.Snapshot(), now
	var found []Finding
	for _, f := range (&Book{}).Find(w) {
		if f.ID == id {
			found = append(found, f)
		}
	}
	return tell(found)
}

// raised is one scene with what the rule says of it; nothing for a near miss.
type raised struct {
	name  string
	scene scene
	want  []string // "severity object: evidence"
}

func check(t *testing.T, id string, cases []raised) {
	t.Helper()
	raisedOnce, nearMiss := false, false
	for _, c := range cases {
		t.Run(id+" "+c.name, func(t *testing.T) {
			var want []string
			for _, w := range c.want {
				want = append(want, id+" "+w)
			}
			if got := c.scene.find(t, id); !slices.Equal(got, want) {
				t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
		raisedOnce, nearMiss = raisedOnce || len(c.want) > 0, nearMiss || len(c.want) == 0
	}
	if !raisedOnce || !nearMiss {
		t.Errorf("%s is not both raised and nearly raised", id)
	}
}

func of(objects ...model.Object) scene { return scene{objects: objects} }

// Every rule has cases here or in TestMemoryFindings.
func TestEveryRuleHasCases(t *testing.T) {
	for _, r := range Rules() {
		if _, ok := cases[r.ID]; !ok && !slices.Contains([]string{"F07", "F08", "F09", "F10", "F11"}, r.ID) {
			t.Errorf("%s has no cases", r.ID)
		}
	}
	for _, r := range Rules() {
		if list, ok := cases[r.ID]; ok {
			check(t, r.ID, list)
		}
	}
}

// In a cluster that is well nothing is found.
func TestNothingIsFoundInAClusterThatIsWell(t *testing.T) {
	var objects []model.Object
	for i := range 3 {
		name := fmt.Sprintf("w%d", i)
		objects = append(objects, windowsNode(name), booted(name, 90*24*time.Hour), heartbeat(name, 5*time.Second), &model.CSINode{Name: name, Drivers: []string{"smb.csi.k8s.io"}},
			windowsPod("web-"+name, name, image("example.com/web:2-ltsc2025"), func(p *model.Pod) { p.RuntimeClass = "windows-2025" }),
			windowsPod("calico-"+name, name, ownedBy("calico-node-windows")), windowsPod("proxy-"+name, name, ownedBy("kube-proxy-windows")))
	}
	objects = append(objects, linuxNode("l"), heartbeat("l", 5*time.Second), class("windows-2025", "10.0.26100", "runhcs-wcow-process"),
		daemonSet("calico-node-windows", func(p *model.Pod) { p.OS = model.OSWindows }), daemonSet("kube-proxy-windows", func(p *model.Pod) { p.OS = model.OSWindows }))
	for _, r := range Rules() {
		if got := of(objects...).find(t, r.ID); len(got) > 0 {
			t.Errorf("found %q", got)
		}
	}
}

// A list that is refused makes the rules that need it say so.
func TestWhatCannotBeLookedAtIsSaid(t *testing.T) {
	forbidden := func(k model.Kind) scene {
		return scene{feeds: []model.Feed{{Kind: k, State: model.FeedForbidden, Error: "no " + string(k) + " for you"}}}
	}
	for id, k := range map[string]model.Kind{
		"F01": model.KindNode, "F02": model.KindDaemonSet, "F04": model.KindPod, "F07": model.KindPod, "F13": model.KindRuntimeClass, "F16": model.KindNode, "F22": model.KindPod,
		"F03": model.KindRuntimeClass, "F05": model.KindRuntimeClass, "F17": model.KindCertificateRequest,
		"F20": model.KindClaim, "F26": model.KindDaemonSet, "F28": model.KindLease,
	} {
		want := []string{fmt.Sprintf("%s warning : cannot list %s: forbidden (no %s for you)", id, k, k)}
		if got := forbidden(k).find(t, id); !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	waiting := scene{feeds: []model.Feed{{Kind: model.KindLease, State: model.FeedWaiting}}}
	if got := waiting.find(t, "F28"); len(got) > 0 {
		t.Errorf("a feed that has not answered yet is reported: %q", got)
	}
	silent := func(name, why string) []model.Object {
		return []model.Object{windowsNode(name), &model.Usage{Node: name, Problems: []string{why}}}
	}
	for _, c := range []struct{ why, end string }{{"kubelet summary: forbidden", ""}, {"kubelet summary: no route", "; 1 other reason"}} {
		got := of(append(silent("a", "kubelet summary: forbidden"), silent("b", c.why)...)...).find(t, "F09")
		if want := []string{"F09 warning : 2 nodes (a, b): what is committed is not known: kubelet summary: forbidden" + c.end}; !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}
