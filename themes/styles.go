package themes

import (
	"hash/fnv"
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Inks are the roles that text can have, on one background. They are of one line
// and have neither padding nor width.
type Inks struct {
	Text, Dim, Stale lipgloss.Style
	Good, Warn, Bad  lipgloss.Style
	Accent, Key      lipgloss.Style
	Group, Marked    lipgloss.Style
	Windows, Linux   lipgloss.Style
}

// Styles is all that a screen draws with.
type Styles struct {
	Body   Inks // on the terminal's own background: tables, panels, footer
	Cursor Inks // on the row under the cursor
	Header Inks // on the header

	Border      lipgloss.Style // lines around a panel
	BorderFocus lipgloss.Style // lines around the panel that has the keys
	Match       lipgloss.Style // the part of a name that the filter matched
	ReadOnly    lipgloss.Style // the word READ-ONLY in the header
	Operator    lipgloss.Style // the words OPERATOR as … in the header
	Error       lipgloss.Style // the title of the error panel

	Contexts []lipgloss.Style // see Context
}

// Context returns the style of a context's name. A name has the same one in
// every run; different names may share one.
func (s Styles) Context(name string) lipgloss.Style {
	h := fnv.New32a()
	_, _ = io.WriteString(h, name)
	return s.Contexts[h.Sum32()%uint32(len(s.Contexts))]
}

// Styles turns the roles into styles for the colours that r's terminal has.
func (t Theme) Styles(r *lipgloss.Renderer) Styles {
	if t.Plain() {
		// lipgloss drops bold and reverse too where NO_COLOR is set, but without
		// them the cursor could not be seen. Nothing is written to this renderer.
		r = lipgloss.NewRenderer(io.Discard)
		r.SetColorProfile(termenv.ANSI)
	}
	p := painter{renderer: r}
	o := t.Roles
	s := Styles{
		Body:   p.inks(o, o.Text, ground{}),
		Cursor: p.inks(o, o.CursorText, ground{painted: true, colour: o.CursorBackground}),
		Header: p.inks(o, o.HeaderText, ground{painted: true, colour: o.HeaderBackground}),

		Border:      p.style(o.Border, ground{}),
		BorderFocus: p.style(o.Accent, ground{}).Bold(true),
		Match:       p.style(o.Accent, ground{}).Underline(true),
		ReadOnly:    p.chip(o.ReadOnlyText, o.ReadOnlyBackground),
		Operator:    p.chip(o.OperatorText, o.OperatorBackground),
		Error:       p.chip(o.ErrorText, o.ErrorBackground),
	}
	for _, c := range o.Contexts {
		s.Contexts = append(s.Contexts, p.chip(o.ContextText, c))
	}
	if len(s.Contexts) == 0 {
		s.Contexts = []lipgloss.Style{p.chip(o.ContextText, Colour{})}
	}
	return s
}

// ground is what a style is drawn on. One that is painted without a colour is
// shown by reversing.
type ground struct {
	painted bool
	colour  Colour
}

type painter struct{ renderer *lipgloss.Renderer }

func (p painter) inks(o Roles, text Colour, on ground) Inks {
	ink := func(c Colour) lipgloss.Style {
		if on.painted {
			// Sixteen colours have too few pairs that can be read: there, all of a
			// painted row has the colour of its text.
			c.ANSI = text.ANSI
		}
		return p.style(c, on)
	}
	return Inks{
		Text: ink(text), Dim: ink(o.Dim), Stale: ink(o.Stale),
		Good: ink(o.Good), Warn: ink(o.Warn), Bad: ink(o.Bad).Bold(true),
		Accent: ink(o.Accent).Bold(true), Key: ink(o.Key).Bold(true),
		Group: ink(o.Group).Bold(true), Marked: ink(o.Marked).Bold(true),
		Windows: ink(o.Windows), Linux: ink(o.Linux),
	}
}

func (p painter) chip(text, background Colour) lipgloss.Style {
	return p.style(text, ground{painted: true, colour: background}).Bold(true)
}

func (p painter) style(c Colour, on ground) lipgloss.Style {
	s := p.renderer.NewStyle().Inline(true)
	if !c.None() {
		s = s.Foreground(c.terminal())
	}
	switch {
	case on.painted && on.colour.None():
		s = s.Reverse(true)
	case on.painted:
		s = s.Background(on.colour.terminal())
	}
	return s
}
