package placement

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mullion-tui/mullion/model"
)

// Kind says what a reason is about. Those of the scheduler stand in the order in which
// its plug-ins look, so the first that refuses is the one that its message counts.
type Kind uint8

// The kinds of reasons.
const (
	Template      Kind = iota // nothing is known of the pod's template
	Gate                      // spec.schedulingGates
	Scheduler                 // another scheduler decides
	Claim                     // a volume claim that is missing, going, or not bound
	Target                    // a DaemonSet made the pod for another node
	Unschedulable             // the node is cordoned
	Taint
	Selector // spec.nodeSelector
	Affinity // required node affinity
	Port
	PodCount
	CPU
	Memory
	Extended // another resource
	Devices  // dynamic resource allocation
	InUse    // a claim that one pod may use, and another one does
	Volume   // where a bound volume can be reached
	Spread
	PodAffinity
	PodAntiAffinity
	OtherAntiAffinity // the required anti-affinity of a pod that is there

	// From here on the scheduler does not look.

	System // operating system
	Class  // RuntimeClass
	Build  // Windows build of host and image
	Driver // CSI driver
	Wish   // preferred node affinity
)

var kindWords = [...]string{
	"template", "schedulingGate", "scheduler", "claim", "target", "unschedulable", "taint", "nodeSelector", "nodeAffinity",
	"hostPort", "podCount", "cpu", "memory", "extendedResource", "deviceClaim", "claimInUse", "volume", "topologySpread",
	"podAffinity", "podAntiAffinity", "otherPodsAntiAffinity", "os", "runtimeClass", "windowsBuild", "csiDriver", "preferredAffinity",
}

// String returns the word for programs.
func (k Kind) String() string { return kindWords[k] }

// Effect is what follows from a reason.
type Effect uint8

// The effects, the least first.
const (
	Note    Effect = iota // nothing: it is only worth knowing
	Doubt                 // it may fail: something is not known
	Fails                 // the scheduler binds the pod, and then it does not run
	Refuses               // the scheduler does not bind the pod to the node
)

// String returns the word for programs.
func (e Effect) String() string { return [...]string{"note", "doubt", "fails", "refuses"}[e] }

// Reason is one thing that speaks for or against a node.
type Reason struct {
	Kind   Kind
	Effect Effect
	Text   string // the same for all nodes for which the same is true
	Detail string // of this node: the numbers, the label that it has instead; may be empty
}

// String returns both texts.
func (r Reason) String() string {
	if r.Detail == "" {
		return r.Text
	}
	return r.Text + ": " + r.Detail
}

// Verdict is what becomes of a pod on a node.
type Verdict struct {
	Node    *model.NodeView
	Reasons []Reason // in the order of Kind
}

// worst returns the strongest effect among the reasons.
func (v Verdict) worst() Effect {
	worst := Note
	for _, r := range v.Reasons {
		worst = max(worst, r.Effect)
	}
	return worst
}

// Schedulable reports whether the scheduler would bind the pod to the node.
func (v Verdict) Schedulable() bool {
	return !slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Effect == Refuses })
}

// Outcome is what happens to a pod that is bound to a node.
type Outcome uint8

// The outcomes, the best first.
const (
	Runs Outcome = iota
	MayFail
	FailsThere
)

// String returns the words that the UI shows.
func (o Outcome) String() string { return [...]string{"runs", "may fail", "fails"}[o] }

// Runs tells what would happen once the pod is bound, whether or not the scheduler
// would bind it.
func (v Verdict) Runs() Outcome {
	out := Runs
	for _, r := range v.Reasons {
		switch r.Effect {
		case Fails:
			return FailsThere
		case Doubt:
			out = MayFail
		}
	}
	return out
}

// Counted returns the reason that the scheduler's message counts this node under: that
// of the first plug-in that refuses. ok is false where none does.
func (v Verdict) Counted() (r Reason, ok bool) {
	for _, r := range v.Reasons {
		if r.Effect == Refuses {
			return r, true
		}
	}
	return Reason{}, false
}

// lasting orders the kinds by how little an operator can do about them: what a node is
// comes before how full it is.
var lasting = []Kind{
	Template, Gate, Scheduler, Claim, InUse, Target, Selector, Affinity, System, Build, Class, Volume, Driver, Taint, Unschedulable,
	Extended, Devices, Memory, CPU, PodCount, Port, OtherAntiAffinity, PodAffinity, PodAntiAffinity, Spread, Wish,
}

var lastingRank = func() (rank [Wish + 1]int) {
	for i, k := range lasting {
		rank[k] = i
	}
	return rank
}()

// Main returns the reason that tells most among those of the strongest effect; ok is
// false where there is none.
func (v Verdict) Main() (r Reason, ok bool) {
	worst := v.worst()
	for _, c := range v.Reasons {
		if c.Effect == worst && (!ok || lastingRank[c.Kind] < lastingRank[r.Kind]) {
			r, ok = c, true
		}
	}
	return r, ok
}

func sortReasons(all []Reason) {
	slices.SortStableFunc(all, func(a, b Reason) int { return cmp.Compare(a.Kind, b.Kind) })
}

func join(parts []string) string { return strings.Join(parts, ", ") }
