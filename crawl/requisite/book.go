// Package requisite holds what fetched pages need to be shown: pictures, styles, scripts, fonts
// and frames. A requisite is a URL with a number. It is no page: no policy orders it, no link leads
// to it, and it has no depth and no value.
//
// A Book is a fold of the records of a crawl: Needed makes requisites known, Brought ends an
// attempt at one, Unneeded gives some up. It holds the URLs of those that wait, and of all others
// only a hash, so that each is fetched once. It is passive.
package requisite

import (
	"fmt"
	"maps"
	"slices"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/trouble"
	"github.com/winnow-crawler/winnow/urltable"
)

// Limits on what pages of any content can cause.
const (
	// MaxSteps is the largest number of answers between a page and a requisite: a page names a
	// style, which names another, which names a font.
	MaxSteps = 5
	// MaxWaiting is the largest number of requisites that wait at one site.
	MaxWaiting = 10_000
)

// A Part is a requisite that waits.
type Part struct {
	Number graph.Page // among all requisites, in the order in which they became known
	Rest   string     // of its URL: what follows the site
	Page   graph.Page // that needs it
	Step   uint8      // answers between that page and it: 1 if the page names it
	Tries  trouble.Count
}

// A Tally counts requisites. Snapshots hold it as it is, with its name, and so does the status.
type Tally struct {
	Known   int64 `json:"known"`
	Fetched int64 `json:"fetched"`
	Failed  int64 `json:"failed"`
	// Refused: robots.txt, the deny list or a pattern forbids them.
	Refused int64 `json:"refused"`
	// Crowded: too many waited at their sites. LeftOut: their pages had too many, or they were too
	// many answers away. Those have no number and may count several times.
	Crowded int64 `json:"left_out_by_site_limit"`
	LeftOut int64 `json:"left_out_by_page_limit"`
	Bytes   int64 `json:"bytes"`
}

// Left returns the number of requisites that wait.
func (t *Tally) Left() int64 { return t.Known - t.Fetched - t.Failed - t.Refused - t.Crowded }

// A Book holds the requisites of a crawl.
type Book struct {
	Tally
	seen  *urltable.Table
	waits map[graph.Site][]Part // in the order in which they are fetched
	text  int64                 // bytes of the URLs of those that wait
}

// New returns an empty book with room for a number of requisites.
func New(secret [16]byte, most int) *Book {
	return &Book{seen: urltable.New("requisites", secret, most, 1), waits: map[graph.Site][]Part{}}
}

// Seen returns the table of all requisites that are known, to be saved and loaded with the rest of
// a crawl.
func (b *Book) Seen() *urltable.Table { return b.seen }

// Len returns the number of known requisites, which is the number of the next one.
func (b *Book) Len() int { return b.seen.Pages() }

// Knows reports whether a requisite is known, by the hash of its URL.
func (b *Book) Knows(hash uint64) bool {
	_, known := b.seen.LookupPage(hash)
	return known
}

// Number makes a requisite known, by the hash of its URL, and returns its number.
func (b *Book) Number(hash uint64) (n graph.Page, fresh bool) { return b.seen.Page(hash) }

// Skip makes requisites known whose record is lost, so that later ones keep their numbers.
func (b *Book) Skip(to graph.Page, key urltable.Key) {
	for b.Len() < int(to) {
		b.seen.Page(key.Page(0, fmt.Appendf(nil, "lost requisite %d", b.Len())))
	}
}

// Needed adds a requisite that became known. With a bar it does not wait, and neither does it at a
// site that is closed. One on a site of another partition counts there.
func (b *Book) Needed(s graph.Site, p Part, bar event.Bar, closed bool) {
	if bar == event.BarForeign {
		return
	}
	b.Known++
	switch {
	case bar == event.BarSitePages:
		b.Crowded++
	case bar != event.NoBar:
		b.Refused++
	case closed:
		b.Failed++
	default:
		b.push(s, p)
	}
}

func (b *Book) push(s graph.Site, p Part) {
	b.waits[s] = append(b.waits[s], p)
	b.text += int64(len(p.Rest))
}

// First returns the requisite of a site that is fetched next, or that is under way.
func (b *Book) First(s graph.Site) (p Part, ok bool) {
	if len(b.waits[s]) == 0 {
		return Part{}, false
	}
	return b.waits[s][0], true
}

// Waiting returns the requisites of a site that wait. They must not be changed.
func (b *Book) Waiting(s graph.Site) []Part { return b.waits[s] }

// Sites returns the sites at which requisites wait, in their order.
func (b *Book) Sites() []graph.Site { return slices.Sorted(maps.Keys(b.waits)) }

// Brought ends an attempt at a requisite of a site. With again it is tried again, after the others.
func (b *Book) Brought(s graph.Site, n graph.Page, c event.Class, bytes int64, again bool, tries trouble.Count) {
	b.Bytes += bytes
	p, ok := b.remove(s, n)
	switch {
	case !ok: // its site was closed meanwhile
	case again:
		p.Tries = tries
		b.push(s, p)
	case c.Failed():
		b.Failed++
	default:
		b.Fetched++
	}
}

// Unneeded removes requisites that must not be requested any more.
func (b *Book) Unneeded(s graph.Site, numbers []graph.Page) {
	for _, n := range numbers {
		if _, ok := b.remove(s, n); ok {
			b.Refused++
		}
	}
}

// CloseIf gives up the requisites of a site if it cannot be requested.
func (b *Book) CloseIf(closed bool, s graph.Site) {
	if !closed {
		return
	}
	for _, p := range b.waits[s] {
		b.Failed++
		b.text -= int64(len(p.Rest))
	}
	delete(b.waits, s)
}

// remove removes a requisite of a site from those that wait.
func (b *Book) remove(s graph.Site, n graph.Page) (p Part, ok bool) {
	list := b.waits[s]
	i := slices.IndexFunc(list, func(p Part) bool { return p.Number == n })
	if i < 0 {
		return Part{}, false
	}
	p = list[i]
	switch {
	case len(list) == 1:
		delete(b.waits, s)
	case i == 0:
		b.waits[s] = list[1:]
	default:
		b.waits[s] = slices.Delete(list, i, i+1)
	}
	b.text -= int64(len(p.Rest))
	return p, true
}

// MapBytes returns about how many bytes those that wait take.
func (b *Book) MapBytes() int64 {
	const site, part = 96, 64 // with their share of the tables
	return site*int64(len(b.waits)) + part*b.Left() + b.text
}

// Saved is what is in no column.
type Saved struct {
	Tally Tally
	Sites []SavedSite
}

// A SavedSite is a site at which requisites wait.
type SavedSite struct {
	Site  graph.Site
	Parts []Part
}

// Saved returns what is in no column, in the order of the sites.
func (b *Book) Saved() *Saved {
	s := &Saved{Tally: b.Tally}
	for _, id := range b.Sites() {
		s.Sites = append(s.Sites, SavedSite{id, b.waits[id]})
	}
	return s
}

// SetSaved undoes Saved, for a book in which nothing waits.
func (b *Book) SetSaved(s *Saved) {
	b.Tally = s.Tally
	for _, x := range s.Sites {
		for _, p := range x.Parts {
			b.push(x.Site, p)
		}
	}
}
