// Package checkpoint takes snapshots of the state of a crawl while it runs.
package checkpoint

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/graph"
)

// A Taker takes snapshots of a running crawl, whenever replaying the records since the
// last one would take long.
//
// A state that is not too large is copied by the loop, which takes 0.25 s for a GiB, and
// written from the copy. That is cheap: 3.5 s of processor time for a GiB in all. Another
// goroutine prepares the memory of the copy, which takes longer than filling it.
//
// A larger state is not copied. A second state in this process, the follower, opens the last
// snapshot, replays the committed records, and writes the next snapshot. So the loop does
// not stall, and recovery is exercised.
//
// The cost of a snapshot grows with the state, so a larger state has fewer snapshots: the
// cost for each page stays the same, and a restart replays about as long as it loads.
type Taker struct {
	dir    *layout.Parts
	from   uint64     // record of the last snapshot
	links  int64      // links at that time
	pages  int        // and known pages
	done   chan error // of the snapshot under way; nil: there is none
	began  time.Time
	copies int64           // bytes of the largest state that is copied
	ctx    context.Context // ends when the follower is to give up
	cancel context.CancelFunc
	held   atomic.Int64 // bytes of the copy, or of the columns of a follower
	every  time.Duration
	pause  time.Duration // for which the loop stalled for the last snapshot

	room   *graph.Column[uint8]      // for a copy; nil: there is none
	making chan *graph.Column[uint8] // delivers it; nil: it is not being made
}

// RecordCost is the time to replay a record, measured on crawls of generated webs (see bench).
const RecordCost = 4 * time.Microsecond

// The time to replay a link, and that to take in a new page where the policy looks at the links
// of pages, as foresight does; and the time that a replay may take, which grows by as much for
// each snapshotUnit of the state.
const (
	linkCost     = 300 * time.Nanosecond
	pageCost     = 7 * time.Microsecond
	replayLimit  = 3 * time.Second
	snapshotUnit = 600 << 20
	copyLimit    = 1 << 30
	smallCopy    = 16 << 20 // bytes for which memory needs no preparation
)

// New returns a Taker for the crawl in a directory. It copies states of at most so many bytes, and
// takes a snapshot when a replay would take that long; 0 means the usual limits.
func New(dir *layout.Parts, s *state.State, copies int64, every time.Duration) *Taker {
	ctx, cancel := context.WithCancel(context.Background())
	return &Taker{
		ctx: ctx, cancel: cancel, dir: dir, from: s.Next, links: s.Links, pages: s.Frontier.Pages(),
		copies: cmp.Or(copies, copyLimit), every: cmp.Or(every, replayLimit),
	}
}

// Due reports whether to begin a snapshot. It logs the one that has ended.
func (f *Taker) Due(s *state.State, log *slog.Logger) bool {
	if f.done != nil {
		select {
		case err := <-f.done:
			f.done = nil
			took := time.Since(f.began).Round(time.Millisecond)
			if err != nil { // without it a restart only takes longer
				log.Warn("no snapshot was written", "record", f.from, "took", took, "error", err)
			} else {
				log.Info("snapshot", "record", f.from, "took", took, "pause", f.pause)
			}
		default:
		}
		return false
	}
	cost := f.cost(s)
	if cost < f.every {
		return false
	}
	n := s.Memory()
	if float64(cost) < float64(f.every)*(1+float64(n)/snapshotUnit) {
		return false
	}
	return n > f.copies || f.ready(s)
}

// cost returns the time that it would take to replay what is new since the last snapshot.
func (f *Taker) cost(s *state.State) time.Duration {
	cost := time.Duration(s.Next-f.from)*RecordCost + time.Duration(s.Links-f.links)*linkCost
	if s.Setup.Policy.Spec.Links {
		cost += time.Duration(s.Frontier.Pages()-f.pages) * pageCost
	}
	return cost
}

// ready reports whether there is memory for a copy. If not, it has it prepared: the system
// hands out memory a page at a time, which takes longer than to fill it.
func (f *Taker) ready(s *state.State) bool {
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

// newRoom returns a column whose memory pages have all been touched.
func newRoom(size int) *graph.Column[uint8] {
	c := graph.NewColumn[uint8]("snapshot copy", copyRoom(size))
	c.Grow(size)
	for i, b := 0, c.Slice(); i < len(b); i += 4096 {
		b[i] = 1
	}
	return c
}

// Begin begins a snapshot. Due must have returned true.
func (f *Taker) Begin(s *state.State) {
	done := make(chan error, 1)
	f.done, f.began, f.from, f.links, f.pages = done, time.Now(), s.Next, s.Links, s.Frontier.Pages()
	if f.room == nil && s.Memory() > f.copies {
		set, parts := s.Setup, *f.dir
		parts.UrlFile, parts.Stop, parts.Grown = layout.FollowedFile, f.ctx.Err, f.held.Store
		f.pause = 0
		go func() { done <- writeFollowed(&parts, set) }()
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
			err = snapshot.Write(f.dir.Snapshot, next, c.writeTo)
		}
		c.room.Free()
		f.held.Store(0)
		done <- err
	}()
}

// copyRoom returns the address space for a copy of a state of size bytes. It is ample, since
// maps may take more when they are saved.
func copyRoom(size int) int { return 4*size + 64<<20 }

// copying is a Writer to a column that may be longer than what is written.
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

// End waits until no snapshot is under way. A follower that still replays gives up.
func (f *Taker) End() {
	f.cancel()
	if f.done != nil {
		<-f.done
		f.done = nil
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

// writeFollowed replays the committed records and writes a snapshot of the result.
func writeFollowed(p *layout.Parts, set *state.Setup) error {
	s, err := state.Restore(p, set, ^uint64(0), func(string, ...any) {})
	if err != nil {
		return err
	}
	defer func() {
		s.Close()
		p.Grown(0)
	}()
	return snapshot.Write(p.Snapshot, s.Next, s.Save)
}

// Held returns the bytes that a snapshot under way takes.
func (f *Taker) Held() int64 { return f.held.Load() }
