package part

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const blanks = "                                                                                                                                "

// Blank returns n spaces; none for a negative n.
func Blank(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Width is the number of cells that a text takes. Escape sequences take none.
func Width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Cut shortens a text to at most w cells; "…" stands for what is missing.
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if Width(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, "…")
}

// Fit makes a text exactly w cells wide, at the left edge.
func Fit(s string, w int) string {
	s = Cut(s, w)
	return s + Blank(w-Width(s))
}

// FitRight makes a text exactly w cells wide, at the right edge.
func FitRight(s string, w int) string {
	s = Cut(s, w)
	return Blank(w-Width(s)) + s
}

// Wrap breaks a text of one or more lines at w cells, at most limit lines; the
// last one ends in "…" where something is left out.
func Wrap(s string, w, limit int) []string {
	if w <= 0 || limit <= 0 {
		return nil
	}
	lines := strings.Split(ansi.Wrap(s, w, ""), "\n")
	if len(lines) > limit {
		lines = lines[:limit]
		lines[limit-1] = Cut(lines[limit-1]+" …", w)
		if !strings.HasSuffix(lines[limit-1], "…") {
			lines[limit-1] = Cut(lines[limit-1], w-1) + "…"
		}
	}
	for i := range lines {
		lines[i] = Cut(lines[i], w)
	}
	return lines
}

// Block makes exactly h lines of at most w cells out of lines.
func Block(lines []string, w, h int) []string {
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = Cut(lines[i], w)
		}
	}
	return out
}

// cutLeft keeps the last w cells of a text; "…" stands for what is missing.
func cutLeft(s string, w int) string {
	if w <= 0 {
		return ""
	}
	over := Width(s) - w
	if over <= 0 {
		return s
	}
	cut := ansi.TruncateLeft(s, over+1, "…")
	if Width(cut) > w { // the cut fell into a wide letter
		cut = ansi.TruncateLeft(s, over+2, "…")
	}
	return Cut(cut, w)
}

// Height makes exactly h lines out of lines that are known to be narrow enough:
// measuring painted text costs more than all else in a frame.
func Height(lines []string, h int) []string {
	out := make([]string, h)
	copy(out, lines)
	return out
}

// Beside puts two columns of lines next to each other, the left one w cells wide.
func Beside(left, right []string, w int) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		if i < len(left) {
			out[i] = left[i]
		}
		if i < len(right) && right[i] != "" {
			out[i] = Fit(out[i], w) + Blank(3) + right[i]
		}
	}
	return out
}
