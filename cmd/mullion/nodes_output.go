package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/x/ansi"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/mullion-tui/mullion/model"
)

// nodesOutput is what `mullion nodes -o json` prints; docs/commands.md describes it.
// null means unknown, and Problems says why.
type nodesOutput struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Context    string       `json:"context"`
	Server     string       `json:"server"`
	Version    string       `json:"version,omitempty"`
	Groups     []groupEntry `json:"groups"`
	Problems   []string     `json:"problems"`
}

type groupEntry struct {
	OS           string      `json:"os"`
	Build        string      `json:"build"`
	Product      string      `json:"product"`
	Support      string      `json:"support"`
	SupportUntil string      `json:"supportUntil,omitempty"` // the last day of the phase
	Nodes        []nodeEntry `json:"nodes"`
}

type nodeEntry struct {
	Name           string         `json:"name"`
	Status         string         `json:"status"`
	StatusSince    *time.Time     `json:"statusSince"`
	Pressures      []string       `json:"pressures"`
	Cordoned       bool           `json:"cordoned"`
	Maintenance    bool           `json:"maintenance"`
	Roles          []string       `json:"roles"`
	OS             string         `json:"os"`
	Arch           string         `json:"arch"`
	OSImage        string         `json:"osImage"`
	Kernel         string         `json:"kernelVersion"`
	Build          string         `json:"build"`
	BuildSource    string         `json:"buildSource,omitempty"`
	BuildConflict  string         `json:"buildConflict,omitempty"`
	Revision       *int           `json:"revision"`
	BootID         string         `json:"bootID"`
	Kubelet        string         `json:"kubelet"`
	Runtime        string         `json:"containerRuntime"`
	Addresses      []addressEntry `json:"addresses"`
	Taints         []string       `json:"taints"`
	Pods           *int           `json:"pods"`
	MaxPods        *int           `json:"maxPods"`
	Allocatable    resourceEntry  `json:"allocatable"`
	Requests       *resourceEntry `json:"requests"`
	Limits         *resourceEntry `json:"limits"`
	RuntimeClasses []string       `json:"runtimeClasses"`
	CSIDrivers     []string       `json:"csiDrivers"`
	Created        *time.Time     `json:"created"`
}

type addressEntry struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

type resourceEntry struct {
	CPUMilli    int64 `json:"cpuMilli"`
	MemoryBytes int64 `json:"memoryBytes"`
}

// feedProblems says of each of the kinds why it is not, or no longer, known.
func feedProblems(snap *model.Snapshot, kinds ...model.Kind) []string {
	problems := []string{}
	for _, k := range kinds {
		// Listed is enough: that the watch is not open yet changes nothing of the answer.
		if f := snap.Feed(k); f.Error != "" || !f.Listed {
			problems = append(problems, fmt.Sprintf("%s: %s: %s", k, f.State, f.Error))
		}
	}
	return problems
}

// describeNodes makes the inventory of the named nodes, or of all where names is empty.
func describeNodes(info model.SessionInfo, snap *model.Snapshot, names []string, now time.Time) nodesOutput {
	out := nodesOutput{
		APIVersion: "mullion/v1", Kind: "NodeInventory",
		Context: info.Context, Server: info.Server, Version: snap.Server.Version,
		Groups: []groupEntry{}, Problems: feedProblems(snap, inventoryKinds...),
	}
	for _, g := range model.Arrange(snap, model.Query{}, now).Groups {
		entry := groupEntry{OS: string(g.OS), Build: g.Build, Product: g.Product, Support: string(g.Support), Nodes: []nodeEntry{}}
		if g.OS != model.OSWindows {
			entry.Support = ""
		}
		if !g.Until.IsZero() {
			entry.SupportUntil = g.Until.Format(time.DateOnly)
		}
		for _, v := range g.Nodes {
			if len(names) == 0 || slices.Contains(names, v.Name) {
				entry.Nodes = append(entry.Nodes, describeNode(snap, v))
			}
		}
		if len(entry.Nodes) > 0 {
			out.Groups = append(out.Groups, entry)
		}
	}
	return out
}

func describeNode(snap *model.Snapshot, v *model.NodeView) nodeEntry {
	words := v.StatusWords()
	_, since := v.Readiness()
	e := nodeEntry{
		Name: v.Name, Status: words[0], StatusSince: timeOrNil(since), Pressures: orEmpty(v.Pressures()),
		Cordoned: v.Unschedulable, Maintenance: v.InMaintenance(), Roles: orEmpty(v.Roles),
		OS: string(v.OS), Arch: v.Arch, OSImage: v.OSImage, Kernel: v.Kernel,
		BootID: v.BootID, Kubelet: v.Kubelet, Runtime: v.Runtime,
		Addresses: []addressEntry{}, Taints: []string{},
		Allocatable:    resourceEntry{v.Allocatable.CPU, v.Allocatable.Memory},
		RuntimeClasses: orEmpty(v.Classes), Created: timeOrNil(v.Created),
	}
	if v.OS == model.OSWindows {
		e.Build, e.BuildSource, e.BuildConflict = v.Windows.Build, v.Windows.Source.String(), v.Windows.Conflict
		if v.Windows.Revision >= 0 {
			e.Revision = &v.Windows.Revision
		}
	}
	if v.MaxPods > 0 {
		e.MaxPods = &v.MaxPods
	}
	if snap.Feed(model.KindPod).Listed {
		e.Pods = &v.Running
		e.Requests = &resourceEntry{v.Requests.CPU, v.Requests.Memory}
		e.Limits = &resourceEntry{v.Limits.CPU, v.Limits.Memory}
	}
	if v.CSIKnown {
		e.CSIDrivers = orEmpty(v.Drivers)
	}
	for _, a := range v.Addresses {
		e.Addresses = append(e.Addresses, addressEntry{a.Type, a.Addr})
	}
	for _, t := range v.Taints {
		e.Taints = append(e.Taints, t.String())
	}
	return e
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

var nodeFormats = []string{"table", "wide", "json", "yaml"}

func (out nodesOutput) print(w io.Writer, format string, now time.Time) error {
	switch format {
	case "json":
		return printJSON(w, out)
	case "yaml":
		return printYAML(w, out)
	default:
		return printNodes(w, out, now, format == "wide")
	}
}

// widestCell keeps one long name from pushing every other column off the screen.
const widestCell = 63

func printNodes(w io.Writer, out nodesOutput, now time.Time, wide bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	header := []string{"OS", "BUILD", "NAME", "STATUS", "ROLES", "REVISION", "VERSION", "PODS", "AGE"}
	if wide {
		header = append(header, "INTERNAL-IP", "OS-IMAGE", "KERNEL-VERSION", "CONTAINER-RUNTIME", "BOOT-ID", "RUNTIMECLASSES")
	}
	fmt.Fprintln(t, strings.Join(header, "\t"))
	for _, g := range out.Groups {
		for _, n := range g.Nodes {
			row := []string{or(n.OS, "?"), or(g.Build, "-"), n.Name, statusCell(n), joined(n.Roles), revisionCell(n), or(n.Kubelet, "?"), podsCell(n), ageCell(n.Created, now)}
			if wide {
				row = append(row, internalIP(n), or(n.OSImage, "?"), or(n.Kernel, "?"), or(n.Runtime, "?"), or(n.BootID, "?"), joined(n.RuntimeClasses))
			}
			for i := range row {
				row[i] = ansi.Truncate(model.Clean(row[i]), widestCell, "…")
			}
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
	}
	return t.Flush()
}

func statusCell(n nodeEntry) string {
	words := []string{n.Status}
	if n.Cordoned {
		words = append(words, "SchedulingDisabled") // as kubectl prints it
	}
	if n.Maintenance {
		words = append(words, "Maintenance")
	}
	return strings.Join(append(words, n.Pressures...), ",")
}

func revisionCell(n nodeEntry) string {
	if n.OS != string(model.OSWindows) {
		return "-"
	}
	return number(n.Revision)
}

func podsCell(n nodeEntry) string { return number(n.Pods) + "/" + number(n.MaxPods) }

func ageCell(created *time.Time, now time.Time) string {
	if created == nil {
		return "?"
	}
	return duration.HumanDuration(now.Sub(*created))
}

func internalIP(n nodeEntry) string {
	for _, a := range n.Addresses {
		if a.Type == "InternalIP" {
			return a.Address
		}
	}
	return "?"
}

func number(n *int) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

func joined(s []string) string { return or(strings.Join(s, ","), "-") }
