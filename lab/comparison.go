package lab

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/lab/revisit"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
	"github.com/winnow-crawler/winnow/topic"
)

// A Setting holds what the policies of a comparison share.
type Setting struct {
	sim.Setup
	World     *World
	SeedsName string // how the seeds were chosen, for headers
	// Beyond are pages that crawls find although no link leads to them from the seeds: what
	// the sitemaps of a recorded crawl list.
	Beyond []graph.Page
	// Known are pages that crawls know from the start, after the seeds: those of the earlier
	// crawl that a recorded crawl knew.
	Known []graph.Page
	// Truth measures the orders; nil leaves them unmeasured and policies without an
	// oracle.
	Truth *measure.Truth
	Hot   []float64 // thresholds G of P_ST; nil for the defaults
	// History holds what an earlier crawl knew; nil when there was none.
	History    *History
	SitePolicy string     // order of the sites, when it is not that of the pages
	Times      *sim.Times // model of time; nil is the pure ordering experiment
	Changes    *Changes   // how pages change; nil: they never do
}

// A Comparison is a setting made ready: what can be reached, and the oracle.
type Comparison struct {
	Setting
	Tree  *measure.Tree
	Judge *measure.Judge // nil without a truth
	// horn is made when the first policy needs it.
	horn   []uint32
	hornly sync.Once
	// collection is what crawls are to keep up to date; nil without Changes.
	collection *revisit.Collection
}

// ErrNothing is a setting in which nothing can be crawled.
var ErrNothing = errors.New("there is nothing to crawl")

// Prepare returns the comparison of a setting.
func (s Setting) Prepare() (*Comparison, error) {
	if s.World.Pages() == 0 {
		return nil, fmt.Errorf("%w: %s has no pages", ErrNothing, s.World.Name)
	}
	if len(s.Seeds) == 0 {
		return nil, fmt.Errorf("%w: no seeds", ErrNothing)
	}
	c := &Comparison{Setting: s, Tree: s.World.Reach(slices.Concat(s.Seeds, s.Beyond)...)}
	if len(c.Tree.Order) == 0 {
		return nil, fmt.Errorf("%w: no seed was fetched, so none has content", ErrNothing)
	}
	if err := c.changing(); err != nil {
		return nil, err
	}
	if s.Truth == nil {
		return c, nil
	}
	var err error
	c.Judge, err = measure.NewJudge(s.Truth, c.Tree.Order, measure.JudgeOptions{Hot: s.Hot, Seed: s.Random})
	return c, err
}

// An oracle gives omniscient policies the truth.
type oracle struct {
	c     *Comparison
	scale float64
}

// Importance returns the truth, on the mean-1 scale where it has one.
func (o oracle) Importance(p graph.Page) float64 { return o.c.Truth.Value[p] * o.scale }

// Place returns the place of a page in the Horn order.
func (o oracle) Place(p graph.Page) int {
	o.c.hornly.Do(func() {
		o.c.horn = make([]uint32, o.c.World.Pages())
		for i, p := range measure.Horn(o.c.Tree, o.c.Truth.Value) {
			o.c.horn[p] = uint32(i)
		}
	})
	return int(o.c.horn[p])
}

func (c *Comparison) oracle() policy.Oracle {
	if c.Truth == nil {
		return nil
	}
	o := oracle{c: c, scale: 1}
	if c.Truth.MeanScale {
		o.scale = c.Truth.Scale()
	}
	return o
}

// A Run is one policy in a comparison.
type Run struct {
	Policy   string
	Result   *sim.Result
	Trial    *measure.Trial // nil without a truth
	Measures measure.Measures
	Kept     *revisit.Course // nil without Changes
	Seconds  float64         // of the crawl, by the wall clock
}

// Check returns an error if a policy cannot run here.
func (c *Comparison) Check(name string) error {
	_, err := c.choose(name)
	return err
}

func (c *Comparison) choose(name string) (*policy.Choice, error) {
	choice, err := policy.Choose(name)
	if err != nil {
		return nil, err
	}
	env := policy.Env{URL: c.World.Sim.URL, MaxPages: c.World.Pages(), Score: c.Score}
	if c.History != nil {
		env.Prior = &c.History.Prior
	}
	if c.Frontier.Topic != nil && (c.World.Sim.Read != nil || c.World.Sim.Recorded != nil) {
		env.Topic = topic.NewCollection(c.Frontier.Topic)
		defer env.Topic.Free()
	}
	return choice, choice.Check(&env, c.Truth != nil)
}

// Crawl runs one policy and measures its order, if there is a truth. progress may be nil; its
// error stops the crawl.
func (c *Comparison) Crawl(name string, progress func(fetched int) error) (*Run, error) {
	bare, err := c.Simulate(name, progress)
	if err != nil || c.Judge == nil {
		return bare, err
	}
	r, err := c.Measure(bare.Policy, bare.Result)
	if err != nil {
		return nil, err
	}
	r.Kept, r.Seconds = bare.Kept, bare.Seconds
	return r, nil
}

// Simulate does what Crawl does, without measuring the order.
func (c *Comparison) Simulate(name string, progress func(fetched int) error) (*Run, error) {
	o, world, err := c.options(name)
	if err != nil {
		return nil, err
	}
	o.Progress = progress
	diary := c.watch(&o, world)
	began := time.Now()
	res, err := sim.Run(world, o)
	if err != nil {
		return nil, err
	}
	r := &Run{Policy: o.Policy.Name, Result: res, Seconds: time.Since(began).Seconds()}
	if diary != nil {
		r.Kept = diary.Course(len(c.Tree.Order))
	}
	return r, nil
}

// Measure judges an order from elsewhere, such as that of a real crawl, which
// then is a Run beside the virtual ones. It has no trace of its
// fetchers.
func (c *Comparison) Measure(name string, res *sim.Result) (*Run, error) {
	if c.Judge == nil {
		return nil, fmt.Errorf("measure %s: there is no truth", name)
	}
	trial, err := c.Judge.Try(res.Order)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", name, err)
	}
	r := &Run{Policy: name, Result: res, Trial: trial, Measures: trial.Measures()}
	return r, nil
}

// options returns those of one crawl.
func (c *Comparison) options(name string) (sim.Options, *sim.World, error) {
	var o sim.Options
	choice, err := c.choose(name)
	if err != nil {
		return o, nil, err
	}
	o = sim.Options{Setup: c.Setup, Policy: choice, Oracle: c.oracle()}
	if c.SitePolicy != "" {
		if o.SitePolicy, err = c.choose(c.SitePolicy); err != nil {
			return o, nil, err
		}
	}
	o.Known = c.Known
	if c.History != nil {
		o.Prior = &c.History.Prior
		if choice.OldKnown() && c.Known == nil {
			o.Known = c.OldPages()
		}
	}
	world := c.World.Sim
	world.Times = c.Times
	return o, &world, nil
}

// OldPages returns the pages of E that the earlier crawl knew, ascending.
func (c *Comparison) OldPages() []graph.Page {
	var old []graph.Page
	for _, p := range c.Tree.Order {
		if _, ok := c.History.Prior.Value(p); ok {
			old = append(old, p)
		}
	}
	slices.Sort(old)
	return old
}

// All runs several policies, some at a time. The result does not depend on how many:
// it has the order of the names. progress is called with the number of fetches of all
// of them.
func (c *Comparison) All(names []string, threads int, progress func(fetched int) error) ([]*Run, error) {
	return crawlAll(c.jobs(names), threads, progress)
}

// A job is a policy to run in a comparison.
type job struct {
	c      *Comparison
	policy string
}

func (c *Comparison) jobs(names []string) []job {
	all := make([]job, len(names))
	for i, n := range names {
		all[i] = job{c, n}
	}
	return all
}

// crawlAll runs jobs. What could be run is returned beside an error, unless a policy
// cannot run at all.
func crawlAll(jobs []job, threads int, progress func(fetched int) error) ([]*Run, error) {
	for _, j := range jobs {
		if err := j.c.Check(j.policy); err != nil {
			return nil, err
		}
	}
	runs, errs := make([]*Run, len(jobs)), make([]error, len(jobs))
	sum := newTotal(len(jobs), progress)
	graph.Parallel(min(threads, len(jobs)), len(jobs), func(i int) {
		runs[i], errs[i] = jobs[i].c.Crawl(jobs[i].policy, func(n int) error { return sum.set(i, n) })
	})
	return runs, errors.Join(errs...)
}

// Baselines are the crawls that all others are compared with. They
// have no site policy of their own, whatever the others have: they are the ceiling and
// the floor of what the world allows.
type Baselines struct{ Random, Horn, Omniscient *Run }

// BaselineNames returns the policies of the baselines.
func BaselineNames() []string { return []string{"random", "horn", "omniscient"} }

// Regret returns that of an average against the baselines; ok is false where nothing can
// be gained, or nothing is known.
func (b *Baselines) Regret(average float64) (regret float64, ok bool) {
	if b == nil || b.Random == nil || b.Horn == nil || b.Omniscient == nil {
		return 0, false
	}
	return measure.Regret(average, b.Random.Measures.Average, b.Horn.Measures.Average, b.Omniscient.Measures.Average)
}

// Versus runs several policies and the baselines, those that are both only once. As
// with All, what could be run is returned beside an error; the others are nil. Without
// a truth there are no baselines.
func (c *Comparison) Versus(names []string, threads int, progress func(fetched int) error) ([]*Run, *Baselines, error) {
	if c.Truth == nil {
		runs, err := c.All(names, threads, progress)
		return runs, nil, err
	}
	bare := c
	if c.SitePolicy != "" {
		bare = &Comparison{Setting: c.Setting, Tree: c.Tree, Judge: c.Judge, collection: c.collection}
		bare.SitePolicy = ""
	}
	jobs, at := c.jobs(names), [3]int{}
	for i, n := range BaselineNames() {
		if at[i] = slices.Index(names, n); at[i] < 0 || bare != c {
			at[i], jobs = len(jobs), append(jobs, job{bare, n})
		}
	}
	runs, err := crawlAll(jobs, threads, progress)
	if runs == nil {
		return nil, nil, err
	}
	return runs[:len(names)], &Baselines{runs[at[0]], runs[at[1]], runs[at[2]]}, err
}

// total adds up the progress of simultaneous runs.
type total struct {
	mu       sync.Mutex
	each     []int
	progress func(int) error
	err      error
}

func newTotal(n int, progress func(int) error) *total {
	return &total{each: make([]int, n), progress: progress}
}

func (t *total) set(i, n int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.each[i] = n
	if t.progress == nil || t.err != nil {
		return t.err
	}
	all := 0
	for _, n := range t.each {
		all += n
	}
	t.err = t.progress(all)
	return t.err
}

// Applies returns an error if a policy cannot run on a graph in this setting: something that
// it needs is missing, or a parameter is wrong. Unlike Comparison.Check it needs no World.
// oracle reports whether there will be a truth.
func (s *Setting) Applies(name string, g *graph.Graph, oracle bool) error {
	choice, err := policy.Choose(name)
	if err != nil {
		return err
	}
	env := policy.Env{Batch: s.Batch, MaxPages: g.Pages(), Score: s.Score}
	if g.HasURLs() {
		env.URL = g.AppendURL
	}
	if s.History != nil {
		env.Prior = &s.History.Prior
	}
	if s.Frontier.Topic != nil {
		env.Topic = topic.NewCollection(s.Frontier.Topic)
		defer env.Topic.Free()
	}
	if err := choice.Check(&env, oracle); err != nil {
		return err
	}
	var knows policy.Oracle
	if oracle {
		knows = blind{}
	}
	f, err := frontier.New(frontier.Options{MaxPages: 1, MaxSites: 1, Topic: s.Frontier.Topic}, env, choice, nil, knows)
	if err == nil {
		f.Free()
	}
	return err
}

// A blind is an oracle that is never called.
type blind struct{}

func (blind) Importance(graph.Page) float64 { return 0 }
func (blind) Place(graph.Page) int          { return 0 }
