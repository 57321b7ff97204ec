package sim

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A Recording holds what a crawl was answered, request by request, so that a virtual crawl
// of its world gets the same answers. Each page, and each site for its address, its
// robots.txt and its sitemap files, has a list of answers: the first request gets the first
// of them, the second the second, and so on. Under the policy of the crawl the virtual
// crawl is the crawl itself. Under another policy a page that failed twice before it was
// fetched still does, and a robots.txt has the Crawl-delay that it had.
//
// Pages and sites are those of the world. A Recording does not change once it is made, and
// may be used by several crawls at a time. It takes some 300 bytes an answer and 4 a link.
type Recording struct {
	answers []Answer
	next    []uint32                             // by answer: the next one of its list plus 1; 0: none
	first   [event.Sitemap + 1]map[uint32]uint32 // by page or site: the first answer of its list plus 1
	last    [event.Sitemap + 1]map[uint32]uint32 // the same, the last
	bars    map[graph.Page]event.Bar
	refused map[graph.Page][]refusal
	asked   map[graph.Site]int // answers about the address and the rules of a site
	after   map[uint32][]Act   // by answer plus 1; 0: before all of them
}

// An Answer is the end of a task of a recorded crawl.
type Answer struct {
	// Event is what was recorded. Due and Expiry count from the end of the task on, Start,
	// End and New have no meaning. Links are in the order of the page. The pages that a
	// sitemap made known are Links, too.
	Event   event.Event
	Took    time.Duration
	Connect time.Duration // part of Took
	Body    time.Duration // part of Took
	Reused  bool          // the connection was open
	// Turn counts the times that the crawl handed out tasks before this answer. Answers of one
	// instant count one after the other, and tasks may have been handed out between them.
	Turn uint32
	// Closed reports that the server closed the connection, or would not let it wait for the
	// next request.
	Closed bool
}

// A refusal is a verdict on a page that was about to be handed out.
type refusal struct {
	bar   event.Bar
	early bool // before the rules of its site were known
	asked int  // requests for the address and the rules of its site before it
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

// Bar records why a page was not to be fetched when it became known.
func (r *Recording) Bar(p graph.Page, bar event.Bar) { r.bars[p] = bar }

// Refuse records that a page of a site was refused when it was about to be handed out. early
// reports whether the rules of the site were not known then.
func (r *Recording) Refuse(p graph.Page, s graph.Site, bar event.Bar, early bool) {
	r.refused[p] = append(r.refused[p], refusal{bar, early, r.asked[s]})
}

// An Act is what the driver of the crawl did by itself, such as to admit pages that it had
// refused.
type Act struct {
	Event event.Event   // as in Answer
	Since time.Duration // from the last answer before, or from the beginning, to the act
}

// After adds an act after the last answer so far.
func (r *Recording) After(a Act) {
	n := uint32(len(r.answers))
	r.after[n] = append(r.after[n], a)
}

// A player hands out the answers of a recording to one virtual crawl.
type player struct {
	*Recording
	next     [event.Sitemap + 1]map[uint32]uint32 // where a list continues; absent: at its begin
	refusals map[graph.Page]int
	asked    map[graph.Site]int
	taken    int      // answers that were handed out
	due      []dueAct // in the order of their instants
}

// A dueAct is an act whose instant is known.
type dueAct struct {
	at  time.Duration
	act *Act
}

func newPlayer(r *Recording) *player {
	p := &player{Recording: r, refusals: map[graph.Page]int{}, asked: map[graph.Site]int{}}
	for k := range p.next {
		p.next[k] = map[uint32]uint32{}
	}
	return p
}

// answer returns the number of the next answer to a task of the world, 0 if there is none.
func (p *player) answer(w event.Task) uint32 {
	k := key(w)
	n, began := p.next[w.Kind][k]
	if !began {
		n = p.first[w.Kind][k]
	}
	return n
}

// take returns the next answer to a task. When they are used up, names and rules stay as they
// were, and pages and files fail. number is 0 then.
func (p *player) take(w event.Task) (a *Answer, number uint32) {
	tally(p.asked, w)
	if number = p.answer(w); number != 0 {
		p.taken++
		p.next[w.Kind][key(w)] = p.Recording.next[number-1]
		return &p.answers[number-1], number
	}
	last := p.last[w.Kind][key(w)]
	if last == 0 || w.Kind == event.Fetch || w.Kind == event.Sitemap || p.answers[last-1].Event.Hop {
		return &Answer{Event: event.Event{Class: event.HTTPError}}, 0
	}
	again := p.answers[last-1]
	again.Event.Again = false
	return &again, 0
}

// ended reports whether every answer was handed out, so that nothing is known of what would
// come next.
func (p *player) ended() bool { return p != nil && p.taken == len(p.answers) }

// schedule makes the acts after an answer due, at now or later.
func (p *player) schedule(now time.Duration, number uint32) {
	for i := range p.after[number] {
		a := &p.after[number][i]
		p.due = append(p.due, dueAct{now + a.Since, a})
	}
	slices.SortStableFunc(p.due, func(a, b dueAct) int { return cmp.Compare(a.at, b.at) })
}

// nextAct returns the instant of the next act, Never if there is none.
func (p *player) nextAct() time.Duration {
	if p == nil || len(p.due) == 0 {
		return event.Never
	}
	return p.due[0].at
}

// barred returns the verdict on a page of the world that is about to be handed out. Pages
// that the crawl never fetched have no answer, and are refused.
func (p *player) barred(page graph.Page) event.Bar {
	if list, n := p.refused[page], p.refusals[page]; n < len(list) {
		p.refusals[page]++
		return list[n].bar
	}
	if p.answer(event.Task{Kind: event.Fetch, Page: page}) == 0 {
		return event.BarScope
	}
	return event.NoBar
}

// spare returns the verdict on the best page of a site before anything of the site is
// requested.
func (p *player) spare(page graph.Page, s graph.Site) event.Bar {
	if list, n := p.refused[page], p.refusals[page]; n < len(list) {
		if list[n].early && p.asked[s] >= list[n].asked {
			p.refusals[page]++
			return list[n].bar
		}
		return event.NoBar
	}
	if p.last[event.Resolve][uint32(s)] == 0 && p.last[event.Robots][uint32(s)] == 0 && p.answer(event.Task{Kind: event.Fetch, Page: page}) == 0 {
		return event.BarScope
	}
	return event.NoBar
}

// endless is the number of pages that a virtual crawl may request if it has no limit:
// pages may be requested several times.
const endless = math.MaxInt
