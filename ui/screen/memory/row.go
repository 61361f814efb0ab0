package memory

import (
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
	"github.com/mullion-tui/mullion/ui/screen"
)

// rowKey is all that a row's look depends on. The age is in it as it is printed, so
// a row is drawn again when its words change and not each second.
type rowKey struct {
	ref     model.MemoryRef
	version uint64
	age     time.Duration
	old     bool // of the figures
	open    bool
	cursor  bool
}

// rowMemo keeps the rows that were drawn lately, for one layout and one theme.
type rowMemo struct {
	frame frame
	rows  map[rowKey]string
}

// frame is what all rows on a screen have in common.
type frame struct {
	w, name int
	high    bool // some container is full
	ink     *part.Inks
	old     bool
}

// memoLimit bounds the memo to several screens of the highest terminal.
const memoLimit = 1024

func (m *rowMemo) clear() { m.rows = nil }

func (m *rowMemo) row(r model.MemoryRow, cols []part.Column, f frame, look screen.Look, cursor bool) string {
	if m.rows == nil || m.frame != f || len(m.rows) > memoLimit {
		m.frame, m.rows = f, make(map[rowKey]string, 128)
	}
	key := rowKey{ref: r.Ref(), version: r.Node.Version, open: r.Open, cursor: cursor}
	use := r.Use()
	if at := use.Used.Or(use.Second).At; !at.IsZero() {
		key.age, key.old = say.Round(look.Now.Sub(at)), part.MemoryAged(use, look.Now)
	}
	if s, ok := m.rows[key]; ok {
		return s
	}
	s := drawRow(r, use, cols, f, look, cursor)
	m.rows[key] = s
	return s
}

func drawRow(r model.MemoryRow, use model.MemoryUse, cols []part.Column, f frame, look screen.Look, cursor bool) string {
	ground := &f.ink.Ground
	if cursor {
		ground = &f.ink.Cursor
	}
	line := part.NewLine(ground)
	line.Add(role(part.Key, f.old), mark(cursor, "> ", "  "))
	if r.Note != "" {
		line.Add(role(part.Warn, f.old), part.Cut(indent(r)+model.Clean(r.Note), f.w-line.Width()))
	} else {
		addCells(line, r, use, cols, f, look.Now)
	}
	if cursor {
		line.Pad(f.w)
	}
	return line.String()
}

func addCells(line *part.Line, r model.MemoryRow, use model.MemoryUse, cols []part.Column, f frame, now time.Time) {
	why := r.Why()
	for i, c := range cols {
		if i > 0 {
			line.Add(part.Text, part.Blank(part.Gap))
		}
		endless := use.Limit <= 0 && !use.NoLimit // there is nothing that a bar could show
		switch {
		case why != "" && (c.ID == colWords || c.ID == colBar && endless):
			// The reason takes the room of the columns that have nothing to say.
			line.Add(role(part.Warn, f.old), whyText(use, model.Clean(why), f.w-line.Width()))
			return
		case c.ID == colBar:
			for _, p := range part.MemoryBar(use, c.Width) {
				line.Add(role(p.Role, f.old), p.Text)
			}
		case c.ID == colName && r.Depth() == 0 && r.Node.HighContainers > 0:
			line.Add(role(nameRole(r), f.old), part.Cut(indent(r)+nameText(r), c.Width-len(fullSign)))
			line.Add(role(part.Warn, f.old), fullSign).Pad(gutter + c.Width)
		default:
			text, meaning := cell(r, use, c, now)
			line.Add(role(meaning, f.old), c.Fit(text))
		}
	}
}

// roomForBoth is the room in which a row says what is known and why the rest is not.
const roomForBoth = 50

// whyText is what is known, if anything, and why the rest is not.
func whyText(use model.MemoryUse, why string, room int) string {
	text, beside := part.MemoryWords(use)
	switch {
	case use.Limit <= 0 && !use.NoLimit && !use.Used.Known() && beside == "":
		text = "?"
	case beside != "" && room >= roomForBoth:
		text += " · " + beside
	}
	return part.Cut(text+" — "+why, room)
}

// fullSign stands behind the name of a node that holds something full: folded, it
// must not hide it.
const fullSign = " !"

// foldWidth is the cells that each level of the tree and a fold take.
const foldWidth = 2

// indent is what stands before a row's name: its depth and its fold.
func indent(r model.MemoryRow) string {
	fold := "▸ "
	switch {
	case r.Leaf:
		fold = "  "
	case r.Open:
		fold = "▾ "
	}
	return part.Blank(foldWidth*r.Depth()) + fold
}

func nameText(r model.MemoryRow) string {
	switch {
	case r.Container >= 0:
		return part.Named(r.Pod.Containers[r.Container].Name)
	case r.Pod != nil:
		return part.Named(r.Pod.Namespace) + "/" + part.Named(r.Pod.Name)
	case r.Note != "":
		return model.Clean(r.Note)
	default:
		return part.Named(r.Node.Name)
	}
}

func mark(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

// role greys what is old, whatever it said when it was new.
func role(r part.Role, old bool) part.Role {
	if old {
		return part.Stale
	}
	return r
}
