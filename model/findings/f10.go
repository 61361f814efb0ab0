package findings

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
)

// F10 says nothing of a Windows node whose commit limit no source tells.
var f10 = Rule{
	ID:       "F10",
	Title:    "sum of memory limits over what the node has",
	Severity: Info,
	Looks:    "The sum of the memory limits of the pods that have not ended, against the commit limit of a Windows node, where a source tells it, and against what is allocatable on others.",
	Why:      "The containers are promised more than there is. On Windows nobody is killed for it: allocations fail, whosever they are.",
	Remedy:   "Lower the limits, or move pods away; on Windows keep requests equal to limits, so that the scheduler counts what may be taken.",
	Needs:    []model.Kind{model.KindPod},
	Node: func(_ *World, v *model.NodeView) []Finding {
		has, what, severity := v.Allocatable.Memory, "allocatable", Info
		if v.OS == model.OSWindows {
			has, what, severity = v.Memory().Limit, "commit limit", Warning
		}
		if has <= 0 || v.Limits.Memory <= has {
			return nil
		}
		evidence := fmt.Sprintf("limits of %s on a node with %s %s", bytes(v.Limits.Memory), what, bytes(has))
		switch {
		case v.Unlimited == 1:
			evidence += "; one more container has no limit"
		case v.Unlimited > 1:
			evidence += fmt.Sprintf("; %d more containers have no limit", v.Unlimited)
		}
		return []Finding{{Object: v.Key(), Severity: severity, Evidence: evidence}}
	},
}
