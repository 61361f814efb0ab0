//go:build e2e && linux

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/mullion-tui/mullion/kube"
	"github.com/mullion-tui/mullion/kube/e2e/cluster"
	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/placement"
)

// clusters is how many clusters are generated, each of nodesEach nodes and podsEach pods.
const clusters = 40

// gate holds a pod back until it is its turn.
const gate = "mullion.dev/turn"

// TestPlacement asks the real scheduler about generated pods on generated clusters, one
// after the other: what it binds must be among the nodes that the model names, and
// where it binds none the model must name none, for the same reasons. The control plane
// is one of its own, without the controllers that taint nodes without kubelets.
func TestPlacement(t *testing.T) {
	own, err := cluster.Start(t.Context(), cluster.Options{SchedulerOnly: true, NoAudit: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Close(); err != nil {
			t.Error(err)
		}
	})
	config, err := own.Config("admin", cluster.AdminGroup)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.Burst = 1000, 1000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, config)
	tally := map[string]int{}
	for seed := range uint64(clusters) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { (&contest{t: t, client: client, session: s, tally: tally}).run(seed) })
	}
	t.Logf("asked: %v", tally)
	if tally["bound"] == 0 || tally["unschedulable"] == 0 {
		t.Error("the generated pods are all of one outcome")
	}
}

// contest is one generated cluster.
type contest struct {
	t         *testing.T
	client    kubernetes.Interface
	session   *kube.Session
	tally     map[string]int
	namespace string
}

func (c *contest) run(seed uint64) {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), prefix: fmt.Sprintf("c%d", seed)}
	c.namespace = m.prefix
	c.build(m)
	events, err := c.client.CoreV1().Pods(c.namespace).Watch(c.t.Context(), metav1.ListOptions{})
	c.must(err)
	defer events.Stop()
	c.awaitScheduler(events)
	for i := range podsEach {
		_, err := c.client.CoreV1().Pods(c.namespace).Create(c.t.Context(), m.pod(i), metav1.CreateOptions{})
		c.must(err)
	}
	snap := await(c.t, c.session, "the generated cluster", func(s *model.Snapshot) bool { return c.whole(s, m) })
	b := placement.New(snap, placement.What{})
	for _, p := range slices.Clone(snap.Unbound()) {
		if p.Namespace == c.namespace {
			c.ask(b, p, events)
		}
	}
	c.clear()
}

func (c *contest) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// build creates nodes, volumes and claims. The last node has a taint of its own, which
// only the pod tolerates by which the test knows that the scheduler has seen them all.
func (c *contest) build(m *maker) {
	ctx, core := c.t.Context(), c.client.CoreV1()
	_, err := core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}}, metav1.CreateOptions{})
	c.must(err)
	for i := range m.IntN(4) {
		v, claim := m.volume(i, c.namespace)
		claim, err := core.PersistentVolumeClaims(c.namespace).Create(ctx, claim, metav1.CreateOptions{})
		c.must(err)
		v.Spec.ClaimRef.UID = claim.UID
		v, err = core.PersistentVolumes().Create(ctx, v, metav1.CreateOptions{})
		c.must(err)
		v.Status.Phase, claim.Status.Phase = corev1.VolumeBound, corev1.ClaimBound
		_, err = core.PersistentVolumes().UpdateStatus(ctx, v, metav1.UpdateOptions{})
		c.must(err)
		_, err = core.PersistentVolumeClaims(c.namespace).UpdateStatus(ctx, claim, metav1.UpdateOptions{})
		c.must(err)
		m.claims = append(m.claims, claim.Name)
	}
	for i := range nodesEach {
		n := m.node(i)
		if i == nodesEach-1 {
			n.Spec.Taints = []corev1.Taint{{Key: "last", Value: m.prefix, Effect: corev1.TaintEffectNoSchedule}}
		}
		taints := n.Spec.Taints
		n, err := core.Nodes().Create(ctx, n, metav1.CreateOptions{})
		c.must(err)
		// Admission taints a new node until its controller has seen that it is ready.
		n.Spec.Taints = taints
		_, err = core.Nodes().Update(ctx, n, metav1.UpdateOptions{})
		c.must(err)
	}
	last, err := core.Nodes().Get(ctx, fmt.Sprintf("%s-n%02d", m.prefix, nodesEach-1), metav1.GetOptions{})
	c.must(err)
	last.Labels["last"] = m.prefix
	_, err = core.Nodes().Update(ctx, last, metav1.UpdateOptions{})
	c.must(err)
}

// awaitScheduler places a pod that only fits once the scheduler has seen the last
// change of the last node, and with it all before.
func (c *contest) awaitScheduler(events watch.Interface) {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "scout"}}
	p.Spec.NodeSelector = map[string]string{"last": c.namespace}
	p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	p.Spec.Containers = []corev1.Container{{Name: "app", Image: "app:1"}}
	_, err := c.client.CoreV1().Pods(c.namespace).Create(c.t.Context(), p, metav1.CreateOptions{})
	c.must(err)
	c.next(events, "scout", func(p *corev1.Pod) bool { return p.Spec.NodeName != "" })
	c.delete("scout")
}

// next returns the first state of a pod for which ok says so.
func (c *contest) next(events watch.Interface, name string, ok func(*corev1.Pod) bool) *corev1.Pod {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for {
		select {
		case e, open := <-events.ResultChan():
			if !open {
				c.t.Fatalf("the watch ended while waiting for %s", name)
			}
			if p, isPod := e.Object.(*corev1.Pod); isPod && p.Name == name && ok(p) {
				return p
			}
		case <-ctx.Done():
			c.t.Fatalf("nothing happened to pod %s", name)
		}
	}
}

// whole reports whether the session shows all that was created, and nothing of the
// cluster before.
func (c *contest) whole(s *model.Snapshot, m *maker) bool {
	last, ok := s.Node(fmt.Sprintf("%s-n%02d", m.prefix, nodesEach-1))
	if !ok || last.Labels["last"] != m.prefix || len(s.Nodes()) != nodesEach || s.PodCount() != podsEach || len(s.Unbound()) != podsEach {
		return false
	}
	for _, claim := range m.claims {
		cl, ok := s.Claim(c.namespace, claim)
		if _, has := s.Volume(claim); !ok || !has || cl.Phase != "Bound" {
			return false
		}
	}
	_, ok = s.Namespace(c.namespace)
	return ok && synced(s)
}

// ask lets the scheduler have a pod, and compares.
func (c *contest) ask(b *placement.Board, gated *model.Pod, events watch.Interface) {
	shape := *gated.Shape
	shape.Gates = nil
	p := *gated
	p.Shape = &shape
	e := b.Explain(&p)
	var feasible []string
	for _, v := range e.Can {
		feasible = append(feasible, v.Node.Name)
	}
	for _, g := range e.Fails {
		for _, v := range g.Nodes {
			feasible = append(feasible, v.Node.Name)
		}
	}

	ungate := []byte(`{"spec":{"schedulingGates":null}}`)
	_, err := c.client.CoreV1().Pods(c.namespace).Patch(c.t.Context(), p.Name, types.MergePatchType, ungate, metav1.PatchOptions{})
	c.must(err)
	answer := c.next(events, p.Name, func(p *corev1.Pod) bool { return p.Spec.NodeName != "" || unschedulable(p) != "" })
	if node := answer.Spec.NodeName; node != "" {
		c.tally["bound"]++
		if !slices.Contains(feasible, node) {
			v, _ := b.Verdict(&p, node)
			c.t.Errorf("%s was bound to %s, against %v\n%s", p.Name, node, v.Reasons, spell(answer))
		}
		b.Place(&p, node)
		return
	}
	c.tally["unschedulable"]++
	if len(feasible) > 0 {
		c.t.Errorf("%s was bound nowhere, and %q were named: %s\n%s", p.Name, feasible, unschedulable(answer), spell(answer))
	} else if got, want := counted(e, pinnedTo(answer)), countedBy(unschedulable(answer)); want != nil && !maps.Equal(got, want) {
		c.t.Errorf("%s is ruled out for %v, the scheduler says %v\n%s", p.Name, got, want, spell(answer))
	}
	c.delete(p.Name) // it must not be bound later, when others are there
}

func spell(p *corev1.Pod) string {
	return fmt.Sprintf("selector %v, tolerations %v, affinity %v, spread %v, containers %v", p.Spec.NodeSelector, p.Spec.Tolerations, p.Spec.Affinity, p.Spec.TopologySpreadConstraints, p.Spec.Containers)
}

// unschedulable returns the scheduler's message, or nothing while it has not looked.
func unschedulable(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return c.Message
		}
	}
	return ""
}

// spoken are the scheduler's words for a kind of reason.
var spoken = map[placement.Kind]string{
	placement.Unschedulable:     "node(s) were unschedulable",
	placement.Taint:             "node(s) had untolerated taint(s)",
	placement.Selector:          "node(s) didn't match Pod's node affinity/selector",
	placement.Affinity:          "node(s) didn't match Pod's node affinity/selector",
	placement.Port:              "node(s) didn't have free ports for the requested pod ports",
	placement.PodCount:          "Too many pods",
	placement.CPU:               "Insufficient cpu",
	placement.Memory:            "Insufficient memory",
	placement.PodAffinity:       "node(s) didn't match pod affinity rules",
	placement.PodAntiAffinity:   "node(s) didn't match pod anti-affinity rules",
	placement.OtherAntiAffinity: "node(s) didn't satisfy existing pods anti-affinity rules",
	placement.Spread:            "node(s) didn't match pod topology spread constraints",
}

func say(r placement.Reason) string {
	switch {
	case r.Kind == placement.Extended:
		return "Insufficient " + strings.TrimPrefix(r.Text, "not enough ")
	case r.Kind == placement.Spread && strings.Contains(r.Text, "asks for a label"):
		return spoken[r.Kind] + " (missing required label)"
	case r.Kind == placement.Volume && strings.Contains(r.Text, "=a"), r.Kind == placement.Volume && strings.Contains(r.Text, "=b"):
		return "node(s) had no available volume zone"
	case r.Kind == placement.Volume:
		return "node(s) didn't match PersistentVolume's node affinity"
	case r.Kind == placement.InUse:
		return "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
	default:
		return spoken[r.Kind]
	}
}

// fitting are counted together: the plug-in names everything that is short.
var fitting = []placement.Kind{placement.PodCount, placement.CPU, placement.Memory, placement.Extended}

// counted counts the nodes as the scheduler's message does: under the first plug-in
// that refuses, which stops at its first reason but for resources.
// Nodes that a pod which names its node does not name are left out before.
func counted(e *placement.Explanation, pinned string) map[string]int {
	out := map[string]int{}
	for _, g := range e.Not {
		for _, v := range g.Nodes {
			if pinned != "" && v.Node.Name != pinned {
				out["node(s) didn't satisfy plugin(s) [NodeAffinity]"]++
				continue
			}
			first, _ := v.Counted()
			if !slices.Contains(fitting, first.Kind) {
				out[say(first)]++
				continue
			}
			for _, r := range v.Reasons {
				if slices.Contains(fitting, r.Kind) {
					out[say(r)]++
				}
			}
		}
	}
	return out
}

// pinnedTo returns the only node that a pod names.
func pinnedTo(p *corev1.Pod) string {
	if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, f := range t.MatchFields {
				return f.Values[0]
			}
		}
	}
	return ""
}

var countWords = regexp.MustCompile(`^(\d+) (.+)$`)

// countedBy reads "0/12 nodes are available: 3 Insufficient cpu, 9 node(s) …. preemption: …".
// It is nil for a pod that was refused as a whole, before any node was looked at.
func countedBy(message string) map[string]int {
	message, _, _ = strings.Cut(message, " preemption:")
	_, list, ok := strings.Cut(message, "nodes are available: ")
	if !ok {
		return nil
	}
	out := map[string]int{}
	for _, part := range strings.Split(strings.TrimSuffix(strings.TrimSpace(list), "."), ", ") {
		m := countWords.FindStringSubmatch(part)
		if m == nil {
			return nil
		}
		n, _ := strconv.Atoi(m[1])
		out[m[2]] += n
	}
	return out
}

func (c *contest) delete(pod string) {
	now := int64(0)
	c.must(c.client.CoreV1().Pods(c.namespace).Delete(c.t.Context(), pod, metav1.DeleteOptions{GracePeriodSeconds: &now}))
}

// clear takes everything away that the next cluster could meet.
func (c *contest) clear() {
	now, ctx := int64(0), c.t.Context()
	all := metav1.DeleteOptions{GracePeriodSeconds: &now}
	c.must(c.client.CoreV1().Pods(c.namespace).DeleteCollection(ctx, all, metav1.ListOptions{FieldSelector: fields.Everything().String()}))
	c.must(c.client.CoreV1().Nodes().DeleteCollection(ctx, all, metav1.ListOptions{}))
}
