//go:build e2e && linux

package e2e_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

// machineLabel keeps the pods of this test on its own nodes.
const machineLabel = "e2e.mullion.dev/machines"

// TestMachinesLiveOnARealControlPlane takes simulated machines through all that they can do. No call of theirs may fail:
// what the simulated server accepts the real one must accept too.
func TestMachinesLiveOnARealControlPlane(t *testing.T) {
	client := admin(t)
	ns := namespace(t, client)
	f := runMachines(t, client)
	c := machines{t, client, ns, f}

	c.create("web", "linux", 2, nil)
	c.create("agent", "windows", 1, func(s *corev1.PodSpec) {
		host := simtest.HostDaemonSet("agent", "windows").Spec.Template.Spec
		s.SecurityContext, s.HostNetwork = host.SecurityContext, true
	})
	c.create("hello-win", "windows", 1, nil)
	c.untilReady("web", 2)
	c.untilReady("agent", 1)
	c.untilReady("hello-win", 1)

	before := c.node("e2e-win")
	if err := f.Reboot("e2e-win"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a new boot ID", func() (bool, error) { return c.node("e2e-win").Status.NodeInfo.BootID == "9", nil })
	if before.Labels[corev1.LabelWindowsBuild] != "10.0.26100" || before.Status.NodeInfo.BootID != "8" {
		t.Errorf("registered with labels %v and boot ID %s", before.Labels, before.Status.NodeInfo.BootID)
	}
	eventually(t, "the agent has restarted", func() (bool, error) {
		p := c.pods("agent")
		return len(p) == 1 && p[0].Status.ContainerStatuses[0].RestartCount == 1 && podReady(&p[0]), nil
	})
	if p := c.pods("hello-win"); len(p) != 1 || podReady(&p[0]) {
		t.Errorf("hello-win was not drained and started before the network: want one pod that is not ready, have %+v", p)
	}
	c.cutPower()
	c.rebootByPod()
}

type machines struct {
	t      *testing.T
	client kubernetes.Interface
	ns     string
	fleet  *fleet.Fleet
}

func runMachines(t *testing.T, client kubernetes.Interface) *fleet.Fleet {
	t.Helper()
	register := []*corev1.Node{simtest.Machine("e2e-linux", "linux"), simtest.Machine("e2e-win", "windows")}
	for i, n := range register {
		n.Labels = map[string]string{machineLabel: "true"}
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("192.168.77.%d", i+1)}}
	}
	quick := fleet.Profile{BootTime: time.Second, NetworkDelay: 3 * time.Second, PodStart: 500 * time.Millisecond}
	f := fleet.New(client, fleet.Options{Seed: 1, Register: register, Heartbeat: 2 * time.Second,
		Profiles: map[string]fleet.Profile{"e2e-linux": quick, "e2e-win": quick}, Report: func(err error) { t.Error(err) }})
	ctx, stop := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := f.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		ended.Wait()
		for _, n := range register {
			if err := client.CoreV1().Nodes().Delete(context.Background(), n.Name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
	return f
}

// create makes a Deployment; a DaemonSet would reach the nodes of other tests.
func (c machines) create(name, os string, replicas int32, change func(*corev1.PodSpec)) {
	c.t.Helper()
	d := simtest.Deployment(name, os, replicas)
	d.Namespace = c.ns
	d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	d.Spec.Template.Spec.NodeSelector[machineLabel] = "true"
	if change != nil {
		change(&d.Spec.Template.Spec)
	}
	if _, err := c.client.AppsV1().Deployments(c.ns).Create(c.t.Context(), d, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

// cutPower leaves pods that nobody can remove until the machine is rebooted in an orderly way.
func (c machines) cutPower() {
	c.t.Helper()
	if err := c.fleet.PowerOff("e2e-win", time.Second); err != nil {
		c.t.Fatal(err)
	}
	eventually(c.t, "the boot after the power cut", func() (bool, error) { return c.node("e2e-win").Status.NodeInfo.BootID == "10", nil })
	old := c.pods("hello-win")[0]
	eventually(c.t, "hello-win restarted in place", func() (bool, error) {
		return c.pods("hello-win")[0].Status.ContainerStatuses[0].RestartCount == 2, nil
	})
	if err := c.client.CoreV1().Pods(c.ns).Delete(c.t.Context(), old.Name, metav1.DeleteOptions{}); err != nil {
		c.t.Fatal(err)
	}
	eventually(c.t, "FailedKillPod", func() (bool, error) {
		l, err := c.client.CoreV1().Events(c.ns).List(c.t.Context(), metav1.ListOptions{FieldSelector: "reason=FailedKillPod"})
		return err == nil && len(l.Items) > 0, err
	})
	if err := c.fleet.Reboot("e2e-win"); err != nil {
		c.t.Fatal(err)
	}
	eventually(c.t, "the stuck pod goes", func() (bool, error) {
		for _, p := range c.pods("hello-win") {
			if p.UID == old.UID {
				return false, nil
			}
		}
		return true, nil
	})
}

// rebootByPod is how production reboots a Windows node.
func (c machines) rebootByPod() {
	c.t.Helper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: c.ns, Name: "reboot"}, Spec: simtest.HostDaemonSet("reboot", "windows").Spec.Template.Spec}
	p.Spec.NodeName, p.Spec.RestartPolicy = "e2e-win", corev1.RestartPolicyNever
	p.Spec.Containers[0].Command = []string{"shutdown.exe", "/r", "/t", "0"}
	if _, err := c.client.CoreV1().Pods(c.ns).Create(c.t.Context(), p, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
	eventually(c.t, "the reboot pod has rebooted the node", func() (bool, error) { return c.node("e2e-win").Status.NodeInfo.BootID == "12", nil })
	eventually(c.t, "the reboot pod has ended", func() (bool, error) {
		got, err := c.client.CoreV1().Pods(c.ns).Get(c.t.Context(), "reboot", metav1.GetOptions{})
		return err == nil && got.Status.Phase == corev1.PodFailed, err
	})
}

func (c machines) untilReady(app string, want int) {
	c.t.Helper()
	eventually(c.t, app+" ready", func() (bool, error) {
		n := 0
		for _, p := range c.pods(app) {
			if podReady(&p) {
				n++
			}
		}
		return n == want, nil
	})
}

func (c machines) pods(app string) []corev1.Pod {
	c.t.Helper()
	l, err := c.client.CoreV1().Pods(c.ns).List(c.t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		c.t.Fatal(err)
	}
	return l.Items
}

func (c machines) node(name string) *corev1.Node {
	c.t.Helper()
	n, err := c.client.CoreV1().Nodes().Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

func podReady(p *corev1.Pod) bool {
	for _, cond := range p.Status.Conditions {
		if cond.Type == corev1.PodReady {
			return cond.Status == corev1.ConditionTrue
		}
	}
	return false
}
