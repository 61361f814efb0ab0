package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/placement"
)

// placementOutput is what `mullion placement -o json` prints; docs/commands.md describes it.
type placementOutput struct {
	APIVersion   string         `json:"apiVersion"`
	Kind         string         `json:"kind"`
	Context      string         `json:"context"`
	Server       string         `json:"server"`
	Pod          placedPod      `json:"pod"`
	Summary      string         `json:"summary"`
	Nodes        int            `json:"nodes"`
	CanRun       []nodeVerdict  `json:"canRun"`   // the scheduler may bind it there, and nothing known keeps it from running
	Fails        []verdictGroup `json:"fails"`    // the scheduler may bind it there, and it would not run
	RuledOut     []verdictGroup `json:"ruledOut"` // the scheduler does not bind it there
	RuntimeClass *classEntry    `json:"runtimeClass"`
	Problems     []string       `json:"problems"`
}

type placedPod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	OS        string `json:"os"`     // empty is unknown
	OSFrom    string `json:"osFrom"` // how that is known
	Node      string `json:"node"`
	State     string `json:"state"`
}

type nodeVerdict struct {
	Node    string        `json:"node"`
	Here    bool          `json:"here"`    // the pod is on it
	Outcome string        `json:"outcome"` // once it is bound: runs, may fail, fails
	Reasons []reasonEntry `json:"reasons"`
}

type reasonEntry struct {
	Kind   string `json:"kind"`
	Effect string `json:"effect"` // note, doubt, fails, refuses
	Text   string `json:"text"`
	Detail string `json:"detail,omitempty"`
}

type verdictGroup struct {
	Kind  string        `json:"kind"`
	Text  string        `json:"text"`
	Nodes []nodeVerdict `json:"nodes"`
}

type classEntry struct {
	Name              string        `json:"name"`
	Missing           bool          `json:"missing"`
	Handler           string        `json:"handler"`
	Selector          []string      `json:"selector"` // what the pod has as the class has it
	Tolerations       []string      `json:"tolerations"`
	Overhead          resourceEntry `json:"overhead"`
	LacksSelector     []string      `json:"lacksSelector"` // what the class has now and the pod has not
	LacksTolerations  []string      `json:"lacksTolerations"`
	OverheadDiffers   bool          `json:"overheadDiffers"`
	PodOlderThanClass bool          `json:"podOlderThanClass"`
}

// placementKinds are the feeds without which a verdict has gaps.
var placementKinds = []model.Kind{
	model.KindNode, model.KindPod, model.KindRuntimeClass, model.KindCSINode, model.KindNamespace,
	model.KindVolume, model.KindClaim, model.KindStorageClass,
}

func describePlacement(info model.SessionInfo, snap *model.Snapshot, e *placement.Explanation) placementOutput {
	out := placementOutput{
		APIVersion: "mullion/v1", Kind: "Placement", Context: info.Context, Server: info.Server,
		Pod:     placedPod{Namespace: e.Pod.Namespace, Name: e.Pod.Name, OS: string(e.OS), OSFrom: e.OSFrom, Node: e.Pod.Node, State: e.Pod.State},
		Summary: e.Short(), Nodes: e.Nodes, CanRun: []nodeVerdict{}, Fails: verdictGroups(e, e.Fails), RuledOut: verdictGroups(e, e.Not),
		Problems: feedProblems(snap, placementKinds...),
	}
	for _, v := range e.Can {
		out.CanRun = append(out.CanRun, describeVerdict(e, v))
	}
	if c := e.Class; c != nil {
		out.RuntimeClass = &classEntry{
			Name: c.Name, Missing: c.Missing, Handler: c.Handler, Selector: orEmpty(c.Selector), Tolerations: orEmpty(c.Tolerations),
			Overhead:      resourceEntry{c.Overhead.CPU, c.Overhead.Memory},
			LacksSelector: orEmpty(c.LacksSelector), LacksTolerations: orEmpty(c.LacksTolerations),
			OverheadDiffers: c.OtherOverhead, PodOlderThanClass: c.Older(),
		}
	}
	return out
}

func verdictGroups(e *placement.Explanation, groups []placement.Group) []verdictGroup {
	out := []verdictGroup{}
	for _, g := range groups {
		entry := verdictGroup{Kind: g.Reason.Kind.String(), Text: g.Reason.Text}
		for _, v := range g.Nodes {
			entry.Nodes = append(entry.Nodes, describeVerdict(e, v))
		}
		out = append(out, entry)
	}
	return out
}

func describeVerdict(e *placement.Explanation, v placement.Verdict) nodeVerdict {
	out := nodeVerdict{Node: v.Node.Name, Here: v.Node.Name == e.Pod.Node, Outcome: v.Runs().String(), Reasons: []reasonEntry{}}
	for _, r := range v.Reasons {
		out.Reasons = append(out.Reasons, reasonEntry{Kind: r.Kind.String(), Effect: r.Effect.String(), Text: r.Text, Detail: r.Detail})
	}
	return out
}

func (out placementOutput) print(w io.Writer, format string) error {
	switch format {
	case "json":
		return printJSON(w, out)
	case "yaml":
		return printYAML(w, out)
	default:
		return out.text(w)
	}
}

// How much of a group the text shows.
const (
	shownNodes = 10 // on a line
	shownLines = 10
)

// text is for people: groups below one another, each node with what else is true of it.
func (out placementOutput) text(w io.Writer) error {
	p := &printer{w: w}
	p.line("%s/%s: %s", out.Pod.Namespace, out.Pod.Name, out.Summary)
	p.line("  for %s, %s", or(systemName(out.Pod.OS), "an unknown operating system"), or(out.Pod.OSFrom, "nothing says which"))
	if out.Pod.Node != "" {
		p.line("  %s on %s", out.Pod.State, out.Pod.Node)
	}
	if len(out.CanRun) > 0 {
		p.line("\nCan run on")
		p.nodes(out.CanRun, "")
	}
	p.groups("Would be bound to, and fail on", out.Fails)
	p.groups("Not on", out.RuledOut)
	p.class(out.RuntimeClass)
	if len(out.Problems) > 0 {
		p.line("\nNot known")
		for _, problem := range out.Problems {
			p.line("  %s", problem)
		}
	}
	return p.err
}

func systemName(os string) string {
	if name := map[string]string{"windows": "Windows", "linux": "Linux"}[os]; name != "" {
		return name
	}
	return os
}

// printer keeps the first error of a writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err != nil {
		return
	}
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = model.Clean(s)
		}
	}
	_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *printer) groups(title string, groups []verdictGroup) {
	if len(groups) == 0 {
		return
	}
	p.line("\n%s", title)
	for _, g := range groups {
		noun := "nodes"
		if len(g.Nodes) == 1 {
			noun = "node"
		}
		p.line("  %d %s: %s", len(g.Nodes), noun, g.Text)
		p.nodes(g.Nodes, g.Text)
	}
}

// nodes names nodes, those of which the same is to be said on one line.
func (p *printer) nodes(nodes []nodeVerdict, above string) {
	var texts []string
	names := map[string][]string{}
	for _, n := range nodes {
		text := strings.Join(n.more(above), "; ")
		if names[text] == nil {
			texts = append(texts, text)
		}
		names[text] = append(names[text], n.Node)
	}
	for i, text := range texts {
		if i == shownLines {
			p.line("    and %d more lines; -o json has them all", len(texts)-shownLines)
			return
		}
		line := strings.Join(names[text], ", ")
		if rest := len(names[text]) - shownNodes; rest > 0 {
			line = fmt.Sprintf("%s and %d more", strings.Join(names[text][:shownNodes], ", "), rest)
		}
		if text != "" {
			line += ": " + text
		}
		p.line("    %s", line)
	}
}

// more is what is to be said of a node beside the reason above it: whatever is as strong.
func (n nodeVerdict) more(above string) []string {
	var parts []string
	if n.Here {
		parts = append(parts, "here")
	}
	if above == "" && n.Outcome != placement.Runs.String() {
		parts = append(parts, n.Outcome)
	}
	strength := ""
	if i := slices.IndexFunc(n.Reasons, func(r reasonEntry) bool { return r.Text == above }); i >= 0 {
		strength = n.Reasons[i].Effect
	}
	for _, r := range n.Reasons {
		switch {
		case strength != "" && r.Effect != strength:
		case r.Text != above && r.Detail != "":
			parts = append(parts, r.Text+" ("+r.Detail+")")
		case r.Text != above:
			parts = append(parts, r.Text)
		case r.Detail != "":
			parts = append(parts, r.Detail)
		}
	}
	return parts
}

func (p *printer) class(c *classEntry) {
	if c == nil {
		return
	}
	if c.Missing {
		p.line("\nRuntimeClass %s does not exist", c.Name)
		return
	}
	p.line("\nRuntimeClass %s (handler %s)", c.Name, c.Handler)
	none := func(list []string) string { return or(strings.Join(list, ", "), "none") }
	p.line("  node selector: %s", none(c.Selector))
	p.line("  tolerations: %s", none(c.Tolerations))
	if c.Overhead != (resourceEntry{}) {
		p.line("  overhead: %dm CPU, %d MiB", c.Overhead.CPUMilli, c.Overhead.MemoryBytes>>20)
	}
	if len(c.LacksSelector)+len(c.LacksTolerations) > 0 {
		p.line("  a new pod would get, and this one has not: %s", strings.Join(append(append([]string{}, c.LacksSelector...), c.LacksTolerations...), ", "))
	}
	if c.OverheadDiffers {
		p.line("  a new pod would get another overhead")
	}
}
