package crawl

import (
	"log/slog"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A keeper limits the pages in the archive of a crawl with --keep-pages B. It drops the page
// with the lowest value as soon as there are more than B, which is a record and no more; the
// answer stays where it is. It makes room by emptying files: what is kept of a file is copied
// to the end of the archive, as a part of the next group, and when that is on disk, the
// committer removes the file. The loop decides, the committer reads and writes, and a group
// copies a few megabytes at most.
//
// An answer is anything that was stored for a request, robots.txt and failures included. All
// files but one have at most 1.25 B answers: the one is that which is written, or has just
// been finished and is being emptied. It ends after B/16 answers, but not before there is room
// for them.
type keeper struct {
	*recorder
	room  int64         // B
	size  int64         // at which a file ends in any case
	half  int           // the file of which a part was copied; -1: there is none
	sizes map[int]int64 // of finished files, by number. Those that are not there were moved away
	log   *slog.Logger
}

const (
	// copyBytes is the number of bytes after which a group copies no more answers.
	copyBytes = 4 << 20
	// goneAtOnce is the largest number of files that a group empties.
	goneAtOnce = 16
)

// newKeeper returns the keeper of a session, nil if all pages are kept. It removes what a
// session that was killed has emptied and not removed.
func newKeeper(s *session) (*keeper, error) {
	if s.state.Kept == nil {
		return nil, nil
	}
	k := &keeper{recorder: &s.recorder, room: s.config.KeepPages, half: -1, size: s.options.fileSize(), log: s.log}
	if err := k.sweep(); err != nil {
		return nil, diskError(s.options.Dir, err)
	}
	var err error
	if k.sizes, err = archive.Finished(s.dir.Archive); err != nil {
		return nil, diskError(s.options.Dir, err)
	}
	return k, nil
}

// limitPages makes the keeper of the session, and drops what is too much for it. What earlier
// sessions dropped stays dropped.
func (l *loop) limitPages() (err error) {
	if was := l.admission.was; was != nil && l.state.Dropped > 0 && was.KeepPages > 0 &&
		(l.config.KeepPages == 0 || l.config.KeepPages > was.KeepPages) {
		l.log.Warn("pages that were dropped before stay dropped: a larger --keep-pages concerns those that are fetched from now on",
			"dropped", l.state.Dropped, "before", was.KeepPages, "now", l.config.KeepPages)
	}
	if l.keeper, err = newKeeper(l.session); err == nil {
		l.keeper.drop(l.base)
	}
	return err
}

// shrink commits until there are no more answers than there may be.
func (l *loop) shrink() error {
	for l.keeper.overdue() {
		l.give(l.now())
		if err := l.settle(l.now(), <-l.committer.out); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes the files that were emptied last, if they are still there.
func (k *keeper) sweep() error {
	var list []int
	for _, n := range k.state.Kept.Gone() {
		list = append(list, int(n))
	}
	return k.warc.Remove(list...)
}

// drop drops pages until there are no more than may be kept.
func (k *keeper) drop(now time.Duration) {
	if k == nil {
		return
	}
	if n := k.state.Kept.Len() - int(k.room); n > 0 {
		r := k.begin(event.Dropped, now)
		r.Event.Admit = k.state.Kept.WorstOf(r.Event.Admit, n)
		k.record()
	}
}

// most returns the number of answers that finished files may have.
func (k *keeper) most() int64 { return k.room + k.room/4 }

// inFile returns the number of answers after which a file ends.
func (k *keeper) inFile() int64 { return max(1, k.room/16) }

// usable reports whether a file can be emptied.
func (k *keeper) usable(file int) bool { return k.sizes[file] > 0 }

// answers counts the answers in finished files, in the one that is written, and those of the
// last that are not kept.
func (k *keeper) answers() (finished, open, spare int64) {
	return k.state.Kept.Answers(k.warc.Size().File, k.usable)
}

// victim returns the file to be emptied next.
func (k *keeper) victim() (file int, ok bool) {
	return k.state.Kept.Emptiest(k.warc.Size().File, k.usable)
}

// overdue reports whether there are more answers than there may be, and something can be done
// about it.
func (k *keeper) overdue() bool {
	if k == nil {
		return false
	}
	finished, open, spare := k.answers()
	if finished+open <= k.most() {
		return false
	}
	_, ok := k.victim()
	return ok || spare > 0
}

// copy adds copies of answers to the open group, if files have to be emptied. It does so a
// little before there is no more room. Copies fill files of the usual length, of which the
// emptiest can be chosen later: one long file would be copied as a whole again and again.
func (k *keeper) copy(now time.Duration) {
	if k == nil {
		return
	}
	for left := int64(copyBytes); left > 0 && len(k.open.gone) < goneAtOnce; {
		finished, open, _ := k.answers()
		room := k.inFile() - open
		if finished+open > k.most() {
			room = max(room+3*k.inFile(), k.inFile())
		}
		if finished+open <= k.most()-k.inFile() || room <= 0 {
			return
		}
		file, ok := k.victim()
		if !ok {
			return
		}
		if !k.readable(file) {
			delete(k.sizes, file)
			continue
		}
		left -= k.empty(now, file, left, room)
	}
}

// place returns where the answer of a page is in a finished file.
func (k *keeper) place(p graph.Page) archive.Place {
	at := k.state.Kept.Place(p)
	if at.Length == 0 {
		at.Length = k.sizes[at.File] - at.Offset
	}
	return at
}

// readable reports whether a file has all answers that are kept in it. One that has lost its
// end stays as it is.
func (k *keeper) readable(file int) bool {
	for _, p := range k.state.Kept.Survivors(file) {
		if at := k.place(p); at.Length < int64(k.state.Kept.Main(p)) || at.Offset+at.Length > k.sizes[file] {
			k.log.Warn("a WARC file is shorter than recorded in the journal, and stays as it is", "file", file, "bytes", k.sizes[file])
			return false
		}
	}
	return true
}

// empty copies the answers that are kept in a file, or about as many bytes or pages of them as
// are given, and records it. It returns how many bytes these are.
func (k *keeper) empty(now time.Duration, file int, most, pages int64) (bytes int64) {
	m := &journal.Moves{From: uint32(file), Last: true}
	list := k.state.Kept.Survivors(file)
	for i, p := range list {
		if bytes >= most || int64(i) >= pages {
			m.Last, list = false, list[:i]
			break
		}
		from := k.place(p)
		at := k.warc.Copy(from)
		if i == 0 {
			m.To = journal.Position{File: uint32(at.File), Size: at.Offset}
		}
		m.Spans = append(m.Spans, journal.Span{Whole: uint32(from.Length), Main: k.state.Kept.Main(p)})
		bytes += from.Length
	}
	if len(list) > 0 {
		k.open.copies = true
	}
	r := k.begin(event.Moved, now)
	r.Event.Admit, r.Facts.Moves = append(r.Event.Admit, list...), m
	k.record()
	if k.half = file; m.Last {
		k.half = -1
		k.open.gone = append(k.open.gone, file)
		delete(k.sizes, file)
	}
	return bytes
}

// end ends the current file after a group, if it is long enough and there is room for another
// finished one, or nothing can be done to make room.
func (k *keeper) end() {
	if k == nil {
		return
	}
	at := k.warc.Size()
	finished, open, _ := k.answers()
	if open < k.inFile() && at.Size < k.size {
		return
	}
	if k.half >= 0 { // it is the one file that does not count
		finished -= k.state.Kept.AnswersIn(k.half)
	}
	if _, more := k.victim(); finished+open > k.most() && more {
		return
	}
	k.sizes[at.File] = at.Size
	k.warc.End()
}
