package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/event"
)

// reading writes what a page has to do with the topic of the crawl: twice the number of its words,
// plus 1 if a norm follows; the terms that it has, with their occurrences; and the links at which
// terms stand, each by the distance from the one before.
func (w *writer) reading(r *event.Reading) {
	n := 2 * uint64(r.Words)
	if r.Norm != 0 {
		n++
	}
	if w.uint(n); r.Norm != 0 {
		w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(r.Norm))
	}
	w.uint(uint64(len(r.Matches)))
	for _, m := range r.Matches {
		w.byte(m.Term)
		if m.Title == 0 {
			w.uint(2 * uint64(m.Body))
			continue
		}
		w.uint(2*uint64(m.Body) + 1)
		w.uint(uint64(m.Title))
	}
	w.uint(uint64(len(r.Hits)))
	next := uint32(0)
	for _, h := range r.Hits {
		w.uint(uint64(h.Link - next))
		w.uint(h.Anchor)
		w.uint(h.Around)
		next = h.Link + 1
	}
}

// reading reads a reading of a page with the links of the event.
func (d *reader) reading(e *event.Event) {
	r, n := &e.Read, d.uint()
	if n > 2*math.MaxUint32+1 {
		d.fail(fmt.Errorf("%d words", n/2))
		return
	}
	if r.Words = uint32(n / 2); n%2 == 1 {
		if b := d.take(4); d.err == nil {
			r.Norm = math.Float32frombits(binary.LittleEndian.Uint32(b))
			d.differ(r.Norm > 0 && !math.IsInf(float64(r.Norm), 1))
		}
	}
	d.matches(r)
	next := uint64(0)
	for range d.count() {
		link := next + min(d.uint(), math.MaxUint32)
		h := event.Hit{Link: uint32(link), Anchor: d.uint(), Around: d.uint()}
		if d.err == nil && (link >= uint64(len(e.Links)) || h.Anchor|h.Around == 0) {
			d.fail(fmt.Errorf("terms at link %d of %d", link, len(e.Links)))
		}
		r.Hits = append(r.Hits, h)
		next = link + 1
	}
}

// matches reads the terms that a page has.
func (d *reader) matches(r *event.Reading) {
	last := -1
	for range d.count() {
		m := event.Match{Term: d.byte()}
		v := d.uint()
		if m.Body = d.occurrences(v / 2); v%2 == 1 {
			m.Title = d.occurrences(d.uint())
			d.differ(m.Title > 0)
		}
		if d.err == nil && (int(m.Term) <= last || m.Body == 0 && m.Title == 0) {
			d.fail(fmt.Errorf("term %d after %d", m.Term, last))
		}
		last = int(m.Term)
		r.Matches = append(r.Matches, m)
	}
}

// occurrences returns a number as that of the occurrences of a term.
func (d *reader) occurrences(v uint64) uint16 {
	if v > math.MaxUint16 {
		d.fail(errors.New("a term that is there too often"))
	}
	return uint16(v)
}
