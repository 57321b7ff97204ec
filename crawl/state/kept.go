package state

import (
	"cmp"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/keep"
)

// Kept holds, for a crawl with --keep-pages, the pages that are kept and where their answers
// are in the archive, and how many answers each WARC file has. It is a fold of the records.
//
// The value of a page is the number of links to it from fetched pages or, with a score, its
// score; each as it was when the page was fetched, or when a page with a link to it was
// fetched for the first time. Only contents are kept: not redirects, not failures, not
// robots.txt and sitemaps.
//
// It takes 4 bytes for each known page and 48 for each kept page.
type Kept struct {
	*keep.Buffer
	s *State
	// By slot: where the answer is, the length of its main record, and that of all its
	// records. A length of 0 is not known: the answer ends where the file does.
	file   *graph.Column[uint32]
	offset *graph.Column[uint64]
	main   *graph.Column[uint32]
	whole  *graph.Column[uint32]
	saved  savedKept
}

// savedKept is the part of Kept that is in no column. Snapshots hold it as it is.
type savedKept struct {
	Stored uint64 // of the buffer
	Files  []keptFile
	Gone   []uint32 // the last files that were to be removed
	Last   lastAnswer
}

// A keptFile counts the answers of a WARC file that was not removed.
type keptFile struct {
	Number  uint32
	Answers int64 // of all kinds
	Kept    int64 // of these, of pages that are kept
}

// lastAnswer is the last answer in the archive: it ends where the next one begins.
type lastAnswer struct {
	File   uint32
	Offset int64
	Page   uint32 // 1 + the page; 0: it is not of a page that is kept
}

// goneKept is the number of removed files that are remembered. A group removes fewer.
const goneKept = 64

func newKept(s *State, pages int) *Kept {
	set := &s.Saved
	return &Kept{
		Buffer: keep.NewBuffer(set, pages), s: s,
		file:   graph.NewColumnIn[uint32](set, "kept files", pages),
		offset: graph.NewColumnIn[uint64](set, "kept offsets", pages),
		main:   graph.NewColumnIn[uint32](set, "kept answers", pages),
		whole:  graph.NewColumnIn[uint32](set, "kept lengths", pages),
	}
}

// Holds reports whether a page is kept.
func (k *Kept) Holds(p graph.Page) bool {
	if k == nil {
		return false
	}
	_, ok := k.Slot(p)
	return ok
}

// Worth returns the present value of a page.
func (k *Kept) Worth(p graph.Page) float64 {
	if v, ok := k.s.Frontier.Worth(p); ok {
		return v
	}
	return float64(k.s.LinksIn(p))
}

// linked gives a page its value again, because another link to it was found.
func (k *Kept) linked(p graph.Page) {
	if k != nil && k.Holds(p) {
		k.Change(p, k.Worth(p))
	}
}

// note applies a record, after the rest of the state.
func (k *Kept) note(r *journal.Record) {
	if k == nil {
		return
	}
	switch e := &r.Event; e.Kind {
	case event.Ruled, event.Listed, event.Brought:
		k.answer(r.Facts.Place, graph.NoPage)
	case event.Done:
		k.done(r)
	case event.Dropped:
		for _, p := range e.Admit {
			k.drop(p)
		}
	case event.Moved:
		k.moved(r)
	case event.Session, event.Scored:
		if len(r.Facts.Score) > 0 {
			k.Revalue(k.Worth)
		}
	}
}

// done keeps the answer of a page, or counts it if it is not to be kept. An answer that a page
// has not changed leaves the one that is kept.
func (k *Kept) done(r *journal.Record) {
	e, f := &r.Event, &r.Facts
	if e.Again || e.Class.Failed() || e.Class == event.Redirect || f.Status == journal.NotModified || f.Revisit != 0 || len(f.Payload) == 0 || f.Place.Length == 0 {
		k.answer(f.Place, graph.NoPage)
		return
	}
	k.answer(f.Place, e.Page)
	k.place(e.Page, f.Place, 0, k.Worth(e.Page))
}

// answer counts an answer in the archive. The one before ends there.
func (k *Kept) answer(at journal.Place, p graph.Page) {
	if at.Length == 0 {
		return
	}
	if l := k.saved.Last; l.Page != 0 && l.File == at.File {
		slot, ok := k.Slot(graph.Page(l.Page - 1))
		if ok && k.file.At(slot) == l.File && k.offset.At(slot) == uint64(l.Offset) && at.Offset > l.Offset {
			k.whole.Set(slot, uint32(min(at.Offset-l.Offset, 1<<32-1)))
		}
	}
	k.saved.Last = lastAnswer{at.File, at.Offset, uint32(p + 1)} // NoPage is the largest number
	k.of(at.File).Answers++
}

// place sets where the answer of a page is. If the page was kept, its old answer is needed no
// longer.
func (k *Kept) place(p graph.Page, at journal.Place, whole uint32, value float64) {
	if slot, ok := k.Slot(p); ok {
		k.of(k.file.At(slot)).Kept--
	}
	slot := k.Store(p, value)
	if slot == k.file.Len() {
		k.file.Append(0)
		k.offset.Append(0)
		k.main.Append(0)
		k.whole.Append(0)
	}
	k.file.Set(slot, at.File)
	k.offset.Set(slot, uint64(at.Offset))
	k.main.Set(slot, uint32(at.Length))
	k.whole.Set(slot, whole)
	k.of(at.File).Kept++
}

// drop takes a page out.
func (k *Kept) drop(p graph.Page) {
	slot, last, ok := k.Remove(p)
	if !ok {
		return
	}
	k.of(k.file.At(slot)).Kept--
	k.file.Set(slot, k.file.At(last))
	k.offset.Set(slot, k.offset.At(last))
	k.main.Set(slot, k.main.At(last))
	k.whole.Set(slot, k.whole.At(last))
	k.file.Truncate(last)
	k.offset.Truncate(last)
	k.main.Truncate(last)
	k.whole.Truncate(last)
}

// moved applies copies of answers to another file.
func (k *Kept) moved(r *journal.Record) {
	m := r.Facts.Moves
	if m == nil {
		return
	}
	m.Places(func(i int, at journal.Place) {
		p := r.Event.Admit[i]
		if !k.Holds(p) {
			p = graph.NoPage // records before this one are lost
		}
		if k.answer(at, p); p != graph.NoPage {
			slot, _ := k.Slot(p)
			k.place(p, at, m.Spans[i].Whole, k.Value(slot))
		}
	})
	if m.Last {
		k.saved.Files = slices.DeleteFunc(k.saved.Files, func(f keptFile) bool { return f.Number == m.From })
		k.saved.Gone = append(k.saved.Gone, m.From)
		if n := len(k.saved.Gone); n > goneKept {
			k.saved.Gone = slices.Delete(k.saved.Gone, 0, n-goneKept)
		}
	}
}

// of returns the counts of a file, which it adds if it has none. They are valid until the
// next call.
func (k *Kept) of(number uint32) *keptFile {
	list := k.saved.Files
	i, ok := slices.BinarySearchFunc(list, number, func(f keptFile, n uint32) int { return cmp.Compare(f.Number, n) })
	if !ok {
		list = slices.Insert(list, i, keptFile{Number: number})
		k.saved.Files = list
	}
	return &list[i]
}

// Gone returns the numbers of the last files that were to be removed.
func (k *Kept) Gone() []uint32 { return k.saved.Gone }

// Answers counts the answers in the usable files before one, and in this one, and how many of
// the last are not kept.
func (k *Kept) Answers(file int, usable func(file int) bool) (before, in, spare int64) {
	for _, f := range k.saved.Files {
		switch {
		case int(f.Number) < file && usable(int(f.Number)):
			before += f.Answers
		case int(f.Number) == file:
			in, spare = f.Answers, f.Answers-f.Kept
		}
	}
	return before, in, spare
}

// In counts the answers in a file, and how many of them are kept.
func (k *Kept) In(file int) (answers, kept int64) {
	for _, f := range k.saved.Files {
		if int(f.Number) == file {
			return f.Answers, f.Kept
		}
	}
	return 0, 0
}

// Fullest returns the usable file with most answers that are not kept, the first of several, and
// how many these are.
func (k *Kept) Fullest(usable func(file int) bool) (file int, spare int64) {
	for _, f := range k.saved.Files {
		if n := f.Answers - f.Kept; n > spare && usable(int(f.Number)) {
			file, spare = int(f.Number), n
		}
	}
	return file, spare
}

// Emptiest returns the usable file, of those before one, with the largest share of answers
// that are not kept: the first of several.
func (k *Kept) Emptiest(before int, usable func(file int) bool) (file int, ok bool) {
	var best keptFile
	for _, f := range k.saved.Files {
		// f.Kept/f.Answers < best.Kept/best.Answers
		if int(f.Number) >= before || f.Kept == f.Answers || ok && f.Kept*best.Answers >= best.Kept*f.Answers || !usable(int(f.Number)) {
			continue
		}
		best, ok = f, true
	}
	return int(best.Number), ok
}

// Survivors returns the pages that are kept in a file, in the order of their places.
func (k *Kept) Survivors(file int) (list []graph.Page) {
	for slot, f := range k.file.Slice() {
		if int(f) == file {
			list = append(list, k.Page(slot))
		}
	}
	slices.SortFunc(list, func(p, q graph.Page) int { return cmp.Compare(k.Place(p).Offset, k.Place(q).Offset) })
	return list
}

// Place returns where all records of the answer of a kept page are. A Length of 0 means that
// it ends where the file does.
func (k *Kept) Place(p graph.Page) archive.Place {
	slot, _ := k.Slot(p)
	return archive.Place{File: int(k.file.At(slot)), Offset: int64(k.offset.At(slot)), Length: int64(k.whole.At(slot))}
}

// Main returns the length of the main record of the answer of a kept page.
func (k *Kept) Main(p graph.Page) uint32 {
	slot, _ := k.Slot(p)
	return k.main.At(slot)
}
