package findings

import (
	"fmt"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/findings"
	"github.com/mullion-tui/mullion/ui/part"
)

// grouping is what findings are gathered by.
type grouping int

const (
	bySeverity grouping = iota
	byID
	byKind
	groupings // how many there are
)

func (g grouping) String() string { return [...]string{"severity", "ID", "object kind"}[g] }

type query struct {
	by     grouping
	filter string
}

// ref tells one finding from another over many snapshots. Evidence has ages in it and
// is no part of it, so a rule's several findings of one object are counted.
type ref struct {
	id     string
	object model.Key
	nth    int
}

// row is one finding with what drawing it needs; its texts are clean.
type row struct {
	findings.Finding
	ref    ref
	object string
	seen   string
	also   string // the other objects that it concerns
	node   string // the one that enter opens; empty where there is none
	words  string // what a filter looks in; empty before the first filter, and for commands alone
}

// counts are the findings by how bad they are.
type counts struct{ critical, warning, info, unknown int }

// prepare makes rows of findings. It walks over the pods where one of them is about a
// pod, to know its node.
func prepare(all []findings.Finding, snap *model.Snapshot, lineage uint64) *found {
	f := &found{snap: snap, lineage: lineage, rows: make([]*row, 0, len(all))}
	nodes, seen := nodesOf(all, snap), map[ref]int{}
	for _, one := range all {
		r := &row{Finding: one, object: objectText(one.Object), seen: model.Clean(one.Evidence), also: relatedText(one.Related)}
		r.ref = ref{id: one.ID, object: one.Object}
		seen[r.ref]++
		r.ref.nth = seen[ref{id: one.ID, object: one.Object}]
		switch one.Object.Kind {
		case model.KindNode:
			if _, ok := snap.Node(one.Object.Name); ok {
				r.node = one.Object.Name
			}
		case model.KindPod:
			r.node = nodes[one.Object]
		}
		f.rows = append(f.rows, r)
		f.counts.add(one)
	}
	for _, v := range snap.Nodes() {
		if v.Usage == nil {
			f.unread++
		}
	}
	for _, feed := range snap.Feeds {
		if !feed.Listed && feed.State == model.FeedWaiting {
			f.missing = append(f.missing, feed.Kind)
		}
	}
	return f
}

func (c *counts) add(f findings.Finding) {
	switch {
	case f.Unknown:
		c.unknown++
	case f.Severity == findings.Critical:
		c.critical++
	case f.Severity == findings.Warning:
		c.warning++
	default:
		c.info++
	}
}

// nodesOf finds the nodes of the pods that findings are about.
func nodesOf(all []findings.Finding, snap *model.Snapshot) map[model.Key]string {
	wanted := map[model.Key]string{}
	for _, f := range all {
		if f.Object.Kind == model.KindPod {
			wanted[f.Object] = ""
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	for _, v := range snap.Nodes() {
		for _, p := range v.Pods {
			if _, ok := wanted[p.Key()]; ok {
				wanted[p.Key()] = v.Name
			}
		}
	}
	return wanted
}

// line is one line of the table: a finding, or the head of a group.
type line struct {
	head  bool
	title string // of a head
	role  part.Role
	row   int // of a head: its first one
	top   int // the line of the head
}

// arranged are findings that a filter leaves, in groups.
type arranged struct {
	changed uint64 // which change of the query it answers
	by      grouping
	rows    []*row // in the order in which they are shown
	lines   []line
	lineOf  []int // of each row
	place   map[ref]int
	object  int // cells that the widest object takes
}

func arrange(f *found, q query, changed uint64) *arranged {
	a := &arranged{changed: changed, by: q.by, place: map[ref]int{}}
	words := strings.Fields(strings.ToLower(q.filter))
	groups := map[string][]*row{}
	var order []string // of the groups: as the worst first brings them
	if q.by == bySeverity {
		order = []string{critical.word, warning.word, unknown.word, info.word}
	}
	for _, r := range f.rows {
		if !r.has(words) {
			continue
		}
		g := groupOf(r, q.by)
		if groups[g] == nil && q.by != bySeverity {
			order = append(order, g)
		}
		groups[g] = append(groups[g], r)
	}
	for _, g := range order {
		if len(groups[g]) > 0 {
			a.add(groups[g], q.by)
		}
	}
	return a
}

func (r *row) has(words []string) bool {
	if len(words) > 0 && r.words == "" {
		r.words = strings.ToLower(strings.Join([]string{r.ID, r.Title, severityOf(r.Finding).word, r.object, r.seen, r.node, r.also}, " "))
	}
	for _, w := range words {
		if !strings.Contains(r.words, w) {
			return false
		}
	}
	return true
}

func groupOf(r *row, by grouping) string {
	switch by {
	case byID:
		return r.ID
	case byKind:
		return kindTitle(r.Finding)
	default:
		return severityOf(r.Finding).word
	}
}

// add appends a group.
func (a *arranged) add(rows []*row, by grouping) {
	first := rows[0]
	head := line{head: true, row: len(a.rows), top: len(a.lines), role: part.Group}
	switch by {
	case byID:
		head.title = first.ID + " " + first.Title
	case byKind:
		head.title = kindTitle(first.Finding)
	default:
		s := severityOf(first.Finding)
		head.title, head.role = s.text(), s.role
	}
	head.title += fmt.Sprintf(" · %d", len(rows))
	a.lines = append(a.lines, head)
	for _, r := range rows {
		a.lineOf = append(a.lineOf, len(a.lines))
		a.place[r.ref] = len(a.lines)
		a.lines = append(a.lines, line{row: len(a.rows), top: head.top})
		a.rows = append(a.rows, r)
		if len(r.object) > a.object { // bytes are never fewer than cells
			a.object = max(a.object, part.Width(r.object))
		}
	}
}
