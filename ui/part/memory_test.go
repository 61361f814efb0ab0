package part

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mullion-tui/mullion/model"
)

var measuredAt = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func mib(n int64) model.Figure {
	return model.Figure{Value: n << 20, At: measuredAt, Source: model.FromSummary}
}

func TestMemoryWords(t *testing.T) {
	for _, c := range []struct {
		use            model.MemoryUse
		counts, beside string
		percent, left  string
	}{
		{model.MemoryUse{Commit: true, Used: mib(98), Limit: 256 << 20, Second: mib(41)}, "98 MiB of 256 commit", "41 working set", "38%", "158Mi"},
		{model.MemoryUse{Used: mib(1229), Limit: 8 << 30}, "1.2 GiB of 8 working set", "", "15%", "6.8Gi"},
		{model.MemoryUse{Commit: true, Used: mib(500), Limit: 9 << 30, Second: mib(300)}, "500 MiB of 9 GiB commit", "300 MiB working set", "5%", "8.5Gi"},
		{model.MemoryUse{Commit: true, Used: mib(62), NoLimit: true, Second: mib(38)}, "62 MiB commit, no limit", "38 working set", "–", "–"},
		{model.MemoryUse{Commit: true, NoLimit: true}, "? commit, no limit", "", "?", "–"},
		{model.MemoryUse{Commit: true, Limit: 512 << 20, Second: mib(61)}, "? of 512 MiB commit", "61 working set", "?", "?"},
		{model.MemoryUse{Commit: true, Used: mib(2140), Second: mib(900)}, "2.1 GiB of ? commit", "900 MiB working set", "?", "?"},
		{model.MemoryUse{Commit: true}, "? of ? commit", "", "?", "?"},
		{model.MemoryUse{Used: mib(0), Limit: 64 << 20}, "0 B of 64 MiB working set", "", "0%", "64Mi"},
		{model.MemoryUse{Used: mib(897), Limit: 1000 << 20}, "897 MiB of 1000 working set", "", "89%", "103Mi"},
		{model.MemoryUse{Used: mib(900), Limit: 1000 << 20}, "900 MiB of 1000 working set", "", "!90%", "100Mi"},
		{model.MemoryUse{Used: mib(1040), Limit: 1000 << 20}, "1 GiB of 1000 MiB working set", "", "!104%", "-40Mi"},
	} {
		counts, beside := MemoryWords(c.use)
		percent, _ := MemoryPercent(c.use)
		if counts != c.counts || beside != c.beside || percent != c.percent || MemoryLeft(c.use) != c.left {
			t.Errorf("%q, %q, %q, %q; want %q, %q, %q, %q", counts, beside, percent, MemoryLeft(c.use), c.counts, c.beside, c.percent, c.left)
		}
	}
}

func TestMemoryRole(t *testing.T) {
	use := model.MemoryUse{Limit: 1000 << 20, Eviction: 950 << 20}
	for used, want := range map[int64]Role{899: Text, 900: Warn, 949: Warn, 950: Bad, 1000: Bad} {
		use.Used = mib(used)
		if got := MemoryRole(use); got != want {
			t.Errorf("%d of 1000 MiB: role %d, want %d", used, got, want)
		}
	}
}

func TestMemorySource(t *testing.T) {
	use := model.MemoryUse{Second: mib(1)}
	use.Second.Source = model.FromMetrics
	if got := MemorySource(use, measuredAt.Add(7*time.Second)); got != "metrics API 7s" {
		t.Errorf("%q", got)
	}
	if got := MemorySource(model.MemoryUse{}, measuredAt); got != "" {
		t.Errorf("nothing known, but it says %q", got)
	}
}

func TestMemoryBar(t *testing.T) {
	for _, c := range []struct {
		name string
		use  model.MemoryUse
		w    int
		want string
	}{
		{"a third, half a working set", model.MemoryUse{Commit: true, Used: mib(2936), Limit: 9471 << 20, Second: mib(1292), Eviction: 8971 << 20}, 22, "├━━◇━━━───────────┼×─┤"},
		{"nothing", model.MemoryUse{Used: mib(0), Limit: 100 << 20}, 12, "├────────┼─┤"},
		{"a little is seen", model.MemoryUse{Used: mib(1), Limit: 1 << 40}, 12, "├╾───────┼─┤"},
		{"nearly all", model.MemoryUse{Used: mib(99), Limit: 100 << 20}, 12, "├━━━━━━━━┿╾┤"},
		{"beyond", model.MemoryUse{Used: mib(300), Limit: 100 << 20}, 12, "├━━━━━━━━┿━┤"},
		{"no room for both lines", model.MemoryUse{Used: mib(50), Limit: 100 << 20, Eviction: 99 << 20}, 6, "├━━┼×┤"},
		{"not known", model.MemoryUse{Commit: true, Limit: 100 << 20}, 12, "├────────┼─┤"},
		{"a working set alone is no commit", model.MemoryUse{Commit: true, Limit: 100 << 20, Second: mib(50)}, 12, "├─────◇──┼─┤"},
		{"no limit known", model.MemoryUse{Commit: true, Used: mib(5)}, 12, "?           "},
		{"no limit", model.MemoryUse{Used: mib(5), NoLimit: true}, 12, "┄┄┄┄┄┄┄┄┄┄┄┄"},
	} {
		if got := drawn(MemoryBar(c.use, c.w)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func drawn(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Whatever is measured, a bar and a sparkline are exactly as wide as asked for.
func TestMemoryDrawingsKeepTheirWidth(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		figure := func(label string) model.Figure {
			f := model.Figure{Value: rapid.Int64().Draw(r, label), At: measuredAt, Source: model.FromSummary}
			if rapid.Bool().Draw(r, label+" unknown") {
				f = model.Figure{}
			}
			return f
		}
		use := model.MemoryUse{Commit: rapid.Bool().Draw(r, "commit"), Used: figure("used"), Second: figure("second"),
			Limit: rapid.Int64().Draw(r, "limit"), Eviction: rapid.Int64().Draw(r, "eviction"), NoLimit: rapid.Bool().Draw(r, "no limit")}
		w := rapid.IntRange(0, 60).Draw(r, "w")
		if got := Width(drawn(MemoryBar(use, w))); got != w {
			t.Fatalf("the bar takes %d cells of %d", got, w)
		}
		var history []model.Sample
		for i := range rapid.IntRange(0, 70).Draw(r, "samples") {
			history = append(history, model.Sample{At: measuredAt.Add(time.Duration(i) * 31 * time.Second), Used: rapid.Int64Min(0).Draw(r, "sample")})
		}
		if got := Width(Spark(history, use.Limit, w)); got != w {
			t.Fatalf("the sparkline takes %d cells of %d", got, w)
		}
	})
}

func TestSpark(t *testing.T) {
	at := func(minute int, used int64) model.Sample {
		return model.Sample{At: measuredAt.Add(time.Duration(minute) * time.Minute), Used: used}
	}
	for _, c := range []struct {
		name    string
		history []model.Sample
		limit   int64
		want    string
	}{
		{"none", nil, 100, "          "},
		{"one", []model.Sample{at(0, 5)}, 0, "         ▁"},
		{"a climb with a gap", []model.Sample{at(0, 10), at(3, 20), at(12, 50), at(27, 90)}, 100, "▁▂  ▅    █"},
		{"calm", []model.Sample{at(0, 500), at(15, 501), at(27, 500)}, 1000, "▄    ▅   ▄"},
		{"older than half an hour", []model.Sample{at(-60, 1), at(27, 90)}, 0, "         ▁"},
	} {
		if got := Spark(c.history, c.limit, 10); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
