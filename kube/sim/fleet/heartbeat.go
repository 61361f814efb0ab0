package fleet

import (
	"context"
	"fmt"
	"sort"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/utils/ptr"
)

const (
	leaseSeconds  = 40              // the kubelet's lease duration
	statusEvery   = 5 * time.Minute // how often a kubelet reports a status that did not change
	imagesInNode  = 50              // nodeStatusMaxImages
	imageBytes    = 120 << 20       // no registry is asked: every image has this size
	imageBytesWin = 2 << 30
)

// heartbeat renews the lease, reports the status when it is time or something differs, and plans the next beat.
func (m *machine) heartbeat(ctx context.Context) error {
	if !m.live() {
		return nil
	}
	if err := m.renewLease(ctx); err != nil {
		return err
	}
	m.quiet = m.now().Sub(m.reported) < statusEvery && !m.statusDiffers()
	if !m.quiet {
		if err := m.postStatus(ctx); err != nil {
			return err
		}
	}
	m.after(m.f.o.Heartbeat, m.heartbeat)
	return nil
}

func (m *machine) renewLease(ctx context.Context) error {
	leases := m.f.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	lease, err := m.lease, error(nil)
	if lease == nil {
		lease, err = leases.Get(ctx, m.name, metav1.GetOptions{})
	}
	switch {
	case apierrors.IsNotFound(err):
		lease, err = leases.Create(ctx, m.renewed(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
			Namespace: corev1.NamespaceNodeLease, Name: m.name}}), metav1.CreateOptions{})
	case err == nil:
		lease, err = leases.Update(ctx, m.renewed(lease.DeepCopy()), metav1.UpdateOptions{})
	}
	if err != nil {
		m.lease = nil
		return fmt.Errorf("kubelet of %s: renew its lease: %w", m.name, err)
	}
	m.lease = lease
	return nil
}

func (m *machine) renewed(l *coordinationv1.Lease) *coordinationv1.Lease {
	l.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: m.name, UID: m.node.UID}}
	l.Spec.HolderIdentity = ptr.To(m.name)
	l.Spec.LeaseDurationSeconds = ptr.To[int32](leaseSeconds)
	l.Spec.RenewTime = ptr.To(metav1.NewMicroTime(m.now().Add(m.profile.ClockAhead)))
	return l
}

// statusDiffers says whether the cluster's view is not the kubelet's, for instance since a controller wrote Unknown.
func (m *machine) statusDiffers() bool {
	_, ready := nodeutil.GetNodeCondition(&m.node.Status, corev1.NodeReady)
	return ready == nil || ready.Status != corev1.ConditionTrue || !equality.Semantic.DeepEqual(m.info, m.node.Status.NodeInfo)
}

// postStatus writes the node's status through the status subresource, as a strategic merge patch.
func (m *machine) postStatus(ctx context.Context) error {
	want := m.node.DeepCopy()
	want.Status.NodeInfo = m.info
	want.Status.Images = m.imageList(want.Status.Images)
	now := metav1.NewTime(m.now().Add(m.profile.ClockAhead))
	_, ready := nodeutil.GetNodeCondition(&want.Status, corev1.NodeReady)
	wasReady := ready != nil && ready.Status == corev1.ConditionTrue
	for _, c := range kubeletConditions() {
		setNodeCondition(&want.Status, c, now)
	}
	got, _, err := nodeutil.PatchNodeStatus(m.f.client.CoreV1(), nodeName(m.name), m.node, want)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("kubelet of %s: report the node's status: %w", m.name, err)
	}
	m.node, m.reported = got, m.now()
	if !wasReady {
		return m.nodeStatusEvent(ctx, "NodeReady")
	}
	return nil
}

// kubeletConditions are the conditions that a healthy kubelet reports, in its order.
func kubeletConditions() []corev1.NodeCondition {
	return []corev1.NodeCondition{
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status"},
	}
}

// setNodeCondition leaves a pressure that the cluster was loaded with: the fleet's machines never feel any themselves.
func setNodeCondition(s *corev1.NodeStatus, c corev1.NodeCondition, now metav1.Time) {
	i, old := nodeutil.GetNodeCondition(s, c.Type)
	c.LastHeartbeatTime, c.LastTransitionTime = now, now
	if old == nil {
		s.Conditions = append(s.Conditions, c)
		return
	}
	if c.Type != corev1.NodeReady && old.Status == corev1.ConditionTrue {
		s.Conditions[i].LastHeartbeatTime = now
		return
	}
	if old.Status == c.Status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	s.Conditions[i] = c
}

// imageList adds the images of the pods that ran here to those that the Node was loaded with.
func (m *machine) imageList(have []corev1.ContainerImage) []corev1.ContainerImage {
	listed := map[string]bool{}
	for _, i := range have {
		for _, n := range i.Names {
			listed[n] = true
		}
	}
	missing := []string{}
	for name := range m.images {
		if !listed[name] {
			missing = append(missing, name)
		}
	}
	sort.Strings(missing)
	size := int64(imageBytes)
	if m.windows() {
		size = imageBytesWin
	}
	for _, name := range missing {
		if len(have) >= imagesInNode {
			break
		}
		have = append(have, corev1.ContainerImage{Names: []string{name}, SizeBytes: size})
	}
	return have
}
