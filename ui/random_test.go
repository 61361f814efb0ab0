package ui_test

import (
	"errors"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

var anyKey = []string{
	"up", "down", "left", "right", "enter", "esc", "tab", "shift+tab", "backspace", "home", "end", "pgup", "pgdown",
	"space", "/", ":", "?", "c", "g", "s", "S", "U", "f", "r", "y", "1", "2", "2", "3", "3", "h", "j", "k", "l", "G", "-", "+", "=",
	"a", "n", "t", "w", "x", "0", "!", "节", "👩‍👩‍👧‍👦", "\x1b[2J",
}

// nasty adds a hostile cluster, and contexts all of whose strings are hostile.
func nasty(s *stage) {
	hostile := s.contexts.Add("hostile", uitest.Hostile())
	hostile.ReadOnly, hostile.Server = uitest.Nasty[0], uitest.Nasty[3]
	for i, text := range uitest.Nasty {
		t := func(k int) string { return uitest.Nasty[(i+k)%len(uitest.Nasty)] }
		hostile.Events = append(hostile.Events, model.Event{Type: t(1), Reason: text, Message: t(2), Source: t(3)})
		s.contexts.AddEntry(model.ContextEntry{Name: text, Cluster: t(1), Server: t(2), User: t(3), Namespace: t(4), File: t(5), Problem: t(6)})
		bad := s.contexts.Add("bad-"+text, model.Delta{})
		bad.OpenErr, bad.Probe = errors.New(t(7)), model.Probe{Error: t(8)}
	}
}

// TestAnyKeysAtAnySize presses whatever there is while the cluster changes. The
// pump checks every frame: its height, the width of its lines, and no panic.
func TestAnyKeysAtAnySize(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := newStage(t)
		nasty(s)
		s.contexts.Add("empty", model.Delta{Feeds: uitest.Synced(nil)})
		used := s.contexts.Add("memory", uitest.Memory())
		s.contexts.Add("trouble", uitest.Trouble())
		s.Start(ui.New(s.options(rapid.SampledFrom([]string{"", "lab", "fleet", "memory", "trouble", "hostile", "empty", "nowhere"}).Draw(r, "start"))), 80, 24)
		r.Repeat(map[string]func(*rapid.T){
			"key": func(r *rapid.T) { s.Press(rapid.SampledFrom(anyKey).Draw(r, "key")) },
			"resize": func(r *rapid.T) {
				s.Resize(rapid.IntRange(1, 310).Draw(r, "w"), rapid.IntRange(1, 70).Draw(r, "h"))
			},
			"mouse": func(r *rapid.T) {
				s.Send(tea.MouseMsg{
					X: rapid.IntRange(-1, 310).Draw(r, "x"), Y: rapid.IntRange(-1, 70).Draw(r, "y"),
					Button: tea.MouseButton(rapid.IntRange(0, 6).Draw(r, "button")),
					Action: tea.MouseAction(rapid.IntRange(0, 2).Draw(r, "action")),
				})
			},
			"time": func(r *rapid.T) {
				s.Advance(time.Duration(rapid.IntRange(0, 100000).Draw(r, "s")) * time.Second)
			},
			"command": func(r *rapid.T) {
				s.command(rapid.SampledFrom([]string{"nodes", "memory", "findings", "contexts", "context memory", "context trouble", "context lab", "context hostile", "theme light", "theme", "mouse", "help", "feeds", "x"}).Draw(r, "command"))
			},
			"node goes": func(r *rapid.T) {
				s.fleet.Apply(model.Delta{At: s.Clock(), Gone: []model.Key{{Kind: model.KindNode, Name: rapid.SampledFrom([]string{"win25-01", "win25-02", "lin-01"}).Draw(r, "node")}}})
				s.Settle()
			},
			"node changes": func(r *rapid.T) {
				n := uitest.Windows("win25-0"+rapid.StringMatching("[1-9]").Draw(r, "node"), "10.0.20348", rapid.IntRange(0, 9999).Draw(r, "revision"))
				n.Unschedulable = rapid.Bool().Draw(r, "cordoned")
				s.fleet.Apply(model.Delta{At: s.Clock(), Objects: []model.Object{n}})
				s.Settle()
			},
			"memory changes": func(r *rapid.T) {
				figure := func(label string) int64 { return rapid.Int64Range(-1, 1<<40).Draw(r, label) }
				node := rapid.SampledFrom([]string{"win-full", "k8s-lab-win-1", "k8s-lab-node-1", "win-unasked"}).Draw(r, "node")
				used.Apply(model.Delta{At: s.Clock(), Objects: []model.Object{uitest.WindowsUsage(node, figure("commit"), figure("limit"), figure("working set"))}})
				s.Settle()
			},
			"all nodes go": func(*rapid.T) {
				s.lab.Apply(model.Delta{At: s.Clock(), Reset: []model.Kind{model.KindNode}})
				s.Settle()
			},
		})
	})
}
