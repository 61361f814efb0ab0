package placement

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/model"
)

func spreadOver(key string, edit func(*corev1.TopologySpreadConstraint)) []corev1.TopologySpreadConstraint {
	c := corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: like("web")}
	if edit != nil {
		edit(&c)
	}
	return []corev1.TopologySpreadConstraint{c}
}

func TestSpread(t *testing.T) {
	skewed := []string{"refuses topologySpread: topology spread allows a skew of 1 over " + zoneKey + "; " + zoneKey + "=a would have 2 more than the emptiest"}
	// two has a pod of the kind here and an empty zone elsewhere.
	two := func(edit func(*corev1.TopologySpreadConstraint)) func(*stage) {
		return func(s *stage) {
			s.pod.Shape.Spread = spreadOver(zoneKey, edit)
			s.second("w2", "b")
			s.on("w1", "web-0", "web", nil)
		}
	}
	check(t, []verdictCase{
		{"the fuller zone", two(nil), skewed},
		{"a skew of two", two(func(c *corev1.TopologySpreadConstraint) { c.MaxSkew = 2 }), nil},
		{"a wish", two(func(c *corev1.TopologySpreadConstraint) { c.WhenUnsatisfiable = corev1.ScheduleAnyway }), nil},
		{"pods of another kind do not count", two(func(c *corev1.TopologySpreadConstraint) { c.LabelSelector = like("db") }), nil},
		{"a pod that ends does not count", func(s *stage) {
			two(nil)(s)
			s.objects[1].(*model.Pod).Deleted = now
		}, nil},
		{"a pod of another namespace does not count", func(s *stage) {
			two(nil)(s)
			s.objects[1].(*model.Pod).Namespace = "data"
		}, nil},
		{"both zones alike", func(s *stage) { two(nil)(s); s.on("w2", "web-2", "web", nil) }, nil},
		{"a zone whose nodes are ruled out does not count", func(s *stage) {
			two(nil)(s)
			s.objects[0].(*model.Node).Labels["kubernetes.io/os"] = "linux"
		}, nil},
		{"it counts where the policy says so", func(s *stage) {
			two(func(c *corev1.TopologySpreadConstraint) {
				c.NodeAffinityPolicy = ptr.To(corev1.NodeInclusionPolicyIgnore)
			})(s)
			s.objects[0].(*model.Node).Labels["kubernetes.io/os"] = "linux"
		}, skewed},
		{"a tainted zone counts", func(s *stage) {
			two(nil)(s)
			s.objects[0].(*model.Node).Taints = []model.Taint{{Key: "x", Effect: "NoSchedule"}}
		}, skewed},
		{"unless the policy says otherwise", func(s *stage) {
			two(func(c *corev1.TopologySpreadConstraint) { c.NodeTaintsPolicy = ptr.To(corev1.NodeInclusionPolicyHonor) })(s)
			s.objects[0].(*model.Node).Taints = []model.Taint{{Key: "x", Effect: "NoSchedule"}}
		}, nil},
		{"fewer zones than wanted", func(s *stage) {
			s.pod.Shape.Spread = spreadOver(zoneKey, func(c *corev1.TopologySpreadConstraint) { c.MinDomains = ptr.To[int32](2) })
			s.on("w1", "web-0", "web", nil)
		}, skewed},
		{"a node without the label", func(s *stage) { s.pod.Shape.Spread = spreadOver("rack", nil) },
			[]string{"refuses topologySpread: topology spread asks for a label rack"}},
		{"only its own revision counts", func(s *stage) {
			two(func(c *corev1.TopologySpreadConstraint) { c.MatchLabelKeys = []string{"pod-template-hash"} })(s)
			s.pod.Labels = map[string]string{"app": "web", "pod-template-hash": "2"}
			s.objects[1].(*model.Pod).Labels = map[string]string{"app": "web", "pod-template-hash": "1"}
		}, nil},
		{"it does not count itself", func(s *stage) {
			s.pod.Shape.Spread = spreadOver(zoneKey, nil)
			s.second("w2", "b")
			s.pod.Node, s.pod.Phase = "w1", "Running"
		}, nil},
	})
}

// Pods of one DaemonSet share their Shape, and each counts its own node alone.
func TestSpreadOfDaemonSets(t *testing.T) {
	s := ready()
	s.second("w2", "a")
	s.on("w2", "web-8", "web", nil)
	s.pod.Shape.Spread = spreadOver(zoneKey, func(c *corev1.TopologySpreadConstraint) { c.MinDomains = ptr.To[int32](2) })
	b := s.board()
	for _, tt := range []struct {
		node string
		want bool
	}{{"w2", false}, {"w1", true}} {
		p := *s.pod
		p.Name, p.Target = "for-"+tt.node, tt.node
		if v, _ := b.Verdict(&p, tt.node); v.Schedulable() != tt.want {
			t.Errorf("%s: %v", tt.node, v.Reasons)
		}
	}
}
