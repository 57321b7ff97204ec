package measure

import "github.com/winnow-crawler/winnow/graph"

// A buffer holds the pages with the highest estimated importance I' among those stored
// so far (Limited Buffer Crawl). Of equal estimates the page stored first stays.
type buffer struct {
	room  int
	count uint64 // pages stored so far
	worst heap   // the next to be evicted on top: by -I', then by when it was stored
}

// newBuffer returns an empty buffer for room pages of a world of pages.
func newBuffer(room, pages int) *buffer {
	return &buffer{room: room, worst: heap{key: make([]float64, pages), late: make([]uint64, pages), at: make([]uint32, pages)}}
}

// store puts a page that is not in the buffer into it and returns the page that had to
// go, which may be the same; NoPage while there is room.
func (b *buffer) store(p graph.Page, estimate float64) (evicted graph.Page) {
	b.count++
	b.worst.key[p], b.worst.late[p] = -estimate, b.count
	evicted = graph.NoPage
	if len(b.worst.list) == b.room {
		if b.room == 0 || b.worst.before(uint32(p), b.worst.list[0]) {
			return p
		}
		evicted = graph.Page(b.worst.pop())
	}
	b.worst.push(uint32(p))
	return evicted
}

// update changes the estimate of a page; one that is not in the buffer stays out.
func (b *buffer) update(p graph.Page, estimate float64) {
	if b.worst.holds(uint32(p)) {
		b.worst.key[p] = -estimate
		b.worst.fix(uint32(p))
	}
}

// An Estimate returns I' of a page that was just fetched, the importance by which a buffer keeps
// pages. It may update those of others. It is for one crawl.
type Estimate func(p graph.Page, update func(graph.Page, float64)) float64

// BufferCrawl returns P_BC(k), the share of a buffer of room pages that is hot after k
// fetches; the last value is the P_BC of the paper. Hot is at least as important as the room-th
// best page of E there (HotBest), or as G (HotAbove).
func (t *Trial) BufferCrawl(room int, h Hot, estimate Estimate) Curve {
	j := t.judge
	room = min(room, len(j.pages))
	b, hot := newBuffer(room, len(j.class)), 0
	c := Curve{make([]float64, len(t.order)), len(j.pages)}
	for k, p := range t.order {
		if j.class[p] < h.limit {
			hot++
		}
		if gone := b.store(p, estimate(p, b.update)); gone != graph.NoPage && j.class[gone] < h.limit {
			hot--
		}
		c.Y[k] = Share(hot, room)
	}
	return c
}

// KnownBacklinks estimates importance by the number of fetched pages that link to a page.
func KnownBacklinks(out *graph.Lists) Estimate {
	known := make([]uint32, out.Pages())
	return func(p graph.Page, update func(graph.Page, float64)) float64 {
		for _, q := range out.List(p) {
			if q != p {
				known[q]++
				update(q, float64(known[q]))
			}
		}
		return float64(known[p])
	}
}

// KnownValues estimates importance by values that a fetched page shows by itself, as its
// similarity to a topic.
func KnownValues(value []float64) Estimate {
	return func(p graph.Page, _ func(graph.Page, float64)) float64 { return value[p] }
}

// KnownBoth estimates the importance of pages that count if they are hot by themselves and have
// backlinks: the known backlinks of hot pages, and 0 for others.
func KnownBoth(hot []bool, out *graph.Lists) Estimate {
	known := KnownBacklinks(out)
	return func(p graph.Page, update func(graph.Page, float64)) float64 {
		n := known(p, func(q graph.Page, v float64) {
			if hot[q] {
				update(q, v)
			}
		})
		if !hot[p] {
			return 0
		}
		return n
	}
}
