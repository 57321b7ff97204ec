package sim

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A player hands out the answers of a recording to one virtual crawl.
type player struct {
	*Recording
	next     [event.Requisite + 1]map[uint32]uint32 // where a list continues; absent: at its begin
	refusals map[graph.Page]int
	asked    map[graph.Site]int
	taken    int      // answers that were handed out
	due      []dueAct // in the order of their instants
	mark     int      // the next one
	caused   bool     // the answer that causes it has ended
	losses   uint32   // marks with Lose so far
	tasks    int      // that may be handed out until the next mark
	pages    int      // see Mark.Pages
	fetched  int      // pages that count for it
	underWay int      // pages being fetched
	visited  []bool   // by page of the world
}

// A dueAct is an act whose instant is known, or (act is nil) the instant at which a site of the
// crawl continues, because an event of it is on disk.
type dueAct struct {
	at   time.Duration
	act  *Act
	site graph.Site
}

func newPlayer(r *Recording, pages int) *player {
	p := &player{Recording: r, refusals: map[graph.Page]int{}, asked: map[graph.Site]int{}, tasks: AnyTasks, visited: make([]bool, pages)}
	for k := range p.next {
		p.next[k] = map[uint32]uint32{}
	}
	return p
}

// answer returns the number of the next answer to a task of the world, 0 if there is none. It
// passes over answers that were lost at another time.
func (p *player) answer(w event.Task) uint32 {
	k := key(w)
	n, began := p.next[w.Kind][k]
	if !began {
		n = p.first[w.Kind][k]
	}
	for n != 0 && p.answers[n-1].Lost != 0 && p.answers[n-1].Lost != p.losses+1 {
		n = p.Recording.next[n-1]
		p.next[w.Kind][k] = n
		p.taken++
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
	if last == 0 || w.Kind == event.Fetch || w.Kind == event.Sitemap || w.Kind == event.Requisite || p.answers[last-1].Event.Hop || p.answers[last-1].Lost != 0 {
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
		p.plan(dueAct{at: now + a.Since, act: a})
	}
}

// plan adds an act.
func (p *player) plan(d dueAct) {
	at, _ := slices.BinarySearchFunc(p.due, d.at, func(x dueAct, at time.Duration) int {
		if x.at <= at {
			return -1
		}
		return 1
	})
	p.due = slices.Insert(p.due, at, d)
}

// nextAct returns the instant of the next act, Never if there is none.
func (p *player) nextAct() time.Duration {
	if p == nil || len(p.due) == 0 {
		return event.Never
	}
	return p.due[0].at
}

// nextMark returns the instant of the next mark, Never if there is none.
func (p *player) nextMark() time.Duration {
	if p == nil || p.mark == len(p.marks) {
		return event.Never
	}
	return p.marks[p.mark].At
}

// cause notes the end of an answer that causes the next mark.
func (p *player) cause(number uint32) {
	if number != 0 && p.mark < len(p.marks) && p.marks[p.mark].After == number {
		p.caused = true
	}
}

// allows reports whether a task may be handed out.
func (p *player) allows() bool { return p == nil || p.tasks != 0 }

// mayFetch reports whether a page may be handed out. The crawler stopped at its number of pages;
// a crawl that has taken others meanwhile goes on, so that it fetches all of them.
func (p *player) mayFetch() bool { return p == nil || p.underWay == 0 || !p.full() }

// full reports whether as many pages were handed out as the crawler was to fetch.
func (p *player) full() bool { return p.pages > 0 && p.fetched+p.underWay >= p.pages }

// begin counts a task that is handed out.
func (p *player) begin(w event.Task) {
	if p.tasks != AnyTasks {
		p.tasks--
	}
	if w.Kind == event.Fetch {
		p.underWay++
	}
}

// refusal returns the next refusal of a page of the world, nil if the page is to be requested
// before, or not to be refused.
func (p *player) refusal(page graph.Page) *refusal {
	list, n := p.refused[page], p.refusals[page]
	if n == len(list) {
		return nil
	}
	if next := p.answer(event.Task{Kind: event.Fetch, Page: page}); next != 0 && next <= list[n].after {
		return nil
	}
	return &list[n]
}

// barred returns the verdict on a page of the world that is about to be handed out. Pages
// that the crawl never fetched have no answer, and are refused.
func (p *player) barred(page graph.Page) event.Bar {
	if r := p.refusal(page); r != nil {
		p.refusals[page]++
		return r.bar
	}
	if p.answer(event.Task{Kind: event.Fetch, Page: page}) == 0 {
		return event.BarScope
	}
	return event.NoBar
}

// spare returns the verdict on the best page of a site before anything of the site is
// requested.
func (p *player) spare(page graph.Page, s graph.Site) event.Bar {
	if r := p.refusal(page); r != nil {
		if r.early && p.asked[s] >= r.asked {
			p.refusals[page]++
			return r.bar
		}
		return event.NoBar
	}
	if p.last[event.Resolve][uint32(s)] == 0 && p.last[event.Robots][uint32(s)] == 0 && p.answer(event.Task{Kind: event.Fetch, Page: page}) == 0 {
		return event.BarScope
	}
	return event.NoBar
}
