// Package simclock holds the clocks of the simulation: one that runs faster than real time, for the demo, and the way to
// move a test's clock so that everything that falls due on the way is done, in order and without sleeping.
package simclock

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Fast is a clock that runs a number of times faster than real time.
type Fast struct {
	began time.Time // real, with its monotonic reading
	start time.Time
	speed float64
}

var _ clock.WithTicker = (*Fast)(nil)

// NewFast makes a clock that shows start now and runs speed times faster than real time; a speed of 0 or less is taken as 1.
func NewFast(start time.Time, speed float64) *Fast {
	if speed <= 0 {
		speed = 1
	}
	return &Fast{began: time.Now(), start: start, speed: speed}
}

// Now is the clock's time.
func (f *Fast) Now() time.Time {
	return f.start.Add(time.Duration(float64(time.Since(f.began)) * f.speed))
}

// Since is the clock's time since t.
func (f *Fast) Since(t time.Time) time.Duration { return f.Now().Sub(t) }

// After is NewTimer's channel.
func (f *Fast) After(d time.Duration) <-chan time.Time { return f.NewTimer(d).C() }

// Tick is NewTicker's channel.
func (f *Fast) Tick(d time.Duration) <-chan time.Time { return f.NewTicker(d).C() }

// Sleep waits for d of the clock's time.
func (f *Fast) Sleep(d time.Duration) { time.Sleep(f.real(d)) }

// real is how long d of the clock's time takes; never 0 for a positive d, so that no ticker spins.
func (f *Fast) real(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return max(time.Duration(float64(d)/f.speed), time.Microsecond)
}

// NewTimer makes a timer that sends the clock's time once, after d of it.
func (f *Fast) NewTimer(d time.Duration) clock.Timer {
	t := &timer{f: f, c: make(chan time.Time, 1)}
	t.t = time.AfterFunc(f.real(d), t.fire)
	return t
}

// NewTicker makes a ticker that sends the clock's time every d of it; d must be positive, as for the real clock.
func (f *Fast) NewTicker(d time.Duration) clock.Ticker {
	if d <= 0 {
		panic("simclock: a ticker needs a positive period")
	}
	k := &ticker{timer: timer{f: f, c: make(chan time.Time, 1)}, period: f.real(d)}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.t = time.AfterFunc(k.period, k.fire)
	return k
}

type timer struct {
	f *Fast
	c chan time.Time
	t *time.Timer
}

func (t *timer) C() <-chan time.Time { return t.c }
func (t *timer) Stop() bool          { return t.t.Stop() }

func (t *timer) Reset(d time.Duration) bool { return t.t.Reset(t.f.real(d)) }

// fire drops a beat that nobody took, as the real timers do.
func (t *timer) fire() {
	select {
	case t.c <- t.f.Now():
	default:
	}
}

type ticker struct {
	timer
	period time.Duration
	mu     sync.Mutex
	ended  bool
}

func (k *ticker) Stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	k.t.Stop()
}

func (k *ticker) fire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return
	}
	k.timer.fire()
	k.t.Reset(k.period)
}
