package sim

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/kube/sim/scenario"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

// TestScenariosStayAsLoaded lets fleet and controllers loose on every scenario: they find nothing to do, so that what an
// operator sees later is what the scenario says.
func TestScenariosStayAsLoaded(t *testing.T) {
	for _, name := range scenario.Names() {
		t.Run(name, func(t *testing.T) {
			sc, err := scenario.Named(name, time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)) // simtest's clock
			if err != nil {
				t.Fatal(err)
			}
			c := simtest.New(t, simtest.Options{Objects: sc.Objects, Profiles: sc.Profiles, NoControllers: true})
			before := state(t, c)
			c = simtest.New(t, simtest.Options{Objects: sc.Objects, Profiles: sc.Profiles})
			for range 24 {
				// Coarse steps, shorter than what makes a node silent: each heartbeat of its own would take minutes.
				c.Clock.Step(30 * time.Second)
				c.Settle()
			}
			after := state(t, c)
			for _, line := range diff(before, after) {
				t.Error(line)
			}
			if t.Failed() {
				return
			}
			for _, n := range nodes(t, c) {
				if name == "lab" && !isTrue(n, corev1.NodeReady) {
					t.Errorf("lab: node %s is not Ready", n.Name)
				}
			}
		})
	}
}

// TestWrongClockStaysWrong: the node whose clock runs ahead keeps renewing its lease with it, and stays Ready.
func TestWrongClockStaysWrong(t *testing.T) {
	sc, err := scenario.Trouble(time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	c := simtest.New(t, simtest.Options{Objects: sc.Objects, Profiles: sc.Profiles})
	c.Clock.Step(20 * time.Minute)
	c.Settle()
	lease, err := c.Client.CoordinationV1().Leases("kube-node-lease").Get(c.Context(), "w25-clock", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if ahead := lease.Spec.RenewTime.Sub(c.Clock.Now()); ahead != 7*time.Minute {
		t.Errorf("the lease is %s ahead, want 7m", ahead)
	}
	if n := c.Node("w25-clock"); !isTrue(*n, corev1.NodeReady) {
		t.Errorf("it is not Ready: %v", n.Status.Conditions)
	}
}

func nodes(t *testing.T, c *simtest.Cluster) []corev1.Node {
	t.Helper()
	l, err := c.Client.CoreV1().Nodes().List(c.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l.Items
}

func isTrue(n corev1.Node, kind corev1.NodeConditionType) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == kind {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// state is what an operator would see of a cluster, one line an object.
func state(t *testing.T, c *simtest.Cluster) map[string]string {
	t.Helper()
	all := map[string]string{}
	put := func(kind string, m metav1.Object, format string, args ...any) {
		all[kind+" "+m.GetNamespace()+"/"+m.GetName()] = fmt.Sprintf("uid %s, ", m.GetUID()) + fmt.Sprintf(format, args...)
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	opts := metav1.ListOptions{}
	for _, n := range nodes(t, c) {
		var conditions []string
		for _, c := range n.Status.Conditions {
			conditions = append(conditions, fmt.Sprintf("%s=%s since %s", c.Type, c.Status, c.LastTransitionTime.UTC().Format(time.TimeOnly)))
		}
		put("node", &n, "%v, taints %v, cordoned %v, boot %s, kernel %s", conditions, keys(n.Spec.Taints), n.Spec.Unschedulable, n.Status.NodeInfo.BootID, n.Status.NodeInfo.KernelVersion)
	}
	pods, err := c.Client.CoreV1().Pods("").List(c.Context(), opts)
	must(err)
	for _, p := range pods.Items {
		var containers []string
		for _, s := range p.Status.ContainerStatuses {
			containers = append(containers, fmt.Sprintf("%s ready %v restarts %d running %v", s.Name, s.Ready, s.RestartCount, s.State.Running != nil))
		}
		put("pod", &p, "%s on %s, address %s, deleted %v, %v", p.Status.Phase, p.Spec.NodeName, p.Status.PodIP, p.DeletionTimestamp != nil, containers)
	}
	deployments, err := c.Client.AppsV1().Deployments("").List(c.Context(), opts)
	must(err)
	for _, d := range deployments.Items {
		s := d.Status
		put("deployment", &d, "%d wanted, %d there, %d updated, %d ready, %d available", *d.Spec.Replicas, s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, s.AvailableReplicas)
	}
	sets, err := c.Client.AppsV1().ReplicaSets("").List(c.Context(), opts)
	must(err)
	for _, r := range sets.Items {
		put("replica set", &r, "%d wanted, %d there, %d ready", *r.Spec.Replicas, r.Status.Replicas, r.Status.ReadyReplicas)
	}
	addControllers(t, c, put)
	return all
}

// addControllers adds what is not a Deployment: one line an object, too.
func addControllers(t *testing.T, c *simtest.Cluster, put func(kind string, m metav1.Object, format string, args ...any)) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	opts := metav1.ListOptions{}
	daemons, err := c.Client.AppsV1().DaemonSets("").List(c.Context(), opts)
	must(err)
	for _, d := range daemons.Items {
		s := d.Status
		put("daemon set", &d, "%d wanted, %d there, %d misplaced, %d ready, %d available", s.DesiredNumberScheduled, s.CurrentNumberScheduled, s.NumberMisscheduled, s.NumberReady, s.NumberAvailable)
	}
	stateful, err := c.Client.AppsV1().StatefulSets("").List(c.Context(), opts)
	must(err)
	for _, r := range stateful.Items {
		put("stateful set", &r, "%d wanted, %d there, %d ready", *r.Spec.Replicas, r.Status.Replicas, r.Status.ReadyReplicas)
	}
	jobs, err := c.Client.BatchV1().Jobs("").List(c.Context(), opts)
	must(err)
	for _, j := range jobs.Items {
		put("job", &j, "%d active, %d succeeded, %d failed", j.Status.Active, j.Status.Succeeded, j.Status.Failed)
	}
	budgets, err := c.Client.PolicyV1().PodDisruptionBudgets("").List(c.Context(), opts)
	must(err)
	for _, b := range budgets.Items {
		s := b.Status
		put("budget", &b, "%d expected, %d wanted, %d healthy, %d allowed", s.ExpectedPods, s.DesiredHealthy, s.CurrentHealthy, s.DisruptionsAllowed)
	}
}

func keys(taints []corev1.Taint) []string {
	var all []string
	for _, t := range taints {
		all = append(all, t.Key+":"+string(t.Effect))
	}
	sort.Strings(all)
	return all
}

func diff(before, after map[string]string) []string {
	var lines []string
	for key, was := range before {
		switch is, ok := after[key]; {
		case !ok:
			lines = append(lines, key+" is gone")
		case is != was:
			lines = append(lines, key+" was\n  "+was+"\nand is\n  "+is)
		}
	}
	for key, is := range after {
		if _, ok := before[key]; !ok {
			lines = append(lines, key+" is new: "+is)
		}
	}
	sort.Strings(lines)
	if len(lines) > 30 {
		lines = append(lines[:30], strings.Repeat(".", 3))
	}
	return lines
}
