package policy

import (
	"fmt"
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/queue"
)

// tinyCrawl drives foresight over a web that grows, with one site and no time.
type tinyCrawl struct {
	f      *foresight
	queues []*queue.Queue
	from   []graph.Page
	out    [][]graph.Page
	kept   []bool
	slice  int
	failed map[graph.Page]bool
	heeds  bool // one page of eight is important, and has a high priority
}

func (c *tinyCrawl) Site(graph.Page) graph.Site   { return 0 }
func (c *tinyCrawl) From(p graph.Page) graph.Page { return c.from[p] }
func (c *tinyCrawl) Depth(graph.Page) int         { return 0 }

func newTinyCrawl(t *testing.T, params Params, slice int) *tinyCrawl {
	const most = 5000
	c := &tinyCrawl{slice: slice, failed: map[graph.Page]bool{}}
	e := &Env{Facts: c, MaxPages: most, MaxSites: 1, Random: 1, URL: func(b []byte, p graph.Page) []byte {
		return fmt.Appendf(b, "http://a.example/%d/%d/x%d.%s", p%7, p%31, p%3, []string{"html", "txt"}[p%2])
	}}
	e.Out = func(p graph.Page) []graph.Page {
		if !c.kept[p] {
			return nil
		}
		return c.out[p]
	}
	for range 2 {
		q := queue.New("test", most, 1)
		q.Site(0)
		c.queues = append(c.queues, q)
		e.Boards = append(e.Boards, queue.NewBoard(q, nil))
	}
	made, err := newForesight(e, params)
	if err != nil {
		t.Fatal(err)
	}
	c.f = made.(*foresight)
	t.Cleanup(func() {
		c.f.Free()
		for _, q := range c.queues {
			q.Free()
		}
	})
	c.know(graph.NoPage)
	return c
}

// know makes the next page known.
func (c *tinyCrawl) know(from graph.Page) graph.Page {
	p := graph.Page(len(c.from))
	c.from, c.out, c.kept = append(c.from, from), append(c.out, nil), append(c.kept, false)
	for _, q := range c.queues {
		q.Page(p, 0)
	}
	if c.heeds && p%8 == 0 {
		c.f.Heard([]event.Hint{{Page: p, Above: 50}})
	}
	c.f.Known(p, from)
	for _, q := range c.queues {
		q.Push(p)
	}
	return p
}

// fetch hands out a page and fetches it. Each eleventh fails.
func (c *tinyCrawl) fetch() {
	board := c.f.Turn()
	p, ok := c.queues[board].First(0)
	if !ok {
		return
	}
	for _, q := range c.queues {
		q.Remove(p)
	}
	c.f.Taken(0, p, board)
	o := event.Outcome{}
	if p%11 == 10 {
		o.Class = event.HTTPError
		c.failed[p] = true
	} else {
		for i := range uint64(1 + p%5) {
			if h := Hash(uint64(p), i); p > 99 && c.heeds && h%3 == 0 {
				c.out[p] = append(c.out[p], graph.Page(h>>32)%graph.Page(len(c.from)/8)*8)
			} else if p > 9 && h%3 == 0 {
				c.out[p] = append(c.out[p], graph.Page(h>>32)%graph.Page(len(c.from)))
			} else {
				c.out[p] = append(c.out[p], c.know(p))
			}
		}
	}
	c.kept[p] = c.f.KeepsLinks(p)
	c.f.Done(0, p, &o, c.out[p])
	if c.slice == 0 {
		for c.f.Work(math.MaxInt) {
		}
		return
	}
	c.f.Work(c.slice)
}

// TestLearnerSums: labels are those of the index, and the sums of groups, looks and siblings
// are those of the labels, whatever the slices.
func TestLearnerSums(t *testing.T) {
	for _, slice := range []int{0, 5000} {
		c := newTinyCrawl(t, nil, slice)
		for range 1500 {
			c.fetch()
		}
		for c.f.Work(1000) {
		}
		l := c.f.learner
		if l.model.Fits() < 2 {
			t.Fatalf("%d fits", l.model.Fits())
		}
		sums, counts := map[group.ID]int64{}, map[group.ID]uint32{}
		siblings, looks := map[graph.Page]int64{}, map[uint16]int64{}
		for p, label := range l.label.Slice() {
			if label == 0 {
				continue
			}
			for g := group.ID(l.group.At(p)); ; g = l.tree.Up(g) {
				sums[g] += steps(label)
				counts[g]++
				if g == 0 {
					break
				}
			}
			looks[l.look.At(p)] += steps(label)
			siblings[c.from[p]] += steps(label)
		}
		for g := range group.ID(l.groupSum.Len()) {
			if l.groupSum.At(int(g)) != sums[g] || l.groupN.At(int(g)) != counts[g] {
				t.Fatalf("slice %d, group %d: %d of %d, want %d of %d", slice, g, l.groupSum.At(int(g)), l.groupN.At(int(g)), sums[g], counts[g])
			}
		}
		for p := range graph.Page(len(c.from)) {
			if int64(l.sibSum.At(int(p))) != siblings[p] {
				t.Fatalf("slice %d, page %d: siblings %d, want %d", slice, p, l.sibSum.At(int(p)), siblings[p])
			}
		}
		for k, want := range looks {
			if l.lookSum.At(int(k)) != want {
				t.Fatalf("slice %d, look %d: %d, want %d", slice, k, l.lookSum.At(int(k)), want)
			}
		}
	}
}

// TestRows: without URLs, pages that were found on one page far apart are of different groups
// and different directories of XIM, and those found side by side are not.
func TestRows(t *testing.T) {
	c := newTinyCrawl(t, nil, 0)
	l := c.f.learner
	l.e.URL = nil
	seed := c.know(graph.NoPage)
	first, beside := c.know(seed), c.know(seed)
	far := graph.NoPage
	for range 20 {
		far = c.know(seed)
	}
	for _, x := range []struct {
		p    graph.Page
		same bool
	}{{beside, true}, {far, false}} {
		if same := l.group.At(int(x.p)) == l.group.At(int(first)); same != x.same {
			t.Errorf("page %d is of the group of page %d: %v", x.p, first, same)
		}
		if same := l.xim.pages.SiteOf(x.p) == l.xim.pages.SiteOf(first); same != x.same {
			t.Errorf("page %d is of the directory of page %d: %v", x.p, first, same)
		}
	}
}

// TestFailedPagesTeach: a page that failed brings nothing, so its label is low.
func TestFailedPagesTeach(t *testing.T) {
	c := newTinyCrawl(t, nil, 0)
	for range 600 {
		c.fetch()
	}
	l, n := c.f.learner, 0
	for p := range c.failed {
		if label := l.label.At(int(p)); label != 0 {
			n++
			if steps(label) != -8*labelSteps {
				t.Errorf("failed page %d has the label %d", p, steps(label))
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d failed pages have labels", n)
	}
}

// TestSample: beyond the number of links, the links of fewer and fewer pages are kept; an
// estimate takes the others for pages that wait, and labels them all the same.
func TestSample(t *testing.T) {
	c := newTinyCrawl(t, Params{"links": "200"}, 0)
	for range 1500 {
		c.fetch()
	}
	l := c.f.learner
	every, kept, unkept := l.numbers.At(learnEvery), 0, 0
	for p := range graph.Page(len(c.from)) {
		switch state := l.state.At(int(p)); {
		case state&gotBit == 0:
		case state&(gotBit|lateBit|unkeptBit) == gotBit || state&lateBit != 0:
			kept += len(c.out[p])
		default:
			unkept++
			if c.kept[p] {
				t.Fatalf("the links of page %d are kept and not used", p)
			}
		}
	}
	if every < 8 || kept > 200+200/4*8 || unkept < 800 || uint64(kept) != l.numbers.At(learnKept) {
		t.Errorf("one page of %d; %d links kept, counted %d; %d pages not kept", every, kept, l.numbers.At(learnKept), unkept)
	}
	// All pages fetched before the last checkpoint have labels. There are three links for two known
	// pages, which pay for few checkpoints: the last one was at half of the pages or later.
	if n, began := uint64(l.groupN.At(0)), l.numbers.At(learnBegan); n != began || 2*began < 1500 {
		t.Errorf("%d labels, %d pages at the last checkpoint", n, began)
	}
}

// TestHeard: what a sitemap says of a page is one of its features, if the page is known before
// or after; nothing is kept before a sitemap says something.
func TestHeard(t *testing.T) {
	c := newTinyCrawl(t, nil, 0)
	for range 400 {
		c.fetch()
	}
	l := c.f.learner
	if l.model.Fits() == 0 || l.above.Len() != 0 {
		t.Fatalf("%d fits, %d priorities", l.model.Fits(), l.above.Len())
	}
	next := graph.Page(len(c.from))
	if n := len(l.Explain(3)); n != features+1 { // all others, what any page is worth, and the estimate alone
		t.Errorf("%d factors before a sitemap was read", n)
	}
	c.f.Heard([]event.Hint{{Page: 3, Above: 7}, {Page: next + 1, Above: -100}})
	c.know(graph.NoPage)
	c.know(graph.NoPage)
	for p, want := range map[graph.Page]float32{2: 0, 3: .07, next: 0, next + 1: -1} {
		if got := l.features(p)[featPriority]; got != want {
			t.Errorf("page %d: %v, want %v", p, got, want)
		}
	}
	if n := len(l.Explain(3)); n != features+2 {
		t.Errorf("%d factors after a sitemap was read", n)
	}
	c.know(graph.NoPage) // without a hint, beyond the last
	if got := l.features(next + 2)[featPriority]; got != 0 || l.above.Len() != int(next)+2 {
		t.Errorf("%v, %d priorities", got, l.above.Len())
	}
}

// TestHeardCounts: where a sitemap tells which pages are worth more, the model learns it, and
// pages that wait have new values as soon as a sitemap speaks of them.
func TestHeardCounts(t *testing.T) {
	c := newTinyCrawl(t, nil, 0)
	c.heeds = true
	for range 1500 {
		c.fetch()
	}
	l := c.f.learner
	var p graph.Page
	for p = range graph.Page(len(c.from)) {
		if l.board.Waits(p) && l.above.At(int(p)) == 0 {
			break
		}
	}
	c.f.Heard([]event.Hint{{Page: p, Above: 0}}) // which gives it a new value
	before := l.board.Value(p)
	c.f.Heard([]event.Hint{{Page: p, Above: 50}})
	if after := l.board.Value(p); after <= before {
		t.Errorf("page %d is worth %v, and %v with a high priority", p, before, after)
	}
	c.f.Heard([]event.Hint{{Page: p, Above: 0}})
	if after := l.board.Value(p); after != before {
		t.Errorf("page %d is worth %v, and %v when the sitemap takes it back", p, before, after)
	}
}
