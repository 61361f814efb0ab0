// Package act is the table of what can be done: which key, what it is called, and
// why it cannot be done now. Key dispatch, the footer, the help and the refusals
// all read the same table, so they cannot disagree.
package act

import "strings"

// ID names an action, for example "filter".
type ID string

// Action is one row of a table of actions.
type Action struct {
	ID    ID
	Keys  []string // as Bubble Tea spells them; the first is the one that is shown
	Label string   // one or two words for the footer; empty keeps it out of there
	Help  string   // a sentence for the help
	Why   string   // why it cannot be done at the moment; empty is "it can"
	Minor bool     // gives way in the footer to those that are not
}

// Table is the actions of a screen, in the order in which they are shown.
type Table []Action

// Find returns the action that a key stands for.
func (t Table) Find(key string) (Action, bool) {
	for _, a := range t {
		for _, k := range a.Keys {
			if k == key {
				return a, true
			}
		}
	}
	return Action{}, false
}

// shown spells keys that have no letter, or a name that is too long.
var shown = map[string]string{
	" ": "space", "up": "↑", "down": "↓", "left": "←", "right": "→",
	"pgup": "PgUp", "pgdown": "PgDn", "home": "Home", "end": "End",
}

// Spell returns a key as the screen shows it.
func Spell(key string) string {
	if s, ok := shown[key]; ok {
		return s
	}
	return key
}

// Spelled returns all keys of the action as the help shows them.
func (a Action) Spelled() string {
	out := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		out[i] = Spell(k)
	}
	return strings.Join(out, " ")
}
