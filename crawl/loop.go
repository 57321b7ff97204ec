package crawl

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/checkpoint"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/index"
	"github.com/winnow-crawler/winnow/crawl/notice"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// A loop runs a crawl. It alone touches the state. Each turn takes what has arrived, hands
// out tasks, gives a group to the committer, and waits until there is more to do. The
// simulator has the same order because a task is handed out only to an idle harvester,
// results are taken all at once and sorted, nothing waits to fill a batch, and no select
// decides an order.
type loop struct {
	*session
	inbox     inbox
	crew      crew
	limits    limits
	weather   weather
	admission admission
	revisits  revisiting
	outcomes  outcomes
	meter     meter
	deny      denyList
	scores    rescoring
	renders   renders
	index     *index.Indexer
	snapshots *checkpoint.Taker
	notices   *notice.Receiver // nil: none are received
	tasksDone int              // since held pages were looked at
	retried   int              // pages that RunOptions.Chance names
	desk      *port.Desk
	heard     port.Decision // of the other partitions
	hopeless  bool          // only sites are left that cannot be reached, for the time of --patience
}

// newLoop makes the parts of a run and records the beginning of its session.
func newLoop(s *session) (*loop, error) {
	l := &loop{session: s}
	l.limits = limits{session: s, crew: &l.crew, ceiling: newCeiling(s.memory, s.options.Machine.Heap)}
	l.weather = weather{session: s, honest: map[string]bool{}}
	l.admission = admission{session: s, revived: map[graph.Page]bool{}}
	l.revisits = newRevisiting(s)
	l.index = index.New(s.dir.path, s.warc.Size().Size, s.warc.Current())
	l.outcomes = outcomes{
		session: s, admission: &l.admission, limits: &l.limits, weather: &l.weather, index: l.index,
		robots: robots.Limits{Retry: s.config.RobotsRetry.Duration},
	}
	if err := l.admission.beginSession(&l.limits.ceiling); err != nil {
		return nil, err
	}
	if err := l.limitPages(); err != nil {
		return nil, err
	}
	h, err := newHarvest(s)
	if err != nil {
		return nil, err
	}
	l.fetched = s.state.Fetched()
	l.crew = crew{harvest: h, size: s.config.Fetchers, lines: frontier.NewLines(s.state.Frontier, s.keepMost()), open: map[graph.Site]connection{}, permits: s.port.Permits()}
	l.desk = port.NewDesk(s.port, s.state)
	l.deny = denyList{path: s.config.Deny, scope: s.scope, text: s.scope.DenyList().DenyText()}
	l.scores = newRescoring(s, &l.limits)
	l.renders = newRenders(s, &l.outcomes, h.gather)
	l.snapshots = checkpoint.New(&s.dir.Parts, s.state, s.options.Machine.Sizes.Copy, s.options.Machine.Sizes.Replay)
	l.committer = newCommitter(s.warc, s.journal, s.port, s.config.Sync, s.visitor.show)
	l.inbox = inbox{results: h.results, groups: l.committer.out, timer: time.NewTimer(time.Hour), reload: s.options.Reload, wake: s.port.Woken(), lost: s.port.Lost(), orders: s.options.Control.Orders()}
	l.inbox.renders = l.renders.out
	if l.notices, err = s.listen(); err != nil {
		return nil, err
	}
	switch {
	case l.notices != nil:
		l.inbox.notices = l.notices.C
	case s.port != nil:
		l.inbox.notices, l.heard.Relent = s.port.Notices, s.port.Coordinator.Hear().Relent
	}
	return l, nil
}

// release ends the goroutines that still run.
func (l *loop) release() {
	l.limits.watch.Free()
	if l.notices != nil {
		l.notices.Close()
	}
	l.renders.close()
	l.snapshots.End()
	l.index.Wait()
	if r := l.crew.harvest.names; r != nil {
		r.Close()
	}
}

// start commits the beginning of the session, before anything is requested.
func (l *loop) start() error {
	if err := l.dir.writeSecrets(l.config); err != nil { // before anything is written without them
		return err
	}
	if err := l.flush(); err != nil {
		return err
	}
	if err := l.dir.writeConfig(cmp.Or(l.options.keep, l.config)); err != nil {
		return err
	}
	var err error
	if l.limits.watch, err = newWatch(l.session); err != nil {
		return err
	}
	if most := l.config.Pages; most > 0 && l.fetched > most && l.options.Chance == nil {
		l.log.Warn(fmt.Sprintf("--pages %d is below the %d pages that are fetched already: nothing is fetched", most, l.fetched))
	}
	if l.options.Chance != nil {
		l.retried = l.admission.retry(l.admission.chance)
		if l.options.orders.plan == nil {
			l.limits.stop(l.now(), whyRetry)
		}
	}
	if l.options.orders.paused() {
		l.limits.stop(l.now(), whyCommand)
	}
	if l.limits.watch != nil { // the condition of the session before may still hold
		l.limits.check(l.now())
	}
	return nil
}

// run crawls until nothing is left, a limit is reached or the context ends.
func (l *loop) run(ctx context.Context) error {
	done := ctx.Done()
	for {
		now := l.now()
		if err := l.hear(now); err != nil {
			return err
		}
		l.askPages(now)
		l.converse(now)
		l.limits.watchMemory()
		if !l.limits.stopped() {
			l.weather.requestWitness(now)
		}
		back := event.Never
		if !l.limits.stopped() {
			back = l.revisits.look(now)
		}
		ask := min(l.handOut(now), back)
		if err := l.watch(now); err != nil {
			return err
		}
		if err := l.state.Err; err != nil {
			return err
		}
		l.send(now, l.limits.stopped())
		l.renders.look()
		l.lookAfter(now)
		end, more, err := l.ended(ask)
		if end || err != nil {
			return err
		}
		if more {
			continue
		}
		if l.limits.stopped() { // the next session takes orders, if there is one
			l.inbox.orders = nil
		}
		if l.inbox.wait(done, l.now(), l.alarm(now, ask)) {
			done = nil
			l.limits.stop(l.now(), whyStopped)
		}
		if l.inbox.void {
			return port.ErrLost
		}
		if err := l.take(); err != nil {
			return err
		}
	}
}

// watch admits refused pages when the only sites left are those that cannot be reached: for
// all other sites that is the end of the crawl. If they stay so, it stops the crawl.
func (l *loop) watch(now time.Duration) (err error) {
	if l.limits.stopped() {
		return nil
	}
	switch l.weather.look(now) {
	case bleak:
		if l.port != nil {
			break // all partitions relent at the same time: see hear
		}
		var more bool
		if more, err = l.admission.last(now); more {
			l.weather.quiet = 0
		}
	case hopeless:
		if l.hopeless = true; l.port == nil {
			l.limits.stop(now, whyUnreachable)
		}
	}
	return err
}

// lookAfter does what is due besides fetching: snapshots, the deny list, the score, indexes
// and reports.
func (l *loop) lookAfter(now time.Duration) {
	if l.snapshots.Due(l.state, l.log) {
		l.mark(now)
		l.snapshots.Begin(l.state)
	}
	if l.deny.look(now, l.log.Warn) {
		l.admission.changeDeny(now)
	}
	l.scores.look(now, l.inbox.reloads)
	l.inbox.reloads = false
	l.index.Look(l.position, l.log.Warn)
	l.options.uploads.Look(l.position)
	l.crew.expire(now)
	l.report(now)
}

// ended reports whether nothing is under way and nothing can be handed out any more, or,
// with more, whether pages were admitted that can be handed out now. It waits for the last
// commit, which may let sites continue.
func (l *loop) ended(ask time.Duration) (end, more bool, err error) {
	if l.port != nil {
		return l.say(ask), false, nil
	}
	if l.crew.busy() > 0 || l.renders.busy || !l.committed() {
		return false, false, nil
	}
	if l.renders.ready() {
		return false, true, nil
	}
	if !l.limits.stopped() && ask == event.Never && !l.weather.outage.On() {
		if more, err = l.admission.last(l.now()); !more && err == nil {
			l.limits.stopping = whyFinished
		}
	}
	return l.limits.stopped(), more, err
}

// alarm returns the instant of the next turn if nothing arrives before.
func (l *loop) alarm(now, ask time.Duration) time.Duration {
	at := min(ask, l.meter.tick, l.limits.alarm(now), l.desk.Alarm(now))
	if l.pending() {
		at = min(at, max(l.dueAt(), now+1))
	}
	if !l.limits.stopped() {
		at = min(at, l.weather.probeAt(now, l.crew.busy() == 0))
	}
	return at
}

// take applies the tasks that have ended, then the group that was committed, then the
// limits.
func (l *loop) take() error {
	tasks := l.inbox.takeTasks()
	now := l.now() // not before the last of them ended
	for i, t := range tasks {
		if err := l.makeRoom(now); err != nil {
			for _, t := range tasks[i:] {
				t.conn.cut()
			}
			return err
		}
		l.end(now, t)
		l.keeper.Drop(now)
	}
	if l.tasksDone += len(tasks); l.tasksDone >= relentEvery {
		l.tasksDone = 0
		if !l.limits.stopped() {
			l.admission.relent(now, false)
		}
	}
	if urls := l.inbox.takeNotices(); len(urls) > 0 && !l.limits.stopped() {
		l.admission.notify(now, urls)
	}
	if x := l.inbox.order; x != nil {
		l.inbox.order = nil
		l.command(now, x)
	}
	if j := l.inbox.render; j != nil {
		l.inbox.render = nil
		l.renders.take(now, j)
	}
	if g := l.inbox.takeGroup(); g != nil {
		if err := l.settle(now, g); err != nil {
			return err
		}
	}
	l.limits.check(now)
	return l.state.Err
}

// end processes a task that has ended: it records the result, and lets the harvester
// continue with the site or makes it idle.
func (l *loop) end(now time.Duration, t *task) {
	w, m := t.work, t.who
	l.underWay.end(w)
	if t.void || l.limits.bursts(t) { // as if it had not been requested: the next session requests it
		t.conn.cut()
		l.tasks.put(t)
		l.crew.rest(m)
		return
	}
	l.weather.note(now, t)
	l.outcomes.logCrash(t)
	l.outcomes.take(now, t)
	if w.Kind == event.Fetch {
		l.weather.doubt(now, w.Site)
	}
	l.crew.keep(now, t)
	l.keep(t)
	if w.Kind == event.Robots && w.For != w.Site && !l.rec.Event.Hop {
		l.hold(w.For)
	}
	if w.Kind != event.Resolve {
		l.hold(w.Site)
	}
	switch {
	case w.Kind == event.Robots:
		l.admission.withdrawFiles(now, w.For) // the rules may have changed
		l.admission.withdrawRequisites(now, w.For)
	case w.Kind == event.Fetch && l.fetchMore(now, m, w.Site):
		return
	}
	l.crew.rest(m)
}

// flush commits all records and waits for that.
func (l *loop) flush() error {
	for !l.committed() {
		if !l.busy {
			l.give(l.now())
		}
		if err := l.settle(l.now(), <-l.committer.out); err != nil {
			return err
		}
	}
	return nil
}

// finish ends a run. After an error nothing more is written: the next run resumes from the
// last commit. Otherwise everything is committed, a snapshot is taken and files are closed.
func (l *loop) finish(err error) (*Summary, error) {
	l.crew.dismiss()
	if err == nil {
		err = l.flush()
	}
	if err == nil {
		err = l.shrink()
	}
	if err == nil {
		l.mark(l.now())
		err = l.flush()
	}
	l.committer.close()
	if err == nil {
		err = l.closeFiles()
	}
	if l.inbox.isLost() { // what failed, failed for that
		return nil, port.ErrLost
	}
	if err != nil {
		return nil, diskError(l.options.Dir, err)
	}
	return l.summary(), nil
}

// closeFiles takes the last snapshot and closes what the committer wrote.
func (l *loop) closeFiles() error {
	l.snapshots.End()
	if err := l.state.URLs.Flush(); err != nil {
		return err
	}
	if err := snapshot.Write(l.dir.Snapshot, l.state.Next, l.state.Save); err != nil {
		return err
	}
	if err := l.warc.Close(); err != nil {
		return err
	}
	l.index.Finish(l.limits.stopping == whyStopped, l.log.Warn)
	l.sendRest()
	if k := l.keeper; k != nil { // an index may have been written of a file that was removed meanwhile
		_ = k.Sweep()
	}
	return l.journal.Close()
}

// exhausted reports whether a crawl would have ended without a limit.
func (l *loop) exhausted(s *history.Status) bool {
	return s.NothingLeft() && s.Counts.Files == 0 && l.state.Traps.Guard.Holds() == 0 && l.config.Recrawl.Duration == 0
}

// summary measures a crawl that has ended, and writes its last status.
func (l *loop) summary() *Summary {
	s := &l.meter.status
	l.measure(l.now())
	s.Why, s.State = l.limits.stopping, history.StatePaused
	if s.Why == whyFinished || l.limits.reached() && l.exhausted(s) {
		s.Why = whyFinished
		s.State = history.StateFinished
	}
	s.Caps = l.state.Caps(l.config)
	s.Unreachable = l.writeStatus(event.Never, s.Caps).Unreachable
	return &Summary{Status: *s, Retried: l.retried}
}
