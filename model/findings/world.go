package findings

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/placement"
)

// World is what rules look at. Only Snapshot and Now are needed; what is nil was not
// looked at.
type World struct {
	Snapshot *model.Snapshot
	Now      time.Time // by the clock of this machine, or that of a dump, UTC

	// Events are those of the pods that do not end (see Stuck): they tell why.
	Events map[model.Key][]model.Event
	// Contexts are the entries of the kubeconfig; nil where none was read, as for a dump.
	Contexts []model.ContextEntry

	// Measured: every node was asked for its figures, and what is missing will not come.
	Measured bool

	boots   map[string]boot         // by node UID; what a Book has seen
	answers map[*model.Shape]answer // of F24; what a Book remembers
	board   *placement.Board        // nil until somebody asks
	asked   int                     // of the board, for this snapshot

	again time.Time // when the answers given so far will be out of date; zero is never
}

// boot is the last change of a node's boot ID that was seen.
type boot struct {
	id      string
	from    string    // the boot ID before; empty while there was no change
	changed time.Time // when the change was seen
	planned bool      // a maintenance owned the node before or after the change
	owned   bool      // a maintenance owned the node when it was last looked at
}

// past reports whether a moment is over, and otherwise has the caller asked again then.
func (w *World) past(t time.Time) bool {
	if !w.Now.Before(t) {
		return true
	}
	w.askAgain(t)
	return false
}

// within reports whether t was less than d ago, and has the caller asked again when it
// no longer is.
func (w *World) within(t time.Time, d time.Duration) bool { return !t.IsZero() && !w.past(t.Add(d)) }

func (w *World) askAgain(t time.Time) {
	if w.again.IsZero() || t.Before(w.again) {
		w.again = t
	}
}

// ago writes how long ago t was. The words hold for a while: a tenth of the time that
// has passed, and a minute at least.
func (w *World) ago(t time.Time) string {
	d := max(0, w.Now.Sub(t))
	w.askAgain(w.Now.Add(max(time.Minute, d/10)))
	return duration.HumanDuration(d)
}

// tried reports whether somebody has tried to read the node's figures.
func (w *World) tried(v *model.NodeView) bool { return w.Measured || v.Usage != nil }

// look has seen a node: it remembers its boot ID.
func (w *World) look(v *model.NodeView) {
	if w.boots == nil || v.UID == "" || v.BootID == "" {
		return
	}
	b, known := w.boots[v.UID]
	if known && b.id != v.BootID {
		b.from, b.changed, b.planned = b.id, w.Now, b.owned || v.InMaintenance()
	}
	b.id, b.owned = v.BootID, v.InMaintenance()
	w.boots[v.UID] = b
}

// class finds a RuntimeClass.
func (w *World) class(name string) (*model.RuntimeClass, bool) {
	if name == "" || w.Snapshot == nil {
		return nil, false
	}
	return w.Snapshot.RuntimeClass(name)
}

// pods calls do for every pod, with its node or nil.
func (w *World) pods(do func(v *model.NodeView, p *model.Pod)) {
	for _, v := range w.Snapshot.Nodes() {
		for _, p := range v.Pods {
			do(v, p)
		}
	}
	for _, p := range w.homeless() {
		do(nil, p)
	}
}

// homeless are the pods without a node, or on a node that is not known.
func (w *World) homeless() []*model.Pod {
	if len(w.Snapshot.Strays()) == 0 {
		return w.Snapshot.Unbound()
	}
	return slices.Concat(append([][]*model.Pod{w.Snapshot.Unbound()}, w.Snapshot.Strays()...)...)
}

// windows are the Windows nodes.
func (w *World) windows() []*model.NodeView {
	var all []*model.NodeView
	for _, v := range w.Snapshot.Nodes() {
		if v.OS == model.OSWindows {
			all = append(all, v)
		}
	}
	return all
}
