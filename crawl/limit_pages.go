package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/compact"
)

// limitPages makes the keeper of the session, and drops what is too much for it. What earlier
// sessions dropped stays dropped.
func (l *loop) limitPages() (err error) {
	if was := l.admission.was; was != nil && l.state.Dropped > 0 && was.KeepPages > 0 &&
		(l.config.KeepPages == 0 || l.config.KeepPages > was.KeepPages) {
		l.log.Warn("pages that were dropped before stay dropped: a larger --keep-pages concerns those that are fetched from now on",
			"dropped", l.state.Dropped, "before", was.KeepPages, "now", l.config.KeepPages)
	}
	l.keeper, err = compact.New(compact.Options{
		State: l.state, Warc: l.warc, Index: l.index, Room: l.port.Part(l.config.KeepPages), Size: l.options.fileSize(), Log: l.log,
		Begin: l.begin, Record: l.record,
	}, l.dir.Archive)
	if err != nil {
		return diskError(l.options.Dir, err)
	}
	l.keeper.Drop(l.base)
	return nil
}

// shrink commits until there are no more answers than there may be.
func (l *loop) shrink() error {
	for l.keeper.Overdue() {
		l.give(l.now())
		if err := l.settle(l.now(), <-l.committer.out); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom commits until there is room for another answer.
func (l *loop) makeRoom(now time.Duration) error {
	for l.keeper.Full() {
		g := l.inbox.takeGroup()
		if g == nil {
			if !l.busy {
				l.give(now)
			}
			g = <-l.committer.out
		}
		if err := l.settle(now, g); err != nil {
			return err
		}
	}
	return nil
}
