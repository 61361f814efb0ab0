package findings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/placement"
)

// placing is how long the scheduler may need before a pod counts as waiting.
const placing = time.Minute

var f24 = Rule{
	ID:       "F24",
	Title:    "Pending Windows pod that no node takes",
	Severity: Critical,
	Looks:    "Windows pods that have had no node for a minute, and why each node is ruled out, by the rules of the scheduler and by system, build and drivers. Of the pods of one template one is asked; where very many templates wait, the scheduler's own words stand until it is their turn.",
	Why:      "The workload lacks a replica, or is down. The scheduler tries again with every change of the cluster, but nothing says that one will come.",
	Remedy:   "Add a node of the build, correct the selector or the RuntimeClass, or make room. mullion placement NAMESPACE/POD says for each node what is in the way.",
	Pod: func(w *World, v *model.NodeView, p *model.Pod) []Finding {
		if v != nil || p.Phase != "Pending" || p.Node != "" || p.Terminating() || !w.isWindows(v, p) || !w.past(p.Created.Add(placing)) {
			return nil
		}
		evidence := "no node for " + w.ago(p.Created)
		if why := w.nowhere(p); why != "" {
			evidence += ": " + why
		}
		return []Finding{{Object: p.Key(), Evidence: evidence}}
	},
}

// Asking all nodes is dear: an answer holds for a while, and a look at one snapshot
// gets some answers at most.
const (
	answerHolds = 30 * time.Second
	answersEach = 5
)

// answer is why the pods of one template have no node.
type answer struct {
	why   string
	until time.Time
}

// nowhere says why no node takes the pod.
func (w *World) nowhere(p *model.Pod) string {
	if p.Shape == nil || w.Snapshot == nil {
		return p.Message
	}
	a, known := w.answers[p.Shape]
	switch {
	case known && w.Now.Before(a.until):
		return a.why
	case w.asked >= answersEach && known:
		return a.why
	case w.asked >= answersEach:
		return p.Message
	}
	if w.board == nil {
		w.board = placement.New(w.Snapshot, placement.What{})
	}
	w.asked++
	a = answer{reasons(w.board.Explain(p)), w.Now.Add(answerHolds)}
	if w.answers != nil {
		w.answers[p.Shape] = a
	}
	return a.why
}

// reasons writes an explanation in one line, the reason of most nodes first.
func reasons(e *placement.Explanation) string {
	const most = 5
	parts := []string{e.Short()}
	groups := slices.Concat(e.Fails, e.Not)
	for i, g := range groups {
		if i == most {
			parts = append(parts, count(len(groups)-most, "more reason", "more reasons"))
			break
		}
		var on []string
		for _, v := range g.Nodes {
			on = append(on, v.Node.Name)
		}
		parts = append(parts, fmt.Sprintf("%s: %s (%s)", count(len(on), "node", "nodes"), g.Reason.Text, names(on)))
	}
	return strings.Join(parts, "; ")
}
