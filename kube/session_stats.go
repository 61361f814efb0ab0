package kube

import (
	"net/http"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	metrics "k8s.io/metrics/pkg/client/clientset/versioned"

	"github.com/mullion-tui/mullion/kube/stats"
)

// statsQPS bounds the polling of a big cluster: 500 Windows nodes every 30 seconds
// are 17 requests a second, or 33 where an exporter is asked too. The first round may
// go faster: the poller has but eight requests under way at a time. Both are apart
// from the watches, which must not wait for them.
const (
	statsQPS   = 40
	statsBurst = 1000
)

// newPoller makes the sources of figures, best first.
func (s *Session) newPoller(config *rest.Config, prometheus string) (*stats.Poller, error) {
	own := rest.CopyConfig(config)
	own.QPS, own.Burst = statsQPS, statsBurst
	client, err := kubernetes.NewForConfigAndClient(own, s.httpClient)
	if err != nil {
		return nil, err
	}
	measured, err := metrics.NewForConfigAndClient(own, s.httpClient)
	if err != nil {
		return nil, err
	}
	// It must not carry the cluster's credentials.
	s.beside = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	core := client.CoreV1().RESTClient()
	return stats.NewPoller([]stats.Source{
		stats.Summary{Client: core, Now: s.clock.Now},
		stats.Exporter{Client: core, Now: s.clock.Now},
		&stats.Prometheus{URL: prometheus, HTTP: s.beside, Client: core, Now: s.clock.Now},
		&stats.Metrics{Client: measured, Now: s.clock.Now},
	}, s.clock, Explain, s.pending.putUsage), nil
}

// Look says which nodes are on screen: their memory is read more often.
func (s *Session) Look(nodes []string) { s.poller.Look(nodes) }
