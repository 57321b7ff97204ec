package crawl

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/trouble"
)

// Why a run ends.
const (
	whyFinished = "finished"
	whyPages    = "pages"
	whyDuration = "duration"
	whyBytes    = "bytes"
	whyStopped  = "stopped"
	whyDisk     = "disk"
	whyMemory   = "memory"
	// Only sites are left that cannot be reached.
	whyUnreachable = "unreachable"
	// Pages were given another chance, and nothing else was to be done.
	whyRetry = "retry"
)

// An owner runs a crawl: it alone touches the state. One turn of its loop takes what
// has come, hands out what can be handed out, gives a group to the committer, and waits
// until something of the kind can happen again. What makes a simulation give the same
// order: works are handed out only to an idle harvester, what has come is taken whole
// and sorted, nothing waits to fill a batch, and no select decides an order.
type owner struct {
	o     *RunOptions
	c     *config.Config
	log   *slog.Logger
	s     *state.State
	scope *gather.Scope

	journal  *journal.Log
	warc     *archive.Writer
	commit   *committer
	open     group            // records and bytes since the last commit
	since    time.Duration    // instant of its first record
	busy     bool             // the committer has a group
	written  []*group         // groups that came back from it
	position archive.Position // of the archive, as committed
	records  int64            // bytes of the journal, as committed
	archived int64            // bytes of the WARC files that were committed by this session
	commits  int64

	h      *harvest
	cancel context.CancelFunc // gives up requests under way
	hangUp func()             // gives up questions for names; nil: there is nobody to ask
	crew   []*harvester
	served []int    // by harvester: requests over its connection
	conn   []uint32 // by harvester: number of its connection
	idle   []int
	spare  []*task
	came   []*task // scratch: what has come

	base         time.Duration // instant of the crawl at which this session began
	epoch        time.Time     // when that was
	rec          journal.Record
	fetching     int   // pages under way
	works        int   // that have ended since relent
	fetched      int64 // pages that came, over all sessions: redirects and revisits do not count
	visits       int64 // all that came in this session
	conns        uint32
	before       []byte // configuration of the session before, TOML; nil: there was none
	loosened     bool   // the session before had other limits
	stopping     string // why nothing is handed out any more; "": it is
	graceEnd     time.Duration
	hungry       bool // harvesters are idle, and sites with pages wait for a commit
	timer        *time.Timer
	dir          *directory
	builder      *archive.Builder
	robots       robots.Limits
	statusAt     time.Duration
	deny         denyList
	outage       trouble.Outage
	witness      graph.Site // the site that was asked last to see whether we are cut off
	witnessAsked time.Duration
	quiet        time.Duration // since when there was nothing left that answers; 0: there is
	retriedPages int
	hopeAt       time.Duration   // when to look again
	honest       map[string]bool // answers that many pages give, and are proper: see portal
	portalAt     time.Duration   // when the next suspicion may be
	takenBack    time.Duration   // the last answer of a portal that was taken back
	resolves     page.Resolver
	flight       flight
	crashes      int // of the parser, in this session
	follow       *follow
	index        indexer
	ceiling      ceiling
	config.Overrides
	meter
}

// now is the instant of the crawl: it never goes back, not even over restarts.
func (o *owner) now() time.Duration { return o.base + time.Since(o.epoch) }

// run crawls until there is nothing left, a limit is reached or the context ends.
func (o *owner) run(ctx context.Context) error {
	done := ctx.Done()
	for {
		now := o.now()
		o.watchMemory()
		o.askWitness(now)
		ask := o.handOut(now)
		o.losePatience(now)
		if err := o.s.Err; err != nil {
			return diskError(o.o.Dir, err)
		}
		o.send(now)
		if o.follow.due(o.s, o.log) {
			o.mark(now)
			o.follow.begin(o.s)
		}
		if o.deny.look(now, o.log.Warn) {
			o.changeDeny(now)
		}
		o.index.look(o.position, o.log.Warn)
		o.report(now)
		if o.ended(ask) {
			return nil
		}
		if o.wait(done, o.alarm(now, ask)) {
			done = nil
			o.stop(o.now(), whyStopped)
		}
		if err := o.take(); err != nil {
			return err
		}
	}
}

// ended reports whether nothing is under way and nothing can be handed out any more. What
// is still to be committed is committed first, since that may let sites go on.
func (o *owner) ended(ask time.Duration) bool {
	if len(o.idle) < len(o.crew) || o.busy || !o.journal.Empty() {
		return false
	}
	if o.stopping == "" && ask == event.Never && !o.outage.On() && !o.relent(o.now(), true) && !o.refill(o.now()) {
		o.stopping = whyFinished
	}
	return o.stopping != ""
}

// stop ends the handing out. Works under way have some seconds to end.
func (o *owner) stop(now time.Duration, why string) {
	if o.stopping == "" {
		o.stopping = why
		o.graceEnd = now + grace
		o.log.Info("stopping", "why", why, "under_way", len(o.crew)-len(o.idle))
	}
}

// grace is how long works under way may take after the crawl was told to stop.
const grace = 3 * time.Second

// alarm is the instant at which the owner has to do something even if nothing comes.
func (o *owner) alarm(now, ask time.Duration) time.Duration {
	at := min(ask, o.tick, o.probeAt(now))
	if !o.journal.Empty() && !o.busy {
		at = min(at, max(o.dueAt(), now+1))
	}
	if o.stopping != "" && o.graceEnd > 0 {
		at = min(at, o.graceEnd)
	}
	if d := o.c.Duration.Duration; d > 0 && o.stopping == "" {
		at = min(at, now+max(0, d-o.s.Active(now)))
	}
	return at
}

// wait returns when something came, at the instant of the alarm, or, with true, when
// the crawl is to stop. Which of them ends it decides nothing: all that is there is
// taken afterwards.
func (o *owner) wait(done <-chan struct{}, at time.Duration) (stop bool) {
	var alarm <-chan time.Time
	if at != event.Never {
		o.timer.Reset(max(0, at-o.now()))
		alarm = o.timer.C
	}
	select {
	case t := <-o.h.results:
		o.came = append(o.came, t)
	case g := <-o.commit.out:
		o.written = append(o.written, g)
	case <-done:
		return true
	case <-alarm:
	}
	return false
}

// take applies all that has come, then what has been committed, then the limits.
func (o *owner) take() error {
	for len(o.h.results) > 0 {
		o.came = append(o.came, <-o.h.results)
	}
	now := o.now() // not before the last of them ended
	slices.SortFunc(o.came, (*task).before)
	for _, t := range o.came {
		o.end(now, t)
	}
	if o.works += len(o.came); o.works >= relentEvery {
		o.works = 0
		o.relent(now, false)
	}
	o.came = o.came[:0]
	if err := o.settle(now); err != nil {
		return err
	}
	switch d := o.c.Duration.Duration; {
	case d > 0 && o.s.Active(now) >= d:
		o.stop(now, whyDuration)
	case o.c.Bytes > 0 && o.s.Bytes >= int64(o.c.Bytes):
		o.stop(now, whyBytes)
	}
	if o.stopping != "" && o.graceEnd > 0 && now >= o.graceEnd {
		o.graceEnd = 0
		o.cancel()
	}
	if err := o.s.Err; err != nil {
		return diskError(o.o.Dir, err)
	}
	return nil
}

// settle takes what has been committed: its sites may be asked again.
func (o *owner) settle(now time.Duration) error {
	if len(o.commit.out) > 0 {
		o.written = append(o.written, <-o.commit.out)
	}
	for _, g := range o.written {
		o.busy = false
		if g.err != nil {
			return diskError(o.o.Dir, g.err)
		}
		o.commits++
		o.position = g.warc.End()
		o.archived += g.warc.Len()
		o.records += g.records.Len()
		for _, s := range g.sites {
			o.s.Frontier.Settle(now, s)
		}
		for _, t := range g.tasks {
			o.recycle(t)
		}
		o.open.sites, o.open.tasks = recycled(o.open.sites, g.sites), recycled(o.open.tasks, g.tasks)
	}
	o.written = o.written[:0]
	return nil
}

// recycled is the list in use, or an old one that is empty again.
func recycled[T any](in, old []T) []T {
	if in == nil {
		return old[:0]
	}
	return in
}

// send gives the open group to the committer if it is idle and it is time.
func (o *owner) send(now time.Duration) {
	if o.busy || o.journal.Empty() {
		return
	}
	if now >= o.dueAt() || o.stopping != "" || o.open.bytes > groupBytes {
		o.give()
	}
}

// dueAt is when the open group is to be committed: --commit after its first record, or
// earlier when harvesters wait for a site of it that might be asked before.
func (o *owner) dueAt() time.Duration {
	at := o.since + o.c.Commit.Duration
	if o.hungry {
		at = min(at, o.open.free-commitTime)
	}
	return at
}

// commitTime is how long before a site may be asked its group is committed: disks take
// some of it.
const commitTime = 10 * time.Millisecond

// give gives the open group to the committer.
func (o *owner) give() {
	g := o.open
	g.warc = o.warc.Take()
	g.records = o.journal.Take(o.state())
	o.open = group{free: event.Never}
	o.busy = true
	o.commit.in <- &g
}

// groupBytes is how many bytes of the archive make a group worth writing.
const groupBytes = 8 << 20

// state is what a commit says of the state.
func (o *owner) state() journal.Commit {
	at := o.warc.Size()
	return journal.Commit{
		Warc:  journal.Position{File: uint32(at.File), Size: at.Size},
		Pages: uint32(o.s.Frontier.Pages()), Sites: uint32(o.s.Frontier.Sites()),
	}
}

// begin starts a record.
func (o *owner) begin(kind event.Kind, now time.Duration) *journal.Record {
	r := &o.rec
	e := event.Event{Kind: kind, New: r.Event.New[:0], Bars: r.Event.Bars[:0], Admit: r.Event.Admit[:0], Links: r.Event.Links[:0]}
	names := r.Facts.Names
	names.Reset()
	*r = journal.Record{Now: now, Event: e, Facts: journal.Facts{Names: names}}
	return r
}

// record writes the record that was begun into the open group, and applies it.
func (o *owner) record() {
	r := &o.rec
	if !slices.ContainsFunc(r.Event.Bars, func(b event.Bar) bool { return b != event.NoBar }) {
		r.Event.Bars = r.Event.Bars[:0]
	}
	if o.journal.Empty() {
		o.since = r.Now
	}
	r.Facts.Early = o.busy
	o.journal.Append(r)
	o.s.Apply(r, false)
}

// hold notes that a site waits for the commit of what was recorded last.
func (o *owner) hold(s graph.Site) {
	o.open.sites = append(o.open.sites, s)
	if !o.rec.Event.Keep { // else its fetcher goes on with it
		o.open.free = min(o.open.free, o.s.Frontier.Instant(s))
	}
}
