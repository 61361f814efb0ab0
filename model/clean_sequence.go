package model

import "unicode/utf8"

// sequence returns the length in bytes of the escape sequence that starts at i,
// or 0. The grammar is that of ECMA-48, sections 5.3 to 5.6, as terminals
// implement it: BEL ends a string too, and CAN, SUB and ESC abort anything.
func (c *cleaner) sequence(i int) int {
	intro, size := control(c.in[i:])
	if intro == 0 {
		return 0
	}
	if intro != esc {
		return c.body(intro, i, size)
	}
	next := byteAt(c.in, i+1)
	switch {
	case next >= 0x40 && next <= 0x5f:
		return c.body(next+0x40, i, 2)
	case next >= 0x20 && next <= 0x7e:
		end := skip(c.in, i+1, 0x20, 0x2f)
		if b := byteAt(c.in, end); b >= 0x30 && b <= 0x7e {
			end++
		}
		return end - i
	}
	return 1
}

// body returns the length of the sequence at i whose C1 introducer, given in its
// 8-bit form, takes size bytes.
func (c *cleaner) body(intro byte, i, size int) int {
	switch intro {
	case 0x9b: // CSI
		end := skip(c.in, i+size, 0x30, 0x3f)
		end = skip(c.in, end, 0x20, 0x2f)
		if b := byteAt(c.in, end); b >= 0x40 && b <= 0x7e {
			end++
		}
		return end - i
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f: // DCS, SOS, OSC, PM, APC
		if end := c.stringEnd(i + size); end > 0 {
			return end - i
		}
		return size
	case 0x8e, 0x8f: // SS2, SS3: they shift the one character that follows
		if b := byteAt(c.in, i+size); b >= 0x20 && b <= 0x7e {
			return size + 1
		}
		return size
	case 0x85: // NEL breaks the line; only its 7-bit form is a sequence here
		if c.in[i] != esc {
			return 0
		}
	}
	return size
}

// stringEnd returns where the control string that has its text at i is over, or
// -1 when it never is.
func (c *cleaner) stringEnd(i int) int {
	if c.unending {
		return -1
	}
	for i < len(c.in) {
		intro, size := control(c.in[i:])
		switch {
		case c.in[i] == 0x07 || c.in[i] == 0x18 || c.in[i] == 0x1a:
			return i + 1
		case intro == esc && byteAt(c.in, i+1) == '\\':
			return i + 2
		case intro == esc:
			return i
		case intro == 0x9c:
			return i + size
		}
		i += max(size, 1)
	}
	c.unending = true
	return -1
}

// control reports the ESC or C1 control at the start of s in its 8-bit form, and
// its size: 1 for a raw byte, 2 for a C1 rune, which UTF-8 writes as C2 80…C2 9F.
// Without one it is 0, and size is that of the rune.
func control(s string) (byte, int) {
	b := s[0]
	switch {
	case b == esc:
		return esc, 1
	case b < 0x80:
		return 0, 1
	case b >= 0x80 && b <= 0x9f:
		return b, 1
	case b == 0xc2 && len(s) > 1 && s[1] >= 0x80 && s[1] <= 0x9f:
		return s[1], 2
	}
	_, size := utf8.DecodeRuneInString(s)
	return 0, size
}

func byteAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

func skip(s string, i int, lo, hi byte) int {
	for i < len(s) && s[i] >= lo && s[i] <= hi {
		i++
	}
	return i
}
