package controllers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

func twoLinux() []*corev1.Node {
	return []*corev1.Node{simtest.Machine("linux-1", "linux"), simtest.Machine("linux-2", "linux")}
}

func TestDeploymentBecomesReadyOnTwoNodes(t *testing.T) {
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 3)}, Register: twoLinux()})
	c.Advance(5 * time.Second)
	on := map[string]int{}
	for _, p := range c.Pods("default", "app=web") {
		on[p.Spec.NodeName]++
		if p.Status.Phase != corev1.PodRunning || !isReady(&p) {
			t.Errorf("pod %s is %s, %v", p.Name, p.Status.Phase, p.Status.Conditions)
		}
	}
	if on["linux-1"]+on["linux-2"] != 3 || on["linux-1"] == 0 || on["linux-2"] == 0 {
		t.Errorf("pods on nodes: %v, want all three, spread", on)
	}
	d, err := c.Client.AppsV1().Deployments("default").Get(c.Context(), "web", metav1.GetOptions{})
	must(t, err)
	if d.Status.ReadyReplicas != 3 || d.Status.UnavailableReplicas != 0 || d.Status.ObservedGeneration != d.Generation {
		t.Errorf("status of the Deployment: %+v", d.Status)
	}
}

func TestNewTemplateReplacesThePods(t *testing.T) {
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 3)}, Register: twoLinux()})
	c.Advance(5 * time.Second)
	_, err := c.Client.AppsV1().Deployments("default").Patch(c.Context(), "web", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"now"}}}}}`), metav1.PatchOptions{})
	must(t, err)
	c.Advance(20 * time.Second)
	pods := c.Pods("default", "app=web")
	for _, p := range pods {
		if !isReady(&p) || p.Annotations["kubectl.kubernetes.io/restartedAt"] == "" {
			t.Errorf("%s is of the old template or not ready", p.Name)
		}
	}
	if len(pods) != 3 {
		t.Errorf("%d pods, want 3", len(pods))
	}
}

// drain evicts the pods of a node again and again, second by second, and returns the lowest number of healthy ones.
func drain(t *testing.T, c *simtest.Cluster, node string) (lowest int) {
	t.Helper()
	_, err := c.Client.CoreV1().Nodes().Patch(c.Context(), node, types.StrategicMergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
	must(t, err)
	lowest = len(c.Pods("default", "app=web"))
	c.Until(2*time.Minute, "drain "+node, func() bool {
		left, healthy := 0, 0
		for _, p := range c.Pods("default", "app=web") {
			if isReady(&p) && p.DeletionTimestamp == nil {
				healthy++
			}
			if p.Spec.NodeName != node {
				continue
			}
			left++
			err := c.Client.CoreV1().Pods("default").EvictV1(c.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: p.Name}})
			if err != nil && !apierrors.IsTooManyRequests(err) {
				t.Fatalf("evict %s: %v", p.Name, err)
			}
		}
		lowest = min(lowest, healthy)
		return left == 0
	})
	return lowest
}

func TestDrainMovesOnePodAtATime(t *testing.T) {
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromInt32(3)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 4), budget}, Register: twoLinux()})
	c.Advance(5 * time.Second)
	b, err := c.Client.PolicyV1().PodDisruptionBudgets("default").Get(c.Context(), "web", metav1.GetOptions{})
	must(t, err)
	if s := b.Status; s.ExpectedPods != 4 || s.DesiredHealthy != 3 || s.CurrentHealthy != 4 || s.DisruptionsAllowed != 1 || s.ObservedGeneration != b.Generation {
		t.Fatalf("status of the budget: %+v", s)
	}
	if lowest := drain(t, c, "linux-1"); lowest != 3 {
		t.Errorf("at least %d pods were healthy all the time, want 3", lowest)
	}
	c.Advance(10 * time.Second)
	pods := c.Pods("default", "app=web")
	for _, p := range pods {
		if p.Spec.NodeName != "linux-2" || !isReady(&p) {
			t.Errorf("%s is on %s, ready %v", p.Name, p.Spec.NodeName, isReady(&p))
		}
	}
	if len(pods) != 4 {
		t.Errorf("%d pods, want 4", len(pods))
	}
}

func TestBudgetLetsOnePodGoUntilItsSuccessorIsReady(t *testing.T) {
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr.To(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 4), budget}, Register: twoLinux()})
	c.Advance(5 * time.Second)
	pods := c.Pods("default", "app=web")
	evict := func(name string) error {
		return c.Client.CoreV1().Pods("default").EvictV1(c.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	must(t, evict(pods[0].Name))
	c.Settle()
	if err := evict(pods[1].Name); !apierrors.IsTooManyRequests(err) {
		t.Fatalf("second eviction at once: %v, want 429", err)
	}
	c.Advance(5 * time.Second)
	must(t, evict(pods[1].Name))
}

func TestCordonIsRespected(t *testing.T) {
	c := simtest.New(t, simtest.Options{Register: twoLinux()})
	_, err := c.Client.CoreV1().Nodes().Patch(c.Context(), "linux-1", types.StrategicMergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
	must(t, err)
	c.Settle()
	_, err = c.Client.AppsV1().Deployments("default").Create(c.Context(), simtest.Deployment("web", "linux", 3), metav1.CreateOptions{})
	must(t, err)
	c.Advance(5 * time.Second)
	for _, p := range c.Pods("default", "app=web") {
		if p.Spec.NodeName != "linux-2" {
			t.Errorf("%s is on %q", p.Name, p.Spec.NodeName)
		}
	}
	if n := c.Node("linux-1"); len(n.Spec.Taints) != 1 || n.Spec.Taints[0].Key != corev1.TaintNodeUnschedulable {
		t.Errorf("taints of the cordoned node: %v", n.Spec.Taints)
	}
}

func TestUnschedulablePodSaysWhyAndIsBoundWhenThereIsRoom(t *testing.T) {
	win := simtest.Machine("win-1", "windows")
	win.Spec.Taints = []corev1.Taint{{Key: "os", Value: "windows", Effect: corev1.TaintEffectNoSchedule}}
	small := simtest.Machine("linux-2", "linux")
	small.Status.Capacity = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("100Mi")}
	cordoned := simtest.Machine("linux-1", "linux")
	cordoned.Spec.Unschedulable = true
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 1)}, Register: []*corev1.Node{win, small, cordoned}})
	c.Settle()
	p := c.Pods("default", "app=web")[0]
	want := "0/3 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. " +
		"preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
	if got := p.Status.Conditions[0]; got.Reason != corev1.PodReasonUnschedulable || got.Message != want {
		t.Errorf("condition %+v, want the message\n%s", got, want)
	}
	if e := c.Events("FailedScheduling"); len(e) != 1 || e[0].Message != want {
		t.Errorf("events: %+v", e)
	}
	_, err := c.Client.CoreV1().Nodes().Patch(c.Context(), "linux-1", types.StrategicMergePatchType, []byte(`{"spec":{"unschedulable":null}}`), metav1.PatchOptions{})
	must(t, err)
	c.Advance(5 * time.Second)
	if p := c.Pods("default", "app=web")[0]; p.Spec.NodeName != "linux-1" || !isReady(&p) {
		t.Errorf("after uncordon it is on %q, ready %v", p.Spec.NodeName, isReady(&p))
	}
}

func TestStatefulSetKeepsNamesAndOrder(t *testing.T) {
	s := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db"},
		Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](3), ServiceName: "db", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, Template: simtest.Template("db", "linux")}}
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{s}, Register: twoLinux()})
	c.Advance(3 * time.Second)
	if pods := c.Pods("default", "app=db"); len(pods) != 2 || pods[0].Name != "db-0" || !isReady(&pods[0]) || isReady(&pods[1]) {
		t.Fatalf("after 3 s: %s; want db-0 ready and db-1 starting", names(pods))
	}
	c.Advance(10 * time.Second)
	if got := names(c.Pods("default", "app=db")); got != "db-0 db-1 db-2" {
		t.Fatalf("pods %s", got)
	}
	old := c.Pod("default", "db-1")
	must(t, c.Client.CoreV1().Pods("default").EvictV1(c.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "db-1"}}))
	c.Advance(10 * time.Second)
	if now := c.Pod("default", "db-1"); now.UID == old.UID || !isReady(now) || now.Labels[appsv1.StatefulSetPodNameLabel] != "db-1" {
		t.Errorf("db-1 after its eviction: UID %s (was %s), ready %v", now.UID, old.UID, isReady(now))
	}
}

func TestNameOfAnEarlierSetIsWaitedFor(t *testing.T) {
	set := func() *appsv1.StatefulSet {
		return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db"},
			Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, Template: simtest.Template("db", "linux")}}
	}
	slow := fleet.Profile{PodStop: 20 * time.Second}
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{set()}, Register: twoLinux(), Profiles: map[string]fleet.Profile{"linux-1": slow, "linux-2": slow}})
	c.Advance(5 * time.Second)
	old := c.Pod("default", "db-0")
	must(t, c.Client.AppsV1().StatefulSets("default").Delete(c.Context(), "db", metav1.DeleteOptions{}))
	c.Settle()
	_, err := c.Client.AppsV1().StatefulSets("default").Create(c.Context(), set(), metav1.CreateOptions{})
	must(t, err)
	c.Advance(10 * time.Second)
	if p := c.Pod("default", "db-0"); p.UID != old.UID || p.DeletionTimestamp == nil {
		t.Fatalf("after 10 of 20 s db-0 is %s, deleted %v", p.UID, p.DeletionTimestamp)
	}
	c.Advance(20 * time.Second)
	if p := c.Pod("default", "db-0"); p.UID == old.UID || !isReady(p) {
		t.Errorf("db-0 of the new set: %s (was %s), ready %v", p.UID, old.UID, isReady(p))
	}
}

func TestNoNodeTakesMoreThanItHas(t *testing.T) {
	small := twoLinux()
	for _, n := range small {
		n.Status.Capacity = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("600Mi")} // two pods of 256Mi
	}
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 5)}, Register: small})
	c.Advance(5 * time.Second)
	on := map[string]int{}
	for _, p := range c.Pods("default", "app=web") {
		on[p.Spec.NodeName]++
	}
	if on["linux-1"] != 2 || on["linux-2"] != 2 || on[""] != 1 {
		t.Errorf("pods on nodes: %v", on)
	}
}

func TestJobRunsToItsEnd(t *testing.T) {
	tmpl := simtest.Template("report", "linux")
	tmpl.Spec.RestartPolicy = corev1.RestartPolicyNever
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "report"},
		Spec: batchv1.JobSpec{Completions: ptr.To[int32](3), Parallelism: ptr.To[int32](2), Template: tmpl}}
	c := simtest.New(t, simtest.Options{Register: twoLinux(), Profiles: map[string]fleet.Profile{"linux-1": {JobTime: time.Minute}, "linux-2": {JobTime: time.Minute}}})
	_, err := c.Client.BatchV1().Jobs("default").Create(c.Context(), j, metav1.CreateOptions{})
	must(t, err)
	c.Advance(10 * time.Second)
	if pods := c.Pods("default", "app=report"); len(pods) != 2 {
		t.Fatalf("%d pods at once, want 2", len(pods))
	}
	c.Advance(3 * time.Minute)
	j, err = c.Client.BatchV1().Jobs("default").Get(c.Context(), "report", metav1.GetOptions{})
	must(t, err)
	if j.Status.Succeeded != 3 || j.Status.CompletionTime == nil || j.Status.Active != 0 {
		t.Errorf("status of the Job: %+v", j.Status)
	}
}

func TestPodsLeaveASilentNodeAfterFiveMinutes(t *testing.T) {
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 2), simtest.HostDaemonSet("kube-proxy", "linux")}, Register: twoLinux()})
	c.Advance(20 * time.Second)
	must(t, c.Fleet.PowerOff("linux-1", 0))
	c.Advance(4 * time.Minute)
	for _, p := range c.Pods("default", "app=web") {
		if p.DeletionTimestamp != nil {
			t.Errorf("%s goes after 4 minutes", p.Name)
		}
		if p.Spec.NodeName == "linux-1" && isReady(&p) {
			t.Errorf("%s on the silent node is still ready", p.Name)
		}
	}
	c.Advance(3 * time.Minute)
	goes, fresh := 0, 0
	for _, p := range c.Pods("default", "app=web") {
		if p.DeletionTimestamp != nil {
			goes++
		} else if p.Spec.NodeName == "linux-2" && isReady(&p) {
			fresh++
		}
	}
	if goes != 1 || fresh != 2 {
		t.Errorf("%d pods go and %d are ready elsewhere, want 1 (no kubelet confirms it) and 2", goes, fresh)
	}
	for _, p := range c.Pods("kube-system", "app=kube-proxy") {
		if p.DeletionTimestamp != nil {
			t.Errorf("the DaemonSet's pod %s is evicted", p.Name)
		}
	}
	must(t, c.Client.CoreV1().Nodes().Delete(c.Context(), "linux-1", metav1.DeleteOptions{}))
	c.Advance(5 * time.Second)
	if pods := append(c.Pods("default", "app=web"), c.Pods("kube-system", "")...); len(pods) != 3 {
		t.Errorf("after the node was deleted: %s; want two of web and one kube-proxy", names(pods))
	}
}

func TestDeletedOwnerTakesItsPodsAlong(t *testing.T) {
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 2)}, Register: twoLinux()})
	c.Advance(5 * time.Second)
	must(t, c.Client.AppsV1().Deployments("default").Delete(c.Context(), "web", metav1.DeleteOptions{}))
	c.Advance(5 * time.Second)
	sets, err := c.Client.AppsV1().ReplicaSets("default").List(c.Context(), metav1.ListOptions{})
	must(t, err)
	if pods := c.Pods("default", ""); len(pods) != 0 || len(sets.Items) != 0 {
		t.Errorf("left behind: pods %q, %d ReplicaSets", names(pods), len(sets.Items))
	}
}

func TestHeldObjectsStayAsTheyAre(t *testing.T) {
	hold := map[string]string{fleet.Hold: "true"}
	node := simtest.Machine("broken", "linux")
	node.Annotations = hold
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "stuck", Annotations: hold, DeletionTimestamp: ptr.To(metav1.Unix(0, 0)), DeletionGracePeriodSeconds: ptr.To[int64](30)},
		Spec: corev1.PodSpec{NodeName: "linux-1", Containers: []corev1.Container{{Name: "main", Image: "i"}}}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{node, pod}, Register: twoLinux()})
	before, beforePod := c.Node("broken"), c.Pod("default", "stuck")
	c.Advance(10 * time.Minute)
	if after := c.Node("broken"); after.ResourceVersion != before.ResourceVersion {
		t.Errorf("the held node was written to: %+v", after)
	}
	if after := c.Pod("default", "stuck"); after.ResourceVersion != beforePod.ResourceVersion {
		t.Errorf("the held pod was written to: %+v", after)
	}
}

func TestSameSeedGivesTheSameCluster(t *testing.T) {
	run := func() string {
		c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 5), simtest.HostDaemonSet("kube-proxy", "linux")}, Register: twoLinux()})
		c.Advance(30 * time.Second)
		must(t, c.Fleet.Reboot("linux-1"))
		c.Advance(time.Minute)
		b := strings.Builder{}
		for _, p := range append(c.Pods("default", ""), c.Pods("kube-system", "")...) {
			fmt.Fprintln(&b, p.Name, p.Spec.NodeName, p.Status.PodIP, p.Status.ContainerStatuses[0].ContainerID, p.Status.ContainerStatuses[0].State.Running.StartedAt)
		}
		fmt.Fprintln(&b, c.Node("linux-1").Status.NodeInfo.BootID)
		return b.String()
	}
	if a, b := run(), run(); a != b {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
}

func TestPodsThatAreRefusedAreTriedMoreAndMoreRarely(t *testing.T) {
	d := simtest.Deployment("web", "linux", 1)
	d.Spec.Template.Spec.RuntimeClassName = ptr.To("windows-2025") // there is none
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{d}, Register: twoLinux(), MayFail: true})
	c.Advance(time.Minute)
	events := c.Events("FailedCreate")
	if len(events) != 6 { // after 0, 1, 3, 7, 15 and 31 s
		t.Errorf("%d tries in a minute, want 6", len(events))
	}
	if e := events[0]; e.InvolvedObject.Kind != "ReplicaSet" || e.Source.Component != "replicaset-controller" || !strings.Contains(e.Message, "windows-2025") {
		t.Errorf("event: %+v", e)
	}
	_, err := c.Client.NodeV1().RuntimeClasses().Create(c.Context(), &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "windows-2025"}, Handler: "runhcs-wcow-process"}, metav1.CreateOptions{})
	must(t, err)
	c.Advance(time.Minute)
	if pods := c.Pods("default", "app=web"); len(pods) != 1 || !isReady(&pods[0]) {
		t.Errorf("after the RuntimeClass was made: %d pods", len(pods))
	}
}
