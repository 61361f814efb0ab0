package stats

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// get returns the body also beside an error: Prometheus explains itself in it.
func (p *Prometheus) get(ctx context.Context, query string) ([]byte, error) {
	if p.URL != "" {
		return p.getURL(ctx, query)
	}
	if p.service == nil {
		found, err := p.find(ctx)
		if err != nil {
			return nil, err
		}
		p.service = found
	}
	s := p.service
	body, err := raw(p.Client.Get().Namespace(s.namespace).Resource("services").Name("http:"+s.name+":"+s.port).
		SubResource("proxy").Suffix("api", "v1", "query").Param("query", query).MaxRetries(0).Do(ctx))
	if err != nil {
		return body, throughProxy(fmt.Sprintf("service %s/%s", s.namespace, s.name), err)
	}
	return body, nil
}

func (p *Prometheus) getURL(ctx context.Context, query string) ([]byte, error) {
	target, err := url.Parse(p.URL)
	if err != nil {
		return nil, fmt.Errorf("the URL of the config file: %w", err)
	}
	target = target.JoinPath("api", "v1", "query")
	target.RawQuery = url.Values{"query": {query}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("the URL of the config file: %w", err)
	}
	res, err := p.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", target.Host, err)
	}
	defer res.Body.Close()
	return readAnswer(target.Host, res)
}

// prometheusService is where the API server's proxy leads to.
type prometheusService struct{ namespace, name, port string }

// prometheusSelectors find the Service of kube-prometheus-stack, of the operator alone
// and of the plain chart, in this order.
var prometheusSelectors = []string{
	"app=kube-prometheus-stack-prometheus", "operated-prometheus=true", "app.kubernetes.io/name=prometheus",
}

func (p *Prometheus) find(ctx context.Context) (*prometheusService, error) {
	for _, selector := range prometheusSelectors {
		list := &corev1.ServiceList{}
		err := p.Client.Get().Resource("services").VersionedParams(&metav1.ListOptions{LabelSelector: selector, Limit: 1}, scheme.ParameterCodec).
			MaxRetries(0).Do(ctx).Into(list)
		if err != nil {
			return nil, fmt.Errorf("look for its Service: %w", err)
		}
		if len(list.Items) > 0 {
			s := &list.Items[0]
			return &prometheusService{s.Namespace, s.Name, webPort(s)}, nil
		}
	}
	return nil, ErrNoPrometheus
}

// webPort is the port with one of the names that the charts give it, else the first:
// a sidecar may have another one beside it.
func webPort(s *corev1.Service) string {
	names := []string{"http-web", "web", "http"}
	i := slices.IndexFunc(s.Spec.Ports, func(p corev1.ServicePort) bool { return slices.Contains(names, p.Name) })
	switch {
	case i >= 0:
		return strconv.Itoa(int(s.Spec.Ports[i].Port))
	case len(s.Spec.Ports) > 0:
		return strconv.Itoa(int(s.Spec.Ports[0].Port))
	default:
		return "9090"
	}
}
