package measure

import "github.com/winnow-crawler/winnow/graph"

// HotAmong returns P_BC of the Limited Buffer Crawl for the pages that are in a buffer for room
// pages: the share of the buffer that is hot. A buffer that is larger than E counts as one of
// the size of E.
func (j *Judge) HotAmong(kept []graph.Page, room int, h Hot) float64 {
	hot := 0
	for _, p := range kept {
		if j.class[p] < h.limit {
			hot++
		}
	}
	return Share(hot, min(room, len(j.pages)))
}
