package model

import "time"

// Delta is what changed since the delta before: the latest object of each key,
// and the keys that are gone.
type Delta struct {
	At      time.Time // when the newest part arrived, UTC
	Reset   []Kind    // a fresh full list of these kinds: what is not among Objects is gone
	Objects []Object
	Gone    []Key
	Feeds   []Feed       // feeds whose state changed
	Server  *ServerFacts // nil when nothing new is known
}

// Empty reports whether there is nothing to apply.
func (d *Delta) Empty() bool {
	return len(d.Reset) == 0 && len(d.Objects) == 0 && len(d.Gone) == 0 && len(d.Feeds) == 0 && d.Server == nil
}
