package papers

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/leaderboard"
	"github.com/winnow-crawler/winnow/lab/measure"
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
	ranks     *measure.Truth
	counts    *measure.Truth
}

// describe returns the size of the place for headers.
func (p *Place) describe() string {
	s := fmt.Sprintf("%s, %s, %s", p.World.Name, show.Counted(p.World.Pages(), "page"), show.Counted(p.World.Sim.Out.Links(), "link"))
	if p.World.Sim.SiteOf != nil {
		s += ", " + show.Counted(p.World.Sites(), "site")
	}
	return s
}

// reach returns the number of pages that the seeds reach.
func (p *Place) reach(seeds []graph.Page) int {
	return len(p.World.Reach(seeds...).Order)
}

// A truthOf returns the importance of the pages of a place for a crawl from some seeds.
type truthOf func(b *Bench, p *Place, seeds []graph.Page) (*measure.Truth, error)

// byPageRank returns the PageRank of the whole place, with follow 0.9. It is solved once.
func byPageRank(b *Bench, p *Place, _ []graph.Page) (_ *measure.Truth, err error) {
	if p.ranks == nil {
		p.ranks, err = measure.PageRankTruth(p.World.Web(), b.truthOptions(p))
	}
	return p.ranks, err
}

// byBacklinks returns the number of pages that link to each page. It is counted once.
func byBacklinks(b *Bench, p *Place, _ []graph.Page) (_ *measure.Truth, err error) {
	if p.counts == nil {
		p.counts, err = measure.BacklinksTruth(p.World.Web(), b.truthOptions(p))
	}
	return p.counts, err
}

// unmeasured returns no importance, for crawls that are only timed.
func unmeasured(*Bench, *Place, []graph.Page) (*measure.Truth, error) { return nil, nil }

func (b *Bench) truthOptions(p *Place) measure.TruthOptions {
	return measure.TruthOptions{SelfLinks: p.World.Sim.SelfLinks, Threads: b.Threads, Progress: func(int, float64) error { return b.Context.Err() }}
}

// setting returns the pure ordering experiment at a place: one fetcher, no time, K as in the
// command line's default.
func (b *Bench) setting(p *Place, t *measure.Truth) lab.Setting {
	s := lab.Setting{
		Setup: sim.Setup{Seeds: p.Seeds, Random: b.Random, Batch: policy.DefaultBatch},
		World: p.World, SeedsName: p.SeedsName, Truth: t, History: p.History,
	}
	if p.World.Readings != nil {
		s.Frontier.Topic = p.World.Readings.Topic
	}
	return s
}

// say reports progress.
func (b *Bench) say(done, of int, format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf(format, args...), done, of)
	}
}

func (b *Bench) threads() int { return cmp.Or(b.Threads, runtime.GOMAXPROCS(0)) }

// stop ends a crawl when the context has ended.
func (b *Bench) stop(int) error { return b.Context.Err() }

// inParallel does n things, as many at a time as the bench has threads, and returns the
// first error in their order.
func (b *Bench) inParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	graph.Parallel(min(b.threads(), n), n, func(i int) { errs[i] = do(i) })
	return cmp.Or(errs...)
}

// A course is the crawls of a place from one start set.
type course struct {
	*lab.Comparison
	place *Place
	runs  []*lab.Run // in the order of the policies
}

// prepare makes a setting ready, unless the context has ended: short crawls do not check it.
func (b *Bench) prepare(p *Place, s lab.Setting) (*course, error) {
	if err := b.Context.Err(); err != nil {
		return nil, err
	}
	c, err := s.Prepare()
	if err != nil {
		return nil, err
	}
	return &course{Comparison: c, place: p}, nil
}

// crawl crawls under several policies.
func (b *Bench) crawl(c *course, policies []string) (err error) {
	c.runs, err = c.All(policies, b.threads(), b.stop)
	return err
}

// courses crawls a place under several policies from its own seeds, which come first,
// and from the further start sets.
func (b *Bench) courses(p *Place, truth truthOf, policies ...string) ([]*course, error) {
	sets := append([][]graph.Page{p.Seeds}, b.furtherStarts(p)...)
	all := make([]*course, len(sets))
	for i, seeds := range sets {
		b.say(i, len(sets), "%s: %d policies", p.World.Name, len(policies))
		t, err := truth(b, p, seeds)
		if err != nil {
			return nil, err
		}
		s := b.setting(p, t)
		s.Seeds = seeds
		if all[i], err = b.prepare(p, s); err != nil {
			return nil, err
		}
		if err = b.crawl(all[i], policies); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// once returns a bench without further start sets.
func (b *Bench) once() *Bench {
	one := *b
	one.Starts = 0
	return &one
}

// course crawls a place from its own seeds only.
func (b *Bench) course(p *Place, truth truthOf, policies ...string) (*course, error) {
	c, err := b.once().courses(p, truth, policies...)
	if err != nil {
		return nil, err
	}
	return c[0], nil
}

// run returns the crawl of a policy, nil if it did not run.
func (c *course) run(policy string) *lab.Run {
	for _, r := range c.runs {
		if r.Policy == policy {
			return r
		}
	}
	return nil
}

// draws is the number of times that a start set that reaches too little is drawn again.
const draws = 64

// furtherStarts returns b.Starts sets of as many pages as the place has seeds. A set that
// reaches less than half of what the seeds of the place reach is drawn again: crawls of a
// few pages mean nothing. After 64 draws the set is left out. When the context ends the
// rest is missing; callers check the context.
func (b *Bench) furtherStarts(p *Place) [][]graph.Page {
	if b.Starts == 0 {
		return nil
	}
	least := p.reach(p.Seeds) / 2
	var sets [][]graph.Page
	for start := range b.Starts {
		b.say(start, b.Starts, "%s, drawing start sets", p.World.Name)
		for draw := range draws {
			if b.Context.Err() != nil {
				return sets
			}
			seeds := lab.RandomSeeds(p.World.Pages(), len(p.Seeds), b.Random, uint64(start*draws+draw))
			if p.reach(seeds) >= least {
				sets = append(sets, seeds)
				break
			}
		}
	}
	return sets
}

// band returns a line through the means of several start sets, each of which has a value
// for every x; of more than one also the 95 % interval of the mean.
func (b *Bench) band(name string, x []float64, sets [][]float64) plot.Series {
	s := plot.Series{Name: name, X: x}
	at := make([]float64, len(sets))
	for k := range x {
		for i, y := range sets {
			at[i] = y[k]
		}
		in := b.summarise(at)
		s.Y = append(s.Y, in.Mean)
		if len(sets) > 1 {
			s.Low, s.High = append(s.Low, in.Low), append(s.High, in.High)
		}
	}
	return s
}

// summarise returns measure.Summarise with the random seed of the bench. When the context has
// ended it returns nothing, because the result is not used.
func (b *Bench) summarise(x []float64) measure.Interval {
	if b.Context.Err() != nil {
		return measure.Interval{}
	}
	return measure.Summarise(x, b.Random)
}

// percents returns a line over the percents crawled, from the curves of one policy on
// one or several start sets, their values in percent. at0 is put at 0 % crawled.
func (b *Bench) percents(name string, at0 float64, curves ...measure.Curve) plot.Series {
	x, sets := make([]float64, 101), make([][]float64, len(curves))
	for k := range x {
		x[k] = float64(k)
	}
	for i, c := range curves {
		sets[i] = []float64{100 * at0}
		for k := 1; k <= 100; k++ {
			y, _ := c.At(float64(k) / 100)
			sets[i] = append(sets[i], 100*y)
		}
	}
	return b.band(name, x, sets)
}

// baseline draws a line as what others are measured against.
func baseline(s plot.Series) plot.Series {
	s.Baseline = true
	return s
}

// diagonal returns what a random crawler has of everything: k/T.
func diagonal() plot.Series {
	return plot.Series{Name: "random", X: []float64{0, 100}, Y: []float64{0, 100}, Baseline: true}
}

// bandText explains lines and bands.
func bandText(sets int) string {
	if sets < 2 {
		return ""
	}
	return fmt.Sprintf("\n\nLines are means over %d start sets, the seeds of the place and as many pages drawn at random, bands the 95 %% bootstrap intervals of the means.", sets)
}

// field returns a line of the header.
func field(name, format string, args ...any) show.Field {
	return show.Field{Name: name, Value: fmt.Sprintf(format, args...)}
}

// builtInWebs is the number of synthetic webs for experiments without a graph.
const builtInWebs = 2

// Sizes of a built-in web. An earlier crawl knew some of its pages, chosen by a hash.
const (
	builtInPages = 20_000
	builtInSites = 200
	builtInLinks = 200_000
	builtInOld   = 55 // percent
)

// writeBuiltIn writes the built-in web with the given seed as a graph.
func writeBuiltIn(ctx context.Context, o graph.WriteOptions, seed uint64) error {
	web, err := fakeweb.New(fakeweb.Spec{Pages: builtInPages, Sites: builtInSites, Links: builtInLinks, Seed: seed})
	if err != nil {
		return err
	}
	return graph.Write(ctx, graph.Source{Pages: builtInPages, Lists: web.Each, URLs: web.EachURL}, o)
}

// EachBuiltIn writes the built-in webs into a directory, makes a place of each by its path and
// name, and gives it its history.
func EachBuiltIn(ctx context.Context, dir string, progress func(stage string, done, total int64) error, o measure.TruthOptions,
	place func(ctx context.Context, path, name string) (*Place, error)) error {
	for i := range uint64(builtInWebs) {
		name := fmt.Sprintf("built-in web %d", i+1)
		path := filepath.Join(dir, fmt.Sprintf("web%d.wg", i+1))
		if err := writeBuiltIn(ctx, graph.WriteOptions{Path: path, Progress: progress}, i+1); err != nil {
			return fmt.Errorf("make %s: %w", name, err)
		}
		p, err := place(ctx, path, name)
		if err != nil {
			return err
		}
		if p.History, err = builtInHistory(p.World, i+1, o); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// builtInHistory returns what an earlier crawl knew of a built-in web: the PageRank of its
// old pages and the links among them.
func builtInHistory(w *lab.World, seed uint64, o measure.TruthOptions) (*lab.History, error) {
	for p := range graph.Page(w.Pages()) {
		if policy.Hash(seed, uint64(p))%100 < builtInOld {
			o.Within = append(o.Within, p)
		}
	}
	truth, err := measure.PageRankTruth(w.Web(), o)
	if err != nil {
		return nil, err
	}
	to := make([]graph.Page, w.Pages())
	for p := range to {
		to[p] = graph.NoPage
	}
	for _, p := range o.Within {
		to[p] = p
	}
	values, _ := lab.OldValues(truth.Value, to, w.Pages())
	return lab.NewHistory(values, nil)
}

// OlderHistory returns the PageRank of an older snapshot of a place, read from path, as a crawl
// of it would know it.
func OlderHistory(ctx context.Context, p *Place, old *graph.Graph, path string, o measure.TruthOptions) (*lab.History, error) {
	if old.Pages() == 0 {
		return nil, fmt.Errorf("%s has no pages", path)
	}
	g := p.World.Graph
	to, by, err := stats.Match(ctx, old, g)
	if err != nil {
		return nil, err
	}
	w := lab.NewWorld(path, old, o.SelfLinks, o.Threads)
	defer w.Free()
	truth, err := measure.PageRankTruth(w.Web(), o)
	if err != nil {
		return nil, err
	}
	values, gone := lab.OldValues(truth.Value, to, g.Pages())
	h, err := lab.NewHistory(values, gone)
	if err == nil && h.Old == 0 {
		err = fmt.Errorf("no page of %s is in %s, by %s", path, g.Path(), by)
	}
	return h, err
}
