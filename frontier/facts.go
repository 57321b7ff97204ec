package frontier

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// SiteDiscounted reports whether DiscountSite was called for s.
func (f *Frontier) SiteDiscounted(s graph.Site) bool { return bit(f.orders.mirrors, uint32(s)) }

// Discounted reports whether p goes later than its value says.
func (f *Frontier) Discounted(p graph.Page) bool { return f.orders.discounted(p) }

// Differs returns the number of decisions on replay, since New or Load, that the present
// code would not have made. A replay that begins at a snapshot does not know which sites
// were held there.
func (f *Frontier) Differs() int { return f.tasks.differs }

// Pages returns the number of known pages, which is the id of the next one.
func (f *Frontier) Pages() int { return f.pages.len() }

// Sites returns the number of known sites, which is the id of the next one.
func (f *Frontier) Sites() int { return f.sites.len() }

// Site returns the site of a page.
func (f *Frontier) Site(p graph.Page) graph.Site { return f.orders.site(p) }

// From returns the page that linked to p first, or NoPage for a seed.
func (f *Frontier) From(p graph.Page) graph.Page { return f.pages.from.At(int(p)) }

// Depth returns the number of links from a seed to p: along From, or with Options.Depths
// on the shortest known path. It is MaxDepth at most.
func (f *Frontier) Depth(p graph.Page) int { return int(f.pages.depth.At(int(p))) }

// Value returns the value of p on a board, without its discount.
func (f *Frontier) Value(p graph.Page, board int) float64 { return f.orders.value(p, board) }

// Out returns the links of a fetched page, or nil if they are not kept.
func (f *Frontier) Out(p graph.Page) []graph.Page { return f.pages.links.of(p) }

// State returns the state of a known page.
func (f *Frontier) State(p graph.Page) State { return f.pages.stateOf(p) }

// Bar returns why a page was refused, or NoBar if it was not.
func (f *Frontier) Bar(p graph.Page) event.Bar { return f.pages.bar(p) }

// FailedBy returns how the last attempt at a failed page ended, or OK if it did not fail.
func (f *Frontier) FailedBy(p graph.Page) event.Class {
	return event.Class(f.pages.detail(p, Failed))
}

// Census returns the number of pages by state, of refused pages by bar, and of failed
// pages by class.
func (f *Frontier) Census() (states [1 << stateBits]int64, bars, failed [event.MaxBar + 1]int64) {
	for b, k := range f.pages.census {
		state := State(b & stateMask)
		states[state] += k
		switch state {
		case RefusedPage:
			bars[b>>stateBits] += k
		case Failed:
			failed[b>>stateBits] += k
		}
	}
	return states, bars, failed
}

// SitePages returns the number of known pages of a site, of all states.
func (f *Frontier) SitePages(s graph.Site) int { return int(f.sites.clocks.pages.At(int(s))) }

// Instant returns the instant before which a site is not requested again.
func (f *Frontier) Instant(s graph.Site) time.Duration { return f.sites.clocks.instant(s) }

// Between returns roughly the present time between two requests to s, at most a day.
func (f *Frontier) Between(s graph.Site) time.Duration { return f.sites.clocks.between(s) }

// Failures returns how many times in a row a site gave no answer or a server error.
func (f *Frontier) Failures(s graph.Site) int { return f.sites.clocks.failures(s) }

// Wanting reports whether a site has something to hand out, now or later.
func (f *Frontier) Wanting(s graph.Site) bool { return f.sites.wanting(s) }

// Closed reports whether a site is not requested any more, because its address or its
// robots.txt is unavailable. If a robots.txt moved to a closed site, the driver should
// report a failure and not a hop, which would make the site try again for ever.
func (f *Frontier) Closed(s graph.Site) bool { return f.sites.in(s, closed) }

// CanProbe reports whether the event Probed would let the robots.txt of s be requested.
func (f *Frontier) CanProbe(s graph.Site) bool { return f.sites.canProbe(s) }

// Hopeful reports whether something is left to do at a site that answers. Otherwise all
// that waits is at sites whose last answers failed. It visits all sites.
func (f *Frontier) Hopeful() bool {
	for i := range f.Sites() {
		if s := graph.Site(i); f.Failures(s) == 0 && f.Wanting(s) && !f.sites.exchange.foreign(s) {
			return true
		}
	}
	return slices.ContainsFunc(f.pages.due, func(d instant) bool { return f.Failures(f.Site(graph.Page(d.id))) == 0 })
}

// Hops calls each for every robots.txt that is to be fetched at another site, in the order
// in which they moved.
func (f *Frontier) Hops(each func(of, at graph.Site)) {
	for _, v := range f.sites.hops.list() {
		each(graph.Site(v>>32), graph.Site(uint32(v)))
	}
}

// Addresses returns what is known of the IP addresses of sites.
func (f *Frontier) Addresses() *Addresses { return &f.sites.addresses }

// AddressHolds returns the instant at which the address of a site expires, or 0 if it
// has none or does not expire.
func (f *Frontier) AddressHolds(s graph.Site) time.Duration {
	return time.Duration(f.sites.addressExpiry.At(int(s)))
}

// Sample returns of how many fetched pages the policy of a large crawl looks at the links of
// one; 1 means at all links.
func (f *Frontier) Sample() int { return f.policies.sample() }

// Counts holds the numbers of pages, tasks and sites that wait for something.
type Counts struct {
	Queued int // pages in the queues, of the batch or not
	Due    int // pages that wait for an instant of their own
	Flying int // tasks handed out and not done
	Polite int // sites with something to hand out that wait for their instant
	Parked int // sites with something to hand out that wait for their address
	Pool   int // pages that wait for the next batch

	Held     int // sites with something to hand out that wait for Settle
	Blocked  int // sites with something to hand out whose twin is acquired
	Hops     int // sites whose robots.txt moved and is to be fetched elsewhere
	Files    int // sitemap files to be fetched
	Slow     int // sites that are requested rarely because they are slow
	Revisits int // fetched pages that are to be fetched again

	Requisites int // that wait or are under way, if they may be requested
}

// Counts returns the present numbers.
func (f *Frontier) Counts() Counts {
	p, s := f.pages, f.sites
	requisites := s.requisites.total
	if !f.o.Requisites {
		requisites = 0
	}
	return Counts{
		Queued: p.queued, Due: len(p.due) + p.yielding.pages, Flying: f.tasks.flying,
		Polite: s.wants[waiting], Parked: f.orders.offered[0].ShutOut(), Pool: f.tasks.batches.pooled(),
		Held: s.wants[held], Blocked: s.wants[blocked], Hops: len(s.hops.target), Files: s.filesLeft,
		Slow: s.clocks.slowSites, Revisits: p.revisits, Requisites: requisites,
	}
}

// Waiting calls each for the sites that Counts has as Polite, with what decides how long they
// wait: see DelayBy.
func (f *Frontier) Waiting(each func(s graph.Site, by string)) {
	x := f.sites
	for i, at := range x.place.Slice() {
		if s := graph.Site(i); at == waiting && x.wanting(s) {
			each(s, f.DelayBy(s))
		}
	}
}

// WantingSites returns the number of sites that have something to hand out, wherever they are.
func (f *Frontier) WantingSites() (n int) {
	for _, k := range f.sites.wants {
		n += k
	}
	return n
}

// DelayBy names what decides the time between two requests to a site: "retry-after" (the
// server demanded it), "failures" (in a row), "delay" (of the options), "crawl-delay" (of its
// robots.txt), "too-often" (learned from answers that said so) or "slow" (answers).
func (f *Frontier) DelayBy(s graph.Site) string {
	c := &f.sites.clocks
	if c.fails.At(int(s))&asksTime != 0 {
		return "retry-after"
	}
	switch c.between(s) {
	case c.baseDelay(s):
		return "delay"
	case c.robotsDelay(s):
		return "crawl-delay"
	case c.paces[s].Delay:
		return "too-often"
	case c.slowDelay(s):
		return "slow"
	}
	return "failures"
}
