package findings

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
)

// F08 speaks of containers that have a limit; without one F07 does.
var f08 = Rule{
	ID:       "F08",
	Title:    "Windows container whose memory request differs from its limit",
	Severity: Info,
	Looks:    "Containers of Windows pods that have a limit; without one F07 speaks. HostProcess pods are left out.",
	Why:      "Windows never sees the request, and does not overcommit: what containers may take beyond their requests, the scheduler gives to other pods as well.",
	Remedy:   "Set requests.memory to limits.memory.",
	Pod: func(w *World, v *model.NodeView, p *model.Pod) []Finding {
		if !w.isWindows(v, p) || p.HostProcess {
			return nil
		}
		var found []Finding
		for _, c := range p.Containers {
			if c.MemoryLimit > 0 && c.MemoryRequest != c.MemoryLimit {
				found = append(found, Finding{Object: p.Key(), Evidence: fmt.Sprintf("container %s requests %s and is limited to %s", c.Name, bytes(c.MemoryRequest), bytes(c.MemoryLimit))})
			}
		}
		return found
	},
}
