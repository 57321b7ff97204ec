package crawl

import (
	"runtime/metrics"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
)

// BodyBudget returns how many bytes of bodies may be in memory.
func BodyBudget(o *RunOptions) int64 { return bodyBudget(memoryLimit(o)) }

// NewPlaces returns the places where pages are parsed, for all partitions of a crawl.
func NewPlaces(o *RunOptions) *gather.Places { return newPlaces(memoryLimit(o)) }

// memoryLimit returns the ceiling in force, in bytes: --max-memory, or half the memory of
// the machine.
func memoryLimit(o *RunOptions) int64 {
	if n := int64(o.Config.MaxMemory); n != 0 {
		return n
	}
	return max(o.MachineMemory/2, 1<<30)
}

// Weight returns how many bytes the state of a partition will take that knows so many pages and
// sites, about. It counts twice, as that of one that runs.
func Weight(pages, sites uint32) int64 {
	return int64(pages)*state.MostPerPage + int64(sites)*state.MostPerSite
}

// Room returns how many bytes the state of a partition may take that begins here, beside those that
// take so many bytes already. A quarter of the ceiling is left, in which all of them grow.
func Room(o *RunOptions, taken int64) int64 {
	most := memoryLimit(o)
	rest := bodyBudget(most)
	if o.Machine.Heap != nil {
		rest = max(rest, o.Machine.Heap().Live)
	}
	return most - most/4 - rest - taken
}

// A ceiling keeps a crawl below --max-memory. It compares that with a measure:
//
//	needed = 2 * state + rest + beside + others + peers
//
// The state is what the crawl knows. It counts twice, since a snapshot may copy it (see
// snapshots). The rest is bodies under way, records that wait for the disk and the buffers
// of harvesters: what is live on the heap, and not less than bodies may take.
//
// When only a reserve is left, nothing more is handed out, and the crawl pauses when the
// tasks under way have ended. An answer whose links do not fit into the reserve is void:
// the next session requests it again. So no answer is recorded without its links.
type ceiling struct {
	most   int64       // --max-memory, in bytes
	heap   func() Heap // nil: only the state is measured
	beside int64       // bytes of columns that are not part of the state: see limits.watchMemory
	others int64       // bytes that others use: see RunOptions.Beside
	peers  int64       // bytes that other partitions use
	state  int64       // when it was last measured
	needed int64
	known  int    // pages and sites at that time
	pages  int    // pages alone
	record uint64 // number of the next record at that time
}

func newCeiling(most int64, heap func() Heap) ceiling {
	return ceiling{most: most, heap: heap, known: -looked}
}

const (
	// reserveShare is the part of the memory that is kept for answers under way.
	reserveShare = 16
	// looked is the number of new pages and sites, or of records, between two measurements.
	looked = 256
)

// look measures the crawl if it has grown enough, or if now is set.
func (c *ceiling) look(s *state.State, now bool) {
	if n := s.Table.Pages() + s.Table.Sites(); now || n >= c.known+looked || s.Next >= c.record+looked {
		c.known, c.pages, c.record = n, s.Table.Pages(), s.Next
		c.state = s.Memory()
		rest := bodyBudget(c.most)
		if c.heap != nil {
			rest = max(rest, c.heap().Live-s.Heap())
		}
		c.needed = 2*c.state + rest + c.beside + c.others + c.peers
	}
}

// full reports whether only the reserve is left.
func (c *ceiling) full() bool { return c.needed > c.most-c.most/reserveShare }

// fits reports whether there is room for the links or the rules of an answer.
func (c *ceiling) fits(s *state.State, t *task) bool {
	room, links, needs := c.most-c.needed, &t.found.Links, int64(t.found.Needs.Len()*state.MostPerSite)
	cost := int64(links.Len()*(state.MostPerPage+state.MostPerSite)+t.rules.Size()) + needs
	if cost == 0 || 2*cost < room {
		return true
	}
	each := c.state * 5 / 4 / int64(max(1, c.pages)) // what a page took so far, and a quarter more
	cost = s.Cost(links, min(max(each, 2*state.LeastPerPage), state.MostPerPage)) + int64(t.rules.Size()) + needs
	return cost == 0 || 2*cost < room
}

// watchMemory pauses the crawl before it needs more memory than it may have.
func (l *limits) watchMemory() {
	l.ceiling.beside, l.ceiling.others = l.watch.OffHeap(), 0
	if l.options.Beside != nil {
		l.ceiling.others = l.options.Beside()
	}
	l.ceiling.peers = l.port.Beside(2*l.ceiling.state + l.ceiling.beside + l.ceiling.others)
	l.ceiling.look(l.state, false)
	if !l.stopped() && l.ceiling.full() {
		l.ceiling.look(l.state, true)
		l.outOfMemory()
	}
}

// outOfMemory pauses the crawl.
func (l *limits) outOfMemory() {
	if !l.stopped() {
		l.log.Warn("the memory is used up: the crawl pauses, and nothing is lost", "pages", l.state.Frontier.Pages(), "sites", l.state.Frontier.Sites(), "needed", l.ceiling.needed, "max_memory", l.ceiling.most)
	}
	l.stop(l.state.Now, whyMemory)
}

// largeRules is the size of rules, in bytes, before which the crawl is measured again.
const largeRules = 64 << 10

// bursts reports whether there is too little memory for an answer. The crawl pauses then.
func (l *limits) bursts(t *task) bool {
	if t.work.Kind == event.Resolve {
		return false
	}
	l.ceiling.look(l.state, l.ceiling.full() || t.rules.Size() > largeRules)
	if l.ceiling.fits(l.state, t) {
		return false
	}
	l.outOfMemory()
	return true
}

// weigh fills in the memory of the crawl: the columns of its state, which x.Memory has, what
// snapshots hold, and the heap, measured if that is possible.
func (c *ceiling) weigh(s *state.State, held int64, x *history.Status) {
	heap := s.Heap()
	x.OffHeap = x.Memory - heap + held + c.others
	if c.heap != nil {
		heap = c.heap().Resident
	}
	x.Memory = x.OffHeap + heap
}

// A Heap is the memory that the Go runtime has from the machine, in bytes.
type Heap struct {
	Resident int64 // all that was not returned to the system, with the program itself
	Live     int64 // all that is not garbage
}

// programBytes is the part of the program itself that is in memory while it crawls.
const programBytes = 16 << 20

// MeasureHeap returns the memory of the Go runtime of this process. Live includes the stacks
// and tables of the runtime, and what the collector needs to keep up.
func MeasureHeap() Heap {
	x := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(x)
	is := func(i int) int64 { return int64(x[i].Value.Uint64()) }
	resident := is(0) - is(1) + programBytes
	live := is(5) + is(5)/8
	return Heap{Resident: resident, Live: min(resident, resident-is(2)-is(3)-is(4)+live)}
}
