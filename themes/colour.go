package themes

import (
	"math"
	"strconv"

	"github.com/charmbracelet/lipgloss"
	"github.com/lucasb-eyer/go-colorful"
	"github.com/muesli/termenv"
)

// terminal names the colour for each kind of terminal. Terminals with 256
// colours get the nearest one.
func (c Colour) terminal() lipgloss.CompleteColor {
	return lipgloss.CompleteColor{
		TrueColor: c.Hex,
		ANSI256:   strconv.Itoa(c.ansi256()),
		ANSI:      strconv.Itoa(c.ANSI),
	}
}

// ansi256 returns the nearest of the 240 colours that every terminal shows alike.
// termenv's own conversion turns dark greys into black or into a light grey.
func (c Colour) ansi256() int {
	want, _ := colorful.Hex(c.Hex)
	near, least := 0, math.Inf(1)
	for i := 16; i < 256; i++ {
		if d := want.DistanceLab(termenv.ConvertToRGB(termenv.ANSI256Color(i))); d < least {
			near, least = i, d
		}
	}
	return near
}

// Contrast returns the contrast ratio of two "#rrggbb" colours as WCAG 2.2
// defines it, from 1 to 21. A colour that is not one counts as black.
func Contrast(a, b string) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(hex string) float64 {
	c, _ := colorful.Hex(hex)
	r, g, b := c.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}
