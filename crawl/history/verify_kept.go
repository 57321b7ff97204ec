package history

import (
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A crawl with --keep-pages drops pages and removes WARC files. The files that its records
// name are not missing. Each copy of an answer is checked like the answer itself, and no file
// may be removed while a page in it is kept.

// moved checks the copies of answers of a record, and what it leaves in their file.
func (w *archiveWalk) moved(r *journal.Record) {
	m := r.Facts.Moves
	if m == nil {
		return
	}
	s := w.v.state
	if w.gone[int(m.From)] {
		w.v.general(FindArchive, "file %d is emptied a second time", m.From)
	}
	m.Places(func(i int, at journal.Place) {
		p := r.Event.Admit[i]
		if int(p) >= s.Frontier.Pages() {
			return // found elsewhere
		}
		url := string(s.AppendURL(nil, p))
		if s.Kept != nil && (!s.Kept.Holds(p) || s.Kept.Place(p).File != int(m.From)) {
			w.v.found(FindArchive, graph.NoSite, p, "the page was copied from file %d, but it is not kept there", m.From)
		}
		if x := w.read(at, url); x != nil && x.Type != "response" {
			w.v.general(FindArchive, "the copy of the answer for %s is a %s", url, x.Type)
		}
	})
	if !m.Last {
		return
	}
	w.gone[int(m.From)] = true
	if s.Kept == nil {
		return
	}
	copied := make(map[graph.Page]bool, len(r.Event.Admit))
	for _, p := range r.Event.Admit {
		copied[p] = true
	}
	for _, p := range s.Kept.Survivors(int(m.From)) {
		if !copied[p] {
			w.v.found(FindArchive, graph.NoSite, p, "the page is kept in file %d, which is removed", m.From)
		}
	}
}

// noteGone adds a note about files that were to be removed and are still there.
func (w *archiveWalk) noteGone() {
	var list []int
	for n := range w.files {
		if w.gone[n] {
			list = append(list, n)
		}
	}
	if len(list) > 0 {
		slices.Sort(list)
		w.v.notef("%s there of which no page is kept: number %s; the next run with --keep-pages removes them", filesAre(len(list)), ranges(list))
	}
}

// countKept counts the pages that are kept, and those that are not.
func (v *verifier) countKept() {
	if k := v.state.Kept; k != nil {
		v.out.Kept = int64(k.Len())
	}
	v.out.Dropped, v.out.Withheld = v.state.Dropped, v.state.Withheld
}
