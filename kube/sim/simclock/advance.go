package simclock

import (
	"context"
	"time"
)

// Settable is a clock that a test sets, such as k8s.io/utils/clock/testing.FakeClock.
type Settable interface {
	Now() time.Time
	SetTime(time.Time)
}

// Part is a part of the simulation that can be stepped through time.
type Part interface {
	// Settle does all that is due until nothing is left, and returns how many things it did.
	Settle(ctx context.Context) (int, error)
	// Next is when the part has something to do next; false when it only waits for others.
	Next() (time.Time, bool)
}

// Settle lets all parts do what is due now, again and again, until none of them finds anything to do.
func Settle(ctx context.Context, parts ...Part) error {
	for {
		did := 0
		for _, p := range parts {
			n, err := p.Settle(ctx)
			if err != nil {
				return err
			}
			did += n
		}
		if did == 0 {
			return nil
		}
	}
}

// Advance moves the clock by d, stopping at every moment at which a part has something to do, and settles there. The order
// is the same in every run. It returns the first error of a part; the clock then stands where it happened.
func Advance(ctx context.Context, c Settable, d time.Duration, parts ...Part) error {
	end := c.Now().Add(d)
	for {
		if err := Settle(ctx, parts...); err != nil {
			return err
		}
		stop := end
		for _, p := range parts {
			if at, ok := p.Next(); ok && at.Before(stop) {
				stop = at
			}
		}
		if !c.Now().Before(end) {
			return nil
		}
		if stop.After(c.Now()) {
			c.SetTime(stop)
		}
	}
}
