package placement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// Explanation tells where a pod can run and why not elsewhere.
type Explanation struct {
	Pod    *model.Pod
	OS     model.OS // that the pod is for; OSUnknown without a sign of it
	OSFrom string   // how that is known
	Nodes  int      // in the cluster
	Here   *Verdict // for the node that it is on; nil while it is on none that is known
	Can    []Verdict
	Fails  []Group // where the scheduler would bind it, and it would not run
	Not    []Group // where the scheduler does not bind it
	Class  *ClassEffect
}

// Group is the nodes that share the reason which tells most.
type Group struct {
	Reason Reason // without Detail
	Nodes  []Verdict
}

// Explain asks every node. Nodes stand by name, and groups by size.
func (b *Board) Explain(p *model.Pod) *Explanation {
	q := b.ask(p)
	e := &Explanation{Pod: p, Nodes: len(b.seats), Class: b.effectOf(p)}
	e.OS, e.OSFrom = OSOf(p)
	fails, not := grouper{}, grouper{}
	for i, s := range b.seats {
		v := b.verdict(q, i)
		if s.Name == p.Node {
			e.Here = &v
		}
		switch {
		case !v.Schedulable():
			not.add(v)
		case v.Runs() == FailsThere:
			fails.add(v)
		default:
			e.Can = append(e.Can, v)
		}
	}
	e.Fails, e.Not = fails.groups(), not.groups()
	return e
}

// Feasible returns the names of the nodes to which the scheduler could bind the pod.
func (b *Board) Feasible(p *model.Pod) []string {
	var out []string
	q := b.ask(p)
	for i, s := range b.seats {
		if b.verdict(q, i).Schedulable() {
			out = append(out, s.Name)
		}
	}
	return out
}

type groupKey struct {
	kind Kind
	text string
}

type grouper map[groupKey]*Group

func (g grouper) add(v Verdict) {
	r, _ := v.Main()
	k := groupKey{r.Kind, r.Text}
	if g[k] == nil {
		g[k] = &Group{Reason: Reason{Kind: r.Kind, Effect: r.Effect, Text: r.Text}}
	}
	g[k].Nodes = append(g[k].Nodes, v)
}

func (g grouper) groups() []Group {
	var out []Group
	for _, group := range g {
		out = append(out, *group)
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(-cmp.Compare(len(a.Nodes), len(b.Nodes)), cmp.Compare(lastingRank[a.Reason.Kind], lastingRank[b.Reason.Kind]), cmp.Compare(a.Reason.Text, b.Reason.Text))
	})
	return out
}

// Short says in one line why the pod has no node, or how many it could have:
// "no Windows node of build 10.0.20348".
func (e *Explanation) Short() string {
	switch {
	case len(e.Can) > 0:
		return fmt.Sprintf("%d of %s can run it", len(e.Can), count(e.Nodes, "node"))
	case e.Nodes == 0:
		return "there is no node"
	}
	if r, ok := e.everywhere(); ok {
		return r.Text
	}
	admitted := 0
	var why []string
	for _, g := range slices.Concat(e.Fails, e.Not) {
		if g.Reason.Kind == Target || g.Reason.Kind == Selector || g.Reason.Kind == Affinity {
			continue
		}
		admitted += len(g.Nodes)
		why = append(why, fmt.Sprintf("%s (%d)", g.Reason.Text, len(g.Nodes)))
	}
	switch {
	case admitted == 0:
		return "no " + wanted(e.Pod, "node")
	case len(why) == 1:
		return fmt.Sprintf("%s: %s", count(admitted, wanted(e.Pod, "node")), strings.TrimSuffix(why[0], fmt.Sprintf(" (%d)", admitted)))
	default:
		return fmt.Sprintf("%s: %s", count(admitted, wanted(e.Pod, "node")), strings.Join(why, "; "))
	}
}

// everywhere returns a reason that has nothing to do with the node.
func (e *Explanation) everywhere() (Reason, bool) {
	if len(e.Not) != 1 || len(e.Fails) > 0 {
		return Reason{}, false
	}
	r := e.Not[0].Reason
	return r, r.Kind == Gate || r.Kind == Claim || r.Kind == InUse || r.Kind == Scheduler
}

// count writes a number before a noun whose first word "node" takes the plural.
func count(n int, noun string) string {
	if n != 1 {
		noun = strings.Replace(noun, "node", "nodes", 1)
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// wanted describes the nodes that the pod's node selector asks for.
func wanted(p *model.Pod, noun string) string {
	if p.Target != "" {
		return noun + " " + p.Target
	}
	if p.Shape == nil {
		return noun
	}
	var rest []string
	os, build := "", ""
	for _, k := range slices.Sorted(maps.Keys(p.Shape.NodeSelector)) {
		switch v := p.Shape.NodeSelector[k]; k {
		case corev1.LabelOSStable:
			os = map[string]string{"windows": "Windows ", "linux": "Linux "}[v]
			if os == "" {
				rest = append(rest, k+"="+v)
			}
		case model.WindowsBuildLabel:
			os, build = "Windows ", " of build "+v
		case corev1.LabelArchStable:
			if v != "amd64" {
				rest = append(rest, k+"="+v)
			}
		default:
			rest = append(rest, k+"="+v)
		}
	}
	out := os + noun + build
	if len(rest) > 0 {
		out += " with " + join(rest)
	}
	if p.Shape.Affinity != nil && p.Shape.Affinity.NodeAffinity != nil && p.Shape.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		out += " that its node affinity admits"
	}
	return out
}
