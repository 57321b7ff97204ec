package gather

import (
	"bytes"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// link adds the target of an href to the links, unless it has no normal form, is the
// document itself, or is there already.
func (g *Gatherer) link(f *Found, href []byte, rel page.Rel) page.Verdict {
	l := &f.Links
	start := len(l.bytes)
	all, v := g.resolver.Resolve(l.bytes, href)
	f.Refs[v]++
	if !v.Usable() {
		return v
	}
	link, mid := g.hash(all[start:])
	if g.doc.alone && !link.Local {
		f.Foreign++
		return v
	}
	g.targets.add(link.Hash, all[start:])
	if link.Hash == g.doc.hash {
		return v
	}
	if rel&page.RelNofollow != 0 {
		link.Bar = event.BarNoFollow
	}
	full := len(l.items) >= g.most || len(all) > maxTargets
	if at := g.seen.find(l, link.Hash, !full); at >= 0 {
		if l.items[at].Bar == event.BarNoFollow {
			l.items[at].Bar = link.Bar // a bar of the URL would stand there instead
		}
		return v
	}
	if full {
		g.extra = append(g.extra, link.Hash)
		return v
	}
	if bar := g.bar(all[start:], mid, link.Local); bar != event.NoBar {
		link.Bar = bar
	}
	l.bytes = all
	l.items = append(l.items, item{link, uint32(start), uint32(start + mid), uint32(len(all))})
	return v
}

// leftOut counts the links beyond the limit, each target once.
func (g *Gatherer) leftOut(f *Found) {
	if len(g.extra) == 0 {
		return
	}
	slices.Sort(g.extra)
	f.Dropped += len(slices.Compact(g.extra))
	f.Cut |= page.CutLinks
	g.extra = g.extra[:0]
}

// hash gives the hashes of a normal form and where its site ends.
func (g *Gatherer) hash(url []byte) (link Link, mid int) {
	d := &g.doc
	site, rest := page.Site(url)
	link.Local = bytes.Equal(site, d.url[:d.mid])
	link.SiteHash = d.siteHash
	if !link.Local {
		link.SiteHash = g.opt.Key.Site(site)
	}
	link.Hash = g.opt.Key.Page(link.SiteHash, rest)
	return link, len(site)
}

// Bar is what the URL of a page, a normal form, says against fetching it: the bar that a
// followed link to it has. Like all of a gatherer it is for one goroutine at a time.
func (g *Gatherer) Bar(url []byte) event.Bar {
	site, _ := page.Site(url)
	return g.bar(url, len(site), false)
}

// bar judges a URL whose site ends at mid.
func (g *Gatherer) bar(url []byte, mid int, local bool) event.Bar {
	s := g.opt.Scope
	known := local && g.doc.inScope || !local && s.holds(url[:mid])
	if bar := s.judge(url, mid, known); bar != event.NoBar {
		return bar
	}
	switch {
	case g.opt.HTMLOnly && !page.Extension(url).MayBePage():
		return event.BarType
	case isTrap(url, mid):
		return event.BarTrap
	}
	return event.NoBar
}

// Limits of what a URL of a page looks like (W27). A path that winds around itself comes
// from relative links on pages that answer below any path, a query from forms that
// append to themselves. Both grow without end, so a generous limit is as good.
const (
	maxDepth   = 20 // segments of a path, as in Heritrix
	maxRepeats = 2  // equal segments, as in Nutch; equal parameters
)

// isTrap reports whether a URL looks like one of those that never end.
func isTrap(url []byte, mid int) bool {
	path, query, _ := bytes.Cut(url[mid:], []byte("?"))
	if bytes.Count(path, []byte("/")) > maxRepeats { // else there are too few segments
		if s := page.ShapeOf(url); s.Depth > maxDepth || s.Repeats > maxRepeats {
			return true
		}
	}
	return bytes.Count(query, []byte("&")) >= maxRepeats && repeats(query)
}

// maxParams bounds the parameters that are compared with each other: with more of them a
// URL counts as a trap anyway.
const maxParams = 64

// repeats reports whether a parameter occurs too often with the same value. The same name
// with other values is how forms send lists.
func repeats(query []byte) bool {
	var seen [maxParams][]byte
	var times [maxParams]int
	n := 0
	for more := true; more; {
		var param []byte
		param, query, more = bytes.Cut(query, []byte("&"))
		at := 0
		for at < n && !bytes.Equal(seen[at], param) {
			at++
		}
		if at == maxParams {
			return true
		}
		if at == n {
			seen[n], n = param, n+1
		}
		if times[at]++; times[at] > maxRepeats && len(param) > 0 {
			return true
		}
	}
	return false
}
