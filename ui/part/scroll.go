package part

// Scroll is a window of h lines over n lines with a cursor in it.
type Scroll struct {
	Top    int // the first line in sight
	Cursor int
}

// Move shifts the cursor by d lines and stops at the ends.
func (s *Scroll) Move(d, n int) { s.Cursor = clamp(s.Cursor+d, 0, n-1) }

// Keep brings the cursor into the lines that there are, and the window to the
// cursor; no line below the last one is shown while there are lines above.
func (s *Scroll) Keep(n, h int) {
	s.Cursor = clamp(s.Cursor, 0, n-1)
	s.Top = clamp(s.Top, s.Cursor-h+1, s.Cursor)
	s.Top = max(min(s.Top, n-h), 0)
}

// clamp returns x within low and high; low wins where they cross.
func clamp(x, low, high int) int { return max(min(x, high), low) }
