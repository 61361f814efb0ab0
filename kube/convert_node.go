package kube

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// keptAnnotations are the annotations of a Node that mullion reads or shows: its
// own, Calico's, and those by which OpenShift's Windows Machine Config Operator tells the
// state of a node (windows-machine-config-operator pkg/metadata). Others are
// dropped: they are long, and some change with every heartbeat.
var keptAnnotations = []string{
	model.MaintenanceAnnotation,
	model.CalicoAddressAnnotation,
	"windowsmachineconfig.openshift.io/version",
	"windowsmachineconfig.openshift.io/desired-version",
	"windowsmachineconfig.openshift.io/reboot-required",
}

const (
	rolePrefix = "node-role.kubernetes.io/"
	oldRole    = "kubernetes.io/role"
	oldOSLabel = "beta.kubernetes.io/os"
)

func (t interner) node(n *corev1.Node) *model.Node {
	info := n.Status.NodeInfo
	out := &model.Node{
		Name:          t.of(n.Name),
		UID:           string(n.UID),
		OS:            t.osOf(n),
		Arch:          t.of(info.Architecture),
		OSImage:       t.of(cut(info.OSImage)),
		Kernel:        t.of(cut(info.KernelVersion)),
		Kubelet:       t.of(cut(info.KubeletVersion)),
		Runtime:       t.of(cut(info.ContainerRuntimeVersion)),
		BootID:        cut(info.BootID),
		MachineID:     cut(info.MachineID),
		SystemUUID:    cut(info.SystemUUID),
		ProviderID:    cut(n.Spec.ProviderID),
		Roles:         t.rolesOf(n.Labels),
		Conditions:    t.conditionsOf(n.Status.Conditions),
		Unschedulable: n.Spec.Unschedulable,
		Labels:        t.mapOf(n.Labels),
		Annotations:   annotationsOf(n.Annotations),
		Capacity:      resourcesOf(n.Status.Capacity),
		Allocatable:   resourcesOf(n.Status.Allocatable),
		Extended:      t.extended(n.Status.Allocatable),
		PodBlocks:     n.Spec.PodCIDRs,
		MaxPods:       int(n.Status.Allocatable.Pods().Value()),
		Created:       at(n.CreationTimestamp),
	}
	if out.OS == model.OSWindows {
		out.Windows = model.ParseWindowsVersion(n.Labels[model.WindowsBuildLabel], info.KernelVersion)
	}
	for _, taint := range n.Spec.Taints {
		if taint.Key == corev1.TaintNodeUnschedulable {
			out.Cordoned = atOrNever(taint.TimeAdded)
		}
		out.Taints = append(out.Taints, model.Taint{
			Key: t.of(taint.Key), Value: t.of(taint.Value), Effect: t.of(string(taint.Effect)),
		})
	}
	for _, a := range n.Status.Addresses {
		out.Addresses = append(out.Addresses, model.Address{Type: t.of(string(a.Type)), Addr: t.of(cut(a.Address))})
	}
	return out
}

// osOf prefers what the kubelet reports over the labels: those are set once, and
// very old nodes carry only the beta one.
func (t interner) osOf(n *corev1.Node) model.OS {
	for _, os := range []string{n.Status.NodeInfo.OperatingSystem, n.Labels[corev1.LabelOSStable], n.Labels[oldOSLabel]} {
		if os != "" {
			return model.OS(t.of(strings.ToLower(cut(os))))
		}
	}
	return model.OSUnknown
}

// rolesOf reads roles as kubectl does: the label's suffix, or the value of the old label.
func (t interner) rolesOf(labels map[string]string) []string {
	var roles []string
	for k, v := range labels {
		role, ok := strings.CutPrefix(k, rolePrefix)
		if k == oldRole {
			role, ok = v, true
		}
		if ok && role != "" && !slices.Contains(roles, role) {
			roles = append(roles, t.of(role))
		}
	}
	slices.Sort(roles)
	return roles
}

// conditionsOf leaves out lastHeartbeatTime, so that a heartbeat which changes
// nothing else is no change.
func (t interner) conditionsOf(conditions []corev1.NodeCondition) []model.Condition {
	var out []model.Condition
	for _, c := range conditions {
		out = append(out, model.Condition{
			Type:    t.of(string(c.Type)),
			Status:  t.of(string(c.Status)),
			Reason:  t.of(cut(c.Reason)),
			Message: t.of(cut(c.Message)),
			Since:   at(c.LastTransitionTime),
		})
	}
	return out
}

func annotationsOf(annotations map[string]string) map[string]string {
	var out map[string]string
	for _, k := range keptAnnotations {
		if v, ok := annotations[k]; ok {
			if out == nil {
				out = map[string]string{}
			}
			out[k] = v
		}
	}
	return out
}
