// Package compact limits the pages in the archive of a crawl: it drops the worst, and empties WARC
// files by copying what is kept of them.
package compact

import (
	"log/slog"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/index"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A Keeper limits the pages in the archive of a crawl with --keep-pages B. It drops the page
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
// (see Full). A copy makes its original spare, so that emptying V changes nothing about this;
// other files are emptied if there is room for the copies (see next).
//
// A nil Keeper keeps everything.
type Keeper struct {
	Options
	sizes map[int]int64 // of finished files, by number. Those that are not there were moved away
	// leaving has the answers in files that are emptied and still on disk, by number.
	leaving map[int]int64
}

// Options are what a Keeper needs of its crawl.
type Options struct {
	State *state.State
	Warc  *archive.Writer
	Index *index.Indexer
	Room  int64 // B
	Size  int64 // at which a file ends in any case
	Log   *slog.Logger
	// Begin starts a record, and Record writes it.
	Begin  func(event.Kind, time.Duration) *journal.Record
	Record func()
}

// Emptied is what a group does for a Keeper.
type Emptied struct {
	Copies bool  // answers of earlier files are copied
	Gone   []int // files that are removed afterwards: what is kept of them was copied
}

const (
	// copyBytes is the number of bytes after which a group copies no more answers.
	copyBytes = 4 << 20
	// goneAtOnce is the largest number of files that a group empties.
	goneAtOnce = 16
)

// New returns the Keeper of a session, nil if all pages are kept. It removes what a session that was
// killed has emptied and not removed. The archive is in the directory d.
func New(o Options, d disk.Dir) (*Keeper, error) {
	if o.State.Kept == nil {
		return nil, nil
	}
	k := &Keeper{Options: o, leaving: map[int]int64{}}
	if err := k.Sweep(); err != nil {
		return nil, err
	}
	var err error
	k.sizes, err = archive.Finished(d)
	return k, err
}

// Sweep removes the files that were emptied last, if they are still there.
func (k *Keeper) Sweep() error {
	var list []int
	for _, n := range k.State.Kept.Gone() {
		list = append(list, int(n))
	}
	return k.Warc.Remove(list...)
}

// Drop drops pages until there are no more than may be kept.
func (k *Keeper) Drop(now time.Duration) {
	if k == nil {
		return
	}
	if n := k.State.Kept.Len() - int(k.Room); n > 0 {
		r := k.Begin(event.Dropped, now)
		r.Event.Admit = k.State.Kept.WorstOf(r.Event.Admit, n)
		k.Record()
	}
}

// most returns the number of answers that all files but one may have.
func (k *Keeper) most() int64 { return k.Room + max(1, k.Room/4) }

// load returns the number of answers on disk and in the groups under way, and the file with most
// that are spare, with their number. A file that is to be removed has nothing else.
func (k *Keeper) load() (all int64, file int, spare int64) {
	open := k.Warc.Size().File
	before, in, _ := k.State.Kept.Answers(open, k.usable)
	file, spare = k.State.Kept.Fullest(func(n int) bool { return n == open || k.usable(n) })
	for n, answers := range k.leaving {
		if all += answers; answers > spare || answers == spare && n < file {
			file, spare = n, answers
		}
	}
	return all + before + in, file, spare
}

// Full reports whether another answer could make the answers too many.
func (k *Keeper) Full() bool {
	if k == nil {
		return false
	}
	all, _, spare := k.load()
	return spare > 0 && all+1-spare > k.most()
}

// next returns the file to be emptied next: the emptiest one, if there is room for copies of what
// is kept in it, or else that with most spare answers.
func (k *Keeper) next() (file int, ok bool) {
	if file, ok = k.victim(); !ok {
		return 0, false
	}
	all, fullest, spare := k.load()
	if _, kept := k.State.Kept.In(file); file == fullest || all+kept-spare <= k.most() {
		return file, true
	}
	return fullest, k.usable(fullest)
}

// inFile returns the number of answers after which a file ends.
func (k *Keeper) inFile() int64 { return max(1, k.Room/16) }

// usable reports whether a file can be emptied.
func (k *Keeper) usable(file int) bool { return k.sizes[file] > 0 }

// answers counts the answers in finished files, in the one that is written, and those of the
// last that are not kept.
func (k *Keeper) answers() (finished, open, spare int64) {
	return k.State.Kept.Answers(k.Warc.Size().File, k.usable)
}

// victim returns the file to be emptied next.
func (k *Keeper) victim() (file int, ok bool) {
	return k.State.Kept.Emptiest(k.Warc.Size().File, k.usable)
}

// Overdue reports whether there are more answers than there may be, and something can be done
// about it.
func (k *Keeper) Overdue() bool {
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

// Copy adds copies of answers to the next group of the archive, if files have to be emptied. It does so a
// little before there is no more room. Copies fill files of the usual length, of which the
// emptiest can be chosen later: one long file would be copied as a whole again and again.
func (k *Keeper) Copy(now time.Duration) (e Emptied) {
	if k == nil {
		return e
	}
	for left := int64(copyBytes); left > 0 && len(e.Gone) < goneAtOnce; {
		finished, open, _ := k.answers()
		room := k.inFile() - open
		if finished+open > k.most() {
			room = max(room+3*k.inFile(), k.inFile())
		}
		if finished+open <= k.most()-k.inFile() || room <= 0 {
			return e
		}
		file, ok := k.next()
		if !ok {
			return e
		}
		if !k.readable(file) {
			delete(k.sizes, file)
			continue
		}
		left -= k.empty(now, file, left, room, &e)
	}
	return e
}

// place returns where the answer of a page is in a finished file.
func (k *Keeper) place(p graph.Page) archive.Place {
	at := k.State.Kept.Place(p)
	if at.Length == 0 {
		at.Length = k.sizes[at.File] - at.Offset
	}
	return at
}

// readable reports whether a file has all answers that are kept in it. One that has lost its
// end stays as it is.
func (k *Keeper) readable(file int) bool {
	for _, p := range k.State.Kept.Survivors(file) {
		if at := k.place(p); at.Length < int64(k.State.Kept.Main(p)) || at.Offset+at.Length > k.sizes[file] {
			k.Log.Warn("a WARC file is shorter than recorded in the journal, and stays as it is", "file", file, "bytes", k.sizes[file])
			return false
		}
	}
	return true
}

// empty copies the answers that are kept in a file, or about as many bytes or pages of them as
// are given, and records it. It returns how many bytes these are.
func (k *Keeper) empty(now time.Duration, file int, most, pages int64, e *Emptied) (bytes int64) {
	m, moved := &journal.Moves{From: uint32(file), Last: true}, []archive.Moved(nil)
	list := k.State.Kept.Survivors(file)
	for i, p := range list {
		if bytes >= most || int64(i) >= pages {
			m.Last, list = false, list[:i]
			break
		}
		from := k.place(p)
		at := k.Warc.Copy(from)
		main := k.State.Kept.Main(p)
		moved = append(moved, archive.Moved{From: from.Offset, To: at.Offset, Length: int64(main)})
		if i == 0 {
			m.To = journal.Position{File: uint32(at.File), Size: at.Offset}
		}
		m.Spans = append(m.Spans, journal.Span{Whole: uint32(from.Length), Main: main})
		bytes += from.Length
	}
	if len(list) > 0 {
		e.Copies = true
	}
	k.Index.Copied(k.Warc.Current(), file, moved, m.Last)
	answers, _ := k.State.Kept.In(file)
	r := k.Begin(event.Moved, now)
	r.Event.Admit, r.Facts.Moves = append(r.Event.Admit, list...), m
	k.Record()
	if m.Last {
		e.Gone = append(e.Gone, file)
		k.leaving[file] = answers
		delete(k.sizes, file)
	}
	return bytes
}

// Gone notes that files are removed.
func (k *Keeper) Gone(files []int) {
	if k == nil {
		return
	}
	for _, n := range files {
		delete(k.leaving, n)
	}
}

// End ends the current file after a group, if it is long enough, or if there are too many answers
// and it is to be emptied next.
func (k *Keeper) End() {
	if k == nil {
		return
	}
	at := k.Warc.Size()
	_, open, _ := k.answers()
	if open < k.inFile() && at.Size < k.Size {
		if _, ok := k.next(); ok || !k.Overdue() {
			return
		}
	}
	k.sizes[at.File] = at.Size
	k.Warc.End()
}
