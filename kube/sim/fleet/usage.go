package fleet

import (
	"hash/fnv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	systemCommit = 1536 << 20
	minCommit    = 48 << 20 // of a Windows container that asks for less: the system processes of its silo
)

// usage is what a machine and its containers use at one moment, in bytes. The Summary API and the exporter's page are both
// written from it, so they agree.
type usage struct {
	at         time.Time
	physical   int64
	limit      int64 // commit limit: physical memory and page file
	commit     int64 // of the whole machine
	workingSet int64
	pods       []podUsage
}

type podUsage struct {
	pod        *corev1.Pod
	containers []containerUsage
}

type containerUsage struct {
	ContainerMemory
	name        string
	id          string
	startedAt   time.Time
	hostProcess bool
	nanoCores   int64
}

// measure must be called with the machine's lock held.
func (m *machine) measure() usage {
	mem := m.memory()
	u := usage{at: m.now(), physical: mem.Physical, limit: mem.Physical + mem.PageFile,
		commit: mem.SystemCommit, workingSet: mem.SystemWorkingSet}
	for _, pod := range m.podsHere() {
		p := podUsage{pod: pod}
		for i := range pod.Spec.Containers {
			if c, ok := m.measureContainer(pod, &pod.Spec.Containers[i]); ok {
				p.containers = append(p.containers, c)
				u.commit += c.Commit
				u.workingSet += c.WorkingSet
			}
		}
		if len(p.containers) > 0 {
			u.pods = append(u.pods, p)
		}
	}
	return u
}

// podsHere lists the pods bound to the machine, sorted, those with the Hold annotation too.
func (m *machine) podsHere() []*corev1.Pod {
	m.f.mu.Lock()
	keys := m.f.podsOf(m.name)
	m.f.mu.Unlock()
	pods := make([]*corev1.Pod, 0, len(keys))
	for _, k := range keys {
		if s := m.pods[k]; s != nil {
			pods = append(pods, s.pod) // the kubelet knows its own writes before the watch brings them
		} else if p, ok := m.f.pods.Get(k.namespace, k.name); ok {
			pods = append(pods, p)
		}
	}
	return pods
}

func (m *machine) memory() Memory {
	mem := m.profile.Memory
	if mem.Physical == 0 && m.node != nil {
		mem.Physical = m.node.Status.Capacity.Memory().Value()
	}
	if mem.PageFile == 0 && m.windows() {
		mem.PageFile = mem.Physical / 4
	}
	if mem.SystemCommit == 0 {
		mem.SystemCommit = systemCommit
	}
	if mem.SystemWorkingSet == 0 {
		mem.SystemWorkingSet = mem.SystemCommit * 2 / 3
	}
	return mem
}

func (m *machine) measureContainer(pod *corev1.Pod, c *corev1.Container) (containerUsage, bool) {
	for _, st := range pod.Status.ContainerStatuses {
		if st.Name != c.Name || st.State.Running == nil {
			continue
		}
		u := containerUsage{name: c.Name, id: st.ContainerID, startedAt: st.State.Running.StartedAt.Time,
			hostProcess: hostProcess(pod, c), nanoCores: c.Resources.Requests.Cpu().MilliValue() * 1e6 / 5}
		known, ok := m.profile.Containers[pod.Namespace+"/"+workload(pod)+"/"+c.Name]
		if !ok {
			known = m.guess(pod, c)
		}
		u.ContainerMemory = known
		return u, true
	}
	return containerUsage{}, false
}

// guess draws what a container uses from the seed and its name, so that it is the same in every run and on every read:
// between 35 % and 80 % of its limit (or request), of which two fifths to two thirds are in the working set.
func (m *machine) guess(pod *corev1.Pod, c *corev1.Container) ContainerMemory {
	h := fnv.New64a()
	h.Write([]byte(pod.Namespace + "/" + pod.Name + "/" + c.Name))
	draw := h.Sum64() ^ m.f.o.Seed*0x9e3779b97f4a7c15
	size := c.Resources.Limits.Memory().Value()
	if size == 0 {
		size = c.Resources.Requests.Memory().Value()
	}
	commit := size / 100 * int64(35+draw%46)
	if m.windows() && !hostProcess(pod, c) {
		commit = max(commit, minCommit)
	}
	commit = max(commit, 16<<20)
	return ContainerMemory{Commit: commit, WorkingSet: commit / 100 * int64(40+draw>>32%27)}
}

// workload is the name that a Profile's Containers go by: a ReplicaSet of a Deployment is named after it and a hash.
func workload(p *corev1.Pod) string {
	ref := metav1.GetControllerOf(p)
	if ref == nil {
		return p.Name
	}
	if hash := p.Labels["pod-template-hash"]; ref.Kind == "ReplicaSet" && hash != "" {
		return strings.TrimSuffix(ref.Name, "-"+hash)
	}
	return ref.Name
}
