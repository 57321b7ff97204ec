package state

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A Cap is a limit of the configuration that left something out.
type Cap struct {
	Key   string `json:"key"`             // as in files, site.max_pages of a [[site]]; "" where it cannot be set
	Value string `json:"value,omitempty"` // in force
	What  string `json:"what"`            // pages, links, sitemap entries
	Left  int64  `json:"left_out"`
	Raise string `json:"raise,omitempty"` // a value under which nothing that is known would have been left out
	// Where names the sites (or domains) with most of it, in a crawl that does not run.
	Where []CapPlace `json:"where,omitempty"`
}

// A CapPlace is where a limit left something out.
type CapPlace struct {
	Name string `json:"name"`
	Left int64  `json:"left_out"`
}

// cuts is what limits that are no bars left out.
type cuts struct {
	Pages map[graph.Page]cutPage // that have more links than they may: few
	links int64                  // left out of all of them
	files int64                  // sitemap files and entries left out
}

// A cutPage is a page with more links than it may have.
type cutPage struct{ Kept, Left uint32 }

// note takes over what was left out of a page that came.
func (c *cuts) note(p graph.Page, kept int, x *journal.Facts) {
	c.links -= int64(c.Pages[p].Left)
	if page.Cut(x.Cut)&page.CutLinks == 0 {
		delete(c.Pages, p)
		return
	}
	c.Pages[p] = cutPage{uint32(kept), x.Dropped}
	c.links += int64(x.Dropped)
}

// most is the number of links of the page that has most of them.
func (c *cuts) most() (n int) {
	for _, x := range c.Pages {
		n = max(n, int(x.Kept)+int(x.Left))
	}
	return n
}

// CapsOf lists the limits that left something out, by counts alone.
func (s *State) CapsOf(c *config.Config) (list []Cap) {
	_, bars, failed := s.Frontier.Census()
	add := func(key, value, what string, left int64, raise string) {
		if left > 0 {
			list = append(list, Cap{Key: key, Value: value, What: what, Left: left, Raise: raise})
		}
	}
	add("site_pages", strconv.Itoa(c.SitePages), "pages", bars[event.BarSitePages], "")
	add("domain_pages", strconv.Itoa(c.DomainPages), "pages", bars[event.BarDomainPages], "")
	key, limit := "max_depth", c.MaxDepth
	if limit < 0 {
		key, limit = "max_depth_dynamic", c.MaxDepthDynamic
	}
	add(key, limit.String(), "pages", bars[event.BarDepth], "none")
	most := "" // a page may have been cut for the bytes of its links, which cannot be set
	if n := roundUp(s.Cut.most()); n > c.MaxLinks {
		most = strconv.Itoa(n)
	}
	add("max_links", strconv.Itoa(c.MaxLinks), "links", s.Cut.links, most)
	add("max_body", c.MaxBody.String(), "pages", failed[event.TooLarge], (2 * c.MaxBody).String()) // how large they are nobody knows
	add("", "", "sitemap entries", s.Cut.files, "")
	return list
}

// Caps is capsOf with the places, for which it looks at every page.
func (s *State) Caps(c *config.Config) []Cap {
	list := s.CapsOf(c)
	for i := range list {
		x := &list[i]
		switch x.Key {
		case "site_pages":
			s.capSites(x, c)
		case "domain_pages":
			s.capDomains(x)
		}
	}
	return s.splitDepths(s.splitSites(list, c), c)
}

// splitSites tells the sites apart for which the configuration has a limit of their own.
func (s *State) splitSites(list []Cap, c *config.Config) []Cap {
	if len(c.Site) == 0 {
		return list
	}
	own := Cap{Key: "site.max_pages", What: "pages"}
	all := Cap{}
	for site, n := range s.refusedBy(event.BarSitePages) {
		name := s.Table.Name(site)
		if o := c.OverrideFor(string(page.Host(name))); o != nil && o.MaxPages > 0 {
			own.Left += n
			own.Where = append(own.Where, CapPlace{string(name), n})
		} else {
			all.Where = append(all.Where, CapPlace{string(name), n})
		}
	}
	if own.Left == 0 {
		return list
	}
	own.Where = mostLeft(own.Where)
	for i := range list {
		if x := &list[i]; x.Key == "site_pages" {
			x.Left -= own.Left
			x.Where = mostLeft(all.Where)
		}
	}
	return append(slices.DeleteFunc(list, func(x Cap) bool { return x.Left == 0 }), own)
}

// splitDepths tells the pages apart for which the limit of dynamic pages alone was too
// small.
func (s *State) splitDepths(list []Cap, c *config.Config) []Cap {
	if c.MaxDepth < 0 || c.MaxDepthDynamic < 0 {
		return list
	}
	dynamic := Cap{Key: "max_depth_dynamic", Value: c.MaxDepthDynamic.String(), What: "pages", Raise: "none"}
	for p := range s.Frontier.Pages() {
		if s.Frontier.Bar(graph.Page(p)) == event.BarDepth && c.MaxDepth.Within(s.Depth(graph.Page(p))) {
			dynamic.Left++
		}
	}
	if dynamic.Left == 0 {
		return list
	}
	for i := range list {
		if x := &list[i]; x.Key == "max_depth" {
			x.Left -= dynamic.Left
		}
	}
	return append(slices.DeleteFunc(list, func(x Cap) bool { return x.Left == 0 }), dynamic)
}

// refusedBy counts the pages of each site that were refused for a reason.
func (s *State) refusedBy(bar event.Bar) map[graph.Site]int64 {
	by := map[graph.Site]int64{}
	for p := range s.Frontier.Pages() {
		if s.Frontier.Bar(graph.Page(p)) == bar {
			by[s.Frontier.Site(graph.Page(p))]++
		}
	}
	return by
}

// capSites names the sites of which pages were left out. Sites that the configuration
// gives a limit of their own do not ask for a larger one for all.
func (s *State) capSites(x *Cap, c *config.Config) {
	most, left := 0, s.refusedBy(event.BarSitePages)
	for site, n := range left {
		name := s.Table.Name(site)
		x.Where = append(x.Where, CapPlace{string(name), n})
		if o := c.OverrideFor(string(page.Host(name))); o == nil || o.MaxPages == 0 {
			most = max(most, int(s.admitted.At(int(site)))+int(n))
		}
	}
	if most > 0 {
		x.Raise = strconv.Itoa(roundUp(most))
	}
	x.Where = mostLeft(x.Where)
}

// capDomains names the domains of which pages were left out.
func (s *State) capDomains(x *Cap) {
	by, first := map[uint32]int64{}, map[uint32]graph.Site{}
	for site, n := range s.refusedBy(event.BarDomainPages) {
		d := s.domain.At(int(site))
		by[d] += n
		if at, ok := first[d]; !ok || site < at {
			first[d] = site
		}
	}
	most := 0
	for d, n := range by {
		x.Where = append(x.Where, CapPlace{page.Domain(page.Host(s.Table.Name(first[d]))), n})
		most = max(most, int(s.shares.At(int(d)))+int(n))
	}
	x.Raise = strconv.Itoa(roundUp(most))
	x.Where = mostLeft(x.Where)
}

// capPlaces is how many places of a limit are named.
const capPlaces = 5

// mostLeft are the places with most, in an order that depends on nothing else.
func mostLeft(list []CapPlace) []CapPlace {
	slices.SortFunc(list, func(a, b CapPlace) int {
		return cmp.Or(cmp.Compare(b.Left, a.Left), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), capPlaces)]
}

// roundUp is the next number with two digits and zeros: what people type.
func roundUp(n int) int {
	step := 1
	for n/step >= 100 {
		step *= 10
	}
	return (n + step - 1) / step * step
}
