package history

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// A Recording is a crawl as its journal tells it: the graph that was found, in which
// order, how long everything took (W36). It is read without a lock and changes nothing,
// also while the crawl goes on: what is committed when it is opened is what it has.
//
// Nothing is held in memory but what a method says; each reads the journal again.
type Recording struct {
	Path string
	// Stop, if not nil, is asked now and then; its error ends what is being read.
	Stop func() error
	dir  disk.Dir
	last journal.Commit
}

// OpenRecording opens the journal of a crawl directory.
func OpenRecording(path string) (*Recording, error) {
	if !layout.IsCrawl(path) {
		return nil, &hint.Error{Text: path + " is not a crawl: it has no journal", Hint: "winnow crawl makes one: winnow crawl https://example.org --dir " + path}
	}
	r, err := ReadRecording(disk.OS(filepath.Join(path, filepath.FromSlash(layout.JournalDir))))
	switch {
	case errors.Is(err, journal.ErrVersion):
		return nil, &hint.Error{Text: path + " was written by a later version of winnow", Hint: "use that version", Err: err}
	case errors.Is(err, journal.ErrNone), errors.Is(err, fs.ErrNotExist):
		return nil, &hint.Error{Text: path + " is a crawl of which nothing was committed", Hint: "winnow crawl begins it again", Err: err}
	case err != nil:
		return nil, &hint.Error{Text: "cannot read the journal of " + path, Hint: "winnow verify " + path + " says what is wrong", Err: err}
	}
	r.Path = path
	return r, nil
}

// ReadRecording finds the last commit, for which it reads the last file of the journal.
func ReadRecording(dir disk.Dir) (*Recording, error) {
	last, err := journal.Read(dir, math.MaxUint64, func(*journal.Record) error { return nil })
	if err != nil {
		return nil, err
	}
	return &Recording{dir: dir, last: last}, nil
}

// Pages is the number of known pages.
func (r *Recording) Pages() int { return int(r.last.Pages) }

// Sites is the number of known sites.
func (r *Recording) Sites() int { return int(r.last.Sites) }

// Records is the number of records.
func (r *Recording) Records() uint64 { return r.last.Next }

// Each gives every record in order. Records that are damaged are not there; the ids in
// the others are right all the same.
func (r *Recording) Each(fn func(*journal.Record) error) error {
	_, err := journal.Read(r.dir, 0, func(rec *journal.Record) error {
		if rec.Seq >= r.last.Next {
			return layout.ErrEnough
		}
		if r.Stop != nil && rec.Seq%4096 == 0 {
			if err := r.Stop(); err != nil {
				return err
			}
		}
		return fn(rec)
	})
	if errors.Is(err, layout.ErrEnough) {
		return nil
	}
	return err
}

// eachPage gives site and rest of the URL of every page, in the order of their ids. One
// whose record is lost is called so.
func (r *Recording) eachPage(fn func(site, rest []byte) error) error {
	var names siteNames
	next := 0
	upTo := func(n int) error {
		for ; next < n; next++ {
			if err := fn([]byte(lostSite), fmt.Appendf(nil, "/%d", next)); err != nil {
				return err
			}
		}
		return nil
	}
	err := r.Each(func(rec *journal.Record) error {
		names.learn(rec)
		if len(rec.Event.New) == 0 {
			return nil
		}
		if err := upTo(int(rec.First)); err != nil {
			return err
		}
		for i, s := range rec.Event.New {
			if err := fn(names.of(s), rec.Facts.Names.Rest(i)); err != nil {
				return err
			}
			next++
		}
		return nil
	})
	if err != nil {
		return err
	}
	return upTo(r.Pages())
}

// lostSite is the site of pages whose record is lost.
const lostSite = "lost://page"

// siteNames are the names of sites by id, as records make them known.
type siteNames struct{ list [][]byte }

// learn takes the names of new sites from a record.
func (n *siteNames) learn(r *journal.Record) {
	names := &r.Facts.Names
	if r.Event.Kind == event.Ruled {
		if names.Len() > 0 {
			n.set(r.Event.To, names.Site(0))
		}
		return
	}
	for i, s := range r.Event.New {
		if name := names.Site(i); name != nil {
			n.set(s, name)
		}
	}
}

func (n *siteNames) set(s graph.Site, name []byte) {
	for len(n.list) <= int(s) {
		n.list = append(n.list, nil)
	}
	n.list[s] = append([]byte(nil), name...)
}

// of is the name of a site.
func (n *siteNames) of(s graph.Site) []byte {
	if int(s) < len(n.list) && n.list[s] != nil {
		return n.list[s]
	}
	return []byte(lostSite)
}

// SiteNames are the names of all sites by id: scheme, host and port.
func (r *Recording) SiteNames() ([]string, error) {
	var names siteNames
	if err := r.Each(func(rec *journal.Record) error { names.learn(rec); return nil }); err != nil {
		return nil, err
	}
	out := make([]string, r.Sites())
	for s := range out {
		out[s] = string(names.of(graph.Site(s)))
	}
	return out, nil
}

// Feed gives the graph of the crawl: every known page by the id that it has there, with
// the links that were found whenever it came. Pages that did not come are there without
// links, and marked.
func (r *Recording) Feed() *graph.Feed {
	var url []byte
	fetched := make([]uint64, (r.Pages()+63)/64)
	return &graph.Feed{
		Name: filepath.Base(r.Path),
		Links: func(add func(from, to graph.Page) error, tell func(done, total int64) error) error {
			return r.eachArrival(func(rec *journal.Record) error {
				p := rec.Event.Page
				fetched[p/64] |= 1 << (p % 64)
				for _, to := range rec.Event.Links {
					if err := add(p, to); err != nil {
						return err
					}
				}
				return tell(int64(rec.Seq), int64(r.last.Next))
			})
		},
		Pages:   r.Pages,
		Fetched: func() []uint64 { return fetched },
		URLs: func(emit func([]byte) error) error {
			return r.eachPage(func(site, rest []byte) error {
				url = append(append(url[:0], site...), rest...)
				return emit(url)
			})
		},
	}
}

// eachArrival gives the records of pages that came.
func (r *Recording) eachArrival(fn func(*journal.Record) error) error {
	return r.Each(func(rec *journal.Record) error {
		if e := &rec.Event; e.Kind != event.Done || e.Class.Failed() || int(e.Page) >= r.Pages() {
			return nil
		}
		return fn(rec)
	})
}
