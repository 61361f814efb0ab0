package placement

import (
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/mullion-tui/mullion/model"
)

// Words that break things: empty, odd, contradictory.
var (
	anyKey    = rapid.SampledFrom([]string{"", "kubernetes.io/os", zoneKey, hostKey, model.WindowsBuildLabel, "a/b/c", "\x00"})
	anyValue  = rapid.SampledFrom([]string{"", "windows", "linux", "a", "10.0.20348", "-1", "9999999999999999999999", "ünï"})
	anyLabels = rapid.MapOfN(anyKey, anyValue, 0, 4)
	anyAmount = rapid.SampledFrom([]int64{0, 1, -1, 500, 1 << 40, -1 << 62, 1<<62 - 1})
	anyImage  = rapid.SampledFrom([]string{"", "@", "a:ltsc2022", "windows/x:1809", "r:5000/a@sha256:00", "A/B:C", "::::", "a:10.0.99999999999"})
)

func anySelector(t *rapid.T) *metav1.LabelSelector {
	if rapid.Bool().Draw(t, "no selector") {
		return nil
	}
	s := &metav1.LabelSelector{MatchLabels: anyLabels.Draw(t, "match")}
	if rapid.Bool().Draw(t, "expression") {
		s.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: anyKey.Draw(t, "key"), Operator: rapid.SampledFrom([]metav1.LabelSelectorOperator{"In", "Exists", "", "Odd"}).Draw(t, "op"),
			Values: rapid.SliceOfN(anyValue, 0, 2).Draw(t, "values")}}
	}
	return s
}

func anyTerms(t *rapid.T) []corev1.NodeSelectorTerm {
	requirement := rapid.Custom(func(t *rapid.T) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: anyKey.Draw(t, "key"), Values: rapid.SliceOfN(anyValue, 0, 2).Draw(t, "values"),
			Operator: rapid.SampledFrom([]corev1.NodeSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "", "Odd"}).Draw(t, "op")}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: rapid.SliceOfN(requirement, 0, 2).Draw(t, "expressions"), MatchFields: rapid.SliceOfN(requirement, 0, 1).Draw(t, "fields")}
	}), 0, 2).Draw(t, "terms")
}

func anyPodTerms(t *rapid.T) []corev1.PodAffinityTerm {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) corev1.PodAffinityTerm {
		return corev1.PodAffinityTerm{LabelSelector: anySelector(t), NamespaceSelector: anySelector(t), TopologyKey: anyKey.Draw(t, "topology"),
			Namespaces: rapid.SliceOfN(anyValue, 0, 1).Draw(t, "namespaces")}
	}), 0, 2).Draw(t, "pod terms")
}

func anyShape(t *rapid.T) *model.Shape {
	if rapid.IntRange(0, 9).Draw(t, "no shape") == 0 {
		return nil
	}
	s := &model.Shape{
		NodeSelector: anyLabels.Draw(t, "selector"), Extended: map[string]int64{anyValue.Draw(t, "extended"): anyAmount.Draw(t, "amount")},
		Ports:  []model.HostPort{{IP: anyValue.Draw(t, "ip"), Protocol: anyValue.Draw(t, "protocol"), Port: rapid.Int32().Draw(t, "port")}},
		Images: []model.ContainerImage{{Image: anyImage.Draw(t, "image")}, {Image: anyImage.Draw(t, "image")}},
		Volumes: []model.PodVolume{{Name: "v", Kind: rapid.SampledFrom([]string{"", "persistentVolumeClaim", "ephemeral", "csi", "odd"}).Draw(t, "volume"),
			Claim: anyValue.Draw(t, "claim"), Driver: anyValue.Draw(t, "driver"), OwnClaim: rapid.Bool().Draw(t, "own")}},
		Tolerations: []corev1.Toleration{{Key: anyKey.Draw(t, "key"), Value: anyValue.Draw(t, "value"), Operator: rapid.SampledFrom([]corev1.TolerationOperator{"", "Equal", "Exists", "Gt", "Odd"}).Draw(t, "op"),
			Effect: rapid.SampledFrom([]corev1.TaintEffect{"", "NoSchedule", "Odd"}).Draw(t, "effect")}},
		Spread: []corev1.TopologySpreadConstraint{{MaxSkew: rapid.Int32Range(-1, 2).Draw(t, "skew"), TopologyKey: anyKey.Draw(t, "key"), LabelSelector: anySelector(t),
			WhenUnsatisfiable: corev1.DoNotSchedule, MatchLabelKeys: []string{anyKey.Draw(t, "own key")}, MinDomains: ptr.To(rapid.Int32Range(-1, 3).Draw(t, "domains"))}},
	}
	if rapid.Bool().Draw(t, "affinity") {
		s.Affinity = &corev1.Affinity{
			NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: anyTerms(t)},
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: rapid.Int32().Draw(t, "weight")}}},
			PodAffinity:     &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: anyPodTerms(t)},
			PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: anyPodTerms(t)},
		}
	}
	return s
}

func anyPod(t *rapid.T, name string) *model.Pod {
	return &model.Pod{
		Namespace: anyValue.Draw(t, "namespace"), Name: name, Node: rapid.SampledFrom([]string{"", "n0", "n1", "gone"}).Draw(t, "node"),
		OS: model.OS(anyValue.Draw(t, "os")), RuntimeClass: anyValue.Draw(t, "class"), Phase: rapid.SampledFrom([]string{"", "Pending", "Running", "Failed"}).Draw(t, "phase"),
		Labels: anyLabels.Draw(t, "labels"), Target: rapid.SampledFrom([]string{"", "", "n1", "gone"}).Draw(t, "target"), HostProcess: rapid.Bool().Draw(t, "host process"),
		Requests: model.Resources{CPU: anyAmount.Draw(t, "cpu"), Memory: anyAmount.Draw(t, "memory")}, Shape: anyShape(t), Total: 1, Ready: rapid.IntRange(0, 1).Draw(t, "ready"),
	}
}

func anyCluster(t *rapid.T) *model.Snapshot {
	c := model.NewCluster()
	d := model.Delta{At: now, Objects: []model.Object{
		&model.Claim{Namespace: "a", Name: "a", Volume: anyValue.Draw(t, "pv"), Class: anyValue.Draw(t, "sc"), OnePod: true},
		&model.Volume{Name: "a", NodeAffinity: &corev1.NodeSelector{NodeSelectorTerms: anyTerms(t)}, Zones: anyLabels.Draw(t, "zones")},
		&model.StorageClass{Name: "a", WaitsForPod: true, Topologies: make([]corev1.TopologySelectorTerm, 1)},
		&model.RuntimeClass{Name: "windows", NodeSelector: anyLabels.Draw(t, "class"), Tolerations: make([]corev1.Toleration, 1)},
	}}
	for _, name := range []string{"n0", "n1", "n2"} {
		d.Objects = append(d.Objects, &model.Node{Name: name, OS: model.OS(anyValue.Draw(t, "os")), Labels: anyLabels.Draw(t, "labels"),
			Windows: model.ParseWindowsVersion(anyValue.Draw(t, "build"), ""), MaxPods: rapid.IntRange(-1, 5).Draw(t, "places"),
			Allocatable: model.Resources{CPU: anyAmount.Draw(t, "cpu"), Memory: anyAmount.Draw(t, "memory")}, Unschedulable: rapid.Bool().Draw(t, "cordoned"),
			Taints: []model.Taint{{Key: anyKey.Draw(t, "key"), Value: anyValue.Draw(t, "value"), Effect: rapid.SampledFrom([]string{"", "NoSchedule", "NoExecute", "Odd"}).Draw(t, "effect")}}})
	}
	for _, name := range []string{"p0", "p1", "p2", "p3"} {
		d.Objects = append(d.Objects, anyPod(t, name))
	}
	if rapid.Bool().Draw(t, "listed") {
		for _, k := range model.Kinds {
			d.Feeds = append(d.Feeds, model.Feed{Kind: k, Listed: true})
		}
	}
	c.Apply(d)
	return c.Snapshot()
}

// Whatever a cluster holds, every node gets one verdict, and what was remembered from
// earlier questions changes none.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snap := anyCluster(t)
		pods := slices.Clone(snap.Unbound())
		for _, v := range snap.Nodes() {
			pods = append(pods, v.Pods...)
		}
		pods = append(pods, anyPod(t, "asked"))
		b := New(snap, What{})
		for _, p := range pods {
			e, again := b.Explain(p), New(snap, What{}).Explain(p)
			if !reflect.DeepEqual(e, again) {
				t.Fatalf("a board that was asked before says of %s\n%+v\na fresh one\n%+v", p.Name, e, again)
			}
			seen := len(e.Can)
			for _, g := range slices.Concat(e.Fails, e.Not) {
				seen += len(g.Nodes)
				if g.Reason.Text == "" {
					t.Fatalf("a group without a reason: %+v", g)
				}
			}
			if seen != e.Nodes || e.Short() == "" {
				t.Fatalf("%d verdicts on %d nodes, %q", seen, e.Nodes, e.Short())
			}
			for _, v := range e.Can {
				if one, _ := b.Verdict(p, v.Node.Name); !reflect.DeepEqual(one, v) {
					t.Fatalf("one by one\n%+v\ntogether\n%+v", one, v)
				}
			}
		}
	})
}

// To take a pod away that was promised, or one that is there, and put it back in mind
// leads to where it began: what a preview undoes leaves no trace.
func TestGoneAndPromised(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snap := anyCluster(t)
		asked := anyPod(t, "asked")
		asked.Node = ""
		plain := New(snap, What{})
		for _, v := range snap.Nodes() {
			for _, p := range v.Pods {
				if p.Finished() {
					continue
				}
				moved := New(snap, What{Gone: map[model.Key]bool{p.Key(): true}, Promised: map[string][]*model.Pod{v.Name: {p}}})
				if a, b := plain.Feasible(asked), moved.Feasible(asked); !slices.Equal(a, b) {
					t.Fatalf("with %s as it is %q, taken away and put back %q", p.Name, a, b)
				}
			}
		}
	})
}

// Cordoning takes nodes away and adds none; so does a pod that asks for nothing but room.
func TestWhatOnlyTakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snap := anyCluster(t)
		p := anyPod(t, "asked")
		before := New(snap, What{}).Feasible(p)
		after := New(snap, What{Cordoned: []string{"n0", "n2"}}).Feasible(p)
		for _, n := range after {
			if !slices.Contains(before, n) {
				t.Fatalf("cordoning opened %s: before %q, after %q", n, before, after)
			}
		}
		if p.Shape != nil && !slices.ContainsFunc(p.Shape.Tolerations, func(o corev1.Toleration) bool { return o.Operator == "Exists" }) {
			if slices.Contains(after, "n0") || slices.Contains(after, "n2") {
				t.Fatalf("a cordoned node takes the pod: %q", after)
			}
		}
	})
}
