//go:build linux

// Package lab brings the nodes and workloads of a simulated scenario onto a real
// control plane: the fleet plays the kubelets, and everything else (which pod runs
// where, replica counts, budgets) is the work of the real controllers.
package lab

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/mullion-tui/mullion/kube/e2e/cluster"
	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
)

// heartbeat leaves a node several before the cluster's controllers take it for silent.
const heartbeat = 2 * time.Second

// Lab is a scenario that lives on a real control plane.
type Lab struct {
	Scenario *scenario.Scenario
	Fleet    *fleet.Fleet

	stop  context.CancelFunc
	ended sync.WaitGroup
	err   error // of the fleet's run; to be read once it has ended
}

// Start loads the scenario's workloads into the cluster and lets its machines run
// until Close. It returns when the workloads are accepted; pods come by themselves.
func Start(ctx context.Context, c *cluster.Cluster, s *scenario.Scenario) (*Lab, error) {
	if err := c.Load(ctx, s.Objects, cluster.LoadOptions{Keep: written}); err != nil {
		return nil, err
	}
	config, err := c.Config("kubelets", cluster.AdminGroup)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make the fleet's client: %w", err)
	}
	l := &Lab{Scenario: s}
	l.Fleet = fleet.New(client, fleet.Options{Seed: 1, Profiles: s.Profiles, Register: nodes(s), Heartbeat: heartbeat})
	c.ServeKubelets(l.endpoints(client))
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	l.ended.Go(func() { l.err = l.Fleet.Run(run) })
	return l, nil
}

// Close stops the machines. Their nodes and pods stay in the cluster.
func (l *Lab) Close() error {
	l.stop()
	l.ended.Wait()
	return l.err
}

// endpoints finds the kubelet of a node's address, and what the fleet serves at the
// address of a pod.
func (l *Lab) endpoints(client kubernetes.Interface) cluster.Kubelets {
	names := map[string]string{}
	for _, n := range nodes(l.Scenario) {
		for _, a := range n.Status.Addresses {
			if a.Type == corev1.NodeInternalIP {
				names[net.JoinHostPort(a.Address, "10250")] = n.Name
			}
		}
	}
	return func(address string) http.Handler {
		if name, ok := names[address]; ok {
			return l.Fleet.Kubelet(name)
		}
		return l.podPort(client, address)
	}
}

// podPort finds the pod that listens; on the host's network several share an address.
func (l *Lab) podPort(client kubernetes.Interface, address string) http.Handler {
	ip, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil
	}
	pods, err := client.CoreV1().Pods("").List(context.Background(), metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("status.podIP", ip).String(),
	})
	if err != nil {
		return nil
	}
	for _, p := range pods.Items {
		if h := l.Fleet.PodPort(p.Namespace, p.Name, number); h != nil {
			return h
		}
	}
	return nil
}

func nodes(s *scenario.Scenario) []*corev1.Node {
	var out []*corev1.Node
	for _, o := range s.Objects {
		if n, ok := o.(*corev1.Node); ok {
			out = append(out, n)
		}
	}
	return out
}

// written reports whether an object is one that somebody writes, and not one that
// kubelets and controllers make of it.
func written(o runtime.Object) bool {
	switch o.(type) {
	case *corev1.Node, *corev1.Pod, *corev1.Event, *appsv1.ReplicaSet, *coordinationv1.Lease, *storagev1.CSINode:
		return false
	}
	return true
}
