package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/mullion-tui/mullion/model"
)

// memoryOutput is what `mullion memory -o json` prints; docs/commands.md describes
// it. null means unknown, and the reasons stand beside it.
type memoryOutput struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Context    string        `json:"context"`
	Server     string        `json:"server"`
	Nodes      []memoryEntry `json:"nodes"`
	Problems   []string      `json:"problems"` // what could not be listed
}

type memoryEntry struct {
	Name string `json:"name"`
	OS   string `json:"os"`
	memoryFigures
	PhysicalBytes *int64           `json:"physicalBytes"`
	EvictionBytes *int64           `json:"evictionBytes"` // used bytes from which the kubelet evicts by default
	RequestBytes  *int64           `json:"requestBytes"`  // sum over pods that have not ended
	LimitSumBytes *int64           `json:"limitSumBytes"`
	Unlimited     *int             `json:"containersWithoutLimit"`
	Reasons       []string         `json:"reasons"` // why something is null
	Containers    []containerEntry `json:"containers"`
}

type containerEntry struct {
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Container string `json:"container"`
	memoryFigures
	NoLimit     bool   `json:"noLimit"`
	HostProcess bool   `json:"hostProcess"`
	Reason      string `json:"reason,omitempty"`
}

// memoryFigures: commit is null on Linux, where no such thing bounds a container.
type memoryFigures struct {
	CommitBytes     *int64   `json:"commitBytes"`
	LimitBytes      *int64   `json:"limitBytes"`
	WorkingSetBytes *int64   `json:"workingSetBytes"`
	Ratio           *float64 `json:"ratio"` // of what counts against the limit: commit on Windows, working set elsewhere
	Source          *string  `json:"source"`
	AgeSeconds      *int64   `json:"ageSeconds"`
}

func describeMemory(info model.SessionInfo, snap *model.Snapshot, names []string, now time.Time) memoryOutput {
	out := memoryOutput{APIVersion: "mullion/v1", Kind: "MemoryInventory", Context: info.Context, Server: info.Server, Nodes: []memoryEntry{}, Problems: feedProblems(snap, model.KindNode, model.KindPod)}
	podsKnown := snap.Feed(model.KindPod).Listed
	for _, v := range snap.Nodes() {
		if len(names) > 0 && !slices.Contains(names, v.Name) {
			continue
		}
		e := describeNodeMemory(v, now)
		if podsKnown {
			e.RequestBytes, e.LimitSumBytes, e.Unlimited = &v.Requests.Memory, &v.Limits.Memory, &v.Unlimited
		}
		out.Nodes = append(out.Nodes, e)
	}
	return out
}

func describeNodeMemory(v *model.NodeView, now time.Time) memoryEntry {
	use := v.Memory()
	e := memoryEntry{
		Name: v.Name, OS: string(v.OS), memoryFigures: figures(use, now),
		Reasons: []string{}, Containers: []containerEntry{},
	}
	if use.Eviction > 0 {
		e.EvictionBytes = &use.Eviction
	}
	if v.Usage == nil {
		e.Reasons = append(e.Reasons, fmt.Sprintf("no source answered within %s", settleLimit))
	} else {
		e.PhysicalBytes = bytesOf(v.Usage.Physical)
		e.Reasons = append(e.Reasons, v.Usage.Problems...)
	}
	for _, p := range v.Pods {
		if p.Finished() {
			continue
		}
		for _, c := range p.Containers {
			e.Containers = append(e.Containers, describeContainer(v, p, c, now))
		}
	}
	return e
}

func describeContainer(v *model.NodeView, p *model.Pod, c model.Container, now time.Time) containerEntry {
	use := v.ContainerMemory(p, c)
	e := containerEntry{
		Namespace: p.Namespace, Pod: p.Name, Container: c.Name,
		memoryFigures: figures(use, now), NoLimit: use.NoLimit, HostProcess: p.HostProcess,
	}
	if !use.Used.Known() {
		e.Reason = v.WhyUnknown(p, c)
	}
	return e
}

func figures(use model.MemoryUse, now time.Time) memoryFigures {
	var f memoryFigures
	if use.Commit {
		f.CommitBytes, f.WorkingSetBytes = bytesOf(use.Used), bytesOf(use.Second)
	} else {
		f.WorkingSetBytes = bytesOf(use.Used)
	}
	if use.Limit > 0 {
		f.LimitBytes = &use.Limit
	}
	if r, ok := use.Ratio(); ok {
		f.Ratio = &r
	}
	source := use.Used.Or(use.Second)
	if source.Known() {
		words := source.Source.String()
		f.Source = &words
	}
	if !source.At.IsZero() {
		age := int64(max(0, now.Sub(source.At)).Seconds())
		f.AgeSeconds = &age
	}
	return f
}

func bytesOf(f model.Figure) *int64 {
	if !f.Known() {
		return nil
	}
	return &f.Value
}

func (out memoryOutput) print(w io.Writer, format string) error {
	switch format {
	case "json":
		return printJSON(w, out)
	case "yaml":
		return printYAML(w, out)
	default:
		return out.table(w)
	}
}

func (out memoryOutput) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintln(t, "NODE\tCONTAINER\tCOUNTS\tUSED\tLIMIT\tSHARE\tWORKING SET\tSOURCE\tAGE")
	for _, n := range out.Nodes {
		row(t, n.Name, "", n.memoryFigures, n.OS == string(model.OSWindows), false)
		for _, c := range n.Containers {
			row(t, n.Name, c.Namespace+"/"+c.Pod+"/"+c.Container, c.memoryFigures, n.OS == string(model.OSWindows), c.NoLimit)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return out.reasons(w)
}

// reasons says below the table why something is unknown, each reason once.
func (out memoryOutput) reasons(w io.Writer) error {
	var order []string
	nodes := map[string][]string{}
	for _, n := range out.Nodes {
		for _, r := range n.Reasons {
			if nodes[r] == nil {
				order = append(order, r)
			}
			nodes[r] = append(nodes[r], n.Name)
		}
	}
	for i, r := range order {
		who, more := nodes[r], ""
		if len(who) > namedNodes {
			who, more = who[:namedNodes], fmt.Sprintf(" and %d more", len(who)-namedNodes)
		}
		lead := ""
		if i == 0 {
			lead = "\nUnknown, because:\n"
		}
		if _, err := fmt.Fprintf(w, "%s%s (%s%s)\n", lead, model.Clean(r), model.Clean(strings.Join(who, ", ")), more); err != nil {
			return err
		}
	}
	return nil
}

// namedNodes is how many nodes a reason names; all are in the JSON.
const namedNodes = 3

func row(w io.Writer, node, container string, f memoryFigures, windows, noLimit bool) {
	counts, used := "working set", f.WorkingSetBytes
	if windows {
		counts, used = "commit", f.CommitBytes
	}
	limit := mib(f.LimitBytes)
	if noLimit {
		limit = "no limit"
	}
	share, age := "?", "?"
	if f.Ratio != nil {
		share = fmt.Sprintf("%.0f%%", *f.Ratio*100)
	} else if noLimit {
		share = "-"
	}
	if f.AgeSeconds != nil {
		age = duration.HumanDuration(time.Duration(*f.AgeSeconds) * time.Second)
	}
	source := "?"
	if f.Source != nil {
		source = *f.Source
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", model.Clean(node), model.Clean(container), counts, mib(used), limit, share, mib(f.WorkingSetBytes), source, age)
}

func mib(n *int64) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprintf("%d MiB", *n>>20)
}
