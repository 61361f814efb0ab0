package ui_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

// benchNodes is the size of the cluster in the design's table of measures.
const benchNodes = 5000

func scaled(tb testing.TB, nodes int) (*stage, *ui.App, *uitest.Cluster) {
	s := newStage(tb)
	scale := s.contexts.Add("scale", uitest.Scale(nodes))
	o := s.options("scale")
	o.Theme, o.Renderer = theme("dark"), renderer(termenv.TrueColor)
	m := ui.New(o)
	s.Start(m, 200, 50)
	s.Sees("node-00000")
	return s, m, scale
}

// change makes n pods restart once more.
func change(c *uitest.Cluster, round, n int) {
	var d model.Delta
	d.At = uitest.Now
	for i := range n {
		k := (round*n + i*37) % benchNodes
		p := uitest.Pod("load", fmt.Sprintf("pod-%d-%d", k, i%10), fmt.Sprintf("node-%05d", k), model.Owner{})
		p.Restart = round
		d.Objects = append(d.Objects, p)
	}
	c.Apply(d)
}

// BenchmarkKeyToFrame is the time from a key to the frame that shows it, without
// the terminal's own work.
func BenchmarkKeyToFrame(b *testing.B) {
	for name, keys := range map[string][]string{
		"line": {"down"}, "page": append(slices.Repeat([]string{"pgdown"}, 100), "home"), "ends": {"end", "home"}, "fold": {"left", "right"},
	} {
		b.Run(name, func(b *testing.B) {
			_, m, _ := scaled(b, benchNodes)
			took := make([]time.Duration, 0, b.N)
			b.ReportAllocs()
			for i := range b.N {
				start := time.Now()
				m.Update(uitest.Key(keys[i%len(keys)]))
				_ = m.View()
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkUpdateToFrame is the time from a snapshot with 125 changed pods, which
// is a quarter of a second at 500 changes a second, to its frame.
func BenchmarkUpdateToFrame(b *testing.B) {
	s, m, scale := scaled(b, benchNodes)
	b.ReportAllocs()
	for i := range b.N {
		b.StopTimer()
		change(scale, i+1, 125)
		b.StartTimer()
		s.Settle()
		_ = m.View()
	}
}

// BenchmarkIdleTick is what a second costs in which nothing happens.
func BenchmarkIdleTick(b *testing.B) {
	s, _, _ := scaled(b, benchNodes)
	b.ReportAllocs()
	for range b.N {
		s.Advance(time.Second)
	}
}

// TestFrameWorkDoesNotGrowWithTheCluster counts what a page allocates: five times the
// nodes must not cost more. Both clusters are larger than the pages turned.
func TestFrameWorkDoesNotGrowWithTheCluster(t *testing.T) {
	perKey := func(nodes int) float64 {
		_, m, _ := scaled(t, nodes)
		var msg tea.Msg = uitest.Key("pgdown")
		return testing.AllocsPerRun(20, func() {
			m.Update(msg)
			_ = m.View()
		})
	}
	small, large := perKey(benchNodes/5), perKey(benchNodes)
	if large > 1.1*small {
		t.Errorf("a page costs %.0f allocations at %d nodes and %.0f at %d", small, benchNodes/5, large, benchNodes)
	}
}
