package policy

import (
	"fmt"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/policy/order"
	"github.com/winnow-crawler/winnow/score"
)

// Score: the score of Castillo and Baeza-Yates 2002, section 4, as the user defines it.
//
//	value(p) = the user's expression over the terms of package score
//
// A page has its first value when it becomes known, and another one with each link to it, if
// the expression has terms that change with links. At checkpoints, which come whenever the
// fetched pages have grown by a twentieth, later by an eighth, the other terms and all
// quantiles are computed again, and then the values of all pages that wait. That is done in
// slices.
//
// It knows what the terms of the expression need, and keeps nothing else. Cost per link: one
// evaluation, which takes 0.1 microseconds and as much for each quantile; at each checkpoint one
// for each waiting page, and some sweeps over all links for HITS and the sites that link to a
// page.
//
// The expression may be replaced by another one over the terms that are kept. Then a checkpoint
// begins.
//
// Where it fails: it is as good as the expression. Quantiles and site averages are those of the
// last checkpoint. The links of all fetched pages are kept if a term needs them.

func scoreSpec() *Spec {
	return &Spec{
		Name:  "score",
		What:  "highest score first: an expression of yours (--score) over PageRank, links, URL, site and more",
		Links: true,
		New:   newScored,
	}
}

// scored orders pages by a function. A column is nil if nothing that is kept needs it.
type scored struct {
	graph.Set
	e     *Env
	board *Board // nil: another policy orders the pages
	f     *score.Function
	keeps score.Needs // terms that are known of pages
	web   score.Web
	url   []byte       // reused
	away  []graph.Page // reused
	at    score.Values // reused
	// perLink reports that the function has terms of a page that change with links to it.
	perLink bool

	ranks  *rank.Growing
	far    *rank.Growing        // over links from one site to another
	hits   []*score.Authorities // of all links, of remote ones
	sites  *score.Citations
	places *score.Quantiles
	near   *topicTerms // nil if no term is about the topic

	links   *graph.Column[uint32]  // by page: links to it
	cash    *graph.Column[float64] // by page
	of      siteTerms
	numbers *graph.Column[uint64] // see scoreFetched
}

// siteTerms are columns by site.
type siteTerms struct {
	pages   *graph.Column[uint32]  // known pages
	links   *graph.Column[uint32]  // links from other sites
	all     *graph.Column[uint32]  // links
	sum     *graph.Column[float64] // PageRank of its pages, at the checkpoint under way
	rank    *graph.Column[float64] // mean PageRank of its pages, at the last one
	seconds *graph.Column[float64] // waited for its pages
	visits  *graph.Column[uint32]  // pages for which it waited
}

// The indexes of scored.numbers.
const (
	scoreFetched   = iota // pages that were fetched or failed
	scoreNext             // value of scoreFetched at the next checkpoint
	scoreStage            // of the checkpoint under way
	scoreAt               // page, site or term at which the stage continues
	scoreKnown            // known pages
	scorePages            // of these, the ones that the checkpoint looks at
	scoreUnsound          // evaluations without a finite result
	scoreEvaluated        // evaluations
	scoreNumbers
)

func newScored(e *Env, _ Params) (Policy, error) { return newScores(e, e.Boards[0]) }

// NewScores returns what knows the scores of pages and does not order them.
func NewScores(e *Env) (Policy, error) { return newScores(e, nil) }

func newScores(e *Env, board *Board) (*scored, error) {
	s := &scored{e: e, board: board, keeps: e.Needs(), web: score.Web{Out: e.Out, Site: e.Facts.Site}}
	s.UseScore(e.Score)
	for t, info := range score.Table() {
		if info.URLs && s.keeps.Uses(score.Term(t)) && e.URL == nil {
			return nil, fmt.Errorf("the score %s has the term %s: %w", s.f, info.Name, ErrURLs)
		}
		if info.Topic && s.keeps.Uses(score.Term(t)) && e.Topic == nil {
			return nil, fmt.Errorf("the score %s has the term %s: %w", s.f, info.Name, ErrTopic)
		}
	}
	if err := s.makeTerms(); err != nil {
		return nil, err
	}
	s.makeSiteTerms()
	if s.near = newTopicTerms(e, s.keeps, s.moved); s.near != nil {
		graph.AddTo(&s.Set, s.near)
	}
	s.places = score.NewQuantiles(s.keeps, score.Sample)
	graph.AddTo(&s.Set, s.places)
	s.numbers = graph.NewColumnIn[uint64](&s.Set, "score numbers", scoreNumbers)
	s.numbers.Grow(scoreNumbers)
	return s, nil
}

// makeTerms makes what the terms of pages need.
func (s *scored) makeTerms() (err error) {
	n := s.e.MaxPages
	if s.keeps.Uses(score.PageRank) || s.keeps.Uses(score.SitePageRank) {
		if s.ranks, err = rank.NewGrowing(follow, n, s.e.Out); err != nil {
			return err
		}
		graph.AddTo(&s.Set, s.ranks)
	}
	if s.keeps.Uses(score.PageRankRemote) {
		if s.far, err = rank.NewGrowing(follow, n, func(p graph.Page) []graph.Page { return s.remote(p, s.e.Out(p)) }); err != nil {
			return err
		}
		graph.AddTo(&s.Set, s.far)
	}
	s.hits = make([]*score.Authorities, 2)
	for i, t := range []score.Term{score.Authority, score.AuthorityRemote} {
		if s.keeps.Uses(t) {
			s.hits[i] = score.NewAuthorities(n, t == score.AuthorityRemote)
			graph.AddTo(&s.Set, s.hits[i])
		}
	}
	if s.keeps.Uses(score.SitesIn) {
		s.sites = score.NewCitations(n, s.e.MaxSites)
		graph.AddTo(&s.Set, s.sites)
	}
	s.links = columnIf[uint32](s, s.keeps.Uses(score.Backlinks) || s.sites != nil, "score links", n)
	s.cash = columnIf[float64](s, s.keeps.Uses(score.Cash), "score cash", n)
	return nil
}

// makeSiteTerms makes what the terms of sites need.
func (s *scored) makeSiteTerms() {
	n, of := s.e.MaxSites, &s.of
	ranks, all, speed := s.keeps.Uses(score.SitePageRank), s.keeps.Uses(score.SiteBacklinks), s.keeps.Uses(score.SiteSpeed)
	of.pages = columnIf[uint32](s, ranks || all || s.keeps.Uses(score.SitePages), "score site pages", n)
	of.links = columnIf[uint32](s, s.keeps.Uses(score.SiteLinks), "score site links", n)
	of.all = columnIf[uint32](s, all, "score site backlinks", n)
	of.sum = columnIf[float64](s, ranks, "score site rank sums", n)
	of.rank = columnIf[float64](s, ranks, "score site ranks", n)
	of.seconds = columnIf[float64](s, speed, "score site seconds", n)
	of.visits = columnIf[uint32](s, speed, "score site visits", n)
}

// columnIf returns a column if it is needed, and nil otherwise.
func columnIf[T uint32 | float64](s *scored, needed bool, name string, size int) *graph.Column[T] {
	if !needed {
		return nil
	}
	return graph.NewColumnIn[T](&s.Set, name, size)
}

// KeepsLinks reports whether a term needs the links of fetched pages.
func (s *scored) KeepsLinks(graph.Page) bool {
	return s.ranks != nil || s.far != nil || s.sites != nil || s.hits[0] != nil || s.hits[1] != nil || s.near != nil && s.near.away != nil
}

// Scores returns true.
func (s *scored) Scores() bool { return true }

// UseScore replaces the function by another one over terms that are kept; nil means the default.
func (s *scored) UseScore(f *score.Function) {
	if f == nil {
		f = score.Default()
	}
	s.f, s.perLink = f, false
	for _, t := range []score.Term{score.PageRank, score.PageRankRemote, score.Backlinks, score.SitesIn, score.Cash, score.NearDuplicate} {
		s.perLink = s.perLink || f.Uses(t) && s.board != nil
	}
	s.perLink = s.perLink || f.Topic() && s.board != nil
}

// Rerank begins a checkpoint, after the one under way if there is one, or does it at once. Then
// pages that were fetched have values by the function, too.
func (s *scored) Rerank(atOnce bool) {
	num := s.numbers.Slice()
	num[scoreNext] = min(num[scoreNext], num[scoreFetched])
	for atOnce && s.Work(math.MaxInt) {
	}
	for p := graph.Page(0); atOnce && uint64(p) < num[scoreKnown]; p++ {
		s.rescore(p)
	}
}

// Sample returns 1: the links of all pages are kept, or of none.
func (s *scored) Sample() int { return 1 }

func (s *scored) Known(p, _ graph.Page) {
	site := s.e.Facts.Site(p)
	s.numbers.Slice()[scoreKnown]++
	if s.ranks != nil {
		s.ranks.Known(p)
	}
	if s.far != nil {
		s.far.Known(p)
	}
	for _, h := range s.hits {
		if h != nil {
			h.Known()
		}
	}
	if s.sites != nil {
		s.sites.Known(site)
	}
	if s.links != nil {
		s.links.Append(0)
	}
	if s.cash != nil {
		s.cash.Append(0)
	}
	s.of.known(site)
	if s.near != nil {
		s.near.known(p)
	}
	s.places.Known(p, func(p graph.Page) uint64 { return order.Hash(s.e.Random, uint64(p)) })
	s.rescore(p)
}

// known makes room for a site, and counts one page more.
func (of *siteTerms) known(site graph.Site) {
	for _, c := range []*graph.Column[uint32]{of.pages, of.links, of.all, of.visits} {
		if c != nil {
			c.Grow(int(site) + 1)
		}
	}
	for _, c := range []*graph.Column[float64]{of.sum, of.rank, of.seconds} {
		if c != nil {
			c.Grow(int(site) + 1)
		}
	}
	if of.pages != nil {
		of.pages.Slice()[site]++
	}
}

// Seeded divides cash of 1 equally among the seeds, as opic does.
func (s *scored) Seeded(first, end graph.Page) {
	if s.cash == nil {
		return
	}
	for p := first; p < end; p++ {
		s.cash.Slice()[p] += 1 / float64(end-first)
		s.rescore(p)
	}
}

func (s *scored) Done(_ time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if o.Again {
		s.rescore(p) // links to it may have been found since it was handed out
		return
	}
	s.numbers.Slice()[scoreFetched]++
	if !order.Brought(o) {
		return
	}
	site := s.e.Facts.Site(p)
	if s.of.visits != nil && o.Took > 0 {
		s.of.seconds.Slice()[site] += o.Took.Seconds()
		s.of.visits.Slice()[site]++
	}
	if s.ranks != nil {
		s.ranks.Fetched(p, links)
	}
	if s.far != nil {
		s.far.Fetched(p, s.remote(p, links))
	}
	for _, q := range links {
		s.count(site, q)
	}
	s.deal(p, links)
	if s.near != nil {
		s.near.follow(p, o, links)
	}
	s.rescoreLinks(o, links)
}

// rescoreLinks gives the pages that a page links to, and that wait, their values.
func (s *scored) rescoreLinks(o *event.Outcome, links []graph.Page) {
	for _, q := range links {
		if s.perLink && (s.board.Waits(q) || q >= o.First) {
			s.rescore(q)
		}
	}
}

// moved gives a page that came nearer to a hot page its value.
func (s *scored) moved(p graph.Page) {
	if s.board != nil && s.f.Uses(score.HotDistance) && s.board.Waits(p) {
		s.rescore(p)
	}
}

// Revisited hands on the cash that p received since it was fetched, and looks at what its links
// say about the topic now.
func (s *scored) Revisited(_ time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if !order.Brought(o) {
		return
	}
	s.deal(p, links)
	if s.near != nil {
		s.near.follow(p, o, links)
		s.rescoreLinks(o, links)
	}
}

// Admitted gives p, which waits again, the value that it has by now.
func (s *scored) Admitted(p graph.Page) { s.rescore(p) }

// remote returns the links of a page that lead to other sites. They are valid until the next call.
func (s *scored) remote(p graph.Page, links []graph.Page) []graph.Page {
	s.away = s.away[:0]
	site := s.e.Facts.Site(p)
	for _, q := range links {
		if s.e.Facts.Site(q) != site {
			s.away = append(s.away, q)
		}
	}
	return s.away
}

// count takes in a link from a page of a site to q.
func (s *scored) count(site graph.Site, q graph.Page) {
	if s.links != nil {
		s.links.Slice()[q]++
	}
	if s.of.all == nil && s.of.links == nil {
		return
	}
	to := s.e.Facts.Site(q)
	if s.of.all != nil {
		s.of.all.Slice()[to]++
	}
	if s.of.links != nil && to != site {
		s.of.links.Slice()[to]++
	}
}

// deal hands the cash of p to its links.
func (s *scored) deal(p graph.Page, links []graph.Page) {
	if s.cash == nil || len(links) == 0 {
		return
	}
	cash := s.cash.Slice()
	part := cash[p] / float64(len(links))
	cash[p] = 0
	for _, q := range links {
		cash[q] += part
	}
}

// rescore sets the value of a page.
func (s *scored) rescore(p graph.Page) {
	if s.board != nil {
		s.board.Set(p, s.eval(p))
	}
}

// eval returns the result of the function for a page, and counts it.
func (s *scored) eval(p graph.Page) float64 {
	num := s.numbers.Slice()
	v, ok := s.f.Eval(s.values(p), s.places)
	if num[scoreEvaluated]++; !ok {
		num[scoreUnsound]++
	}
	return v
}

// values returns the terms of a page that the function uses.
func (s *scored) values(p graph.Page) *score.Values {
	for t := range score.Terms {
		if s.f.Uses(t) {
			s.at[t] = s.value(t, p)
		}
	}
	return &s.at
}

// value returns a term of a page, NaN if it is missing.
func (s *scored) value(t score.Term, p graph.Page) float64 {
	switch t {
	case score.PageRank:
		return float64(float64(s.numbers.At(scoreKnown)) * s.ranks.Score(p))
	case score.PageRankRemote:
		return float64(float64(s.numbers.At(scoreKnown)) * s.far.Score(p))
	case score.Backlinks:
		return float64(s.links.At(int(p)))
	case score.SitesIn:
		return max(s.sites.Value(p), min(1, float64(s.links.At(int(p)))))
	case score.Authority:
		return s.hits[0].Value(p)
	case score.AuthorityRemote:
		return s.hits[1].Value(p)
	case score.Cash:
		return s.cash.At(int(p))
	case score.Location, score.Import:
		return s.urlValue(t, p)
	case score.Depth:
		return float64(s.e.Facts.Depth(p))
	case score.Similarity, score.AnchorSimilarity, score.AroundSimilarity, score.URLSimilarity, score.ParentSimilarity, score.HotDistance:
		return s.near.value(t, p)
	case score.NearDuplicate:
		if s.e.Discounted != nil && s.e.Discounted(p) {
			return 1
		}
		return 0
	}
	return s.of.value(t, s.e.Facts.Site(p))
}

// urlValue returns a term that the URL of a page decides.
func (s *scored) urlValue(t score.Term, p graph.Page) float64 {
	s.url = s.e.URL(s.url[:0], p)
	if t == score.Location {
		return s.f.Rules.Value(s.url)
	}
	if s.f.Imported != nil {
		if v, ok := s.f.Imported.Value(s.url); ok {
			return v
		}
	}
	return math.NaN()
}

// value returns a term of a site.
func (of *siteTerms) value(t score.Term, site graph.Site) float64 {
	i := int(site)
	switch t {
	case score.SitePages:
		return float64(of.pages.At(i))
	case score.SiteLinks:
		return float64(of.links.At(i))
	case score.SiteBacklinks:
		return float64(of.all.At(i)) / float64(of.pages.At(i))
	case score.SitePageRank:
		return of.rank.At(i)
	case score.SiteSpeed:
		if of.visits.At(i) > 0 {
			return float64(of.visits.At(i)) / of.seconds.At(i)
		}
	}
	return math.NaN()
}
