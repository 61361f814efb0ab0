package part

import "strings"

// Line builds one line of a screen out of painted pieces. Neighbours of one role
// are painted together.
type Line struct {
	ground *Ground
	out    strings.Builder
	run    strings.Builder
	role   Role
	width  int
}

// NewLine starts a line on a ground.
func NewLine(g *Ground) *Line { return &Line{ground: g} }

// Add appends a text, which must be clean and of one line.
func (l *Line) Add(r Role, text string) *Line {
	if text == "" {
		return l
	}
	if r != l.role {
		l.flush()
		l.role = r
	}
	l.run.WriteString(text)
	l.width += Width(text)
	return l
}

// AddPainted appends what carries its own escape sequences.
func (l *Line) AddPainted(text string) *Line {
	l.flush()
	l.out.WriteString(text)
	l.width += Width(text)
	return l
}

// Width is the number of cells so far.
func (l *Line) Width() int { return l.width }

// Pad appends blanks until the line is w cells wide.
func (l *Line) Pad(w int) *Line {
	if l.width < w {
		l.Add(l.role, Blank(w-l.width))
	}
	return l
}

func (l *Line) flush() {
	if l.run.Len() > 0 {
		l.out.WriteString(l.ground.Paint(l.role, l.run.String()))
		l.run.Reset()
	}
}

// String returns the painted line.
func (l *Line) String() string {
	l.flush()
	return l.out.String()
}
