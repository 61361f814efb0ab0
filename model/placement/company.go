package placement

import (
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/mullion-tui/mullion/model"
)

// term is one required term of pod affinity or anti-affinity.
type term struct {
	selector   labels.Selector
	namespaces []string        // named ones
	among      labels.Selector // namespaces by their labels; nil is none
	own        bool            // only the namespace of the pod that has the term
	topology   string
	words      string
}

func readTerms(terms []corev1.PodAffinityTerm) []term {
	var out []term
	for i := range terms {
		t := &terms[i]
		selector, err := metav1.LabelSelectorAsSelector(t.LabelSelector)
		if err != nil {
			selector = labels.Nothing() // the API server lets none of these in
		}
		kept := term{selector: selector, namespaces: t.Namespaces, topology: t.TopologyKey,
			own:   len(t.Namespaces) == 0 && t.NamespaceSelector == nil,
			words: fmt.Sprintf("%s in the same %s", podsOf(selector), t.TopologyKey)}
		if t.NamespaceSelector != nil {
			if kept.among, err = metav1.LabelSelectorAsSelector(t.NamespaceSelector); err != nil {
				kept.among = labels.Nothing()
			}
		}
		out = append(out, kept)
	}
	return out
}

// podsOf names the pods of a selector: one that is absent selects none, an empty one all.
func podsOf(s labels.Selector) string {
	if _, selectable := s.Requirements(); !selectable {
		return "none of the pods"
	}
	if s.Empty() {
		return "any pod"
	}
	return "pods with " + s.String()
}

// matches reports whether the term of a pod in the namespace owner speaks of p.
func (t *term) matches(b *Board, owner string, p *model.Pod) bool {
	if t.own {
		if p.Namespace != owner {
			return false
		}
	} else if !slices.Contains(t.namespaces, p.Namespace) && !t.amongLabels(b, p.Namespace) {
		return false
	}
	return t.selector.Matches(labels.Set(p.Labels))
}

func (t *term) amongLabels(b *Board, namespace string) bool {
	if t.among == nil {
		return false
	}
	if t.among.Empty() {
		return true
	}
	n, ok := b.snap.Namespace(namespace)
	return ok && t.among.Matches(labels.Set(n.Labels))
}

// crowd is what the pods of the cluster mean for one pod, by the parts of the cluster
// that a label makes: zones, nodes, ….
type crowd struct {
	together map[pair]bool // pods there match every affinity term
	apart    map[pair]bool // a pod there matches an anti-affinity term
	others   map[pair]bool // a pod there does not want this one near it
	spread   []spreading
	labels   map[string]string // keeps the identity in the key from being used again
}

// crowdKey: pods of one template, namespace and set of labels meet the same crowd; one
// that is part of it itself does not.
type crowdKey struct {
	shape  *model.Shape
	labels uintptr // identity of the map
	self   model.Key
	target string // by which nodes count for topology spread
}

// keeper is a pod that keeps others away from its part of the cluster.
type keeper struct {
	pod   *model.Pod
	seat  *seat
	terms []term
}

func (b *Board) crowdOf(q *question) *crowd {
	key := crowdKey{shape: q.pod.Shape, labels: reflect.ValueOf(q.pod.Labels).Pointer(), self: q.self, target: q.pod.Target}
	if q.pod.Node == "" && !b.placed[q.self] {
		key.self.Name = "" // it is not among the others
	}
	if c := b.crowds[key]; c != nil {
		return c
	}
	c := &crowd{labels: q.pod.Labels, others: map[pair]bool{}, spread: b.readSpread(q)}
	for _, k := range b.allKeepers() {
		if isPod(k.pod, q.self) {
			continue
		}
		for i := range k.terms {
			if t := &k.terms[i]; t.matches(b, k.pod.Namespace, q.pod) {
				if v, ok := k.seat.Labels[t.topology]; ok {
					c.others[pair{t.topology, v}] = true
				}
			}
		}
	}
	if len(q.plan.together)+len(q.plan.apart)+len(c.spread) > 0 {
		b.look(q, c)
	}
	b.crowds[key] = c
	return c
}

// look goes over all pods once.
func (b *Board) look(q *question, c *crowd) {
	c.together, c.apart = map[pair]bool{}, map[pair]bool{}
	for _, s := range b.seats {
		spreads := b.spreadsOver(q, c, s)
		b.guests(s, q.self, func(p *model.Pod) {
			if len(q.plan.together) > 0 && b.matchesAll(q.plan.together, q.pod.Namespace, p) {
				mark(c.together, q.plan.together, s)
			}
			for i := range q.plan.apart {
				if q.plan.apart[i].matches(b, q.pod.Namespace, p) {
					mark(c.apart, q.plan.apart[i:i+1], s)
				}
			}
			for i := range c.spread {
				if spreads[i] && p.Namespace == q.pod.Namespace && !p.Terminating() && c.spread[i].speaksOf(p) {
					c.spread[i].count[s.Labels[c.spread[i].TopologyKey]]++
				}
			}
		})
	}
}

func mark(m map[pair]bool, terms []term, s *seat) {
	for _, t := range terms {
		if v, ok := s.Labels[t.topology]; ok {
			m[pair{t.topology, v}] = true
		}
	}
}

func (b *Board) matchesAll(terms []term, owner string, p *model.Pod) bool {
	for i := range terms {
		if !terms[i].matches(b, owner, p) {
			return false
		}
	}
	return true
}

// allKeepers finds the pods with required anti-affinity.
func (b *Board) allKeepers() []keeper {
	if b.looked {
		return b.keepers
	}
	b.looked = true
	for _, s := range b.seats {
		b.guests(s, model.Key{}, func(p *model.Pod) {
			if p.Shape == nil || p.Shape.Affinity == nil || p.Shape.Affinity.PodAntiAffinity == nil {
				return
			}
			if terms := b.planOf(p.Shape).apart; len(terms) > 0 {
				b.keepers = append(b.keepers, keeper{p, s, terms})
			}
		})
	}
	return b.keepers
}

// company asks the pods that are there already (interpodaffinity Filter).
func (b *Board) company(out []Reason, q *question, s *seat) []Reason {
	if missing, ok := b.lonely(q, s); ok {
		out = append(out, Reason{PodAffinity, Refuses, "pod affinity asks for " + missing.words, ""})
	}
	for i := range q.plan.apart {
		t := &q.plan.apart[i]
		if v, ok := s.Labels[t.topology]; ok && q.crowd.apart[pair{t.topology, v}] {
			out = append(out, Reason{PodAntiAffinity, Refuses, "pod anti-affinity refuses " + t.words, ""})
		}
	}
	for p := range q.crowd.others {
		if v, ok := s.Labels[p.key]; ok && v == p.value {
			out = append(out, Reason{OtherAntiAffinity, Refuses, "the anti-affinity of a pod in the same " + p.key + " refuses it", ""})
			break
		}
	}
	return out
}

// lonely returns the affinity term that the node does not satisfy. The first pod of a
// group that wants its own kind near it may go anywhere, where the labels are.
func (b *Board) lonely(q *question, s *seat) (missing *term, ok bool) {
	first := len(q.crowd.together) == 0 && b.matchesAll(q.plan.together, q.pod.Namespace, q.pod)
	for i := range q.plan.together {
		t := &q.plan.together[i]
		v, has := s.Labels[t.topology]
		if !has || !first && !q.crowd.together[pair{t.topology, v}] {
			return t, true
		}
	}
	return nil, false
}
