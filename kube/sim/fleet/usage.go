package fleet

import (
	"hash/fnv"
	"math"
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
	at         time.Time // by the machine's own clock
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
	u := usage{at: m.now().Add(m.profile.ClockAhead), physical: mem.Physical, limit: mem.Physical + mem.PageFile,
		commit: m.waver(mem.SystemCommit, "system"), workingSet: m.waver(mem.SystemWorkingSet, "system")}
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
	u.page(m.windows())
	return u
}

// page keeps a machine within what it has: its commit under the limit, and in memory no more than fits there, the rest
// being in the page file.
func (u *usage) page(windows bool) {
	if windows {
		u.commit = min(u.commit, u.limit)
	}
	fits := u.physical / 100 * 97
	if u.workingSet <= fits {
		return
	}
	share := float64(fits) / float64(u.workingSet)
	for _, p := range u.pods {
		for i := range p.containers {
			p.containers[i].WorkingSet = int64(float64(p.containers[i].WorkingSet) * share)
		}
	}
	u.workingSet = fits
}

// waver moves a figure slowly up and down by the machine's Noise, in a way that the seed and its name decide: the same at
// the same time in every run.
func (m *machine) waver(value int64, name string) int64 {
	if m.profile.Memory.Noise == 0 {
		return value
	}
	draw := m.draw(name)
	at := float64(m.now().UnixMilli()) / 1000
	phase := float64(draw&0xffff) / 0x10000
	wave := 0.6*math.Sin(2*math.Pi*(at/170+phase)) + 0.4*math.Sin(2*math.Pi*(at/(400+float64(draw>>16&0xff))+phase))
	return int64(float64(value) * (1 + m.profile.Memory.Noise*wave))
}

// draw is a number that the seed, the machine and a name decide.
func (m *machine) draw(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(m.name + "/" + name))
	return h.Sum64() ^ m.f.o.Seed*0x9e3779b97f4a7c15
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
		u.ContainerMemory = m.containerMemory(pod, c)
		name := pod.Namespace + "/" + pod.Name + "/" + c.Name
		leaked := u.leaked(m.now().Sub(m.leaksSince(u.startedAt)))
		u.Commit = m.waver(u.Commit+leaked, name)
		u.WorkingSet = m.waver(u.WorkingSet+leaked, name)
		if limit := c.Resources.Limits.Memory().Value(); limit > 0 {
			u.Commit = min(u.Commit, limit)
		}
		u.WorkingSet = min(u.WorkingSet, u.Commit)
		return u, true
	}
	return containerUsage{}, false
}

// containerMemory is what the profile says of a container, with what it leaves out drawn.
func (m *machine) containerMemory(pod *corev1.Pod, c *corev1.Container) ContainerMemory {
	known := m.profile.Containers[pod.Namespace+"/"+workload(pod)+"/"+c.Name]
	if known.Commit == 0 {
		drawn := m.guess(pod, c)
		drawn.Leak = known.Leak
		return drawn
	}
	return known
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
