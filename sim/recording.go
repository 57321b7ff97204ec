package sim

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/score"
)

// A Recording holds what a crawl was answered, request by request, so that a virtual crawl
// of its world gets the same answers. Each page, and each site for its address, its
// robots.txt, its sitemap files and its requisites, has a list of answers: the first request gets the first
// of them, the second the second, and so on. Under the policy of the crawl the virtual
// crawl is the crawl itself. Under another policy a page that failed twice before it was
// fetched still does, and a robots.txt has the Crawl-delay that it had.
//
// Pages and sites are those of the world. A Recording does not change once it is made, and
// may be used by several crawls at a time. It takes some 300 bytes an answer and 4 a link.
type Recording struct {
	// Score is the function by which pages were scored at first, nil if there was none, and
	// Terms those of all later ones (Act.Score). They take effect in a crawl whose Score is this
	// one.
	Score *score.Function
	Terms score.Needs

	answers []Answer
	next    []uint32                               // by answer: the next one of its list plus 1; 0: none
	first   [event.Requisite + 1]map[uint32]uint32 // by page or site: the first answer of its list plus 1
	last    [event.Requisite + 1]map[uint32]uint32 // the same, the last
	bars    map[graph.Page]event.Bar
	refused map[graph.Page][]refusal
	asked   map[graph.Site]int // answers about the address and the rules of a site
	after   map[uint32][]Act   // by answer plus 1; 0: before all of them
	ended   uint32             // the last answer that was no loss plus 1; 0: none
	marks   []Mark             // in the order of their instants
	turns   []Turn             // in the order of their instants
}

// An Answer is the end of a task of a recorded crawl.
type Answer struct {
	// Event is what was recorded. Due and Expiry count from the end of the task on, Start,
	// End and New have no meaning. Links are in the order of the page. The pages that a
	// sitemap made known are Links, too.
	Event   event.Event
	Wait    time.Duration // from the hand-out to the request
	Took    time.Duration // from the request to the end of the answer
	Connect time.Duration // part of Took
	Body    time.Duration // part of Took
	Lag     time.Duration // from the end of the answer to its event
	At      time.Duration // instant of the event, on the clock of the crawl
	Reused  bool          // the connection was open
	// Turn is the number of turns before this answer. Answers of one instant count one after
	// the other, and there may be turns between them.
	Turn uint32
	// Closed reports that the server closed the connection, or would not let it wait for the
	// next request.
	Closed bool
	// Hold is the time from then until the event was on disk, which the site waited for.
	Hold time.Duration
	// Lost counts, if it is not 0, the marks at which tasks were lost, this one's included: the
	// answer was not recorded.
	Lost uint32
}

// A Turn is a moment at which the crawl asked its frontier for a task. The next page of a
// connection that is kept is no turn of its own.
type Turn struct {
	At   time.Duration
	Task event.Task // that was handed out
	None bool       // nothing was handed out, but the frontier changed
}

// A refusal is a verdict on a page that was about to be handed out.
type refusal struct {
	bar   event.Bar
	early bool   // before the rules of its site were known
	asked int    // requests for the address and the rules of its site before it
	after uint32 // the last answer of the page before it plus 1; 0: none
}

// NewRecording returns an empty recording.
func NewRecording() *Recording {
	r := &Recording{bars: map[graph.Page]event.Bar{}, refused: map[graph.Page][]refusal{}, asked: map[graph.Site]int{}, after: map[uint32][]Act{}}
	for k := range r.first {
		r.first[k], r.last[k] = map[uint32]uint32{}, map[uint32]uint32{}
	}
	return r
}

// key returns whose list the answers of a task are in: that of its page, or of its site. The
// rules of a site are its own wherever they are requested.
func key(w event.Task) uint32 {
	switch w.Kind {
	case event.Fetch:
		return uint32(w.Page)
	case event.Robots:
		return uint32(w.For)
	}
	return uint32(w.Site)
}

// Add adds the answer to a task.
func (r *Recording) Add(w event.Task, a Answer) {
	r.answers, r.next = append(r.answers, a), append(r.next, 0)
	n, k := uint32(len(r.answers)), key(w)
	if last := r.last[w.Kind][k]; last != 0 {
		r.next[last-1] = n
	} else {
		r.first[w.Kind][k] = n
	}
	r.last[w.Kind][k] = n
	if a.Lost == 0 {
		r.ended = n
	}
	tally(r.asked, w)
}

// tally counts a request for the address or the rules of a site.
func tally(asked map[graph.Site]int, w event.Task) {
	if w.Kind == event.Resolve || w.Kind == event.Robots {
		asked[graph.Site(key(w))]++
	}
}

// Answers returns the number of answers.
func (r *Recording) Answers() int { return len(r.answers) }

// Close records that the server closed the connection after an answer.
func (r *Recording) Close(answer int) { r.answers[answer].Closed = true }

// Hold sets Answer.Hold of an answer.
func (r *Recording) Hold(answer int, d time.Duration) { r.answers[answer].Hold = d }

// Bar records why a page was not to be fetched when it became known.
func (r *Recording) Bar(p graph.Page, bar event.Bar) { r.bars[p] = bar }

// Refuse records that a page of a site was refused when it was about to be handed out. early
// reports whether the rules of the site were not known then.
func (r *Recording) Refuse(p graph.Page, s graph.Site, bar event.Bar, early bool) {
	r.refused[p] = append(r.refused[p], refusal{bar, early, r.asked[s], r.last[event.Fetch][uint32(p)]})
}

// An Act is what the driver of the crawl did by itself, such as to admit pages that it had
// refused.
type Act struct {
	Event event.Event   // as in Answer
	Since time.Duration // from the last answer before, or from the beginning, to the act
	// Mirror, of an act without an event, reports that Event.Site mirrors another: its pages
	// are handed out later.
	Mirror bool
	// Score, of an act without an event, is the function of scores from then on. AtOnce reports
	// that pages have their values by it at once, as when a session begins.
	Score  *score.Function
	AtOnce bool
}

// After adds an act after the last answer so far.
func (r *Recording) After(a Act) { r.after[r.ended] = append(r.after[r.ended], a) }

// A Mark is what happened to the crawler itself at an instant of its clock, whatever it crawled
// then: it stopped, it was started again, or it lost its network.
type Mark struct {
	At time.Duration
	// After is the number of the answer that caused it, 0 if none did. At the same instant the
	// mark follows that answer; any other mark follows what else happens.
	After uint32
	Tasks int // how many are handed out from then until the next mark; AnyTasks: no limit
	// Lose ends all tasks that are under way without an answer: a session ends.
	Lose bool
	// Stopped is the time since the mark before in which the crawler did not run.
	Stopped time.Duration
	// Pages is the number of pages after which the crawler stops from then on; 0: there is no
	// limit. Redirects do not count.
	Pages int
	Acts  []Act // at this instant: how a session begins
}

// Turn adds a turn.
func (r *Recording) Turn(t Turn) { r.turns = append(r.turns, t) }

// Turns returns the number of turns.
func (r *Recording) Turns() int { return len(r.turns) }

// AnyTasks is no limit.
const AnyTasks = -1

// Mark adds a mark, and returns it until the next one is added.
func (r *Recording) Mark(m Mark) *Mark {
	r.marks = append(r.marks, m)
	return &r.marks[len(r.marks)-1]
}

// endless is the number of pages that a virtual crawl may request if it has no limit:
// pages may be requested several times.
const endless = math.MaxInt
