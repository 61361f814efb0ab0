// Package contexts is the screen of the clusters that can be looked at: where
// each is, as whom, and whether it answers.
package contexts

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/port"
	"github.com/mullion-tui/mullion/ui/screen"
)

const (
	listLimit  = 20 * time.Second
	probeLimit = 8 * time.Second
	// probes is how many servers are asked at a time: a kubeconfig of fifty
	// contexts must not start fifty credential plug-ins.
	probes = 4
)

// Screen is the contexts screen. The zero value is not usable; see New.
type Screen struct {
	from port.Contexts

	entries []model.ContextEntry
	texts   [][columns]string // what the columns show of each entry, cleaned once
	rows    []int             // indices of entries that match the filter
	listed  bool
	inSight bool   // servers are asked only while somebody looks
	problem string // what is wrong with the kubeconfig as a whole
	round   uint64 // counts listings; an answer of an earlier one is dropped

	answers map[string]answer // by context
	asked   int               // probes under way

	open    string // the context on screen
	opening string // the one that is being opened

	scroll part.Scroll
	height int
	prompt *part.Prompt
	undo   string
	filter string
}

// answer is what is known of a context's server.
type answer struct {
	probe model.Probe
	done  bool
}

// The answers to the screen's commands.
type (
	listed struct {
		round   uint64
		entries []model.ContextEntry
		err     error
	}
	probed struct {
		round uint64
		name  string
		probe model.Probe
	}
)

// New returns a screen that has read nothing yet.
func New(from port.Contexts) *Screen {
	return &Screen{from: from, answers: map[string]answer{}}
}

// List reads the contexts anew and forgets which servers answered.
func (s *Screen) List() tea.Cmd {
	s.round++
	s.answers, s.asked = map[string]answer{}, 0
	from, round := s.from, s.round
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), listLimit)
		defer cancel()
		entries, err := from.List(ctx)
		return listed{round: round, entries: entries, err: err}
	}
}

// Enter puts the cursor on the context that is on screen and reads anew.
func (s *Screen) Enter() tea.Cmd {
	s.listed, s.inSight, s.filter, s.prompt = false, true, "", nil
	return s.List()
}

// Leave stops asking servers.
func (s *Screen) Leave() { s.inSight = false }

// Mark says which context is on screen and which one is being opened.
func (s *Screen) Mark(open, opening string) { s.open, s.opening = open, opening }

// Names lists the contexts for completion.
func (s *Screen) Names() []string {
	var out []string
	for _, e := range s.entries {
		if e.Usable {
			out = append(out, e.Name)
		}
	}
	return out
}

// Typing reports whether keys go into the filter.
func (s *Screen) Typing() bool { return s.prompt != nil }

// Update takes the answers to the screen's own commands.
func (s *Screen) Update(msg tea.Msg) (screen.Ask, tea.Cmd) {
	switch m := msg.(type) {
	case listed:
		if m.round != s.round {
			return nil, nil
		}
		return s.take(m), s.probe()
	case probed:
		if m.round != s.round {
			return nil, nil
		}
		s.asked--
		s.answers[m.name] = answer{probe: m.probe, done: true}
		return nil, s.probe()
	}
	return nil, nil
}

func (s *Screen) take(m listed) screen.Ask {
	first := !s.listed
	at, held := s.Selected()
	held = held && !first
	s.entries, s.texts, s.listed, s.problem = m.entries, texts(m.entries), true, ""
	if m.err != nil {
		s.problem = m.err.Error()
	}
	s.match()
	for i, row := range s.rows {
		e := s.entries[row]
		if (held && e.Name == at.Name && e.File == at.File) || (first && (e.Name == s.open || s.open == "" && e.Current)) {
			s.scroll.Cursor = i
		}
	}
	if m.err != nil && len(s.entries) > 0 {
		return screen.Fail{Text: s.problem, Next: "r reads the kubeconfig again"}
	}
	return nil
}

// probe asks the servers of the rows in sight, a few at a time, each once.
func (s *Screen) probe() tea.Cmd {
	if !s.inSight {
		return nil
	}
	var cmds []tea.Cmd
	end := min(s.scroll.Top+max(s.height, 1), len(s.rows))
	for _, row := range s.rows[min(s.scroll.Top, len(s.rows)):end] {
		e := s.entries[row]
		if _, asked := s.answers[e.Name]; asked || !e.Usable {
			continue
		}
		if s.asked >= probes {
			break
		}
		s.asked++
		s.answers[e.Name] = answer{}
		cmds = append(cmds, ask(s.from, s.round, e.Name))
	}
	return tea.Batch(cmds...)
}

func ask(from port.Contexts, round uint64, name string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), probeLimit)
		defer cancel()
		return probed{round: round, name: name, probe: from.Probe(ctx, name)}
	}
}

// Selected returns the context under the cursor.
func (s *Screen) Selected() (model.ContextEntry, bool) {
	if s.scroll.Cursor < 0 || s.scroll.Cursor >= len(s.rows) {
		return model.ContextEntry{}, false
	}
	return s.entries[s.rows[s.scroll.Cursor]], true
}

// match finds the entries that hold every word of the filter, or where none does,
// those whose names hold its letters in order.
func (s *Screen) match() {
	s.rows = s.rows[:0]
	words := strings.Fields(strings.ToLower(s.filter))
	for i, e := range s.entries {
		text := strings.ToLower(strings.Join([]string{e.Name, e.Cluster, e.Server, e.User, e.Namespace}, "\n"))
		if holdsAll(text, words) {
			s.rows = append(s.rows, i)
		}
	}
	if len(s.rows) == 0 && len(words) > 0 {
		for _, m := range fuzzy.FindFromNoSort(strings.Join(words, ""), names(s.entries)) {
			s.rows = append(s.rows, m.Index)
		}
	}
	s.scroll.Cursor = max(min(s.scroll.Cursor, len(s.rows)-1), 0)
}

func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

type names []model.ContextEntry

func (n names) String(i int) string { return n[i].Name }
func (n names) Len() int            { return len(n) }
