// Package picture draws a screen of the terminal as an SVG for the documentation.
package picture

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Look is what a terminal brings itself, as "#rrggbb".
type Look struct {
	Text, Background string
}

// The grid, in pixels. Every run of text is stretched to its cells, so that the
// columns stand whichever monospaced font the reader has.
const (
	cellWidth  = 8.4
	cellHeight = 18
	fontSize   = 14
	baseline   = 13.5 // from the top of a cell
	margin     = 14
)

const fonts = `ui-monospace,'SF Mono','Cascadia Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace`

// SVG draws a screen, given as lines of text with SGR sequences. Title is what it
// shows, for those who cannot see it.
func SVG(title, screen string, look Look) string {
	cells, cols := grid(screen)
	width, height := float64(cols)*cellWidth+2*margin, len(cells)*cellHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%[1]s" height="%[2]d" viewBox="0 0 %[1]s %[2]d" `+
		`font-family="%[3]s" font-size="%[4]d" fill="%[5]s" xml:space="preserve">`+"\n", number(width), height, fonts, fontSize, look.Text)
	fmt.Fprintf(&b, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", look.Background)
	for y, line := range cells {
		for _, r := range runs(line, look, sameGround) {
			if r.paint.ground != look.Background {
				fmt.Fprintf(&b, `<rect x="%s" y="%d" width="%s" height="%d" fill="%s"/>`+"\n",
					left(r.x), top(y), number(float64(r.cells)*cellWidth), cellHeight, r.paint.ground)
			}
		}
	}
	for y, line := range cells {
		for _, r := range runs(line, look, sameText) {
			if strings.TrimSpace(r.text) == "" && r.paint.marks == "" {
				continue
			}
			fmt.Fprintf(&b, `<text x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs"%s>%s</text>`+"\n",
				left(r.x), number(float64(top(y))+baseline), number(float64(r.cells)*cellWidth), r.paint.attributes(look), escape(r.text))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// grid lets a terminal lay out the text.
func grid(screen string) (lines [][]uv.Cell, cols int) {
	text := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	for _, line := range text {
		cols = max(cols, ansi.StringWidth(line))
	}
	cols = max(cols, 1)
	// One column more than is used: a terminal wraps only behind it.
	emu := vt.NewEmulator(cols+1, len(text))
	_, _ = emu.WriteString(strings.Join(text, "\r\n"))
	lines = make([][]uv.Cell, len(text))
	for y := range lines {
		lines[y] = make([]uv.Cell, cols)
		for x := range lines[y] {
			if c := emu.CellAt(x, y); c != nil {
				lines[y][x] = *c
			}
			if lines[y][x].Content == "" && lines[y][x].Width == 1 {
				lines[y][x].Content = " "
			}
		}
	}
	return lines, cols
}

// run is a stretch of cells that one element draws.
type run struct {
	x, cells int
	text     string
	paint    paint
}

// runs splits a line where same says that a cell does not go on with a run.
func runs(line []uv.Cell, look Look, same func(r run, text string, p paint) bool) []run {
	var all []run
	for x, cell := range line {
		if cell.Width == 0 && len(all) > 0 && cell.Content == "" { // the right half of a wide character
			all[len(all)-1].cells++
			continue
		}
		p := paintOf(cell.Style, look)
		if n := len(all); n > 0 && same(all[n-1], cell.Content, p) {
			all[n-1].text += cell.Content
			all[n-1].cells++
			continue
		}
		all = append(all, run{x: x, cells: 1, text: cell.Content, paint: p})
	}
	return all
}

func sameGround(r run, _ string, p paint) bool { return r.paint.ground == p.ground }

// sameText keeps every character that is not ASCII apart, but for its own like: a
// font that lacks it takes another one's, whose width would move its neighbours.
func sameText(r run, text string, p paint) bool {
	if r.paint != p {
		return false
	}
	if isASCII(r.text) && isASCII(text) {
		return true
	}
	return strings.Count(r.text, text)*len(text) == len(r.text)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > '~' {
			return false
		}
	}
	return true
}

// paint is how a cell looks.
type paint struct {
	ink, ground string // "#rrggbb"
	marks       string // attributes of SVG
}

func paintOf(s uv.Style, look Look) paint {
	p := paint{ink: hex(s.Fg, look.Text), ground: hex(s.Bg, look.Background)}
	if s.Attrs&uv.AttrReverse != 0 {
		p.ink, p.ground = p.ground, p.ink
	}
	if s.Attrs&uv.AttrBold != 0 {
		p.marks += ` font-weight="bold"`
	}
	if s.Underline != uv.UnderlineNone {
		p.marks += ` text-decoration="underline"`
	}
	return p
}

func (p paint) attributes(look Look) string {
	if p.ink == look.Text {
		return p.marks
	}
	return fmt.Sprintf(` fill="%s"`, p.ink) + p.marks
}

func hex(c color.Color, none string) string {
	if c == nil {
		return none
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func left(x int) string { return number(margin + float64(x)*cellWidth) }

func top(y int) int { return margin + y*cellHeight }

func number(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", f), "0"), ".")
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}
