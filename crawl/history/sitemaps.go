package history

import (
	"slices"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A SitemapInfo describes the last request for a sitemap file.
type SitemapInfo struct {
	URL    string
	Class  event.Class
	Status uint16 // of HTTP; 0: no answer
	Note   string // what went wrong, for people
}

// Sitemaps returns the sitemap files that were requested, in the order of the answers. It
// reads the journal.
func (c *Crawl) Sitemaps() (list []SitemapInfo, err error) {
	left := map[graph.Site][]string{}
	err = c.Each(func(r *journal.Record) error {
		e := &r.Event
		switch e.Kind {
		case event.Ruled:
			left[e.For] = append(left[e.For], r.Facts.Files...)
		case event.Named:
			left[e.Site] = append(left[e.Site], r.Facts.Files...)
		case event.Withdrawn:
			left[e.Site] = slices.DeleteFunc(left[e.Site], func(url string) bool { return slices.Contains(r.Facts.Files, url) })
		case event.Listed:
			if files := left[e.Site]; len(files) > 0 && !e.Again {
				list = append(list, SitemapInfo{files[0], e.Class, r.Facts.Status, r.Facts.Note})
				left[e.Site] = append(files[1:], r.Facts.Files...)
			}
		}
		return nil
	})
	return list, err
}
