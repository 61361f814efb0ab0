package findings

import (
	"fmt"
	"strings"
	"time"

	"github.com/mullion-tui/mullion/model"
)

// leaving is how long after its grace period a pod may still be there: the kubelet
// stops containers, unmounts volumes and reports.
const leaving = 2 * time.Minute

var f22 = Rule{
	ID:       "F22",
	Title:    "pods stuck Terminating",
	Severity: Warning,
	Looks:    "Pods, those that have ended too, which are still there two minutes after their grace period. Why: finalizers, a kubelet that is silent, and the pod's events where they were read (FailedKillPod and the like).",
	Why:      "A drain waits for the pod until it runs into its time limit. A StatefulSet makes no replacement before it is gone.",
	Remedy:   "A finalizer: see what its controller waits for. FailedKillPod on Windows: the host's network has lost the sandbox, and only a drain and a reboot of the node clear it. A silent node: bring it back, or delete the Node object once the machine is surely off.",
	Needs:    []model.Kind{model.KindPod},
	Cluster: func(w *World) []Finding {
		var all []Finding
		for _, s := range Stuck(w.Snapshot, w.Now) {
			p := s.Pod
			f := Finding{Object: p.Key(), Evidence: fmt.Sprintf("it should have been gone %s ago; %s", w.ago(p.Deleted), w.whyStuck(s))}
			if s.Node != nil {
				f.Related = []model.Key{s.Node.Key()}
			}
			all = append(all, f)
		}
		return all
	},
}

// StuckPod is a pod that does not end, with its node or nil.
type StuckPod struct {
	Node *model.NodeView
	Pod  *model.Pod
}

// Stuck returns the pods that should have been gone: whoever can read events puts
// theirs into World.Events.
func Stuck(s *model.Snapshot, now time.Time) []StuckPod {
	var all []StuckPod
	(&World{Snapshot: s}).pods(func(v *model.NodeView, p *model.Pod) {
		if p.Terminating() && !now.Before(p.Deleted.Add(leaving)) {
			all = append(all, StuckPod{v, p})
		}
	})
	return all
}

func (w *World) whyStuck(s StuckPod) string {
	var why []string
	if len(s.Pod.Finalizers) > 0 {
		why = append(why, "finalizers "+names(s.Pod.Finalizers))
	}
	if s.Node != nil {
		if r, _ := s.Node.Readiness(); r != model.Ready {
			why = append(why, "its node "+s.Node.Name+" is not Ready, and nobody else can confirm its end")
		}
	}
	events, read := w.Events[s.Pod.Key()]
	for _, e := range events {
		if e.Type == "Warning" {
			why = append(why, fmt.Sprintf("event %s: %s", e.Reason, e.Message))
			break
		}
	}
	switch {
	case len(why) > 0:
		return strings.Join(why, "; ")
	case read:
		return "no event says why"
	default:
		return "why is not known: its events were not read"
	}
}
