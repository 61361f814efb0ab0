package scenario

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conditionTexts are the reasons and messages that the kubelet (and Calico for the network) writes.
var conditionTexts = []struct {
	kind                  corev1.NodeConditionType
	reason, message       string
	badReason, badMessage string
	linuxOnly             bool
}{
	{"NetworkUnavailable", "CalicoIsUp", "Calico is running on this node",
		"CalicoIsDown", "Calico is shutting down on this node", true},
	{"MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available",
		"KubeletHasInsufficientMemory", "kubelet has insufficient memory available", false},
	{"DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure",
		"KubeletHasDiskPressure", "kubelet has disk pressure", false},
	{"PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available",
		"KubeletHasInsufficientPID", "kubelet has insufficient PID available", false},
}

// conditions are what the node's status says, from its boot and its state.
func (m *Machine) conditions(s *stage) []corev1.NodeCondition {
	heartbeat := s.ago(20*time.Second - m.Ahead.Duration)
	silent := m.Silent.Duration
	if silent > 0 {
		heartbeat = s.ago(silent + 40*time.Second)
	}
	var all []corev1.NodeCondition
	for _, t := range conditionTexts {
		if t.linuxOnly && m.windows() && !slices.Contains(m.Pressure, string(t.kind)) {
			continue
		}
		c := corev1.NodeCondition{
			Type: t.kind, Status: corev1.ConditionFalse, Reason: t.reason, Message: t.message,
			LastHeartbeatTime: heartbeat, LastTransitionTime: s.ago(m.booted()),
		}
		switch {
		case silent > 0:
			unknown(&c, s.ago(silent))
		case slices.Contains(m.Pressure, string(t.kind)):
			c.Status, c.Reason, c.Message = corev1.ConditionTrue, t.badReason, t.badMessage
			c.LastTransitionTime = s.ago(10 * time.Minute)
		}
		all = append(all, c)
	}
	return append(all, m.ready(s, heartbeat))
}

func (m *Machine) ready(s *stage, heartbeat metav1.Time) corev1.NodeCondition {
	c := corev1.NodeCondition{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status",
		LastHeartbeatTime: heartbeat, LastTransitionTime: s.ago(m.booted() - min(m.booted()/2, 30*time.Second)),
	}
	if d := m.NotReady.Duration; d > 0 {
		c.Status, c.Reason, c.Message, c.LastTransitionTime = corev1.ConditionFalse, "KubeletNotReady", m.Reason, s.ago(d)
	}
	if d := m.Silent.Duration; d > 0 {
		unknown(&c, s.ago(d))
	}
	return c
}

// unknown is what the node lifecycle controller writes when the kubelet is silent.
func unknown(c *corev1.NodeCondition, since metav1.Time) {
	c.Status, c.Reason, c.Message = corev1.ConditionUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status."
	c.LastTransitionTime = since
}
