package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxLine and maxText bound, in bytes, what Clean and CleanLines return.
	maxLine = 4 << 10
	maxText = 64 << 10
	// maxMarks is how many combining marks a base keeps. Orthographies need up to
	// three; floods of them paint over neighbouring lines.
	maxMarks = 4

	ellipsis = "…"
	esc      = 0x1b
)

// Clean makes a string that came from a cluster, an error or a kubeconfig safe
// for one line of a terminal and of a log. Its result is valid UTF-8 of at most
// 4 KiB (cut with "…") in which one rune never changes the place, direction or
// colour of another one:
//   - escape sequences (ECMA-48: CSI, OSC, DCS and the other strings, in 7-bit
//     form, as C1 runes and as raw C1 bytes) are removed whole; one that never
//     ends loses only its introducer, so that it hides nothing;
//   - line breaks, tabs and every Unicode space become a space, other control
//     characters go;
//   - invisible characters go: bidi controls, zero-width spaces and joiners,
//     tags, fillers;
//   - so does what terminals and measuring programs give different widths:
//     variation selectors and skin tones; flags become letters;
//   - a base keeps at most 4 combining marks, and a leading mark goes, because
//     it would combine with what the screen has drawn before it;
//   - invalid UTF-8 becomes U+FFFD.
//
// Clean is idempotent and returns printable ASCII as it is, without allocating.
func Clean(s string) string {
	if len(s) <= maxLine && isPlain(s, false) {
		return s
	}
	c := cleaner{in: s, max: maxLine}
	return c.run()
}

// CleanLines is Clean for texts of several lines, such as an exec plug-in's
// error: line breaks become "\n" and stay, and the bound is 64 KiB in all.
func CleanLines(s string) string {
	if len(s) <= maxText && isPlain(s, true) {
		return s
	}
	c := cleaner{in: s, max: maxText, lines: true}
	return c.run()
}

func isPlain(s string, lines bool) bool {
	for i := 0; i < len(s); i++ {
		if b := s[i]; (b < ' ' || b > '~') && !(lines && b == '\n') {
			return false
		}
	}
	return true
}

type cleaner struct {
	in    string
	max   int // bytes of output
	lines bool

	out   strings.Builder
	base  bool // the line has a rune that marks can sit on
	marks int  // on that rune
	// unending: no string sequence can end any more. It keeps a flood of
	// introducers from scanning the rest of the input once each.
	unending bool
}

func (c *cleaner) run() string {
	c.out.Grow(min(len(c.in), c.max) + len(ellipsis))
	for i := 0; i < len(c.in); {
		r, size := utf8.DecodeRuneInString(c.in[i:])
		if n := c.sequence(i); n > 0 {
			i += n
			continue
		}
		i += size
		if r == '\r' && strings.HasPrefix(c.in[i:], "\n") {
			continue
		}
		c.put(r)
		if c.out.Len() > c.max {
			return c.cut()
		}
	}
	return c.out.String()
}

func (c *cleaner) put(r rune) {
	if mark, base, ok := steady(r); ok {
		c.put(mark)
		r = base
	}
	switch {
	case isBreak(r) && c.lines && r != '\r':
		c.out.WriteByte('\n')
		c.base, c.marks = false, 0
	case isBreak(r) || r == '\t' || unicode.Is(unicode.Zs, r):
		c.out.WriteByte(' ')
		c.base, c.marks = true, 0
	case unicode.IsControl(r) || isInvisible(r) || isSkinTone(r):
	case unicode.IsMark(r):
		if c.base && c.marks < maxMarks {
			c.out.WriteRune(r)
			c.marks++
		}
	default:
		c.out.WriteRune(r)
		c.base, c.marks = true, 0
	}
}

func (c *cleaner) cut() string {
	s := c.out.String()
	end := c.max - len(ellipsis)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}

// steady replaces characters that are measured together with the one before them
// by some programs and apart from it by others: a table would lose its columns.
// The mark is 0 where the base alone says the same.
func steady(r rune) (mark, base rune, ok bool) {
	switch {
	case r == 0x0e33: // Thai and Lao "am", as Unicode decomposes it
		return 0x0e4d, 0x0e32, true
	case r == 0x0eb3:
		return 0x0ecd, 0x0eb2, true
	case r == 0xff9e || r == 0xff9f: // halfwidth sound marks
		return 0, r - 0xff9e + 0x309b, true
	case r >= 0x1f1e6 && r <= 0x1f1ff: // flags, by the letters they are made of
		return 0, r - 0x1f1e6 + 'A', true
	}
	return 0, 0, false
}

func isSkinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

func isBreak(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// isInvisible follows Unicode's Default_Ignorable_Code_Point and adds the format
// characters that it leaves out, but for the Arabic signs that are drawn.
func isInvisible(r rune) bool {
	if unicode.Is(unicode.Cf, r) {
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
