//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// maker makes clusters and pods in which most rules of the scheduler have something to
// say, and in which about as many pods find a node as do not.
type maker struct {
	*rand.Rand
	prefix string // of all names
	claims []string
}

const (
	nodesEach = 12
	podsEach  = 24
	zoneLabel = corev1.LabelTopologyZone
)

func pick[T any](m *maker, from ...T) T { return from[m.IntN(len(from))] }

func (m *maker) chance(percent int) bool { return m.IntN(100) < percent }

func (m *maker) node(i int) *corev1.Node {
	name := fmt.Sprintf("%s-n%02d", m.prefix, i)
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name, corev1.LabelOSStable: pick(m, "linux", "linux", "windows"),
		"disk": pick(m, "ssd", "hdd"), "rank": fmt.Sprint(m.IntN(5)),
	}}}
	if m.chance(90) {
		n.Labels[zoneLabel] = pick(m, "a", "b", "c")
	}
	if n.Labels[corev1.LabelOSStable] == "windows" {
		n.Labels[corev1.LabelWindowsBuild] = pick(m, "10.0.20348", "10.0.26100")
		if m.chance(70) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "os", Value: pick(m, "windows", "Windows"), Effect: corev1.TaintEffectNoSchedule})
		}
	}
	if m.chance(20) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "team", Value: pick(m, "x", "y"),
			Effect: pick(m, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule)})
	}
	n.Spec.Unschedulable = m.chance(12)
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(int64(500+m.IntN(4)*500), resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(int64(1+m.IntN(4))<<30, resource.BinarySI),
		corev1.ResourcePods:   *resource.NewQuantity(int64(1+m.IntN(5)), resource.DecimalSI),
	}
	if m.chance(30) {
		n.Status.Allocatable["example.com/gpu"] = resource.MustParse("2")
	}
	if m.chance(70) {
		n.Status.Allocatable[corev1.ResourceEphemeralStorage] = resource.MustParse("4Gi")
	}
	n.Status.Capacity = n.Status.Allocatable
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

// volume makes a volume with a claim that is bound to it.
func (m *maker) volume(i int, namespace string) (*corev1.PersistentVolume, *corev1.PersistentVolumeClaim) {
	name := fmt.Sprintf("%s-v%d", m.prefix, i)
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{pick(m, corev1.ReadWriteMany, corev1.ReadWriteMany, corev1.ReadWriteOncePod)}
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}}
	v.Spec.Capacity, v.Spec.AccessModes = size, modes
	v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "example.com", VolumeHandle: name}
	v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: namespace, Name: name}
	if m.chance(70) {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{m.term()}}}
	} else if m.chance(50) {
		v.Labels = map[string]string{zoneLabel: pick(m, "a", "b", "a__c")}
	}
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}}}
	c.Spec = corev1.PersistentVolumeClaimSpec{AccessModes: modes, VolumeName: name, StorageClassName: ptr.To(""), Resources: corev1.VolumeResourceRequirements{Requests: size}}
	return v, c
}

func (m *maker) term() corev1.NodeSelectorTerm {
	requirement := func() corev1.NodeSelectorRequirement {
		switch m.IntN(7) {
		case 0:
			return corev1.NodeSelectorRequirement{Key: "rank", Operator: corev1.NodeSelectorOpGt, Values: []string{fmt.Sprint(m.IntN(4))}}
		case 1:
			return corev1.NodeSelectorRequirement{Key: "rank", Operator: corev1.NodeSelectorOpLt, Values: []string{fmt.Sprint(1 + m.IntN(4))}}
		case 2:
			return corev1.NodeSelectorRequirement{Key: zoneLabel, Operator: pick(m, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist)}
		case 3:
			return corev1.NodeSelectorRequirement{Key: zoneLabel, Operator: corev1.NodeSelectorOpNotIn, Values: []string{pick(m, "a", "b")}}
		case 4:
			return corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"}}
		default:
			return corev1.NodeSelectorRequirement{Key: zoneLabel, Operator: corev1.NodeSelectorOpIn, Values: []string{pick(m, "a", "b"), pick(m, "b", "c")}}
		}
	}
	t := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{requirement()}}
	if m.chance(30) {
		t.MatchExpressions = append(t.MatchExpressions, requirement())
	}
	return t
}

func (m *maker) apps() map[string]string {
	return map[string]string{"app": pick(m, "web", "db", "cache")}
}

func (m *maker) podTerm() corev1.PodAffinityTerm {
	t := corev1.PodAffinityTerm{TopologyKey: pick(m, zoneLabel, corev1.LabelHostname), LabelSelector: &metav1.LabelSelector{MatchLabels: m.apps()}}
	if m.chance(15) {
		t.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": pick(m, m.prefix, "default")}}
	}
	return t
}

// pod makes a pod that waits behind a gate.
func (m *maker) pod(i int) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%02d", i), Labels: m.apps()}}
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: gate}}
	p.Spec.TerminationGracePeriodSeconds = ptr.To[int64](0)
	c := corev1.Container{Name: "app", Image: "app:1"}
	c.Resources.Requests = corev1.ResourceList{}
	if m.chance(80) {
		c.Resources.Requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(int64(100+m.IntN(6)*100), resource.DecimalSI)
	}
	if m.chance(70) {
		c.Resources.Requests[corev1.ResourceMemory] = *resource.NewQuantity(int64(128+m.IntN(6)*128)<<20, resource.BinarySI)
	}
	if m.chance(10) {
		c.Resources.Requests["example.com/gpu"] = resource.MustParse("1")
		c.Resources.Limits = corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}
	}
	if m.chance(10) {
		c.Resources.Requests[corev1.ResourceEphemeralStorage] = resource.MustParse("2Gi")
	}
	if m.chance(20) {
		c.Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: pick[int32](m, 80, 81), HostIP: pick(m, "", "", "10.0.0.1"), Protocol: pick(m, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP)}}
	}
	p.Spec.Containers = []corev1.Container{c}
	if m.chance(15) {
		p.Spec.InitContainers = []corev1.Container{{Name: "init", Image: "app:1", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("900m")}}}}
	}
	m.placement(p)
	if len(m.claims) > 0 && m.chance(20) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: pick(m, m.claims...)}}}}
	}
	return p
}

// pin asks for one node, as a DaemonSet does: the answer is then about that node alone.
func (m *maker) pin(a *corev1.Affinity) {
	if a.NodeAffinity == nil {
		a.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: make([]corev1.NodeSelectorTerm, 1)}}
	}
	name := []string{fmt.Sprintf("%s-n%02d", m.prefix, m.IntN(nodesEach))}
	terms := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for i := range terms {
		terms[i].MatchFields = []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: name}}
	}
}

// placement gives the pod wishes about nodes and company.
func (m *maker) placement(p *corev1.Pod) {
	if m.chance(25) {
		p.Spec.NodeSelector = pick(m, map[string]string{corev1.LabelOSStable: "windows"}, map[string]string{corev1.LabelOSStable: "linux"},
			map[string]string{"disk": "ssd"}, map[string]string{corev1.LabelWindowsBuild: "10.0.20348"}, map[string]string{corev1.LabelOSStable: "linux", "disk": "hdd"})
	}
	if m.chance(50) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "os", Operator: corev1.TolerationOpEqual, Value: "windows", Effect: corev1.TaintEffectNoSchedule})
	}
	if m.chance(15) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, pick(m, corev1.Toleration{Operator: corev1.TolerationOpExists},
			corev1.Toleration{Key: "team", Operator: corev1.TolerationOpExists}, corev1.Toleration{Key: "team", Value: "x", Effect: corev1.TaintEffectNoExecute},
			corev1.Toleration{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}))
	}
	a := &corev1.Affinity{}
	if m.chance(25) {
		terms := []corev1.NodeSelectorTerm{m.term()}
		if m.chance(30) {
			terms = append(terms, m.term())
		}
		a.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}
	}
	if m.chance(12) {
		a.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{m.podTerm()}}
		if m.chance(20) {
			a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, m.podTerm())
		}
	}
	if m.chance(20) {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{m.podTerm()}}
	}
	if m.chance(40) {
		m.pin(a)
	}
	if *a != (corev1.Affinity{}) {
		p.Spec.Affinity = a
	}
	if m.chance(25) {
		c := corev1.TopologySpreadConstraint{MaxSkew: int32(1 + m.IntN(2)), TopologyKey: pick(m, zoneLabel, zoneLabel, corev1.LabelHostname),
			WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: pick(m, p.Labels, m.apps())}}
		if m.chance(30) {
			c.NodeAffinityPolicy = ptr.To(corev1.NodeInclusionPolicyIgnore)
		}
		if m.chance(30) {
			c.NodeTaintsPolicy = ptr.To(corev1.NodeInclusionPolicyHonor)
		}
		if m.chance(20) {
			c.MinDomains = ptr.To[int32](3)
		}
		if m.chance(15) {
			c.MatchLabelKeys = []string{"app"}
			c.LabelSelector = &metav1.LabelSelector{}
		}
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{c}
	}
}
