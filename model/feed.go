package model

import "time"

// FeedState says what one watched kind is worth at the moment.
type FeedState int

// A feed starts as FeedWaiting. What a failing feed delivered before stays, and is old.
const (
	FeedWaiting   FeedState = iota // the first list is not here yet
	FeedSynced                     // listed, and the watch is open
	FeedForbidden                  // the API server refuses list or watch
	FeedAbsent                     // the API server does not serve this kind
	FeedFailing                    // list or watch fails; it is tried again
)

// String returns the word that the UI shows.
func (s FeedState) String() string {
	return [...]string{"waiting", "synced", "forbidden", "absent", "failing"}[s]
}

// Feed is the state of the watch on one kind.
type Feed struct {
	Kind    Kind
	State   FeedState
	Since   time.Time // when it entered this state, UTC
	Error   string    // what came back, for every state but waiting and synced
	Objects int       // how many are held
	Listed  bool      // at least one full list has arrived: the objects held were once complete
}

// ServerFacts is what the API server says of itself and of us.
type ServerFacts struct {
	Version string // gitVersion; empty is unknown
	User    string // SelfSubjectReview; empty is unknown
	Error   string // why one of them is unknown

	ClockKnown bool          // it has said what time it is
	ClockAhead time.Duration // how far its clock is in front of this machine's, to the second
}
