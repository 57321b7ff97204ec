package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// place is where a site stands.
type place uint8

const (
	ready    place = iota // offered; it may have no pages, or its address may be busy
	waiting               // until its instant
	acquired              // by a fetcher
	kept                  // by a fetcher that is to call More
	blocked               // until its twin is not acquired any more
	held                  // until its last work is settled
	places
)

// stage is what a site needs before its next page.
type stage uint8

const (
	unresolved stage = iota // its address
	unruled                 // its robots.txt
	open                    // nothing
	closed                  // it is not asked until a page of it is tried again
	moved                   // its robots.txt, which is asked for elsewhere: see hops
)

// sites is the state of the sites. All columns are by site.
type sites struct {
	place    *graph.Column[place]
	stage    *graph.Column[stage]
	pages    *graph.Column[uint32]     // known pages
	next     *graph.Column[int64]      // instant before which it is not asked
	served   *graph.Column[uint16]     // works done in this acquisition
	fails    *graph.Column[uint8]      // failures in a row
	delay    narrow                    // Crawl-delay, in milliseconds, as robots.txt has it
	sitemaps *graph.Column[uint16]     // see files
	names    narrow                    // instant at which its address expires, in seconds; 0 never
	median   narrow                    // of the times that its pages took, in microseconds; see nearer
	slow     *graph.Column[uint8]      // slow answers in a row
	rules    narrow                    // instant at which its robots.txt expires, in seconds; 0 never
	twin     *graph.Column[graph.Site] // see twinOf; empty without Options.Twin

	waits     instants           // waiting sites
	wants     [places]int        // sites at each place that have something to hand out
	slowSites int                // sites that are asked rarely
	filesLeft int                // sitemap files of all sites
	unsettled map[graph.Site]int // works that ended and are to be settled: see Settle
	paces     map[graph.Site]pace
	times     p95
	addresses
	hops
}

func newSites(set *graph.Set, o *Options) sites {
	n := o.MaxSites
	return sites{
		place:     graph.NewColumnIn[place](set, "site place", n),
		stage:     graph.NewColumnIn[stage](set, "site stage", n),
		pages:     graph.NewColumnIn[uint32](set, "site pages", n),
		next:      graph.NewColumnIn[int64](set, "site next", n),
		served:    graph.NewColumnIn[uint16](set, "site served", n),
		fails:     graph.NewColumnIn[uint8](set, "site failures", n),
		delay:     newNarrow(set, "site crawl-delay", n, time.Millisecond),
		rules:     newNarrow(set, "site robots expiry", n, time.Second),
		sitemaps:  graph.NewColumnIn[uint16](set, "site sitemaps", n),
		names:     newNarrow(set, "site address expiry", n, time.Second),
		median:    newNarrow(set, "site median", n, time.Microsecond),
		slow:      graph.NewColumnIn[uint8](set, "site slow", n),
		twin:      graph.NewColumnIn[graph.Site](set, "site twin", n),
		unsettled: map[graph.Site]int{},
		paces:     map[graph.Site]pace{},
		addresses: newAddresses(set, o),
		hops:      newHops(),
	}
}

// addSite makes the next site known: it is ready.
func (f *Frontier) addSite() {
	s := graph.Site(f.Sites())
	first := f.afterResolve()
	if f.o.Resolve {
		first = unresolved
	}
	f.place.Append(ready)
	f.stage.Append(first)
	f.sites.pages.Append(0)
	f.next.Append(0)
	f.served.Append(0)
	f.fails.Append(0)
	f.delay.Append(0)
	f.rules.Append(0)
	f.sitemaps.Append(0)
	f.names.Append(0)
	f.median.Append(0)
	f.slow.Append(0)
	f.of.Append(0)
	f.pair(s)
	for _, b := range f.boards {
		b.active.Site(s)
		if b.pool != nil {
			b.pool.Site(s)
			b.pool.Offer(s)
		}
	}
	f.await(f.now, s)
}

// afterResolve is the stage of a site whose address is known.
func (f *Frontier) afterResolve() stage {
	if f.o.Robots {
		return unruled
	}
	return open
}

// offer makes s ready. Its pages are not offered while its robots.txt is elsewhere, but
// those of other sites that moved to it can be asked for.
func (f *Frontier) offer(s graph.Site) {
	f.setPlace(s, ready)
	f.offerHops(s)
	if f.stage.At(int(s)) == moved {
		return
	}
	for _, q := range f.asked {
		q.Offer(s)
	}
}

func (f *Frontier) withdraw(s graph.Site, to place) {
	f.setPlace(s, to)
	for _, q := range f.asked {
		q.Withdraw(s)
	}
}

// setPlace moves s, and the count of it if it wants to be asked.
func (f *Frontier) setPlace(s graph.Site, to place) {
	if f.wanting(s) {
		f.wants[f.place.At(int(s))]--
		f.wants[to]++
	}
	f.place.Set(int(s), to)
}

// wanting reports whether s has anything to hand out: pages of its own, or the robots.txt
// of others.
func (f *Frontier) wanting(s graph.Site) bool {
	return f.boards[0].active.Len(s) > 0 && f.stage.At(int(s)) != moved || f.hopsAt(s) > 0
}

// recount brings the count of s up to date after a change of its stage or its hops; was
// is what wanting told before.
func (f *Frontier) recount(s graph.Site, was bool) {
	switch is := f.wanting(s); {
	case is && !was:
		f.wants[f.place.At(int(s))]++
	case was && !is:
		f.wants[f.place.At(int(s))]--
	}
}

// setStage changes what s needs.
func (f *Frontier) setStage(s graph.Site, to stage) {
	was := f.wanting(s)
	f.stage.Set(int(s), to)
	f.recount(s, was)
}

// release gives a site back: it waits until its instant, or is ready.
func (f *Frontier) release(now time.Duration, s graph.Site, end time.Duration) {
	f.served.Set(int(s), 0)
	f.leaveAddress(now, s, end)
	f.letGo(now, s)
}

// await lets s wait for its records to be settled, for its instant if that lies ahead,
// for its twin, and offers it otherwise.
func (f *Frontier) await(now time.Duration, s graph.Site) {
	if f.unsettled[s] > 0 {
		f.setPlace(s, held)
		return
	}
	switch at := f.placeAt(now, s); at {
	case ready:
		f.offer(s)
	case waiting:
		f.waits.push(time.Duration(f.next.At(int(s))), uint32(s))
		f.setPlace(s, waiting)
	default:
		f.setPlace(s, at)
	}
}

// placeAt is where a site belongs that nobody has.
func (f *Frontier) placeAt(now time.Duration, s graph.Site) place {
	switch {
	case f.next.At(int(s)) > int64(now):
		return waiting
	case f.blocks(s):
		return blocked
	}
	return ready
}

// gained and lost keep count of sites with pages, after a page came in or went out.
func (f *Frontier) gained(s graph.Site) {
	if f.boards[0].active.Len(s) == 1 && f.stage.At(int(s)) != moved && f.hopsAt(s) == 0 {
		f.wants[f.place.At(int(s))]++
	}
}

func (f *Frontier) lost(s graph.Site) {
	if f.boards[0].active.Len(s) > 0 {
		return
	}
	if f.stage.At(int(s)) != moved && f.hopsAt(s) == 0 {
		f.wants[f.place.At(int(s))]--
	}
	f.follow(s)
}

// wake lets everything continue whose instant has come, and reports whether anything did.
func (f *Frontier) wake(now time.Duration) (any bool) {
	for f.waits.first() <= now {
		w := f.waits.pop()
		s := graph.Site(w.id)
		if f.place.At(int(s)) != waiting || f.next.At(int(s)) != int64(w.at) {
			continue // it was taken on replay before its instant
		}
		f.await(now, s)
		any = true
	}
	for f.due.first() <= now {
		if d := f.due.pop(); !f.yields(d) {
			f.comeBack(graph.Page(d.id))
			any = true
		}
	}
	f.wakeAddresses(now)
	return any
}

// resolved is the end of a Resolve work. An address that replaces an expired one leaves
// pages and rules as they are.
func (f *Frontier) resolved(now time.Duration, e *event.Event) {
	f.flying--
	s := e.Site
	switch {
	case e.Again:
		f.notBefore(s, e.Due)
		if e.Class.Failed() {
			f.countFailure(s, e)
		}
	case e.Class.Failed():
		f.close(now, s, Failed)
	default:
		f.setAddress(now, s, e.Address)
		f.names.Set(int(s), int64(e.Expiry))
		if f.stage.At(int(s)) == unresolved {
			f.setStage(s, f.afterResolve())
		}
	}
	f.letGo(now, s)
}

// ruled is the end of a Robots work: Site was asked, For learns what came of it.
func (f *Frontier) ruled(now time.Duration, e *event.Event) {
	f.flying--
	f.unsettle(e.Site)
	if e.For != e.Site && !e.Hop {
		f.unsettle(e.For) // its rules must be on disk before it is asked
	}
	f.endHop(e.For)
	rules := !e.Again && !e.Hop && !e.Class.Failed() && f.stage.At(int(e.For)) != closed
	if rules { // otherwise old ones stay, and stay expired
		f.delay.Set(int(e.For), int64(e.Delay))
		f.rules.Set(int(e.For), int64(e.Expiry))
	}
	f.postpone(now, e.Site, e)
	if e.Hop {
		f.move(now, e.For, e.To)
	} else {
		f.rule(now, e)
	}
	f.release(now, e.Site, e.End)
}

// rule gives a site the rules that came, or sends it back to its own robots.txt. When
// there are none and it is not to be tried again, nothing of the site may be asked for.
func (f *Frontier) rule(now time.Duration, e *event.Event) {
	s := e.For
	switch {
	case f.stage.At(int(s)) == closed: // while it waited for this
	case e.Again:
		f.unruledUntil(s, e.Due)
	case e.Class.Failed():
		f.close(now, s, RefusedPage)
	default:
		f.setStage(s, open)
		f.addFiles(s, int(e.Files))
		if s != e.Site { // when it was asked itself last, nobody knew of its Crawl-delay
			f.notBefore(s, later(e.End, e.Delay))
		}
	}
	f.reoffer(now, s)
}

// unruledUntil lets the robots.txt of s be asked for again at an instant. A site that has
// rules goes on with them until then; another one waits.
func (f *Frontier) unruledUntil(s graph.Site, at time.Duration) {
	stage := f.stage.At(int(s))
	switch {
	case stage == open, stage == moved && f.rules.At(int(s)) > 0:
		f.setStage(s, open)
		f.rules.Set(int(s), max(1, int64(at)))
		return
	case stage == moved:
		f.setStage(s, unruled)
	}
	f.notBefore(s, at)
}

// notBefore lets s wait at least until an instant. To be followed by reoffer unless s
// is acquired.
func (f *Frontier) notBefore(s graph.Site, at time.Duration) {
	f.next.Set(int(s), max(f.next.At(int(s)), int64(at)))
}

// reoffer brings s, unless somebody has it, to where its instant and its stage want it.
func (f *Frontier) reoffer(now time.Duration, s graph.Site) {
	at := f.place.At(int(s))
	if f.unsettled[s] > 0 && (at == ready || at == waiting) {
		f.withdraw(s, held)
		return
	}
	switch at {
	case ready:
		if f.next.At(int(s)) > int64(now) {
			f.withdraw(s, waiting)
		}
		f.await(now, s)
	case waiting:
		f.await(now, s) // its old entry in waits is passed over, unless it is as good
	}
}

// close ends a site: its waiting pages get the state given, later ones are failed.
func (f *Frontier) close(now time.Duration, s graph.Site, as State) {
	f.endHop(s)
	f.setStage(s, closed)
	f.addFiles(s, -f.files(s))
	b := f.boards[0]
	for p, ok := first(b, s); ok; p, ok = first(b, s) {
		f.drop(p, as)
	}
	f.returnHops(now, s)
}

// drop takes a page out for good. One that came before and was to be visited again stays
// fetched.
func (f *Frontier) drop(p graph.Page, as State) {
	f.leave(p)
	switch {
	case f.State(p) == Fetched:
		f.countRevisits(-1)
	case as == RefusedPage:
		f.setBar(p, event.BarRobots)
	default:
		f.setFailed(p, event.DNSError)
	}
	f.dropped(p)
}

// first is a page of s that waits in either queue of a board.
func first(b board, s graph.Site) (graph.Page, bool) {
	if p, ok := b.active.First(s); ok || b.pool == nil {
		return p, ok
	}
	return b.pool.First(s)
}

// restart puts every acquired site back, and lets each wait for its full delay from
// now on. That goes for sites that were never asked too, as far as the events tell: a
// request whose record was lost may just have been made.
func (f *Frontier) restart(now time.Duration) {
	f.waits = f.waits[:0]
	clear(f.unsettled)
	f.restartAddresses(now)
	for i, at := range f.place.Slice() {
		s := graph.Site(i)
		f.forgive(now, s)
		f.notBefore(s, later(now, max(f.size(s), f.crawlDelay(s))))
		if at != ready || f.next.At(i) > int64(now) {
			f.withdraw(s, waiting)
		}
		f.served.Set(i, 0)
		f.reviseAddress(now, s)
	}
	for i, at := range f.place.Slice() { // no twin is acquired any more
		if at == waiting {
			f.await(now, graph.Site(i))
		}
	}
}

// forgive ends the back-off of s, so that a session tries at once what failed in the one
// before, but not before the other delays have passed, nor before the server asked for.
func (f *Frontier) forgive(now time.Duration, s graph.Site) {
	fails := f.fails.At(int(s))
	if fails == 0 {
		return
	}
	f.fails.Set(int(s), 0)
	if fails&asksTime != 0 || f.o.Factor > 0 && f.o.FactorMax == 0 {
		return
	}
	wait := max(f.size(s), f.crawlDelay(s))
	if f.o.Factor > 0 {
		wait = max(wait, f.o.FactorMax)
	}
	f.next.Set(int(s), min(f.next.At(int(s)), int64(later(now, wait))))
}

// reviseAddress lets s need its address where sessions before did without and this one
// does not, as after the end of a proxy, and the other way round.
func (f *Frontier) reviseAddress(now time.Duration, s graph.Site) {
	switch at := f.stage.At(int(s)); {
	case !f.o.Resolve:
		f.names.Set(int(s), 0)
		if at == unresolved {
			f.setStage(s, f.afterResolve())
		}
	case f.of.At(int(s)) != 0 || at == closed:
	case at == unruled:
		f.setStage(s, unresolved)
	case at != unresolved:
		f.names.Set(int(s), max(1, int64(now))) // it has expired
	}
}
