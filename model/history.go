package model

import "time"

// Sample is a node's memory at one moment, for a sparkline.
type Sample struct {
	At   time.Time // UTC
	Used int64     // bytes: commit on Windows, working set elsewhere
}

// historySpan and historySize bound what is remembered: half an hour in samples of
// thirty seconds. A node that is polled faster keeps the newest of each slot.
const (
	historySpan = 30 * time.Minute
	historySize = 60
	historySlot = historySpan / historySize
)

// history is a node's last half hour. What view hands out is never written again.
type history struct {
	samples []Sample // oldest first, at most historySize
	shared  bool
}

func (h *history) add(s Sample) {
	if h.shared {
		h.samples, h.shared = append(make([]Sample, 0, historySize), h.samples...), false
	}
	n := len(h.samples)
	switch {
	case n > 0 && !s.At.After(h.samples[n-1].At):
		return
	case n > 0 && s.At.Truncate(historySlot).Equal(h.samples[n-1].At.Truncate(historySlot)):
		h.samples[n-1] = s
	case n == historySize:
		copy(h.samples, h.samples[1:])
		h.samples[n-1] = s
	default:
		h.samples = append(h.samples, s)
	}
}

func (h *history) view() []Sample {
	if h == nil {
		return nil
	}
	h.shared = true
	return h.samples
}
