package scenario

import (
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// work is a workload in a few words, for the clusters that are generated. The zero values are those of a plain Linux one.
type work struct {
	kind     string // Deployment (also when empty), StatefulSet, DaemonSet or Job
	ns, name string
	replicas int // not of a DaemonSet
	age      time.Duration

	os     string // linux or windows; becomes spec.os.name, except with noOS
	noOS   bool
	class  string // RuntimeClass
	on     map[string]string
	always bool // tolerates every taint
	host   bool // host network; on Windows a HostProcess pod

	image         string
	cpu, memory   string // requests
	limit         string // memory limit; the request when empty, none when "-"
	budget        string // minAvailable of a PodDisruptionBudget, or "-1" for maxUnavailable 1
	example       string // the finding that it is an example of
	edit          func(*corev1.PodTemplateSpec)
	pod           func(i int, p *corev1.Pod)
	nodes         []string // put the pods here, whatever else fits
	unschedulable string   // no node is found, for this reason
	leaving       int      // that many of the pods are being deleted and have been replaced
}

func (w *work) labels() map[string]string { return map[string]string{"app.kubernetes.io/name": w.name} }

// template is the pod template of the workload.
func (w *work) template() corev1.PodTemplateSpec {
	c := corev1.Container{Name: "app", Image: w.image}
	set := func(list *corev1.ResourceList, name corev1.ResourceName, value string) {
		if value == "" || value == "-" {
			return
		}
		if *list == nil {
			*list = corev1.ResourceList{}
		}
		(*list)[name] = resource.MustParse(value)
	}
	set(&c.Resources.Requests, corev1.ResourceCPU, w.cpu)
	set(&c.Resources.Requests, corev1.ResourceMemory, w.memory)
	limit := w.limit
	if limit == "" {
		limit = w.memory
	}
	set(&c.Resources.Limits, corev1.ResourceMemory, limit)

	t := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: w.labels()}}
	if w.example != "" {
		t.Annotations = map[string]string{Example: w.example}
	}
	t.Spec = corev1.PodSpec{Containers: []corev1.Container{c}, NodeSelector: maps.Clone(w.on), HostNetwork: w.host}
	if w.os != "" && !w.noOS {
		t.Spec.OS = &corev1.PodOS{Name: corev1.OSName(w.os)}
	}
	if w.class != "" {
		t.Spec.RuntimeClassName = ptr.To(w.class)
	}
	if w.os == "windows" && w.host {
		t.Spec.SecurityContext = &corev1.PodSecurityContext{WindowsOptions: &corev1.WindowsSecurityContextOptions{
			HostProcess: ptr.To(true), RunAsUserName: ptr.To(`NT AUTHORITY\SYSTEM`),
		}}
	}
	if w.always {
		t.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	if w.edit != nil {
		w.edit(&t)
	}
	return t
}

// run adds the workload, its pods on the nodes that a scheduler would take, and its budget.
func (s *stage) run(w work) error {
	if w.age == 0 {
		w.age = 20 * 24 * time.Hour
	}
	meta := metav1.ObjectMeta{Namespace: w.ns, Name: w.name, Labels: w.labels()}
	if w.example != "" {
		meta.Annotations = map[string]string{Example: w.example}
	}
	selector := &metav1.LabelSelector{MatchLabels: w.labels()}
	t := w.template()
	pods, err := s.place(&w, &t.Spec)
	if err != nil {
		return fmt.Errorf("place %s/%s: %w", w.ns, w.name, err)
	}
	replicas := ptr.To(int32(len(pods) - w.leaving))
	switch w.kind {
	case "", "Deployment":
		err = s.deployment(&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
			Replicas: replicas, Selector: selector, Template: t,
		}}, "", w.age, pods)
	case "StatefulSet":
		err = s.statefulSet(&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Replicas: replicas, Selector: selector, Template: t, ServiceName: w.name,
		}}, w.age, pods)
	case "DaemonSet":
		err = s.daemonSet(&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: t}}, w.age, pods)
	case "Job":
		err = s.job(&batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: t}}, w.age, pods)
	default:
		err = fmt.Errorf("no kind %q", w.kind)
	}
	if err != nil || w.budget == "" {
		return err
	}
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: w.name, Annotations: meta.Annotations},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: selector.DeepCopy()},
	}
	if w.budget == "-1" {
		b.Spec.MaxUnavailable = ptr.To(intstr.FromInt32(1))
	} else {
		b.Spec.MinAvailable = ptr.To(intstr.Parse(w.budget))
	}
	s.budget(b, w.age)
	return nil
}

// runAll adds several workloads.
func (s *stage) runAll(all ...work) error {
	for _, w := range all {
		if err := s.run(w); err != nil {
			return err
		}
	}
	return nil
}

// place finds a node for every pod: those that a DaemonSet covers, or the emptiest that fit.
func (s *stage) place(w *work, spec *corev1.PodSpec) ([]Placed, error) {
	daemon := w.kind == "DaemonSet"
	var pods []Placed
	add := func(node string) {
		p := Placed{Node: node, edit: s.editor(w, len(pods), node)}
		if m := s.byName[node]; m != nil {
			s.sinceWhen(&p, m, w.age, daemon)
		}
		pods = append(pods, p)
		s.planned[node]++
	}
	if len(w.nodes) > 0 {
		for _, n := range w.nodes {
			add(n)
		}
		return pods, nil
	}
	if w.unschedulable != "" {
		for range w.replicas {
			add("")
		}
		return pods, nil
	}
	fit := s.fitting(spec, daemon)
	if daemon {
		for _, m := range fit {
			add(m.Name)
		}
		return pods, nil
	}
	for range w.replicas {
		if len(fit) == 0 {
			return nil, fmt.Errorf("no node fits node selector %v", spec.NodeSelector)
		}
		emptiest := slices.MinFunc(fit, func(a, b *Machine) int {
			return s.planned[a.Name]*b.MaxPods - s.planned[b.Name]*a.MaxPods
		})
		add(emptiest.Name)
	}
	return pods, nil
}

// fitting lists the machines that the scheduler would let the pods on.
func (s *stage) fitting(spec *corev1.PodSpec, daemon bool) []*Machine {
	admitted := spec.DeepCopy()
	s.admit(admitted)
	if daemon {
		admitted.Tolerations = append(admitted.Tolerations, daemonTolerations...)
	}
	selector := labels.SelectorFromSet(admitted.NodeSelector)
	var fit []*Machine
	for _, m := range s.machines {
		if selector.Matches(labels.Set(s.nodes[m.Name].Labels)) && s.letsIn(m, admitted, daemon) {
			fit = append(fit, m)
		}
	}
	return fit
}

// sinceWhen sets the pod's age. A DaemonSet's pod outlives the reboots of its node and has restarted with the last; any other
// was drained before the reboot and has come after it.
func (s *stage) sinceWhen(p *Placed, m *Machine, age time.Duration, daemon bool) {
	youngest := m.booted()
	if daemon {
		youngest = m.Age.Duration
	}
	p.Age.Duration = min(age, youngest-min(youngest/2, time.Minute))
	if daemon && m.booted() < p.Age.Duration {
		p.Restarts, p.Restarted.Duration = 1, m.booted()-min(m.booted()/2, 30*time.Second)
	}
}

// letsIn reports whether the machine's state and taints let the pods in. A cordon does not count: those nodes were cordoned
// when their pods were there already.
func (s *stage) letsIn(m *Machine, spec *corev1.PodSpec, daemon bool) bool {
	if m.Silent.Duration > 0 && !daemon {
		return false // its pods were evicted long ago
	}
	for _, t := range s.nodes[m.Name].Spec.Taints {
		if t.Key != corev1.TaintNodeUnschedulable && t.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated(spec.Tolerations, t) {
			return false
		}
	}
	return true
}

// editor is what happens to a pod before it is counted: what its node does to it, then what the plan says.
func (s *stage) editor(w *work, i int, node string) func(*corev1.Pod) {
	m := s.byName[node]
	return func(p *corev1.Pod) {
		if w.unschedulable != "" {
			p.Status.Conditions[0].Message = w.unschedulable
		}
		if m != nil && m.Silent.Duration > 0 {
			lost(p, s.ago(m.Silent.Duration))
		}
		if w.pod != nil {
			w.pod(i, p)
		}
	}
}

// lost is what the node lifecycle controller writes into the pods of a node that went silent.
func lost(p *corev1.Pod, since metav1.Time) {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodReady {
			c.Status, c.LastTransitionTime = corev1.ConditionFalse, since
		}
	}
}
