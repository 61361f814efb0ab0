// Package stats reads what nodes, pods and containers use: from the kubelet's
// Summary API, windows_exporter, Prometheus and metrics.k8s.io, best first, and
// merges what each of them knows. A working set is never taken for commit, and a
// figure that is absent, zero where zero means "not measured", or negative is not
// known.
package stats
