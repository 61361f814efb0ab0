package fleet

import "time"

// Hold is the annotation, with the value "true", that makes the fleet leave an object as it was loaded.
// A held pod keeps its status for ever; a held node sends no status, no lease and no event, its
// kubelet does not answer, and its pods stay as they are.
// The controllers leave held objects alone too, so that such a node is not found to be silent.
// Scenarios use it for troubles that must not heal.
const Hold = "sim.mullion.dev/hold"

// Profile says how one simulated machine behaves. The zero value is a quick, healthy machine.
// Every duration is time on the fleet's clock.
type Profile struct {
	// Uptime is how long the machine had been up when the fleet took it over. 0: since a minute before its oldest running
	// container started, or before its Node was made.
	Uptime time.Duration
	// BootTime runs from the reboot to the kubelet's first status with the new boot ID. 0 = 10 s (seed 001).
	BootTime time.Duration
	// NetworkDelay runs from the reboot until the host's network pods (HostProcess pods on Windows, pods on the host
	// network on Linux) have restarted. 0 = 28 s on Windows (seed 001), 5 s after the boot on Linux.
	NetworkDelay time.Duration
	// PodStart is how long a container takes from its pod's arrival on the node to its start. 0 = 2 s.
	PodStart time.Duration
	// PodStop is how long a container takes to stop after its grace signal; the pod's own grace period caps it. 0 = 1 s.
	PodStop time.Duration
	// JobTime is how long the containers of a pod with restartPolicy Never or OnFailure run until they exit with code 0.
	// 0 = 30 s.
	JobTime time.Duration
	// SlowBoot, when not 0, is added between the boot and the kubelet's first status: containerd and the kubelet missed
	// their service start, the node goes NotReady and comes back after this time (seed 001: a quarter of an hour).
	SlowBoot time.Duration
	// NeverReturns: after the next reboot the machine stays away.
	NeverReturns bool
	// RevisionAfterReboot is the Windows revision (UBR, the fourth part of kernelVersion) from the next boot on. 0 keeps it.
	RevisionAfterReboot int
	// Services: CNI and kube-proxy of this node are services of its operating system (AKS, EKS, GKE, RKE2), not pods.
	// The network is then back at NetworkDelay although no pod of it restarts.
	Services bool
	// StatsDelay is how long the kubelet takes to answer the Summary API (domain: up to 40 s on a busy node). 0 = at once.
	StatsDelay time.Duration
	// ClockAhead is how far the machine's clock is in front of everybody else's (behind, when negative): what it writes into
	// its lease, its heartbeats and its statistics.
	ClockAhead time.Duration
	// StatsFault is how the kubelet answers the Summary API instead of with figures; empty is well.
	StatsFault Fault
	// Memory holds the machine's figures; see there for what 0 means.
	Memory Memory
	// Containers holds what single containers use, keyed "namespace/workload/container", where workload is the name of the
	// pod's topmost known owner (Deployment, DaemonSet, StatefulSet, Job) or of the pod itself if it has none.
	// A container that is not listed uses a share of its request drawn from the seed.
	Containers map[string]ContainerMemory
}

// Memory is a machine's memory in bytes. A field that is 0 is derived: Physical from the Node's memory capacity,
// PageFile as a quarter of Physical on Windows, SystemCommit as 1.5 GiB and SystemWorkingSet as two thirds of SystemCommit.
type Memory struct {
	// Physical is the installed memory.
	Physical int64
	// PageFile is the size of the page file. On Windows the commit limit is Physical + PageFile.
	PageFile int64
	// SystemCommit is what the system and its services have committed, without any container.
	SystemCommit int64
	// SystemWorkingSet is the private working set of the same processes.
	SystemWorkingSet int64
	// NoGlobalCommit leaves the system container "windows-global-commit-memory" out of the summary, as kubelets before 1.31 do.
	NoGlobalCommit bool
	// NoContainerCommit leaves the commit of every container out of the summary (usageBytes absent), as kubelets without the
	// feature gate PodAndContainerStatsFromCRI do; the exporter still has it.
	NoContainerCommit bool
	// Noise is the share by which every figure of the machine wavers around its value, for example 0.02. 0: nothing moves.
	Noise float64
}

// ContainerMemory is what one container uses, in bytes.
type ContainerMemory struct {
	// Commit is the memory committed by the container's job object (Windows) or charged to its cgroup (Linux). 0 is drawn
	// from the seed, with WorkingSet.
	Commit int64
	// WorkingSet is its private working set (Windows) or its working set (Linux).
	WorkingSet int64
	// Leak is what it commits more each minute, from its start or from when the fleet took it over. At its limit an
	// allocation fails: the container exits with code 2 and reason Error, and begins anew after the kubelet's back-off.
	Leak int64
}
