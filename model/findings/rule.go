package findings

import "github.com/mullion-tui/mullion/model"

// Rule is one kind of finding. Exactly one of Node, Pod and Cluster is set: it is the
// rule's scope. Each returns Findings with Object and Evidence alone, and a Severity
// where it is worse than the rule's own; the rest is filled in from the rule.
type Rule struct {
	ID       string
	Title    string // one line for lists and documentation
	Severity Severity
	Why      string
	Remedy   string

	// Node looks at a node and what hangs on it, and at nothing else.
	Node func(v *model.NodeView) []Finding
	// Pod looks at a pod that has not ended; v is its node, nil while it has none.
	Pod func(v *model.NodeView, p *model.Pod) []Finding
	// Cluster looks at everything, in every snapshot: only for what needs that.
	Cluster func(s *model.Snapshot) []Finding
}

// Rules lists every rule by ID.
func Rules() []Rule { return []Rule{f07, f08, f09, f10, f11} }

func (r Rule) fill(found []Finding) []Finding {
	for i := range found {
		f := &found[i]
		f.ID, f.Why, f.Remedy = r.ID, r.Why, r.Remedy
		f.Severity = max(f.Severity, r.Severity)
	}
	return found
}

// Node returns what the rules say of a node and its pods.
func Node(v *model.NodeView) []Finding { return ofNode(Rules(), v) }

func ofNode(rules []Rule, v *model.NodeView) []Finding {
	var all []Finding
	for _, r := range rules {
		switch {
		case r.Node != nil:
			all = append(all, r.fill(r.Node(v))...)
		case r.Pod != nil:
			all = append(all, ofPods(r, v, v.Pods)...)
		}
	}
	return all
}

func ofPods(r Rule, v *model.NodeView, pods []*model.Pod) []Finding {
	var all []Finding
	for _, p := range pods {
		if !p.Finished() {
			all = append(all, r.fill(r.Pod(v, p))...)
		}
	}
	return all
}
