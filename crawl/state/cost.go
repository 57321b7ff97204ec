package state

import (
	"github.com/winnow-crawler/winnow/crawl/gather"
)

// Cost is what the links of an answer will take, if each new page takes so much.
func (s *State) Cost(links *gather.Links, each int64) (n int64) {
	for i := range links.Len() {
		link := links.At(i)
		if _, known := s.Table.LookupPage(link.Hash); known {
			continue
		}
		n += each
		if !link.Local {
			if _, known := s.Table.LookupSite(link.SiteHash, links.Site(i)); !known {
				n += MostPerSite
			}
		}
	}
	return n
}

// A page takes from leastPerPage to mostPerPage bytes, by the options, the policy and its
// links; mostPerSite is more than a site takes with its name.
const LeastPerPage, MostPerPage, MostPerSite = 40, 320, 640

// roomFor is for how many pages address space is reserved under a ceiling of memory: more
// than will ever fit.
func roomFor(memory int64) int { return int(min(max(memory/LeastPerPage, 1<<16), 1<<31)) }
