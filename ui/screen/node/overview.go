package node

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

// sideBySide is the width from which the overview has two columns.
const sideBySide = 130

func overview(p page, n *model.NodeView, k known) []string {
	trouble(&p, n)
	if p.w < sideBySide {
		identity(&p, n)
		conditions(&p, n)
		resources(&p, n, k)
		memory(&p, n, k)
		placement(&p, n, k)
		return p.lines
	}
	if len(p.lines) > 0 {
		p.blank()
	}
	top := p.lines
	p.lines = nil
	left, right := p, p
	left.w = (p.w - 3) * 9 / 20
	right.w = p.w - 3 - left.w
	identity(&left, n)
	placement(&left, n, k)
	conditions(&right, n)
	resources(&right, n, k)
	memory(&right, n, k)
	return append(top, part.Beside(left.lines, right.lines, left.w)...)
}

func identity(p *page, n *model.NodeView) {
	p.heading("Identity")
	system := part.SystemRole(n.OS)
	p.fact("system", system, model.Clean(strings.TrimSpace(n.OSImage+" · "+string(n.OS)+"/"+n.Arch)))
	if n.OS == model.OSWindows {
		windows(p, n)
	} else {
		p.fact("kernel", system, model.Clean(n.Kernel))
	}
	p.fact("kubelet", part.Text, model.Clean(n.Kubelet))
	p.fact("runtime", part.Text, model.Clean(n.Runtime))
	p.fact("bootID", part.Text, model.Clean(n.BootID))
	p.fact("systemUUID", part.Text, model.Clean(n.SystemUUID))
	p.fact("machineID", part.Text, model.Clean(n.MachineID))
	if n.ProviderID != "" {
		p.fact("providerID", part.Text, model.Clean(n.ProviderID))
	}
	for _, a := range n.Addresses {
		p.fact(model.Clean(a.Type), part.Text, model.Clean(a.Addr))
	}
	p.fact("roles", part.Text, orNone(n.Roles))
	p.fact("created", part.Text, moment(p, n.Node))
}

func moment(p *page, n *model.Node) string {
	if n.Created.IsZero() {
		return ""
	}
	return say.Moment(n.Created) + ", " + say.Since(p.now, n.Created) + " ago"
}

func windows(p *page, n *model.NodeView) {
	v := n.Windows
	build := model.Clean(v.Build)
	if v.Build != "" && v.Revision >= 0 {
		build += fmt.Sprintf(" revision %d", v.Revision)
	} else if v.Build != "" {
		build += ", revision unknown"
	}
	p.fact("build", part.Windows, build)
	p.fact("read from", part.Text, v.Source.String())
	if v.Conflict != "" {
		p.fact("conflict", part.Warn, "! "+model.Clean(v.Conflict))
	}
	if product, ok := model.ProductOf(v.Number); ok {
		phase, until := product.Support(p.now)
		word, role := "until", part.Text
		if phase == model.SupportEnded {
			word, role = "since", part.Bad
		}
		p.fact("support", role, fmt.Sprintf("%s: %s %s %s", product.Name, phase, word, say.Day(until)))
	} else {
		p.fact("support", part.Warn, "the build belongs to no release that mullion knows")
	}
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return model.Clean(strings.Join(list, ", "))
}

// trouble says in full, on top of the page, what the table of conditions may have
// to cut short.
func trouble(p *page, n *model.NodeView) {
	for _, c := range readyFirst(n.Conditions) {
		glyph, role := conditionSign(c)
		if role == part.Good {
			continue
		}
		if len(p.lines) == 0 {
			p.heading("Trouble")
		}
		p.fact(glyph+" "+part.Named(c.Type), role, strings.TrimSpace(model.Clean(c.Reason+": "+c.Message)))
	}
}

// conditionSign is the glyph of a condition: Ready is good when True, all others
// when False.
func conditionSign(c model.Condition) (glyph string, role part.Role) {
	good := "False"
	if c.Type == "Ready" {
		good = "True"
	}
	switch {
	case c.Status == good:
		return part.GlyphGood, part.Good
	case c.Status == "Unknown":
		return part.GlyphUnknown, part.Bad
	case c.Type == "Ready":
		return part.GlyphBad, part.Bad
	default:
		return part.GlyphPressure, part.Warn
	}
}

func conditions(p *page, n *model.NodeView) {
	p.heading("Conditions")
	if len(n.Conditions) == 0 {
		p.text(part.Warn, "The node reports none: its kubelet has never been heard of.")
		return
	}
	var rows [][]cell
	for _, c := range readyFirst(n.Conditions) {
		glyph, role := conditionSign(c)
		rows = append(rows, []cell{
			{glyph + " " + model.Clean(c.Type), role}, {model.Clean(c.Status), role},
			{say.Since(p.now, c.Since), part.Dim}, {model.Clean(c.Reason), part.Text}, {model.Clean(c.Message), part.Dim},
		})
	}
	p.table([]part.Column{
		{Title: "TYPE", Min: 12, Need: true, Rank: 0}, {Title: "STATUS", Min: 6, Need: true, Rank: 0},
		{Title: "SINCE", Min: 5, Right: true, Need: true, Rank: 0}, {Title: "REASON", Min: 10, Rank: 1},
		{Title: "MESSAGE", Min: 16, Rank: 2},
	}, rows)
	lease := "unknown: the node's lease is not there, or must not be read"
	if !n.LeaseTime.IsZero() {
		lease = say.Since(p.now, n.LeaseTime) + " ago"
	}
	p.fact("last heartbeat", part.Text, lease)
}

// readyFirst puts the condition that matters most on top.
func readyFirst(all []model.Condition) []model.Condition {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b model.Condition) int {
		switch {
		case a.Type == "Ready" && b.Type != "Ready":
			return -1
		case b.Type == "Ready" && a.Type != "Ready":
			return 1
		default:
			return 0
		}
	})
	return out
}

func resources(p *page, n *model.NodeView, k known) {
	p.heading("Resources")
	row := func(name, capacity, allocatable, requests, share, limits string, role part.Role) []cell {
		if !k.pods {
			requests, share, limits = "?", "?", "?"
		}
		return []cell{{name, part.Text}, {capacity, part.Dim}, {allocatable, part.Text}, {requests, role}, {share, role}, {limits, part.Dim}}
	}
	amount := func(name string, print func(int64) string, capacity, allocatable, requests, limits int64) []cell {
		return row(name, print(capacity), print(allocatable), print(requests), say.Percent(requests, allocatable), print(limits),
			part.Fullness(requests, allocatable, k.pods))
	}
	pods, most := int64(n.Running), int64(n.MaxPods)
	p.table([]part.Column{
		{Title: "", Min: 6, Need: true}, {Title: "CAPACITY", Right: true, Min: 8, Rank: 2},
		{Title: "ALLOCATABLE", Right: true, Min: 11, Need: true}, {Title: "REQUESTED", Right: true, Min: 9, Need: true},
		{Title: "SHARE", Right: true, Min: 5, Need: true}, {Title: "LIMITS", Right: true, Min: 6, Rank: 1},
	}, [][]cell{
		amount("CPU", say.Cores, n.Capacity.CPU, n.Allocatable.CPU, n.Requests.CPU, n.Limits.CPU),
		amount("memory", say.Bytes, n.Capacity.Memory, n.Allocatable.Memory, n.Requests.Memory, n.Limits.Memory),
		row("pods", "", fmt.Sprint(most), fmt.Sprint(pods), say.Percent(pods, most), "–", part.Fullness(pods, most, k.pods)),
	})
}

func placement(p *page, n *model.NodeView, k known) {
	p.heading("Placement")
	classes := "unknown: they have not arrived, or must not be read"
	if k.classes {
		classes = orNone(n.Classes)
	}
	p.fact("RuntimeClasses", part.Text, classes)
	drivers := "unknown: the node has no CSINode, or it must not be read"
	if n.CSIKnown {
		drivers = orNone(n.Drivers)
	}
	p.fact("CSI drivers", part.Text, drivers)
	p.fact("cordoned", part.Text, map[bool]string{true: "yes", false: "no"}[n.Unschedulable])
	if n.InMaintenance() {
		p.fact("maintenance", part.Accent, model.Clean(n.Annotations[model.MaintenanceAnnotation]))
	}
	for i, t := range n.Taints {
		name := ""
		if i == 0 {
			name = "taints"
		}
		p.fact(name, part.Text, taintText(t))
	}
	if len(n.Taints) == 0 {
		p.fact("taints", part.Text, "none")
	}
}

func taintText(t model.Taint) string {
	s := t.Key
	if t.Value != "" {
		s += "=" + t.Value
	}
	return model.Clean(s + ":" + t.Effect)
}
