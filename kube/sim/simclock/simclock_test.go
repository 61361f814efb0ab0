package simclock_test

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"

	"github.com/mullion-tui/mullion/kube/sim/simclock"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// diary is a part that writes down when it was let do what was due; some of it plans more.
type diary struct {
	clk  *testclock.FakeClock
	due  []time.Time
	did  []time.Time
	more map[time.Time]time.Duration
	fail error
}

func (d *diary) Settle(context.Context) (int, error) {
	n := 0
	for len(d.due) > 0 && !d.due[0].After(d.clk.Now()) {
		at := d.due[0]
		d.due = d.due[1:]
		d.did = append(d.did, d.clk.Now())
		if wait, ok := d.more[at]; ok {
			d.due = append(d.due, d.clk.Now().Add(wait))
			sort.Slice(d.due, func(i, j int) bool { return d.due[i].Before(d.due[j]) })
		}
		n++
	}
	return n, d.fail
}

func (d *diary) Next() (time.Time, bool) {
	if len(d.due) == 0 {
		return time.Time{}, false
	}
	return d.due[0], true
}

func TestAdvanceStopsAtEveryMomentThatIsDue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clk := testclock.NewFakeClock(noon)
		parts := []*diary{}
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			d := &diary{clk: clk, more: map[time.Time]time.Duration{}}
			for _, s := range rapid.SliceOfN(rapid.IntRange(0, 90), 0, 8).Draw(t, "due") {
				at := noon.Add(time.Duration(s) * time.Second)
				d.due = append(d.due, at)
				if rapid.Bool().Draw(t, "plans more") {
					d.more[at] = time.Duration(rapid.IntRange(1, 40).Draw(t, "wait")) * time.Second
				}
			}
			sort.Slice(d.due, func(i, j int) bool { return d.due[i].Before(d.due[j]) })
			parts = append(parts, d)
		}
		first := [][]time.Time{}
		var asParts []simclock.Part
		for _, d := range parts {
			first = append(first, append([]time.Time{}, d.due...))
			asParts = append(asParts, d)
		}
		if err := simclock.Advance(context.Background(), clk, time.Minute, asParts...); err != nil {
			t.Fatal(err)
		}
		end := noon.Add(time.Minute)
		if !clk.Now().Equal(end) {
			t.Fatalf("the clock shows %s", clk.Now())
		}
		for i, d := range parts {
			done := map[string]int{}
			for _, at := range d.did {
				done[fmt.Sprint(at)]++
			}
			for _, at := range first[i] {
				if at.After(end) {
					continue
				}
				if done[fmt.Sprint(at)] == 0 {
					t.Fatalf("nothing was done at %s, when it was due; done at %v", at, d.did)
				}
			}
			if next, ok := d.Next(); ok && !next.After(end) {
				t.Fatalf("left over at %s", next)
			}
		}
	})
}

func TestAdvanceStopsAtAnError(t *testing.T) {
	clk := testclock.NewFakeClock(noon)
	broken := errors.New("broken")
	if err := simclock.Advance(context.Background(), clk, time.Minute, &diary{clk: clk, fail: broken}); !errors.Is(err, broken) || !clk.Now().Equal(noon) {
		t.Errorf("error %v at %s", err, clk.Now())
	}
}

// What is compared here is a fast clock with real time that has surely passed, never with a limit.
func TestFastClock(t *testing.T) {
	f := simclock.NewFast(noon, 1e6)
	if f.Now().Before(noon) {
		t.Error("it starts before its start")
	}
	before := f.Now()
	timer := f.NewTimer(time.Hour) // 3.6 ms
	if at := <-timer.C(); at.Sub(before) < time.Hour {
		t.Errorf("the timer fired after %s", at.Sub(before))
	}
	if timer.Stop() || timer.Reset(time.Hour) {
		t.Error("a timer that fired says that it was running")
	}
	<-timer.C()
	ticker := f.NewTicker(time.Hour)
	first, second := <-ticker.C(), <-ticker.C()
	ticker.Stop()
	if second.Before(first) || f.Since(first) < 0 {
		t.Errorf("ticks at %s and %s", first, second)
	}
	<-f.After(time.Minute)
	f.Sleep(time.Minute)
	stopped := f.NewTimer(1e6 * time.Hour)
	if !stopped.Stop() {
		t.Error("a timer that waits cannot be stopped")
	}
}
