package crawl

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// ceiling holds a crawl below --max-memory. It goes by what is measured:
//
//	needed = 2 * state + rest
//
// The state is what the crawl knows. It counts twice, since a snapshot takes as much
// again while it is taken (see follow). The rest is bodies on their way, records that
// wait for the disk, the buffers of fetchers: what is live on the heap, and not less than
// what bodies may take.
//
// When no more than a reserve is left nothing is handed out any more, and the crawl pauses
// as soon as what is under way has ended. An answer whose links do not even fit into the
// reserve is void, as one that was cut off: the next session asks again. So none is ever
// recorded without its links.
type ceiling struct {
	most    int64       // --max-memory, in bytes
	heap    func() Heap // nil: nothing but the state is measured
	reserve int64
	state   int64 // when it was last measured
	needed  int64
	known   int    // pages and sites at that time
	pages   int    // of these
	record  uint64 // and the next record
}

func newCeiling(most int64, heap func() Heap) ceiling {
	return ceiling{most: most, heap: heap, reserve: most / reserveShare, known: -looked}
}

const (
	// reserveShare is the part of the memory for answers that are under way when the rest
	// is used up.
	reserveShare = 16
	// looked is how many pages and sites may become known between two looks, and how many
	// records there may be.
	looked = 256
)

// look measures if it is time: after some records or new pages, or at once.
func (c *ceiling) look(s *state.State, now bool) {
	if n := s.Table.Pages() + s.Table.Sites(); now || n >= c.known+looked || s.Next >= c.record+looked {
		c.known, c.pages, c.record = n, s.Table.Pages(), s.Next
		c.state = s.Memory()
		c.needed = 2*c.state + c.rest(s)
	}
}

// rest is what the crawl takes besides what it knows.
func (c *ceiling) rest(s *state.State) int64 {
	n := bodyBudget(c.most)
	if c.heap != nil {
		n = max(n, c.heap().Live-s.Heap())
	}
	return n
}

// full reports whether nothing but the reserve is left.
func (c *ceiling) full() bool { return c.most > 0 && c.needed > c.most-c.reserve }

// fits reports whether there is room for what an answer brings: its links, or its rules.
func (c *ceiling) fits(s *state.State, t *task) bool {
	room, links := c.most-c.needed, &t.found.Links
	cost := int64(links.Len()*(state.MostPerPage+state.MostPerSite) + t.rules.Size())
	if cost == 0 || c.most == 0 || 2*cost < room {
		return true
	}
	each := c.state * 5 / 4 / int64(max(1, c.pages)) // as much as one took so far, and some more
	cost = s.Cost(links, min(max(each, 2*state.LeastPerPage), state.MostPerPage)) + int64(t.rules.Size())
	return cost == 0 || 2*cost < room
}

// watchMemory pauses the crawl before it needs more memory than it may have.
func (o *owner) watchMemory() {
	o.ceiling.look(o.s, false)
	if o.stopping == "" && o.ceiling.full() {
		o.ceiling.look(o.s, true)
		o.outOfMemory()
	}
}

// outOfMemory pauses the crawl.
func (o *owner) outOfMemory() {
	if o.stopping == "" {
		o.log.Warn("the memory is used up: the crawl pauses, and nothing is lost", "pages", o.s.Frontier.Pages(), "sites", o.s.Frontier.Sites(), "needed", o.ceiling.needed, "max_memory", o.ceiling.most)
	}
	o.stop(o.s.Now, whyMemory)
}

// bursts reports whether an answer brings more than there is memory for. It is void then, and
// the crawl pauses.
func (o *owner) bursts(t *task) bool {
	if t.void || t.work.Kind == event.Resolve {
		return false
	}
	o.ceiling.look(o.s, o.ceiling.full() || t.rules.Size() > largeRules)
	if o.ceiling.fits(o.s, t) {
		return false
	}
	o.outOfMemory()
	return true
}

// largeRules are rules of so many bytes that they are worth a look of their own.
const largeRules = 64 << 10

// roomError says that there is no room for a seed.
func roomError(url string, most int64) error {
	return &hint.Error{Text: "there is no room for " + url, Hint: fmt.Sprintf("give the crawl more memory: --max-memory %dM", 2*most>>20)}
}

// weigh fills in what the crawl takes: what it knows, a follower's copy of it, and the heap,
// as measured or as far as it is known.
func (o *owner) weigh(x *history.Status) {
	heap := o.s.Heap()
	x.OffHeap = o.s.Memory() - heap + o.follow.held.Load()
	if o.ceiling.heap != nil {
		heap = o.ceiling.heap().Resident
	}
	x.Memory = x.OffHeap + heap
}
