package frontier

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// Kind is a kind of work.
type Kind uint8

// The kinds, in the order in which a new site needs them.
const (
	Resolve Kind = iota // ask for the address of the site: no clock, no server of its own
	Robots              // fetch its robots.txt
	Fetch               // fetch a page
)

var kindNames = [...]string{"resolve", "robots", "fetch"}

func (k Kind) String() string { return kindNames[k] }

// Work is what a fetcher is to do. Site is acquired until the work is done.
type Work struct {
	Kind  Kind
	Site  graph.Site
	Page  graph.Page // of Fetch
	Board uint8      // the board that chose it
}

// EventKind says what happened.
type EventKind uint8

// The events. State is the fold of them: the same events give the same state.
const (
	// Seed: the pages New became known, without a link to them.
	Seed EventKind = iota
	// Took: Work was handed out. Next and More do it themselves; on replay it is
	// applied, and forces what was decided then.
	Took
	// Refused: Page was about to be handed out, but a rule of its site forbids it.
	// Next and More do it themselves, as with Took.
	Refused
	// Asked: Next was asked in vain, but chose a batch. See Stirred.
	Asked
	// Resolved: the address of Site is known, or (Class) could not be found.
	Resolved
	// Ruled: the robots.txt of Site was fetched; Delay and Expiry are what it says.
	Ruled
	// Done: an attempt at Page ended at End with Class.
	Done
	// Session: the crawler was started again. Works that had been handed out are void.
	Session
)

var eventNames = [...]string{"seed", "took", "refused", "asked", "resolved", "ruled", "done", "session"}

func (k EventKind) String() string { return eventNames[k] }

// An Event is something that happened, with all that was decided about it: ids,
// verdicts, places. Fields that the kind does not name are zero.
type Event struct {
	Kind  EventKind
	Work  Kind       // Took
	Site  graph.Site // Took, Resolved, Ruled
	Page  graph.Page // Took (of Fetch), Refused, Done
	Board uint8      // Took

	// New are the sites of the pages that became known by this event (Seed, Done), in
	// the order of their ids, which continue those known. A site whose id is the
	// number of known sites is new.
	New   []graph.Site
	Links []graph.Page // Done: distinct, known (New included), without the page itself

	Class policy.Class // Resolved, Ruled, Done
	// Again sends the page, or the work at the site, back to be tried not before Due
	// (Resolved, Ruled, Done).
	Again bool
	Due   time.Duration
	Start time.Duration // of the request
	End   time.Duration // of the answer, as the fetcher stamped it
	Bytes int64
	Keep  bool // Done: the connection may serve the next request

	Address uint32        // Resolved: dense number of the IP address
	Delay   time.Duration // Ruled: Crawl-delay
	Expiry  time.Duration // Ruled: when robots.txt is to be fetched again; 0 never
	Retry   time.Duration // Done, Ruled: Retry-After, from End on
}

// Never is an instant that does not come.
const Never = time.Duration(math.MaxInt64)
