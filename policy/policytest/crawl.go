package policytest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
)

// A Setting describes the circumstances of a crawl.
type Setting struct {
	Name     string
	Fetchers int
	Options  frontier.Options
	Timed    bool // fetching takes time
	Rough    bool // pages fail, are tried again, are forbidden; sites cannot be reached
}

// Settings returns the circumstances in which Run tries a policy.
func Settings() []Setting {
	polite := frontier.Options{Delay: 2 * time.Second}
	rough := frontier.Options{Delay: time.Second, Factor: 2, FactorMax: 5 * time.Second, BackOff: time.Second, BackOffMax: 8 * time.Second,
		PerConnection: 3, Resolve: true, Robots: true, AddressCap: 2, AddressDelay: 100 * time.Millisecond}
	thesis, ahead, sliced := polite, rough, polite
	thesis.Mode, thesis.Batch, thesis.SiteShare = frontier.Thesis, 20, 0.3
	ahead.Mode, ahead.Batch = frontier.Ahead, 10
	sliced.Slice = 40
	return []Setting{
		{Name: "plain", Fetchers: 1},
		{Name: "polite", Fetchers: 8, Options: polite, Timed: true},
		{Name: "rough", Fetchers: 8, Options: rough, Timed: true, Rough: true},
		{Name: "thesis", Fetchers: 8, Options: thesis, Timed: true},
		{Name: "ahead", Fetchers: 8, Options: ahead, Timed: true, Rough: true},
		{Name: "sliced", Fetchers: 4, Options: sliced, Timed: true},
	}
}

// A Visit is a hand-out: a page of the world at an instant.
type Visit struct {
	At   time.Duration
	Page int
}

// A Crawl drives a frontier through a world in virtual time, and keeps a model of it
// by which it judges what is handed out.
type Crawl struct {
	World   *World
	Setting Setting
	F       *frontier.Frontier
	Page    policy.Policy // of the pages, as the frontier uses it
	Visits  []Visit
	Err     error // the first rule that was broken
	// Watch, if not nil, is called before a page is handed to a fetcher.
	Watch func(p graph.Page)

	choices [2]*policy.Choice // of pages and of sites
	now     time.Duration
	flying  []flight
	model
}

// flight is a task under way.
type flight struct {
	work event.Task
	at   time.Duration // its start
	end  time.Duration
}

// NewCrawl begins a crawl with a policy for pages and, unless empty, one for sites.
func NewCrawl(w *World, s Setting, page, site string) (*Crawl, error) {
	c := &Crawl{World: w, Setting: s}
	for i, name := range []string{page, site} {
		if name == "" {
			continue
		}
		choice, err := policy.Choose(name)
		if err != nil {
			return nil, err
		}
		c.choices[i] = choice
	}
	c.capture()
	return c, c.begin()
}

// capture lets the crawl see the policy that the frontier makes.
func (c *Crawl) capture() {
	spec := *c.choices[0].Spec
	plain, omniscient := spec.New, spec.NewOmniscient
	if plain != nil {
		spec.New = func(e *policy.Env, p policy.Params) (policy.Policy, error) {
			made, err := plain(e, p)
			c.Page = made
			return made, err
		}
	}
	if omniscient != nil {
		spec.NewOmniscient = func(e *policy.Env, p policy.Params, o policy.Oracle) (policy.Policy, error) {
			made, err := omniscient(e, p, o)
			c.Page = made
			return made, err
		}
	}
	c.choices[0] = &policy.Choice{Name: c.choices[0].Name, Spec: &spec, Params: c.choices[0].Params}
}

// begin makes the frontier and seeds it.
func (c *Crawl) begin() (err error) {
	c.model = newModel(c.World)
	if c.F, err = c.newFrontier(); err != nil {
		return err
	}
	c.F.Apply(0, &event.Event{Kind: event.Seed, New: c.discover(c.World.Seeds)})
	return nil
}

func (c *Crawl) newFrontier() (*frontier.Frontier, error) {
	o := c.Setting.Options
	o.MaxPages, o.MaxSites, o.Random = len(c.World.Out), len(c.World.Out), c.World.Random
	o.Topic = c.World.Topic
	if c.Setting.Rough {
		o.Allowed = func(p graph.Page) bool { return c.allowed(c.pages[p]) }
	}
	env := policy.Env{
		SiteName: func(s graph.Site) string { return c.World.SiteName(c.sites[s]) },
		Prior:    c.World.prior(&c.pages),
		Random:   c.World.Random,
		Batch:    20,
	}
	if c.World.URL != nil {
		env.Score = c.World.Score
		env.URL = func(b []byte, p graph.Page) []byte { return append(b, c.World.URL[c.pages[p]]...) }
	}
	return frontier.New(o, env, c.choices[0], c.choices[1], oracle{c.World, &c.pages})
}

// everyTerm returns a score of all terms, raw and as quantiles.
func everyTerm() *score.Function {
	var sum []string
	for _, info := range score.Table() {
		sum = append(sum, fmt.Sprintf("%s/(1 + abs(%s)) + q(%s)", info.Name, info.Name, info.Name))
	}
	f, err := score.Compile(strings.Join(sum, " + "))
	if err != nil {
		panic(err)
	}
	f.Imported, err = score.NewImported([]string{"site1.example", "http://site2.example/a"}, []float64{3, 4})
	if err != nil {
		panic(err)
	}
	return f
}

// Run continues to the end.
func (c *Crawl) Run() *Crawl {
	for c.Step() {
	}
	return c
}

// Step hands out what can be handed out now and waits for the next thing to happen. It
// reports whether there was anything to wait for.
func (c *Crawl) Step() bool {
	ask := event.Never
	for len(c.flying) < c.Setting.Fetchers {
		w, later, ok := c.F.Next(c.now)
		if !ok {
			ask = later
			break
		}
		c.start(w)
	}
	c.forget(c.F.Refusals())
	if len(c.flying) == 0 && ask == event.Never || c.Err != nil {
		return false
	}
	first := -1
	for i, f := range c.flying {
		if first < 0 || f.end < c.flying[first].end {
			first = i
		}
	}
	if first < 0 || ask < c.flying[first].end {
		if ask <= c.now {
			c.fail("asked to ask again at %v, and it is %v", ask, c.now)
		}
		c.now = ask
		return true
	}
	f := c.flying[first]
	c.flying = slices.Delete(c.flying, first, first+1)
	c.now = f.end
	c.finish(f)
	return true
}

// Interrupt ends the session and begins another: tasks under way are lost.
func (c *Crawl) Interrupt() {
	for _, f := range c.flying {
		c.ended(flight{work: f.work, end: c.now})
		if f.work.Kind == event.Fetch {
			c.state[c.pages[f.work.Page]] = known
		}
	}
	c.flying = c.flying[:0]
	for p := range c.due { // what failed is tried at once
		c.due[p] = min(c.due[p], c.now)
	}
	c.F.Apply(c.now, &event.Event{Kind: event.Session})
}

// start begins a task that was handed out.
func (c *Crawl) start(w event.Task) {
	took := time.Duration(0)
	if c.Setting.Timed {
		took = time.Duration(c.draw(2e9, 20, uint64(w.Kind), uint64(w.Site), uint64(w.Page), uint64(len(c.Visits)))) + 1
	}
	c.judge(w)
	if w.Kind == event.Fetch {
		if c.Watch != nil {
			c.Watch(w.Page)
		}
		c.Visits = append(c.Visits, Visit{c.now, c.pages[w.Page]})
	}
	c.flying = append(c.flying, flight{w, c.now, c.now + took})
}

// finish reports the end of a task.
func (c *Crawl) finish(f flight) {
	e := event.Event{Task: event.Task{Site: f.work.Site, Page: f.work.Page}, Start: f.at, End: f.end}
	switch f.work.Kind {
	case event.Resolve:
		e.Kind, e.Address = event.Resolved, c.address(c.sites[f.work.Site])
		if c.dead(c.sites[f.work.Site]) {
			e.Class = event.DNSError
		}
	case event.Robots:
		e.Kind, e.For = event.Ruled, f.work.For
	default:
		e.Kind, e.Keep = event.Done, true
		c.outcome(&e)
	}
	c.ended(f)
	c.F.Apply(c.now, &e)
	if w, ok := c.F.More(c.now, f.work.Site); ok {
		c.keep = true
		c.start(w)
		c.keep = false
	}
}

// outcome decides how an attempt at a page ended.
func (c *Crawl) outcome(e *event.Event) {
	p := c.pages[e.Page]
	c.tries[p]++
	if c.Setting.Rough {
		switch n := c.draw(10, 21, uint64(p), uint64(c.tries[p])); {
		case n < 2 && c.tries[p] < 3:
			e.Class, e.Again, e.Due = event.Timeout, true, c.now+time.Duration(n)*3*time.Second
			c.state[p], c.due[p] = due, e.Due
			return
		case n == 2:
			e.Class = event.HTTPError
			c.state[p] = done
			return
		}
	}
	c.state[p] = done
	e.New = c.discover(c.World.Out[p])
	for _, to := range c.World.Out[p] {
		e.Links = append(e.Links, c.ids[to])
	}
	if c.World.Topic != nil {
		e.Read, e.Anchors = c.World.Read[p], c.World.Anchors[p]
	}
}

// Saved returns the state of the frontier as bytes.
func (c *Crawl) Saved() ([]byte, error) {
	var b bytes.Buffer
	err := c.F.Save(&b)
	return b.Bytes(), err
}

// Copy returns a crawl in the same state, with a frontier that was loaded from the saved
// state of this one.
func (c *Crawl) Copy() (*Crawl, error) {
	saved, err := c.Saved()
	if err != nil {
		return nil, err
	}
	d := &Crawl{World: c.World, Setting: c.Setting, choices: c.choices, now: c.now,
		Visits: slices.Clone(c.Visits), flying: slices.Clone(c.flying), model: c.model.clone()}
	d.choices[0] = mustChoose(c.choices[0].Name)
	d.capture()
	if d.F, err = d.newFrontier(); err != nil {
		return nil, err
	}
	return d, d.F.Load(bytes.NewReader(saved))
}

func mustChoose(name string) *policy.Choice {
	c, err := policy.Choose(name)
	if err != nil {
		panic(err)
	}
	return c
}

func (c *Crawl) fail(format string, args ...any) {
	if c.Err == nil {
		c.Err = fmt.Errorf("%v: "+format, append([]any{c.now}, args...)...)
	}
}
