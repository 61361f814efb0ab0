package model

import "time"

// Pod is what mullion keeps of a Pod object.
type Pod struct {
	Namespace string
	Name      string
	UID       string
	Node      string // spec.nodeName; empty while not scheduled
	IP        string

	Owner        Owner             // the controller; zero when there is none
	Labels       map[string]string // shared by the pods of one template where they are equal
	Shape        *Shape            // what the template decides; nil is unknown
	Target       string            // the only node that a DaemonSet's pod is for (node affinity metadata.name); empty is any
	Nominated    string            // status.nominatedNodeName: where it waits for others to be preempted; empty is none
	RuntimeClass string
	OS           OS // spec.os.name; empty when the pod does not say

	Phase   string // Pending, Running, Succeeded, Failed, Unknown
	State   string // the word that kubectl prints in its STATUS column
	Message string // why, where the API gives a reason in words
	Ready   int    // ready containers
	Total   int    // containers, init containers not counted
	Restart int    // restarts of all containers

	Created time.Time // UTC
	Started time.Time // status.startTime, UTC; zero is not started
	Deleted time.Time // metadata.deletionTimestamp, UTC; zero is not being deleted

	Finalizers []string // what keeps a deleted pod from going; nearly always empty

	HostProcess bool // windowsOptions.hostProcess at the pod or at every container
	HostNetwork bool
	Mirror      bool // static pod of a kubelet
	Exporter    bool // it is a windows_exporter: its image or its port says so

	Requests      Resources // as the scheduler counts them (component-helpers PodRequests)
	Limits        Resources // sum over containers that have one
	MemoryNoLimit int       // containers without a memory limit

	Containers []Container // in the order of the pod, sidecars first; init containers that end are left out
}

// Container is what mullion keeps of a container that runs as long as its pod.
type Container struct {
	Name          string
	ID            string // containerd://…; empty before the first start
	Stopped       bool   // it does not run now: it waits for its next start, or has ended
	MemoryRequest int64  // bytes; 0 is none
	MemoryLimit   int64  // bytes; 0 is no limit
	Restarts      int
	ExitCode      int       // of the last termination
	ExitReason    string    // of the last termination: OOMKilled, Error, …; empty is none
	Exited        time.Time // of the last termination, UTC
}

// Owner is the controller of an object.
type Owner struct {
	Kind string // ReplicaSet, DaemonSet, …, as in ownerReferences
	Name string
	UID  string
}

// Key implements Object.
func (p *Pod) Key() Key { return Key{Kind: KindPod, Namespace: p.Namespace, Name: p.Name} }

// Finished reports whether the pod has ended and holds no resources any more.
func (p *Pod) Finished() bool { return p.Phase == "Succeeded" || p.Phase == "Failed" }

// Terminating reports whether deletion was asked for.
func (p *Pod) Terminating() bool { return !p.Deleted.IsZero() }
