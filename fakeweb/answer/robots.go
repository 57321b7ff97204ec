package answer

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/internal/padded"
	"github.com/winnow-crawler/winnow/graph"
)

// robotsMost is the length of a large robots.txt. Its rules are between two stretches of
// comments, before the 500 KiB that a crawler has to read (RFC 9309, 2.5).
const (
	robotsMost   = 600_000
	robotsBefore = 400_000
)

// robotsRules holds the rules about robots.txt, and the rules in it.
type robotsRules struct {
	*dice
	*servers
	classes []uint64 // cumulated shares
}

func (r *robotsRules) robotsClass(s *fakeweb.Site) robotsClass {
	c := robotsClass(draw.Pick(r.classes, r.draw(s, streamRobots, 0)))
	if c != robotsMoved {
		return c
	}
	to := r.web.Site(r.robotsTarget(s))
	if to.ID == s.ID || robotsClass(draw.Pick(r.classes, r.draw(&to, streamRobots, 0))) == robotsMoved {
		return robotsPlain // one hop is enough
	}
	return robotsMoved
}

// robotsTarget returns the site whose robots.txt a moved one leads to.
func (r *robotsRules) robotsTarget(s *fakeweb.Site) graph.Site {
	return graph.Site(draw.Below(r.draw(s, streamRobots, 1), uint64(r.web.Sites())))
}

// robotsOf returns the site whose robots.txt rules s.
func (r *robotsRules) robotsOf(s *fakeweb.Site) fakeweb.Site {
	if r.robotsClass(s) == robotsMoved {
		return r.web.Site(r.robotsTarget(s))
	}
	return *s
}

// ruling returns the site whose robots.txt rules s, and how that answers. One that moved to a
// server which cannot be reached is as good as broken (RFC 9309, 2.3.1.4).
func (r *robotsRules) ruling(s *fakeweb.Site) (of fakeweb.Site, c robotsClass) {
	of = r.robotsOf(s)
	if of.ID != s.ID && !r.reachable(&of) {
		return of, robotsBroken
	}
	return of, r.robotsClass(&of)
}

// forbidden reports whether robots.txt forbids page j. Where it moved, the rules of
// another site are read with the paths of this one: they meet where a directory has
// the same name in both.
func (r *robotsRules) forbidden(s *fakeweb.Site, j uint32) bool {
	of, class := r.ruling(s)
	switch class {
	case robotsMissing:
		return false
	case robotsBroken, robotsHanging:
		return true
	}
	d, k := s.Place(j)
	if !named(&of, s, d) {
		return false
	}
	f := r.forbid(&of, d)
	return f == forbidAll || f == forbidStar || f == forbidEncoded || f != allowed && k > 0
}

// named reports whether directory d of s has the name of a directory of another site.
func named(of, s *fakeweb.Site, d int64) bool {
	return d >= 0 && d < of.Dirs() && padded.Digits(uint64(of.Dirs()-1)) == padded.Digits(uint64(s.Dirs()-1))
}

// free reports whether no rule of robots.txt is about page j, now or later: then none is
// about other URLs with the same beginning either.
func (r *robotsRules) free(s *fakeweb.Site, j uint32) bool {
	of, class := r.ruling(s)
	switch class {
	case robotsMissing:
		return true
	case robotsBroken, robotsHanging:
		return false
	}
	d, _ := s.Place(j)
	return !named(&of, s, d) || r.forbid(&of, d) == allowed && d != r.laterDir(&of)
}

// laterDir returns the directory that robots.txt forbids from some time on; -1 for none. A
// robots.txt that is missing or broken stays so.
func (r *robotsRules) laterDir(s *fakeweb.Site) int64 {
	if s.Dirs() < 2 || !r.meets(r.opt.Robots.Changing, s, streamLater, 0) {
		return -1
	}
	d := int64(draw.Below(r.draw(s, streamLater, 1), uint64(s.Dirs())))
	if r.forbid(s, d) != allowed {
		return -1
	}
	return d
}

// later reports whether page j is forbidden from some time on, so that a crawl may fetch it
// or not.
func (r *robotsRules) later(s *fakeweb.Site, j uint32) bool {
	of, c := r.ruling(s)
	if c == robotsMissing || c == robotsBroken || c == robotsHanging {
		return false
	}
	d, _ := s.Place(j)
	return named(&of, s, d) && d == r.laterDir(&of)
}

// A form is a way in which robots.txt forbids a directory.
type form uint8

const (
	allowed       form = iota
	forbidAll          // Disallow: /d3/
	forbidStar         // Disallow: /d3/*
	forbidEncoded      // Disallow: /%643/, the same to RFC 9309, 2.2.2
	forbidBelow        // Disallow: /d3/ and Allow: /d3/$, the index page alone
	forbidHTML         // Disallow: /d3/*.html$, the same pages
	forms
)

// forbid returns the form in which directory d is forbidden.
func (r *robotsRules) forbid(s *fakeweb.Site, d int64) form {
	if !r.meets(r.opt.Robots.Rules, s, streamRobotsRules, 0) || !r.meets(r.opt.Robots.Forbid, s, streamForbid, uint64(d)) {
		return allowed
	}
	h := draw.Mix(r.draw(s, streamForbid, uint64(d)))
	return 1 + form(h%uint64(forms-1))
}

// crawlDelay returns the Crawl-delay in force at a site, 0 for none.
func (r *robotsRules) crawlDelay(s *fakeweb.Site) time.Duration {
	of, c := r.ruling(s)
	if c == robotsMissing || c == robotsBroken || c == robotsHanging {
		return 0
	}
	return r.ownDelay(&of)
}

func (r *robotsRules) ownDelay(s *fakeweb.Site) time.Duration {
	if !r.meets(r.opt.Robots.Delay, s, streamCrawlDelay, 0) {
		return 0
	}
	return r.opt.Robots.MaxDelay / 10 * time.Duration(1+r.draw(s, streamCrawlDelay, 1)%10)
}

// appendRobots appends the robots.txt of a site, after it changed or before. It names
// the URL of a sitemap unless that is empty.
func (r *robotsRules) appendRobots(b []byte, s *fakeweb.Site, changed bool, sitemap string) []byte {
	large := r.meets(r.opt.Robots.Large, s, streamRobotsLarge, 0)
	if large {
		b = appendComments(b, robotsBefore)
	}
	b = r.appendGroups(b, s, changed)
	if sitemap != "" {
		b = append(b, "\nSitemap: "+sitemap+"\n"...)
	}
	if large {
		b = appendComments(b, robotsMost)
	}
	return b
}

// appendComments fills up to a length with lines of 64 bytes and a rest.
func appendComments(b []byte, to int) []byte {
	for len(b)+64 <= to {
		b = append(b, "# nothing to see here, the rules are elsewhere in this file ...\n"...)
	}
	if n := to - len(b); n > 1 {
		b = append(append(append(b, '#'), bytes.Repeat([]byte{'.'}, n-2)...), '\n')
	}
	return b
}

// appendGroups writes the rules as one group for all with a group for another agent, as a
// group for our agent with one that forbids everything to others, or as two groups for our
// agent, which count as one (RFC 9309, 2.2.1).
func (r *robotsRules) appendGroups(b []byte, s *fakeweb.Site, changed bool) []byte {
	style := r.draw(s, streamGroups, 0) & 3
	if r.opt.Agent == "" && style >= 2 || !r.meets(r.opt.Robots.Rules, s, streamRobotsRules, 0) {
		style = 0
	}
	switch style {
	case 1:
		b = append(b, "User-agent: somebody-else\nDisallow: /\n\n"...)
	case 2:
		b = append(b, "User-agent: *\nDisallow: /\n\n"...)
	case 3:
		b = append(b, "User-agent: "+r.opt.Agent+"\nDisallow: /nothing-here/\n\nUser-agent: *\nDisallow: /\n\n"...)
	}
	if style >= 2 {
		b = append(b, "User-Agent: "+r.opt.Agent+"\n"...)
	} else {
		b = append(b, "User-agent: *\n"...)
	}
	return r.appendRules(b, s, changed)
}

// appendRules writes one group.
func (r *robotsRules) appendRules(b []byte, s *fakeweb.Site, changed bool) []byte {
	if d := r.ownDelay(s); d > 0 {
		b = append(b, "Crawl-delay: "...)
		b = strconv.AppendFloat(b, d.Seconds(), 'f', -1, 64)
		b = append(b, '\n')
	}
	none, later := true, int64(-1)
	if changed {
		later = r.laterDir(s)
	}
	for d := range s.Dirs() {
		f := r.forbid(s, d)
		if d == later {
			f = forbidAll
		}
		if f == allowed {
			continue
		}
		none = false
		b = appendRule(b, f, padded.Append(nil, uint64(d), uint64(s.Dirs()-1)))
	}
	if none {
		b = append(b, "Disallow:\n"...)
	}
	return b
}

func appendRule(b []byte, f form, name []byte) []byte {
	if f == forbidEncoded {
		b = append(b, "Disallow: /%64"...)
	} else {
		b = append(b, "Disallow: /d"...)
	}
	b = append(append(b, name...), '/')
	switch f {
	case forbidStar:
		b = append(b, '*')
	case forbidHTML:
		b = append(b, "*.html$"...)
	case forbidBelow:
		b = append(append(append(b, "\nAllow: /d"...), name...), "/$"...)
	}
	return append(b, '\n')
}

// A sitemap has one file, or an index with several; robots.txt names the first. In half of
// the sites the files are compressed, with names that show it.

// sitemapRules holds the rules about sitemaps.
type sitemapRules struct {
	*dice
	robots *robotsRules
	pages  *pageRules
}

func (r *sitemapRules) hasSitemap(s *fakeweb.Site) bool {
	return r.meets(r.opt.Sitemaps, s, streamSitemap, 0)
}

// showsSitemap reports whether a crawler finds the sitemap: its own robots.txt names it.
func (r *sitemapRules) showsSitemap(s *fakeweb.Site) bool {
	c := r.robots.robotsClass(s)
	return r.hasSitemap(s) && (c == robotsPlain || c == robotsBusy)
}

func (r *sitemapRules) sitemapPressed(s *fakeweb.Site) bool {
	return r.draw(s, streamSitemap, 1)&1 != 0
}

func (r *sitemapRules) sitemapName(s *fakeweb.Site) string {
	if r.sitemapPressed(s) {
		return "/sitemap.xml.gz"
	}
	return "/sitemap.xml"
}

func (r *sitemapRules) inSitemap(s *fakeweb.Site, j uint32) bool {
	return r.meets(r.opt.SitemapShare, s, streamInSitemap, uint64(j))
}

// sitemapFile returns which file of the sitemap a path names: 0 the first, from 1 on those
// that an index names, counted by the place of their first page; ok is false for none.
func (r *sitemapRules) sitemapFile(s *fakeweb.Site, path string) (n int, ok bool) {
	name := r.sitemapName(s)
	if !r.hasSitemap(s) || !strings.HasPrefix(path, "/sitemap") {
		return 0, false
	}
	if path == name {
		return 0, true
	}
	rest, found := strings.CutPrefix(path, "/sitemap-")
	number, end := strings.CutSuffix(rest, strings.TrimPrefix(name, "/sitemap"))
	n, err := strconv.Atoi(number)
	return n, found && end && err == nil && n >= 1 && n <= r.sitemapFiles(s) && strconv.Itoa(n) == number
}

// sitemapFiles returns the number of files that an index names; 0 without an index. A file
// holds the named ones of SitemapURLs pages.
func (r *sitemapRules) sitemapFiles(s *fakeweb.Site) int {
	per := r.opt.SitemapURLs
	if int(s.Pages) <= per {
		return 0
	}
	return (int(s.Pages) + per - 1) / per
}

// appendSitemap writes file n of the sitemap at an instant: pages that have vanished are not
// in it, and those that moved are where they are.
func (r *sitemapRules) appendSitemap(b []byte, s *fakeweb.Site, n int, origin []byte, at time.Duration) []byte {
	const namespace = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	b = append(b, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"...)
	files, per := r.sitemapFiles(s), uint32(r.opt.SitemapURLs)
	if n == 0 && files > 0 {
		return append(r.appendIndex(append(b, "<sitemapindex"+namespace...), s, files, origin), "</sitemapindex>\n"...)
	}
	b = append(b, "<urlset"+namespace...)
	first := uint32(max(0, n-1)) * per
	for j := first; j < min(first+per, s.Pages); j++ {
		if f := r.pages.fate(s, j); r.inSitemap(s, j) && !f.Gone(at) {
			b = append(append(b, "<url><loc>"...), origin...)
			if f.moved(at) {
				b = appendMoved(b, s, j)
			} else {
				b = s.AppendPath(b, j)
			}
			b = r.appendDate(append(b, "</loc>"...), s, j, at)
			b = r.appendPriority(b, s, j)
			b = append(b, "</url>\n"...)
		}
	}
	return append(b, "</urlset>\n"...)
}

func (r *sitemapRules) appendIndex(b []byte, s *fakeweb.Site, files int, origin []byte) []byte {
	ending := strings.TrimPrefix(r.sitemapName(s), "/sitemap")
	for n := 1; n <= files; n++ {
		b = append(append(b, "<sitemap><loc>"...), origin...)
		b = strconv.AppendInt(append(b, "/sitemap-"...), int64(n), 10)
		b = append(append(b, ending...), "</loc></sitemap>\n"...)
	}
	return b
}

// appendDate appends the date of the last change of a page, or what the site says of it.
func (r *sitemapRules) appendDate(b []byte, s *fakeweb.Site, j uint32, at time.Duration) []byte {
	date := r.date(at)
	switch r.dates(s) {
	case NoDates:
		return b
	case HonestDates:
		_, date = r.pages.dated(s, j, at)
	}
	b = append(b, "<lastmod>"...)
	b = date.AppendFormat(b, "2006-01-02T15:04:05Z07:00")
	return append(b, "</lastmod>"...)
}

// The kinds of priorities of a site, in the order of PriorityShares.
const rankedPriority, typedPriority, flatPriority, falsePriority = 1, 2, 3, 4

// list returns the shares in the order of the kinds.
func (p *PriorityShares) list() []float64 { return []float64{p.Ranked, p.Typed, p.Flat, p.False} }

// appendPriority appends the priority of a page, if the site says any.
func (r *sitemapRules) appendPriority(b []byte, s *fakeweb.Site, j uint32) []byte {
	v := 0.5
	switch r.kind(r.opt.Priorities.list(), s, streamPriority) {
	case rankedPriority:
		v = r.opt.Priorities.Rank(graph.Page(s.First + j))
	case typedPriority:
		if d, k := s.Place(j); k == 0 {
			v = 0.8 - 0.2*float64(min(d, 0))
		}
	case flatPriority:
	case falsePriority:
		v = draw.Unit(r.draw(s, streamPriority, 1+uint64(j)))
	default:
		return b
	}
	b = strconv.AppendFloat(append(b, "<priority>"...), v, 'f', 1, 64)
	return append(b, "</priority>"...)
}

// InSitemap reports whether a sitemap that a crawler can find names page p.
func (w *World) InSitemap(p graph.Page) bool {
	site, j := w.web.Locate(p)
	return w.rules.showsSitemap(&site) && w.rules.inSitemap(&site, j)
}
