// Package port names what the UI needs from the outside. The interfaces stand
// here, with their consumer; cmd hands in what kube made. Everything that comes
// back is a value of model, and every string in it may be hostile: screens clean
// what they draw.
package port

import (
	"context"

	"github.com/mullion-tui/mullion/model"
)

// Session is one context: its identity and the stream of its snapshots. All
// calls may block and belong into a tea.Cmd, but for Info and Look.
type Session interface {
	Info() model.SessionInfo
	// Next blocks until there is a snapshot with a higher serial than seen, at
	// most a few times a second, and returns the newest. It ends with ctx's error
	// or with the reason for which the session ended.
	Next(ctx context.Context, seen uint64) (*model.Snapshot, error)
	// NodeEvents returns the recent events about a node, newest first.
	NodeEvents(ctx context.Context, node string) ([]model.Event, error)
	// Look says which nodes are on screen, so that what changes there is read more
	// often. It does not block.
	Look(nodes []string)
	Close()
}

// Contexts are the clusters that the operator can look at.
type Contexts interface {
	// List reads the kubeconfig anew. Problems that concern all of it come back
	// as an error beside whatever entries there are.
	List(ctx context.Context) ([]model.ContextEntry, error)
	// Open starts a session. It returns as soon as the context is known to be
	// usable, without waiting for the server: feeds say how far they are.
	Open(ctx context.Context, name string) (Session, error)
	// Probe asks whether the context's server answers.
	Probe(ctx context.Context, name string) model.Probe
}
