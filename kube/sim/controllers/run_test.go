package controllers_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/controllers"
	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/simclock"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

// Everything else in these tests is stepped; here the parts run by themselves, on a clock that is a hundred times faster.
func TestRunSurvivesARestartOfTheServer(t *testing.T) {
	clk := simclock.NewFast(time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), 100)
	server, err := apiserver.New(apiserver.Options{Clock: clk})
	must(t, err)
	defer server.Close()
	client, err := kubernetes.NewForConfig(server.Config("admin"))
	must(t, err)
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	ended := make(chan error, 2)
	f := fleet.New(client, fleet.Options{Clock: clk, Register: twoLinux()})
	go func() { ended <- f.Run(ctx) }()
	go func() { ended <- controllers.Run(ctx, client, controllers.Options{Clock: clk}) }()

	_, err = client.AppsV1().Deployments("default").Create(ctx, simtest.Deployment("before", "linux", 3), metav1.CreateOptions{})
	must(t, err)
	waitReady(ctx, t, client, "app=before", 3)
	server.Stop()
	must(t, server.Start())
	for {
		_, err = client.AppsV1().Deployments("default").Create(ctx, simtest.Deployment("after", "linux", 3), metav1.CreateOptions{})
		if !utilnet.IsProbableEOF(err) && !utilnet.IsConnectionReset(err) {
			break // a connection of before the restart was found dead only when it was used
		}
	}
	must(t, err)
	waitReady(ctx, t, client, "app=after", 3)

	stop()
	for range 2 {
		must(t, <-ended)
	}
}

func waitReady(ctx context.Context, t *testing.T, client kubernetes.Interface, selector string, want int) {
	t.Helper()
	w, err := client.CoreV1().Pods("default").Watch(ctx, metav1.ListOptions{LabelSelector: selector})
	must(t, err)
	defer w.Stop()
	isUp := map[string]bool{}
	for e := range w.ResultChan() {
		if p, ok := e.Object.(*corev1.Pod); ok && isReady(p) {
			isUp[p.Name] = true
		}
		if len(isUp) == want {
			return
		}
	}
	t.Fatalf("%s: %d of %d pods became ready before the watch ended (%v)", selector, len(isUp), want, ctx.Err())
}
