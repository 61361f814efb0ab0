package memory

import (
	"slices"
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

// The columns in the order in which they stand.
const (
	colName = iota
	colBar
	colShare
	colWords
	colHigh
	colLeft
	colTrend
	colSource
)

// gutter is the room left of the columns, for the cursor.
const gutter = 2

// wordsShort and wordsLong are the cells that what counts takes, without and with
// the working set beside it: "1023 MiB of 1024 commit · 1000 working set".
const (
	wordsShort = 24
	wordsLong  = 42
)

// columns fits the table into w cells. At 80 columns name, bar, share and what
// counts are there; the others join in the order of their ranks.
func columns(w, name int, high bool) []part.Column {
	room := 37
	if w >= 150 {
		room = maxName
	}
	all := []part.Column{
		{ID: colName, Title: "NODE, POD, CONTAINER", Min: 16, Want: min(max(name, 20), room), Need: true, Rank: 1},
		{ID: colBar, Title: "UP TO LIMIT", Min: 12, Want: 12, Need: true, Rank: 0},
		{ID: colShare, Title: "SHARE", Min: 5, Want: 5, Right: true, Need: true, Rank: 0},
		{ID: colWords, Title: "USED OF LIMIT", Min: wordsShort, Want: wordsLong, Need: true, Rank: 2},
		{ID: colHigh, Title: "AT 90%", Min: 14, Want: 14, Rank: 4},
		{ID: colLeft, Title: "HEADROOM", Min: 8, Want: 8, Right: true, Rank: 5},
		{ID: colTrend, Title: "LAST 30 MINUTES", Min: 15, Want: 30, Rank: 6},
		{ID: colSource, Title: "SOURCE, AGE", Min: 12, Want: 14, Rank: 3},
	}
	if !high {
		all = slices.DeleteFunc(all, func(c part.Column) bool { return c.ID == colHigh })
	}
	cols := part.Arrange(all, w-gutter)
	return widenBar(cols, w-gutter)
}

// maxBar bounds the bar: longer ones are no easier to read.
const maxBar = 40

// widenBar gives the bar what is left over.
func widenBar(cols []part.Column, w int) []part.Column {
	left := w + part.Gap
	for _, c := range cols {
		left -= c.Width + part.Gap
	}
	for i, c := range cols {
		if c.ID == colBar && left > 0 {
			cols[i].Width = min(c.Width+left, maxBar)
		}
	}
	return cols
}

// cell is the text of one column of a row, and what it means.
func cell(r model.MemoryRow, use model.MemoryUse, c part.Column, now time.Time) (string, part.Role) {
	switch c.ID {
	case colName:
		return indent(r) + nameText(r), nameRole(r)
	case colShare:
		return part.MemoryPercent(use)
	case colWords:
		return wordsFitting(use, c.Width), part.MemoryRole(use)
	case colHigh:
		return highText(r), part.Warn
	case colLeft:
		return part.MemoryLeft(use), part.Text
	case colTrend:
		if r.Depth() == 0 {
			return part.Spark(r.Node.History, use.Limit, c.Width), part.Accent
		}
		return "", part.Dim
	default:
		if part.MemoryAged(use, now) {
			return part.MemorySource(use, now), part.Warn
		}
		return part.MemorySource(use, now), part.Dim
	}
}

func nameRole(r model.MemoryRow) part.Role {
	if r.Depth() == 0 {
		return part.SystemRole(r.Node.OS)
	}
	return part.Text
}

// wordsFitting leaves the working set to the bar and the line of details where it
// has no room.
func wordsFitting(use model.MemoryUse, w int) string {
	counts, beside := part.MemoryWords(use)
	if beside != "" && part.Width(counts)+3+part.Width(beside) <= w {
		return counts + " · " + beside
	}
	return counts
}

// highText says on a node's row what is full below it: a folded node must not hide it.
func highText(r model.MemoryRow) string {
	if r.Depth() > 0 || r.Node.HighContainers == 0 {
		return ""
	}
	return "! " + say.Count(r.Node.HighContainers, "container")
}
