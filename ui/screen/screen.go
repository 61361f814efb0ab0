// Package screen names what a screen and the app say to each other. A screen
// never reaches outside: it answers a key with an Ask, and the app does it.
package screen

import (
	"time"

	"github.com/mullion-tui/mullion/ui/part"
)

// Look is what drawing depends on besides a screen's own state.
type Look struct {
	Ink *part.Inks
	Now time.Time // UTC; the only clock that drawing has
}

// Ask is what a screen wants done: one of the types below, or nil for nothing.
type Ask any

type (
	// OpenNode shows a node's details.
	OpenNode struct{ Name string }
	// OpenContext makes a context the current one. Server is where the kubeconfig
	// says that it is.
	OpenContext struct{ Name, Server string }
	// Copy puts text on the terminal's clipboard; What names it for the operator.
	Copy struct{ What, Text string }
	// Note tells the operator something in passing.
	Note struct{ Text string }
	// Fail tells the operator of an error, which stays until it is dismissed.
	Fail struct{ Text, Next string }
	// Back leaves the screen.
	Back struct{}
)
