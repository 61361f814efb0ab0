package findings

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
)

// F07 leaves HostProcess containers out: they are processes of the host, and no
// distribution gives its own a limit.
var f07 = Rule{
	ID:       "F07",
	Title:    "Windows container without a memory limit",
	Severity: Warning,
	Looks:    "Containers of Windows pods, sidecars too. HostProcess pods are left out: they are processes of the host, and no distribution gives its own a limit.",
	Why:      "Nothing but the node's commit limit stops it. When that is reached, every allocation on the node fails, the kubelet's own included.",
	Remedy:   "Set resources.limits.memory above what it commits, not above its working set.",
	Pod: func(w *World, v *model.NodeView, p *model.Pod) []Finding {
		if !w.isWindows(v, p) || p.HostProcess {
			return nil
		}
		var found []Finding
		for _, c := range p.Containers {
			if c.MemoryLimit > 0 {
				continue
			}
			evidence := fmt.Sprintf("container %s has no memory limit", c.Name)
			if v != nil {
				if used := v.ContainerMemory(p, c).Used; used.Known() {
					evidence += fmt.Sprintf("; %s committed (%s)", bytes(used.Value), used.Source)
				}
			}
			found = append(found, Finding{Object: p.Key(), Evidence: evidence})
		}
		return found
	},
}
