package sim

import (
	"cmp"
	"errors"
	"slices"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// errRemember reports a crawl that cannot forget pages.
var errRemember = errors.New("sim: pages cannot be forgotten where they are visited again or answer as recorded")

// forgetful is a crawler whose memory is limited: "the information seen (and remembered if space
// is limited)" of Cho, Garcia-Molina and Page 1998, section 4. When more than limit pages wait,
// those of the lowest values are forgotten, of equal ones those that became known last. A page
// that is forgotten gets another id if another link to it is found: nothing of what was known
// about it counts then.
type forgetful struct {
	limit   int
	waiting []graph.Page // by id of the crawl, and some that wait no more
	worst   []graph.Page // the next to go last; scratch
}

// room returns the largest number of ids that a crawl needs, which forgets pages: one for each
// link and each page.
func (w *World) room(remember int) int {
	if remember == 0 {
		return w.pages()
	}
	return int(min(graph.MaxPages, int64(w.pages())+w.Out.Links()))
}

// remembers notes a page that became known.
func (c *crawl) remembers(p graph.Page) {
	if c.forgetful.limit > 0 {
		c.forgetful.waiting = append(c.forgetful.waiting, p)
	}
}

// forget forgets as many waiting pages as there are too many. It looks at all that wait.
func (c *crawl) forget() {
	f := &c.forgetful
	many := c.f.Counts().Queued - f.limit
	if f.limit == 0 || many <= 0 {
		return
	}
	f.worst = f.worst[:0]
	f.waiting = slices.DeleteFunc(f.waiting, func(p graph.Page) bool { return !c.f.Waits(p) })
	for _, p := range f.waiting {
		if len(f.worst) < many || c.worse(p, f.worst[0]) < 0 {
			at, _ := slices.BinarySearchFunc(f.worst, p, func(q, p graph.Page) int { return c.worse(p, q) })
			f.worst = slices.Insert(f.worst, at, p)
			f.worst = f.worst[max(0, len(f.worst)-many):]
		}
	}
	for _, p := range f.worst {
		c.pages.known[c.pages.world[p]] = 0
		c.res.Forgotten++
		e := event.Event{Kind: event.Refused, Task: event.Task{Page: p}, Bar: event.BarScope}
		if c.o.Record != nil {
			c.o.Record(c.now, &e)
		}
		c.f.Apply(c.now, &e)
	}
	c.f.Refusals()
}

// worse orders pages by their values, the lowest first, and the latest first among equals.
func (c *crawl) worse(p, q graph.Page) int {
	return cmp.Or(cmp.Compare(c.f.Value(p, 0), c.f.Value(q, 0)), cmp.Compare(q, p))
}
