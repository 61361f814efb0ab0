package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"maps"
	"net/netip"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/kubectl/pkg/util/qos"
	"k8s.io/utils/ptr"
)

// Placed is one pod of a workload: where it runs and since when.
type Placed struct {
	Name string `json:"name"` // made up when empty
	Node string `json:"node"` // empty: no node has been found for it
	IP   string `json:"ip"`   // the node's next free address when empty
	// Age of the pod; the workload's when 0.
	Age metav1.Duration `json:"age"`
	// Restarts is how often each container was restarted, the last time Restarted ago.
	Restarts  int32           `json:"restarts"`
	Restarted metav1.Duration `json:"restarted"`

	// edit changes the pod before it is counted in its owner's status.
	edit func(*corev1.Pod)
}

// suffix is five characters as the API server makes them up, the same in every run.
func suffix(parts ...string) string {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	s := rand.SafeEncodeString(strconv.FormatUint(h.Sum64(), 36))
	return s[len(s)-5:]
}

// pod adds one pod made from a template.
func (s *stage) pod(
	namespace, name string, t *corev1.PodTemplateSpec, owner *metav1.OwnerReference, p Placed, age time.Duration,
) (*corev1.Pod, error) {
	if p.Age.Duration != 0 {
		age = p.Age.Duration
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: maps.Clone(t.Labels), Annotations: maps.Clone(t.Annotations),
		},
		Spec: *t.Spec.DeepCopy(),
	}
	pod.UID, pod.CreationTimestamp = s.uid("Pod", namespace, name), s.ago(age)
	if owner != nil {
		pod.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	s.admit(&pod.Spec)
	pod.Status.QOSClass = qos.GetPodQOS(pod)
	if p.Node == "" {
		pending(pod, s.ago(age))
	} else if err := s.running(pod, p, age); err != nil {
		return nil, fmt.Errorf("pod %s/%s: %w", namespace, name, err)
	}
	if p.edit != nil {
		p.edit(pod)
	}
	s.account(namespace, pod.Spec.ServiceAccountName, age)
	s.add("Pod", pod, age)
	return pod, nil
}

// admit does to a pod what the API server's admission plug-ins do: RuntimeClass, DefaultTolerationSeconds, ServiceAccount.
func (s *stage) admit(spec *corev1.PodSpec) {
	complete(spec)
	if spec.ServiceAccountName == "" {
		spec.ServiceAccountName = "default"
	}
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	if spec.Priority == nil {
		spec.Priority = ptr.To[int32](0)
	}
	spec.PreemptionPolicy = ptr.To(corev1.PreemptLowerPriority)
	if spec.RuntimeClassName != nil {
		if class := s.classes[*spec.RuntimeClassName]; class != nil && class.Scheduling != nil {
			if spec.NodeSelector == nil {
				spec.NodeSelector = map[string]string{}
			}
			maps.Copy(spec.NodeSelector, class.Scheduling.NodeSelector)
			spec.Tolerations = append(spec.Tolerations, class.Scheduling.Tolerations...)
		}
	}
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		taint := corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute}
		if !tolerated(spec.Tolerations, taint) {
			spec.Tolerations = append(spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300),
			})
		}
	}
}

// tolerated reports whether one of the tolerations matches the taint as the scheduler matches them.
func tolerated(tolerations []corev1.Toleration, taint corev1.Taint) bool {
	for _, t := range tolerations {
		if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
			continue
		}
		if t.Operator == corev1.TolerationOpExists || t.Value == taint.Value {
			return true
		}
	}
	return false
}

// complete fills in the fields that the API server defaults, so that a pod reads as one that came from it.
func complete(spec *corev1.PodSpec) {
	if spec.RestartPolicy == "" {
		spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if spec.DNSPolicy == "" {
		spec.DNSPolicy = corev1.DNSClusterFirst
	}
	if spec.TerminationGracePeriodSeconds == nil {
		spec.TerminationGracePeriodSeconds = ptr.To[int64](30)
	}
	if spec.SchedulerName == "" {
		spec.SchedulerName = corev1.DefaultSchedulerName
	}
	if spec.SecurityContext == nil {
		spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	spec.EnableServiceLinks = ptr.To(true)
	for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range list {
			c := &list[i]
			if c.ImagePullPolicy == "" {
				c.ImagePullPolicy = corev1.PullIfNotPresent
			}
			c.TerminationMessagePath = corev1.TerminationMessagePathDefault
			c.TerminationMessagePolicy = corev1.TerminationMessageReadFile
		}
	}
}

func pending(pod *corev1.Pod, since metav1.Time) {
	pod.Status.Phase = corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, LastTransitionTime: since, Reason: corev1.PodReasonUnschedulable,
	}}
}

// running gives the pod its node, its address and the status of a pod that is well.
func (s *stage) running(pod *corev1.Pod, p Placed, age time.Duration) error {
	m, err := s.machine(p.Node)
	if err != nil {
		return err
	}
	pod.Spec.NodeName = p.Node
	ip := p.IP
	switch {
	case pod.Spec.HostNetwork:
		ip = m.Address
	case ip == "":
		next, err := s.nextAddress(m)
		if err != nil {
			return err
		}
		ip = next.String()
	default:
		addr, err := netip.ParseAddr(ip)
		if err != nil {
			return err
		}
		s.addresses[addr] = true
	}
	started := age - min(age/2, 3*time.Second)
	up := started
	if p.Restarts > 0 {
		up = p.Restarted.Duration
	}
	st := &pod.Status
	st.Phase = corev1.PodRunning
	st.HostIP, st.HostIPs = m.Address, []corev1.HostIP{{IP: m.Address}}
	st.PodIP, st.PodIPs = ip, []corev1.PodIP{{IP: ip}}
	st.StartTime = ptr.To(s.ago(age))
	st.Conditions = healthy(s.ago(age), s.ago(up-min(up/2, 5*time.Second)))
	for i, c := range pod.Spec.InitContainers {
		st.InitContainerStatuses = append(st.InitContainerStatuses, s.initStatus(pod, i, c, s.ago(age), s.ago(started)))
	}
	for i, c := range pod.Spec.Containers {
		st.ContainerStatuses = append(st.ContainerStatuses, s.containerStatus(pod, i, c, p, up))
	}
	return nil
}

func healthy(created, ready metav1.Time) []corev1.PodCondition {
	at := func(kind corev1.PodConditionType, t metav1.Time) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: t}
	}
	return []corev1.PodCondition{
		at(corev1.PodReadyToStartContainers, created), at(corev1.PodInitialized, created),
		at(corev1.PodReady, ready), at(corev1.ContainersReady, ready), at(corev1.PodScheduled, created),
	}
}

func (s *stage) containerStatus(pod *corev1.Pod, i int, c corev1.Container, p Placed, up time.Duration) corev1.ContainerStatus {
	cs := corev1.ContainerStatus{
		Name: c.Name, Ready: true, Started: ptr.To(true), RestartCount: p.Restarts,
		State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: s.ago(up)}},
		ContainerID: containerID(pod, i, int(p.Restarts)),
	}
	cs.Image, cs.ImageID = s.pull(pod.Spec.NodeName, c.Image)
	if p.Restarts > 0 {
		// A reboot ends a container without a word from it: the kubelet finds it gone and reports 255.
		cs.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
			ExitCode: 255, Reason: "Unknown", ContainerID: containerID(pod, i, int(p.Restarts)-1),
			StartedAt: s.ago(up + time.Hour), FinishedAt: s.ago(up + 30*time.Second),
		}
	}
	return cs
}

func (s *stage) initStatus(pod *corev1.Pod, i int, c corev1.Container, begin, end metav1.Time) corev1.ContainerStatus {
	cs := corev1.ContainerStatus{Name: c.Name, Ready: true, Started: ptr.To(false), ContainerID: containerID(pod, 100+i, 0)}
	cs.Image, cs.ImageID = s.pull(pod.Spec.NodeName, c.Image)
	cs.State.Terminated = &corev1.ContainerStateTerminated{
		Reason: "Completed", StartedAt: begin, FinishedAt: end, ContainerID: cs.ContainerID,
	}
	return cs
}

// pull notes that the node has the image and returns what a status calls it.
func (s *stage) pull(node, image string) (name, id string) {
	known, ok := s.digests[image]
	if !ok {
		sum := sha256.Sum256([]byte(image))
		known = image + "@sha256:" + hex.EncodeToString(sum[:])
		s.digests[image] = known
	}
	if s.images[node] == nil {
		s.images[node] = map[string]bool{}
	}
	s.images[node][image] = true
	return image, known
}

func containerID(pod *corev1.Pod, container, attempt int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d/%d", pod.Namespace, pod.Name, container, attempt))
	return "containerd://" + hex.EncodeToString(sum[:])
}

// ready reports whether the pod counts as ready in its owner's status.
func ready(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
