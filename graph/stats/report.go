package stats

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
)

// A Report holds the numbers of one graph.
type Report struct {
	Graph string `json:"graph"`
	graph.Info
	Origin string     `json:"origin"` // of the card
	Card   graph.Card `json:"card"`

	Dangling       int64 `json:"dangling" show:"dangling" remark:"{%Pages} of the pages have no out-links"`                                // pages without out-links
	Unlinked       int64 `json:"unlinked" show:"unlinked" remark:"{%Pages} have no in-links"`                                              // pages without in-links
	Uncrawled      int64 `json:"uncrawled" show:"not fetched,omitzero" remark:"{%Pages} are known by links only"`                          // pages that are known but were not fetched
	IntraSiteLinks int64 `json:"intra_site_links" show:"intra-site links,if=SitesKnown" remark:"{%Links} of the links stay in their site"` // links inside a site, self-links among them

	BytesPerLinkForward  float64 `json:"bytes_per_link_forward"`
	BytesPerLinkBackward float64 `json:"bytes_per_link_backward"`

	InDegrees    *Spread        `json:"in_degrees"`
	OutDegrees   *Spread        `json:"out_degrees"`
	PageRank     *Spread        `json:"pagerank,omitempty"` // of mean 1
	Held         *Concentration `json:"pagerank_held,omitempty"`
	SiteGini     float64        `json:"site_gini"` // of pages per site
	LargestSites []Site         `json:"largest_sites,omitempty"`

	scores []float64 // PageRank of mean 1; nil if it was not computed
}

// A Spread is a distribution over pages.
type Spread struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
	Fit  *Fit    `json:"fit"` // of a power law to the tail; nil if there is none
	Bins []Bin   `json:"bins"`
}

// Exponent returns the exponent of the fitted power law with its standard error, as text.
func (s *Spread) Exponent() string {
	if s.Fit == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f +-%.1g", s.Fit.Exponent, s.Fit.Error)
}

// A Site is one of the largest sites.
type Site struct {
	Site  string `json:"site" show:"largest sites"`
	Pages int64  `json:"pages" show:"pages"`
	Share string `json:"-" show:"share"`
	Local int64  `json:"local_links" show:"links inside"`
	Out   int64  `json:"out_links" show:"out"` // to other sites
	In    int64  `json:"in_links" show:"in"`   // from other sites
}

// Progress shows how far the stages of Measure are. An error from a function that it
// returns ends the work.
type Progress interface {
	Of(stage string) func(done, total int64) error
	Sweeps(stage string, goal float64) func(sweep int, bound float64) error
}

// Sizes of a Report.
const (
	largestSites  = 10
	binsPerDecade = 5
)

// Measure returns the numbers of a graph, with those of PageRank if ranks is true.
func Measure(g *graph.Graph, ranks bool, shown Progress) (*Report, error) {
	links := graph.Watch(g.Forward(), shown.Of("read links of "+g.Path()))
	s := Take(g.Pages(), links, g.SiteColumn(), g.Sites())
	if err := links.Err(); err != nil {
		return nil, err
	}
	r := &Report{
		Graph: g.Path(), Info: g.Info(), Card: g.Card(), Origin: cmp.Or(g.Card().Origin, "not stated"),
		Dangling: s.Dangling(), Unlinked: s.Unlinked(), IntraSiteLinks: s.Local, Uncrawled: uncrawled(g),
		InDegrees: s.In.spread(), OutDegrees: s.Out.spread(),
	}
	if r.Links > 0 {
		r.BytesPerLinkForward = float64(r.BytesForward) / float64(r.Links)
		r.BytesPerLinkBackward = float64(r.BytesBackward) / float64(r.Links)
	}
	if s.Sites != nil {
		r.SiteGini = s.Gini()
	}
	for _, c := range s.Largest(largestSites) {
		share := fmt.Sprintf("%.1f %%", 100*float64(c.Pages)/float64(g.Pages()))
		r.LargestSites = append(r.LargestSites, Site{g.SiteName(c.Site), c.Pages, share, c.Local, c.Out, c.In})
	}
	if !ranks || g.Pages() == 0 {
		return r, nil
	}
	return r, r.rank(g, shown)
}

// uncrawled returns the number of pages that were not fetched.
func uncrawled(g *graph.Graph) (n int64) {
	if !g.HasUncrawled() {
		return 0
	}
	for p := range graph.Page(g.Pages()) {
		if !g.Fetched(p) {
			n++
		}
	}
	return n
}

func (d Distribution) spread() *Spread {
	s := &Spread{Max: float64(d.Max()), Bins: d.Log(binsPerDecade)}
	if d.Pages() > 0 {
		s.Mean = d.Mean()
	}
	if fit, ok := d.PowerLaw(); ok {
		s.Fit = &fit
	}
	return s
}

// rankTolerance is the error of PageRank here: a distribution does not show a smaller one.
const rankTolerance = 1e-6

// rank adds the distribution of PageRank with mean 1, and its concentration.
func (r *Report) rank(g *graph.Graph, shown Progress) error {
	web := &rank.Web{In: g.Backward().Raw(runtime.GOMAXPROCS(0))}
	defer web.In.Free()
	if g.HasUncrawled() {
		web.Fetched = g.Fetched
	}
	res, err := rank.PageRank(web, rank.Options{
		Tolerance: rankTolerance, Scale: rank.Mean, Progress: shown.Sweeps("pagerank of "+g.Path(), rankTolerance),
	})
	if err != nil {
		return err
	}
	r.PageRank = &Spread{Mean: 1, Max: slices.Max(res.Score), Bins: Bands(res.Score, binsPerDecade)}
	if fit, ok := PowerLaw(res.Score); ok {
		r.PageRank.Fit = &fit
	}
	r.Held = concentrate(res.Score)
	r.scores = res.Score
	return nil
}

// A Concentration describes how much of the PageRank the best pages hold, which is what an
// ideal crawl has gathered after fetching them.
type Concentration struct {
	Top1  float64 `json:"top_1_percent"`  // share of PageRank in the best 1 % of the pages
	Top10 float64 `json:"top_10_percent"` // in the best 10 %

	Pages []float64 `json:"-"` // the curve, in percent: best pages
	Held  []float64 `json:"-"` // and the PageRank that they hold
}

// curvePoints is the number of points of the curve.
const curvePoints = 400

// concentrate returns the concentration of scores whose sum is positive.
func concentrate(scores []float64) *Concentration {
	sorted := slices.Clone(scores)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	total := 0.0
	for i, v := range sorted {
		total += v
		sorted[i] = total
	}
	share := func(n int) float64 {
		if n == 0 {
			return 0
		}
		return sorted[n-1] / total
	}
	c := &Concentration{Top1: share((len(sorted) + 99) / 100), Top10: share((len(sorted) + 9) / 10)}
	points := min(len(sorted), curvePoints)
	for i := range points + 1 {
		n := len(sorted) * i / points
		c.Pages = append(c.Pages, 100*float64(n)/float64(len(sorted)))
		c.Held = append(c.Held, 100*share(n))
	}
	return c
}
