package model

import (
	"strings"
)

// newMatcher reads the filter of a query: words divided by blanks, all of which
// must match. label=value and label!=value compare a node label (or one of the
// short names os, build, zone, pool, class, role, status, kubelet) exactly; any other word is looked for in what the
// row shows. A word that no node holds literally is taken as letters of a name in
// order, so "lw1" finds k8s-lab-win-1.
func newMatcher(q Query, nodes []*NodeView) func(*NodeView) bool {
	words := strings.Fields(strings.ToLower(q.Filter))
	if len(words) == 0 {
		return func(*NodeView) bool { return true }
	}
	var tests []func(*NodeView) bool
	for _, w := range words {
		tests = append(tests, wordTest(w, q, nodes))
	}
	return func(v *NodeView) bool {
		for _, t := range tests {
			if !t(v) {
				return false
			}
		}
		return true
	}
}

func wordTest(w string, q Query, nodes []*NodeView) func(*NodeView) bool {
	if key, value, ok := strings.Cut(w, "!="); ok && key != "" {
		return func(v *NodeView) bool { return !fieldEquals(v, q, key, value) }
	}
	if key, value, ok := strings.Cut(w, "="); ok && key != "" {
		value = strings.TrimPrefix(value, "=")
		return func(v *NodeView) bool { return fieldEquals(v, q, key, value) }
	}
	for _, v := range nodes {
		if holds(v, w) {
			return func(v *NodeView) bool { return holds(v, w) }
		}
	}
	return func(v *NodeView) bool { return inOrder(strings.ToLower(v.Name), w) }
}

// fieldEquals compares without regard to case, because the filter line has none.
func fieldEquals(v *NodeView, q Query, key, value string) bool {
	var got []string
	switch key {
	case "os":
		got = []string{string(v.OS)}
	case "build":
		_, number, _ := strings.Cut(strings.TrimPrefix(v.Windows.Build, "10."), ".")
		got = []string{v.Windows.Build, number}
	case "zone":
		got = []string{v.Zone()}
	case "pool":
		got = []string{v.Pool(q.PoolLabel)}
	case "class":
		got = v.Classes
	case "role":
		got = v.Roles
	case "status":
		got = v.StatusWords()
	case "kubelet":
		got = []string{v.Kubelet}
	default:
		return labelEquals(v.Labels, key, value)
	}
	for _, g := range got {
		if strings.EqualFold(g, value) {
			return true
		}
	}
	return false
}

func labelEquals(labels map[string]string, key, value string) bool {
	if got, ok := labels[key]; ok && strings.EqualFold(got, value) {
		return true
	}
	for k, got := range labels {
		if strings.EqualFold(k, key) && strings.EqualFold(got, value) {
			return true
		}
	}
	return false
}

// holds looks for a word, in lower case, in what a row shows of the node.
func holds(v *NodeView, w string) bool {
	for _, s := range []string{v.Name, v.Windows.Build, string(v.OS), v.OSImage, v.Kernel, v.Kubelet} {
		if strings.Contains(strings.ToLower(s), w) {
			return true
		}
	}
	for _, list := range [][]string{v.Roles, v.Classes} {
		for _, s := range list {
			if strings.Contains(strings.ToLower(s), w) {
				return true
			}
		}
	}
	// From the start only: "ready" must not find NotReady.
	for _, s := range v.StatusWords() {
		if strings.HasPrefix(strings.ToLower(s), w) {
			return true
		}
	}
	return false
}

func inOrder(s, letters string) bool {
	for _, r := range letters {
		i := strings.IndexRune(s, r)
		if i < 0 {
			return false
		}
		s = s[i+len(string(r)):]
	}
	return true
}
