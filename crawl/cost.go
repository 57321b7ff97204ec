package crawl

import (
	"github.com/winnow-crawler/winnow/crawl/gather"
)

// cost is what the links of an answer will take, if each new page takes so much.
func (s *state) cost(links *gather.Links, each int64) (n int64) {
	for i := range links.Len() {
		link := links.At(i)
		if _, known := s.seen.LookupPage(link.Hash); known {
			continue
		}
		n += each
		if !link.Local {
			if _, known := s.seen.LookupSite(link.SiteHash, links.Site(i)); !known {
				n += mostPerSite
			}
		}
	}
	return n
}
