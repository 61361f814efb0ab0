package ui

import "slices"

// lookAt tells the session which nodes are on screen, when that has changed: their
// memory is read more often.
func (a *App) lookAt() {
	if a.live.session == nil {
		return
	}
	var room [maxRows]string
	names := room[:0]
	switch a.at {
	case atNodes:
		names = a.nodes.Visible(names)
	case atMemory:
		names = a.memory.Visible(names)
	case atNode:
		names = append(names, a.node.Name())
	}
	if !slices.Equal(names, a.live.looked) {
		a.live.looked = slices.Clone(names)
		a.live.session.Look(a.live.looked)
	}
}

// maxRows are the rows of a high terminal; more make lookAt allocate, no more.
const maxRows = 128
