package focused

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/policy/linear"
	"github.com/winnow-crawler/winnow/policy/order"
)

// A classifier gives pages the probability that they are hot: see TopicalSpec.
type classifier struct {
	graph.Set
	env     *order.Env
	board   *order.Board
	model   *linear.Model
	chances *linear.Chances
	names   *group.Directories
	x       linear.Example // reused
	text    []byte         // reused

	pages   *graph.Column[prospect] // by page
	sites   tally                   // by site
	dirs    tally                   // by directory
	found   tally                   // by the page on which they were found
	numbers *graph.Column[uint64]   // see topicalFetched
}

// The indexes of classifier.numbers.
const (
	topicalFetched = iota // pages fetched
	topicalHot            // hot ones among them
	topicalNext           // value of topicalFetched at the next checkpoint
	topicalAt             // page at which the checkpoint under way continues
	topicalEnd            // its end; topicalAt if there is none
	topicalNumbers
)

func newClassifier(e *order.Env) *classifier {
	c := &classifier{env: e, board: e.Boards[0], model: linear.New(priorWeights()), chances: linear.NewChances(), names: group.NewDirectories(e, "topical")}
	graph.AddTo(&c.Set, c.model, c.chances, c.names)
	c.pages = graph.NewColumnIn[prospect](&c.Set, "topical pages", e.MaxPages)
	c.sites = newTally(&c.Set, "topical fetched by site", e.MaxSites)
	c.dirs = newTally(&c.Set, "topical fetched by directory", e.MaxPages)
	c.found = newTally(&c.Set, "topical fetched by parent", e.MaxPages)
	c.numbers = graph.NewColumnIn[uint64](&c.Set, "topical numbers", topicalNumbers)
	c.numbers.Grow(topicalNumbers)
	c.numbers.Set(topicalNext, firstCheckpoint)
	return c
}

// firstCheckpoint is the number of pages before the first checkpoint, and the least between two.
const firstCheckpoint = 20

// share returns the share of hot pages among the fetched ones, never 0 or 1.
func (c *classifier) share() float64 {
	return (float64(c.numbers.At(topicalHot)) + 0.5) / (float64(c.numbers.At(topicalFetched)) + 10)
}

func (c *classifier) Known(p, from graph.Page) {
	var r prospect
	if c.env.URL != nil {
		c.text = c.env.URL(c.text[:0], p)
		r.setWords(prospectURLWords, urlWords(c.text))
		r.raise(shareURL, c.env.Topic.Share(c.env.Topic.Topic().URL(c.text)))
	}
	d := c.names.Of(p, from)
	r[prospectDir] = uint32(d) & dirBits30
	c.pages.Append(r)
	c.dirs.of.Grow(d + 1)
	c.sites.of.Grow(int(c.env.Facts.Site(p)) + 1)
	c.found.of.Grow(int(p) + 1)
	c.rescore(p)
}

// probability returns how probable it is that a page is hot, by how such pages turned out.
func (c *classifier) probability(p graph.Page) float64 {
	return c.chances.Of(c.model.Logit(c.example(p)))
}

// rescore sets the value of a page.
func (c *classifier) rescore(p graph.Page) {
	c.board.Set(p, linear.Logistic(c.model.Logit(c.example(p))))
}

func (c *classifier) Done(_ time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if o.Again {
		c.rescore(p) // links to it may have been found since it was handed out
		return
	}
	if o.Read != nil && o.Read.Words > 0 && o.Class == event.OK {
		c.learn(p, o.Hot)
	}
	if order.Brought(o) {
		c.follow(p, o, links)
	}
}

// Revisited takes in a page whose reading came late.
func (c *classifier) Revisited(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if o.Late {
		c.Done(now, p, o, links)
	}
}

// learn takes in whether a page is hot.
func (c *classifier) learn(p graph.Page, hot bool) {
	x := c.example(p)
	c.chances.Learn(c.model.Logit(x), hot)
	c.model.Learn(x, hot)
	c.sites.count(int(c.env.Facts.Site(p)), hot)
	c.dirs.count(c.pages.Slice()[p].dir(), hot)
	if up := c.env.Facts.From(p); up != graph.NoPage {
		c.found.count(int(up), hot)
	}
	num := c.numbers.Slice()
	num[topicalFetched]++
	if hot {
		num[topicalHot]++
	}
}

// follow takes in the links of a page, and gives those that wait their values.
func (c *classifier) follow(p graph.Page, o *event.Outcome, links []graph.Page) {
	pages := c.pages.Slice()
	near := max(Nearness(o), pages[p].share(shareParent)/2)
	hits := HitsOf(o)
	for i, q := range links {
		r := &pages[q]
		r.link(o.Hot)
		r.raise(shareParent, near)
		if h := hits.Of(i); h.Anchor|h.Around != 0 {
			r.raise(shareAnchor, c.env.Topic.Share(h.Anchor))
			r.raise(shareAround, c.env.Topic.Share(h.Around))
		}
		if len(o.Anchors) > 0 {
			r.join(o.Anchors[i].Words)
			r.in(o.Anchors[i].Region)
		}
		if o.Class == event.Redirect {
			r.inherit(&pages[p])
		}
		if c.board.Waits(q) || q >= o.First {
			c.rescore(q)
		}
	}
}

// Admitted gives p, which waits again, the value that it has by now.
func (c *classifier) Admitted(p graph.Page) { c.rescore(p) }

// Work gives pages that wait their values at a checkpoint.
func (c *classifier) Work(links int) (more bool) {
	num := c.numbers.Slice()
	if num[topicalAt] == num[topicalEnd] {
		if num[topicalFetched] < num[topicalNext] {
			return false
		}
		num[topicalNext] = num[topicalFetched] + max(firstCheckpoint, num[topicalFetched]/pauses(num[topicalFetched]))
		num[topicalAt], num[topicalEnd] = 0, uint64(c.pages.Len())
	}
	end := min(num[topicalEnd], num[topicalAt]+uint64(links/predictCost)+1)
	for p := num[topicalAt]; p < end; p++ {
		if c.board.Waits(graph.Page(p)) {
			c.rescore(graph.Page(p))
		}
	}
	num[topicalAt] = end
	return end < num[topicalEnd]
}

// predictCost is what a prediction costs in links of a sweep.
const predictCost = 128

// pauses returns by which part fetched pages grow from one checkpoint to the next.
func pauses(fetched uint64) (part uint64) {
	switch {
	case fetched < 1000:
		return 20
	case fetched < 10_000:
		return 8
	}
	return 4
}
