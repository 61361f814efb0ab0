package stats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	promodel "github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/model"
)

// ErrNoPrometheus says that there is none to ask.
var ErrNoPrometheus = errors.New("no Prometheus: the config file names none, and no Service looks like one")

// Prometheus reads windows_exporter's series and those that kube-prometheus-stack
// records from a Prometheus. It asks with GET alone, so that it works read-only.
type Prometheus struct {
	URL    string         // of the config file; empty looks for a Service and asks through the service proxy
	HTTP   *http.Client   // for URL
	Client rest.Interface // of core/v1, for the service proxy
	Now    func() time.Time

	all     batch
	service *corev1.Service
	series  []promodel.Sample
}

// Source says which source this is.
func (*Prometheus) Source() model.StatsSource { return model.FromPrometheus }

// prometheusSeries are asked for at once, over all nodes. The recorded ones carry
// the pod's true labels; in the raw ones those of the scraped exporter stand in
// their place, and the pod's are exported_… (kube-prometheus-stack, seed 001).
var prometheusSeries = []string{
	"windows_memory_committed_bytes", "windows_memory_commit_limit", "windows_memory_physical_total_bytes",
	"windows_container_memory_usage", "windows_container_private_working_set_usage",
	"windows_container_memory_usage_commit_bytes", "windows_container_memory_usage_private_working_set_bytes",
}

// Node returns what the last answer says of the node; it asks anew when that is old.
func (p *Prometheus) Node(ctx context.Context, n *model.NodeView, _ bool) (*model.Usage, error) {
	if n.OS != model.OSWindows {
		return &model.Usage{Node: n.Name, Read: p.Now().UTC()}, nil
	}
	unlock, err := p.all.fresh(p.Now(), func() (err error) {
		p.series, err = p.query(ctx, fmt.Sprintf("{__name__=~%q}", strings.Join(prometheusSeries, "|")))
		return err
	})
	defer unlock()
	if err != nil {
		return nil, err
	}
	return p.usage(n), nil
}

func (p *Prometheus) usage(n *model.NodeView) *model.Usage {
	u := &model.Usage{Node: n.Name, Read: p.all.read}
	names := containersByID(n)
	containers := map[string]*model.ContainerUsage{}
	for i := range p.series {
		s := &p.series[i]
		f := prometheusFigure(s)
		if !f.Known() {
			continue
		}
		name := string(s.Metric[promodel.MetricNameLabel])
		if strings.HasPrefix(name, "windows_memory_") {
			if isOf(s.Metric, n) {
				set(map[string]*model.Figure{
					"windows_memory_committed_bytes": &u.Commit, "windows_memory_commit_limit": &u.CommitLimit, "windows_memory_physical_total_bytes": &u.Physical,
				}[name], f)
			}
			continue
		}
		who, ok := prometheusContainer(s.Metric, n, names)
		if !ok {
			continue
		}
		key := who.Namespace + "/" + who.Pod + "/" + who.Container
		if containers[key] == nil {
			containers[key] = &who
		}
		if strings.Contains(name, "private_working_set") {
			set(&containers[key].WorkingSet, f)
		} else {
			set(&containers[key].Commit, f)
		}
	}
	for _, c := range containers {
		u.Containers = append(u.Containers, *c)
	}
	u.SortContainers()
	return u
}

// set keeps the newer of two series that say the same: a target that was renamed
// stays in Prometheus for five minutes.
func set(to *model.Figure, f model.Figure) {
	if !to.Known() || f.At.After(to.At) {
		*to = f
	}
}

func prometheusFigure(s *promodel.Sample) model.Figure {
	v := float64(s.Value)
	if !(v >= 1 && v < 1<<62) { // NaN too
		return model.Figure{}
	}
	return model.Figure{Value: int64(v), At: s.Timestamp.Time().UTC(), Source: model.FromPrometheus}
}

// isOf finds the node of a series by its label node, or by the address of the
// scraped target.
func isOf(m promodel.Metric, n *model.NodeView) bool {
	if node := string(m["node"]); node != "" {
		return node == n.Name
	}
	host, _, err := net.SplitHostPort(string(m[promodel.InstanceLabel]))
	if err != nil {
		host = string(m[promodel.InstanceLabel])
	}
	if host == n.Name {
		return true
	}
	for _, a := range n.Addresses {
		if a.Addr == host {
			return true
		}
	}
	return false
}

// prometheusContainer finds which container of the node a series is about.
func prometheusContainer(m promodel.Metric, n *model.NodeView, names map[string]model.ContainerUsage) (model.ContainerUsage, bool) {
	if who, ok := names[bareID(string(m["container_id"]))]; ok {
		return who, true
	}
	for _, prefix := range []string{"exported_", ""} {
		who := model.ContainerUsage{
			Namespace: string(m[promodel.LabelName(prefix+"namespace")]),
			Pod:       string(m[promodel.LabelName(prefix+"pod")]), Container: string(m[promodel.LabelName(prefix+"container")]),
		}
		if who.Pod == "" || who.Container == "" {
			continue
		}
		for _, p := range n.Pods {
			if p.Namespace == who.Namespace && p.Name == who.Pod {
				return who, true
			}
		}
		if prefix != "" {
			return model.ContainerUsage{}, false // a pod of another node: the plain labels name the exporter
		}
	}
	return model.ContainerUsage{}, false
}

// answer is what the HTTP API of Prometheus sends.
type answer struct {
	Status string `json:"status"`
	Error  string `json:"error"`
	Data   struct {
		ResultType string            `json:"resultType"`
		Result     []promodel.Sample `json:"result"`
	} `json:"data"`
}

func (p *Prometheus) query(ctx context.Context, q string) ([]promodel.Sample, error) {
	body, err := p.get(ctx, url.Values{"query": {q}})
	var a answer
	if json.Unmarshal(body, &a) == nil && a.Error != "" {
		return nil, fmt.Errorf("Prometheus refuses the query: %s", a.Error)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &a); err != nil || a.Status != "success" || a.Data.ResultType != "vector" {
		return nil, fmt.Errorf("what answers is no Prometheus: %w", errors.Join(err, fmt.Errorf("status %q, result %q", a.Status, a.Data.ResultType)))
	}
	return a.Data.Result, nil
}

// get returns the body also beside an error: Prometheus explains itself in it.
func (p *Prometheus) get(ctx context.Context, q url.Values) ([]byte, error) {
	if p.URL != "" {
		return p.getURL(ctx, q)
	}
	if err := p.find(ctx); err != nil {
		return nil, err
	}
	port := "http-web"
	if len(p.service.Spec.Ports) > 0 {
		port = fmt.Sprint(p.service.Spec.Ports[0].Port)
	}
	req := p.Client.Get().Namespace(p.service.Namespace).Resource("services").Name("http:"+p.service.Name+":"+port).
		SubResource("proxy").Suffix("api", "v1", "query").MaxRetries(0)
	for k, v := range q {
		req = req.Param(k, v[0])
	}
	body, err := req.Do(ctx).Raw()
	if err != nil {
		err = fmt.Errorf("ask Prometheus through service %s/%s: %w", p.service.Namespace, p.service.Name, err)
	}
	return body, err
}

func (p *Prometheus) getURL(ctx context.Context, q url.Values) ([]byte, error) {
	target, err := url.Parse(p.URL)
	if err != nil {
		return nil, fmt.Errorf("the Prometheus URL of the config file: %w", err)
	}
	target = target.JoinPath("api", "v1", "query")
	target.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("the Prometheus URL of the config file: %w", err)
	}
	res, err := p.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask Prometheus: %w", err)
	}
	defer res.Body.Close()
	return readLimited(res)
}

// prometheusSelectors find the Service of the operator, of kube-prometheus-stack and
// of the plain chart.
var prometheusSelectors = []string{
	"app=kube-prometheus-stack-prometheus", "operated-prometheus=true", "app.kubernetes.io/name=prometheus",
}

func (p *Prometheus) find(ctx context.Context) error {
	if p.service != nil {
		return nil
	}
	for _, selector := range prometheusSelectors {
		list := &corev1.ServiceList{}
		err := p.Client.Get().Resource("services").VersionedParams(&metav1.ListOptions{LabelSelector: selector, Limit: 1}, scheme.ParameterCodec).
			MaxRetries(0).Do(ctx).Into(list)
		if err != nil {
			return fmt.Errorf("look for the Service of a Prometheus: %w", err)
		}
		if len(list.Items) > 0 {
			p.service = &list.Items[0]
			return nil
		}
	}
	return ErrNoPrometheus
}
