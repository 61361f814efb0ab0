package fleet

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	stats "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	"k8s.io/utils/ptr"
)

// summary is the kubelet's Summary API. With onlyCPUAndMemory it leaves out everything else, and on Windows the node's start
// is then the kubelet's and not the system's (kubelet, server/stats/summary.go).
func (m *machine) summary(onlyCPUAndMemory bool) *stats.Summary {
	u := m.measure()
	s := &stats.Summary{Node: m.nodeStats(u), Pods: []stats.PodStats{}}
	if onlyCPUAndMemory && m.windows() {
		s.Node.StartTime = metav1.NewTime(m.kubeletAt)
	}
	for _, p := range u.pods {
		s.Pods = append(s.Pods, m.podStats(u, p, onlyCPUAndMemory))
	}
	if !onlyCPUAndMemory {
		m.addDisksAndNetwork(u, s)
	}
	return s
}

func (m *machine) nodeStats(u usage) stats.NodeStats {
	at := metav1.NewTime(u.at)
	nano := int64(0)
	podsSet := int64(0)
	for _, p := range u.pods {
		for _, c := range p.containers {
			nano += c.nanoCores
			podsSet += c.WorkingSet
		}
	}
	n := stats.NodeStats{
		NodeName: m.name, StartTime: metav1.NewTime(m.bootedAt),
		CPU:    &stats.CPUStats{Time: at, UsageNanoCores: count(nano + 1e8), UsageCoreNanoSeconds: count(spent(nano+1e8, m.bootedAt, u.at))},
		Memory: &stats.MemoryStats{Time: at, AvailableBytes: count(u.physical - u.workingSet), WorkingSetBytes: count(u.workingSet), UsageBytes: count(u.commit)},
		SystemContainers: []stats.ContainerStats{{Name: stats.SystemContainerPods, StartTime: metav1.NewTime(m.kubeletAt),
			CPU:    &stats.CPUStats{Time: at, UsageNanoCores: count(nano), UsageCoreNanoSeconds: count(spent(nano, m.bootedAt, u.at))},
			Memory: &stats.MemoryStats{Time: at, WorkingSetBytes: count(podsSet)}}},
	}
	if m.windows() && !m.profile.Memory.NoGlobalCommit {
		n.SystemContainers = append(n.SystemContainers, stats.ContainerStats{
			Name: stats.SystemContainerWindowsGlobalCommitMemory, StartTime: at,
			Memory: &stats.MemoryStats{Time: at, AvailableBytes: count(u.limit - u.commit), UsageBytes: count(u.commit)}})
	}
	return n
}

// podStats leaves HostProcess containers at zero, as the kubelet does: they are in no job object that it can read.
func (m *machine) podStats(u usage, p podUsage, onlyCPUAndMemory bool) stats.PodStats {
	at := metav1.NewTime(u.at)
	out := stats.PodStats{
		PodRef:    stats.PodReference{Name: p.pod.Name, Namespace: p.pod.Namespace, UID: string(p.pod.UID)},
		StartTime: ptr.Deref(p.pod.Status.StartTime, metav1.NewTime(p.containers[0].startedAt)),
	}
	var nano, set, commit, cpu int64
	for _, c := range p.containers {
		shown := c
		if c.hostProcess {
			shown.ContainerMemory, shown.nanoCores = ContainerMemory{}, 0
		}
		cs := stats.ContainerStats{Name: c.name, StartTime: metav1.NewTime(c.startedAt),
			CPU:    &stats.CPUStats{Time: at, UsageNanoCores: count(shown.nanoCores), UsageCoreNanoSeconds: count(spent(shown.nanoCores, c.startedAt, u.at))},
			Memory: &stats.MemoryStats{Time: at, WorkingSetBytes: count(shown.WorkingSet)}}
		if !m.profile.Memory.NoContainerCommit {
			cs.Memory.UsageBytes = count(shown.Commit)
			commit += shown.Commit
		}
		if !onlyCPUAndMemory {
			cs.Rootfs, cs.Logs = disk(u.at, 180<<20), disk(u.at, 1<<20)
		}
		nano, set, cpu = nano+shown.nanoCores, set+shown.WorkingSet, cpu+spent(shown.nanoCores, c.startedAt, u.at)
		out.Containers = append(out.Containers, cs)
	}
	out.CPU = &stats.CPUStats{Time: at, UsageNanoCores: count(nano), UsageCoreNanoSeconds: count(cpu)}
	out.Memory = &stats.MemoryStats{Time: at, WorkingSetBytes: count(set), UsageBytes: count(commit), AvailableBytes: count(0)}
	return out
}

func (m *machine) addDisksAndNetwork(u usage, s *stats.Summary) {
	name := "eth0"
	if m.windows() {
		name = ""
	}
	seconds := int64(u.at.Sub(m.bootedAt) / time.Second)
	s.Node.Network = &stats.NetworkStats{Time: metav1.NewTime(u.at), InterfaceStats: stats.InterfaceStats{Name: name},
		Interfaces: []stats.InterfaceStats{{Name: name, RxBytes: count(seconds * 40_000), TxBytes: count(seconds * 30_000)}}}
	if m.windows() {
		s.Node.Network.Interfaces[0].Name = "Hyper-V Virtual Ethernet Adapter"
	}
	s.Node.Fs = disk(u.at, 34<<30)
	s.Node.Runtime = &stats.RuntimeStats{ImageFs: disk(u.at, 16<<30)}
	for i, p := range u.pods {
		if !p.pod.Spec.HostNetwork && p.pod.Status.PodIP != "" {
			s.Pods[i].Network = &stats.NetworkStats{Time: metav1.NewTime(u.at), InterfaceStats: stats.InterfaceStats{Name: "eth0", RxBytes: count(1 << 20), TxBytes: count(1 << 20)}}
		}
	}
}

func disk(at time.Time, used int64) *stats.FsStats {
	const capacity = 80 << 30
	return &stats.FsStats{Time: metav1.NewTime(at), CapacityBytes: count(capacity), UsedBytes: count(used), AvailableBytes: count(capacity - 35<<30)}
}

// spent is the CPU time, in nanoseconds of one core, of something that used nanoCores all along.
func spent(nanoCores int64, since, now time.Time) int64 {
	return int64(max(0, now.Sub(since).Seconds()) * float64(nanoCores))
}

func count(n int64) *uint64 { return ptr.To(uint64(max(0, n))) }

// listensOn says whether a container of the pod is the exporter and has the port.
func listensOn(p *corev1.Pod, port int32) bool {
	return slices.ContainsFunc(p.Spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(cp corev1.ContainerPort) bool { return cp.ContainerPort == port })
	})
}
