package picture_test

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/mullion-tui/mullion/ui/uitest/picture"
)

var dark = picture.Look{Text: "#e6e6e6", Background: "#1e1e1e"}

const sample = "\x1b[1;38;2;255;128;0mwin-2025\x1b[0m  ● Ready   12/110\n" +
	"\x1b[48;2;47;67;104m<cursor> & \"row\"   \x1b[0m\n" +
	"│ 節点 é ──── \x1b[7mreversed\x1b[0m \x1b[4munder\x1b[0m\n" +
	"\x1b[91mbright\x1b[0m \x1b[38;5;117mindexed\x1b[0m"

// element is a text or a rect of the SVG.
type element struct {
	XMLName    xml.Name
	X          float64 `xml:"x,attr"`
	Y          float64 `xml:"y,attr"`
	Width      string  `xml:"width,attr"`
	TextLength float64 `xml:"textLength,attr"`
	Fill       string  `xml:"fill,attr"`
	Weight     string  `xml:"font-weight,attr"`
	Decoration string  `xml:"text-decoration,attr"`
	Text       string  `xml:",chardata"`
}

func parse(t *testing.T, svg string) []element {
	t.Helper()
	var doc struct {
		Elements []element `xml:",any"`
	}
	if err := xml.Unmarshal([]byte(svg), &doc); err != nil {
		t.Fatalf("not XML: %v\n%s", err, svg)
	}
	return doc.Elements
}

// The texts of the picture, put back on their cells, are the screen.
func TestTextStandsOnItsCells(t *testing.T) {
	want := strings.Split(ansi.Strip(sample), "\n")
	got := make([][]string, len(want))
	for i := range got {
		got[i] = strings.Split(strings.Repeat(" ", 60), "")
	}
	for _, e := range parse(t, picture.SVG("a sample", sample, dark)) {
		if e.XMLName.Local != "text" {
			continue
		}
		row, col := int((e.Y-14)/18), int(math.Round((e.X-14)/8.4))
		width := ansi.StringWidth(e.Text)
		if cells := int(math.Round(e.TextLength / 8.4)); cells != width {
			t.Errorf("%q is stretched to %d cells, it has %d", e.Text, cells, width)
		}
		for i := range width {
			got[row][col+i] = ""
		}
		got[row][col] = e.Text
	}
	for i, cells := range got {
		if line := strings.TrimRight(strings.Join(cells, ""), " "); line != strings.TrimRight(want[i], " ") {
			t.Errorf("line %d is %q, want %q", i+1, line, want[i])
		}
	}
}

func TestLook(t *testing.T) {
	byText := map[string]element{}
	var rects []element
	for _, e := range parse(t, picture.SVG("a sample", sample, dark)) {
		if e.XMLName.Local == "rect" {
			rects = append(rects, e)
		}
		byText[strings.TrimSpace(e.Text)] = e
	}
	if e := byText["win-2025"]; e.Fill != "#ff8000" || e.Weight != "bold" {
		t.Errorf("coloured and bold: %+v", e)
	}
	if e := byText["reversed"]; e.Fill != dark.Background {
		t.Errorf("reversed: %+v", e)
	}
	if e := byText["under"]; e.Decoration != "underline" || e.Fill != "" {
		t.Errorf("underlined: %+v", e)
	}
	if e := byText["bright"]; e.Fill != "#ff0000" {
		t.Errorf("one of 16 colours: %+v", e)
	}
	if e := byText["indexed"]; e.Fill != "#87d7ff" {
		t.Errorf("one of 256 colours: %+v", e)
	}
	if _, ok := byText["────"]; !ok {
		t.Error("a line of one character is not drawn in one piece")
	}
	if len(rects) != 3 || rects[0].Fill != dark.Background || rects[1].Fill != "#2f4368" || rects[2].Fill != dark.Text {
		t.Errorf("rects: %+v", rects)
	}
	if w, _ := strconv.ParseFloat(rects[1].Width, 64); int(math.Round(w/8.4)) != 19 {
		t.Errorf("the cursor's row is %v wide", w)
	}
}

func TestTitleAndFonts(t *testing.T) {
	svg := picture.SVG(`nodes <of> "lab"`, "x", dark)
	if !strings.Contains(svg, "<title>nodes &lt;of&gt; &#34;lab&#34;</title>") {
		t.Errorf("the title is missing:\n%s", svg)
	}
	for _, no := range []string{"@font-face", "href", "url(", "<style", "<script"} {
		if strings.Contains(svg, no) {
			t.Errorf("the picture needs something from outside: %s", no)
		}
	}
}
