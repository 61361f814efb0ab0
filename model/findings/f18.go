package findings

import (
	"fmt"
	"time"

	"github.com/mullion-tui/mullion/model"
)

const (
	recentBoot = time.Hour        // how long a boot that nobody planned is reported
	firstBoots = 30 * time.Minute // a machine may boot several times while it is being set up
)

var f18 = Rule{
	ID:       "F18",
	Title:    "unplanned reboot",
	Severity: Info,
	Looks:    "A boot ID that changed while mullion was looking, and else a boot time of the last hour, which the kubelet's summary or windows_exporter tells. A node that a maintenance owns, or that joined the cluster at about that time, is left out. A maintenance that was over before mullion started is not known to it. A boot ID is compared with the one before of the same node alone; an empty one proves nothing.",
	Why:      "On Windows a node that came back from an unclean stop is not healthy, even when it is Ready: sandboxes are made again before the network is, and their pods stay without it.",
	Remedy:   "Find out why it stopped. On Windows do the planned order now: cordon, drain, reboot, wait for the network pods, uncordon. See F19 for pods that suffer already.",
	Node: func(w *World, v *model.NodeView) []Finding {
		severity := Info
		if v.OS == model.OSWindows {
			severity = Warning
		}
		if b := w.boots[v.UID]; v.UID != "" && w.within(b.changed, recentBoot) {
			if b.planned {
				return nil
			}
			return []Finding{{Object: v.Key(), Severity: severity, Evidence: fmt.Sprintf("its boot ID changed from %s to %s %s ago, and no maintenance owned it", b.from, b.id, w.ago(b.changed))}}
		}
		boot := bootOf(v)
		if boot.IsZero() && w.tried(v) && v.OS == model.OSWindows {
			return []Finding{{Object: v.Key(), Unknown: true, Evidence: "when it booted is not known: " + problems(v)}}
		}
		if !w.within(boot, recentBoot) || v.InMaintenance() || v.Created.After(boot.Add(-firstBoots)) && !v.Created.IsZero() {
			return nil
		}
		return []Finding{{Object: v.Key(), Severity: severity, Evidence: fmt.Sprintf("it booted %s ago, and no maintenance owns it", w.ago(boot))}}
	},
}

// bootOf returns when the node's system started; zero is unknown.
func bootOf(v *model.NodeView) time.Time {
	if v.Usage == nil {
		return time.Time{}
	}
	return v.Usage.Boot
}
