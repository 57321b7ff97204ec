package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// Why a run ends.
const (
	whyFinished = "finished"
	whyPages    = "pages"
	whyDuration = "duration"
	whyBytes    = "bytes"
	whyStopWhen = "stop-when"
	whyStopped  = "stopped"
	whyDisk     = "disk"
	whyMemory   = "memory"
	// Only sites are left that cannot be reached.
	whyUnreachable = "unreachable"
	// Pages were given another chance, and nothing else was to be done.
	whyRetry = "retry"
	// The score needs terms that only a replay of the journal brings: Run continues.
	whyReload = "reload"
	// A command of the user: Run continues, or waits for the next one.
	whyCommand = "command"
)

// limits decide when a run ends, and why.
type limits struct {
	*session
	crew     *crew
	ceiling  ceiling
	stopping string        // why nothing is handed out any more; "" while tasks are handed out
	graceEnd time.Duration // when tasks under way are given up; 0: they are not
	watch    *advise.Watch // for --stop-when; nil: there is none
}

// grace is the time that running tasks have after a stop was requested.
const grace = 3 * time.Second

// reached reports whether a limit of the user ended the run.
func (l *limits) reached() bool {
	return l.stopping == whyPages || l.stopping == whyDuration || l.stopping == whyBytes
}

// stopped reports whether nothing is handed out any more.
func (l *limits) stopped() bool { return l.stopping != "" }

// stop ends the handing out. Tasks under way have a few seconds to end.
func (l *limits) stop(now time.Duration, why string) {
	if !l.stopped() {
		l.stopping = why
		l.graceEnd = now + grace
		l.log.Info("stopping", "why", why, "under_way", l.crew.busy())
	}
}

// mayFetch reports whether one more page may be requested. It stops the crawl when as many
// pages have been fetched as --pages allows.
func (l *limits) mayFetch() bool {
	switch {
	case l.stopped() || l.state.Renders.Crowded() && l.mayBring():
		return false
	case l.config.Pages == 0 || l.used() < l.most():
		return true
	case l.port == nil && l.fetched >= l.config.Pages && !l.mayBring():
		l.stop(l.state.Now, whyPages)
	}
	return false
}

// used returns the pages that were fetched and that are being fetched.
func (l *limits) used() int64 { return l.fetched + int64(l.underWay.pages) }

// most returns how many pages may have been fetched in all, where that is limited. With other
// partitions it is what this one was granted of the limit.
func (l *limits) most() int64 {
	switch b := &l.state.Budget; {
	case l.port == nil:
		return l.config.Pages
	case b.Limit == l.config.Pages:
		return b.Allowed
	}
	return l.fetched // the coordinator does not know yet what it was of another limit
}

// pagesLeft returns how many pages may still be handed out, below 0 for any number. While many pages
// wait for a browser, what they need goes first.
func (l *limits) pagesLeft() int {
	if l.state.Renders.Crowded() && l.mayBring() {
		return 0
	}
	if l.port == nil || l.config.Pages == 0 {
		return l.state.PagesLeft()
	}
	return int(max(0, l.most()-l.used()))
}

// mayBring reports whether requisites of the pages that were fetched may be requested. When there
// are as many pages as --pages allows, the crawl goes on until they are there, and until a browser
// has shown the pages that need it.
func (l *limits) mayBring() bool {
	parts := (l.config.Requisites || l.config.Renders()) && l.state.Requisites.Left() > 0
	return !l.stopped() && (parts || l.config.Renders() && l.state.Renders.Waiting > 0)
}

// check stops the crawl if its time or its bytes are used up. It gives up tasks under way
// at the end of the grace period.
func (l *limits) check(now time.Duration) {
	switch d := l.config.Duration.Duration; {
	case d > 0 && l.state.Active(now) >= d:
		l.stop(now, whyDuration)
	case l.port == nil && l.config.Bytes > 0 && l.state.Bytes >= int64(l.config.Bytes):
		l.stop(now, whyBytes)
	case l.watch != nil && !l.stopped() && l.watch.Holds(l.counts(now)):
		l.logStop()
		l.stop(now, whyStopWhen)
	}
	if l.graceEnd > 0 && now >= l.graceEnd {
		l.graceEnd = 0
		l.crew.harvest.cancel()
	}
}

// alarm returns when to check again even if nothing happens.
func (l *limits) alarm(now time.Duration) time.Duration {
	switch d := l.config.Duration.Duration; {
	case l.graceEnd > 0:
		return l.graceEnd
	case d > 0 && !l.stopped():
		return now + max(0, d-l.state.Active(now))
	}
	return event.Never
}

// checkRoom stops the crawl while the disk still has room for an orderly end.
func (l *limits) checkRoom(now time.Duration) {
	reserve := int64(l.config.DiskReserve)
	if reserve == 0 || l.dir.path == "" || l.stopped() {
		return
	}
	if n, ok := disk.Room(l.dir.path); ok && n < reserve {
		l.log.Warn("the disk is nearly full: the crawl pauses", "room", n, "reserve", reserve)
		l.stop(now, whyDisk)
	}
}

// left returns the time until a limit is reached, at the given pages a second. It is 0
// without a limit or a rate.
func (l *limits) left(now time.Duration, rate float64) (d time.Duration) {
	if total := l.config.Duration.Duration; total > 0 {
		d = max(0, total-l.state.Active(now))
	}
	if most := l.config.Pages; most > 0 && rate > 0 {
		byPages := time.Duration(float64(most-l.fetched) / rate * float64(time.Second))
		if d == 0 || byPages < d {
			d = max(0, byPages)
		}
	}
	return d
}
