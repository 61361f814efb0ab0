package kube

import (
	"net/http"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/utils/clock"
)

// quickAnswer is how long an answer may take whose Date says what time it is.
const quickAnswer = 2 * time.Second

// datedTripper compares the Date of the API server's answers with the clock of this
// machine. Date has a resolution of a second.
type datedTripper struct {
	next  http.RoundTripper
	clock clock.PassiveClock
	ahead atomic.Pointer[time.Duration]
}

var _ utilnet.RoundTripperWrapper = (*datedTripper)(nil)

// WrappedRoundTripper lets client-go reach the transport to close idle connections.
func (d *datedTripper) WrappedRoundTripper() http.RoundTripper { return d.next }

// RoundTrip sends req, and notes the Date of a quick answer.
func (d *datedTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := d.clock.Now()
	resp, err := d.next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	took := d.clock.Since(sent)
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil && took < quickAnswer {
		ahead := date.Add(time.Second / 2).Sub(sent.Add(took / 2)).Round(time.Second)
		d.ahead.Store(&ahead)
	}
	return resp, nil
}
