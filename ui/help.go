package ui

import (
	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/act"
	"github.com/mullion-tui/mullion/ui/part"
)

const helpKeys = 18

// helpLines is the help, made of the tables that the keys are looked up in.
func (a *App) helpLines(w int) []string {
	ink := a.ink
	var out []string
	heading := func(s string) {
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, ink.Paint(part.Group, s))
	}
	row := func(left string, role part.Role, text, why string) {
		for i, l := range part.Wrap(text, w-helpKeys, 4) {
			if i > 0 {
				left = ""
			}
			line := part.NewLine(&ink.Ground)
			out = append(out, line.Add(part.Key, part.Fit(left, helpKeys)).Add(role, l).String())
		}
		if why != "" {
			out = append(out, part.Blank(helpKeys)+ink.Paint(part.Warn, part.Cut("not now: "+why, w-helpKeys)))
		}
	}
	table := func(t act.Table) {
		for _, action := range t {
			role := part.Text
			if action.Why != "" {
				role = part.Dim
			}
			row(action.Spelled(), role, action.Help, action.Why)
		}
	}
	heading("On this screen: " + a.placeName())
	table(a.actions())
	heading("Everywhere")
	table(a.global())
	row("esc", part.Text, "dismiss the error, give up opening a context, go back", "")
	heading("Commands")
	for _, c := range commands {
		row(":"+c.usage, part.Text, c.help, "")
	}
	heading("Mode")
	row(a.modeText(), part.Text, a.modeWhy(), "")
	heading("Signs")
	for _, s := range [][2]string{
		{part.GlyphGood, "Ready"}, {part.GlyphBad, "NotReady: the kubelet says so; before a number: nodes in trouble"},
		{part.GlyphUnknown, "Unknown: the kubelet is silent"}, {part.GlyphPressure, "under pressure: memory, disk, PID, network"},
		{part.GlyphMaintenance, "in maintenance"}, {part.GlyphCordoned, "cordoned: no new pods; the node is Ready unless it says otherwise"},
		{"!", "behind a revision: label and kernelVersion contradict each other"},
	} {
		row(s[0], part.Text, s[1], "")
	}
	out = append(out, "", ink.Paint(part.Dim, "mullion "+model.Clean(a.opts.Version)+" · theme "+model.Clean(a.ink.Name)))
	return out
}

func (a *App) placeName() string {
	return map[place]string{atNodes: "nodes", atNode: "a node", atContexts: "contexts"}[a.at]
}
