package fleet

import (
	"encoding/binary"
	"hash/fnv"
	"net/netip"
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// podIP gives a pod its address: the host's for pods on the host network, else the next free one of the node's podCIDR.
func (m *machine) podIP(p *corev1.Pod) string {
	if p.Spec.HostNetwork {
		return m.address()
	}
	block := m.block()
	size := 1 << max(0, min(16, block.Addr().BitLen()-block.Bits()))
	used := map[string]bool{}
	for _, s := range m.pods {
		used[s.pod.Status.PodIP] = true
	}
	for range size {
		m.nextIP++
		ip := plus(block.Addr(), 1+uint32(m.nextIP%max(1, size-2)))
		if !used[ip.String()] {
			return ip.String()
		}
	}
	return ""
}

// block is the node's podCIDR; where no controller gives one, a /24 that only this node's name decides.
func (m *machine) block() netip.Prefix {
	if m.node != nil {
		if p, err := netip.ParsePrefix(m.node.Spec.PodCIDR); err == nil && p.Addr().Is4() {
			return p.Masked()
		}
	}
	h := fnv.New32a()
	h.Write([]byte(m.name))
	n := h.Sum32()
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 128 | byte(n>>8)&127, byte(n), 0}), 24)
}

func plus(a netip.Addr, n uint32) netip.Addr {
	b := a.As4()
	binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+n)
	return netip.AddrFrom4(b)
}

// newer says whether a is a later version than b of the same object. Resource versions that are no numbers are trusted in
// the order in which they come.
func newer(a, b *corev1.Pod) bool {
	x, errX := strconv.ParseUint(a.ResourceVersion, 10, 64)
	y, errY := strconv.ParseUint(b.ResourceVersion, 10, 64)
	return errX != nil || errY != nil || x > y
}
