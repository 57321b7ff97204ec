package frontier

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Apply changes the state by an event at now, which never goes back. Everything whose
// instant has come continues first. So the state depends on the events alone, not on how
// often Next was called in between.
func (f *Frontier) Apply(now time.Duration, e *event.Event) {
	f.sites.now = now
	f.pages.wake(now)
	switch e.Kind {
	case event.Took:
		f.tasks.took(now, e.Task)
	case event.Refused:
		f.tasks.refusal(now, e.Page, e.Bar)
	case event.Polled:
		f.tasks.nothing(now)
	default:
		f.tasks.floor.note(e)
		applier{f}.apply(now, e)
		if f.o.Slice > 0 && works(e.Kind) {
			f.policies.work(f.o.Slice)
		}
	}
}

// works reports whether policies work after an event of a kind. A crawl that is interrupted
// has more events of other kinds, which must not change its order.
func works(k event.Kind) bool { return k.Reads() || k == event.Seed }

// An applier changes a frontier by events that are no decisions of it.
type applier struct{ *Frontier }

// apply applies an event that is no decision of Next or More.
func (f applier) apply(now time.Duration, e *event.Event) {
	switch e.Kind {
	case event.Seed:
		f.seed(e)
	case event.Resolved:
		f.resolved(now, e)
	case event.Ruled:
		f.ruled(now, e)
	case event.Done:
		f.done(now, e)
	case event.Session:
		f.session(now)
	case event.Listed:
		f.listed(now, e)
	case event.Admitted:
		f.pages.admit(e.Admit, MaxDepth)
	case event.Revisit:
		f.pages.callBack(e.Admit)
		if e.Urgent {
			f.tasks.batches.hasten(e.Admit)
			f.orders.hasten(e.Admit)
		}
	case event.Retried:
		f.pages.retry(e.Admit)
	case event.Probed:
		f.sites.probe(e.Site)
	case event.Withdrawn:
		f.sites.withdrawTasks(now, e)
	case event.Named:
		f.pages.know(e, graph.NoPage)
		f.sites.nameFiles(e)
	case event.Needed:
		f.sites.need(now, e)
	case event.Brought:
		f.brought(now, e)
	case event.Unneeded:
		f.sites.addRequisites(e.Site, -int(e.Files))
	case event.Judged:
		f.judged(now, e)
	case event.Rendered:
		f.rendered(now, e)
	case event.Sent:
		f.sent(e)
	case event.Linked:
		f.linked(now, e)
	case event.Asked:
		f.sites.asked(now, e)
	case event.Denied, event.Scored, event.Dropped, event.Moved, event.Wanted, event.Granted: // concern the driver only
	}
}

func (f applier) seed(e *event.Event) {
	first := graph.Page(f.Pages())
	f.pages.know(e, graph.NoPage)
	for _, s := range f.policies.seeders {
		s.Seeded(first, graph.Page(f.Pages()))
	}
}

// resolved ends a Resolve task.
func (f applier) resolved(now time.Duration, e *event.Event) {
	f.tasks.flying--
	s := e.Site
	switch {
	case e.Again:
		f.sites.clocks.notBefore(s, e.Due)
		if e.Class.Failed() {
			f.sites.clocks.countFailure(s, e)
		}
	case e.Class.Failed():
		f.pages.close(now, s, Failed, uint8(event.DNSError))
	default:
		f.sites.resolve(now, s, e)
	}
	f.sites.endAcquisition(now, s)
}

// ruled ends a Robots task: Site was requested, and For gets the result. If Site is one of another
// partition, that one has requested it.
func (f applier) ruled(now time.Duration, e *event.Event) {
	told := f.sites.exchange.foreign(e.Site)
	if !told {
		f.tasks.flying--
		f.sites.unsettle(e.Site)
	}
	if e.For != e.Site && !e.Hop {
		f.sites.unsettle(e.For) // its rules must be on disk before it is requested
	}
	f.sites.endHop(e.For)
	if !e.Again && !e.Hop && !e.Class.Failed() && !f.sites.in(e.For, closed) { // otherwise old rules stay, and stay expired
		f.sites.clocks.crawlDelay.Set(int(e.For), int64(e.Delay))
		f.sites.robotsExpiry.Set(int(e.For), int64(e.Expiry))
	}
	if !told {
		f.sites.postpone(now, e.Site, e)
	}
	if e.Hop {
		f.sites.move(now, e.For, e.To)
	} else {
		f.rule(now, e)
	}
	if !told {
		f.sites.release(now, e.Site, e.End)
	}
}

// rule records the rules that were fetched for a site, or makes it try again. Without rules
// and another try, nothing of the site may be fetched.
func (f applier) rule(now time.Duration, e *event.Event) {
	switch {
	case f.sites.in(e.For, closed): // while it waited for this
	case e.Again:
		f.sites.retryRobots(e.For, e.Due)
	case e.Class.Failed():
		f.pages.close(now, e.For, RefusedPage, uint8(event.BarRobots))
	default:
		f.sites.rule(e)
	}
	f.sites.reoffer(now, e.For)
}

// listed ends a Sitemap task.
func (f applier) listed(now time.Duration, e *event.Event) {
	f.tasks.flying--
	f.sites.unsettle(e.Site)
	if !e.Again {
		f.sites.addFiles(e.Site, int(e.Files)-1)
	}
	f.policies.heard(e.Hints)
	f.pages.know(e, graph.NoPage)
	f.sites.postpone(now, e.Site, e)
	f.pages.follow(e.Site)
	f.sites.release(now, e.Site, e.End)
}

// done ends an attempt at a page.
func (f applier) done(now time.Duration, e *event.Event) {
	p, s := e.Page, f.Site(e.Page)
	first := f.State(p) == Acquired
	if !first && f.State(p) != Reacquired {
		panic(fmt.Sprintf("frontier: page %d is done, but it is %v", p, f.State(p)))
	}
	f.tasks.flying--
	f.sites.unsettle(s)
	if !e.Later {
		f.read(e, first)
	}
	f.pages.end(now, p, s, e)
	if !e.Later {
		f.policies.done(now, p, &f.outcome, e.Links, first)
		f.pages.noteLinks(e, first)
	}
	f.sites.postpone(now, s, e)
	f.pages.follow(s)
	if !f.sites.keep(now, s, e) {
		f.sites.release(now, s, e.End)
	}
}

// read makes known what a page contains.
func (f *Frontier) read(e *event.Event, first bool) {
	f.outcome = event.Outcome{Class: e.Class, Again: e.Again, Took: e.End - e.Start, Bytes: e.Bytes, First: graph.Page(f.Pages()), Anchors: e.Anchors, Dull: e.Near}
	f.topical.read(e, &f.outcome, first)
	if e.Near {
		f.orders.discountNew(f.Pages(), len(e.New))
	} else {
		f.orders.liftNear(e.Links)
	}
	f.pages.know(e, e.Page)
	if first && f.policies.keepsLinks(e.Page) {
		f.pages.links.add(e.Page, e.Links)
	}
	f.pages.reach(e.Page, e.Links)
}

// rendered makes known what a browser shows of a page that was fetched before: to the policies the
// page is fetched now.
func (f applier) rendered(now time.Duration, e *event.Event) {
	if e.Again {
		return
	}
	f.read(e, e.Fresh)
	f.outcome.Again = false
	f.policies.done(now, e.Page, &f.outcome, e.Links, e.Fresh)
	f.pages.noteLinks(e, e.Fresh)
}

// judged makes known what a page that was fetched before has to do with the topic.
func (f applier) judged(now time.Duration, e *event.Event) {
	if f.topical == nil {
		return
	}
	f.outcome = event.Outcome{First: graph.Page(f.Pages()), Late: true}
	f.topical.read(e, &f.outcome, true)
	f.policies.done(now, e.Page, &f.outcome, e.Links, false)
}

// session cancels what was under way: acquired pages wait again, and no site is requested
// before its full delay has passed.
func (f applier) session(now time.Duration) {
	f.tasks.flying, f.tasks.refusals, f.sites.requisites.flying = 0, 0, 0
	f.orders.calmAll()
	f.pages.restart(now)
	f.sites.restart(now)
	f.tasks.floor.restart(now)
}

// Skip makes pages known whose record is lost, so that later pages keep their numbers.
// They are in state Lost, count as pages of site 0, which becomes known if it is not, and
// are never handed out.
func (f *Frontier) Skip(pages int) {
	for range pages {
		f.pages.add(0, graph.NoPage, 0, event.BarLost)
		f.pages.setState(graph.Page(f.Pages()-1), Lost)
	}
}

// SkipSites makes sites known whose record is lost. They have no name and are closed.
func (f *Frontier) SkipSites(sites int) {
	for range sites {
		f.sites.add()
		f.sites.setStage(graph.Site(f.Sites()-1), closed)
	}
}
