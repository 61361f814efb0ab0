package model

import "time"

// OS is an operating system as the label kubernetes.io/os spells it.
type OS string

// The operating systems of a hybrid cluster. Any other value is shown as it came.
const (
	OSUnknown OS = ""
	OSLinux   OS = "linux"
	OSWindows OS = "windows"
)

// Node is what mullion keeps of a Node object.
type Node struct {
	Name string
	UID  string

	OS      OS
	Arch    string
	Windows WindowsVersion // zero on other systems

	OSImage    string // status.nodeInfo.osImage, for example "Windows Server 2025 Datacenter"
	Kernel     string // status.nodeInfo.kernelVersion as reported
	Kubelet    string // v1.37.2
	Runtime    string // containerd://2.2.2
	BootID     string // opaque; empty proves nothing (kubelet winstats getBootID)
	MachineID  string
	SystemUUID string
	ProviderID string

	Roles         []string // sorted; from node-role.kubernetes.io/ labels
	Conditions    []Condition
	Unschedulable bool      // spec.unschedulable: cordoned
	Cordoned      time.Time // when the node controller saw that, UTC; zero is unknown
	Taints        []Taint
	Labels        map[string]string
	Annotations   map[string]string // only those that mullion reads or shows
	Addresses     []Address

	Capacity    Resources
	Allocatable Resources
	PodBlocks   []string         // spec.podCIDRs; empty where no controller gives them out
	MaxPods     int              // status.allocatable.pods; 0 is unknown
	Extended    map[string]int64 // allocatable beyond CPU, memory and pods, in base units; shared

	Created time.Time // UTC
}

// Key implements Object.
func (n *Node) Key() Key { return Key{Kind: KindNode, Name: n.Name} }

// Condition is one of status.conditions.
type Condition struct {
	Type    string
	Status  string // True, False, Unknown
	Reason  string
	Message string
	Since   time.Time // lastTransitionTime, UTC; zero is unknown
}

// Taint is one of spec.taints.
type Taint struct {
	Key    string
	Value  string
	Effect string
}

// Address is one of status.addresses.
type Address struct {
	Type string // InternalIP, ExternalIP, Hostname, …
	Addr string
}

// Condition returns the condition of that type, and whether the node reports it.
func (n *Node) Condition(kind string) (Condition, bool) {
	for _, c := range n.Conditions {
		if c.Type == kind {
			return c, true
		}
	}
	return Condition{}, false
}

// Readiness is what the Ready condition says.
type Readiness int

// A node that reports no Ready condition has never been heard of: ReadyAbsent.
const (
	ReadyAbsent Readiness = iota
	Ready
	NotReady     // the kubelet says so
	ReadyUnknown // the node controller says that the kubelet is silent
)

// Readiness returns what the Ready condition says and since when (UTC; zero is unknown).
func (n *Node) Readiness() (Readiness, time.Time) {
	c, ok := n.Condition("Ready")
	switch {
	case !ok:
		return ReadyAbsent, time.Time{}
	case c.Status == "True":
		return Ready, c.Since
	case c.Status == "False":
		return NotReady, c.Since
	default:
		return ReadyUnknown, c.Since
	}
}

// Pressures returns the types of all conditions but Ready that are True, in the
// order in which the node reports them: MemoryPressure, DiskPressure, PIDPressure,
// NetworkUnavailable, and those of node-problem-detector.
func (n *Node) Pressures() []string {
	var out []string
	for _, c := range n.Conditions {
		if c.Type != "Ready" && c.Status == "True" {
			out = append(out, c.Type)
		}
	}
	return out
}

// InTrouble reports whether the node is not Ready or under some pressure. A
// cordoned node is not in trouble for that alone.
func (n *Node) InTrouble() bool {
	r, _ := n.Readiness()
	return r != Ready || len(n.Pressures()) > 0
}

// MaintenanceAnnotation holds the maintenance run that owns a node, as JSON.
const MaintenanceAnnotation = "mullion.dev/maintenance"

// CalicoAddressAnnotation is written by Calico on the nodes whose pods it gives addresses to.
const CalicoAddressAnnotation = "projectcalico.org/IPv4Address"

// InMaintenance reports whether a maintenance run is written on the node.
func (n *Node) InMaintenance() bool { return n.Annotations[MaintenanceAnnotation] != "" }

// String writes the taint as kubectl does: key=value:effect.
func (t Taint) String() string {
	if t.Value == "" {
		return t.Key + ":" + t.Effect
	}
	return t.Key + "=" + t.Value + ":" + t.Effect
}
