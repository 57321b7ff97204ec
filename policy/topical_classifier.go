package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A classifier gives pages the probability that they are hot: see topicalSpec.
type classifier struct {
	graph.Set
	env     *Env
	board   *Board
	model   *linear
	chances *chances
	leads   *leads
	names   *directories
	x       example // reused
	text    []byte  // reused

	words    *graph.Column[uint64] // by page: of links to it, see packed
	urlWords *graph.Column[uint64] // by page
	linksIn  *graph.Column[uint16] // by page: links to it, as far as there is room
	hotIn    *graph.Column[uint16] // by page: of these, from hot pages
	region   *graph.Column[uint8]  // by page: the best region of a link to it
	dir      *graph.Column[uint32] // by page: its directory
	sites    tally                 // by site
	dirs     tally                 // by directory
	found    tally                 // by the page on which they were found
	numbers  *graph.Column[uint64] // see topicalFetched
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

func newClassifier(e *Env) *classifier {
	c := &classifier{env: e, board: e.Boards[0], model: newLinear(priorWeights()), chances: newChances(), leads: newLeads(e, "topical"), names: newDirectories(e, "topical")}
	graph.AddTo(&c.Set, c.model, c.chances, c.leads, c.names)
	c.words = graph.NewColumnIn[uint64](&c.Set, "topical words", e.MaxPages)
	c.urlWords = graph.NewColumnIn[uint64](&c.Set, "topical URL words", e.MaxPages)
	c.linksIn = graph.NewColumnIn[uint16](&c.Set, "topical links", e.MaxPages)
	c.hotIn = graph.NewColumnIn[uint16](&c.Set, "topical hot links", e.MaxPages)
	c.region = graph.NewColumnIn[uint8](&c.Set, "topical regions", e.MaxPages)
	c.dir = graph.NewColumnIn[uint32](&c.Set, "topical directories", e.MaxPages)
	c.sites = newTally(&c.Set, "topical site pages", e.MaxSites)
	c.dirs = newTally(&c.Set, "topical directory pages", e.MaxPages)
	c.found = newTally(&c.Set, "topical pages found", e.MaxPages)
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
	c.leads.known(p)
	var words event.Words
	if c.env.URL != nil {
		c.text = c.env.URL(c.text[:0], p)
		words = urlWords(c.text)
	}
	d := c.names.of(p, from)
	c.dirs.grow(d + 1)
	c.dir.Append(uint32(d))
	c.sites.grow(int(c.env.Facts.Site(p)) + 1)
	c.found.grow(int(p) + 1)
	c.words.Append(0)
	c.urlWords.Append(packed(words))
	c.linksIn.Append(0)
	c.hotIn.Append(0)
	c.region.Append(0)
	c.rescore(p)
}

// probability returns how probable it is that a page is hot, by what became of such pages.
func (c *classifier) probability(p graph.Page) float64 {
	return c.chances.of(c.model.logit(c.example(p)))
}

// rescore sets the value of a page.
func (c *classifier) rescore(p graph.Page) { c.board.Set(p, logistic(c.model.logit(c.example(p)))) }

func (c *classifier) Done(_ time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if o.Again {
		c.rescore(p) // links to it may have been found since it was handed out
		return
	}
	if o.Read != nil && o.Read.Words > 0 && o.Class == event.OK {
		c.learn(p, o.Hot)
	}
	if brought(o) {
		c.follow(p, o, links)
	}
}

// learn takes in whether a page is hot.
func (c *classifier) learn(p graph.Page, hot bool) {
	x := c.example(p)
	c.chances.learn(c.model.logit(x), hot)
	c.model.learn(x, hot)
	c.sites.count(int(c.env.Facts.Site(p)), hot)
	c.dirs.count(int(c.dir.At(int(p))), hot)
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
	near := max(nearness(o), float64(c.leads.parent.At(int(p)))/2)
	hits := hitsOf(o)
	for i, q := range links {
		c.leads.link(q, hits.of(i), near)
		if o.Class == event.Redirect {
			c.inherit(p, q)
		}
		c.linksIn.Slice()[q] = more(c.linksIn.At(int(q)))
		if o.Hot {
			c.hotIn.Slice()[q] = more(c.hotIn.At(int(q)))
		}
		if len(o.Anchors) > 0 {
			c.join(q, o.Anchors[i].Words)
			c.region.Slice()[q] = max(c.region.At(int(q)), uint8(o.Anchors[i].Region))
		}
		if c.board.Waits(q) || q >= o.First {
			c.rescore(q)
		}
	}
}

// inherit lets q have what is known of p, which redirects to it.
func (c *classifier) inherit(p, q graph.Page) {
	c.leads.inherit(p, q)
	c.join(q, unpacked(c.words.At(int(p))))
	c.region.Slice()[q] = max(c.region.At(int(q)), c.region.At(int(p)))
	c.linksIn.Slice()[q] = max(c.linksIn.At(int(q)), c.linksIn.At(int(p)))
	c.hotIn.Slice()[q] = max(c.hotIn.At(int(q)), c.hotIn.At(int(p)))
}

// join adds the words of a link to q.
func (c *classifier) join(q graph.Page, words event.Words) {
	have := unpacked(c.words.At(int(q)))
	have.Join(words)
	c.words.Set(int(q), packed(have))
}

// packed returns words as one number, and unpacked the words.
func packed(w event.Words) uint64 {
	return uint64(w[0]) | uint64(w[1])<<16 | uint64(w[2])<<32 | uint64(w[3])<<48
}

func unpacked(n uint64) event.Words {
	return event.Words{uint16(n), uint16(n >> 16), uint16(n >> 32), uint16(n >> 48)}
}

// more returns a number plus 1, if there is room for it.
func more(n uint16) uint16 { return max(n, n+1) }

// Admitted gives p, which waits again, the value that it has by now.
func (c *classifier) Admitted(p graph.Page) { c.rescore(p) }

// Work gives pages that wait their values at a checkpoint.
func (c *classifier) Work(links int) (more bool) {
	num := c.numbers.Slice()
	if num[topicalAt] == num[topicalEnd] {
		if num[topicalFetched] < num[topicalNext] {
			return false
		}
		num[topicalNext] = num[topicalFetched] + max(firstCheckpoint, num[topicalFetched]/20)
		num[topicalAt], num[topicalEnd] = 0, uint64(c.words.Len())
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
