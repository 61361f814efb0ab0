package fleet_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

// windowsNode is a cluster of one Windows node with its network pods, all of them running since 30 s.
func windowsNode(t *testing.T, p fleet.Profile, more ...runtime.Object) *simtest.Cluster {
	c := simtest.New(t, simtest.Options{
		Objects:  append([]runtime.Object{simtest.HostDaemonSet("calico-node-windows", "windows"), simtest.HostDaemonSet("kube-proxy-windows", "windows")}, more...),
		Profiles: map[string]fleet.Profile{"win-1": p},
		Register: []*corev1.Node{simtest.Machine("win-1", "windows")},
	})
	c.Advance(30 * time.Second)
	return c
}

func TestRebootShowsItsBootBeforeItsNetwork(t *testing.T) {
	c := windowsNode(t, fleet.Profile{RevisionAfterReboot: 33438})
	before := c.Node("win-1")
	start := c.Clock.Now()
	must(t, c.Fleet.Reboot("win-1"))

	c.Advance(9 * time.Second)
	if got := c.Node("win-1").Status.NodeInfo.BootID; got != before.Status.NodeInfo.BootID {
		t.Fatalf("boot ID %s after 9 s, want the old one", got)
	}
	c.Advance(time.Second)
	after := c.Node("win-1")
	if got, want := after.Status.NodeInfo.BootID, "9"; got != want {
		t.Errorf("boot ID %q after 10 s, want %q (it was %q)", got, want, before.Status.NodeInfo.BootID)
	}
	if got, want := after.Status.NodeInfo.KernelVersion, "10.0.26100.33438"; got != want {
		t.Errorf("kernel version %s, want %s", got, want)
	}
	if got := condition(after, corev1.NodeReady); got != corev1.ConditionTrue {
		t.Errorf("Ready is %s: a fast node is never anything else", got)
	}

	c.Advance(2 * time.Second)
	early := simtest.Template("early", "windows")
	if _, err := c.Client.CoreV1().Pods("default").Create(c.Context(), podOf("early", early), createOptions); err != nil {
		t.Fatal(err)
	}
	c.Advance(15 * time.Second) // 27 s
	for _, p := range c.Pods("kube-system", "") {
		if isReady(&p) {
			t.Errorf("%s is ready 27 s after the reboot", p.Name)
		}
	}
	c.Advance(time.Second)
	for _, p := range c.Pods("kube-system", "") {
		st := p.Status.ContainerStatuses[0]
		if !isReady(&p) || st.RestartCount != 1 || !st.State.Running.StartedAt.Time.Equal(start.Add(28*time.Second)) {
			t.Errorf("%s 28 s after the reboot: ready %v, %+v", p.Name, isReady(&p), st)
		}
	}
	late := podOf("late", simtest.Template("late", "windows"))
	if _, err := c.Client.CoreV1().Pods("default").Create(c.Context(), late, createOptions); err != nil {
		t.Fatal(err)
	}
	c.Advance(10 * time.Minute)
	if p := c.Pod("default", "early"); p.Status.Phase != corev1.PodRunning || isReady(p) {
		t.Errorf("the pod of second 12 is %s, ready %v; it must run without network for ever", p.Status.Phase, isReady(p))
	}
	if p := c.Pod("default", "late"); !isReady(p) {
		t.Errorf("the pod of second 28 is not ready: %+v", p.Status)
	}
	checkBootEvents(t, c)
}

func checkBootEvents(t *testing.T, c *simtest.Cluster) {
	t.Helper()
	rebooted := c.Events("Rebooted")
	if len(rebooted) != 1 || rebooted[0].Message != "Node win-1 has been rebooted, boot id: 9" || rebooted[0].Type != corev1.EventTypeWarning ||
		rebooted[0].Source.Component != "kubelet" || rebooted[0].InvolvedObject.UID != c.Node("win-1").UID {
		t.Errorf("events Rebooted: %+v", rebooted)
	}
	found := false
	for _, e := range c.Events("Starting") {
		if e.ReportingController == "kube-proxy" {
			found = true
			if e.Source.Component != "" || e.Message != "" || !e.FirstTimestamp.IsZero() || e.EventTime.IsZero() || e.InvolvedObject.UID != "" {
				t.Errorf("kube-proxy's event is not as kube-proxy writes it: %+v", e)
			}
		}
	}
	if !found {
		t.Error("no Starting event of kube-proxy")
	}
}

func TestSlowBootIsNotReadyUntilItIsBack(t *testing.T) {
	c := windowsNode(t, fleet.Profile{SlowBoot: 15 * time.Minute})
	must(t, c.Fleet.Reboot("win-1"))
	took := c.Until(2*time.Minute, "Ready turns Unknown", func() bool { return condition(c.Node("win-1"), corev1.NodeReady) == corev1.ConditionUnknown })
	if took < 40*time.Second || took > 60*time.Second {
		t.Errorf("it took %s, want about 50 s since the last lease", took)
	}
	if !tainted(c.Node("win-1"), corev1.TaintNodeUnreachable) {
		t.Error("no unreachable taint")
	}
	c.Advance(16 * time.Minute)
	n := c.Node("win-1")
	if condition(n, corev1.NodeReady) != corev1.ConditionTrue || tainted(n, corev1.TaintNodeUnreachable) || n.Status.NodeInfo.BootID != "9" {
		t.Errorf("after the slow boot: %s, taints %v, boot %s", condition(n, corev1.NodeReady), n.Spec.Taints, n.Status.NodeInfo.BootID)
	}
}

func TestMachineThatNeverReturns(t *testing.T) {
	c := windowsNode(t, fleet.Profile{NeverReturns: true})
	must(t, c.Fleet.Reboot("win-1"))
	c.Advance(time.Hour)
	if n := c.Node("win-1"); condition(n, corev1.NodeReady) != corev1.ConditionUnknown || n.Status.NodeInfo.BootID != "8" {
		t.Errorf("after an hour: %s, boot %s", condition(n, corev1.NodeReady), n.Status.NodeInfo.BootID)
	}
	must(t, c.Fleet.Reboot("win-1")) // somebody goes there
	c.Advance(time.Minute)
	if n := c.Node("win-1"); condition(n, corev1.NodeReady) != corev1.ConditionTrue {
		t.Errorf("after the power button: %s", condition(n, corev1.NodeReady))
	}
}

func TestLinuxBootIDIsAnotherUUID(t *testing.T) {
	c := simtest.New(t, simtest.Options{Register: []*corev1.Node{simtest.Machine("linux-1", "linux")}})
	before := c.Node("linux-1").Status.NodeInfo.BootID
	must(t, c.Fleet.Reboot("linux-1"))
	c.Advance(10 * time.Second)
	if after := c.Node("linux-1").Status.NodeInfo.BootID; after == before || len(after) != 36 {
		t.Errorf("boot ID %q, was %q", after, before)
	}
}

func TestPowerOffLeavesPodsThatNobodyCanRemove(t *testing.T) {
	c := windowsNode(t, fleet.Profile{}, simtest.Deployment("hello-win", "windows", 2))
	must(t, c.Fleet.PowerOff("win-1", 30*time.Second))
	c.Advance(2 * time.Minute)
	for _, p := range c.Pods("default", "app=hello-win") {
		if p.Status.Phase != corev1.PodRunning || isReady(&p) || p.Status.ContainerStatuses[0].RestartCount != 1 {
			t.Errorf("%s after the power came back: %s, ready %v, %+v", p.Name, p.Status.Phase, isReady(&p), p.Status.ContainerStatuses)
		}
	}
	must(t, c.Client.CoreV1().Pods("default").DeleteCollection(c.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	c.Advance(5 * time.Minute)
	stuck, fresh := 0, 0
	for _, p := range c.Pods("default", "app=hello-win") {
		if p.DeletionTimestamp != nil {
			stuck++
		} else if isReady(&p) {
			fresh++
		}
	}
	if stuck != 2 || fresh != 2 {
		t.Errorf("%d pods are stuck and %d new ones ready, want 2 and 2", stuck, fresh)
	}
	if e := c.Events("FailedKillPod"); len(e) != 2 || e[0].Count < 10 {
		t.Errorf("events FailedKillPod: %+v", e)
	}
	must(t, c.Fleet.Reboot("win-1")) // the planned order cures it
	c.Advance(time.Minute)
	for _, p := range c.Pods("default", "app=hello-win") {
		if p.DeletionTimestamp != nil {
			t.Errorf("%s is still there after a clean reboot", p.Name)
		}
	}
}

// A reboot without a drain: the network's pods come first, a DaemonSet's pods get theirs afterwards, and any other pod starts
// too early. Unlike after a power cut it can be replaced.
func TestRebootWithoutDrain(t *testing.T) {
	daemon := simtest.HostDaemonSet("logs", "windows")
	daemon.Spec.Template.Spec.HostNetwork, daemon.Spec.Template.Spec.SecurityContext = false, nil
	c := windowsNode(t, fleet.Profile{}, daemon, simtest.Deployment("hello-win", "windows", 1))
	must(t, c.Fleet.Reboot("win-1"))
	c.Advance(time.Minute)
	logs, hello := c.Pods("kube-system", "app=logs")[0], c.Pods("default", "app=hello-win")[0]
	if !isReady(&logs) || logs.Status.ContainerStatuses[0].RestartCount != 1 {
		t.Errorf("the DaemonSet's pod: ready %v, %+v", isReady(&logs), logs.Status.ContainerStatuses)
	}
	last := hello.Status.ContainerStatuses[0].LastTerminationState.Terminated
	if isReady(&hello) || hello.Status.Phase != corev1.PodRunning || last == nil || last.ExitCode != 255 || last.Reason != "Unknown" {
		t.Errorf("hello-win: ready %v, %+v", isReady(&hello), hello.Status.ContainerStatuses)
	}
	must(t, c.Client.CoreV1().Pods("default").Delete(c.Context(), hello.Name, metav1.DeleteOptions{}))
	c.Advance(10 * time.Second)
	if pods := c.Pods("default", "app=hello-win"); len(pods) != 1 || !isReady(&pods[0]) {
		t.Errorf("after it was deleted: %d pods", len(pods))
	}
}

func TestCordonIsToldByTheKubelet(t *testing.T) {
	c := windowsNode(t, fleet.Profile{})
	for _, step := range []struct{ reason, unschedulable string }{{"NodeNotSchedulable", "true"}, {"NodeSchedulable", "false"}} {
		_, err := c.Client.CoreV1().Nodes().Patch(c.Context(), "win-1", types.MergePatchType, []byte(`{"spec":{"unschedulable":`+step.unschedulable+`}}`), metav1.PatchOptions{})
		must(t, err)
		c.Settle()
		if e := c.Events(step.reason); len(e) != 1 || e[0].Message != "Node win-1 status is now: "+step.reason {
			t.Errorf("events %s: %+v", step.reason, e)
		}
	}
}

func TestRebootInTheMiddleOfABootStartsItAnew(t *testing.T) {
	c := windowsNode(t, fleet.Profile{})
	must(t, c.Fleet.Reboot("win-1"))
	c.Advance(5 * time.Second)
	must(t, c.Fleet.Reboot("win-1"))
	c.Advance(9 * time.Second)
	if got := c.Node("win-1").Status.NodeInfo.BootID; got != "8" {
		t.Errorf("boot ID %s 9 s after the second reboot: the first boot went on", got)
	}
	c.Advance(time.Minute)
	if got := c.Node("win-1").Status.NodeInfo.BootID; got != "9" || len(c.Events("Rebooted")) != 1 {
		t.Errorf("boot ID %s, %d events Rebooted; want 9 and 1", got, len(c.Events("Rebooted")))
	}
}
