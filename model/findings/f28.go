package findings

import (
	"fmt"
	"slices"
	"time"

	"github.com/mullion-tui/mullion/model"
)

// How far a clock may be off. A lease is renewed every ten seconds, and after 50 s
// without one a node is no longer Ready, so a Ready node's lease that is older says
// that its clock is behind.
const (
	clockAhead  = time.Minute
	clockBehind = 2 * time.Minute
)

// f28 takes the API server's clock for right, and where it has not said what time it
// is, the one that most agree on.
var f28 = Rule{
	ID:       "F28",
	Title:    "clock of this machine or of a node far from the API server's",
	Severity: Warning,
	Looks:    "The heartbeats (leases) of Ready nodes, which each node writes with its own clock, and this machine's clock, against the Date of the API server's answers. Where it gave none, the time counts that most nodes and this machine agree on. A node that is not Ready has no fresh heartbeat to compare.",
	Why:      "Certificates seem not yet or no longer valid, tokens are refused, and the ages and boot times shown here are wrong by as much.",
	Remedy:   "Set the time service right: w32tm /resync on Windows, chrony or systemd-timesyncd on Linux; in a virtual machine see which clock the hypervisor gives.",
	Needs:    []model.Kind{model.KindNode, model.KindLease},
	Cluster: func(w *World) []Finding {
		if w.Snapshot.Feed(model.KindLease).State != model.FeedSynced {
			return nil // heartbeats that nobody renews here all look late
		}
		late := []time.Duration{0} // this machine has a vote
		var nodes []*model.NodeView
		for _, v := range w.Snapshot.Nodes() {
			if r, _ := v.Readiness(); r == model.Ready && !v.LeaseTime.IsZero() {
				nodes = append(nodes, v)
				late = append(late, w.Now.Sub(v.LeaseTime))
			}
		}
		slices.Sort(late)
		middle, by, sure := late[len(late)/2], "the heartbeats of most nodes", len(late) > 3
		if server := w.Snapshot.Server; server.ClockKnown {
			middle, by, sure = -server.ClockAhead, "the API server's Date", true
		}
		var all []Finding
		if sure && off(middle) != "" {
			all = append(all, Finding{Object: thisMachine, Evidence: fmt.Sprintf("by %s the clock of this machine is %s", by, opposite(middle))})
		}
		for _, v := range nodes {
			if words := off(w.Now.Sub(v.LeaseTime) - middle); words != "" {
				all = append(all, Finding{Object: v.Key(), Evidence: fmt.Sprintf("its last heartbeat says that its clock is %s", words)})
			}
		}
		return all
	},
}

// off says how far a clock is off whose heartbeat is that late; empty where it is not.
func off(late time.Duration) string {
	switch {
	case late < -clockAhead:
		return (-late).Round(time.Second).String() + " ahead"
	case late > clockBehind:
		return late.Round(time.Second).String() + " behind"
	default:
		return ""
	}
}

func opposite(late time.Duration) string {
	if late < 0 {
		return (-late).Round(time.Second).String() + " behind"
	}
	return late.Round(time.Second).String() + " ahead"
}
