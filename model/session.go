package model

import "time"

// SessionInfo is the identity of one connection to one cluster. Every screen
// shows it, every write carries it.
type SessionInfo struct {
	ID             uint64 // differs between any two sessions of one process
	Context        string
	Cluster        string // the kubeconfig's cluster entry
	Server         string // URL
	User           string // the kubeconfig's user entry
	Namespace      string
	ReadOnly       bool
	ReadOnlyReason string // "--read-only", "readOnly: true for this context in …", …
	Protected      bool   // actions ask for the context's name
}

// ContextEntry is one context of the merged kubeconfig.
type ContextEntry struct {
	Name      string
	Cluster   string
	Server    string
	User      string
	Namespace string
	Current   bool
	File      string // where the entry came from
	Problem   string // why it cannot be used, or which entry of equal name it hides; empty is none
	Conflicts string // what the merge of several files did to it: names that it hides, entries that it borrows; empty is none
	Usable    bool

	ReadOnly       bool
	ReadOnlyReason string // as in SessionInfo
	Protected      bool
}

// Probe is the answer to "is anybody there".
type Probe struct {
	OK      bool
	Version string
	Error   string
	Took    time.Duration
}

// Event is a Kubernetes event about an object, of either event API.
type Event struct {
	Type    string // Normal, Warning
	Reason  string
	Message string
	Source  string // source.component, else reportingComponent
	Count   int
	Last    time.Time // eventTime, series.lastObservedTime or lastTimestamp, UTC
}
