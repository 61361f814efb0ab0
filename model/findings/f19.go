package findings

import (
	"fmt"
	"time"

	"github.com/mullion-tui/mullion/model"
)

// bootTime is what pods need at most to become ready again after a boot.
const bootTime = 5 * time.Minute

// f19 knows a boot that no drain came before by the pods that were there already.
var f19 = Rule{
	ID:       "F19",
	Title:    "pods Running since an unclean boot that never became ready: no network",
	Severity: Critical,
	Looks:    "Pods of Windows nodes that were there before the node booted, run, and are not ready five minutes after it. Where the boot time is not known, containers count whose last end was lost (exit code 255, reason Unknown), as a kubelet reports those that a boot took. HostProcess pods use the host's network and are left out; a drained node has no such pods.",
	Why:      "Their sandboxes were made again before the host's network was. They have no network, and this never heals; deleted, they hang in Terminating.",
	Remedy:   "Do the planned order: cordon, drain, reboot, wait for the network pods, uncordon. Recreating the pods alone does not help.",
	Needs:    []model.Kind{model.KindPod},
	Node: func(w *World, v *model.NodeView) []Finding {
		if v.OS != model.OSWindows {
			return nil
		}
		boot := bootOf(v)
		var all []Finding
		for _, p := range v.Pods {
			if p.Phase != "Running" || p.Ready >= p.Total || p.HostProcess || p.HostNetwork || p.Terminating() {
				continue
			}
			c, ok := survivor(p)
			if !ok {
				continue
			}
			switch {
			case boot.IsZero():
				if !c.lost || !w.past(c.exited.Add(bootTime)) {
					continue
				}
				all = append(all, Finding{Object: p.Key(), Related: []model.Key{v.Key()}, Evidence: fmt.Sprintf("%d of %d containers ready; container %s was lost %s ago and runs again", p.Ready, p.Total, c.name, w.ago(c.exited))})
			case p.Started.Before(boot) && !p.Started.IsZero() && !c.exited.After(boot.Add(bootTime)) && w.past(boot.Add(bootTime)):
				all = append(all, Finding{Object: p.Key(), Related: []model.Key{v.Key()}, Evidence: fmt.Sprintf("%d of %d containers ready; the pod was there when %s booted %s ago", p.Ready, p.Total, v.Name, w.ago(boot))})
			}
		}
		return all
	},
}

type survived struct {
	name   string
	exited time.Time
	lost   bool
}

// survivor finds a container that was started again and runs since.
func survivor(p *model.Pod) (survived, bool) {
	for _, c := range p.Containers {
		if !c.Stopped && c.Restarts > 0 && !c.Exited.IsZero() {
			return survived{c.Name, c.Exited, c.ExitCode == 255 && c.ExitReason == "Unknown"}, true
		}
	}
	return survived{}, false
}
