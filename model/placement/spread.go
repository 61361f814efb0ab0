package placement

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/mullion-tui/mullion/model"
)

// spreading is one topology spread constraint that must hold, and how many pods it
// counts in each part of the cluster.
type spreading struct {
	*corev1.TopologySpreadConstraint
	selector labels.Selector
	count    map[string]int
	least    int
	summed   bool
}

func (c *spreading) speaksOf(p *model.Pod) bool {
	return !c.selector.Empty() && c.selector.Matches(labels.Set(p.Labels))
}

func (b *Board) readSpread(q *question) []spreading {
	var out []spreading
	for i := range q.shape.Spread {
		c := &q.shape.Spread[i]
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
		if err != nil {
			selector = labels.Nothing()
		}
		own := labels.Set{}
		for _, k := range c.MatchLabelKeys {
			if v, ok := q.pod.Labels[k]; ok {
				own[k] = v
			}
		}
		if requirements, selectable := selector.Requirements(); len(own) > 0 && selectable {
			selector = labels.SelectorFromSet(own).Add(requirements...)
		}
		out = append(out, spreading{TopologySpreadConstraint: c, selector: selector, count: map[string]int{}})
	}
	return out
}

// spreadsOver tells which constraints count the node, and notes its part of the cluster
// for them: a node must have every topology label, and by default those that the pod's
// selectors rule out do not count (podtopologyspread calPreFilterState).
func (b *Board) spreadsOver(q *question, c *crowd, s *seat) []bool {
	in := make([]bool, len(c.spread))
	for i := range c.spread {
		if _, ok := s.Labels[c.spread[i].TopologyKey]; !ok {
			return make([]bool, len(c.spread))
		}
		in[i] = b.included(q, &c.spread[i], s)
	}
	for i := range c.spread {
		if in[i] {
			c.spread[i].count[s.Labels[c.spread[i].TopologyKey]] += 0
		}
	}
	return in
}

func (b *Board) included(q *question, c *spreading, s *seat) bool {
	if c.NodeAffinityPolicy == nil || *c.NodeAffinityPolicy == corev1.NodeInclusionPolicyHonor {
		if _, differs := mismatch(q.plan.selector, s.Labels); differs || q.pod.Target != "" && q.pod.Target != s.Name {
			return false
		}
		if ok, _ := q.plan.required.Match(b.asNode(s)); !ok {
			return false
		}
	}
	if c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor {
		return !slices.ContainsFunc(s.Taints, func(t model.Taint) bool { return keepsOff(t) && !tolerates(q.shape.Tolerations, t) })
	}
	return true
}

// lowest is the number of pods in the part that has the fewest; 0 while there are fewer
// parts than the constraint wants.
func (c *spreading) lowest() int {
	if c.summed {
		return c.least
	}
	c.summed, c.least = true, math.MaxInt32
	for _, n := range c.count {
		c.least = min(c.least, n)
	}
	wanted := 1
	if c.MinDomains != nil {
		wanted = int(*c.MinDomains)
	}
	if len(c.count) < wanted || len(c.count) == 0 {
		c.least = 0
	}
	return c.least
}

// spread keeps the parts of the cluster even (podtopologyspread Filter).
func (b *Board) spread(out []Reason, q *question, s *seat) []Reason {
	for i := range q.crowd.spread {
		c := &q.crowd.spread[i]
		value, ok := s.Labels[c.TopologyKey]
		if !ok {
			out = append(out, Reason{Spread, Refuses, "topology spread asks for a label " + c.TopologyKey, ""})
			continue
		}
		self := 0
		if c.selector.Matches(labels.Set(q.pod.Labels)) {
			self = 1
		}
		if skew := c.count[value] + self - c.lowest(); skew > int(c.MaxSkew) {
			out = append(out, Reason{Spread, Refuses, fmt.Sprintf("topology spread allows a skew of %d over %s", c.MaxSkew, c.TopologyKey),
				fmt.Sprintf("%s=%s would have %d more than the emptiest", c.TopologyKey, value, skew)})
		}
	}
	return out
}
