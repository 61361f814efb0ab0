package ui

import (
	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/act"
	"github.com/mullion-tui/mullion/ui/part"
)

const (
	helpKeys    = 21
	helpColumns = 150 // the width from which the help stands in two columns
)

// helpPage gathers the lines of the help.
type helpPage struct {
	w     int
	ink   *part.Inks
	lines []string
}

func (p *helpPage) heading(s string) {
	if len(p.lines) > 0 {
		p.lines = append(p.lines, "")
	}
	p.lines = append(p.lines, p.ink.Paint(part.Group, part.Cut(s, p.w)))
}

// row is a key, or another sign, and what it does; why says what speaks against it.
func (p *helpPage) row(left, text, why string) {
	role := part.Text
	if why != "" {
		role = part.Dim
	}
	for i, l := range part.Wrap(text, p.w-helpKeys, 4) {
		if i > 0 {
			left = ""
		}
		line := part.NewLine(&p.ink.Ground)
		p.lines = append(p.lines, line.Add(part.Key, part.Fit(left, helpKeys)).Add(role, l).String())
	}
	if why != "" {
		p.lines = append(p.lines, part.Blank(helpKeys)+p.ink.Paint(part.Warn, part.Cut("not now: "+why, p.w-helpKeys)))
	}
}

func (p *helpPage) table(t act.Table) {
	for _, action := range t {
		p.row(action.Spelled(), action.Help, action.Why)
	}
}

// helpLines is the help, made of the tables that the keys are looked up in.
func (a *App) helpLines(w int) []string {
	if w < helpColumns {
		p := &helpPage{w: w, ink: a.ink}
		a.helpScreen(p)
		a.helpRest(p)
		return p.lines
	}
	left := &helpPage{w: (w - 3) / 2, ink: a.ink}
	right := &helpPage{w: w - 3 - left.w, ink: a.ink}
	a.helpScreen(left)
	a.helpRest(right)
	return part.Beside(left.lines, right.lines, left.w)
}

func (a *App) helpScreen(p *helpPage) {
	p.heading("On this screen: " + map[place]string{atNodes: "nodes", atMemory: "memory", atFindings: "findings", atNode: "a node", atContexts: "contexts"}[a.at])
	p.table(a.actions())
}

func (a *App) helpRest(p *helpPage) {
	p.heading("Everywhere")
	p.table(a.global())
	p.row("esc", "dismiss the error, give up opening a context, go back", "")
	p.heading("Commands")
	for _, c := range commands {
		p.row(":"+c.usage, c.help, "")
	}
	p.heading("Mode")
	p.row("now", a.modeText()+": "+a.modeWhy(), "")
	p.heading("Signs")
	for _, s := range [][2]string{
		{part.GlyphGood, "Ready"},
		{part.GlyphBad, "NotReady: the kubelet says so; before a number: nodes in trouble"},
		{part.GlyphUnknown, "Unknown: the kubelet is silent"},
		{part.GlyphPressure, "under pressure: memory, disk, PID, network"},
		{part.GlyphMaintenance, "in maintenance"},
		{part.GlyphCordoned, "cordoned: no new pods; the node is Ready unless it says otherwise"},
		{"!97%", "nine tenths of a memory limit are used, or more"},
		{"ws", "working set: what counts against the limit on Linux; on Windows it is commit"},
		{"!", "behind a revision: label and kernelVersion contradict each other"},
	} {
		p.row(s[0], s[1], "")
	}
	p.lines = append(p.lines, "", p.ink.Paint(part.Dim, "mullion "+model.Clean(a.opts.Version)+" · theme "+model.Clean(a.ink.Name)))
}
