package journal

import (
	"fmt"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Bits of the flags of an outcome: numbers that are seldom there are written only when
// they are.
const (
	flagAgain  = 1 << iota
	flagKeep   // Done
	flagRetry  // Ruled, Listed, Done
	flagDue    // Done, without Again: the page is to be visited again
	flagFor    // Ruled: for the sake of another site
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

// What an event may have beside what its kind always has.
const (
	moreBars = 1 << iota
	moreAdmit
)

// moreOf returns which of these an event has.
func moreOf(e *event.Event) (more byte) {
	if slices.ContainsFunc(e.Bars, func(b event.Bar) bool { return b != event.NoBar }) && len(e.New) > 0 && kinds(e.Kind)&makesKnown != 0 {
		more |= moreBars
	}
	if len(e.Admit) > 0 && kinds(e.Kind)&(makesKnown|kinds(event.Admitted)|kinds(event.Revisit)|kinds(event.Retried)) != 0 {
		more |= moreAdmit
	}
	return more
}

// more writes the bars of the new pages as runs of equal ones, and the admitted pages as
// links are.
func (w *writer) more(e *event.Event, more byte) {
	w.byte(more)
	if more&moreBars != 0 {
		if len(e.Bars) != len(e.New) {
			panic(fmt.Sprintf("journal: %d bars of %d new pages", len(e.Bars), len(e.New)))
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
}

func (d *reader) more(e *event.Event) {
	more := d.byte()
	if more&moreBars != 0 {
		d.bars(e)
	}
	if more&moreAdmit != 0 {
		e.Admit = d.pages(e.Admit, 0)
	}
	if d.err == nil && (more == 0 || moreOf(e) != more) {
		d.fail(fmt.Errorf("additions %#x of an event %v", more, e.Kind))
	}
}

// bars reads runs that make up as many bars as there are new pages.
func (d *reader) bars(e *event.Event) {
	for last := -1; len(e.Bars) < len(e.New) && d.err == nil; {
		bar := d.atMost(uint8(event.MaxBar), "bar")
		n := d.uint()
		if n == 0 || n > uint64(len(e.New)-len(e.Bars)) || int(bar) == last {
			d.fail(fmt.Errorf("%d bars of kind %d after %d of %d", n, bar, len(e.Bars), len(e.New)))
			return
		}
		last = int(bar)
		for range n {
			e.Bars = append(e.Bars, event.Bar(bar))
		}
	}
}
