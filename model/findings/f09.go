package findings

import (
	"fmt"
	"strings"

	"github.com/mullion-tui/mullion/model"
)

// F09 looks at commit alone: a working set near a limit says nothing on Windows, and
// on Linux the page cache is part of it.
var f09 = Rule{
	ID:       "F09",
	Title:    "commit at 90 % of its limit or more",
	Severity: Warning,
	Looks:    "Commit of Windows nodes and of their containers, from whatever source tells it. The working set is not looked at: near a limit it says nothing on Windows, and on Linux the page cache is part of it.",
	Why:      "Beyond the limit allocations fail with error 1455: processes exit with a code of their own and the pod shows Error, never OOMKilled. A full node fails all its pods, and the kubelet.",
	Remedy:   "Raise the limit or find the leak; on a node move pods away, or enlarge the page file.",
	Needs:    []model.Kind{model.KindPod},
	Node: func(w *World, v *model.NodeView) []Finding {
		if v.OS != model.OSWindows {
			return nil
		}
		var found []Finding
		use := v.Memory()
		if w.tried(v) && !use.Used.Known() {
			found = append(found, Finding{Object: v.Key(), Unknown: true, Evidence: "what is committed is not known: " + problems(v)})
		}
		if use.High() {
			f := Finding{Object: v.Key(), Evidence: committed("the node", use)}
			if use.Eviction > 0 && use.Used.Value >= use.Eviction {
				f.Severity = Critical
				f.Evidence += fmt.Sprintf("; the kubelet evicts pods from %s on", bytes(use.Eviction))
			}
			found = append(found, f)
		}
		for _, p := range v.Pods {
			if p.Finished() {
				continue
			}
			for _, c := range p.Containers {
				if use := v.ContainerMemory(p, c); use.High() {
					found = append(found, Finding{Object: p.Key(), Evidence: committed("container "+c.Name, use)})
				}
			}
		}
		return found
	},
}

// problems says why figures of a node are missing.
func problems(v *model.NodeView) string {
	switch {
	case v.Usage == nil:
		return "no source answered in time"
	case len(v.Usage.Problems) == 0:
		return "no source tells it"
	}
	return strings.Join(v.Usage.Problems, "; ")
}

func committed(who string, use model.MemoryUse) string {
	ratio, _ := use.Ratio()
	return fmt.Sprintf("%s has committed %s of %s (%s; %s)", who, bytes(use.Used.Value), bytes(use.Limit), percent(ratio), use.Used.Source)
}
