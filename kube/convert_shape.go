package kube

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/resource"

	"github.com/mullion-tui/mullion/model"
)

// shape keeps of a pod what its template decides about nodes. It holds on to parts of
// p, which nobody writes to.
func (t interner) shape(p *corev1.Pod) *model.Shape {
	spec := &p.Spec
	out := &model.Shape{
		NodeSelector: t.mapOf(spec.NodeSelector),
		Affinity:     withoutTarget(spec.Affinity),
		Tolerations:  spec.Tolerations,
		Spread:       spec.TopologySpreadConstraints,
		Ports:        t.hostPorts(spec),
		Volumes:      t.volumes(p),
		Extended:     t.extendedOf(p),
		Overhead:     resourcesOf(spec.Overhead),
		DeviceClaims: len(spec.ResourceClaims) > 0,
		NotOnWindows: notOnWindows(spec),
	}
	if spec.Priority != nil {
		out.Priority = *spec.Priority
	}
	if spec.SchedulerName != model.DefaultScheduler {
		out.Scheduler = t.of(spec.SchedulerName)
	}
	for _, g := range spec.SchedulingGates {
		out.Gates = append(out.Gates, t.of(g.Name))
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		out.Images = append(out.Images, model.ContainerImage{Container: t.of(c.Name), Image: t.of(c.Image), Init: !isSidecar(c)})
	}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		out.Images = append(out.Images, model.ContainerImage{Container: t.of(c.Name), Image: t.of(c.Image)})
	}
	return out
}

// targetOf returns the node that the DaemonSet controller made the pod for: it writes
// one required term with the node's name alone (pkg/controller/daemon/util
// ReplaceDaemonSetPodNodeNameNodeAffinity).
func targetOf(a *corev1.Affinity) string {
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	terms := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(terms) != 1 || len(terms[0].MatchExpressions) > 0 || len(terms[0].MatchFields) != 1 {
		return ""
	}
	f := terms[0].MatchFields[0]
	if f.Key != metav1.ObjectNameField || f.Operator != corev1.NodeSelectorOpIn || len(f.Values) != 1 {
		return ""
	}
	return f.Values[0]
}

// withoutTarget leaves the node's name out, which differs between pods of one DaemonSet.
func withoutTarget(a *corev1.Affinity) *corev1.Affinity {
	if targetOf(a) == "" {
		return a
	}
	rest := *a
	rest.NodeAffinity = nil
	if preferred := a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution; len(preferred) > 0 {
		rest.NodeAffinity = &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferred}
	}
	if rest == (corev1.Affinity{}) {
		return nil
	}
	return &rest
}

// hostPorts counts as the scheduler does: containers and sidecars (pkg/scheduler/util GetHostPorts).
func (t interner) hostPorts(spec *corev1.PodSpec) []model.HostPort {
	var out []model.HostPort
	add := func(c *corev1.Container) {
		for _, p := range c.Ports {
			if p.HostPort > 0 {
				out = append(out, model.HostPort{IP: t.of(p.HostIP), Protocol: t.of(cmp.Or(string(p.Protocol), "TCP")), Port: p.HostPort})
			}
		}
	}
	for i := range spec.InitContainers {
		if c := &spec.InitContainers[i]; isSidecar(c) {
			add(c)
		}
	}
	for i := range spec.Containers {
		add(&spec.Containers[i])
	}
	return out
}

// extendedOf adds up the requests beyond CPU and memory, which few pods have.
func (t interner) extendedOf(p *corev1.Pod) map[string]int64 {
	beyond := isExtended(p.Spec.Overhead) || p.Spec.Resources != nil && isExtended(p.Spec.Resources.Requests)
	for _, list := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		beyond = beyond || slices.ContainsFunc(list, func(c corev1.Container) bool { return isExtended(c.Resources.Requests) })
	}
	if !beyond {
		return nil
	}
	return t.extended(resource.PodRequests(p, resource.PodResourcesOptions{}))
}

func isExtended(l corev1.ResourceList) bool {
	for name := range l {
		if name != corev1.ResourceCPU && name != corev1.ResourceMemory {
			return true
		}
	}
	return false
}

// extended returns the amounts that are neither CPU nor memory.
func (t interner) extended(l corev1.ResourceList) map[string]int64 {
	var out map[string]int64
	for name, q := range l {
		switch name {
		case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods:
			continue
		}
		if out == nil {
			out = map[string]int64{}
		}
		out[t.of(string(name))] = q.Value()
	}
	return out
}

// maxTemplates bounds the table of templates; a cluster of 50,000 pods has some thousands.
const maxTemplates = 1 << 14

// variants bounds the shapes that are kept of one template: pods of one owner can
// differ, for example while they wait behind a gate or after an admission webhook.
const variants = 4

// templates lets the pods of one template share their Shape and labels. One
// goroutine owns it.
type templates map[templateKey][]template

// templateKey names a template: the pods' owner, and the hash of its revision where
// the owner has several.
type templateKey struct{ owner, hash string }

type template struct {
	shape  *model.Shape
	labels map[string]string
}

// revisionLabels tell the revisions of one owner apart.
var revisionLabels = []string{"pod-template-hash", "controller-revision-hash", "pod-template-generation"}

// pod converts a pod whose parts are shared with the pods before it.
func (t templates) pod(in interner, p *corev1.Pod) *model.Pod {
	owner := metav1.GetControllerOfNoCopy(p)
	if owner == nil || owner.UID == "" {
		return in.pod(p)
	}
	key := templateKey{owner: in.of(string(owner.UID))}
	for _, l := range revisionLabels {
		if h := p.Labels[l]; h != "" {
			key.hash = in.of(h)
			break
		}
	}
	known := t[key]
	var out *model.Pod
	j := slices.IndexFunc(known, func(k template) bool { return maps.Equal(k.labels, p.Labels) })
	if j >= 0 {
		out = in.podOf(p, known[j].labels)
	} else {
		out = in.pod(p)
	}
	i := slices.IndexFunc(known, func(k template) bool { return reflect.DeepEqual(k.shape, out.Shape) })
	if i >= 0 {
		out.Shape = known[i].shape
	}
	if i >= 0 && j >= 0 || len(known) >= variants {
		return out
	}
	if len(t) >= maxTemplates {
		clear(t)
		known = nil
	}
	t[key] = append(known, template{out.Shape, out.Labels})
	return out
}
