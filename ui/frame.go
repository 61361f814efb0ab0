package ui

import (
	"fmt"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/act"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

const (
	minWidth     = 60
	minHeight    = 16
	wide         = 140 // from here on there is room for what is only nice to know
	headerHeight = 1
	footerHeight = 1
)

func (a *App) tiny() bool { return a.w < minWidth || a.h < minHeight }

// View draws the frame: exactly h lines of at most w cells. Bubble Tea asks after
// every message, so the last frame is kept while nothing changed.
func (a *App) View() string {
	if !a.fresh {
		a.frame, a.fresh = a.draw(), true
	}
	return a.frame
}

func (a *App) draw() string {
	if a.w <= 0 || a.h <= 0 {
		return ""
	}
	if a.tiny() {
		text := fmt.Sprintf("mullion needs %dx%d cells; this terminal has %dx%d.", minWidth, minHeight, a.w, a.h)
		return strings.Join(part.Block(part.Wrap(text, a.w, a.h), a.w, a.h), "\n")
	}
	errors := a.notices.view(a.w, a.ink, a.now)
	lines := make([]string, 0, a.h)
	lines = append(lines, a.header(a.w))
	lines = append(lines, a.body(a.w, a.h-headerHeight-footerHeight-len(errors))...)
	lines = append(lines, errors...)
	lines = append(lines, a.footer(a.w))
	return strings.Join(lines, "\n")
}

// bodyHeight is the number of lines that the screen has.
func (a *App) bodyHeight() int {
	return max(a.h-headerHeight-footerHeight-len(a.notices.view(a.w, a.ink, a.now)), 1)
}

func (a *App) body(w, h int) []string {
	switch {
	case a.overlay.kind != noOverlay:
		return a.overlayView(w, h)
	case a.at == atNode:
		return a.node.View(w, h, a.look())
	case a.at == atMemory:
		return a.memory.View(w, h, a.look())
	case a.at == atFindings:
		return a.findings.View(w, h, a.look())
	case a.at == atContexts:
		return a.contexts.View(w, h, a.look())
	default:
		return a.nodes.View(w, h, a.look())
	}
}

// header tells which cluster this is, what may be done, and how fresh it all is.
// What does not fit goes from the right.
func (a *App) header(w int) string {
	line := part.NewLine(&a.ink.Head)
	name := a.live.info.Context
	if a.live.session == nil {
		line.Add(part.Dim, " no context ")
	} else {
		chip := a.ink.Context(name)
		line.AddPainted(chip.Paint(" " + part.Cut(model.Clean(name), max(w/3, 16)) + " "))
		mode := part.Operator
		if a.live.info.ReadOnly {
			mode = part.ReadOnly
		}
		line.Add(part.Text, " ").AddPainted(a.ink.Paint(mode, " "+part.Cut(a.modeText(), 30)+" "))
		if a.live.info.Protected {
			line.Add(part.Warn, " protected")
		}
		text, role := a.feedsText()
		line.Add(part.Text, " ").Add(role, text)
		a.headerFacts(line, w)
	}
	if a.opening.name != "" && a.at != atContexts && a.live.session != nil {
		line.Add(part.Dim, " · ").Add(part.Warn, "opening "+model.Clean(a.opening.name)+" …")
	}
	if tool := "mullion "; line.Width()+part.Gap+len(tool) <= w {
		line.Pad(w-len(tool)).Add(part.Dim, tool)
	}
	return part.Cut(line.Pad(w).String(), w)
}

// headerFacts adds what is known of the cluster: what is not known yet is left out.
func (a *App) headerFacts(line *part.Line, w int) {
	s := a.live.snap
	if s == nil {
		return
	}
	add := func(text string) {
		if text != "" && line.Width()+3+part.Width(text) <= w {
			line.Add(part.Dim, " · ").Add(part.Text, text)
		}
	}
	if s.Feed(model.KindNode).Listed {
		add(say.Count(len(s.Nodes()), "node"))
	}
	add(model.Clean(s.Server.Version))
	if w >= wide {
		add(model.Clean(a.live.info.Server))
	}
}

func (a *App) modeText() string {
	if a.live.session == nil {
		return "no session"
	}
	if a.live.info.ReadOnly {
		return "READ-ONLY"
	}
	user := a.live.info.User
	if s := a.live.snap; s != nil && s.Server.User != "" {
		user = s.Server.User
	}
	return "OPERATOR as " + orUnknown(model.Clean(user))
}

func (a *App) modeWhy() string {
	info := a.live.info
	switch {
	case a.live.session == nil:
		return "no context is open"
	case info.ReadOnly:
		return "nothing that changes the cluster leaves this program: " + model.Clean(info.ReadOnlyReason)
	case info.Protected:
		return "actions on this protected context ask for its name"
	default:
		return "actions are sent with this user's rights"
	}
}

// footer shows the command line, a passing note, or the keys.
func (a *App) footer(w int) string {
	if a.command != nil {
		return a.command.view(w, a.ink)
	}
	line := part.NewLine(&a.ink.Ground)
	if a.note != "" {
		line.Add(part.Accent, " "+part.Cut(model.Clean(a.note), w-2)+" ")
		return part.Cut(line.String(), w)
	}
	if keys := a.modalKeys(); keys != nil {
		for _, k := range keys {
			hint(line, k[0], k[1], w)
		}
		return part.Cut(line.String(), w)
	}
	tail := part.NewLine(&a.ink.Ground)
	hint(tail, "?", "help", w)
	hint(tail, "q", "quit", w)
	room := w - tail.Width()
	table := a.footerTable()
	for _, minor := range []bool{false, true} {
		for _, action := range table {
			if action.Why == "" && action.Minor == minor {
				hint(line, act.Spell(action.Keys[0]), action.Label, room)
			}
		}
	}
	line.AddPainted(tail.String())
	for _, action := range table {
		text := " " + act.Spell(action.Keys[0]) + " " + action.Label + ": " + action.Why + " "
		if action.Why != "" && line.Width()+part.Width(text) <= w {
			line.Add(part.Dim, text)
		}
	}
	return part.Cut(line.String(), w)
}

// modalKeys are the keys that work while a text lies over the screen or something
// is typed; nil while the screen itself has the keys.
func (a *App) modalKeys() [][2]string {
	switch {
	case a.overlay.kind != noOverlay:
		return [][2]string{{"esc", "close"}, {"↑↓ PgUp PgDn", "scroll"}, {"q", "quit"}}
	case a.at == atNodes && a.nodes.Typing(), a.at == atMemory && a.memory.Typing():
		return [][2]string{{"↑↓", "move"}, {"fields", "os= build= zone= pool= class= role= status= kubelet="}}
	case a.at == atContexts && a.contexts.Typing(), a.at == atFindings && a.findings.Typing():
		return [][2]string{{"↑↓", "move"}}
	default:
		return nil
	}
}

// places are where actions lead that only show another screen.
var places = map[act.ID]place{"nodes": atNodes, "memory": atMemory, "findings": atFindings, "contexts": atContexts}

// footerTable are the actions that have a word for the footer; help and quit
// stand at its end anyway.
func (a *App) footerTable() act.Table {
	var out act.Table
	for _, action := range append(a.actions(), a.global()...) {
		here, leads := places[action.ID]
		if action.Label != "" && action.ID != "help" && action.ID != "quit" && !(leads && here == a.at) {
			out = append(out, action)
		}
	}
	return out
}

// hint adds a key with its word where it fits.
func hint(line *part.Line, key, label string, w int) {
	if line.Width()+part.Width(key)+part.Width(label)+3 <= w {
		line.Add(part.Key, " "+key).Add(part.Dim, " "+label+" ")
	}
}
