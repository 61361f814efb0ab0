package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var testNow = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func ready(status string) []Condition {
	return []Condition{{Type: "Ready", Status: status, Since: testNow.Add(-5 * time.Minute)}}
}

func windowsNode(name, kernel string, more func(*Node)) *Node {
	n := &Node{
		Name: name, OS: OSWindows, Kernel: kernel, Windows: ParseWindowsVersion("", kernel), Conditions: ready("True"),
		Labels:  map[string]string{"kubernetes.io/os": "windows", WindowsBuildLabel: ParseWindowsVersion("", kernel).Build},
		MaxPods: 60, Allocatable: Resources{CPU: 4000, Memory: 8 << 30},
	}
	if more != nil {
		more(n)
	}
	return n
}

func linuxNode(name string, more func(*Node)) *Node {
	n := &Node{Name: name, OS: OSLinux, Kernel: "7.0.0-42-generic", Conditions: ready("True"), Labels: map[string]string{"kubernetes.io/os": "linux"}, MaxPods: 110, Allocatable: Resources{CPU: 2000, Memory: 8 << 30}}
	if more != nil {
		more(n)
	}
	return n
}

func hybrid() *Snapshot {
	c := NewCluster()
	zone := func(z string) func(*Node) { return func(n *Node) { n.Labels["topology.kubernetes.io/zone"] = z } }
	c.Apply(Delta{Objects: []Object{
		linuxNode("cp-1", func(n *Node) { n.Roles = []string{"control-plane"} }),
		linuxNode("linux-1", zone("z1")),
		windowsNode("win-25-a", "10.0.26100.33438", zone("z1")),
		windowsNode("win-25-b", "10.0.26100.33674", func(n *Node) { n.Unschedulable = true }),
		windowsNode("win-22-a", "10.0.20348.4893", func(n *Node) { n.Conditions = ready("Unknown"); n.Labels["agentpool"] = "p22" }),
		windowsNode("win-next", "10.0.27000.1", nil),
		windowsNode("win-dumb", "", nil),
		&Node{Name: "odd", OS: "plan9"},
		&Node{Name: "mute"},
		&RuntimeClass{Name: "windows-2025", NodeSelector: map[string]string{WindowsBuildLabel: "10.0.26100"}},
		&RuntimeClass{Name: "any-windows", NodeSelector: map[string]string{"kubernetes.io/os": "windows"}},
		&RuntimeClass{Name: "bare"},
		&Pod{Namespace: "n", Name: "p1", Node: "win-25-a", Phase: "Running", Requests: Resources{CPU: 250, Memory: 256 << 20}, Limits: Resources{CPU: 500, Memory: 256 << 20}},
		&Pod{Namespace: "n", Name: "p2", Node: "win-25-a", Phase: "Succeeded", Requests: Resources{CPU: 9999}},
		&Pod{Namespace: "n", Name: "p3", Node: "win-25-b", Phase: "Running", Requests: Resources{CPU: 100}},
	}})
	return c.Snapshot()
}

func outline(inv *Inventory) string {
	var b strings.Builder
	for _, g := range inv.Groups {
		fmt.Fprintf(&b, "%s:", g.Title)
		for _, n := range g.Nodes {
			fmt.Fprintf(&b, " %s", n.Name)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestArrangeGroups(t *testing.T) {
	cases := []struct {
		q    Query
		want string
	}{
		{Query{}, `Windows, unknown release · 10.0.27000: win-next
Windows Server 2025 · 10.0.26100: win-25-a win-25-b
Windows Server 2022 · 10.0.20348: win-22-a
Windows, build unknown: win-dumb
Linux: cp-1 linux-1
plan9: odd
unknown operating system: mute
`},
		{Query{Grouping: GroupByRuntimeClass}, `RuntimeClass any-windows: win-22-a win-25-a win-25-b win-dumb win-next
RuntimeClass windows-2025: win-25-a win-25-b
no RuntimeClass selects these: cp-1 linux-1 mute odd
`},
		{Query{Grouping: GroupByZone}, `zone z1: linux-1 win-25-a
no zone: cp-1 mute odd win-22-a win-25-b win-dumb win-next
`},
		{Query{Grouping: GroupByPool}, `pool p22: win-22-a
no pool: cp-1 linux-1 mute odd win-25-a win-25-b win-dumb win-next
`},
		{Query{Grouping: GroupByNone, Sort: SortByStatus}, `all nodes: mute odd win-22-a win-25-b cp-1 linux-1 win-25-a win-dumb win-next
`},
		{Query{Grouping: GroupByNone, Sort: SortByCPU, Filter: "os=windows"}, `all nodes: win-25-a win-25-b win-22-a win-dumb win-next
`},
		{Query{Grouping: GroupByNone, Sort: SortByRevision, Reverse: true, Filter: "build=26100"}, `all nodes: win-25-b win-25-a
`},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.q.Grouping, c.q.Sort, c.q.Filter), func(t *testing.T) {
			if got := outline(Arrange(hybrid(), c.q, testNow)); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestArrangeTotals(t *testing.T) {
	inv := Arrange(hybrid(), Query{}, testNow)
	g := inv.Groups[1]
	want := Totals{Nodes: 2, Ready: 2, Cordoned: 1, Pods: 2, MaxPods: 120,
		Requests: Resources{CPU: 350, Memory: 256 << 20}, Limits: Resources{CPU: 500, Memory: 256 << 20},
		Allocatable: Resources{CPU: 8000, Memory: 16 << 30}, Fullest: -1, RevisionLow: 33438, RevisionHigh: 33674}
	if g.Totals != want {
		t.Errorf("totals of %s:\n%+v, want\n%+v", g.Title, g.Totals, want)
	}
	if g.Product != "Windows Server 2025" || g.Support != SupportMainstream || g.Build != "10.0.26100" {
		t.Errorf("group describes itself as %q %q %q", g.Product, g.Support, g.Build)
	}
	if r := g.Totals.RevisionRange(); r != "33438–33674" {
		t.Errorf("revision range %q", r)
	}
	if inv.Groups[0].Product != "" || inv.Groups[0].Support != SupportUnknown {
		t.Error("an unknown build was given a product")
	}
	classes := Arrange(hybrid(), Query{Grouping: GroupByRuntimeClass}, testNow)
	if classes.Total.Nodes != classes.All {
		t.Errorf("a node that two classes select is counted twice: %d of %d", classes.Total.Nodes, classes.All)
	}
	if linux := inv.Groups[4].Totals; linux.RevisionRange() != "" {
		t.Errorf("Linux has revision range %q", linux.RevisionRange())
	}
}

func TestFilter(t *testing.T) {
	cases := []struct{ filter, want string }{
		{"", "cp-1 linux-1 mute odd win-22-a win-25-a win-25-b win-dumb win-next"},
		{"win-25", "win-25-a win-25-b"},
		{"WIN-25-A", "win-25-a"},
		{"26100", "win-25-a win-25-b"},
		{"ready", "cp-1 linux-1 win-25-a win-25-b win-dumb win-next"},
		{"cordoned", "win-25-b"},
		{"win b", "win-25-b win-dumb"},
		{"control-plane", "cp-1"},
		{"w25b", "win-25-b"},
		{"zzz", ""},
		{"kubernetes.io/os=windows build!=10.0.26100", "win-22-a win-dumb win-next"},
		{"zone=z1", "linux-1 win-25-a"},
		{"class=windows-2025", "win-25-a win-25-b"},
		{"status=unknown", "win-22-a"},
		{"agentpool=p22", "win-22-a"},
		{"agentpool=", ""},
		{"role==control-plane", "cp-1"},
		{"=x", ""},
	}
	for _, c := range cases {
		t.Run(c.filter, func(t *testing.T) {
			inv := Arrange(hybrid(), Query{Grouping: GroupByNone, Filter: c.filter}, testNow)
			var names []string
			for _, g := range inv.Groups {
				for _, n := range g.Nodes {
					names = append(names, n.Name)
				}
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestArrangeLosesNobody(t *testing.T) {
	s := hybrid()
	rapid.Check(t, func(t *rapid.T) {
		q := Query{
			Grouping: Grouping(rapid.IntRange(0, int(GroupByNone)).Draw(t, "grouping")),
			Sort:     SortKey(rapid.IntRange(0, int(SortByAge)).Draw(t, "sort")),
			Reverse:  rapid.Bool().Draw(t, "reverse"),
			Filter:   rapid.StringMatching(`[a-z=!. ]{0,6}`).Draw(t, "filter"),
		}
		inv := Arrange(s, q, testNow)
		seen := map[string]bool{}
		ids := map[string]bool{}
		for _, g := range inv.Groups {
			if ids[g.ID] || len(g.Nodes) == 0 || g.Totals.Nodes != len(g.Nodes) {
				t.Fatalf("group %q: repeated, empty, or miscounted", g.ID)
			}
			ids[g.ID] = true
			for _, n := range g.Nodes {
				seen[n.Name] = true
			}
		}
		if len(seen) != inv.Total.Nodes || (q.Filter == "" && len(seen) != inv.All) {
			t.Fatalf("%d nodes in groups, %d in the total, %d in all", len(seen), inv.Total.Nodes, inv.All)
		}
	})
}
