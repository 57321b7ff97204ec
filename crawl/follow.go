package crawl

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
)

// follow takes snapshots while a crawl runs: when replaying what came since the last one
// would take long. A small state is copied by the owner, which takes a moment. A large
// one is not copied: a second state in this process, the follower, opens the last
// snapshot, replays the journal as far as it is committed, and writes the next. So the
// owner does not stall, and recovery is exercised all the time.
type follow struct {
	dir    *directory
	from   uint64 // record of the last snapshot
	links  int64  // links at that time
	done   chan error
	busy   bool
	began  time.Time
	copies int64 // bytes of a state that is still copied
	ending atomic.Bool
	every  time.Duration
}

// Costs of replaying, measured on crawls of generated webs (see bench); and how much of
// it a restart may cost.
const (
	recordCost  = 4 * time.Microsecond
	linkCost    = 300 * time.Nanosecond
	replayLimit = 5 * time.Second
	copyLimit   = 256 << 20
)

func newFollow(dir *directory, s *state, z *Sizes) *follow {
	return &follow{
		dir: dir, from: s.next, links: s.links, done: make(chan error, 1),
		copies: cmp.Or(z.Copy, copyLimit), every: cmp.Or(z.Replay, replayLimit),
	}
}

// due tells whether it is time for a snapshot, and none is under way.
func (f *follow) due(s *state, log *slog.Logger) bool {
	if f.busy {
		select {
		case err := <-f.done:
			f.busy = false
			took := time.Since(f.began).Round(time.Millisecond)
			if err != nil { // it is derived: a restart takes longer, that is all
				log.Warn("no snapshot was written", "record", f.from, "took", took, "error", err)
			} else {
				log.Info("snapshot", "record", f.from, "took", took)
			}
		default:
		}
		return false
	}
	cost := time.Duration(s.next-f.from)*recordCost + time.Duration(s.links-f.links)*linkCost
	return cost >= f.every
}

// mark records the instant. Whatever waited for it goes on then, in this state as in one
// that is made of the records later: without it a snapshot would tell of sites and pages
// that went on since the last record, and of which the journal does not know yet.
func (o *owner) mark(now time.Duration) {
	o.begin(frontier.Admitted, now)
	o.record()
}

func (f *follow) begin(s *state) {
	f.busy, f.began, f.from, f.links = true, time.Now(), s.next, s.links
	if s.memory() > f.copies {
		set, parts := s.set, f.dir.parts
		parts.stop = f.stop
		go func() { f.done <- writeFollowed(&parts, set) }()
		return
	}
	var b bytes.Buffer
	b.Grow(int(s.memory())) // at once: a buffer that doubles takes three times as much
	err := s.save(&b)
	next := s.next
	go func() {
		if err == nil {
			err = writeSnapshot(f.dir.snapshot, next, func(w io.Writer) error {
				_, err := w.Write(b.Bytes())
				return err
			})
		}
		f.done <- err
	}()
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
}

// writeFollowed writes a snapshot of what is committed, from the journal alone.
func writeFollowed(p *parts, set *setup) error {
	private := *p
	private.urlFile = urlsFollowed
	s, err := restore(&private, set, ^uint64(0), func(string, ...any) {})
	if err != nil {
		return err
	}
	defer s.close()
	return writeSnapshot(p.snapshot, s.next, s.save)
}
