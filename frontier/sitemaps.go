package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Sitemap files are work of their site, on its clock. The driver keeps the list of
// them, the frontier their number: while some are left, files and pages take turns, so
// that neither a site with thousands of files nor one with thousands of pages keeps the
// other kind waiting. The last waiting page waits for the files, which may know more;
// so a site with files has a page to be offered by.

// In the column of files the lower bits are their number, and the highest one tells
// that the last request of the site was for a sitemap.
const (
	lastSitemap = 1 << 15
	filesMask   = lastSitemap - 1
)

// files is the number of sitemap files of s that are to be fetched.
func (f *Frontier) files(s graph.Site) int { return int(f.sitemaps.At(int(s)) & filesMask) }

// addFiles changes the number of files of s by n, within its bounds.
func (f *Frontier) addFiles(s graph.Site, n int) {
	now := f.files(s)
	then := min(max(0, now+n), filesMask)
	f.sitemaps.Set(int(s), f.sitemaps.At(int(s))&lastSitemap|uint16(then))
	f.filesLeft += then - now
}

// noteKind remembers whether the request that s gets is for a sitemap.
func (f *Frontier) noteKind(s graph.Site, k event.TaskKind) {
	n := uint16(f.files(s))
	if k == event.Sitemap {
		n |= lastSitemap
	}
	f.sitemaps.Set(int(s), n)
}

// wantsSitemap reports whether the next request to s is for a sitemap.
func (f *Frontier) wantsSitemap(s graph.Site) bool {
	return f.files(s) > 0 && (f.sitemaps.At(int(s))&lastSitemap == 0 || f.boards[0].active.Len(s) == 1)
}

// listed is the end of a Sitemap work.
func (f *Frontier) listed(now time.Duration, e *event.Event) {
	f.flying--
	f.unsettle(e.Site)
	if !e.Again {
		f.addFiles(e.Site, int(e.Files)-1)
	}
	f.know(e, graph.NoPage)
	f.postpone(now, e.Site, e)
	f.release(now, e.Site, e.End)
}
