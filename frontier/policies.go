package frontier

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// policies holds the policy of the pages and, if there is another, that of the sites. It
// calls them for what happens. The lists hold those that implement an optional interface.
type policies struct {
	all        []policy.Policy
	seeders    []policy.Seeder
	takers     []taker
	workers    []policy.Worker
	droppers   []policy.Dropper
	admitters  []policy.Admitter
	revisiters []policy.Revisiter
	loaders    []policy.Loader
	samplers   []policy.Sampler
	valuers    []policy.Valuer
	allLinks   bool // the links of all fetched pages are kept
}

// taker is a policy that is notified of hand-outs.
type taker struct {
	policy.Taker
	sites bool // it orders the sites
}

func (x *policies) add(p policy.Policy) {
	x.all = append(x.all, p)
	x.seeders = appendIf(x.seeders, p)
	if t, ok := p.(policy.Taker); ok {
		x.takers = append(x.takers, taker{t, len(x.all) > 1})
	}
	x.workers = appendIf(x.workers, p)
	x.droppers = appendIf(x.droppers, p)
	x.admitters = appendIf(x.admitters, p)
	x.revisiters = appendIf(x.revisiters, p)
	x.loaders = appendIf(x.loaders, p)
	x.samplers = appendIf(x.samplers, p)
	x.valuers = appendIf(x.valuers, p)
}

// appendIf appends p to the list if it implements T.
func appendIf[T any](list []T, p policy.Policy) []T {
	if t, ok := p.(T); ok {
		list = append(list, t)
	}
	return list
}

// valuer returns the first one that knows scores of pages, nil if none does.
func (x *policies) valuer() policy.Valuer {
	for _, v := range x.valuers {
		if v.Scores() {
			return v
		}
	}
	return nil
}

// taken reports that p was handed out, with the boards that chose the page and its site. Each
// policy hears of its own.
func (x *policies) taken(now time.Duration, p graph.Page, page, site int) {
	for _, t := range x.takers {
		if t.sites {
			t.Taken(now, p, site)
		} else {
			t.Taken(now, p, page)
		}
	}
}

// keepsLinks reports whether a policy wants the links of p to be kept.
func (x *policies) keepsLinks(p graph.Page) bool {
	for _, s := range x.samplers {
		if s.KeepsLinks(p) {
			return true
		}
	}
	return x.allLinks
}

// sample returns of how many fetched pages the links of one are kept for a policy that needs
// no more.
func (x *policies) sample() int {
	n := 1
	for _, s := range x.samplers {
		n = max(n, s.Sample())
	}
	return n
}

// dropped reports that p will not be handed out.
func (x *policies) dropped(p graph.Page) {
	for _, d := range x.droppers {
		d.Dropped(p)
	}
}

// admitted reports that p, which was dropped or fetched, waits again.
func (x *policies) admitted(p graph.Page) {
	for _, a := range x.admitters {
		a.Admitted(p)
	}
}

// done reports the end of an attempt. If p was fetched before, it calls only policies that
// implement Revisiter.
func (x *policies) done(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page, first bool) {
	if !first {
		for _, q := range x.revisiters {
			q.Revisited(now, p, o, links)
		}
		return
	}
	for _, q := range x.all {
		q.Done(now, p, o, links)
	}
}

// work lets the policies do a part of their work.
func (x *policies) work(links int) {
	for _, w := range x.workers {
		w.Work(links)
	}
}

// finish lets the policies complete their work.
func (x *policies) finish() {
	for _, w := range x.workers {
		for w.Work(math.MaxInt) {
		}
	}
}
