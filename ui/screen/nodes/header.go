package nodes

import (
	"fmt"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
	"github.com/mullion-tui/mullion/ui/screen"
)

// count is one of the counts in a group's header: in words, or behind the glyph
// of the status column where words do not fit.
type count struct {
	long, short string
	role        part.Role
}

func counts(t model.Totals) []count {
	ready := part.Good
	if t.Ready < t.Nodes {
		ready = part.Text
	}
	text := fmt.Sprintf("%d/%d", t.Ready, t.Nodes)
	out := []count{{text + " ready", text, ready}}
	add := func(n int, word, glyph string, r part.Role) {
		if n > 0 {
			out = append(out, count{fmt.Sprintf("%d %s", n, word), fmt.Sprintf("%s%d", glyph, n), r})
		}
	}
	add(t.Trouble, "in trouble", part.GlyphBad, part.Bad)
	add(t.Cordoned, "cordoned", part.GlyphCordoned, part.Warn)
	add(t.Maintenance, "in maintenance", part.GlyphMaintenance, part.Accent)
	return out
}

// groupCounts are a group's counts, and that nobody patches its release any more.
func groupCounts(g *model.Group) []count {
	out := counts(g.Totals)
	if g.Build != "" && g.Support == model.SupportEnded {
		out = append(out, count{"support ended " + say.Day(g.Until), "unsupported", part.Bad})
	}
	return out
}

// titleText is what a group's header says over the columns of words, in short form
// but for the word that explains the first count.
func titleText(g *model.Group) string {
	text := model.Clean(g.Title)
	for i, c := range groupCounts(g) {
		if i == 0 {
			c.short = c.long
		}
		text += part.Blank(part.Gap) + c.short
	}
	return text
}

// drawGroup draws a group's header: title and counts over the columns of words,
// the sums in the columns of figures.
func drawGroup(g *model.Group, cols []part.Column, f frame, look screen.Look, cursor, folded bool) string {
	ground := &look.Ink.Ground
	if cursor {
		ground = &look.Ink.Cursor
	}
	line := part.NewLine(ground)
	fold := "▾ "
	if folded {
		fold = "▸ "
	}
	line.Add(role(part.Key, f.old), mark(cursor, ">")).Add(role(part.Group, f.old), fold)
	span := -part.Gap
	for _, c := range cols {
		if c.ID == colPods || c.ID == colRevision && revisionText(g) != "" {
			break
		}
		span += c.Width + part.Gap
	}
	addTitle(line, g, span, f)
	addSums(line, g, cols, f)
	if cursor {
		line.Pad(f.w)
	}
	return line.String()
}

// addTitle fills span cells with the title and as many counts as fit, the gravest
// kept in their short form rather than dropped.
func addTitle(line *part.Line, g *model.Group, span int, f frame) {
	end := gutter + span
	title := model.Clean(g.Title)
	list := groupCounts(g)
	need := 0
	for _, c := range list {
		need += part.Gap + part.Width(c.short)
	}
	title = fitTitle(g, title, max(span-need, 8))
	line.Add(role(part.Group, f.old), title)
	room := end - line.Width() - need
	for _, c := range list {
		text := c.short
		if more := part.Width(c.long) - part.Width(c.short); more <= room {
			text = c.long
			room -= more
		}
		if line.Width()+part.Gap+part.Width(text) > end {
			break
		}
		line.Add(role(c.role, f.old), part.Blank(part.Gap)+text)
	}
	line.Pad(end)
}

// fitTitle shortens the title of a Windows build step by step: the maker's name
// goes first, because a build implies it, then the build, which the release implies.
func fitTitle(g *model.Group, title string, room int) string {
	if g.Build == "" {
		return part.Cut(title, room)
	}
	for _, shorter := range []string{title, strings.TrimPrefix(title, "Windows "), strings.TrimPrefix(g.Product, "Windows ")} {
		if shorter != "" && part.Width(shorter) <= room {
			return shorter
		}
	}
	return part.Cut(strings.TrimPrefix(title, "Windows "), room)
}

func addSums(line *part.Line, g *model.Group, cols []part.Column, f frame) {
	t := g.Totals
	for _, c := range cols {
		if c.ID < colRevision || c.ID >= colAge || c.ID < colPods && revisionText(g) == "" {
			continue
		}
		if c.ID == colCPUMeter || c.ID == colMemoryMeter {
			line.Add(part.Dim, part.Blank(part.Gap))
			addMeter(line, c, f, t.Requests, t.Allocatable)
			continue
		}
		text := ""
		switch c.ID {
		case colRevision:
			text = revisionText(g)
		case colPods:
			text = part.PodShare(t.Pods, t.MaxPods, f.pods)
		case colUsed:
			text = fullestText(t, f.w)
		case colCPU:
			text = part.CPUShare(t.Requests.CPU, t.Allocatable.CPU, f.pods)
		case colMemory:
			text = part.MemoryShare(t.Requests.Memory, t.Allocatable.Memory, f.pods)
		}
		line.Add(role(part.Group, f.old), part.Blank(part.Gap)+c.Fit(text))
	}
	if text := supportText(g); text != "" && line.Width()+part.Gap+part.Width(text) <= f.w {
		line.Add(role(part.Dim, f.old), part.Blank(part.Gap)+text)
	}
}

// fullestText is the fullest node's share: a sum would hide it.
func fullestText(t model.Totals, w int) string {
	switch {
	case t.Fullest < 0:
		return "?"
	case w < narrow && t.Fullest < model.WarnRatio:
		return "≤" + part.RatioText(t.Fullest)
	case w < narrow:
		return part.RatioText(t.Fullest)
	default:
		return "fullest " + part.RatioText(t.Fullest)
	}
}

// revisionText is the span of the revisions; across builds it means nothing.
func revisionText(g *model.Group) string {
	if g.Build == "" {
		return ""
	}
	return g.Totals.RevisionRange()
}

// supportText is the phase of a release that is still patched.
func supportText(g *model.Group) string {
	if g.Build == "" || g.Until.IsZero() || g.Support == model.SupportEnded {
		return ""
	}
	return fmt.Sprintf("%s support until %s", g.Support, say.Day(g.Until))
}
