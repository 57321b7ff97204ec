package trap

import (
	"cmp"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// When nothing else is left, held pages are tried: one of each list, the last ones first.
// What they bring decides about the rest. After a step that went well, the next step has
// twice as many pages. A step went well if
//
//   - half of its pages brought something new, or led to something new; or
//   - fewer pages of the list wait than ever before: a list that has an end shrinks at
//     last, and one that has none does not.
//
// Copies, and pages that could not be fetched, do not shrink a list, unless few pages are
// left. New words are no evidence for places that grow, which have to show ends, nor for
// hosts and domains that only others of their kind link to: all of these can be made up
// without end. After a step that went badly, one page at a time may be tried. The cost of
// all such steps since one went well is bounded: trialFloor requests, and one request in
// trialShare.
const (
	trialFloor = 6
	trialShare = 512
	fewCopies  = 256 // the most pages that are few
	copyTimes  = 4   // and at most this many for each new page of the site
)

// A Trial records what those pages of a list brought that were tried.
type Trial struct {
	Key   uint64
	Bar   event.Bar
	Pages []Tried // of the last step
	Made  uint32  // pages refused since for the same reason
	Left  uint32  // pages left in the list at the last step
	News  uint32  // new pages of the site at the last step

	// Of the steps before the last.
	Wait  int64  // how many more pages wait than at the beginning
	Low   int64  // the least value of Wait
	Spent uint64 // requests since a step went well
}

// Tried is a page on trial. Snapshots store its fields by name.
type Tried struct {
	Page graph.Page
	Came bool
	Good bool // it brought something new, or led to it
	Same bool // it was a copy
}

// counts returns how many pages of the last step brought or led to something new, and how
// many were fetched and were no copies.
func (t *Trial) counts() (good uint32, own int64) {
	for _, p := range t.Pages {
		if !p.Came || p.Same {
			continue
		}
		if own++; p.Good {
			good++
		}
	}
	return good, own
}

// waits returns how many more pages wait than at the beginning. Copies, and pages that could
// not be fetched, do not make it smaller.
func (t *Trial) waits() int64 {
	_, own := t.counts()
	return t.Wait + int64(t.Made) - own
}

// well reports whether the last step went well.
func (t *Trial) well() bool {
	n := uint32(len(t.Pages))
	good, _ := t.counts()
	switch {
	case t.waits() < t.Low, t.Made < n && t.Left <= min(fewCopies, copyTimes*t.News):
		return true
	}
	return 2*good >= n && t.Bar != event.BarHosts && t.Bar != event.BarFarm
}

// spent returns how many requests were spent since a step went well.
func (t *Trial) spent() uint64 {
	if t.well() {
		return 0
	}
	return t.Spent + t.cost()
}

// cost returns how many requests the last step cost: the first page of a host takes several.
func (t *Trial) cost() uint64 { return trialCost(t.Bar) * uint64(len(t.Pages)) }

// grows reports whether pages under a bar have to show ends.
func grows(b event.Bar) bool { return b == event.BarGrows || b == event.BarTrap }

func trialCost(b event.Bar) uint64 {
	if b == event.BarHosts || b == event.BarFarm {
		return newSite
	}
	return 1
}

// trials finds trials by key, and by the pages that are on trial.
type trials struct {
	byKey map[uint64]*Trial
	of    map[graph.Page]trialPage
}

// A trialPage is a page of the last step of a trial.
type trialPage struct {
	*Trial
	at int
}

func newTrials() trials { return trials{map[uint64]*Trial{}, map[graph.Page]trialPage{}} }

// fetched notes what a page brought, if it is on trial.
func (x *trials) fetched(p graph.Page, good, same, ends bool) {
	t, ok := x.of[p]
	if !ok {
		return
	}
	f := &t.Pages[t.at]
	f.Came = true
	f.Same = f.Same || same
	f.Good = f.Good || good && (ends || !grows(t.Bar))
}

// made notes that a page was refused that from was the first to link to, and reports whether
// from is on trial.
func (x *trials) made(from graph.Page) bool {
	t, ok := x.of[from]
	if ok {
		t.Made++
	}
	return ok
}

// begin makes pages of a list the last step of its trial.
func (x *trials) begin(key uint64, bar event.Bar, pages []graph.Page, left, news uint32) {
	t := x.byKey[key]
	if t == nil {
		t = &Trial{Key: key}
		x.byKey[key] = t
	}
	spent, waits := t.spent(), t.waits()
	t.Spent, t.Wait, t.Low = spent, waits, min(t.Low, waits)
	for _, p := range t.Pages {
		delete(x.of, p.Page)
	}
	t.Bar, t.Made, t.Left, t.News, t.Pages = bar, 0, left, news, nil
	for i, p := range pages {
		t.Pages = append(t.Pages, Tried{Page: p})
		x.of[p] = trialPage{t, i}
	}
}

// load adds saved trials.
func (x *trials) load(list []Trial) {
	for _, t := range list {
		x.byKey[t.Key] = &t
		for i, p := range t.Pages {
			x.of[p.Page] = trialPage{&t, i}
		}
	}
}

// spent returns how many requests were spent on trials since they went well.
func (x *trials) spent() (n uint64) {
	for _, t := range x.byKey { // a sum: the order does not matter
		n += t.spent()
	}
	return n
}

// A candidate is a list of which pages may be tried.
type candidate struct {
	list  *heldList
	step  int    // how many pages to try
	spent uint64 // since a step went well
	sure  bool   // the step before went well
}

// candidates returns the lists in the order in which they are tried: those that went well
// first, then those on which least was spent.
func (g *Guard) candidates(lists []*heldList) (all []candidate) {
	for _, l := range lists {
		if l == nil {
			continue
		}
		c := candidate{list: l, step: 1}
		if t := g.trials.byKey[l.key]; t != nil {
			if c.spent = t.spent(); c.spent == 0 {
				c.sure, c.step = true, 2*len(t.Pages)
			}
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		if a.sure != b.sure {
			if a.sure {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.spent, b.spent)
	})
	return all
}

// Try returns pages to try at the end of a crawl, given the number of its requests, when
// nothing else is left. look returns a page by its id. more, if not nil, calls each with
// the refused pages that are not held, and their bars. Nothing changes until Tried is
// called with the pages.
func (g *Guard) Try(requests uint64, look func(graph.Page) (Page, bool), more func(each func(p *Page, bar event.Bar))) []graph.Page {
	most, spent := trialFloor+requests/trialShare, g.trials.spent()
	left, lists := most-min(most, spent), g.held.order
	if more != nil {
		lists = append(slices.Clone(lists), g.unheld(more)...)
	}
	return g.try(left, lists, look)
}

// unheld returns lists of the refused pages that are not held, if none are held for the same
// reason.
func (g *Guard) unheld(more func(each func(p *Page, bar event.Bar))) (lists []*heldList) {
	extra := newHeld()
	more(func(p *Page, bar event.Bar) {
		if key := g.keyOf(p, bar); g.held.lists[key] == nil {
			extra.add(key, p.ID, bar)
		}
	})
	return extra.order
}

// try returns the next step of each list, as far as the requests that are left allow it.
func (g *Guard) try(left uint64, lists []*heldList, look func(graph.Page) (Page, bool)) (pages []graph.Page) {
	for _, c := range g.candidates(lists) {
		cost := trialCost(c.list.bar)
		if !c.sure && left < cost {
			continue
		}
		step := g.stepOf(c, look)
		if pages = append(pages, step...); !c.sure && len(step) > 0 {
			left -= cost
		}
	}
	return pages
}

// stepOf returns the last pages of a list. For places that grow it returns the deepest ones,
// which are the nearest to an end, if there is one.
func (g *Guard) stepOf(c candidate, look func(graph.Page) (Page, bool)) (step []graph.Page) {
	type found struct {
		id    graph.Page
		depth int
	}
	bar, all := c.list.bar, []found(nil)
	sites := map[graph.Site]bool{}
	for _, id := range slices.Backward(c.list.pages) {
		if id == graph.NoPage {
			continue
		}
		p, ok := look(id)
		if !ok {
			continue // it is no longer refused
		}
		if (bar == event.BarHosts || bar == event.BarFarm) && sites[p.Site] {
			continue // one page of a site is enough
		}
		sites[p.Site] = true
		f := found{id: id}
		if grows(bar) {
			_, f.depth = place(p.Rest)
		}
		if all = append(all, f); !grows(bar) && len(all) == c.step {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.depth, a.depth) })
	for _, f := range all[:min(c.step, len(all))] {
		step = append(step, f.id)
	}
	return step
}

// Tried notes that pages which Try returned are no longer refused. look returns a page by its
// id, barOf why it was refused.
func (g *Guard) Tried(pages []graph.Page, look func(graph.Page) (Page, bool), barOf func(graph.Page) event.Bar) {
	type step struct {
		bar   event.Bar
		pages []graph.Page
		site  graph.Site // of the last of them
		more  bool       // some were not held
	}
	steps, order := map[uint64]*step{}, []uint64(nil)
	for _, id := range pages {
		p, ok := look(id)
		if !ok {
			continue
		}
		bar, key := barOf(id), uint64(0)
		r, was := g.held.remove(id)
		if was {
			bar, key = r.bar, r.list.key
		} else {
			key = g.keyOf(&p, bar)
		}
		if steps[key] == nil {
			steps[key] = &step{bar: bar}
			order = append(order, key)
		}
		steps[key].more = steps[key].more || !was
		steps[key].pages, steps[key].site = append(steps[key].pages, id), p.Site
		g.free(&p, bar)
	}
	for _, key := range order {
		s, left := steps[key], 0
		if l := g.held.lists[key]; l != nil {
			left = l.live + l.over
		}
		if s.more {
			left = math.MaxUint32 // they were not counted
		}
		g.trials.begin(key, s.bar, s.pages, uint32(left), uint32(g.good.At(int(s.site))))
	}
}
