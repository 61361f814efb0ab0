package ui_test

import (
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

// scaledFindings is the findings screen of a large cluster, where every pod on Windows
// is one.
func scaledFindings(tb testing.TB, nodes int) (*stage, *ui.App, *uitest.Cluster) {
	s, m, scale := scaled(tb, nodes)
	s.Press("3")
	s.Sees("Findings by severity", "F06")
	return s, m, scale
}

// BenchmarkFindingsKeyToFrame is the time from a key to the frame that shows it on the
// findings screen, with what a command arranges for it.
func BenchmarkFindingsKeyToFrame(b *testing.B) {
	for name, keys := range map[string][]string{
		"line": {"down"}, "page": append(slices.Repeat([]string{"pgdown"}, 100), "home"), "ends": {"end", "home"}, "group": {"g"},
	} {
		b.Run(name, func(b *testing.B) {
			_, m, _ := scaledFindings(b, benchNodes)
			took := make([]time.Duration, 0, b.N)
			b.ReportAllocs()
			for i := range b.N {
				start := time.Now()
				_, cmd := m.Update(uitest.Key(keys[i%len(keys)]))
				obey(m, cmd)
				_ = m.View()
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkFindingsUpdate is the time from a snapshot with 125 changed pods to the
// frame that shows what was found in it.
func BenchmarkFindingsUpdate(b *testing.B) {
	s, _, scale := scaledFindings(b, benchNodes)
	b.ReportAllocs()
	for i := range b.N {
		b.StopTimer()
		change(scale, i+1, 125)
		s.Settle()
		b.StartTimer()
		s.Advance(2 * time.Second)
	}
}

// TestFindingsFrameWorkDoesNotGrow counts what a page of findings allocates: five times
// as many must not cost more.
func TestFindingsFrameWorkDoesNotGrow(t *testing.T) {
	perKey := func(nodes int) float64 {
		_, m, _ := scaledFindings(t, nodes)
		var msg tea.Msg = uitest.Key("pgdown")
		return testing.AllocsPerRun(20, func() {
			m.Update(msg)
			_ = m.View()
		})
	}
	small, large := perKey(benchNodes/25), perKey(benchNodes/5)
	if large > 1.1*small {
		t.Errorf("a page costs %.0f allocations at %d nodes and %.0f at %d", small, benchNodes/25, large, benchNodes/5)
	}
}
