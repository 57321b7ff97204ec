package crawl

import (
	"log/slog"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/index"
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
// An answer is anything that was stored for a request, robots.txt and failures included; one
// that is not kept is spare. At every moment all files but one have at most 1.25 B answers, or
// B + 1 if that is more, however many a group has. For let V be the file with most spare
// answers. The answers that are kept, and those that are spare in files other than V, are as
// many at most; if another answer could make them more, the loop waits until a file is emptied
// (see full). A copy makes its original spare, so that emptying V changes nothing about this;
// other files are emptied if there is room for the copies (see next).
type keeper struct {
	*recorder
	room  int64         // B
	size  int64         // at which a file ends in any case
	sizes map[int]int64 // of finished files, by number. Those that are not there were moved away
	log   *slog.Logger
	index *index.Indexer
	// leaving has the answers in files that are emptied and still on disk, by number.
	leaving map[int]int64
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
	k := &keeper{recorder: &s.recorder, room: s.port.Part(s.config.KeepPages), size: s.options.fileSize(), log: s.log, leaving: map[int]int64{}}
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
	if l.keeper, err = newKeeper(l.session); err == nil && l.keeper != nil {
		l.keeper.index = l.index
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

// makeRoom commits until there is room for another answer.
func (l *loop) makeRoom(now time.Duration) error {
	for l.keeper.full() {
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

// most returns the number of answers that all files but one may have.
func (k *keeper) most() int64 { return k.room + max(1, k.room/4) }

// load returns the number of answers on disk and in the groups under way, and the file with most
// that are spare, with their number. A file that is to be removed has nothing else.
func (k *keeper) load() (all int64, file int, spare int64) {
	open := k.warc.Size().File
	before, in, _ := k.state.Kept.Answers(open, k.usable)
	file, spare = k.state.Kept.Fullest(func(n int) bool { return n == open || k.usable(n) })
	for n, answers := range k.leaving {
		if all += answers; answers > spare || answers == spare && n < file {
			file, spare = n, answers
		}
	}
	return all + before + in, file, spare
}

// full reports whether another answer could make the answers too many.
func (k *keeper) full() bool {
	if k == nil {
		return false
	}
	all, _, spare := k.load()
	return spare > 0 && all+1-spare > k.most()
}

// next returns the file to be emptied next: the emptiest one, if there is room for copies of what
// is kept in it, or else that with most spare answers.
func (k *keeper) next() (file int, ok bool) {
	if file, ok = k.victim(); !ok {
		return 0, false
	}
	all, fullest, spare := k.load()
	if _, kept := k.state.Kept.In(file); file == fullest || all+kept-spare <= k.most() {
		return file, true
	}
	return fullest, k.usable(fullest)
}

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
		file, ok := k.next()
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
	m, moved := &journal.Moves{From: uint32(file), Last: true}, []archive.Moved(nil)
	list := k.state.Kept.Survivors(file)
	for i, p := range list {
		if bytes >= most || int64(i) >= pages {
			m.Last, list = false, list[:i]
			break
		}
		from := k.place(p)
		at := k.warc.Copy(from)
		main := k.state.Kept.Main(p)
		moved = append(moved, archive.Moved{From: from.Offset, To: at.Offset, Length: int64(main)})
		if i == 0 {
			m.To = journal.Position{File: uint32(at.File), Size: at.Offset}
		}
		m.Spans = append(m.Spans, journal.Span{Whole: uint32(from.Length), Main: main})
		bytes += from.Length
	}
	if len(list) > 0 {
		k.open.copies = true
	}
	k.index.Copied(k.warc.Current(), file, moved, m.Last)
	answers, _ := k.state.Kept.In(file)
	r := k.begin(event.Moved, now)
	r.Event.Admit, r.Facts.Moves = append(r.Event.Admit, list...), m
	k.record()
	if m.Last {
		k.open.gone = append(k.open.gone, file)
		k.leaving[file] = answers
		delete(k.sizes, file)
	}
	return bytes
}

// gone notes that files are removed.
func (k *keeper) gone(files []int) {
	if k == nil {
		return
	}
	for _, n := range files {
		delete(k.leaving, n)
	}
}

// end ends the current file after a group, if it is long enough, or if there are too many answers
// and it is to be emptied next.
func (k *keeper) end() {
	if k == nil {
		return
	}
	at := k.warc.Size()
	_, open, _ := k.answers()
	if open < k.inFile() && at.Size < k.size {
		if _, ok := k.next(); ok || !k.overdue() {
			return
		}
	}
	k.sizes[at.File] = at.Size
	k.warc.End()
}
