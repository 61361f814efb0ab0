package placement

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/mullion-tui/mullion/model"
)

// plan is a Shape made ready for asking.
type plan struct {
	shape     *model.Shape
	selector  []pair // sorted by key
	required  nodeaffinity.RequiredNodeAffinity
	affinity  string // the required node affinity in words; empty is none
	preferred *nodeaffinity.PreferredSchedulingTerms
	together  []term // required pod affinity
	apart     []term // required pod anti-affinity
	images    []imageBase
}

type pair struct{ key, value string }

func sortPairs(all []pair) {
	slices.SortFunc(all, func(a, b pair) int { return strings.Compare(a.key, b.key) })
}

func (b *Board) planOf(s *model.Shape) *plan {
	if p := b.plans[s]; p != nil {
		return p
	}
	p := &plan{shape: s, images: b.basesOf(s)}
	for k, v := range s.NodeSelector {
		p.selector = append(p.selector, pair{k, v})
	}
	sortPairs(p.selector)
	p.required = nodeaffinity.NewRequiredNodeAffinity(nil, s.Affinity)
	if a := s.Affinity; a != nil {
		if a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
			p.affinity = selectorWords(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		}
		if a.NodeAffinity != nil && len(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
			// A term that cannot be read is no wish.
			p.preferred, _ = nodeaffinity.NewPreferredSchedulingTerms(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
		}
		if a.PodAffinity != nil {
			p.together = readTerms(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		}
		if a.PodAntiAffinity != nil {
			p.apart = readTerms(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		}
	}
	b.plans[s] = p
	return p
}

// standing asks what depends on the node and the template alone. It is asked once for
// each pair of them.
func (b *Board) standing(out []Reason, q *question, s *seat) []Reason {
	if s.cordoned && !tolerates(q.shape.Tolerations, model.Taint{Key: corev1.TaintNodeUnschedulable, Effect: string(corev1.TaintEffectNoSchedule)}) {
		out = append(out, Reason{Unschedulable, Refuses, "the node is cordoned", ""})
	}
	for _, t := range s.Taints {
		if s.cordoned && t.Key == corev1.TaintNodeUnschedulable || !keepsOff(t) || tolerates(q.shape.Tolerations, t) {
			continue
		}
		out = append(out, Reason{Taint, Refuses, "taint " + t.String() + " is not tolerated", ""})
	}
	if r, ok := mismatch(q.plan.selector, s.Labels); ok {
		out = append(out, r)
	}
	if q.plan.affinity != "" {
		// What cannot be read matches nothing, as in the scheduler.
		if ok, _ := q.plan.required.Match(b.asNode(s)); !ok {
			out = append(out, Reason{Affinity, Refuses, "the required node affinity asks for " + q.plan.affinity, ""})
		}
	}
	if q.plan.preferred != nil {
		if score := q.plan.preferred.Score(b.asNode(s)); score > 0 {
			out = append(out, Reason{Wish, Note, "the pod prefers such a node", fmt.Sprintf("weight %d", score)})
		}
	}
	return out
}

// mismatch names every label that the selector asks for and the node lacks.
func mismatch(selector []pair, labels map[string]string) (Reason, bool) {
	var want, have []string
	for _, p := range selector {
		got, ok := labels[p.key]
		if ok && got == p.value {
			continue
		}
		want = append(want, p.key+"="+p.value)
		if ok {
			have = append(have, p.key+"="+got)
		}
	}
	if len(want) == 0 {
		return Reason{}, false
	}
	r := Reason{Kind: Selector, Effect: Refuses, Text: "the node selector asks for " + join(want)}
	if len(have) > 0 {
		r.Detail = "has " + join(have)
	}
	return r, true
}

// keepsOff: PreferNoSchedule keeps nobody off.
func keepsOff(t model.Taint) bool {
	return t.Effect == string(corev1.TaintEffectNoSchedule) || t.Effect == string(corev1.TaintEffectNoExecute)
}

func tolerates(tolerations []corev1.Toleration, t model.Taint) bool {
	taint := corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
	for i := range tolerations {
		if toleratesQuietly(&tolerations[i], &taint) {
			return true
		}
	}
	return false
}

// toleratesQuietly is the API's own rule. It wants a logger for numeric comparisons,
// which are off by default in 1.37; the zero logger says nothing.
var toleratesQuietly = quiet((*corev1.Toleration).ToleratesTaint)

func quiet[Logger any](rule func(*corev1.Toleration, Logger, *corev1.Taint, bool) bool) func(*corev1.Toleration, *corev1.Taint) bool {
	return func(toleration *corev1.Toleration, taint *corev1.Taint) bool {
		var none Logger
		return rule(toleration, none, taint, false)
	}
}

// selectorWords writes a node selector down: terms are alternatives, and all of a
// term's requirements must hold.
func selectorWords(s *corev1.NodeSelector) string {
	var terms []string
	for i := range s.NodeSelectorTerms {
		var all []string
		for _, list := range [][]corev1.NodeSelectorRequirement{s.NodeSelectorTerms[i].MatchExpressions, s.NodeSelectorTerms[i].MatchFields} {
			for _, r := range list {
				all = append(all, requirementWords(r))
			}
		}
		if len(all) > 0 {
			terms = append(terms, strings.Join(all, " and "))
		}
	}
	if len(terms) == 0 {
		return "nothing that a node can have" // empty terms match no node
	}
	return strings.Join(terms, ", or ")
}

func requirementWords(r corev1.NodeSelectorRequirement) string {
	values := strings.Join(r.Values, "|")
	switch r.Operator {
	case corev1.NodeSelectorOpIn:
		return r.Key + "=" + values
	case corev1.NodeSelectorOpNotIn:
		return r.Key + "≠" + values
	case corev1.NodeSelectorOpExists:
		return "label " + r.Key
	case corev1.NodeSelectorOpDoesNotExist:
		return "no label " + r.Key
	case corev1.NodeSelectorOpGt:
		return r.Key + ">" + values
	case corev1.NodeSelectorOpLt:
		return r.Key + "<" + values
	default:
		return fmt.Sprintf("%s %s %s", r.Key, r.Operator, values)
	}
}
