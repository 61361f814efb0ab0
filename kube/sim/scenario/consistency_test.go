package scenario

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var testNow = time.Date(2026, 11, 7, 10, 0, 0, 0, time.UTC)

// clusterScoped are the kinds that have no namespace.
var clusterScoped = map[string]bool{
	"Namespace": true, "Node": true, "RuntimeClass": true, "CSINode": true, "PersistentVolume": true,
	"CertificateSigningRequest": true, "StorageClass": true, "PriorityClass": true, "VolumeAttachment": true, "CSIDriver": true,
}

// cluster is a scenario with what the checks look things up by.
type cluster struct {
	*Scenario
	byUID   map[types.UID]metav1.Object
	kinds   map[types.UID]string
	nodes   map[string]*corev1.Node
	pods    []*corev1.Pod
	classes map[string]*nodev1.RuntimeClass
}

func index(t *testing.T, sc *Scenario) *cluster {
	t.Helper()
	c := &cluster{
		Scenario: sc, byUID: map[types.UID]metav1.Object{}, kinds: map[types.UID]string{},
		nodes: map[string]*corev1.Node{}, classes: map[string]*nodev1.RuntimeClass{},
	}
	for _, o := range sc.Objects {
		m := o.(metav1.Object)
		kind := kindOf(o)
		if c.byUID[m.GetUID()] != nil {
			t.Errorf("%s %s/%s: its UID is taken", kind, m.GetNamespace(), m.GetName())
		}
		c.byUID[m.GetUID()], c.kinds[m.GetUID()] = m, kind
		switch o := o.(type) {
		case *corev1.Node:
			c.nodes[o.Name] = o
		case *corev1.Pod:
			c.pods = append(c.pods, o)
		case *nodev1.RuntimeClass:
			c.classes[o.Name] = o
		}
	}
	return c
}

func kindOf(o any) string {
	name := fmt.Sprintf("%T", o)
	return name[strings.LastIndex(name, ".")+1:]
}

// eachScenario runs a check on every scenario and on a generated one.
func eachScenario(t *testing.T, check func(t *testing.T, c *cluster)) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			sc, err := Named(name, testNow)
			if err != nil {
				t.Fatal(err)
			}
			check(t, index(t, sc))
		})
	}
	t.Run("scale", func(t *testing.T) {
		sc, err := Scale(40, 400, testNow)
		if err != nil {
			t.Fatal(err)
		}
		check(t, index(t, sc))
	})
}

func TestObjectsAreValid(t *testing.T) {
	eachScenario(t, func(t *testing.T, c *cluster) {
		namespaces := map[string]bool{}
		seen := map[string]bool{}
		for _, o := range c.Objects {
			m, kind := o.(metav1.Object), kindOf(o)
			path := field.NewPath(kind, m.GetNamespace(), m.GetName())
			if clusterScoped[kind] != (m.GetNamespace() == "") {
				t.Errorf("%s: wrong scope", path)
			}
			if kind == "Namespace" {
				namespaces[m.GetName()] = true
			} else if ns := m.GetNamespace(); ns != "" && !namespaces[ns] {
				t.Errorf("%s: comes before its namespace", path)
			}
			if seen[path.String()] {
				t.Errorf("%s: there twice", path)
			}
			seen[path.String()] = true
			for _, msg := range apivalidation.NameIsDNSSubdomain(m.GetName(), false) {
				t.Errorf("%s: name: %s", path, msg)
			}
			for _, err := range metavalidation.ValidateLabels(m.GetLabels(), path) {
				t.Error(err)
			}
			for _, err := range apivalidation.ValidateAnnotations(m.GetAnnotations(), path) {
				t.Error(err)
			}
			if created := m.GetCreationTimestamp(); created.IsZero() || created.After(testNow) {
				t.Errorf("%s: created %v, want a time before %v", path, created, testNow)
			}
		}
	})
}

func TestOwnersResolve(t *testing.T) {
	eachScenario(t, func(t *testing.T, c *cluster) {
		for _, o := range c.Objects {
			m := o.(metav1.Object)
			if e, ok := o.(*corev1.Event); ok {
				about := c.byUID[e.InvolvedObject.UID]
				if about == nil || about.GetName() != e.InvolvedObject.Name || c.kinds[about.GetUID()] != e.InvolvedObject.Kind {
					t.Errorf("event %s/%s is about %v, which does not exist", e.Namespace, e.Name, e.InvolvedObject)
				}
			}
			for _, ref := range m.GetOwnerReferences() {
				owner := c.byUID[ref.UID]
				if owner == nil {
					if m.GetAnnotations()[Example] == "" {
						t.Errorf("%T %s/%s: its owner %s %s does not exist", o, m.GetNamespace(), m.GetName(), ref.Kind, ref.Name)
					}
					continue
				}
				if owner.GetName() != ref.Name || c.kinds[ref.UID] != ref.Kind {
					t.Errorf("%T %s/%s: owner is called %s %s, that UID is %s %s",
						o, m.GetNamespace(), m.GetName(), ref.Kind, ref.Name, c.kinds[ref.UID], owner.GetName())
				}
				if c, o := m.GetCreationTimestamp(), owner.GetCreationTimestamp(); c.Time.Before(o.Time) {
					t.Errorf("%s/%s is older than its owner %s", m.GetNamespace(), m.GetName(), ref.Name)
				}
			}
		}
	})
}

// TestPodsFit checks each pod against its node and its own status.
func TestPodsFit(t *testing.T) {
	eachScenario(t, func(t *testing.T, c *cluster) {
		addresses := map[string]string{}
		perNode := map[string]int64{}
		for _, p := range c.pods {
			id := p.Namespace + "/" + p.Name
			if errs := validation.IsDNS1123Subdomain(p.Spec.ServiceAccountName); len(errs) > 0 {
				t.Errorf("%s: service account %q: %v", id, p.Spec.ServiceAccountName, errs)
			}
			if len(p.Spec.Containers) == 0 {
				t.Errorf("%s: no containers", id)
			}
			if class := p.Spec.RuntimeClassName; class != nil && c.classes[*class] == nil {
				t.Errorf("%s: there is no RuntimeClass %s", id, *class)
			}
			if p.Spec.NodeName == "" {
				if p.Status.Phase != corev1.PodPending {
					t.Errorf("%s: on no node, but %s", id, p.Status.Phase)
				}
				continue
			}
			n := c.nodes[p.Spec.NodeName]
			if n == nil {
				t.Errorf("%s: its node %s does not exist", id, p.Spec.NodeName)
				continue
			}
			perNode[n.Name]++
			if p.CreationTimestamp.Time.Before(n.CreationTimestamp.Time) {
				t.Errorf("%s is older than its node", id)
			}
			if p.Annotations[Example] == "" && !labels.SelectorFromSet(p.Spec.NodeSelector).Matches(labels.Set(n.Labels)) {
				t.Errorf("%s: node selector %v does not match its node %s", id, p.Spec.NodeSelector, n.Name)
			}
			if ip := p.Status.PodIP; ip != "" && !p.Spec.HostNetwork {
				if other := addresses[ip]; other != "" {
					t.Errorf("%s has the address %s of %s", id, ip, other)
				}
				addresses[ip] = id
			}
			statusCount := len(p.Status.ContainerStatuses)
			if p.Status.Phase == corev1.PodRunning && statusCount != len(p.Spec.Containers) {
				t.Errorf("%s: %d container statuses of %d", id, statusCount, len(p.Spec.Containers))
			}
		}
		for name, n := range perNode {
			if room := c.nodes[name].Status.Allocatable.Pods().Value(); n > room {
				t.Errorf("node %s: %d pods, room for %d", name, n, room)
			}
		}
	})
}

// TestControllersFindNothingToDo checks what controllers compare: selectors, templates, counts and statuses.
func TestControllersFindNothingToDo(t *testing.T) {
	eachScenario(t, func(t *testing.T, c *cluster) {
		owned := map[types.UID][]*corev1.Pod{}
		for _, p := range c.pods {
			if ref := metav1.GetControllerOf(p); ref != nil && p.DeletionTimestamp == nil {
				owned[ref.UID] = append(owned[ref.UID], p)
			}
		}
		check := func(m metav1.Object, selector *metav1.LabelSelector, template map[string]string, want int32) {
			id := m.GetNamespace() + "/" + m.GetName()
			sel, err := metav1.LabelSelectorAsSelector(selector)
			if err != nil || sel.Empty() {
				t.Errorf("%s: selector %v: %v", id, selector, err)
				return
			}
			if !sel.Matches(labels.Set(template)) {
				t.Errorf("%s: selector %s does not match its template %v", id, sel, template)
			}
			pods := owned[m.GetUID()]
			if int32(len(pods)) != want {
				t.Errorf("%s: %d pods, want %d", id, len(pods), want)
			}
			for _, p := range pods {
				if !sel.Matches(labels.Set(p.Labels)) {
					t.Errorf("%s: selector %s does not match its pod %s", id, sel, p.Name)
				}
			}
			for _, p := range c.pods {
				if ref := metav1.GetControllerOf(p); p.Namespace == m.GetNamespace() && sel.Matches(labels.Set(p.Labels)) && (ref == nil || ref.UID != m.GetUID()) {
					t.Errorf("%s: selects %s, which is not its own", id, p.Name)
				}
			}
		}
		for _, o := range c.Objects {
			switch o := o.(type) {
			case *appsv1.Deployment:
				checkDeployment(t, c, o)
			case *appsv1.ReplicaSet:
				check(o, o.Spec.Selector, o.Spec.Template.Labels, *o.Spec.Replicas)
			case *appsv1.StatefulSet:
				check(o, o.Spec.Selector, o.Spec.Template.Labels, *o.Spec.Replicas)
			case *appsv1.DaemonSet:
				check(o, o.Spec.Selector, o.Spec.Template.Labels, o.Status.DesiredNumberScheduled)
				checkDaemonSet(t, c, o, owned[o.UID])
			case *batchv1.Job:
				check(o, o.Spec.Selector, o.Spec.Template.Labels, *o.Spec.Parallelism)
			case *policyv1.PodDisruptionBudget:
				if o.Status.ExpectedPods == 0 {
					t.Errorf("budget %s/%s selects no pod", o.Namespace, o.Name)
				}
			}
		}
	})
}

func checkDeployment(t *testing.T, c *cluster, d *appsv1.Deployment) {
	t.Helper()
	var sets []*appsv1.ReplicaSet
	for _, o := range c.Objects {
		if rs, ok := o.(*appsv1.ReplicaSet); ok && metav1.IsControlledBy(rs, d) {
			sets = append(sets, rs)
		}
	}
	if len(sets) != 1 || *sets[0].Spec.Replicas != *d.Spec.Replicas {
		t.Errorf("deployment %s/%s: %d replica sets, want one of %d", d.Namespace, d.Name, len(sets), *d.Spec.Replicas)
		return
	}
	want := sets[0].Spec.Template.DeepCopy()
	delete(want.Labels, hashLabel)
	if fmt.Sprint(want) != fmt.Sprint(&d.Spec.Template) {
		t.Errorf("deployment %s/%s: its replica set has another template", d.Namespace, d.Name)
	}
}

// checkDaemonSet finds the nodes that the controller would put a pod on and compares.
func checkDaemonSet(t *testing.T, c *cluster, d *appsv1.DaemonSet, pods []*corev1.Pod) {
	t.Helper()
	got := map[string]int{}
	for _, p := range pods {
		got[p.Spec.NodeName]++
	}
	tolerations := append(append([]corev1.Toleration(nil), d.Spec.Template.Spec.Tolerations...), daemonTolerations...)
	for name, n := range c.nodes {
		want := 0
		if labels.SelectorFromSet(d.Spec.Template.Spec.NodeSelector).Matches(labels.Set(n.Labels)) {
			want = 1
		}
		for _, taint := range n.Spec.Taints {
			if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated(tolerations, taint) {
				want = 0
			}
		}
		if got[name] != want {
			t.Errorf("daemon set %s/%s: %d pods on %s, the controller wants %d", d.Namespace, d.Name, got[name], name, want)
		}
	}
}

func TestNamedKnowsItsNames(t *testing.T) {
	for _, name := range Names() {
		sc, err := Named(name, testNow)
		if err != nil {
			t.Fatal(err)
		}
		if sc.Name != name || sc.Title == "" {
			t.Errorf("Named(%q) is %q, title %q", name, sc.Name, sc.Title)
		}
		again, err := Named(name, testNow)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(sc, again) {
			t.Errorf("%s: made twice, it differs", name)
		}
	}
	if _, err := Named("atlantis", testNow); err == nil || !strings.Contains(err.Error(), "lab") {
		t.Errorf("an unknown scenario: %v, want an error that lists the names", err)
	}
}
