package journal

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// message writes the pair and the number of a message.
func (w *writer) message(x *event.Exchange) {
	w.uint(uint64(x.Part))
	w.uint(x.Message)
}

func (d *reader) message(x *event.Exchange) { x.Part, x.Message = d.uint16(), d.uint() }

func (w *writer) sent(e *event.Event) {
	w.message(&e.Exchange)
	w.uint(e.Acked)
	w.uint(uint64(e.Most))
}

func (d *reader) sent(e *event.Event) {
	d.message(&e.Exchange)
	e.Acked, e.Most = d.uint(), d.uint32()
}

// linked writes what was learned of each page: twice its links, and one more for Near; its depth;
// its amounts, the bytes of which are reversed, since the last ones are often 0; lessons, the same.
func (w *writer) linked(r *Record) {
	e := &r.Event
	if len(e.Gifts) != len(e.Links) || len(e.Links) == 0 && len(e.Amounts) > 0 || len(e.Links) > 0 && len(e.Amounts)%len(e.Links) != 0 {
		panic(fmt.Sprintf("journal: %d gifts and %d amounts of %d pages", len(e.Gifts), len(e.Amounts), len(e.Links)))
	}
	w.message(&e.Exchange)
	w.fresh(r)
	w.pages(e.Links, 0)
	for _, g := range e.Gifts {
		links := 2 * uint64(g.Links)
		if g.Near {
			links++
		}
		w.uint(links)
		w.uint(uint64(g.Depth))
	}
	w.uint(uint64(len(e.Amounts)))
	for _, v := range e.Amounts {
		w.uint(bits.ReverseBytes64(math.Float64bits(v)))
	}
	w.uint(uint64(len(e.Lessons)))
	for _, v := range e.Lessons {
		w.uint(uint64(bits.ReverseBytes32(math.Float32bits(v))))
	}
}

func (d *reader) linked(r *Record) {
	e := &r.Event
	d.message(&e.Exchange)
	d.fresh(r)
	e.Links = d.pages(e.Links, 0)
	for range e.Links {
		links := d.uint()
		if links > 2*math.MaxUint32+1 {
			d.fail(fmt.Errorf("%d links", links/2))
		}
		e.Gifts = append(e.Gifts, event.Gift{Links: uint32(links / 2), Depth: d.uint16(), Near: links%2 == 1})
	}
	d.amounts(e)
}

func (d *reader) amounts(e *event.Event) {
	n := d.count()
	if n > 0 && (len(e.Links) == 0 || n%len(e.Links) != 0) {
		d.fail(fmt.Errorf("%d amounts of %d pages", n, len(e.Links)))
		return
	}
	for range n {
		e.Amounts = append(e.Amounts, math.Float64frombits(bits.ReverseBytes64(d.uint())))
	}
	for range d.count() {
		e.Lessons = append(e.Lessons, math.Float32frombits(bits.ReverseBytes32(d.uint32())))
	}
}

func (d *reader) asked(e *event.Event) {
	first := graph.Page(0)
	if e.Needs, first = d.sites(e.Needs); len(e.Needs) != 2 || first != 0 {
		d.fail(fmt.Errorf("%d sites of a robots.txt that moved", len(e.Needs)))
	}
	e.Bar = event.Bar(d.atMost(uint8(event.MaxBar), "bar"))
}

// wanted writes twice the limit, and one more if the partition asks for pages.
func (w *writer) wanted(e *event.Event) {
	w.int(e.Pages)
	limit := 2 * uint64(e.Limit)
	if e.Again {
		limit++
	}
	w.uint(limit)
}

func (d *reader) wanted(e *event.Event) {
	e.Pages = d.int()
	limit := d.uint()
	e.Limit, e.Again = int64(limit/2), limit%2 == 1
}

func (d *reader) uint16() uint16 {
	v := d.uint()
	if v > math.MaxUint16 {
		d.fail(fmt.Errorf("the number %d, which is too large", v))
	}
	return uint16(v)
}
