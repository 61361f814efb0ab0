package findings

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
)

// systemShare is what a Windows node should keep for its own processes, in bytes:
// the system, containerd, the kubelet and the network's services need about as much.
const systemShare = 2 << 30

// F11 counts what the kubelet takes from the capacity: systemReserved, kubeReserved
// and its hard eviction threshold.
var f11 = Rule{
	ID:       "F11",
	Title:    "Windows node that keeps less than 2 GiB for the system",
	Severity: Warning,
	Looks:    "Capacity less allocatable of Windows nodes: systemReserved, kubeReserved and the hard eviction threshold together.",
	Why:      "The scheduler fills the node until Windows itself, containerd and the kubelet page.",
	Remedy:   "Set systemReserved and kubeReserved in the kubelet's configuration to at least 2 GiB together.",
	Node: func(_ *World, v *model.NodeView) []Finding {
		if v.OS != model.OSWindows || v.Capacity.Memory == 0 || v.Allocatable.Memory == 0 {
			return nil
		}
		kept := v.Capacity.Memory - v.Allocatable.Memory
		if kept >= systemShare {
			return nil
		}
		return []Finding{{Object: v.Key(), Evidence: fmt.Sprintf("%s of %s are kept for the system", bytes(kept), bytes(v.Capacity.Memory))}}
	},
}
