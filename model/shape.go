package model

import (
	corev1 "k8s.io/api/core/v1"
)

// Shape is what a pod's template decides about where the pod can run and how it
// fares there. All pods of one template share one; it is never written after it was
// handed out. A nil *Shape means that nothing is known of the template.
type Shape struct {
	NodeSelector map[string]string
	Affinity     *corev1.Affinity // without the term by which a DaemonSet names the node: see Pod.Target
	Tolerations  []corev1.Toleration
	Spread       []corev1.TopologySpreadConstraint

	Ports        []HostPort       // of containers and sidecars
	Volumes      []PodVolume      // those that matter to a node; config maps, secrets and the like are left out
	Images       []ContainerImage // of every container, init containers first
	Extended     map[string]int64 // requests beyond CPU and memory: ephemeral-storage, hugepages, extended resources; base units
	Overhead     Resources        // spec.overhead, which admission copies from the RuntimeClass
	DeviceClaims bool             // spec.resourceClaims is not empty: dynamic resource allocation decides too

	Scheduler string   // spec.schedulerName; empty is the default scheduler
	Gates     []string // spec.schedulingGates: while there is one, nobody schedules the pod
	Priority  int32

	// NotOnWindows are the paths of the fields set that Windows refuses or ignores,
	// for example "containers[app].securityContext.privileged". They are collected for
	// pods of any OS, since the pod need not say which it is for.
	NotOnWindows []string
}

// HostPort is a port of the node that a pod takes.
type HostPort struct {
	IP       string // empty is every address
	Protocol string // TCP, UDP, SCTP
	Port     int32
}

// PodVolume is a volume of a pod that depends on the node.
type PodVolume struct {
	Name   string
	Kind   string // persistentVolumeClaim, ephemeral, csi, hostPath, emptyDir, nfs, …, as in the API
	Claim  string // of a persistentVolumeClaim; empty where OwnClaim is set
	Driver string // of a csi volume
	Path   string // of a hostPath
	Medium string // of an emptyDir: Memory, HugePages…; empty is the disk
	// OwnClaim: the claim is named after the pod, by StatefulSets VOLUME-POD and for
	// ephemeral volumes POD-VOLUME, so that pods of one template can share their Shape.
	OwnClaim bool
}

// ContainerImage is the image of one container.
type ContainerImage struct {
	Container string
	Image     string // as the pod names it
	Init      bool   // of an init container that ends; sidecars are none
}

// DefaultScheduler is the scheduler of pods that name none.
const DefaultScheduler = corev1.DefaultSchedulerName

// ClaimName returns the claim behind a volume of the pod, and whether it has one.
func (p *Pod) ClaimName(v PodVolume) (string, bool) {
	switch {
	case v.Kind == "ephemeral":
		return p.Name + "-" + v.Name, true
	case v.Kind != "persistentVolumeClaim":
		return "", false
	case v.OwnClaim:
		return v.Name + "-" + p.Name, true
	default:
		return v.Claim, true
	}
}
