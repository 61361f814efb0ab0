package kube

import (
	"net/http"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
)

// answering is a transport that answers after a while, with a Date.
type answering struct {
	clock *testclock.FakePassiveClock
	took  time.Duration
	date  string
}

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	a.clock.SetTime(a.clock.Now().Add(a.took))
	return &http.Response{Header: http.Header{"Date": {a.date}}}, nil
}

func TestServerClock(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		took  time.Duration
		date  string
		ahead time.Duration
		known bool
	}{
		{"the same", 0, now.Format(http.TimeFormat), time.Second, true}, // half a second, rounded
		{"seven minutes ahead", time.Second, now.Add(7 * time.Minute).Format(http.TimeFormat), 7 * time.Minute, true},
		{"behind", time.Second, now.Add(-time.Hour).Format(http.TimeFormat), -time.Hour, true},
		{"an answer that took its time", 3 * time.Second, now.Format(http.TimeFormat), 0, false},
		{"no Date", 0, "", 0, false},
		{"nonsense", 0, "noon", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testclock.NewFakePassiveClock(now)
			d := &datedTripper{next: answering{c, tt.took, tt.date}, clock: c}
			if _, err := d.RoundTrip(&http.Request{}); err != nil {
				t.Fatal(err)
			}
			ahead := d.ahead.Load()
			if (ahead != nil) != tt.known || ahead != nil && *ahead != tt.ahead {
				t.Errorf("ahead %v, want %v (known: %v)", ahead, tt.ahead, tt.known)
			}
		})
	}
}
