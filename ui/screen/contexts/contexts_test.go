package contexts

import (
	"fmt"
	"reflect"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/uitest"
)

// commands unfolds what a screen wants to run.
func commands(cmd tea.Cmd) []tea.Cmd {
	if cmd == nil {
		return nil
	}
	if batch, ok := cmd().(tea.BatchMsg); ok {
		return batch
	}
	return []tea.Cmd{cmd}
}

func many(t *testing.T, n int) *Screen {
	t.Helper()
	c := uitest.NewContexts()
	for i := range n {
		c.Add(fmt.Sprintf("ctx-%02d", i), model.Delta{})
	}
	s := New(c)
	s.Size(40)
	_, cmd := s.Update(s.Enter()())
	if got := len(commands(cmd)); got != min(n, probes) {
		t.Fatalf("%d servers are asked at once, want %d", got, min(n, probes))
	}
	return s
}

func TestServersAreAskedAFewAtATime(t *testing.T) {
	s := many(t, 20)
	_, cmd := s.Update(probed{round: s.round, name: "ctx-00", probe: model.Probe{OK: true}})
	if got := len(commands(cmd)); got != 1 {
		t.Errorf("one answer started %d probes", got)
	}
}

func TestProbesOfAnEarlierRoundAreDropped(t *testing.T) {
	s := many(t, 3)
	late := probed{round: s.round, name: "ctx-00", probe: model.Probe{OK: true}}
	s.List()
	s.Update(late)
	if len(s.answers) != 0 {
		t.Error("an answer from before the reload was taken")
	}
}

func TestNobodyIsAskedWhileNobodyLooks(t *testing.T) {
	s := many(t, 20)
	s.Leave()
	if _, cmd := s.Update(probed{round: s.round, name: "ctx-00"}); len(commands(cmd)) != 0 {
		t.Error("a server was asked after the screen was left")
	}
}

func TestFilter(t *testing.T) {
	s := New(uitest.NewContexts())
	s.entries = []model.ContextEntry{
		{Name: "prod eu", Server: "https://eu.example", User: "ops"},
		{Name: "prod us", Server: "https://us.example", User: "dev"},
		{Name: "staging", Server: "https://stage.example", User: "ops"},
	}
	for filter, want := range map[string][]int{
		"":         {0, 1, 2},
		"prod":     {0, 1},
		"prod ops": {0},
		"OPS":      {0, 2},
		"pdu":      {0, 1},
		"stg":      {2},
		"zzz":      nil,
	} {
		s.filter, s.rows = filter, nil
		s.match()
		if !reflect.DeepEqual(s.rows, want) && len(s.rows)+len(want) > 0 {
			t.Errorf("%q finds %v, want %v", filter, s.rows, want)
		}
	}
}
