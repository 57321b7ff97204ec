package journal

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// The last of the classes, kinds of task and kinds of event that are written.
const (
	lastClass = event.LastClass
	lastWork  = event.Sitemap
	lastKind  = event.Denied
)

// workFor is a bit beside the kind of a task: robots.txt is requested for another site.
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
	case event.Asked, event.Session, event.Admitted, event.Revisit, event.Retried, event.Denied:
	case event.Probed:
		w.uint(uint64(e.Site))
	case event.Withdrawn:
		w.withdrawn(e)
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
	case event.Asked, event.Session, event.Admitted, event.Revisit, event.Retried, event.Denied:
	case event.Probed:
		e.Site = graph.Site(d.id())
	case event.Withdrawn:
		d.withdrawn(e)
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
	default:
		d.fail(fmt.Errorf("event of kind %d", uint8(e.Kind)))
	}
}

func (w *writer) took(e *event.Event) {
	work := byte(e.Task.Kind)
	if e.Task.Kind == event.Robots && e.For != e.Site {
		work |= workFor
	}
	w.byte(work)
	w.uint(uint64(e.Site))
	w.byte(e.Board)
	if e.Task.Kind == event.Fetch {
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
	case e.Task.Kind == event.Fetch:
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
