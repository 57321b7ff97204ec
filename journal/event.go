package journal

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// The last of the classes, kinds of work and kinds of event that are written.
const (
	lastClass = policy.LastClass
	lastWork  = frontier.Sitemap
	lastKind  = frontier.Denied
)

// workFor is a bit beside the kind of work: robots.txt is asked for another site's sake.
const workFor = 0x80

// event writes what events of the kind have.
func (w *writer) event(r *Record) {
	switch e := &r.Event; e.Kind {
	case frontier.Seed:
		w.fresh(r)
	case frontier.Took:
		w.took(e)
	case frontier.Refused:
		w.uint(uint64(e.Page))
		w.byte(byte(e.Bar))
	case frontier.Asked, frontier.Session, frontier.Admitted, frontier.Revisit, frontier.Retried, frontier.Denied:
	case frontier.Probed:
		w.uint(uint64(e.Site))
	case frontier.Withdrawn:
		w.withdrawn(e)
	case frontier.Resolved:
		w.uint(uint64(e.Site))
		w.outcome(r)
		w.uint(uint64(e.Address))
	case frontier.Ruled:
		w.uint(uint64(e.Site))
		w.outcome(r)
		w.int(int64(e.Delay))
		w.int(int64(e.Expiry))
	case frontier.Listed:
		w.uint(uint64(e.Site))
		w.outcome(r)
		w.fresh(r)
	case frontier.Done:
		w.uint(uint64(e.Page))
		w.outcome(r)
		w.fresh(r)
		w.links(e)
	default:
		panic(fmt.Sprintf("journal: event of kind %d", uint8(e.Kind)))
	}
}

// event reads what events of the kind have.
func (d *reader) event(r *Record) {
	switch e := &r.Event; e.Kind {
	case frontier.Seed:
		d.fresh(r)
	case frontier.Took:
		d.took(e)
	case frontier.Refused:
		e.Page = graph.Page(d.id())
		e.Bar = frontier.Bar(d.atMost(uint8(frontier.MaxBar), "bar"))
	case frontier.Asked, frontier.Session, frontier.Admitted, frontier.Revisit, frontier.Retried, frontier.Denied:
	case frontier.Probed:
		e.Site = graph.Site(d.id())
	case frontier.Withdrawn:
		d.withdrawn(e)
	case frontier.Resolved:
		e.Site = graph.Site(d.id())
		d.outcome(r)
		e.Address = d.id()
	case frontier.Ruled:
		e.Site = graph.Site(d.id())
		d.outcome(r)
		e.Delay, e.Expiry = time.Duration(d.int()), time.Duration(d.int())
	case frontier.Listed:
		e.Site = graph.Site(d.id())
		d.outcome(r)
		d.fresh(r)
	case frontier.Done:
		e.Page = graph.Page(d.id())
		d.outcome(r)
		d.fresh(r)
		d.links(e)
	default:
		d.fail(fmt.Errorf("event of kind %d", uint8(e.Kind)))
	}
}

func (w *writer) took(e *frontier.Event) {
	work := byte(e.Work)
	if e.Work == frontier.Robots && e.For != e.Site {
		work |= workFor
	}
	w.byte(work)
	w.uint(uint64(e.Site))
	w.byte(e.Board)
	if e.Work == frontier.Fetch {
		w.uint(uint64(e.Page))
	}
	if work&workFor != 0 {
		w.uint(uint64(e.For))
	}
}

func (d *reader) took(e *frontier.Event) {
	work := d.byte()
	if e.Work = frontier.Kind(work &^ workFor); e.Work > lastWork || work&workFor != 0 && e.Work != frontier.Robots {
		d.fail(fmt.Errorf("kind of work %d", work))
	}
	e.Site = graph.Site(d.id())
	e.Board = d.byte()
	switch {
	case e.Work == frontier.Fetch:
		e.Page = graph.Page(d.id())
	case work&workFor != 0:
		e.For = graph.Site(d.id())
		d.differ(e.For != e.Site)
	case e.Work == frontier.Robots:
		e.For = e.Site
	}
}

// withdrawn writes twice the number of files, and one more for a hop.
func (w *writer) withdrawn(e *frontier.Event) {
	n := 2 * uint64(e.Files)
	if e.Hop {
		n++
	}
	w.uint(uint64(e.Site))
	w.uint(n)
}

func (d *reader) withdrawn(e *frontier.Event) {
	e.Site = graph.Site(d.id())
	n := d.uint()
	if n > 2*math.MaxUint32+1 {
		d.fail(fmt.Errorf("%d sitemap files", n/2))
	}
	e.Files, e.Hop = uint32(n/2), n%2 == 1
}

// differ fails unless a number that was written differs from what it is when it is not:
// a record has one encoding.
func (d *reader) differ(ok bool) {
	if !ok {
		d.fail(errors.New("a number that needs not be written"))
	}
}

// fresh writes the pages that became known: their number, the id of the first, and the
// site of each as the difference to the one before.
func (w *writer) fresh(r *Record) {
	w.uint(uint64(len(r.Event.New)))
	if len(r.Event.New) == 0 {
		return
	}
	w.uint(uint64(r.First))
	before := int64(0)
	for _, s := range r.Event.New {
		w.int(int64(s) - before)
		before = int64(s)
	}
}

func (d *reader) fresh(r *Record) {
	n := d.count()
	if n == 0 {
		return
	}
	r.First = graph.Page(d.id())
	before := int64(0)
	for range n {
		before = d.near(before)
		r.Event.New = append(r.Event.New, graph.Site(before))
	}
}

// links writes the links: their number, and each as the difference to the one before,
// the first to the page itself. Their order counts, so they are not sorted.
func (w *writer) links(e *frontier.Event) { w.pages(e.Links, e.Page) }

func (d *reader) links(e *frontier.Event) { e.Links = d.pages(e.Links, e.Page) }

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
