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

// f28 has no clock but the nodes': what the API server's clock says is not read yet.
var f28 = Rule{
	ID:       "F28",
	Title:    "clock of this machine or of a node far from the others",
	Severity: Warning,
	Looks:    "The heartbeats (leases) of Ready nodes, which each node writes with its own clock, against the clock that most nodes and this machine agree on. The API server's own Date is not compared yet. A node that is not Ready has no fresh heartbeat to compare.",
	Why:      "Certificates seem not yet or no longer valid, tokens are refused, and the ages and boot times shown here are wrong by as much.",
	Remedy:   "Set the time service right: w32tm /resync on Windows, chrony or systemd-timesyncd on Linux; in a virtual machine see which clock the hypervisor gives.",
	Needs:    []model.Kind{model.KindLease},
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
		middle := late[len(late)/2]
		var all []Finding
		if len(late) > 3 {
			if words := off(middle); words != "" {
				all = append(all, Finding{Object: thisMachine, Evidence: fmt.Sprintf("by the heartbeats of most nodes the clock of this machine is %s", opposite(middle))})
			}
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
