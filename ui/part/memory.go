package part

import (
	"strconv"
	"strings"
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/say"
)

// MemoryWords says what counts against what limit, "98 MiB of 256 commit", and the
// working set that only stands beside it, "41 working set"; empty where none is
// known.
func MemoryWords(m model.MemoryUse) (counts, beside string) {
	var amounts []int64
	if m.Used.Known() {
		amounts = append(amounts, m.Used.Value)
	}
	if m.Limit > 0 {
		amounts = append(amounts, m.Limit)
	}
	if m.Second.Known() {
		amounts = append(amounts, m.Second.Value)
	}
	texts := say.Amounts(amounts...)
	take := func(known bool) string {
		if !known {
			return unknown
		}
		text := texts[0]
		texts = texts[1:]
		return text
	}
	counts = take(m.Used.Known())
	if !m.NoLimit {
		counts += " of " + take(m.Limit > 0)
	}
	counts += " " + MemoryKind(m)
	if m.NoLimit {
		counts += ", no limit"
	}
	if m.Second.Known() {
		beside = take(true) + " working set"
	}
	return counts, beside
}

// MemoryKind is the word for what counts against the limit.
func MemoryKind(m model.MemoryUse) string {
	if m.Commit {
		return "commit"
	}
	return "working set"
}

// MemoryPercent prints used of limit: "38%", and "!93%" from the warning on. Where
// there is no limit it is neither 0 % nor 100 %.
func MemoryPercent(m model.MemoryUse) (string, Role) {
	r, ok := m.Ratio()
	switch {
	case !ok && m.NoLimit && m.Used.Known():
		return "–", Dim
	case !ok:
		return unknown, Warn
	default:
		return RatioText(r), MemoryRole(m)
	}
}

// RatioText prints a share of a limit: "38%", and "!93%" from the warning on.
func RatioText(r float64) string {
	if r >= model.WarnRatio {
		return "!" + strconv.Itoa(int(r*100+0.5)) + "%"
	}
	// What rounds up to the warning has not reached it.
	return strconv.Itoa(min(int(r*100+0.5), 89)) + "%"
}

// MemoryCell is what is used of what limit in a few cells: " 31% 2.9/9.2Gi", with
// "ws" behind a working set, so that it is not taken for commit, and with its age
// where it is old.
func MemoryCell(m model.MemoryUse, now time.Time) string {
	percent, _ := MemoryPercent(m)
	text := FitRight(percent, max(4, Width(percent)))
	if !m.Used.Known() && m.Limit <= 0 {
		return text
	}
	used, limit := unknown, unknown
	if m.Used.Known() {
		used = say.Bytes(m.Used.Value)
	}
	if m.Limit > 0 {
		limit = say.Bytes(m.Limit)
		used = strings.TrimSuffix(used, limit[len(strings.TrimRight(limit, "KMGTPEi")):])
	}
	text += " " + used
	if !m.NoLimit {
		text += "/" + limit
	}
	if !m.Commit {
		text += " ws"
	}
	if MemoryAged(m, now) {
		text += " " + say.Since(now, m.Used.Or(m.Second).At)
	}
	return text
}

// agedAfter is the age from which figures of what is on screen, which is read every
// ten seconds, have missed several readings.
const agedAfter = 2 * time.Minute

// MemoryAged reports whether figures of what is on screen are older than they should be.
func MemoryAged(m model.MemoryUse, now time.Time) bool {
	f := m.Used.Or(m.Second)
	return f.Known() && !f.At.IsZero() && now.Sub(f.At) >= agedAfter
}

// MemoryRole is the look of what is used: worse from the warning on, and bad where
// the kubelet evicts or nothing is left.
func MemoryRole(m model.MemoryUse) Role {
	switch {
	case !m.High():
		return Text
	case m.Used.Value >= m.Limit || m.Eviction > 0 && m.Used.Value >= m.Eviction:
		return Bad
	default:
		return Warn
	}
}

var sourceWords = map[model.StatsSource]string{
	model.FromSummary: "kubelet", model.FromExporter: "exporter", model.FromPrometheus: "Prometheus", model.FromMetrics: "metrics API",
}

// MemorySource prints where the figures were read and how old they are: "kubelet
// 7s"; empty where there are none.
func MemorySource(m model.MemoryUse, now time.Time) string {
	f := m.Used.Or(m.Second)
	if !f.Known() {
		return ""
	}
	return strings.TrimSpace(sourceWords[f.Source] + " " + say.Since(now, f.At))
}

// MemoryLeft prints the headroom, "?" where it is not known.
func MemoryLeft(m model.MemoryUse) string {
	switch left, ok := m.Headroom(); {
	case ok:
		return say.Bytes(left)
	case m.NoLimit:
		return "–"
	default:
		return unknown
	}
}
