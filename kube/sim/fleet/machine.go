package fleet

import (
	"context"
	"encoding/hex"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
)

// machine is one simulated computer: its boots, its kubelet and its containers. Everything in it is guarded by mu, which is
// held while a step runs.
type machine struct {
	f       *Fleet
	name    string
	profile Profile

	mu       sync.Mutex
	rng      *rand.Rand
	node     *corev1.Node // as last seen; nil until the first look; not to be written into
	info     corev1.NodeSystemInfo
	pods     map[podKey]*sandbox
	lease    *coordinationv1.Lease
	reported time.Time // of the last node status
	images   map[string]bool

	tookOver  time.Time // when the fleet took over a machine that ran before
	boot      int       // counts boots and stops; a step of an earlier one is void
	up        bool      // the kubelet runs
	bootedAt  time.Time // when the operating system started
	kubeletAt time.Time // when the kubelet started
	downAt    time.Time // when the machine last stopped
	networkAt time.Time // from when pods get network
	unclean   bool      // the last stop was one
	returned  bool      // a NeverReturns was used up
	nextIP    int
	eventSeq  int
	quiet     bool // the present step wrote nothing but a lease
}

// newMachine makes the machine of a Node that is about to be looked at by syncNode.
func newMachine(f *Fleet, name string) *machine {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &machine{f: f, name: name, profile: f.o.Profiles[name], pods: map[podKey]*sandbox{},
		images: map[string]bool{}, rng: rand.New(rand.NewPCG(f.o.Seed, h.Sum64()))}
}

func (m *machine) now() time.Time { return m.f.clock.Now() }

func (m *machine) windows() bool { return m.info.OperatingSystem == "windows" }

// after plans a step of the present boot: a reboot in between makes it void.
func (m *machine) after(d time.Duration, do step) { m.at(m.now().Add(d), do) }

func (m *machine) at(t time.Time, do step) {
	boot := m.boot
	m.f.at(t, m, func(ctx context.Context) error {
		if m.boot != boot {
			return nil
		}
		return do(ctx)
	})
}

// syncNode looks at the Node object; the first look takes the machine over as it is.
func (m *machine) syncNode(context.Context) error {
	node, ok := m.f.nodes.Get("", m.name)
	if !ok {
		return nil
	}
	first := m.node == nil
	if !first && m.node.UID != node.UID {
		m.lease, m.reported = nil, time.Time{}
	}
	if first {
		m.node = node
		m.takeOver()
		return nil
	}
	cordon := node.Spec.Unschedulable
	turned := cordon != m.node.Spec.Unschedulable
	m.node = node
	if !turned || !m.live() {
		return nil
	}
	reason := "NodeSchedulable"
	if cordon {
		reason = "NodeNotSchedulable"
	}
	m.after(0, func(ctx context.Context) error { return m.nodeStatusEvent(ctx, reason) })
	return nil
}

func (m *machine) takeOver() {
	m.info = m.node.Status.NodeInfo
	if m.info.OperatingSystem == "" {
		m.info.OperatingSystem = osOf(m.node)
	}
	for _, i := range m.node.Status.Images {
		for _, n := range i.Names {
			m.images[n] = true
		}
	}
	now := m.now()
	m.up, m.tookOver = true, now
	m.bootedAt = now.Add(-m.profile.Uptime)
	if m.profile.Uptime <= 0 {
		m.bootedAt = m.oldestSign(now)
	}
	m.kubeletAt, m.networkAt = m.bootedAt, m.bootedAt
	if !held(m.node) {
		// Spread over the period, so that a large fleet is no storm; in whole seconds, so that a test makes few steps.
		spread := max(1, int64(min(m.f.o.Heartbeat, heartbeatDefault)/time.Second))
		m.after(time.Duration(m.rng.Int64N(spread))*time.Second, m.heartbeat)
	}
}

// oldestSign guesses when a machine booted that was running before the fleet: a minute before its oldest container
// started, or before its Node was made.
func (m *machine) oldestSign(now time.Time) time.Time {
	oldest := now
	if t := m.node.CreationTimestamp.Time; !t.IsZero() && t.Before(now) {
		oldest = t
	}
	found := time.Time{}
	for _, p := range m.podsHere() {
		for _, c := range p.Status.ContainerStatuses {
			if r := c.State.Running; r != nil && !r.StartedAt.IsZero() && (found.IsZero() || r.StartedAt.Time.Before(found)) {
				found = r.StartedAt.Time
			}
		}
	}
	if !found.IsZero() {
		oldest = found
	}
	return oldest.Add(-time.Minute)
}

// scrap ends the machine: its Node was deleted, and a kubelet does not register again while it runs.
func (m *machine) scrap(context.Context) error {
	m.boot++
	m.up = false
	m.node = nil
	m.pods = map[podKey]*sandbox{}
	return nil
}

// live says whether the kubelet writes to the cluster at all.
func (m *machine) live() bool { return m.up && m.node != nil && !held(m.node) }

func (m *machine) hexID(bytes int) string {
	b := make([]byte, bytes)
	for i := range b {
		b[i] = byte(m.rng.Uint32())
	}
	return hex.EncodeToString(b)
}

func (m *machine) uuid() string {
	h := m.hexID(16)
	return strings.Join([]string{h[:8], h[8:12], "4" + h[13:16], "a" + h[17:20], h[20:]}, "-")
}

func (m *machine) address() string {
	if m.node == nil {
		return ""
	}
	for _, a := range m.node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address
		}
	}
	return ""
}

func osOf(n *corev1.Node) string {
	if os := n.Status.NodeInfo.OperatingSystem; os != "" {
		return os
	}
	if os := n.Labels[corev1.LabelOSStable]; os != "" {
		return os
	}
	return "linux"
}

func held(o interface{ GetAnnotations() map[string]string }) bool {
	return o.GetAnnotations()[Hold] == "true"
}
