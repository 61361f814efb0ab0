package model

import "time"

// Grouping is how the nodes screen gathers its rows.
type Grouping int

// The groupings in the order in which the UI cycles through them.
const (
	GroupByBuild Grouping = iota // operating system, and on Windows the build
	GroupByRuntimeClass
	GroupByZone
	GroupByPool
	GroupByNone
)

// String returns the word that the UI shows.
func (g Grouping) String() string {
	return [...]string{"OS and build", "RuntimeClass", "zone", "pool", "none"}[g]
}

// SortKey is what the rows of a group are ordered by; equal rows stand by name.
type SortKey int

// The sort keys in the order in which the UI cycles through them.
const (
	SortByName SortKey = iota
	SortByStatus
	SortByRevision
	SortByPods
	SortByCPU
	SortByMemory
	SortByAge
)

// String returns the word that the UI shows.
func (k SortKey) String() string {
	return [...]string{"name", "status", "revision", "pods", "CPU", "memory", "age"}[k]
}

// Query says which nodes are wanted and in what order.
type Query struct {
	Grouping  Grouping
	PoolLabel string // for GroupByPool; empty takes the first of PoolLabels that a node carries
	Sort      SortKey
	Reverse   bool
	Filter    string // words, all of which must match: label=value, label!=value, or letters of name, status, build, role
}

// Inventory is the answer to a Query.
type Inventory struct {
	Serial uint64 // of the snapshot that it was made from
	Query  Query
	Groups []Group
	Total  Totals // over the nodes that match
	All    int    // nodes in the cluster, matching or not
}

// Group is a set of nodes that belong together, with their sums.
type Group struct {
	ID      string // stable across snapshots, unique within a grouping
	Title   string
	OS      OS
	Build   string // major.minor.build; empty unless all nodes of the group are of one build
	Product string // "Windows Server 2025"; empty is unknown
	Support SupportPhase
	Until   time.Time // the day on which the phase ends or ended; zero is unknown
	Nodes   []*NodeView
	Totals  Totals
}

// Totals are the sums of some nodes.
type Totals struct {
	Nodes       int
	Ready       int
	Cordoned    int
	Trouble     int // not Ready, or under pressure
	Maintenance int
	Pods        int // not finished
	MaxPods     int
	Requests    Resources
	Limits      Resources
	Allocatable Resources
	Fullest     float64 // the highest share of used memory in its limit; -1 is none known
	// RevisionLow and RevisionHigh span the known Windows revisions; -1 is none known.
	RevisionLow  int
	RevisionHigh int
}
