package findings

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
)

// Rule is one kind of finding, and one row of the table from which docs/findings is
// made. Exactly one of Node, Pod and Cluster is set: it is the rule's scope. Each
// returns Findings with Object and Evidence alone, and a Severity where it is worse
// than the rule's own; the rest is filled in from the rule.
type Rule struct {
	ID       string
	Title    string // one line for lists and documentation
	Severity Severity
	Looks    string // documentation: what is looked at, and what is left out
	Why      string
	Remedy   string

	// Needs are the feeds without which the rule cannot look: it is then reported as
	// unknown. Nodes for a Node and pods for a Pod go without saying.
	Needs []model.Kind

	// Node looks at a node and what hangs on it, and at nothing else that can change
	// without the node's view: RuntimeClasses change it.
	Node func(w *World, v *model.NodeView) []Finding
	// Pod looks at a pod that has not ended; v is its node, nil while it has none. It is
	// asked of the templates of workloads without pods too.
	Pod func(w *World, v *model.NodeView, p *model.Pod) []Finding
	// Cluster looks at everything, in every snapshot: only for what needs that.
	Cluster func(w *World) []Finding
}

// Rules lists every rule by ID.
func Rules() []Rule {
	return []Rule{
		f01, f02, f03, f04, f05, f06, f07, f08, f09, f10, f11, f12, f13, f14,
		f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28,
	}
}

func (r Rule) fill(found []Finding) []Finding {
	for i := range found {
		f := &found[i]
		f.ID, f.Title, f.Why, f.Remedy = r.ID, r.Title, r.Why, r.Remedy
		f.Severity = max(f.Severity, r.Severity)
		if f.Unknown { // what could not be looked at never reads as well, and no worse than a warning
			f.Severity = Warning
		}
	}
	return found
}

// unknown says that a rule could not look, and why.
func (r Rule) unknown(why string) Finding {
	return r.fill([]Finding{{Unknown: true, Evidence: why}})[0]
}

func (r Rule) needs() []model.Kind {
	switch {
	case r.Node != nil:
		return append([]model.Kind{model.KindNode}, r.Needs...)
	case r.Pod != nil:
		return append([]model.Kind{model.KindPod}, r.Needs...)
	default:
		return r.Needs
	}
}

// blind returns why the rule cannot look; empty is that it can. A feed that is still
// waiting for its first list is no reason: it will be asked again.
func (r Rule) blind(s *model.Snapshot) string {
	for _, k := range r.needs() {
		f := s.Feed(k)
		if f.Listed || f.State == model.FeedWaiting || f.State == model.FeedSynced {
			continue
		}
		if f.Error == "" {
			return fmt.Sprintf("cannot list %s: %s", k, f.State)
		}
		return fmt.Sprintf("cannot list %s: %s (%s)", k, f.State, f.Error)
	}
	return ""
}

// Node returns what the rules say of a node and its pods.
func Node(w *World, v *model.NodeView) []Finding { return ofNode(Rules(), w, v) }

func ofNode(rules []Rule, w *World, v *model.NodeView) []Finding {
	var all []Finding
	for _, r := range rules {
		switch {
		case r.Node != nil:
			all = append(all, r.fill(r.Node(w, v))...)
		case r.Pod != nil:
			all = append(all, ofPods(r, w, v, v.Pods)...)
		}
	}
	return all
}

func ofPods(r Rule, w *World, v *model.NodeView, pods []*model.Pod) []Finding {
	var all []Finding
	for _, p := range pods {
		if !p.Finished() {
			all = append(all, r.fill(r.Pod(w, v, p))...)
		}
	}
	return all
}
