package conformance

import (
	"context"
	"fmt"
)

// asked is a call with the fields of the answer that a step is about.
type asked struct {
	call
	fields []string
}

// asking is a step of calls that are answered one by one.
func asking(name string, calls ...asked) step {
	return step{name, func(ctx context.Context, b *bench) error { return b.askAll(ctx, calls...) }}
}

func (b *bench) askAll(ctx context.Context, calls ...asked) error {
	for _, c := range calls {
		if err := b.ask(ctx, c.call, c.fields...); err != nil {
			return err
		}
	}
	return nil
}

// needAll is for preparations: anything but success is a fault of the step.
func (b *bench) needAll(ctx context.Context, calls ...asked) error {
	for _, c := range calls {
		if _, err := b.need(ctx, c.call); err != nil {
			return err
		}
	}
	return nil
}

func get(path string, fields ...string) asked { return asked{call{method: "GET", path: path}, fields} }

func post(path, body string, fields ...string) asked {
	return asked{call{method: "POST", path: path, body: body}, fields}
}

func put(path, body string, fields ...string) asked {
	return asked{call{method: "PUT", path: path, body: body}, fields}
}

func remove(path, body string, fields ...string) asked {
	return asked{call{method: "DELETE", path: path, body: body}, fields}
}

func patch(contentType, path, body string, fields ...string) asked {
	return asked{call{method: "PATCH", path: path, contentType: contentType, body: body}, fields}
}

// as sends the call as another user.
func (a asked) as(user string) asked {
	a.user = user
	return a
}

const (
	configMaps = "/api/v1/namespaces/{ns}/configmaps"
	pods       = "/api/v1/namespaces/{ns}/pods"
	events     = "/api/v1/namespaces/{ns}/events"
	budgets    = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
	leases     = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"
	deploys    = "/apis/apps/v1/namespaces/{ns}/deployments"
	classes    = "/apis/node.k8s.io/v1/runtimeclasses"
)

// configMap is one with more metadata and more fields, each as JSON members that start with a comma.
func configMap(name, meta, more string) string {
	return fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q%s}%s}`, name, meta, more)
}

// pod is one that no scheduler takes, with the label t=topic and more members of its spec.
func pod(name, topic, spec string) string {
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"labels":{"t":%q}},"spec":{"schedulerName":"nobody",`+
		`"automountServiceAccountToken":false,"containers":[{"name":"c","image":"example.test/c:1"}]%s}}`, name, topic, spec)
}

// onNode puts the pod on a node that does not exist: no controller looks at such a pod for the first 40 seconds.
const onNode = `,"nodeName":"nowhere-{ns}"`
