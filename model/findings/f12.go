package findings

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mullion-tui/mullion/model"
)

const (
	calicoBlock   = 26                                     // bits of the block that Calico gives to a node by default
	keptAddresses = 4                                      // of each block on Windows: network, gateway, management, broadcast
	eksAddresses  = "vpc.amazonaws.com/PrivateIPv4Address" // what EKS's controller says a Windows node has
)

// f12 knows three ways of giving out addresses, and is silent about all others.
var f12 = Rule{
	ID:       "F12",
	Title:    "Windows node whose maxPods exceeds the addresses its CNI can give",
	Severity: Warning,
	Looks:    "allocatable pods of Windows nodes against the addresses of Calico's one block (a /26 unless the node's own range says otherwise, less four), of spec.podCIDR, or of EKS's allocatable addresses. Pools of another block size and overlapping schemes of other CNIs are not seen.",
	Why:      "The scheduler keeps sending pods here after the addresses are used up. They stay in ContainerCreating while other nodes have room.",
	Remedy:   "Set maxPods in the kubelet's configuration to what the CNI can give (60 for a /26 on Windows), or give the node a larger range.",
	Node: func(_ *World, v *model.NodeView) []Finding {
		if v.OS != model.OSWindows || v.MaxPods == 0 {
			return nil
		}
		has, from, known := addresses(v)
		if !known || v.MaxPods <= has {
			return nil
		}
		return []Finding{{Object: v.Key(), Evidence: fmt.Sprintf("it takes %d pods, and %s gives %d addresses", v.MaxPods, from, has)}}
	},
}

func addresses(v *model.NodeView) (n int, from string, known bool) {
	if n, ok := v.Extended[eksAddresses]; ok {
		return int(n), "its network interface", true
	}
	for _, block := range v.PodBlocks {
		address, length, _ := strings.Cut(block, "/")
		bits, err := strconv.Atoi(length)
		if err != nil || bits < 0 || bits > 32 || !strings.Contains(address, ".") || strings.Contains(address, ":") {
			continue // a range of IPv6 has addresses enough
		}
		if v.Annotations[model.CalicoAddressAnnotation] != "" {
			bits = max(bits, calicoBlock)
		}
		return max(0, 1<<(32-bits)-keptAddresses), fmt.Sprintf("its block %s/%d", address, bits), true
	}
	if v.Annotations[model.CalicoAddressAnnotation] != "" {
		return 1<<(32-calicoBlock) - keptAddresses, "Calico's one /26 block", true
	}
	return 0, "", false
}
