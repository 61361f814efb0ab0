package part

import "slices"

// Column is a column of a table before the width is known.
type Column struct {
	ID    int
	Title string
	Min   int  // cells below which it says nothing
	Want  int  // cells that show all of it
	Right bool // figures stand at the right edge
	Need  bool // shown at any width
	Rank  int  // lower ranks are given room first
	Width int  // what Arrange gave it
}

// Gap is the number of cells between two columns.
const Gap = 2

// Arrange chooses the columns that fit into width cells, in the order given, and
// sets their Width. Needed columns come first and are widened before others join;
// none joins before those that rank ahead of it, however narrow it is.
func Arrange(cols []Column, width int) []Column {
	ranked := byRank(cols)
	left := width + Gap
	given := make(map[int]int, len(cols))
	for _, c := range ranked {
		if c.Need {
			given[c.ID] = c.Min
			left -= c.Min + Gap
		}
	}
	widen := func() {
		for _, c := range ranked {
			w, ok := given[c.ID]
			if !ok || w >= c.Want || left <= 0 {
				continue
			}
			more := min(c.Want-w, left)
			given[c.ID] += more
			left -= more
		}
	}
	widen()
	for _, c := range ranked {
		if _, ok := given[c.ID]; ok {
			continue
		}
		if left < c.Min+Gap {
			break
		}
		given[c.ID] = c.Min
		left -= c.Min + Gap
		widen()
	}
	var out []Column
	for _, c := range cols {
		if w, ok := given[c.ID]; ok {
			c.Width = max(w, 0)
			out = append(out, c)
		}
	}
	return shrink(out, -left)
}

// shrink takes cells away where even the needed columns do not fit: from the
// widest first.
func shrink(cols []Column, over int) []Column {
	for ; over > 0; over-- {
		widest := -1
		for i, c := range cols {
			if c.Width > 1 && (widest < 0 || c.Width > cols[widest].Width) {
				widest = i
			}
		}
		if widest < 0 {
			return cols
		}
		cols[widest].Width--
	}
	return cols
}

func byRank(cols []Column) []Column {
	out := slices.Clone(cols)
	slices.SortStableFunc(out, func(a, b Column) int { return a.Rank - b.Rank })
	return out
}

// Head draws the titles of the columns.
func Head(cols []Column, ink *Inks) string {
	var line string
	for i, c := range cols {
		if i > 0 {
			line += Blank(Gap)
		}
		line += c.Fit(c.Title)
	}
	return ink.Paint(Dim, line)
}

// Fit brings a cell's text to the column's width.
func (c Column) Fit(s string) string {
	if c.Right {
		return FitRight(s, c.Width)
	}
	return Fit(s, c.Width)
}
