package apiserver

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"k8s.io/kubectl/pkg/drain"
)

// TestKubectlDrain runs kubectl's own drain: discovery of evictions, cordon by patch, evictions of two pods of which the
// budget lets one go at a time, while a kubelet and a disruption controller do their part.
func TestKubectlDrain(t *testing.T) {
	t.Parallel()
	for _, contentType := range contentTypes {
		t.Run(contentType, func(t *testing.T) {
			t.Parallel() // most of the time a client waits
			drainNode(t, contentType)
		})
	}
}

func drainNode(t *testing.T, contentType string) {
	s, c := start(t, Options{}, contentType)
	unowned := working("lonely", true)
	unowned.Labels = nil
	if err := s.Load(shop(), node("n1"), working("a", true), working("b", true), unowned, guard("g", nil)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	var out bytes.Buffer
	errOut := &listener{heard: make(chan struct{})}
	done := make(chan struct{})
	go func() { defer close(done); playKubelet(ctx, t, c, errOut.heard) }()
	defer func() { cancel(); <-done }()
	h := &drain.Helper{Ctx: ctx, Client: c, Force: true, GracePeriodSeconds: -1, Timeout: within, EvictErrorRetryDelay: 20 * time.Millisecond,
		IgnoreAllDaemonSets: true, Out: &out, ErrOut: errOut}
	n, err := c.CoreV1().Nodes().Get(ctx, "n1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := drain.RunCordonOrUncordon(h, n, true); err != nil {
		t.Fatal(err)
	}
	if err := drain.RunNodeDrain(h, "n1"); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, errOut)
	}
	left, err := c.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n, err = c.CoreV1().Nodes().Get(ctx, "n1", metav1.GetOptions{}); err != nil || !n.Spec.Unschedulable || len(left.Items) > 0 {
		t.Errorf("cordoned %v, %d pods are left, %v", n.Spec.Unschedulable, len(left.Items), err)
	}
	refused, accepted := 0, 0
	for _, r := range s.Log() {
		if r.Subresource == "eviction" && r.Code == 429 {
			refused++
		} else if r.Subresource == "eviction" && r.Code == 201 {
			accepted++
		}
	}
	if accepted != 3 || refused == 0 {
		t.Errorf("%d evictions were accepted and %d refused; the budget lets one of two pods go at a time", accepted, refused)
	}
}

// listener closes heard at the first refusal that drain reports.
type listener struct {
	mu    sync.Mutex
	text  strings.Builder
	once  sync.Once
	heard chan struct{}
}

func (l *listener) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(b)
	if strings.Contains(l.text.String(), "will retry") {
		l.once.Do(func() { close(l.heard) })
	}
	return len(b), nil
}

func (l *listener) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// playKubelet ends pods that are being deleted, once an eviction was refused, and then gives their budget its room back.
func playKubelet(ctx context.Context, t *testing.T, c *kubernetes.Clientset, refused <-chan struct{}) {
	w, err := c.CoreV1().Pods("shop").Watch(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=n1"})
	if err != nil {
		t.Error(err)
		return
	}
	defer w.Stop()
	select {
	case <-refused:
	case <-ctx.Done():
		return
	}
	budgets := c.PolicyV1().PodDisruptionBudgets("shop")
	for e := range w.ResultChan() {
		p, ok := e.Object.(*corev1.Pod)
		if !ok || e.Type == watch.Deleted || p.DeletionTimestamp == nil || *p.DeletionGracePeriodSeconds == 0 {
			continue
		}
		if err := c.CoreV1().Pods("shop").Delete(ctx, p.Name, *metav1.NewDeleteOptions(0)); err != nil {
			t.Error(err)
		}
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			b, err := budgets.Get(ctx, "g", metav1.GetOptions{})
			if err != nil {
				return err
			}
			b.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: b.Generation, DisruptionsAllowed: 1, CurrentHealthy: 2, DesiredHealthy: 1}
			_, err = budgets.UpdateStatus(ctx, b, metav1.UpdateOptions{})
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
