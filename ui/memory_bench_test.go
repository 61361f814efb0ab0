package ui_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

// usages are the figures of n nodes of uitest.Scale and of their pods, from the
// given node on.
func usages(round, from, n int) model.Delta {
	d := model.Delta{At: uitest.Now}
	for i := from; i < from+n; i++ {
		var containers []model.ContainerUsage
		for p := range 10 {
			pod := uitest.Pod("load", fmt.Sprintf("pod-%d-%d", i, p), "", model.Owner{})
			containers = append(containers, uitest.Uses(pod, "app", int64(50+i%70+round%7), 40))
		}
		name, used := fmt.Sprintf("node-%05d", i), int64(1000+(i*37+round*11)%7000)
		u := uitest.WindowsUsage(name, used, 8192, used/2, containers...)
		if i%2 == 1 {
			u = uitest.LinuxUsage(name, used, 8192, containers...)
		}
		u.Read = u.Read.Add(time.Duration(round) * 10 * time.Second)
		d.Objects = append(d.Objects, u)
	}
	return d
}

// scaledMemory is the memory screen of a large cluster.
func scaledMemory(tb testing.TB, nodes int) (*stage, *ui.App, *uitest.Cluster) {
	s, m, scale := scaled(tb, nodes)
	scale.Apply(usages(0, 0, nodes))
	s.Settle()
	s.Press("2")
	s.Sees("Memory · sort pressure")
	return s, m, scale
}

// BenchmarkMemoryKeyToFrame is the time from a key to the frame that shows it on the
// memory screen, with what a command arranges for it.
func BenchmarkMemoryKeyToFrame(b *testing.B) {
	for name, keys := range map[string][]string{
		"line": {"down"}, "page": append(slices.Repeat([]string{"pgdown"}, 100), "home"), "ends": {"end", "home"},
		"fold": {"right", "left"}, "sort": {"s"},
	} {
		b.Run(name, func(b *testing.B) {
			_, m, _ := scaledMemory(b, benchNodes)
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

// obey runs what a key has started, and what follows from it.
func obey(m tea.Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			obey(m, c)
		}
	default:
		_, next := m.Update(msg)
		obey(m, next)
	}
}

// BenchmarkMemoryUpdateToFrame is the time from a snapshot with new figures of 20
// nodes, which is more than a second of polling 500 Windows nodes, to its frame.
func BenchmarkMemoryUpdateToFrame(b *testing.B) {
	s, m, scale := scaledMemory(b, benchNodes)
	b.ReportAllocs()
	for i := range b.N {
		b.StopTimer()
		scale.Apply(usages(i+1, i*20%(benchNodes-20), 20))
		b.StartTimer()
		s.Settle()
		_ = m.View()
	}
}

// TestMemoryFrameWorkDoesNotGrowWithTheCluster counts what a page allocates: five
// times the nodes must not cost more.
func TestMemoryFrameWorkDoesNotGrowWithTheCluster(t *testing.T) {
	perKey := func(nodes int) float64 {
		_, m, _ := scaledMemory(t, nodes)
		msg := uitest.Key("pgdown")
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
