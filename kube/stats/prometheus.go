package stats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	promodel "github.com/prometheus/common/model"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/model"
)

// ErrNoPrometheus says that there is none to ask.
var ErrNoPrometheus = errors.New("the config file names none, and no Service looks like one")

// Prometheus reads windows_exporter's series and those that kube-prometheus-stack
// records from a Prometheus. It asks with GET alone, so that it works read-only.
type Prometheus struct {
	URL    string         // of the config file; empty looks for a Service and asks through the service proxy
	HTTP   *http.Client   // for URL; without the cluster's credentials
	Client rest.Interface // of core/v1, for the service proxy
	Now    func() time.Time

	all     batch
	service *prometheusService
	series  *prometheusSeries
}

// Source says which source this is.
func (*Prometheus) Source() model.StatsSource { return model.FromPrometheus }

// Node returns what the last answer says of the node; it asks anew when that is old.
func (p *Prometheus) Node(ctx context.Context, n *model.NodeView, _ bool) (*model.Usage, error) {
	unlock, err := p.all.fresh(p.Now(), prometheusServes, func() error {
		found, err := p.query(ctx, prometheusQuery)
		if err != nil {
			p.service = nil // it may have moved
			return err
		}
		p.series = sortSeries(found)
		return nil
	})
	defer unlock()
	if err != nil {
		return nil, err
	}
	u := p.series.usage(n)
	u.Read = p.all.read
	if !u.Commit.Known() && !u.CommitLimit.Known() && len(u.Containers) == 0 {
		return nil, fmt.Errorf("it has no series of a windows_exporter on node %s", n.Name)
	}
	return u, nil
}

// prometheusAnswer is what the HTTP API of Prometheus sends.
type prometheusAnswer struct {
	Status string `json:"status"`
	Error  string `json:"error"`
	Data   struct {
		ResultType string                  `json:"resultType"`
		Result     []promodel.SampleStream `json:"result"`
	} `json:"data"`
}

func (p *Prometheus) query(ctx context.Context, q string) ([]promodel.SampleStream, error) {
	body, err := p.get(ctx, q)
	var a prometheusAnswer
	if json.Unmarshal(body, &a) == nil && a.Status == "error" {
		return nil, fmt.Errorf("it refuses the query: %s", shorten(a.Error))
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("what answers is no Prometheus: %w", err)
	}
	if a.Status != "success" || a.Data.ResultType != "matrix" {
		return nil, fmt.Errorf("what answers is no Prometheus: status %q, result %q", shorten(a.Status), shorten(a.Data.ResultType))
	}
	return a.Data.Result, nil
}

// prometheusQuery asks for all series over all nodes at once. A range tells when each
// sample was taken; an instant would give the time of the question. A target that is
// scraped once a minute has two samples in it.
var prometheusQuery = fmt.Sprintf("{__name__=~%q}[150s]", strings.Join([]string{
	seriesCommitted, seriesCommitLimit, seriesPhysical, recordedCommit, recordedWorkingSet, rawCommit, rawWorkingSet,
}, "|"))
