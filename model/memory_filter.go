package model

import "strings"

// memoryFilter finds nodes and pods. Each word must be met by the node, or by the
// pod: "os=windows hello" is every pod with hello in its name on a Windows node.
type memoryFilter []memoryWord

type memoryWord struct {
	text string // in lower case
	node func(*NodeView) bool
}

func newMemoryFilter(s *Snapshot, q MemoryQuery) memoryFilter {
	var f memoryFilter
	for _, w := range strings.Fields(strings.ToLower(q.Filter)) {
		f = append(f, memoryWord{w, memoryWordTest(w, q, s)})
	}
	return f
}

// memoryWordTest is wordTest, but for a word that only pods hold: it is not taken as
// letters of a node's name.
func memoryWordTest(w string, q MemoryQuery, s *Snapshot) func(*NodeView) bool {
	test := wordTest(w, Query{PoolLabel: q.PoolLabel}, s.nodes)
	if strings.Contains(w, "=") {
		return test
	}
	pods := false
	for _, v := range s.nodes {
		if holds(v, w) {
			return test
		}
		for i := 0; !pods && i < len(v.Pods); i++ {
			pods = podHolds(v.Pods[i], w)
		}
	}
	if pods {
		return func(*NodeView) bool { return false }
	}
	return test
}

func (f memoryFilter) node(v *NodeView) bool {
	for _, w := range f {
		if !w.node(v) {
			return false
		}
	}
	return true
}

func (f memoryFilter) pod(v *NodeView, p *Pod) bool {
	for _, w := range f {
		if !podHolds(p, w.text) && !w.node(v) {
			return false
		}
	}
	return true
}

func (f memoryFilter) anyPod(v *NodeView) bool {
	for _, p := range v.Pods {
		if !p.Finished() && f.pod(v, p) {
			return true
		}
	}
	return false
}

// podHolds looks for a word in names that Kubernetes keeps in lower case.
func podHolds(p *Pod, w string) bool {
	if namespace, name, ok := strings.Cut(w, "/"); ok {
		return strings.HasSuffix(p.Namespace, namespace) && strings.HasPrefix(p.Name, name)
	}
	return strings.Contains(p.Name, w) || strings.Contains(p.Namespace, w)
}
