package findings

import (
	"fmt"
	"slices"

	"github.com/mullion-tui/mullion/model"
)

var f20 = Rule{
	ID:       "F20",
	Title:    "Windows pod with a volume whose CSI driver the node does not have",
	Severity: Critical,
	Looks:    "CSI volumes of pods on Windows nodes, written in the pod or behind a claim, against the drivers that the node has registered (CSINode). HostProcess pods count too. Where a node has no CSINode yet, nothing is said of it.",
	Why:      "The scheduler does not look at drivers of volumes that need no attaching. The pod is placed and hangs in ContainerCreating. For NFS there is no driver on Windows at all.",
	Remedy:   "Install the driver's Windows DaemonSet, or use a volume that the node can mount (SMB on Windows).",
	Needs:    []model.Kind{model.KindNode, model.KindPod, model.KindCSINode, model.KindVolume, model.KindClaim},
	Cluster: func(w *World) []Finding {
		var all []Finding
		for _, v := range w.windows() {
			if !v.CSIKnown {
				continue
			}
			for _, p := range v.Pods {
				if p.Shape == nil || len(p.Shape.Volumes) == 0 || p.Finished() || w.meantFor(p) == model.OSLinux {
					continue
				}
				for _, volume := range p.Shape.Volumes {
					if driver := w.driver(p, volume); driver != "" && !slices.Contains(v.Drivers, driver) {
						all = append(all, Finding{Object: p.Key(), Related: []model.Key{v.Key()}, Evidence: fmt.Sprintf("volume %s needs driver %s; node %s has %s", volume.Name, driver, v.Name, drivers(v))})
					}
				}
			}
		}
		return all
	},
}

// driver returns the CSI driver behind a volume of a pod; empty is none, or unknown.
func (w *World) driver(p *model.Pod, v model.PodVolume) string {
	if v.Kind == "csi" {
		return v.Driver
	}
	name, ok := p.ClaimName(v)
	if !ok {
		return ""
	}
	claim, ok := w.Snapshot.Claim(p.Namespace, name)
	if !ok || claim.Volume == "" {
		return ""
	}
	if volume, ok := w.Snapshot.Volume(claim.Volume); ok {
		return volume.Driver
	}
	return ""
}

func drivers(v *model.NodeView) string {
	if len(v.Drivers) == 0 {
		return "none"
	}
	return names(v.Drivers)
}
