package measure

import (
	"errors"
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/score"
)

// ErrCrawlTerm reports a term that a graph does not have.
var ErrCrawlTerm = errors.New("it depends on how a crawl goes, and true importance does not")

// ScoreTruth returns what a function gives to the pages of a web: any combined importance, such
// as IC = k1 IS + k2 IB of Cho, Garcia-Molina and Page 1998, section 2. Quantiles are exact, over
// all pages or those of Within. A negative result counts as 0, and so does one that is not
// finite; unsound is the number of these. url returns the URL of a page; it is nil if URLs are
// not known.
func ScoreTruth(w *rank.Web, f *score.Function, url func(b []byte, p graph.Page) []byte, o TruthOptions) (t *Truth, unsound int, err error) {
	terms, err := termsOf(w, f, url, o)
	if err != nil {
		return nil, 0, err
	}
	pages := o.Within
	if pages == nil {
		for p := range graph.Page(w.Pages()) {
			pages = append(pages, p)
		}
	}
	places := score.NewQuantiles(f.Needs, len(pages)+1)
	defer places.Free()
	for _, p := range pages {
		places.Known(p, func(graph.Page) uint64 { return 0 })
	}
	for i, values := range terms {
		if values != nil {
			places.Fit(score.Term(i), func(p graph.Page) float64 { return values[p] })
		}
	}
	truth := make([]float64, w.Pages())
	var at score.Values
	for _, p := range pages {
		for i, values := range terms {
			if values != nil {
				at[i] = values[p]
			}
		}
		v, ok := f.Eval(&at, places)
		if !ok {
			unsound++
		}
		truth[p] = max(0, v)
	}
	t, err = ValuesTruth(f.String(), truth)
	if err != nil {
		return nil, 0, err
	}
	t.Pages = len(pages)
	return t, unsound, nil
}

// A graphTerms computes terms of a web.
type graphTerms struct {
	web *rank.Web
	url func(b []byte, p graph.Page) []byte
	f   *score.Function
	o   TruthOptions
}

// termsOf returns the values of the terms that a function uses, by page.
func termsOf(w *rank.Web, f *score.Function, url func(b []byte, p graph.Page) []byte, o TruthOptions) (terms [score.Terms][]float64, err error) {
	g := &graphTerms{w, url, f, o}
	for i, info := range score.Table() {
		t := score.Term(i)
		switch {
		case !f.Uses(t):
			continue
		case info.Crawl:
			return terms, fmt.Errorf("the term %s: %w", info.Name, ErrCrawlTerm)
		case info.URLs && url == nil:
			return terms, fmt.Errorf("the term %s needs the URLs of pages, which are not known here", info.Name)
		}
		if terms[t], err = g.values(t); err != nil {
			return terms, fmt.Errorf("the term %s: %w", info.Name, err)
		}
	}
	return terms, nil
}

// values returns a term for all pages.
func (g *graphTerms) values(t score.Term) ([]float64, error) {
	switch t {
	case score.PageRank, score.PageRankRemote:
		o := g.o
		o.Remote = o.Remote || t == score.PageRankRemote && g.web.Sites != nil // else every page is a site
		truth, err := PageRankTruth(g.web, o)
		if err != nil {
			return nil, err
		}
		scale := truth.Scale()
		for p := range truth.Value {
			truth.Value[p] *= scale
		}
		return truth.Value, nil
	case score.Backlinks:
		truth, err := BacklinksTruth(g.web, g.o)
		if err != nil {
			return nil, err
		}
		return truth.Value, nil
	case score.SitesIn, score.Authority, score.AuthorityRemote:
		return g.ranked(t)
	case score.Location, score.Import:
		return g.named(t), nil
	}
	return g.ofSites(t)
}

// ranked returns a term that package rank computes.
func (g *graphTerms) ranked(t score.Term) ([]float64, error) {
	o := g.o
	o.Remote = t == score.AuthorityRemote && g.web.Sites != nil // else every page is a site
	in, err := countedLinks(g.web, o)
	if err != nil {
		return nil, err
	}
	defer in.free()
	web := &rank.Web{In: in.lists, Sites: g.web.Sites, Fetched: g.web.Fetched}
	opt := rank.Options{SelfLinks: o.SelfLinks, Threads: o.Threads, Scale: rank.Mean}
	if t == score.SitesIn {
		r, err := rank.BacklinkSites(web, opt)
		if err != nil {
			return nil, err
		}
		return r.Score, nil
	}
	r, _, err := rank.HITS(web, opt)
	var short *rank.ToleranceError
	if err != nil && !(errors.As(err, &short) && r != nil) {
		return nil, err
	}
	return r.Score, nil
}

// named returns a term that the URLs decide.
func (g *graphTerms) named(t score.Term) []float64 {
	values := make([]float64, g.web.Pages())
	var url []byte
	for p := range values {
		url = g.url(url[:0], graph.Page(p))
		if t == score.Location {
			values[p] = g.f.Rules.Value(url)
			continue
		}
		values[p] = math.NaN()
		if g.f.Imported != nil {
			if v, ok := g.f.Imported.Value(url); ok {
				values[p] = v
			}
		}
	}
	return values
}

// ofSites returns a term of sites. Where sites are not known, every page is one.
func (g *graphTerms) ofSites(t score.Term) ([]float64, error) {
	site := func(p int) int {
		if g.web.Sites == nil {
			return p
		}
		return int(g.web.Sites[p])
	}
	n := g.web.Pages()
	sums, pages, each := make([]float64, n), make([]float64, n), make([]float64, n)
	var err error
	switch t {
	case score.SitePageRank:
		each, err = g.values(score.PageRank)
	case score.SiteBacklinks:
		each, err = g.values(score.Backlinks)
	case score.SiteLinks:
		each, err = g.remoteLinks()
	}
	if err != nil {
		return nil, err
	}
	for p := range n {
		sums[site(p)] += each[p]
		pages[site(p)]++
	}
	values := make([]float64, n)
	for p := range n {
		switch s := site(p); t {
		case score.SitePages:
			values[p] = pages[s]
		case score.SiteLinks:
			values[p] = sums[s]
		default:
			values[p] = sums[s] / pages[s]
		}
	}
	return values, nil
}

// remoteLinks returns the number of pages of other sites that link to each page.
func (g *graphTerms) remoteLinks() ([]float64, error) {
	o := g.o
	o.Remote = g.web.Sites != nil
	t, err := BacklinksTruth(g.web, o)
	if err != nil {
		return nil, err
	}
	return t.Value, nil
}
