package lab

import "github.com/winnow-crawler/winnow/graph"

// SiteDepths returns the number of clicks from the home page of its site to each page, by links
// inside the site, as the thesis counts depth (4.5.1, figure 4.14). It is -1 for a page that the
// home page does not lead to. sites may be nil: then every page is a site, and its home.
func SiteDepths(out *graph.Lists, sites []graph.Site, homes []graph.Page) []int {
	depth := make([]int, out.Pages())
	for p := range depth {
		depth[p] = -1
	}
	var queue []graph.Page
	for _, p := range homes {
		depth[p], queue = 0, append(queue, p)
	}
	for at := 0; at < len(queue); at++ {
		p := queue[at]
		for _, q := range out.List(p) {
			if depth[q] < 0 && sites != nil && sites[p] == sites[q] {
				depth[q], queue = depth[p]+1, append(queue, q)
			}
		}
	}
	return depth
}
