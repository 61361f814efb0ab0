package placement

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// picture writes an explanation as lines: the summary, where it can run, and each group.
func picture(e *Explanation) []string {
	names := func(all []Verdict) string {
		var out []string
		for _, v := range all {
			out = append(out, v.Node.Name)
		}
		return strings.Join(out, " ")
	}
	out := []string{e.Short(), "can: " + names(e.Can)}
	for _, g := range e.Fails {
		out = append(out, fmt.Sprintf("fails %s: %s", g.Reason.Kind, names(g.Nodes)))
	}
	for _, g := range e.Not {
		out = append(out, fmt.Sprintf("not %s: %s", g.Reason.Kind, names(g.Nodes)))
	}
	return out
}

func TestExplain(t *testing.T) {
	linux := func(s *stage) {
		s.objects = append(s.objects, &model.Node{Name: "l1", OS: model.OSLinux, MaxPods: 10, Allocatable: model.Resources{CPU: 9000, Memory: 9 * gib},
			Labels: map[string]string{"kubernetes.io/os": "linux"}})
	}
	// old adds a Windows node of another build.
	old := func(s *stage) {
		s.second("w0", "a")
		n := s.objects[len(s.objects)-1].(*model.Node)
		n.Windows, n.Labels[model.WindowsBuildLabel] = model.ParseWindowsVersion("10.0.17763", ""), "10.0.17763"
	}
	wants := func(build string) func(*stage) {
		return func(s *stage) { s.pod.Shape.NodeSelector[model.WindowsBuildLabel] = build }
	}
	for _, tt := range []struct {
		name string
		edit func(*stage)
		want []string
	}{
		{"one of two", linux, []string{"1 of 2 nodes can run it", "can: w1", "not nodeSelector: l1"}},
		{"no node of the build", all(linux, wants("10.0.26100")), []string{"no Windows node of build 10.0.26100", "can: ", "not nodeSelector: l1", "not nodeSelector: w1"}},
		{"no node with a label", func(s *stage) {
			s.pod.Shape.NodeSelector = map[string]string{"kubernetes.io/arch": "arm64", "disk": "ssd"}
		},
			[]string{"no node with disk=ssd, kubernetes.io/arch=arm64", "can: ", "not nodeSelector: w1"}},
		{"no node of the affinity", func(s *stage) { s.pod.Shape.Affinity = require(expression("disk", "Exists")) },
			[]string{"no Windows node that its node affinity admits", "can: ", "not nodeAffinity: w1"}},
		{"all of the build are full", all(linux, wants("10.0.20348"), func(s *stage) { s.node.MaxPods = 0 }), []string{
			"1 Windows node of build 10.0.20348: the node has no place for another pod", "can: ", "not nodeSelector: l1", "not podCount: w1"}},
		{"each for a reason of its own", all(old, func(s *stage) { s.node.Unschedulable = true }), []string{
			"2 Windows nodes: a host of build 10.0.17763 cannot run image shop/web:1-ltsc2022, which is built on 10.0.20348 (inferred from its tag) (1); the node is cordoned (1)",
			"can: ", "fails windowsBuild: w0", "not unschedulable: w1"}},
		{"what a node is comes before how full it is", func(s *stage) {
			s.node.Unschedulable, s.node.MaxPods, s.pod.Shape.Tolerations = true, 0, nil
		}, []string{"1 Windows node: taint os=windows:NoSchedule is not tolerated", "can: ", "not taint: w1"}},
		{"a gate is the same everywhere", all(old, func(s *stage) { s.pod.Shape.Gates = []string{"quota"} }), []string{
			"scheduling gate quota holds it back", "can: ", "not schedulingGate: w0 w1"}},
		{"a DaemonSet's pod for a node that is gone", func(s *stage) { s.pod.Target = "w9" }, []string{"no node w9", "can: ", "not target: w1"}},
		{"a claim that is not there", func(s *stage) {
			s.pod.Shape.Volumes = []model.PodVolume{{Name: "data", Kind: "persistentVolumeClaim", Claim: "data"}}
		}, []string{"claim data does not exist", "can: ", "not claim: w1"}},
		{"nothing known of the pod", func(s *stage) { s.pod.Shape = nil; s.pod.OS = ""; s.node.MaxPods = 0; s.node.Taints = nil }, []string{
			"1 node: the node has no place for another pod", "can: ", "not podCount: w1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := ready()
			tt.edit(s)
			if got := picture(s.board().Explain(s.pod)); !slices.Equal(got, tt.want) {
				t.Errorf("explained\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
			}
		})
	}
	t.Run("an empty cluster", func(t *testing.T) {
		e := New(&model.Snapshot{}, What{}).Explain(ready().pod)
		if got := e.Short(); got != "there is no node" || e.Here != nil {
			t.Errorf("%q, here %v", got, e.Here)
		}
	})
	t.Run("where it is", func(t *testing.T) {
		s := ready()
		running(s)
		e := s.board().Explain(s.pod)
		if e.Here == nil || e.Here.Node.Name != "w1" || !e.Here.Schedulable() || e.OS != model.OSWindows || e.OSFrom != "spec.os.name" {
			t.Errorf("%+v", e)
		}
	})
}

func TestKindsAreWhole(t *testing.T) {
	if len(kindWords) != int(Wish)+1 || len(lasting) != len(kindWords) {
		t.Fatalf("%d kinds, %d words, %d in the order of what lasts", Wish+1, len(kindWords), len(lasting))
	}
	for k := range Wish + 1 {
		if n := len(slices.DeleteFunc(slices.Clone(lasting), func(o Kind) bool { return o != k })); n != 1 {
			t.Errorf("%s stands %d times in the order of what lasts", k, n)
		}
	}
}

func TestOSOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		pod  model.Pod
		os   model.OS
		from string
	}{
		{"said", model.Pod{OS: "windows", Shape: &model.Shape{NodeSelector: map[string]string{corev1.LabelOSStable: "linux"}}}, "windows", "spec.os.name"},
		{"HostProcess", model.Pod{HostProcess: true}, "windows", "it is a HostProcess pod"},
		{"selected", model.Pod{Shape: &model.Shape{NodeSelector: map[string]string{corev1.LabelOSStable: "linux"}}}, "linux", "its node selector"},
		{"a build selected", model.Pod{Shape: &model.Shape{NodeSelector: map[string]string{model.WindowsBuildLabel: "10.0.20348"}}}, "windows", "its node selector"},
		{"an image", model.Pod{Shape: &model.Shape{Images: []model.ContainerImage{{Image: "a"}, {Image: "b:ltsc2022"}}}}, "windows", "the name of image b:ltsc2022"},
		{"no sign", model.Pod{Shape: &model.Shape{Images: []model.ContainerImage{{Image: "a"}}}}, "", ""},
		{"nothing known", model.Pod{}, "", ""},
	} {
		if os, from := OSOf(&tt.pod); os != tt.os || from != tt.from {
			t.Errorf("%s: %q from %q, want %q from %q", tt.name, os, from, tt.os, tt.from)
		}
	}
}
