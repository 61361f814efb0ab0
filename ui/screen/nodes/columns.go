package nodes

import (
	"slices"
	"strings"
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

// The columns in the order in which they stand.
const (
	colName = iota
	colStatus
	colRoles
	colRevision
	colKubelet
	colPods
	colUsed
	colCPU
	colCPUMeter
	colMemory
	colMemoryMeter
	colAge
	colClasses
	colPool
	colZone
	colAddress
)

// meter is the width of the bars that wide terminals show beside the figures.
const meter = 10

// gutter is the room left of the columns: the cursor, and the mark or the fold.
const gutter = 3

// columns fits the table into w cells. At 80 columns name, status, revision, pods
// and age are there; the others join in the order of their ranks.
func columns(w int, wide widths) []part.Column {
	status := max(14, min(wide.status, 34))
	// The groups' titles lie over name and status, so both together must hold them.
	name := max(wide.name, wide.title-status-part.Gap, 4)
	all := []part.Column{
		{ID: colName, Title: "NAME", Min: min(max(wide.name, 4), 20), Want: min(name, maxName), Need: true, Rank: 2},
		{ID: colStatus, Title: "STATUS", Min: 14, Want: status, Need: true, Rank: 1},
		{ID: colRoles, Title: "ROLES", Min: 5, Want: min(max(wide.roles, 5), 24), Rank: 8},
		{ID: colRevision, Title: "REVISION", Min: max(8, min(wide.revision, 11)), Want: max(8, min(wide.revision, 16)), Need: true, Rank: 0},
		{ID: colKubelet, Title: "KUBELET", Min: 7, Want: max(7, min(wide.kubelet, 16)), Rank: 7},
		{ID: colPods, Title: "PODS", Min: max(7, min(wide.pods, 12)), Want: 9, Right: true, Need: true, Rank: 0},
		usedColumn(w),
		{ID: colCPU, Title: "CPU REQ", Min: max(13, min(wide.cpu, 20)), Want: 14, Right: true, Rank: 5},
		{ID: colCPUMeter, Min: meter, Want: meter, Rank: 10},
		{ID: colMemory, Title: "MEMORY REQ", Min: max(15, min(wide.memory, 24)), Want: 17, Right: true, Rank: 6},
		{ID: colMemoryMeter, Min: meter, Want: meter, Rank: 10},
		{ID: colAge, Title: "AGE", Min: 4, Want: 5, Right: true, Need: true, Rank: 0},
		{ID: colClasses, Title: "RUNTIMECLASSES", Min: 14, Want: max(14, min(wide.classes, 60)), Rank: 9},
		{ID: colPool, Title: "POOL", Min: 4, Want: max(4, min(wide.pool, 30)), Rank: 11},
		{ID: colZone, Title: "ZONE", Min: 4, Want: max(4, min(wide.zone, 30)), Rank: 12},
		{ID: colAddress, Title: "ADDRESS", Min: 7, Want: max(7, min(wide.address, 39)), Rank: 13},
	}
	off := map[int]bool{colRoles: wide.roles == 0, colUsed: !wide.measured, colPool: wide.pool == 0, colZone: wide.zone == 0, colAddress: wide.address == 0}
	all = slices.DeleteFunc(all, func(c part.Column) bool { return off[c.ID] })
	cols := part.Arrange(all, w-gutter)
	return stretch(cols, w-gutter, wide.title)
}

// narrow is the width below which the memory's share stands without its figures.
const narrow = 100

// usedColumn is what counts against the limit, commit or working set: its share at
// least, from 76 cells on at the cost of longer names.
func usedColumn(w int) part.Column {
	if w < narrow {
		return part.Column{ID: colUsed, Title: "USED", Min: 5, Want: 5, Right: true, Need: w >= 76, Rank: 3}
	}
	return part.Column{ID: colUsed, Title: "COMMIT, or ws", Min: 17, Want: 20, Rank: 4}
}

// stretch gives the name what is left over, until the groups' titles have room.
func stretch(cols []part.Column, w, title int) []part.Column {
	used, span := -part.Gap, -part.Gap
	for _, c := range cols {
		used += c.Width + part.Gap
		if c.ID < colRevision {
			span += c.Width + part.Gap
		}
	}
	if more := min(w-used, min(title, maxTitle)-span); more > 0 {
		cols[0].Width += more
	}
	return cols
}

// maxTitle bounds the room that the titles of groups are given.
const maxTitle = 60

// cell is the text of one column of a node's row, and what it means.
func cell(n *model.NodeView, column int, f frame, now time.Time) (string, part.Role) {
	switch column {
	case colName:
		return part.Named(n.Name), part.Text
	case colStatus:
		s := part.NodeStatus(n.Node, now)
		return s.Text, s.Role
	case colRoles:
		return roleText(n), part.Dim
	case colRevision:
		return part.Revision(n.Node), part.SystemRole(n.OS)
	case colKubelet:
		return model.Clean(n.Kubelet), part.Dim
	case colPods:
		return part.PodShare(n.Running, n.MaxPods, f.pods), part.Fullness(int64(n.Running), int64(n.MaxPods), f.pods)
	case colUsed:
		return usedText(n, f, now), usedRole(n)
	case colCPU:
		return part.CPUShare(n.Requests.CPU, n.Allocatable.CPU, f.pods), part.Fullness(n.Requests.CPU, n.Allocatable.CPU, f.pods)
	case colMemory:
		return part.MemoryShare(n.Requests.Memory, n.Allocatable.Memory, f.pods), part.Fullness(n.Requests.Memory, n.Allocatable.Memory, f.pods)
	case colAge:
		return say.Since(now, n.Created), part.Dim
	case colClasses:
		return classText(n, f.classes), part.Dim
	default:
		return extra(n, column, f), part.Dim
	}
}

func usedText(n *model.NodeView, f frame, now time.Time) string {
	if f.w < narrow {
		percent, _ := part.MemoryPercent(n.Memory())
		return percent
	}
	return part.MemoryCell(n.Memory(), now)
}

func usedRole(n *model.NodeView) part.Role {
	if _, r := part.MemoryPercent(n.Memory()); r != part.Text {
		return r
	}
	return part.SystemRole(n.OS)
}

// extra are the columns that very wide terminals show, where any node has a text in them.
func extra(n *model.NodeView, column int, f frame) string {
	text := ""
	switch column {
	case colPool:
		text = n.Pool(f.pool)
	case colZone:
		text = n.Zone()
	case colAddress:
		text = address(n.Node)
	}
	if text == "" {
		return "–"
	}
	return model.Clean(text)
}

func address(n *model.Node) string {
	for _, a := range n.Addresses {
		if a.Type == "InternalIP" {
			return a.Addr
		}
	}
	return ""
}

func roleText(n *model.NodeView) string {
	if len(n.Roles) == 0 {
		return "–"
	}
	return model.Clean(strings.Join(n.Roles, ","))
}

func classText(n *model.NodeView, known bool) string {
	switch {
	case !known:
		return "?"
	case len(n.Classes) == 0:
		return "–"
	default:
		return model.Clean(strings.Join(n.Classes, ", "))
	}
}
