package findings

import (
	"cmp"
	"slices"

	"github.com/mullion-tui/mullion/model"
)

// Severity orders findings by how soon somebody should act.
type Severity uint8

// The severities, the least first.
const (
	Info     Severity = iota // worth knowing
	Warning                  // will hurt under load, or at the next change
	Critical                 // hurts now
)

// String returns the word that stands beside a finding.
func (s Severity) String() string { return [...]string{"info", "warning", "critical"}[s] }

// Finding is one thing that is wrong with one object.
type Finding struct {
	ID       string // F01 … F28, stable
	Title    string
	Severity Severity
	Unknown  bool        // the rule could not look, and Evidence says why; Object is empty then
	Object   model.Key   // empty where it is about the cluster or this machine
	Related  []model.Key // other objects that it concerns
	Evidence string      // what was seen: names, numbers, ages
	Why      string      // what it leads to
	Remedy   string      // what to do next
}

// compare brings the worst first, then orders by ID and object.
func compare(a, b Finding) int {
	return cmp.Or(
		-cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Object.Kind, b.Object.Kind),
		cmp.Compare(a.Object.Namespace, b.Object.Namespace), cmp.Compare(a.Object.Name, b.Object.Name), cmp.Compare(a.Evidence, b.Evidence),
	)
}

// Sort brings findings into the order in which they are shown: the worst first.
func Sort(all []Finding) { slices.SortFunc(all, compare) }

// Objects that no cluster holds.
const (
	KindContext model.Kind = "contexts" // of the kubeconfig
	KindMachine model.Kind = "machine"  // this one
)

func contextKey(name string) model.Key { return model.Key{Kind: KindContext, Name: name} }

var thisMachine = model.Key{Kind: KindMachine, Name: "this machine"}
