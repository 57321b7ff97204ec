// Package render knows which fetched pages a browser is still to show, and what they wait for.
//
// A page that needs its scripts is shown from what the crawl has stored, in passes. What a pass
// asks for and is not there becomes requisites, which the frontier hands out as others; when they
// have come, the next pass follows. After the last pass the links of the page are known.
//
// A Book is a fold of the records of a crawl: Done lets a page wait, Rendered ends a pass, and
// Brought tells where the answer for a requisite is. It is passive. Package render/offline does a
// pass, and render/browser is the browser.
package render

import (
	"maps"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Limits on what pages of any content can cause.
const (
	// MaxPasses is the largest number of passes of a page: one script loads another, which asks for
	// data, which name more.
	MaxPasses = 8
	// MaxParts is the largest number of requisites that the passes of a page ask for.
	MaxParts = 200
	// MaxWaiting is the number of pages that may wait. With more, no page is fetched until some are
	// shown.
	MaxWaiting = 2000
)

// A Mark says where the record of an answer is in the journal: the number of the unit in which it
// begins, plus 2.
type Mark uint32

const (
	// NotYet is the mark of a requisite that has not come.
	NotYet Mark = 0
	// None is the mark of one that will not: it failed, or must not be requested.
	None Mark = 1
	// Unit is the length of a unit of the journal in bytes. What is beyond 1 TiB has no mark.
	Unit = 256
)

// At returns where the unit begins.
func (m Mark) At() int64 { return int64(m-2) * Unit }

// markOf returns the mark of a record with an answer, None if nothing is stored.
func markOf(r *journal.Record) Mark {
	n := r.At/Unit + 2
	if r.Facts.Place.Length == 0 || n >= 1<<32 {
		return None
	}
	return Mark(n)
}

// A Wait is a page that waits to be shown.
type Wait struct {
	Page   graph.Page
	Fresh  bool         // it was fetched for the first time
	Pass   uint8        // passes that it had
	Answer Mark         // of the page itself
	Parts  []graph.Page // requisites that its passes asked for
	Left   int          // of them, how many have not come
	Since  uint64       // number of the record after which nothing was missing
}

// A Tally counts pages. Snapshots hold it as it is, with its name, and so does the status.
type Tally struct {
	Rendered int64 `json:"rendered"`
	Failed   int64 `json:"failed"` // their links are those of their HTML
	Passes   int64 `json:"passes"`
	Waiting  int64 `json:"waiting"`
}

// A Book holds the pages that wait.
type Book struct {
	Tally
	marks *graph.Column[uint32] // by requisite
	waits map[graph.Page]*Wait
	by    map[graph.Page][]graph.Page // pages that wait for a requisite
	ready []graph.Page                // those that wait for the browser alone, in their order
}

// New returns an empty book with room for a number of requisites. Its column belongs to set.
func New(set *graph.Set, most int) *Book {
	return &Book{marks: graph.NewColumnIn[uint32](set, "requisite answers", most), waits: map[graph.Page]*Wait{}, by: map[graph.Page][]graph.Page{}}
}

// Fetched lets the page of a record wait. fresh reports whether it was fetched for the first time.
func (b *Book) Fetched(r *journal.Record, fresh bool) {
	p := r.Event.Page
	if w := b.waits[p]; w != nil {
		fresh = fresh || w.Fresh
		b.remove(p)
	}
	w := &Wait{Page: p, Fresh: fresh, Answer: markOf(r), Since: r.Seq}
	b.waits[p] = w
	b.ready = append(b.ready, p)
	b.Waiting++
}

// Brought notes that a requisite has come, or (stored is false) never will.
func (b *Book) Brought(r *journal.Record, n graph.Page, stored bool) {
	m := None
	if stored {
		m = markOf(r)
	}
	b.marks.Grow(int(n) + 1)
	b.marks.Set(int(n), uint32(m))
	b.Late(r, n)
}

// Late lets pages no longer wait for a requisite: it has come, or its site cannot be reached now.
func (b *Book) Late(r *journal.Record, n graph.Page) {
	for _, p := range b.by[n] {
		if w := b.waits[p]; w != nil {
			if w.Left--; w.Left == 0 {
				w.Since = r.Seq
				b.ready = append(b.ready, p)
			}
		}
	}
	delete(b.by, n)
}

// Mark returns where the answer for a requisite is.
func (b *Book) Mark(n graph.Page) Mark {
	if int(n) >= b.marks.Len() {
		return NotYet
	}
	return Mark(b.marks.At(int(n)))
}

// Rendered ends a pass.
func (b *Book) Rendered(r *journal.Record) {
	p := r.Event.Page
	w := b.waits[p]
	if w == nil { // its record is lost
		return
	}
	b.Passes++
	if !r.Event.Again {
		b.remove(p)
		if r.Facts.Note == "" {
			b.Tally.Rendered++
		} else {
			b.Failed++
		}
		return
	}
	b.unready(p)
	w.Pass = r.Facts.Step
	w.Parts = append(w.Parts, r.Facts.Parts...)
	b.count(w)
	if w.Left == 0 {
		w.Since = r.Seq
		b.ready = append(b.ready, p)
	}
}

// count counts the parts of a page that have not come, and lets it wait for them.
func (b *Book) count(w *Wait) {
	w.Left = 0
	for _, n := range w.Parts {
		if b.Mark(n) == NotYet {
			w.Left++
			b.by[n] = append(b.by[n], w.Page)
		}
	}
}

// remove removes a page from those that wait.
func (b *Book) remove(p graph.Page) {
	for _, n := range b.waits[p].Parts {
		if list := slices.DeleteFunc(b.by[n], func(q graph.Page) bool { return q == p }); len(list) > 0 {
			b.by[n] = list
		} else {
			delete(b.by, n)
		}
	}
	b.unready(p)
	delete(b.waits, p)
	b.Waiting--
}

func (b *Book) unready(p graph.Page) {
	if i := slices.Index(b.ready, p); i >= 0 {
		b.ready = slices.Delete(b.ready, i, i+1)
	}
}

// Next returns the page that is shown next, nil if there is none, given the number of records that
// are on disk: the browser reads what they name.
func (b *Book) Next(onDisk uint64) *Wait {
	if len(b.ready) == 0 {
		return nil
	}
	if w := b.waits[b.ready[0]]; w.Since < onDisk {
		return w
	}
	return nil
}

// Of returns the entry of a page that waits, nil if it does not.
func (b *Book) Of(p graph.Page) *Wait { return b.waits[p] }

// Crowded reports whether as many pages wait as may.
func (b *Book) Crowded() bool { return b.Waiting >= MaxWaiting }

// Used reports whether a page was to be shown.
func (b *Book) Used() bool { return b.Passes+b.Waiting > 0 }

// MapBytes returns about how many bytes the pages that wait take.
func (b *Book) MapBytes() (n int64) {
	const page, part = 160, 64 // with their share of the tables
	for _, w := range b.waits {
		n += page + part*int64(len(w.Parts))
	}
	return n
}

// Saved is what is in no column.
type Saved struct {
	Tally Tally
	Waits []Wait
	Ready []graph.Page
}

// Saved returns what is in no column, in the order of the pages.
func (b *Book) Saved() *Saved {
	s := &Saved{Tally: b.Tally, Ready: b.ready}
	for _, p := range slices.Sorted(maps.Keys(b.waits)) {
		s.Waits = append(s.Waits, *b.waits[p])
	}
	return s
}

// SetSaved undoes Saved, for a book in which nothing waits and whose column is loaded.
func (b *Book) SetSaved(s *Saved) {
	b.Tally, b.ready = s.Tally, slices.Clone(s.Ready)
	for i := range s.Waits {
		w := s.Waits[i]
		w.Parts = slices.Clone(w.Parts)
		b.waits[w.Page] = &w
		b.count(&w)
	}
}
