package model

import (
	"strconv"
	"strings"
	"time"
)

// WarnRatio is the share of a limit from which memory is a finding (checks C12, F09).
const WarnRatio = 0.9

// The kubelet's default eviction thresholds for memory.available. On Windows the
// signal is the global commit that is left, since kubelet 1.31 (kubelet
// eviction/helpers_windows.go); on Linux it is capacity less the working set.
const (
	evictionLeftWindows = 500 << 20
	evictionLeftLinux   = 100 << 20
)

// MemoryUse sets what is used against what bounds it: commit against the commit
// limit on Windows, the working set against the cgroup's limit elsewhere.
type MemoryUse struct {
	Commit   bool   // Used is commit; else it is a working set
	Used     Figure // not known where no source has it
	Limit    int64  // bytes; 0 is not known, or none where NoLimit is set
	NoLimit  bool   // nothing bounds it: neither 0 % nor 100 %
	Second   Figure // Windows: the working set, for comparison with other tools
	Eviction int64  // Used from which the kubelet evicts by default, bytes; 0 is never
}

// Ratio returns used of limit, and false where one of them is not known or there is
// no limit.
func (m MemoryUse) Ratio() (float64, bool) {
	if !m.Used.Known() || m.Limit <= 0 {
		return 0, false
	}
	return float64(m.Used.Value) / float64(m.Limit), true
}

// Headroom returns what is left of the limit in bytes; it may be negative.
func (m MemoryUse) Headroom() (int64, bool) {
	if _, ok := m.Ratio(); !ok {
		return 0, false
	}
	return m.Limit - m.Used.Value, true
}

// High reports whether WarnRatio is reached.
func (m MemoryUse) High() bool {
	r, ok := m.Ratio()
	return ok && r >= WarnRatio
}

// Age returns how old Used is; false where that is not known. A clock that is ahead
// of ours gives no negative age.
func (m MemoryUse) Age(now time.Time) (time.Duration, bool) {
	if !m.Used.Known() || m.Used.At.IsZero() {
		return 0, false
	}
	return max(0, now.Sub(m.Used.At)), true
}

// Memory returns the node's own use.
func (v *NodeView) Memory() MemoryUse {
	u := v.Usage
	if u == nil {
		u = &Usage{}
	}
	if v.OS != OSWindows {
		m := MemoryUse{Used: u.WorkingSet, Limit: v.Capacity.Memory}
		if u.Physical.Known() {
			m.Limit = u.Physical.Value
		}
		m.Eviction = max(0, m.Limit-evictionLeftLinux)
		return m
	}
	m := MemoryUse{Commit: true, Used: u.Commit, Second: u.WorkingSet}
	if u.CommitLimit.Known() {
		m.Limit = u.CommitLimit.Value
	}
	if m.Limit > evictionLeftWindows && kubeletEvictsOnCommit(v.Kubelet) {
		m.Eviction = m.Limit - evictionLeftWindows
	}
	return m
}

// kubeletEvictsOnCommit: before 1.31 the Windows kubelet never evicts on memory.
func kubeletEvictsOnCommit(version string) bool {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) < 2 {
		return false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(strings.TrimRight(parts[1], "+"))
	return err1 == nil && err2 == nil && (major > 1 || major == 1 && minor >= 31)
}

// ContainerMemory returns the use of one container of a pod of the node.
func (v *NodeView) ContainerMemory(p *Pod, c Container) MemoryUse {
	u, _ := v.Usage.Container(p.Namespace, p.Name, c.Name)
	m := MemoryUse{Used: u.WorkingSet, Limit: c.MemoryLimit, NoLimit: c.MemoryLimit == 0}
	if v.OS == OSWindows {
		m.Commit, m.Used, m.Second = true, u.Commit, u.WorkingSet
	}
	return m
}

// WhyUnknown says why what counts against a container's limit is not known.
func (v *NodeView) WhyUnknown(p *Pod, c Container) string {
	u, listed := v.Usage.Container(p.Namespace, p.Name, c.Name)
	switch {
	case v.Usage == nil:
		return "the node was not asked yet"
	case c.ID == "":
		return "the container has not started"
	case c.Stopped:
		return "the container does not run"
	case p.HostProcess:
		return "the kubelet does not measure HostProcess containers; windows_exporter does from 0.31 on"
	case v.OS == OSWindows && listed && u.WorkingSet.Source == FromMetrics:
		return "metrics.k8s.io tells only the working set; " + strings.Join(v.Usage.Problems, "; ")
	case v.OS == OSWindows && listed && u.WorkingSet.Known():
		return "the kubelet tells only the working set; windows_exporter with its collector container knows the commit"
	case len(v.Usage.Problems) > 0:
		return v.Usage.Problems[0]
	default:
		return "no source lists this container"
	}
}

// PodMemory returns the sum of a pod's containers. It is not known as soon as one
// of them is not, and has no limit as soon as one has none.
func (v *NodeView) PodMemory(p *Pod) MemoryUse {
	sum := MemoryUse{Commit: v.OS == OSWindows}
	for i, c := range p.Containers {
		m := v.ContainerMemory(p, c)
		sum.NoLimit = sum.NoLimit || m.NoLimit
		sum.Limit += m.Limit
		if i == 0 {
			sum.Used, sum.Second = m.Used, m.Second
			continue
		}
		sum.Used, sum.Second = sum.Used.plus(m.Used), sum.Second.plus(m.Second)
	}
	if sum.NoLimit {
		sum.Limit = 0
	}
	return sum
}

// plus is not known where one of both is not; its time and source are the weaker ones.
func (f Figure) plus(o Figure) Figure {
	if !f.Known() || !o.Known() {
		return Figure{}
	}
	sum := Figure{Value: f.Value + o.Value, At: f.At, Source: max(f.Source, o.Source)}
	if o.At.Before(f.At) {
		sum.At = o.At
	}
	return sum
}
