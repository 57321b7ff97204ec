package journal

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// The last of the classes, kinds of task and kinds of event that are written.
const (
	lastClass = event.LastClass
	lastWork  = event.Requisite
	lastKind  = event.Granted
)

// workFor is a bit added to the kind of a task: robots.txt is requested for another site.
const workFor = 0x80

// event writes what events of the kind have.
func (w *writer) event(r *Record) {
	switch e := &r.Event; e.Kind {
	case event.Seed:
		w.fresh(r)
	case event.Took:
		w.took(e)
	case event.Refused:
		w.uint(uint64(e.Page))
		w.byte(byte(e.Bar))
	case event.Polled, event.Session, event.Admitted, event.Revisit, event.Retried, event.Denied, event.Scored, event.Dropped, event.Moved:
	case event.Probed:
		w.uint(uint64(e.Site))
	case event.Withdrawn:
		w.withdrawn(e)
	case event.Named:
		w.uint(uint64(e.Site))
		w.uint(uint64(e.Files))
		w.fresh(r)
	case event.Resolved:
		w.uint(uint64(e.Site))
		w.outcome(r)
		w.uint(uint64(e.Address))
	case event.Ruled:
		w.uint(uint64(e.Site))
		w.outcome(r)
		w.int(int64(e.Delay))
		w.int(int64(e.Expiry))
	case event.Listed:
		w.uint(uint64(e.Site))
		w.outcome(r)
		w.fresh(r)
	case event.Done:
		w.uint(uint64(e.Page))
		w.outcome(r)
		w.fresh(r)
		w.links(e)
	case event.Needed:
		w.uint(uint64(e.Page))
		w.sites(e.Needs, e.First)
	case event.Brought:
		w.uint(uint64(e.Site))
		w.uint(uint64(e.Page))
		w.outcome(r)
	case event.Unneeded:
		w.uint(uint64(e.Site))
		w.uint(uint64(e.Files))
		w.byte(byte(e.Bar))
	case event.Judged:
		w.uint(uint64(e.Page))
		w.links(e)
	case event.Rendered:
		w.rendered(r)
	case event.Sent:
		w.sent(e)
	case event.Linked:
		w.linked(r)
	case event.Asked:
		w.sites(e.Needs, 0)
		w.byte(byte(e.Bar))
	case event.Wanted:
		w.wanted(e)
	case event.Granted:
		w.uint(uint64(e.Part))
		w.int(e.Pages)
	default:
		panic(fmt.Sprintf("journal: event of kind %d", uint8(e.Kind)))
	}
}

// event reads what events of the kind have.
func (d *reader) event(r *Record) {
	switch e := &r.Event; e.Kind {
	case event.Seed:
		d.fresh(r)
	case event.Took:
		d.took(e)
	case event.Refused:
		e.Page = graph.Page(d.id())
		e.Bar = event.Bar(d.atMost(uint8(event.MaxBar), "bar"))
	case event.Polled, event.Session, event.Admitted, event.Revisit, event.Retried, event.Denied, event.Scored, event.Dropped, event.Moved:
	case event.Probed:
		e.Site = graph.Site(d.id())
	case event.Withdrawn:
		d.withdrawn(e)
	case event.Named:
		e.Site, e.Files = graph.Site(d.id()), d.uint32()
		d.fresh(r)
	case event.Resolved:
		e.Site = graph.Site(d.id())
		d.outcome(r)
		e.Address = d.id()
	case event.Ruled:
		e.Site = graph.Site(d.id())
		d.outcome(r)
		e.Delay, e.Expiry = time.Duration(d.int()), time.Duration(d.int())
	case event.Listed:
		e.Site = graph.Site(d.id())
		d.outcome(r)
		d.fresh(r)
	case event.Done:
		e.Page = graph.Page(d.id())
		d.outcome(r)
		d.fresh(r)
		d.links(e)
	case event.Needed:
		e.Page = graph.Page(d.uint32())
		e.Needs, e.First = d.sites(e.Needs)
	case event.Brought:
		e.Site, e.Page = graph.Site(d.id()), graph.Page(d.id())
		d.outcome(r)
	case event.Unneeded:
		e.Site, e.Files = graph.Site(d.id()), d.uint32()
		e.Bar = event.Bar(d.atMost(uint8(event.MaxBar), "bar"))
	case event.Judged:
		e.Page = graph.Page(d.id())
		d.links(e)
	case event.Rendered:
		d.rendered(r)
	case event.Sent:
		d.sent(e)
	case event.Linked:
		d.linked(r)
	case event.Asked:
		d.asked(e)
	case event.Wanted:
		d.wanted(e)
	case event.Granted:
		e.Part, e.Pages = d.uint16(), d.int()
	default:
		d.fail(fmt.Errorf("event of kind %d", uint8(e.Kind)))
	}
}

// Bits of how a page was rendered.
const (
	renderedAgain = 1 << iota
	renderedFresh
)

func (w *writer) rendered(r *Record) {
	e, f := &r.Event, byte(0)
	if e.Again {
		f |= renderedAgain
	}
	if e.Fresh {
		f |= renderedFresh
	}
	w.uint(uint64(e.Page))
	w.byte(byte(e.Class))
	w.byte(f)
	w.fresh(r)
	w.links(e)
}

func (d *reader) rendered(r *Record) {
	e := &r.Event
	e.Page = graph.Page(d.id())
	e.Class = event.Class(d.atMost(uint8(lastClass), "class"))
	f := d.atMost(renderedAgain|renderedFresh, "flags")
	e.Again, e.Fresh = f&renderedAgain != 0, f&renderedFresh != 0
	d.fresh(r)
	d.links(e)
}

// hasPage reports whether tasks of a kind name a page or the number of a requisite.
func hasPage(k event.TaskKind) bool { return k == event.Fetch || k == event.Requisite }

func (w *writer) took(e *event.Event) {
	work := byte(e.Task.Kind)
	if e.Task.Kind == event.Robots && e.For != e.Site {
		work |= workFor
	}
	w.byte(work)
	w.uint(uint64(e.Site))
	w.byte(e.Board)
	if hasPage(e.Task.Kind) {
		w.uint(uint64(e.Page))
	}
	if work&workFor != 0 {
		w.uint(uint64(e.For))
	}
}

func (d *reader) took(e *event.Event) {
	work := d.byte()
	if e.Task.Kind = event.TaskKind(work &^ workFor); e.Task.Kind > lastWork || work&workFor != 0 && e.Task.Kind != event.Robots {
		d.fail(fmt.Errorf("kind of task %d", work))
	}
	e.Site = graph.Site(d.id())
	e.Board = d.byte()
	switch {
	case hasPage(e.Task.Kind):
		e.Page = graph.Page(d.id())
	case work&workFor != 0:
		e.For = graph.Site(d.id())
		d.differ(e.For != e.Site)
	case e.Task.Kind == event.Robots:
		e.For = e.Site
	}
}

// withdrawn writes twice the number of files, and one more for a hop.
func (w *writer) withdrawn(e *event.Event) {
	n := 2 * uint64(e.Files)
	if e.Hop {
		n++
	}
	w.uint(uint64(e.Site))
	w.uint(n)
}

func (d *reader) withdrawn(e *event.Event) {
	e.Site = graph.Site(d.id())
	n := d.uint()
	if n > 2*math.MaxUint32+1 {
		d.fail(fmt.Errorf("%d sitemap files", n/2))
	}
	e.Files, e.Hop = uint32(n/2), n%2 == 1
}

// differ fails unless a number that was written differs from its default: a record has one
// encoding.
func (d *reader) differ(ok bool) {
	if !ok {
		d.fail(errors.New("a number that needs not be written"))
	}
}

// fresh writes the pages that became known: their number, the id of the first, and the
// site of each as the difference to the one before.
func (w *writer) fresh(r *Record) { w.sites(r.Event.New, r.First) }

func (d *reader) fresh(r *Record) { r.Event.New, r.First = d.sites(r.Event.New) }

func (w *writer) sites(list []graph.Site, first graph.Page) {
	w.uint(uint64(len(list)))
	if len(list) == 0 {
		return
	}
	w.uint(uint64(first))
	before := int64(0)
	for _, s := range list {
		w.int(int64(s) - before)
		before = int64(s)
	}
}

func (d *reader) sites(list []graph.Site) (all []graph.Site, first graph.Page) {
	n := d.count()
	if n == 0 {
		return list, 0
	}
	first = graph.Page(d.id())
	before := int64(0)
	for range n {
		before = d.near(before)
		list = append(list, graph.Site(before))
	}
	return list, first
}

// links writes the links: their number, and each as the difference to the one before,
// the first to the page itself. Their order counts, so they are not sorted.
func (w *writer) links(e *event.Event) { w.pages(e.Links, e.Page) }

func (d *reader) links(e *event.Event) { e.Links = d.pages(e.Links, e.Page) }

func (w *writer) pages(list []graph.Page, from graph.Page) {
	w.uint(uint64(len(list)))
	before := int64(from)
	for _, p := range list {
		w.int(int64(p) - before)
		before = int64(p)
	}
}

func (d *reader) pages(list []graph.Page, from graph.Page) []graph.Page {
	before := int64(from)
	for range d.count() {
		before = d.near(before)
		list = append(list, graph.Page(before))
	}
	return list
}

// Bits of the flags of an outcome. Numbers that few outcomes have are written only if a
// flag announces them.
const (
	flagAgain  = 1 << iota
	flagKeep   // Done
	flagRetry  // Ruled, Listed, Done
	flagDue    // Done, without Again: the page is to be visited again
	flagFor    // Ruled: for another site
	flagHop    // Ruled
	flagFiles  // Ruled, Listed
	flagExpiry // Resolved
)

// flagsOf returns the flags that an outcome of the kind may have.
func flagsOf(kind event.Kind) byte {
	switch kind {
	case event.Resolved:
		return flagAgain | flagExpiry
	case event.Ruled:
		return flagAgain | flagRetry | flagFor | flagHop | flagFiles
	case event.Listed:
		return flagAgain | flagRetry | flagFiles
	case event.Brought:
		return flagAgain | flagRetry
	default:
		return flagAgain | flagKeep | flagRetry | flagDue
	}
}

// flags returns the flags of an event.
func flags(e *event.Event) (all byte) {
	for i, set := range [...]bool{e.Again, e.Keep, e.Retry != 0, !e.Again && e.Due != 0, e.For != e.Site, e.Hop, e.Files != 0, e.Expiry != 0} {
		if set {
			all |= 1 << i
		}
	}
	return all & flagsOf(e.Kind)
}

// outcome writes how a task ended. The end lies close before now and the start close
// before the end, so both are written as differences. They may wrap around, which
// reading undoes.
func (w *writer) outcome(r *Record) {
	e, f := &r.Event, flags(&r.Event)
	w.byte(byte(e.Class))
	w.byte(f)
	w.int(int64(r.Now - e.End))
	w.int(int64(e.End - e.Start))
	w.int(e.Bytes)
	if f&(flagAgain|flagDue) != 0 {
		w.int(int64(e.Due))
	}
	if f&flagRetry != 0 {
		w.int(int64(e.Retry))
	}
	if f&flagFor != 0 {
		w.uint(uint64(e.For))
	}
	if f&flagHop != 0 {
		w.uint(uint64(e.To))
	}
	if f&flagFiles != 0 {
		w.uint(uint64(e.Files))
	}
	if f&flagExpiry != 0 {
		w.int(int64(e.Expiry))
	}
}

func (d *reader) outcome(r *Record) {
	e := &r.Event
	e.Class = event.Class(d.atMost(uint8(lastClass), "class"))
	f := d.byte()
	if f&^flagsOf(e.Kind) != 0 {
		d.fail(fmt.Errorf("flags %#x of an event %v", f, e.Kind))
	}
	e.Again, e.Keep, e.Hop = f&flagAgain != 0, f&flagKeep != 0, f&flagHop != 0
	e.End = r.Now - time.Duration(d.int())
	e.Start = e.End - time.Duration(d.int())
	e.Bytes = d.int()
	d.flagged(e, f)
	if d.err == nil {
		d.differ(flags(e) == f)
	}
}

// flagged reads what the flags announce.
func (d *reader) flagged(e *event.Event, f byte) {
	if f&(flagAgain|flagDue) != 0 {
		e.Due = time.Duration(d.int())
	}
	if f&flagRetry != 0 {
		e.Retry = time.Duration(d.int())
	}
	if e.Kind == event.Ruled {
		e.For = e.Site
	}
	if f&flagFor != 0 {
		e.For = graph.Site(d.id())
	}
	if f&flagHop != 0 {
		e.To = graph.Site(d.id())
	}
	if f&flagFiles != 0 {
		e.Files = d.uint32()
	}
	if f&flagExpiry != 0 {
		e.Expiry = time.Duration(d.int())
	}
}

// What an event may have in addition to what its kind always has.
const (
	moreBars = 1 << iota
	moreAdmit
	moreAnchors
	moreReading
)

// moreOf returns which of these an event has.
func moreOf(e *event.Event) (more byte) {
	if slices.ContainsFunc(e.Bars, func(b event.Bar) bool { return b != event.NoBar }) && barred(e) > 0 && kinds(e.Kind)&(makesKnown|onNeeded) != 0 {
		more |= moreBars
	}
	if len(e.Admit) > 0 && kinds(e.Kind)&(makesKnown|admits) != 0 {
		more |= moreAdmit
	}
	if e.Kind.Reads() && e.HasAnchors() {
		more |= moreAnchors
	}
	if (e.Kind.Reads() || e.Kind == event.Judged) && e.Read.Words > 0 {
		more |= moreReading
	}
	return more
}

// barred returns the number of pages or requisites to which the bars of an event belong.
func barred(e *event.Event) int {
	if e.Kind == event.Needed {
		return len(e.Needs)
	}
	return len(e.New)
}

// more writes the bars of the new pages as runs of equal ones, the admitted pages as
// links are, the anchors, and what the page has to do with the topic.
func (w *writer) more(e *event.Event, more byte) {
	w.byte(more)
	if more&moreBars != 0 {
		if len(e.Bars) != barred(e) {
			panic(fmt.Sprintf("journal: %d bars of %d new pages", len(e.Bars), barred(e)))
		}
		for i := 0; i < len(e.Bars); {
			from := i
			for i < len(e.Bars) && e.Bars[i] == e.Bars[from] {
				i++
			}
			w.byte(byte(e.Bars[from]))
			w.uint(uint64(i - from))
		}
	}
	if more&moreAdmit != 0 {
		w.pages(e.Admit, 0)
	}
	if more&moreAnchors != 0 {
		w.anchors(e)
	}
	if more&moreReading != 0 {
		w.reading(&e.Read)
	}
}

func (d *reader) more(e *event.Event) {
	more := d.byte()
	if more&moreBars != 0 {
		d.bars(e)
	}
	if more&moreAdmit != 0 {
		e.Admit = d.pages(e.Admit, 0)
	}
	if more&moreAnchors != 0 {
		d.anchors(e)
	}
	if more&moreReading != 0 {
		d.reading(e)
	}
	if d.err == nil && (more == 0 || moreOf(e) != more) {
		d.fail(fmt.Errorf("additions %#x of an event %v", more, e.Kind))
	}
}

// bars reads runs that make up as many bars as there are new pages.
func (d *reader) bars(e *event.Event) {
	all := barred(e)
	for last := -1; len(e.Bars) < all && d.err == nil; {
		bar := d.atMost(uint8(event.MaxBar), "bar")
		n := d.uint()
		if n == 0 || n > uint64(all-len(e.Bars)) || int(bar) == last {
			d.fail(fmt.Errorf("%d bars of kind %d after %d of %d", n, bar, len(e.Bars), all))
			return
		}
		last = int(bar)
		for range n {
			e.Bars = append(e.Bars, event.Bar(bar))
		}
	}
}
