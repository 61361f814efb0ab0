package findings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mullion-tui/mullion/model"
)

// joining is how long a node may need until its DaemonSet pods are there.
const joining = 10 * time.Minute

// networkSets are the DaemonSets that give a Windows node its network, by what their
// names begin with (fixtures 5-components). Where a distribution runs these as
// services there is no DaemonSet, and nothing to miss.
var networkSets = []struct{ role, prefix string }{
	{"CNI", "calico-node-windows"},
	{"CNI", "kube-flannel-ds-windows"},
	{"CNI", "antrea-agent-windows"},
	{"kube-proxy", "kube-proxy-windows"},
}

var f26 = Rule{
	ID:       "F26",
	Title:    "Windows node without a CNI or kube-proxy pod where the cluster has such DaemonSets",
	Severity: Critical,
	Looks:    "Windows nodes older than ten minutes, against the DaemonSets calico-node-windows, kube-flannel-ds-windows…, antrea-agent-windows and kube-proxy-windows. A cluster that has none of them runs its network as Windows services, which cannot be seen here.",
	Why:      "New pods on the node get no sandbox or no service addresses.",
	Remedy:   "See why the DaemonSet leaves the node out: its node selector and the node's labels, then its tolerations and the node's taints.",
	Needs:    []model.Kind{model.KindNode, model.KindPod, model.KindDaemonSet},
	Cluster: func(w *World) []Finding {
		sets := map[string][]string{} // by role: the DaemonSets, as namespace/name
		for _, d := range w.Snapshot.Workloads() {
			for _, n := range networkSets {
				if d.Kind == model.KindDaemonSet && strings.HasPrefix(d.Name, n.prefix) {
					sets[n.role] = append(sets[n.role], d.Namespace+"/"+d.Name)
				}
			}
		}
		var all []Finding
		for _, v := range w.windows() {
			if !v.Created.IsZero() && !w.past(v.Created.Add(joining)) {
				continue
			}
			for _, role := range []string{"CNI", "kube-proxy"} {
				if len(sets[role]) > 0 && !slices.ContainsFunc(v.Pods, func(p *model.Pod) bool {
					return p.Owner.Kind == "DaemonSet" && slices.Contains(sets[role], p.Namespace+"/"+p.Owner.Name)
				}) {
					all = append(all, Finding{Object: v.Key(), Evidence: fmt.Sprintf("no %s pod: %s has none here", role, names(sets[role]))})
				}
			}
		}
		return all
	},
}
