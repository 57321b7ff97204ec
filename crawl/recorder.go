package crawl

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/compact"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A recorder writes down what the crawl decides. Every decision is a record: it joins the
// open group and is applied to the state at once. The committer writes one group at a
// time. When a group is on disk, its sites may be requested again.
type recorder struct {
	state     *state.State
	journal   *journal.Log
	warc      *archive.Writer
	committer *committer
	tasks     taskPool
	rec       journal.Record  // begin starts it, record writes it
	keeper    *compact.Keeper // nil: all pages are kept

	open   group         // records and bytes since the last commit
	spare  group         // the next open group; the committer has a third
	since  time.Duration // instant of its first record
	delay  time.Duration // from then to its commit
	hungry bool          // harvesters are idle, and sites with pages wait for a commit
	busy   bool          // the committer has a group

	position archive.Position // of the archive, as committed
	records  int64            // bytes of the journal, as committed
	archived int64            // bytes of WARC files, as committed by this session
	commits  int64
	onDisk   uint64 // records that are committed

	lastCommit time.Time // when the last commit was, or when the session began
}

// begin starts a record.
func (w *recorder) begin(kind event.Kind, now time.Duration) *journal.Record {
	r := &w.rec
	e := event.Event{Kind: kind, New: r.Event.New[:0], Bars: r.Event.Bars[:0], Admit: r.Event.Admit[:0], Links: r.Event.Links[:0], Anchors: r.Event.Anchors[:0], Needs: r.Event.Needs[:0], Read: r.Event.Read}
	e.Gifts, e.Amounts, e.Lessons = r.Event.Gifts[:0], r.Event.Amounts[:0], r.Event.Lessons[:0]
	e.Read.Reset()
	names := r.Facts.Names
	names.Reset()
	*r = journal.Record{Now: now, Event: e, Facts: journal.Facts{Names: names}}
	return r
}

// record adds the record that begin started to the open group, and applies it.
func (w *recorder) record() {
	r := &w.rec
	if !slices.ContainsFunc(r.Event.Bars, func(b event.Bar) bool { return b != event.NoBar }) {
		r.Event.Bars = r.Event.Bars[:0]
	}
	if !r.Event.HasAnchors() {
		r.Event.Anchors = r.Event.Anchors[:0]
	}
	if w.journal.Empty() {
		w.since = r.Now
	}
	r.Facts.Early = w.busy
	w.journal.Append(r)
	w.state.Apply(r, false)
}

// recordSite records an event that has only a site.
func (w *recorder) recordSite(kind event.Kind, now time.Duration, s graph.Site) {
	w.begin(kind, now).Event.Site = s
	w.record()
}

// mark records the instant, before a snapshot is taken. The state has let sites and pages
// continue since the last record; the record makes a replay do the same.
func (w *recorder) mark(now time.Duration) {
	w.begin(event.Admitted, now)
	w.record()
}

// hold makes a site wait for the commit of the last record. A site that waits longer between
// two requests than a group for its commit is no reason to commit early, not even if its
// instant has come: its robots.txt was fetched elsewhere, which happens once.
func (w *recorder) hold(s graph.Site) {
	w.open.sites = append(w.open.sites, s)
	if !w.rec.Event.Keep && w.state.Frontier.Between(s) < w.delay+commitTime { // if kept, its harvester continues with it
		w.open.free = min(w.open.free, w.state.Frontier.Instant(s))
	}
}

// manyLinks is the largest number of links whose memory is kept for the next page.
const manyLinks = 5000

// keep holds a task until its bytes are committed. A task without bytes that nobody is to see is
// reused at once.
func (w *recorder) keep(t *task) {
	if t.found.Links.Len() > manyLinks {
		t.found.Links = gather.Links{} // they are in the record, and take megabytes
	}
	if n := len(t.found.Records.Bytes); n > 0 || t.shown {
		w.open.tasks = append(w.open.tasks, t)
		w.open.bytes += int64(n)
		if t.shown {
			w.open.bytes += int64(len(t.found.Body))
		}
		return
	}
	w.tasks.put(t)
}

// groupBytes is the number of archive bytes after which a group is committed early.
const groupBytes = 8 << 20

// send passes the open group to the committer if the committer is idle and the group is
// due, large, or needed at once.
func (w *recorder) send(now time.Duration, atOnce bool) {
	if w.pending() && (now >= w.dueAt() || atOnce || w.open.bytes > groupBytes || w.keeper.Overdue()) {
		w.give(now)
	}
}

// pending reports whether the open group could be passed to the committer.
func (w *recorder) pending() bool { return !w.busy && (!w.journal.Empty() || w.keeper.Overdue()) }

// committed reports whether every record is on disk.
func (w *recorder) committed() bool { return !w.busy && w.journal.Empty() }

// commitTime is the time that a commit may take. A group is committed that much earlier
// than one of its sites may be requested again.
const commitTime = 10 * time.Millisecond

// dueAt returns when to commit the open group: --commit after its first record, or
// earlier if harvesters wait for one of its sites (see hold).
func (w *recorder) dueAt() time.Duration {
	at := w.since + w.delay
	if w.hungry {
		at = min(at, w.open.free-commitTime)
	}
	return at
}

// give passes the open group to the committer.
func (w *recorder) give(now time.Duration) {
	w.open.emptied = w.keeper.Copy(now)
	if w.journal.Empty() {
		w.mark(now)
	}
	g := w.open
	g.next = w.state.Next
	g.warc = w.warc.Take()
	w.keeper.End()
	at, f := w.warc.Size(), w.state.Frontier
	g.records = w.journal.Take(journal.Commit{
		Warc:  journal.Position{File: uint32(at.File), Size: at.Size},
		Pages: uint32(f.Pages()), Sites: uint32(f.Sites()),
	})
	w.open = w.spare
	w.busy = true
	w.committer.in <- &g
}

// settle processes a group that was committed: its sites may be requested again.
func (w *recorder) settle(now time.Duration, g *group) error {
	w.busy = false
	if g.err != nil {
		return g.err
	}
	w.commits, w.lastCommit = w.commits+1, time.Now()
	w.onDisk = g.next
	w.keeper.Gone(g.emptied.Gone)
	w.position = g.warc.End()
	w.archived += g.warc.Len()
	w.records += g.records.Len()
	for _, s := range g.sites {
		w.state.Frontier.Settle(now, s)
	}
	for _, t := range g.tasks {
		w.tasks.put(t)
	}
	w.spare = group{sites: g.sites[:0], tasks: g.tasks[:0], free: event.Never}
	return nil
}
