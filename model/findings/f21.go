package findings

import (
	"time"

	"github.com/mullion-tui/mullion/model"
)

// longCordon is for how long a node may be cordoned without a word.
const longCordon = 24 * time.Hour

var f21 = Rule{
	ID:       "F21",
	Title:    "cordoned for long, and no maintenance owns it",
	Severity: Info,
	Looks:    "Nodes that have been unschedulable for a day, which the taint of the node controller dates, and that no maintenance is written on. Where the taint has no time, it is said that the time is not known.",
	Why:      "Somebody has probably forgotten it. Its room is missing, and for Windows its build may be left with no place to go.",
	Remedy:   "Find out who cordoned it and why; uncordon it, or start a maintenance so that it shows to whom it belongs.",
	Node: func(w *World, v *model.NodeView) []Finding {
		switch {
		case !v.Unschedulable || v.InMaintenance():
			return nil
		case v.Cordoned.IsZero():
			return []Finding{{Object: v.Key(), Evidence: "cordoned, and it is not known since when; no maintenance owns it"}}
		case !w.past(v.Cordoned.Add(longCordon)):
			return nil
		}
		return []Finding{{Object: v.Key(), Severity: Warning, Evidence: "cordoned for " + w.ago(v.Cordoned) + "; no maintenance owns it"}}
	},
}
