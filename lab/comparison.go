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
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// A Setting is what the policies of a comparison share.
type Setting struct {
	World     *World
	Seeds     []graph.Page
	SeedsName string // how they were chosen, for headers
	// Truth measures the orders; nil leaves them unmeasured and policies without an
	// oracle.
	Truth *measure.Truth
	Hot   []float64 // thresholds G of P_ST; nil are those of the semantics document
	// History is what an earlier crawl knew; nil when there was none.
	History    *History
	SitePolicy string // order of the sites, when it is not that of the pages
	Random     uint64

	Times     *sim.Times // model of time; nil is the pure ordering experiment
	Fetchers  int
	Bandwidth float64          // bytes per second; 0 has no limit
	Frontier  frontier.Options // politeness and batches
	Batch     int              // K of policies that solve every K pages
	MaxPages  int              // 0 means all
}

// A Comparison is a setting made ready: what can be reached, and the oracle.
type Comparison struct {
	Setting
	Tree  *measure.Tree
	Judge *measure.Judge // nil without a truth
	// horn is made when the first policy asks for it.
	horn   []uint32
	hornly sync.Once
}

// ErrNothing is a setting in which nothing can be crawled.
var ErrNothing = errors.New("there is nothing to crawl")

// Prepare makes a setting ready.
func (s Setting) Prepare() (*Comparison, error) {
	if s.World.Pages() == 0 {
		return nil, fmt.Errorf("%w: %s has no pages", ErrNothing, s.World.Name)
	}
	if len(s.Seeds) == 0 {
		return nil, fmt.Errorf("%w: no seeds", ErrNothing)
	}
	c := &Comparison{Setting: s, Tree: measure.Reach(s.World.Sim.Out, s.Seeds)}
	if s.Truth == nil {
		return c, nil
	}
	var err error
	c.Judge, err = measure.NewJudge(s.Truth, c.Tree.Order, measure.JudgeOptions{Hot: s.Hot, Seed: s.Random})
	return c, err
}

// oracle is what omniscient policies are handed.
type oracle struct {
	c     *Comparison
	scale float64
}

// Importance is the truth, on the mean-1 scale where it has one.
func (o oracle) Importance(p graph.Page) float64 { return o.c.Truth.Value[p] * o.scale }

// Place is the place of a page in the Horn order.
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
	Seconds  float64 // of the crawl, by the wall clock
}

// Check finds out whether a policy can run here.
func (c *Comparison) Check(name string) error {
	_, err := c.choose(name)
	return err
}

func (c *Comparison) choose(name string) (*policy.Choice, error) {
	choice, err := policy.Choose(name)
	if err != nil {
		return nil, err
	}
	env := policy.Env{URL: c.World.Sim.URL, MaxPages: c.World.Pages()}
	if c.History != nil {
		env.Prior = &c.History.Prior
	}
	return choice, choice.Check(&env, c.Truth != nil)
}

// Crawl runs one policy. progress may be nil; its error stops the crawl.
func (c *Comparison) Crawl(name string, progress func(fetched int) error) (*Run, error) {
	o, world, err := c.options(name)
	if err != nil {
		return nil, err
	}
	o.Progress = progress
	began := time.Now()
	res, err := sim.Run(world, o)
	if err != nil {
		return nil, err
	}
	r := &Run{Policy: name, Result: res, Seconds: time.Since(began).Seconds()}
	if c.Judge == nil {
		return r, nil
	}
	if r.Trial, err = c.Judge.Try(res.Order); err != nil {
		return nil, fmt.Errorf("policy %s: %w", name, err)
	}
	r.Measures = r.Trial.Measures()
	return r, nil
}

// options are those of one crawl.
func (c *Comparison) options(name string) (sim.Options, *sim.World, error) {
	var o sim.Options
	choice, err := c.choose(name)
	if err != nil {
		return o, nil, err
	}
	o = sim.Options{
		Seeds: c.Seeds, Policy: choice, Oracle: c.oracle(), Random: c.Random, Batch: c.Batch,
		Frontier: c.Frontier, Fetchers: c.Fetchers, Bandwidth: c.Bandwidth, MaxPages: c.MaxPages,
	}
	if c.SitePolicy != "" {
		if o.SitePolicy, err = c.choose(c.SitePolicy); err != nil {
			return o, nil, err
		}
	}
	if c.History != nil {
		o.Prior = &c.History.Prior
		if choice.Spec.Prior && choice.Params["known"] == "true" {
			o.Known = c.OldPages()
		}
	}
	world := c.World.Sim
	world.Times = c.Times
	return o, &world, nil
}

// oldPages is the pages of E that the earlier crawl knew, ascending.
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
	for _, n := range names {
		if err := c.Check(n); err != nil {
			return nil, err
		}
	}
	runs, errs := make([]*Run, len(names)), make([]error, len(names))
	sum := newTotal(len(names), progress)
	graph.Parallel(min(threads, len(names)), len(names), func(i int) {
		runs[i], errs[i] = c.Crawl(names[i], func(n int) error { return sum.set(i, n) })
	})
	return runs, errors.Join(errs...)
}

// total adds up the progress of runs that go on at the same time.
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
