package state

import (
	"slices"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// sitemaps holds the sitemap files that are still to be fetched.
type sitemaps struct {
	s       *State
	Files   map[graph.Site][]string // by site
	known   map[graph.Site]int      // files known so far, fetched or not, while some are left
	waiting int                     // bytes of the names of files to fetch
	named   *graph.Column[uint64]   // bit by site: its robots.txt has named files

	Feeds     map[graph.Site][]string // by site
	feedBytes int                     // of their names
}

func newSitemaps(s *State) sitemaps {
	return sitemaps{s: s, Files: map[graph.Site][]string{}, known: map[graph.Site]int{}, Feeds: map[graph.Site][]string{}}
}

// mapBytes returns about how many bytes the maps and the names of files take.
func (x *sitemaps) mapBytes() int64 {
	const file, small = 96, 32 // with their share of the tables
	return file*int64(len(x.Files)+len(x.Feeds)) + int64(x.feedBytes) + small*int64(len(x.known)) + int64(x.waiting)
}

// Named reports whether the robots.txt of a site has named sitemap files before.
func (x *sitemaps) Named(id graph.Site) bool {
	return int(id/64) < x.named.Len() && x.named.At(int(id/64))>>(id%64)&1 != 0
}

// add appends files to those of a site.
func (x *sitemaps) add(id graph.Site, files []string) {
	if len(files) == 0 {
		return
	}
	x.note(id)
	x.queue(id, files)
}

// note records that files of a site are named.
func (x *sitemaps) note(id graph.Site) {
	x.named.Grow(int(id/64) + 1)
	x.named.Slice()[id/64] |= 1 << (id % 64)
}

// queue appends files to those of a site whose robots.txt has perhaps not been read.
func (x *sitemaps) queue(id graph.Site, files []string) {
	for _, f := range files {
		x.waiting += len(f)
	}
	x.Files[id] = append(x.Files[id], files...)
	x.known[id] += len(files)
}

// remove removes file i of a site.
func (x *sitemaps) remove(id graph.Site, i int) {
	left := x.Files[id]
	x.waiting -= len(left[i])
	if x.Files[id] = slices.Delete(left, i, i+1); len(left) == 1 {
		delete(x.Files, id)
	}
}

// fetched removes the first file of a site and adds those that it names.
func (x *sitemaps) fetched(id graph.Site, names []string) {
	if len(x.Files[id]) > 0 {
		x.remove(id, 0)
	}
	if x.add(id, names); len(x.Files[id]) == 0 {
		delete(x.known, id)
	}
}

// withdraw removes files. The first of several files of one name may be under way, so the
// last is removed.
func (x *sitemaps) withdraw(id graph.Site, files []string) {
	for _, url := range slices.Backward(files) {
		for i, f := range slices.Backward(x.Files[id]) {
			if f == url {
				x.remove(id, i)
				break
			}
		}
	}
}

// maxFiles is the largest number of sitemap files that are fetched of a site: an index may
// name itself. maxWaiting is the largest number of bytes of the names of all files that
// wait.
const (
	maxFiles   = 500
	maxWaiting = 8 << 20
)

// fits cuts files to those that may still be fetched of a site, given the number of its
// known files.
func (x *sitemaps) fits(known int, files []string) []string {
	files = files[:min(len(files), max(0, maxFiles-known))]
	room := maxWaiting - x.waiting
	for i, f := range files {
		if room -= len(f); room < 0 {
			return files[:i]
		}
	}
	return files
}

// Name adds to a record that a sitemap file became known which another site names, or a
// seed. It reports false, and adds nothing, if the file is known or must not be requested.
func (x *sitemaps) Name(r *journal.Record, url string) bool {
	name, rest := page.Site([]byte(url))
	id, known := x.s.Table.LookupSite(x.s.Key.Site(name), name)
	if known && !x.mayName(id, url) || x.abroad(name) || x.s.Scope.JudgeFile(name, rest) != event.NoBar || !x.Stand(r, url) {
		return false
	}
	r.Event.Files, r.Facts.Files = 1, []string{url}
	return true
}

// abroad reports whether a site is one of another partition.
func (x *sitemaps) abroad(name []byte) bool {
	self, of := x.s.Self()
	return of > 0 && x.s.Setup.Owner(name) != self
}

// mayName reports whether a file that is named elsewhere may be requested from a known site.
func (x *sitemaps) mayName(id graph.Site, url string) bool {
	return !x.s.Frontier.Closed(id) && !x.Has(id, url) &&
		x.Bar(x.s.Robots.Of(id), url) == event.NoBar && len(x.fits(x.known[id], []string{url})) == 1
}

// Stand adds the URL of a sitemap file to a record as a page of its site that waits: a site
// without one is not requested. It is never fetched as a page: see Barred. Stand reports
// whether there is room for it.
func (x *sitemaps) Stand(r *journal.Record, url string) bool {
	t := target{}
	t.name, t.rest = page.Site([]byte(url))
	t.SiteHash = x.s.Key.Site(t.name)
	t.Hash = x.s.Key.Page(t.SiteHash, t.rest)
	d := discovery{State: x.s, r: r, from: graph.NoPage, seeds: true} // no limit applies to it
	p, ok := d.number(&t)
	switch {
	case !ok:
		return false
	case len(r.Event.New) > 0:
		r.Event.Site = r.Event.New[0]
	default:
		r.Event.Site, r.Event.Admit = x.s.Frontier.Site(p), append(r.Event.Admit[:0], p)
	}
	return true
}

// Has reports whether a URL was named as a sitemap file, by Name, or waits as one.
func (x *sitemaps) Has(id graph.Site, url string) bool {
	p, known := x.s.Lookup(url)
	return known && int(p) < x.s.Frontier.Pages() && x.s.has(p, listing) || slices.Contains(x.Files[id], url)
}

// Wanted cuts the sitemap files that the robots.txt of a site names to those that may
// be fetched under its rules.
func (x *sitemaps) Wanted(rules robots.Rules, files []string) []string {
	return x.fits(0, x.allowed(rules, files))
}

// Listed cuts the sitemap files that another one of a site names to those that may be
// fetched.
func (x *sitemaps) Listed(id graph.Site, files []string) []string {
	return x.fits(x.known[id], x.allowed(x.s.Robots.Of(id), files))
}

func (x *sitemaps) allowed(rules robots.Rules, files []string) []string {
	return slices.DeleteFunc(files, func(url string) bool { return x.Bar(rules, url) != event.NoBar })
}

// Bar returns the reason not to request a sitemap file, or NoBar.
func (x *sitemaps) Bar(rules robots.Rules, url string) event.Bar {
	site, rest := page.Site([]byte(url))
	switch {
	case x.s.Setup.robots && !rules.Test(string(rest)).Allowed:
		return event.BarRobots
	case x.s.Scope == nil:
		return event.NoBar
	}
	return x.s.Scope.JudgeFile(site, rest)
}

// ruled records the end of a request for a robots.txt.
func (s *State) ruled(r *journal.Record) {
	s.Bytes += r.Event.Bytes
	s.CutFiles += int64(r.Facts.Dropped)
	if s.IsForeign(r.Event.For) {
		s.answerAsked(r)
		return
	}
	s.Robots.note(r)
	if r.Event.Hop && s.IsForeign(r.Event.To) {
		s.ask(r.Event.For, r.Event.To)
	}
	if e := &r.Event; !e.Hop && !e.Again && !e.Class.Failed() && len(r.Facts.Files) > 0 {
		delete(s.Sitemaps.known, e.For) // they are read from the beginning
		s.Sitemaps.add(e.For, r.Facts.Files)
	}
}

// listed records the end of a request for a sitemap file.
func (s *State) listed(r *journal.Record) {
	s.Bytes += r.Event.Bytes
	if s.Weather.tried(r); r.Event.Again {
		return
	}
	s.CutFiles += int64(r.Facts.Dropped)
	s.Sitemaps.fetched(r.Event.Site, r.Facts.Files)
	s.markListed(&r.Event, s.Frontier.Pages())
	s.Revisits.hear(r)
}

// named records a sitemap file that another site names, or a seed. The robots.txt of a site
// names no further ones if a seed does.
func (s *State) named(r *journal.Record) {
	e := &r.Event
	if s.Frontier.Closed(e.Site) {
		return
	}
	s.Sitemaps.queue(e.Site, r.Facts.Files)
	if r.Facts.Feed {
		s.Sitemaps.addFeeds(e.Site, r.Facts.Files)
	}
	if len(e.New) > 0 {
		s.set(graph.Page(s.Frontier.Pages()-1), listing)
	}
	for _, p := range e.Admit {
		if s.set(p, listing); s.IsSeed(p) {
			s.Sitemaps.note(e.Site)
		}
	}
}
