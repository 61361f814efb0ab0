package conformance

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Answer is what a server said to one step.
type Answer struct {
	// Step names the step, the same on every server.
	Step string
	// Got is the normalised answer: lines of text, fit for a comparison and for a reader.
	Got string
}

// step is a named piece of the table. Steps run in order and may build on what the ones before made. run reports answers on
// the bench; its error is a fault of the step (a wait that did not end, a connection that broke) and no answer.
type step struct {
	name string
	run  func(ctx context.Context, b *bench) error
}

// table is all steps, by topic.
func table() []step {
	var out []step
	for _, topic := range [][]step{discoverySteps, objectSteps, listSteps, watchSteps, lifecycleSteps, kindSteps, collectionSteps, evictionSteps} {
		out = append(out, topic...)
	}
	return out
}

// Run sends the whole table to the server of config, as a user who may do everything, and returns one answer a step, in the
// order of the table. Objects are made in the namespace, which must exist and be empty; cluster-wide ones are named after
// it. The caller deletes the namespace. An error says which step could not be carried out; the answers before it are
// returned with it.
//
// A kube-controller-manager may run beside the server or not: steps about budgets wait until the status is what they need,
// and write it where nobody else does.
func Run(ctx context.Context, config *rest.Config, namespace string) ([]Answer, error) {
	config = rest.CopyConfig(config)
	config.ContentType, config.AcceptContentTypes = "", ""
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	defer transport.CloseIdleConnections()
	client, err := kubernetes.NewForConfigAndClient(config, transport)
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("find the address of %s: %w", config.Host, err)
	}
	if err := (&bench{http: transport, base: base, namespace: namespace}).awaitPods(ctx); err != nil {
		return nil, fmt.Errorf("wait until %s takes pods in namespace %s: %w", config.Host, namespace, err)
	}
	var answers []Answer
	for _, s := range table() {
		b := &bench{http: transport, base: base, client: client, namespace: namespace}
		if err := s.run(ctx, b); err != nil {
			return answers, fmt.Errorf("conformance step %q on %s: %w", s.name, config.Host, err)
		}
		answers = append(answers, Answer{Step: s.name, Got: b.said.String()})
	}
	return answers, nil
}

// Format writes answers as text, one after the other: the form in which those of a real server are kept in testdata.
func Format(answers []Answer) string {
	var out strings.Builder
	for _, a := range answers {
		fmt.Fprintf(&out, "## %s\n%s", a.Step, a.Got)
	}
	return out.String()
}

// awaitPods waits until a pod could be made: a controller manager makes the service account that this needs some time after
// the namespace.
func (b *bench) awaitPods(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		r, err := b.do(ctx, call{method: "POST", path: pods + "?dryRun=All", body: pod("probe", "probe", "")})
		return err == nil && r.code == http.StatusCreated, err
	})
}
