package live

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// copies holds when a crawl visited its pages and what it found, to estimate which of its copies
// were up to date when. It is empty if no page was visited twice.
type copies struct {
	visits []visit // by page, then in order
	length time.Duration
	known  []time.Duration // when each page became known

	first, changed, same, notModified, missed int64

	seen map[graph.Page]version // only while the journal is read
	rate float64                // changes a second of all pages together
}

// A visit is one that showed something.
type visit struct {
	page    graph.Page
	changed bool // since the visit before
	at      time.Duration
}

// A version is what the last visit of a page found.
type version struct {
	digest uint64
	gone   bool
}

// notModified is the status of an answer without a body.
const notModified = 304

// readCopies reads the visits of a crawl.
func (w *World) readCopies() (*copies, error) {
	c := &copies{seen: map[graph.Page]version{}}
	if err := w.Crawl.Each(c.read); err != nil {
		return nil, err
	}
	c.seen = nil
	slices.SortStableFunc(c.visits, func(a, b visit) int { return cmp.Compare(a.page, b.page) })
	c.learn()
	return c, nil
}

func (c *copies) read(r *journal.Record) error {
	c.length = r.Now
	for range r.Event.New {
		c.known = append(c.known, r.Now)
	}
	e := &r.Event
	if e.Kind != event.Done || e.Again {
		return nil
	}
	was, again := c.seen[e.Page]
	switch found := (version{r.Facts.Change, e.Class == event.Gone}); {
	case !again && !e.Class.Failed():
		c.first++
		c.add(e, false, found)
	case again && e.Class.Failed() && !found.gone:
		c.missed++
	case again && (r.Facts.Status == notModified || found == was || found.gone && was.gone):
		c.same++
		if r.Facts.Status == notModified {
			c.notModified++
		}
		c.add(e, false, was)
	case again:
		c.changed++
		c.add(e, true, found)
	}
	return nil
}

func (c *copies) add(e *event.Event, changed bool, found version) {
	c.seen[e.Page] = found
	c.visits = append(c.visits, visit{e.Page, changed, e.End})
}

// again returns the number of visits of pages that were fetched before.
func (c *copies) again() int64 { return c.changed + c.same + c.missed }

// each calls fn with the visits of each page.
func (c *copies) each(fn func(list []visit)) {
	for from := 0; from < len(c.visits); {
		to := from + 1
		for to < len(c.visits) && c.visits[to].page == c.visits[from].page {
			to++
		}
		fn(c.visits[from:to])
		from = to
	}
}

// evidence returns what visits show of the changes of their pages.
func evidence(list []visit) (e freshness.Evidence) {
	for i := 1; i < len(list); i++ {
		since := max(time.Second, list[i].at-list[i-1].at).Seconds()
		if list[i].page != list[i-1].page {
			continue
		}
		if list[i].changed {
			e.Changes++
			e.Changed += since
		} else {
			e.Unchanged += since
		}
	}
	return e
}

// learn estimates how often pages change, all together.
func (c *copies) learn() {
	c.rate = freshness.Rate(evidence(c.visits), 1/max(1, c.length.Seconds()))
}

// rateOf returns the changes a second of a page.
func (c *copies) rateOf(list []visit) float64 { return freshness.Rate(evidence(list), c.rate) }

// freshAt returns the probability that the copy of a page was up to date at an instant, from all
// of its visits. If the next visit found no change it was; if it found one, that may have been
// at any time since the last visit.
func freshAt(list []visit, rate float64, at time.Duration) float64 {
	i := len(list) - 1
	for i >= 0 && list[i].at > at {
		i--
	}
	if i < 0 {
		return 0
	}
	age := (at - list[i].at).Seconds()
	switch {
	case i == len(list)-1:
		return freshness.Fresh(rate, age)
	case !list[i+1].changed:
		return 1
	}
	all := (list[i+1].at - list[i].at).Seconds()
	if rate*all < 1e-9 {
		return 1 - age/all
	}
	return (math.Exp(-rate*age) - math.Exp(-rate*all)) / -math.Expm1(-rate*all)
}
