// Package part holds what screens are built of: inks, fitted text, columns, a
// window over many lines, a prompt, and the words for a node's state.
package part

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/mullion-tui/mullion/themes"
)

// Role is what a piece of text means; the theme gives each role its look.
type Role int

// The roles that exist on every ground, and behind them those of the body alone.
const (
	Text Role = iota
	Dim
	Stale
	Good
	Warn
	Bad
	Accent
	Key
	Group
	Marked
	Windows
	Linux

	Border
	BorderFocus
	Match
	ReadOnly
	Operator
	Error
	roles
)

// Brush is a style of lipgloss, measured out once: what it puts before and after
// a text is all that a style of one line does, and painting is then no more than
// putting three strings together.
type Brush struct{ before, after string }

func newBrush(style lipgloss.Style) Brush {
	const probe = "¤"
	var b Brush
	b.before, b.after, _ = strings.Cut(style.Render(probe), probe)
	return b
}

// Paint puts a text of one line into the brush's look. An empty text stays empty.
func (b Brush) Paint(text string) string {
	if text == "" {
		return ""
	}
	return b.before + text + b.after
}

// Ground is a set of brushes on one background.
type Ground [roles]Brush

// Paint puts a text of one line into a role's look.
func (g *Ground) Paint(r Role, text string) string { return g[r].Paint(text) }

// Inks are the brushes of one theme.
type Inks struct {
	Ground        // the terminal's own background
	Cursor Ground // the row under the cursor
	Head   Ground // the header
	Name   string // the theme's; rows that are kept are kept for one theme
	styles themes.Styles
}

// NewInks measures the styles of a theme for the colours that r's terminal has.
func NewInks(t themes.Theme, r *lipgloss.Renderer) *Inks {
	s := t.Styles(r)
	i := &Inks{Name: t.Name, styles: s, Ground: newGround(s.Body), Cursor: newGround(s.Cursor), Head: newGround(s.Header)}
	for role, style := range map[Role]lipgloss.Style{
		Border: s.Border, BorderFocus: s.BorderFocus, Match: s.Match,
		ReadOnly: s.ReadOnly, Operator: s.Operator, Error: s.Error,
	} {
		i.Ground[role] = newBrush(style)
	}
	return i
}

func newGround(s themes.Inks) Ground {
	var g Ground
	for role, style := range map[Role]lipgloss.Style{
		Text: s.Text, Dim: s.Dim, Stale: s.Stale, Good: s.Good, Warn: s.Warn, Bad: s.Bad,
		Accent: s.Accent, Key: s.Key, Group: s.Group, Marked: s.Marked, Windows: s.Windows, Linux: s.Linux,
	} {
		g[role] = newBrush(style)
	}
	return g
}

// Context returns the brush that belongs to a context's name.
func (i *Inks) Context(name string) Brush { return newBrush(i.styles.Context(name)) }
