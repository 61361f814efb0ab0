package kube

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/kube/stats"
)

// statsQPS bounds the polling of a big cluster: 500 Windows nodes every 30 seconds
// are 17 requests a second. It is apart from the watches, which must not wait for it.
const statsQPS = 40

func (s *Session) newPoller(config *rest.Config) (*stats.Poller, error) {
	own := rest.CopyConfig(config)
	own.QPS, own.Burst = statsQPS, statsQPS
	client, err := kubernetes.NewForConfigAndClient(own, s.httpClient)
	if err != nil {
		return nil, err
	}
	core := client.CoreV1().RESTClient()
	sources := []stats.Source{
		stats.Summary{Client: core, Now: s.clock.Now},
		stats.Exporter{Client: core, Now: s.clock.Now},
	}
	return stats.NewPoller(sources, s.clock, Explain, s.pending.putUsage), nil
}

// Look says which nodes are on screen: their memory is read more often.
func (s *Session) Look(nodes []string) { s.poller.Look(nodes) }
