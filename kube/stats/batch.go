package stats

import (
	"sync"
	"time"
)

// How long one answer about every node serves. The list of metrics.k8s.io holds all
// pods of the cluster, and metrics-server itself measures every 15 to 60 seconds.
const (
	prometheusServes = 15 * time.Second
	metricsServes    = time.Minute
)

// batch reads what a source knows of all nodes once, for whoever asks next.
type batch struct {
	mu   sync.Mutex
	read time.Time // UTC
	err  error
}

// wideError is a failure that concerns every node: asking for another one is no use.
type wideError struct{ error }

func (e wideError) Unwrap() error { return e.error }

// fresh reads anew where the last answer is old, and keeps the lock until unlock is
// called, so that what was read stays as it is meanwhile.
func (b *batch) fresh(now time.Time, serves time.Duration, read func() error) (unlock func(), err error) {
	b.mu.Lock()
	if b.read.IsZero() || now.Sub(b.read) >= serves {
		b.err = nil
		if err := read(); err != nil {
			b.err = wideError{err}
		}
		b.read = now.UTC()
	}
	return b.mu.Unlock, b.err
}
