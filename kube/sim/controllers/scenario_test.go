package controllers_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/kube/sim/scenario"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

// A scenario is written as a cluster that has come to rest. If machines or controllers change anything in it that an
// operator sees, they and the scenario disagree about how a cluster works.
func TestScenariosStayAsTheyWereLoaded(t *testing.T) {
	for _, name := range []string{"lab", "trouble"} {
		t.Run(name, func(t *testing.T) {
			s, err := scenario.Named(name, time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC))
			must(t, err)
			still := simtest.New(t, simtest.Options{Objects: s.Objects, Profiles: s.Profiles, NoControllers: true})
			lived := simtest.New(t, simtest.Options{Objects: s.Objects, Profiles: s.Profiles})
			lived.Advance(6 * time.Minute) // longer than a silent node is tolerated
			before, after := seen(t, still), seen(t, lived)
			for k, v := range after {
				if before[k] != v {
					t.Errorf("%s\n  loaded as %s\n  now       %s", k, before[k], v)
				}
				delete(before, k)
			}
			for k := range before {
				t.Errorf("%s has vanished", k)
			}
		})
	}
}

// seen is what an operator sees of a cluster, by object.
func seen(t *testing.T, c *simtest.Cluster) map[string]string {
	t.Helper()
	out := map[string]string{}
	nodes, err := c.Client.CoreV1().Nodes().List(c.Context(), metav1.ListOptions{})
	must(t, err)
	for _, n := range nodes.Items {
		conditions := ""
		for _, cond := range n.Status.Conditions {
			conditions += fmt.Sprintf("%s=%s ", cond.Type, cond.Status)
		}
		out["node "+n.Name] = fmt.Sprintf("%scordoned=%v taints=%v boot=%s", conditions, n.Spec.Unschedulable, n.Spec.Taints, n.Status.NodeInfo.BootID)
	}
	for _, p := range c.Pods("", "") {
		text := fmt.Sprintf("%s on %q ready=%v deleted=%v", p.Status.Phase, p.Spec.NodeName, isReady(&p), p.DeletionTimestamp != nil)
		for _, st := range p.Status.ContainerStatuses {
			text += fmt.Sprintf(" %s:%d", st.Name, st.RestartCount)
		}
		out["pod "+p.Namespace+"/"+p.Name] = text
	}
	addWorkloads(t, c, out)
	return out
}

func addWorkloads(t *testing.T, c *simtest.Cluster, out map[string]string) {
	t.Helper()
	deployments, err := c.Client.AppsV1().Deployments("").List(c.Context(), metav1.ListOptions{})
	must(t, err)
	for _, d := range deployments.Items {
		out["deployment "+d.Namespace+"/"+d.Name] = fmt.Sprint(d.Status.Replicas, d.Status.ReadyReplicas, d.Status.UnavailableReplicas)
	}
	daemonSets, err := c.Client.AppsV1().DaemonSets("").List(c.Context(), metav1.ListOptions{})
	must(t, err)
	for _, d := range daemonSets.Items {
		out["daemonset "+d.Namespace+"/"+d.Name] = fmt.Sprint(d.Status)
	}
	budgets, err := c.Client.PolicyV1().PodDisruptionBudgets("").List(c.Context(), metav1.ListOptions{})
	must(t, err)
	for _, b := range budgets.Items {
		s := b.Status
		out["budget "+b.Namespace+"/"+b.Name] = fmt.Sprint(s.ExpectedPods, s.DesiredHealthy, s.CurrentHealthy, s.DisruptionsAllowed)
	}
}
