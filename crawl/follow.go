package crawl

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// follow takes snapshots while a crawl runs: when replaying what came since the last one
// would take long.
//
// A state that is not too large is copied by the owner, which takes 0.25 s for a GiB, and
// written from the copy. That is cheap: 3.5 s of processor for a GiB, all in all. The
// memory of the copy is made ready beforehand by somebody else, who has to wait for it.
//
// A larger state is not copied: a second state in this process, the follower, opens the
// last snapshot, replays the journal as far as it is committed, and writes the next. So the
// owner does not stall, and recovery is exercised.
//
// What a snapshot costs grows with the state, so the larger the state the rarer they are:
// the cost for each page stays the same, and a restart replays about as long as it loads.
type follow struct {
	dir    *directory
	from   uint64 // record of the last snapshot
	links  int64  // links at that time
	done   chan error
	busy   bool
	began  time.Time
	copies int64 // bytes of a state that is still copied
	ending atomic.Bool
	held   atomic.Int64 // bytes of the copy, or of the columns of a follower
	every  time.Duration
	pause  time.Duration // for which the owner has stalled for the last snapshot

	room   *graph.Column[uint8]      // for a copy; nil: there is none
	making chan *graph.Column[uint8] // brings it; nil: nobody is at it
}

// Costs of replaying, measured on crawls of generated webs (see bench), and how much of it
// a restart may cost; as much again for each snapshotUnit of the state.
const (
	recordCost   = 4 * time.Microsecond
	linkCost     = 300 * time.Nanosecond
	replayLimit  = 3 * time.Second
	snapshotUnit = 600 << 20
	copyLimit    = 1 << 30
	smallCopy    = 16 << 20 // bytes for which nothing needs to be made ready
)

func newFollow(dir *directory, s *state.State, z *Sizes) *follow {
	return &follow{
		dir: dir, from: s.Next, links: s.Links, done: make(chan error, 1),
		copies: cmp.Or(z.Copy, copyLimit), every: cmp.Or(z.Replay, replayLimit),
	}
}

// due reports whether it is time for a snapshot, and none is under way.
func (f *follow) due(s *state.State, log *slog.Logger) bool {
	if f.busy {
		select {
		case err := <-f.done:
			f.busy = false
			took := time.Since(f.began).Round(time.Millisecond)
			if err != nil { // it is derived: a restart takes longer, that is all
				log.Warn("no snapshot was written", "record", f.from, "took", took, "error", err)
			} else {
				log.Info("snapshot", "record", f.from, "took", took, "pause", f.pause)
			}
		default:
		}
		return false
	}
	cost := time.Duration(s.Next-f.from)*recordCost + time.Duration(s.Links-f.links)*linkCost
	if cost < f.every {
		return false
	}
	n := s.Memory()
	if float64(cost) < float64(f.every)*(1+float64(n)/snapshotUnit) {
		return false
	}
	return n > f.copies || f.ready(s)
}

// ready reports whether there is room for a copy, and lets it be made otherwise: the system
// hands out memory a page at a time, which takes longer than to fill it.
func (f *follow) ready(s *state.State) bool {
	n := s.Memory()
	if f.room != nil || n < smallCopy {
		return true
	}
	if f.making == nil {
		f.making = make(chan *graph.Column[uint8], 1)
		size := int(n + n/8)
		f.held.Store(int64(size))
		go func() { f.making <- newRoom(size) }()
		return false
	}
	select {
	case f.room = <-f.making:
		f.making = nil
	default:
	}
	return f.room != nil
}

// newRoom is a column of some length, every page of which was touched.
func newRoom(size int) *graph.Column[uint8] {
	c := graph.NewColumn[uint8]("snapshot copy", copyRoom(size))
	c.Grow(size)
	for i, b := 0, c.Slice(); i < len(b); i += 4096 {
		b[i] = 1
	}
	return c
}

// mark records the instant. Whatever waited for it goes on then, in this state as in one
// that is made of the records later: without it a snapshot would tell of sites and pages
// that went on since the last record, and of which the journal does not know yet.
func (o *owner) mark(now time.Duration) {
	o.begin(event.Admitted, now)
	o.record()
}

func (f *follow) begin(s *state.State) {
	f.busy, f.began, f.from, f.links = true, time.Now(), s.Next, s.Links
	if f.room == nil && s.Memory() > f.copies {
		set, parts := s.Setup, f.dir.Parts
		parts.Stop, parts.Grown = f.stop, f.held.Store
		f.pause = 0
		go func() { f.done <- writeFollowed(&parts, set) }()
		return
	}
	c := &copying{room: f.room}
	if f.room = nil; c.room == nil {
		c.room = graph.NewColumn[uint8]("snapshot copy", copyRoom(int(s.Memory())))
	}
	err := s.Save(c)
	next := s.Next
	f.pause = time.Since(f.began)
	f.held.Store(c.room.Bytes())
	go func() {
		if err == nil {
			err = state.WriteSnapshot(f.dir.Snapshot, next, c.writeTo)
		}
		c.room.Free()
		f.held.Store(0)
		f.done <- err
	}()
}

// copyRoom is the address space for a copy of a state of so many bytes: more than enough,
// since what is saved of maps may be larger than they are.
func copyRoom(size int) int { return 4*size + 64<<20 }

// copying writes into a column, which may be longer than what is written.
type copying struct {
	room *graph.Column[uint8]
	n    int
}

func (c *copying) Write(b []byte) (int, error) {
	c.room.Grow(c.n + len(b))
	c.n += copy(c.room.Slice()[c.n:], b)
	return len(b), nil
}

func (c *copying) writeTo(w io.Writer) error {
	_, err := w.Write(c.room.Slice()[:c.n])
	return err
}

// errEnding says that a snapshot is not wanted any more.
var errEnding = errors.New("the crawl ends")

// stop is asked by the follower.
func (f *follow) stop() error {
	if f.ending.Load() {
		return errEnding
	}
	return nil
}

// end returns when no snapshot is under way: a follower that still replays gives up.
func (f *follow) end() {
	f.ending.Store(true)
	if f.busy {
		<-f.done
		f.busy = false
	}
	if f.making != nil {
		f.room, f.making = <-f.making, nil
	}
	if f.room != nil {
		f.room.Free()
		f.room = nil
	}
	f.held.Store(0)
}

// writeFollowed writes a snapshot of what is committed, from the journal alone.
func writeFollowed(p *layout.Parts, set *state.Setup) error {
	private := *p
	private.UrlFile = layout.FollowedFile
	s, err := state.Restore(&private, set, ^uint64(0), func(string, ...any) {})
	if err != nil {
		return err
	}
	defer func() {
		s.Close()
		p.Grown(0)
	}()
	return state.WriteSnapshot(p.Snapshot, s.Next, s.Save)
}
