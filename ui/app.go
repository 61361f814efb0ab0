package ui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
	"github.com/mullion-tui/mullion/ui/screen/contexts"
	"github.com/mullion-tui/mullion/ui/screen/findings"
	"github.com/mullion-tui/mullion/ui/screen/memory"
	"github.com/mullion-tui/mullion/ui/screen/node"
	"github.com/mullion-tui/mullion/ui/screen/nodes"
)

// place is a screen that can be looked at.
type place int

const (
	atNodes place = iota
	atMemory
	atFindings
	atNode
	atContexts
)

// App is the root of the interface. It owns the session, knows which screen is
// looked at, and does what screens ask for. Only its Update changes anything.
type App struct {
	opts Options
	ink  *part.Inks
	w, h int
	now  time.Time

	live    live
	opening opening
	seen    lastSeen

	at       place
	from     place // where the node on screen was opened
	nodes    *nodes.Screen
	memory   *memory.Screen
	findings *findings.Screen
	node     *node.Screen // nil while none is looked at
	contexts *contexts.Screen

	overlay overlay
	command *command // open while a command is typed
	notices notices
	note    string // said in passing; the next key takes it away
	mouse   bool
	ticking bool

	frame string // the last one drawn
	fresh bool   // frame is what View would draw
}

// New returns the program's model.
func New(o Options) *App {
	o = o.withDefaults()
	a := &App{
		opts: o, ink: part.NewInks(o.Theme, o.Renderer), now: o.Now().UTC(), mouse: o.Mouse,
		nodes: nodes.New(o.PoolLabel), memory: memory.New(o.PoolLabel), findings: findings.New(), contexts: contexts.New(o.Contexts), seen: lastSeen{},
	}
	if o.Err != nil {
		a.notices.add(notice{text: o.Err.Error()}, a.now)
	}
	return a
}

// Init opens the context to start with, or lists what there is.
func (a *App) Init() tea.Cmd {
	var cmds []tea.Cmd
	if a.mouse {
		cmds = append(cmds, tea.EnableMouseCellMotion)
	}
	if a.opts.Start == "" {
		return tea.Batch(append(cmds, a.goTo(atContexts))...)
	}
	return tea.Batch(append(cmds, a.contexts.List(), a.open(a.opts.Start))...)
}

// Update takes one message in. It never blocks.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a.now = a.opts.Now().UTC()
	cmd, changed := a.handle(msg)
	if changed {
		a.fresh = false
	}
	a.lookAt()
	return a, tea.Batch(cmd, a.tick())
}

// handle reports also whether the next frame may differ.
func (a *App) handle(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = m.Width, m.Height
		return a.contexts.Size(a.bodyHeight()), true
	case tea.KeyMsg:
		return a.typed(m), true
	case tea.MouseMsg:
		return a.mouseMoved(m)
	case openedMsg:
		return a.opened(m), true
	case snapshotMsg:
		return a.snapshot(m)
	case copiedMsg:
		return nil, a.copied(m)
	case tickMsg:
		a.ticking = false
		return a.showFindings(), true
	case nodes.Arranged:
		ask, cmd := a.nodes.Update(m, a.now)
		return tea.Batch(cmd, a.do(ask)), true
	case memory.Arranged:
		ask, cmd := a.memory.Update(m)
		return tea.Batch(cmd, a.do(ask)), true
	case findings.Found:
		return a.findings.Update(m, a.now), true
	}
	if a.node != nil {
		a.node.Update(msg)
	}
	ask, cmd := a.contexts.Update(msg)
	return tea.Batch(cmd, a.do(ask)), true
}

// do carries out what a screen asks for.
func (a *App) do(ask screen.Ask) tea.Cmd {
	switch m := ask.(type) {
	case screen.OpenNode:
		var cmd tea.Cmd
		a.node, cmd = node.New(m.Name, a.live.session, a.now)
		if a.at != atNode {
			a.from = a.at
		}
		a.at = atNode
		a.showNode()
		return cmd
	case screen.OpenContext:
		if a.onScreen(m) {
			return a.goTo(atNodes)
		}
		return a.open(m.Name)
	case screen.Copy:
		return a.copy(m)
	case screen.Note:
		a.note = m.Text
	case screen.Fail:
		a.notices.add(notice{text: m.Text, next: m.Next}, a.now)
	case screen.Back:
		if a.at == atNode {
			return a.goTo(a.from)
		}
		return a.goTo(atNodes)
	}
	return nil
}

// onScreen reports whether a context is the one that is open, alive and where it was.
func (a *App) onScreen(m screen.OpenContext) bool {
	l := a.live
	return l.session != nil && l.ended == nil && l.info.Context == m.Name && l.info.Server == m.Server
}

// goTo changes the screen that is looked at.
func (a *App) goTo(p place) tea.Cmd {
	a.overlay = overlay{}
	a.at = p
	a.contexts.Leave()
	if p != atNode {
		a.node = nil
	}
	switch p {
	case atNodes:
		return a.showNodes()
	case atMemory:
		return a.showMemory()
	case atFindings:
		return a.showFindings()
	case atContexts:
		a.markContexts()
		return tea.Batch(a.contexts.Size(a.bodyHeight()), a.contexts.Enter())
	default:
		return nil
	}
}

type tickMsg struct{}

// tick keeps time going while something on the screen grows older by itself.
func (a *App) tick() tea.Cmd {
	aging := a.live.session != nil || a.opening.name != "" || a.node != nil || a.nodes.Aging()
	if a.ticking || !aging {
		return nil
	}
	a.ticking = true
	return a.opts.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

// look is what screens need for drawing.
func (a *App) look() screen.Look { return screen.Look{Ink: a.ink, Now: a.now} }
