package sim

import (
	"math"
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
	after   map[uint32][]event.Event // by answer plus 1; 0: before all of them
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
	// Closed reports that the server closed the connection, or would not let it wait for the
	// next request.
	Closed bool
}

// A refusal is a verdict on a page that was about to be handed out.
type refusal struct {
	bar   event.Bar
	early bool // before the robots.txt of its site was known
}

// NewRecording returns an empty recording.
func NewRecording() *Recording {
	r := &Recording{bars: map[graph.Page]event.Bar{}, refused: map[graph.Page][]refusal{}, after: map[uint32][]event.Event{}}
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
}

// Answers returns the number of answers.
func (r *Recording) Answers() int { return len(r.answers) }

// Close records that the server closed the connection after an answer.
func (r *Recording) Close(answer int) { r.answers[answer].Closed = true }

// Bar records why a page was not to be fetched when it became known.
func (r *Recording) Bar(p graph.Page, bar event.Bar) { r.bars[p] = bar }

// Refuse records that a page was refused when it was about to be handed out. early reports
// whether the rules of its site were not known then.
func (r *Recording) Refuse(p graph.Page, bar event.Bar, early bool) {
	r.refused[p] = append(r.refused[p], refusal{bar, early})
}

// After records an event that the driver made by itself, after the last answer so far.
func (r *Recording) After(e event.Event) {
	n := uint32(len(r.answers))
	r.after[n] = append(r.after[n], e)
}

// A player hands out the answers of a recording to one virtual crawl.
type player struct {
	*Recording
	next     [event.Sitemap + 1]map[uint32]uint32 // where a list continues; absent: at its begin
	refusals map[graph.Page]int
}

func newPlayer(r *Recording) *player {
	p := &player{Recording: r, refusals: map[graph.Page]int{}}
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
	if number = p.answer(w); number != 0 {
		p.next[w.Kind][key(w)] = p.Recording.next[number-1]
		return &p.answers[number-1], number
	}
	last := p.last[w.Kind][key(w)]
	if last == 0 || w.Kind == event.Fetch || w.Kind == event.Sitemap {
		return &Answer{Event: event.Event{Class: event.HTTPError}}, 0
	}
	again := p.answers[last-1]
	again.Event.Again = false
	return &again, 0
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
		if list[n].early {
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
