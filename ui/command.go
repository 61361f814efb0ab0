package ui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
)

// verb is a command of the command line.
type verb struct {
	names []string
	usage string
	help  string
	words func(*App) []string // what its argument can be; nil: it takes none
	do    func(*App, string) tea.Cmd
}

var commands []verb

// The table is filled at start: its entries call methods that read it.
func init() {
	commands = []verb{
		{names: []string{"nodes"}, usage: "nodes", help: "to the nodes", do: func(a *App, _ string) tea.Cmd { return a.goTo(atNodes) }},
		{names: []string{"memory"}, usage: "memory", help: "to the memory", do: func(a *App, _ string) tea.Cmd { return a.goTo(atMemory) }},
		{names: []string{"findings"}, usage: "findings", help: "to the findings", do: func(a *App, _ string) tea.Cmd { return a.goTo(atFindings) }},
		{names: []string{"contexts"}, usage: "contexts", help: "to the contexts", do: func(a *App, _ string) tea.Cmd { return a.goTo(atContexts) }},
		{names: []string{"context", "ctx"}, usage: "context NAME", help: "switch to a context", words: func(a *App) []string { return a.contexts.Names() }, do: (*App).commandContext},
		{names: []string{"theme"}, usage: "theme NAME", help: "other colours", words: func(a *App) []string { return a.opts.Themes.Names() }, do: (*App).commandTheme},
		{names: []string{"feeds"}, usage: "feeds", help: "how fresh the data are", do: func(a *App, _ string) tea.Cmd { a.overlay = overlay{kind: feedsOverlay}; return nil }},
		{names: []string{"mouse"}, usage: "mouse", help: "switch the use of the mouse on or off", do: func(a *App, _ string) tea.Cmd { return a.toggleMouse() }},
		{names: []string{"help"}, usage: "help", help: "all keys and commands", do: func(a *App, _ string) tea.Cmd { a.overlay = overlay{kind: helpOverlay}; return nil }},
		{names: []string{"q", "quit"}, usage: "q", help: "leave mullion", do: func(a *App, _ string) tea.Cmd { return a.quit() }},
	}
}

// command is the command line while it is open.
type command struct {
	prompt  part.Prompt
	problem string
	offers  []string // whole lines that what is typed can become
	offered int      // which of them tab took last; -1 is none
}

func newCommand() *command {
	return &command{prompt: part.NewPrompt(":", ""), offers: nil, offered: -1}
}

func (c *command) view(w int, ink *part.Inks) string {
	hint := "nodes · memory · findings · context NAME · theme NAME · q"
	switch {
	case c.problem != "":
		hint = c.problem
	case len(c.offers) > 0:
		hint = "tab: " + model.Clean(strings.Join(c.offers, " · "))
	}
	return c.prompt.View(w, ink, hint)
}

func (a *App) typeCommand(k tea.KeyMsg) tea.Cmd {
	c := a.command
	switch k.String() {
	case "esc":
		a.command = nil
		return nil
	case "enter":
		return a.runCommand(c.prompt.Value())
	case "tab":
		c.complete(1)
		return nil
	case "shift+tab":
		c.complete(-1)
		return nil
	case "backspace":
		if c.prompt.Value() == "" {
			a.command = nil
			return nil
		}
	}
	c.prompt.Type(k)
	c.problem, c.offered = "", -1
	c.offers = a.offers(c.prompt.Value())
	return nil
}

// complete puts the next offer into the prompt.
func (c *command) complete(step int) {
	if len(c.offers) == 0 {
		return
	}
	if c.offered < 0 && step < 0 {
		c.offered = 0
	}
	c.offered = (c.offered + step + len(c.offers)) % len(c.offers)
	c.prompt.Set(c.offers[c.offered])
}

// offers lists the commands, or arguments of the command, that begin like text.
func (a *App) offers(text string) []string {
	name, argument, spaced := strings.Cut(text, " ")
	var out []string
	for _, v := range commands {
		switch {
		case spaced && v.is(name) && v.words != nil:
			for _, w := range v.words(a) {
				if strings.HasPrefix(w, strings.TrimSpace(argument)) {
					out = append(out, name+" "+w)
				}
			}
		case !spaced && text != "" && strings.HasPrefix(v.names[0], name):
			if v.words != nil {
				out = append(out, v.names[0]+" ")
			} else {
				out = append(out, v.names[0])
			}
		}
	}
	return out
}

func (v verb) is(name string) bool {
	for _, n := range v.names {
		if n == name {
			return true
		}
	}
	return false
}

// runCommand does what was typed. What it does not know stays to be corrected.
func (a *App) runCommand(text string) tea.Cmd {
	name, argument, _ := strings.Cut(strings.TrimSpace(text), " ")
	argument = strings.TrimSpace(argument)
	if name == "" {
		a.command = nil
		return nil
	}
	for _, v := range commands {
		if !v.is(name) {
			continue
		}
		if v.words != nil && argument == "" {
			a.command.problem = ":" + v.usage + " needs a name; tab offers them"
			a.command.prompt.Set(name + " ")
			a.command.offers = a.offers(name + " ")
			return nil
		}
		a.command = nil
		return v.do(a, argument)
	}
	a.command.problem = fmt.Sprintf("no command is called %s; :help lists them", model.Clean(name))
	return nil
}

func (a *App) commandContext(name string) tea.Cmd {
	a.overlay = overlay{}
	return a.open(name)
}

func (a *App) commandTheme(name string) tea.Cmd {
	t, err := a.opts.Themes.Pick(name, a.opts.Renderer.HasDarkBackground(), false)
	if err != nil {
		a.note = err.Error()
		return nil
	}
	a.ink = part.NewInks(t, a.opts.Renderer)
	a.note = "theme " + t.Name
	return nil
}
