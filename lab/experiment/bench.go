package experiment

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/leaderboard"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/lab/oracle"
	"github.com/winnow-crawler/winnow/lab/revisit"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// A Bench holds what experiments need.
type Bench struct {
	Context context.Context
	Places  []*Place // at least one
	Random  uint64
	Threads int // 0 means one for each processor
	// Starts is the number of further start sets, drawn at random, for confidence bands
	// and paired differences.
	Starts int
	// Of the leaderboard: policies, the subject first (nil for BoardPolicies), and the results
	// of an earlier run to take published policies and baselines from, if not nil.
	Policies []string
	Earlier  *leaderboard.Earlier
	// TextPages is the number of pages of the synthetic webs with topics; 0: 20,000.
	TextPages int
	// Rate is the number of visits a day with which collections are kept fresh; 0: every
	// page once in 30 days.
	Rate float64
	// Importance, if not nil, returns the importance of the pages of a place, instead of what an
	// experiment takes by itself; ImportanceName says what it is.
	Importance     func(p *Place) (*measure.Truth, error)
	ImportanceName string
	Store          *oracle.Store // of PageRank; nil: it is solved in every run
	// Found, if not nil, gets what each experiment finds.
	Found *Ledger
	// Progress, if not nil, is called with the current step.
	Progress func(what string, done, of int)
}

// A Place is a world with where a crawl of it begins.
type Place struct {
	World     *lab.World
	Seeds     []graph.Page
	SeedsName string
	History   *lab.History // what an earlier crawl knew; nil when there was none
	Changes   *revisit.Log // when its pages changed; nil when that is not known
	// Whole is the place of which this is a part, with the pages that it has there; nil: none.
	Whole  *Place
	Within []graph.Page

	given  *measure.Truth // by Bench.Importance
	ranks  *measure.Truth
	counts *measure.Truth
}

// Describe returns the size of the place for headers.
func (p *Place) Describe() string {
	s := fmt.Sprintf("%s, %s, %s", p.World.Name, show.Counted(p.World.Pages(), "page"), show.Counted(p.World.Sim.Out.Links(), "link"))
	if p.World.Sim.SiteOf != nil {
		s += ", " + show.Counted(p.World.Sites(), "site")
	}
	return s
}

// Reach returns the number of pages that the seeds reach.
func (p *Place) Reach(seeds []graph.Page) int {
	return len(p.World.Reach(seeds...).Order)
}

// A TruthOf returns the importance of the pages of a place for a crawl from some seeds.
type TruthOf func(b *Bench, p *Place, seeds []graph.Page) (*measure.Truth, error)

// ByPageRank returns the PageRank of the whole place, with follow 0.9, unless the bench has another
// importance. It is solved once.
func ByPageRank(b *Bench, p *Place, _ []graph.Page) (_ *measure.Truth, err error) {
	if b.Importance != nil {
		return b.important(p)
	}
	if p.ranks == nil {
		o := b.TruthOptions(p)
		p.ranks, err = b.Store.Truth(p.World, measure.PageRankMetric, o, func() (*measure.Truth, error) { return measure.PageRankTruth(p.World.Web(), o) })
	}
	return p.ranks, err
}

// Ranks returns PageRank by options, unless the bench has another importance.
func (b *Bench) Ranks(p *Place, o measure.TruthOptions) (*measure.Truth, error) {
	if b.Importance != nil {
		return b.important(p)
	}
	return measure.PageRankTruth(p.World.Web(), o)
}

// Take lets importance of a source take the place of that of the papers.
func (b *Bench) Take(src *oracle.Source) {
	b.ImportanceName = src.Name
	b.Importance = func(p *Place) (*measure.Truth, error) {
		o := b.TruthOptions(p)
		o.Within = p.World.Content()
		t, err := src.Of(p.World, o)
		if err != nil {
			err = fmt.Errorf("importance by %s: %w", src.Name, err)
		}
		return t, err
	}
}

// important returns the importance that the bench was given. It is found once.
func (b *Bench) important(p *Place) (_ *measure.Truth, err error) {
	switch {
	case p.given != nil:
	case p.Whole == nil:
		p.given, err = b.Importance(p)
	default:
		whole, err := b.important(p.Whole)
		if err != nil {
			return nil, err
		}
		part := *whole
		part.Value, part.Pages = make([]float64, len(p.Within)), len(p.Within)
		for i, q := range p.Within {
			part.Value[i] = whole.Value[q]
		}
		p.given = &part
	}
	return p.given, err
}

// ByBacklinks returns the number of pages that link to each page, unless the bench has another
// importance.
func ByBacklinks(b *Bench, p *Place, seeds []graph.Page) (*measure.Truth, error) {
	if b.Importance != nil {
		return b.important(p)
	}
	return Backlinks(b, p)
}

// Backlinks returns the number of pages that link to each page. It is counted once.
func Backlinks(b *Bench, p *Place) (_ *measure.Truth, err error) {
	if p.counts == nil {
		p.counts, err = measure.BacklinksTruth(p.World.Web(), b.TruthOptions(p))
	}
	return p.counts, err
}

// Unmeasured returns no importance, for crawls that are only timed.
func Unmeasured(*Bench, *Place, []graph.Page) (*measure.Truth, error) { return nil, nil }

func (b *Bench) TruthOptions(p *Place) measure.TruthOptions {
	return measure.TruthOptions{SelfLinks: p.World.Sim.SelfLinks, Threads: b.Threads, Progress: func(int, float64) error { return b.Context.Err() }}
}

// Setting returns the pure ordering experiment at a place: one fetcher, no time, K as in the
// command line's default.
func (b *Bench) Setting(p *Place, t *measure.Truth) lab.Setting {
	s := lab.Setting{
		Setup: sim.Setup{Seeds: p.Seeds, Random: b.Random, Batch: policy.DefaultBatch},
		World: p.World, SeedsName: p.SeedsName, Truth: t, History: p.History,
	}
	if p.World.Readings != nil {
		s.Frontier.Topic = p.World.Readings.Topic
	}
	return s
}

// Say reports progress.
func (b *Bench) Say(done, of int, format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf(format, args...), done, of)
	}
}

func (b *Bench) Workers() int { return cmp.Or(b.Threads, runtime.GOMAXPROCS(0)) }

// Stop ends a crawl when the context has ended.
func (b *Bench) Stop(int) error { return b.Context.Err() }

// InParallel does n things, as many at a time as the bench has threads, and returns the
// first error in their order.
func (b *Bench) InParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	graph.Parallel(min(b.Workers(), n), n, func(i int) { errs[i] = do(i) })
	return cmp.Or(errs...)
}
