package ui

import (
	"time"

	"github.com/mullion-tui/mullion/model"
)

// remembered is the last that was seen of a cluster.
type remembered struct {
	snap    *model.Snapshot
	at      time.Time
	lineage uint64
}

// lastSeen keeps the last snapshots of the contexts that were left. The server is
// part of the key: a context whose name now leads elsewhere must not show the
// nodes of another cluster.
type lastSeen map[[2]string]remembered

// remember is how many clusters are kept; a snapshot of a large one is large.
const remember = 3

func (m lastSeen) keep(info model.SessionInfo, snap *model.Snapshot, now time.Time) {
	if !usable(snap) || len(snap.Nodes()) == 0 {
		return
	}
	m[[2]string{info.Context, info.Server}] = remembered{snap: snap, at: now, lineage: info.ID}
	for len(m) > remember {
		var oldest [2]string
		var at time.Time
		for k, r := range m {
			if at.IsZero() || r.at.Before(at) {
				oldest, at = k, r.at
			}
		}
		delete(m, oldest)
	}
}

func (m lastSeen) of(info model.SessionInfo) (remembered, bool) {
	r, ok := m[[2]string{info.Context, info.Server}]
	return r, ok
}
