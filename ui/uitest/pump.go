package uitest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// Pump runs a program's messages and commands until nothing moves, and looks at
// every frame on the way: exactly as high as the screen, no line wider.
type Pump struct {
	Quit bool

	t      testing.TB
	m      tea.Model
	gate   *gate
	now    time.Time
	ticks  []func(time.Time) tea.Msg
	w, h   int
	steps  int
	Frames int // frames that differ from the one before
	last   string
}

const stepLimit = 20000

// NewPump returns a pump at the moment Now. The program is given to Start.
func NewPump(t testing.TB, c *Contexts) *Pump {
	return &Pump{t: t, gate: c.gate, now: Now}
}

// Clock is the program's clock.
func (p *Pump) Clock() time.Time { return p.now }

// Tick stands in for tea.Tick: it fires when Advance is called.
func (p *Pump) Tick(_ time.Duration, f func(time.Time) tea.Msg) tea.Cmd {
	p.ticks = append(p.ticks, f)
	return nil
}

// Start runs the program's first commands and gives it its size.
func (p *Pump) Start(m tea.Model, w, h int) {
	p.t.Helper()
	p.m = m
	p.run(m.Init())
	p.Resize(w, h)
}

// Resize changes the size of the screen.
func (p *Pump) Resize(w, h int) {
	p.t.Helper()
	p.w, p.h = w, h
	p.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// Advance moves the clock and fires the ticks that wait.
func (p *Pump) Advance(d time.Duration) {
	p.t.Helper()
	p.now = p.now.Add(d)
	ticks := p.ticks
	p.ticks = nil
	for _, f := range ticks {
		p.deliver(f(p.now))
	}
	p.Settle()
}

// Press sends keys by name, for example "down", "ctrl+c", "g", "space".
func (p *Pump) Press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.Send(Key(k))
	}
}

// Type sends a text letter by letter.
func (p *Pump) Type(text string) {
	p.t.Helper()
	for _, r := range text {
		p.Send(Key(string(r)))
	}
}

// Send delivers a message and runs until nothing moves.
func (p *Pump) Send(msg tea.Msg) {
	p.t.Helper()
	p.deliver(msg)
	p.Settle()
}

// Settle runs until nothing moves.
func (p *Pump) Settle() {
	p.t.Helper()
	for {
		msg, ok := p.gate.next()
		if !ok {
			return
		}
		p.deliver(msg)
	}
}

func (p *Pump) deliver(msg tea.Msg) {
	p.t.Helper()
	if p.steps++; p.steps > stepLimit {
		p.t.Fatalf("%d messages and no end: a command answers itself", stepLimit)
	}
	switch m := msg.(type) {
	case nil:
		return
	case tea.BatchMsg:
		for _, cmd := range m {
			p.run(cmd)
		}
		return
	case tea.QuitMsg:
		p.Quit = true
		return
	}
	if name := fmt.Sprintf("%T", msg); name == "tea.sequenceMsg" {
		p.t.Fatal("tea.Sequence cannot be unfolded by a test: use one command")
	}
	var cmd tea.Cmd
	p.m, cmd = p.m.Update(msg)
	p.run(cmd)
	p.look()
}

func (p *Pump) run(cmd tea.Cmd) {
	if cmd != nil {
		p.gate.start(cmd)
	}
}

func (p *Pump) look() {
	p.t.Helper()
	if p.w == 0 {
		return
	}
	view := p.m.View()
	if view == p.last {
		return
	}
	p.last = view
	p.Frames++
	lines := strings.Split(view, "\n")
	if len(lines) != p.h {
		p.t.Fatalf("the frame has %d lines, the screen %d:\n%s", len(lines), p.h, view)
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got > p.w {
			p.t.Fatalf("line %d is %d cells wide, the screen %d: %q", i, got, p.w, l)
		}
	}
}

// Screen is what stands on the screen, without colours and trailing blanks.
func (p *Pump) Screen() string {
	lines := strings.Split(ansi.Strip(p.m.View()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// Sees fails unless every text stands on the screen.
func (p *Pump) Sees(texts ...string) {
	p.t.Helper()
	screen := p.Screen()
	for _, s := range texts {
		if !strings.Contains(screen, s) {
			p.t.Fatalf("the screen does not show %q:\n%s", s, screen)
		}
	}
}

// Misses fails if one of the texts stands on the screen.
func (p *Pump) Misses(texts ...string) {
	p.t.Helper()
	screen := p.Screen()
	for _, s := range texts {
		if strings.Contains(screen, s) {
			p.t.Fatalf("the screen shows %q:\n%s", s, screen)
		}
	}
}

// Line returns the first line of the screen that holds text.
func (p *Pump) Line(text string) string {
	p.t.Helper()
	for l := range strings.SplitSeq(p.Screen(), "\n") {
		if strings.Contains(l, text) {
			return l
		}
	}
	p.t.Fatalf("no line shows %q:\n%s", text, p.Screen())
	return ""
}

var named = map[string]tea.KeyType{
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab,
	"backspace": tea.KeyBackspace, "home": tea.KeyHome, "end": tea.KeyEnd,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "ctrl+c": tea.KeyCtrlC, "ctrl+f": tea.KeyCtrlF, "ctrl+b": tea.KeyCtrlB,
}

// Key makes the message of a key by its name.
func Key(name string) tea.KeyMsg {
	switch t, ok := named[name]; {
	case ok:
		return tea.KeyMsg{Type: t}
	case name == "space" || name == " ":
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	default:
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
	}
}
