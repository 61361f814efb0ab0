package stats

import (
	"sync"
	"time"
)

// batchFor is how long one answer about every node serves.
const batchFor = 15 * time.Second

// batch reads what a source knows of all nodes once, for whoever asks next.
type batch struct {
	mu   sync.Mutex
	read time.Time // UTC
	err  error
}

// fresh reads anew where the last answer is old, and keeps the lock until unlock is
// called, so that what was read stays as it is meanwhile.
func (b *batch) fresh(now time.Time, read func() error) (unlock func(), err error) {
	b.mu.Lock()
	if b.read.IsZero() || now.Sub(b.read) >= batchFor {
		b.err = read()
		b.read = now.UTC()
	}
	return b.mu.Unlock, b.err
}
