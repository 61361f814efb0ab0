package part

// Scroll is a window of h lines over n lines with a cursor in it.
type Scroll struct {
	Top    int // the first line in sight
	Cursor int
}

// Move shifts the cursor by d lines and stops at the ends.
func (s *Scroll) Move(d, n int) { s.Cursor = clamp(s.Cursor+d, 0, n-1) }

// Goal is the line that one of the actions that only move the cursor leads to, in a
// window of h lines over n; it may lie beyond the ends. false: id is no such action.
func (s Scroll) Goal(id string, n, h int) (line int, ok bool) {
	page := max(h-2, 1)
	switch id {
	case "up":
		return s.Cursor - 1, true
	case "down":
		return s.Cursor + 1, true
	case "pageUp":
		return s.Cursor - page, true
	case "pageDown":
		return s.Cursor + page, true
	case "top":
		return 0, true
	case "bottom":
		return n - 1, true
	}
	return 0, false
}

// Keep brings the cursor into the lines that there are, and the window to the
// cursor; no line below the last one is shown while there are lines above.
func (s *Scroll) Keep(n, h int) {
	s.Cursor = clamp(s.Cursor, 0, n-1)
	s.Top = clamp(s.Top, s.Cursor-h+1, s.Cursor)
	s.Top = max(min(s.Top, n-h), 0)
}

// clamp returns x within low and high; low wins where they cross.
func clamp(x, low, high int) int { return max(min(x, high), low) }
