package answer

import (
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
)

// A sitemap has one file, or an index with several; robots.txt names the first. In half
// of the sites the files are compressed, with names that show it.

// sitemapRules are the rules about sitemaps.
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

// appendSitemap writes file n of the sitemap.
func (r *sitemapRules) appendSitemap(b []byte, s *fakeweb.Site, n int, origin []byte) []byte {
	const namespace = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	b = append(b, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"...)
	files, per := r.sitemapFiles(s), uint32(r.opt.SitemapURLs)
	if n == 0 && files > 0 {
		return append(r.appendIndex(append(b, "<sitemapindex"+namespace...), s, files, origin), "</sitemapindex>\n"...)
	}
	b = append(b, "<urlset"+namespace...)
	first := uint32(max(0, n-1)) * per
	for j := first; j < min(first+per, s.Pages); j++ {
		if r.inSitemap(s, j) {
			b = append(append(b, "<url><loc>"...), origin...)
			b = append(s.AppendPath(b, j), "</loc>"...)
			b = r.appendDate(b, s, j)
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

// appendDate appends the date of the last change of a page.
func (r *sitemapRules) appendDate(b []byte, s *fakeweb.Site, j uint32) []byte {
	_, date := r.pages.now(s, j)
	b = append(b, "<lastmod>"...)
	b = date.AppendFormat(b, "2006-01-02T15:04:05Z07:00")
	return append(b, "</lastmod>"...)
}

// InSitemap reports whether a sitemap that a crawler can find names page p.
func (w *World) InSitemap(p graph.Page) bool {
	site, j := w.web.Locate(p)
	return w.rules.showsSitemap(&site) && w.rules.inSitemap(&site, j)
}
