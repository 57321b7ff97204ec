// Package live compares real crawls with virtual ones.
//
// A World is the graph that a crawl recorded, which can be crawled again virtually, with
// the times that the crawl recorded. A Report compares the order of the crawl with the
// orders of other policies in its world.
package live

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// A Report compares a crawl with simulations in its world.
type Report struct {
	budget budget
	Real   *lab.Run   // nil if no page was fetched
	Runs   []*lab.Run // simulations; the first has the policy of the crawl
	// Failed has the errors of policies that could not be simulated while others could, or says
	// that no page was fetched.
	Failed error
	Top    []TopPage    // the most important pages
	Missed []MissedPage // important pages that were not fetched: failed ones, and others

	w      *World
	config *config.Config // of the last session
	status *history.Status
	state  *state.State
	world  *lab.World
	c      *lab.Comparison
	copies *copies
	sweep  []*lab.Run // by sweepShares; nil if there are none

	timeline  *history.Timeline
	languages map[string]int64 // of some pages
	// The best of the pages that were not fetched, and how many of them would be among the top.
	missedFailed, missedOther []missed
	missedBest                int
}

// ReportOptions configure what a Report compares a crawl with.
type ReportOptions struct {
	Policies []string // to simulate; NoPolicy among them leaves all simulations out
	Program  string   // for the card of the graph
	Progress *show.Stages

	// MaxMemory is what the process may use, in bytes; 0: what the crawl may use. Limit, if it is
	// not nil, is told this number, and about how much of it will lie outside the Go heap.
	MaxMemory, MachineMemory int64
	Limit                    func(most, outside int64)
}

// NoPolicy in ReportOptions.Policies leaves all simulations out.
const NoPolicy = "none"

// DefaultPolicies returns the policies that a crawl is usually compared with.
func DefaultPolicies() []string { return []string{"breadth-first", "random", "omniscient"} }

// Close releases the world of the report.
func (r *Report) Close() {
	if r.world != nil {
		r.world.Free()
	}
	r.w.Close()
}

// ReadReport reads a crawl, measures it, and crawls its world virtually. If no page was fetched,
// the report has what is known all the same, and Failed says so.
func ReadReport(ctx context.Context, dir string, o ReportOptions) (*Report, error) {
	var b budget
	w, err := OpenWorld(ctx, dir, WorldOptions{Program: o.Program, Progress: o.Progress.Set, check: func(c *history.Crawl) (err error) {
		b, err = o.budget(c)
		return err
	}})
	if errors.Is(err, lab.ErrNothing) {
		return readNothing(ctx, dir, err)
	}
	if err != nil {
		return nil, err
	}
	r := &Report{w: w, budget: b, world: lab.NewWorld(filepath.Base(dir), w.Graph, false, 0)}
	if err := r.read(ctx, o); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// readNothing reads a crawl that fetched no page.
func readNothing(ctx context.Context, dir string, nothing error) (*Report, error) {
	c, err := recut.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &Report{w: &World{Crawl: c}, Failed: nothing}
	if r.w.Trail, err = c.Trail(); err == nil {
		err = r.readCrawl()
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// readCrawl reads what needs no importance.
func (r *Report) readCrawl() (err error) {
	if r.state, err = r.w.Crawl.State(); err != nil {
		return err
	}
	if r.status, err = r.w.Crawl.Status(); err != nil {
		return err
	}
	if r.config, err = r.w.Crawl.Config(); err != nil {
		return err
	}
	r.timeline, err = r.w.Crawl.Timeline(timeSteps)
	return err
}

func (r *Report) read(ctx context.Context, o ReportOptions) (err error) {
	if err := r.readCrawl(); err != nil {
		return err
	}
	if err := r.measure(o.Progress); err != nil {
		return err
	}
	r.findMissed()
	if err := r.readPages(); err != nil {
		return err
	}
	if r.w.Trail.Revisits > 0 {
		if r.copies, err = r.w.readCopies(); err != nil {
			return err
		}
	}
	if slices.Contains(o.Policies, NoPolicy) {
		return nil
	}
	if r.budget.simulations(1) == 0 {
		r.Failed = r.budget.missing(r.w.Crawl.Path)
		return nil
	}
	if err := r.simulate(ctx, o); err != nil || r.copies == nil {
		return err
	}
	err = r.simulateShares(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.Failed = errors.Join(r.Failed, err)
	return nil
}

// measure computes the importance of the pages and measures the order of the crawl by it.
func (r *Report) measure(shown *show.Stages) (err error) {
	if err := r.w.Replay(r.world); err != nil {
		return err
	}
	course := r.result()
	truth, err := measure.PageRankTruth(r.world.Web(), measure.TruthOptions{Within: course.Order, Progress: shown.Sweeps("pagerank", 1e-12)})
	if err != nil {
		return err
	}
	set, err := r.setting(truth)
	if err != nil {
		return err
	}
	if r.c, err = set.Prepare(); err != nil {
		return err
	}
	if r.c.Judge, err = measure.NewJudge(truth, course.Order, measure.JudgeOptions{Seed: set.Random}); err != nil {
		return err
	}
	r.Real, err = r.c.Measure("this crawl", course)
	return err
}

// setting returns that of simulations: the configuration and the times of the crawl.
func (r *Report) setting(truth *measure.Truth) (set lab.Setting, err error) {
	set = lab.Setting{World: r.world, Truth: truth}
	r.w.Start(&set)
	set.Score = r.world.Sim.Recorded.Score
	if set.History, err = r.w.History(); err != nil {
		return set, err
	}
	if set.Frontier.Topic, err = r.config.About(); err != nil {
		return set, err
	}
	if err = Like(&set, r.config, true, func(string) bool { return false }); err != nil {
		return set, err
	}
	set.Times, err = Times(r.w.Crawl, r.w.Graph, r.config.RandomSeed, true)
	if errors.Is(err, sim.ErrNoTimes) {
		err = nil
	}
	return set, err
}

// result returns the crawl as the result of a simulation. Its clock stops between sessions.
func (r *Report) result() *sim.Result {
	t := r.w.Trail
	res := &sim.Result{Known: r.w.Crawl.Known(), Sites: len(t.Sites), Took: t.Duration - t.Stopped}
	for _, n := range r.state.Requests {
		res.Requests += int(n)
	}
	for _, v := range t.Visits {
		p, _ := r.w.page(v.Page) // the world has all fetched pages
		res.Order = append(res.Order, p)
		res.Start = append(res.Start, v.Ran-(v.End-v.Start))
		res.End = append(res.End, v.Ran)
		res.Bytes = append(res.Bytes, v.Bytes)
	}
	return res
}

// simulate crawls the world by the policy of the crawl and by others.
func (r *Report) simulate(ctx context.Context, o ReportOptions) error {
	names := []string{r.config.Policy}
	for _, p := range o.Policies {
		if p = policy.Actual(p); !slices.Contains(names, p) {
			names = append(names, p)
		}
	}
	each := len(r.c.Tree.Order)
	runs, err := r.c.All(names, r.budget.simulations(runtime.GOMAXPROCS(0)), func(n int) error {
		return o.Progress.Set("simulate", int64(n), int64(len(names)*each))
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r.Failed = err; runs == nil && err != nil {
		return err // such as a policy that does not exist
	}
	for i, run := range runs {
		if run == nil {
			continue
		}
		if i == 0 {
			run.Policy += simulated
		}
		r.Runs = append(r.Runs, run)
	}
	return nil
}

// simulated is added to the name of the crawl's own policy.
const simulated = ", simulated"

// all returns the crawl and its simulations.
func (r *Report) all() []*lab.Run { return append([]*lab.Run{r.Real}, r.Runs...) }

// page returns the report without sections.
func (r *Report) page() *show.Report {
	return &show.Report{Title: filepath.Base(r.w.Crawl.Path), Subtitle: r.subtitle(), Lead: r.lead(), Warnings: r.warnings()}
}

// briefPages is the number of pages in the lists of Brief.
const briefPages = 10

// Brief returns the sentences, the main tables and, with charts, the main curves.
func (r *Report) Brief(charts bool) *show.Report {
	rep := r.page()
	if rep.Sections = []show.Section{untold(r.figures())}; r.Real == nil {
		return rep
	}
	top := briefly(r.topSection())
	top.Title = topTitle(len(top.Table.Rows))
	rep.Sections = append(rep.Sections, top)
	if s := r.failedSection(); s.Table != nil {
		rep.Sections = append(rep.Sections, briefly(s))
	}
	rep.Sections = append(rep.Sections, untold(r.orders()))
	if charts {
		rep.Sections = append(rep.Sections, r.gatheredByPages(), r.rates())
	}
	return rep
}

// briefly returns the beginning of a list.
func briefly(s show.Section) show.Section {
	t := *s.Table
	t.Rows = t.Rows[:min(len(t.Rows), briefPages)]
	s.Table = &t
	return untold(s)
}

// untold returns a table under its title, without the text that explains it.
func untold(s show.Section) show.Section { return show.Section{Title: s.Title, Table: s.Table} }

// A Summary has the main numbers of a Report.
type Summary struct {
	Report   string   `json:"report"` // where the report was written
	Known    int64    `json:"known"`
	Fetched  int64    `json:"fetched"`
	Failed   int64    `json:"failed"`
	Refused  int64    `json:"refused"`
	Waiting  int64    `json:"waiting"`
	Withheld int64    `json:"withheld"` // fetched and not stored, because they ask for that
	Attempts int64    `json:"attempts"`
	Yield    *float64 `json:"pages_per_attempt"` // null without attempts
	Sites    int      `json:"sites"`
	Bytes    int64    `json:"bytes"`
	Seconds  float64  `json:"seconds"` // of running
	HalfRank *float64 `json:"importance_of_half"`
	Orders   []Order  `json:"orders"`
	// Freshness is the weighted share of the copies that are up to date at the end, as visits
	// let it be estimated; nil without visits.
	Freshness *float64 `json:"freshness,omitempty"`
	Indexes   int      `json:"indexes_written"`
	// When pages came, seconds of running; null if none did.
	MeanSeconds   *float64 `json:"mean_seconds"`
	MedianSeconds *float64 `json:"median_seconds"`

	Lead     []string     `json:"lead"`     // three sentences
	Warnings []string     `json:"warnings"` // such as sessions with different options
	Top      []TopPage    `json:"top"`      // the most important pages
	Missed   []MissedPage `json:"missed"`   // important pages that were not fetched
}

// An Order has the main numbers of one order of the pages.
type Order struct {
	Policy  string   `json:"policy"`
	Average float64  `json:"avg_cumulative_pagerank"`
	Tenths  []any    `json:"importance_by_tenth"` // null where it stopped before
	Seconds *float64 `json:"seconds,omitempty"`
}

// Summary returns the main numbers. The caller sets Report and Indexes.
func (r *Report) Summary() Summary {
	of := r.status
	s := Summary{
		Known: of.Known, Fetched: of.Fetched, Failed: of.Failed,
		Refused: of.Refused, Waiting: of.Waiting, Withheld: of.Withheld, Attempts: show.Total(of.Outcomes), Sites: int(of.Sites), Bytes: of.Bytes,
		Seconds: r.took().Seconds(), Orders: []Order{},
		Lead: r.lead(), Warnings: append([]string{}, r.warnings()...), Top: append([]TopPage{}, r.Top...), Missed: append([]MissedPage{}, r.Missed...),
	}
	if y, ok := r.yield(); ok {
		s.Yield = &y
	}
	if r.Real == nil {
		return s
	}
	s.HalfRank = halfRank(r.Real.Trial.Cumulative())
	s.MeanSeconds, s.MedianSeconds = &r.status.Mean, &r.status.Median
	if r.copies != nil {
		has, good, _ := r.gathered()
		fresh := good[tradeoffPoints-1] / has[tradeoffPoints-1]
		s.Freshness = &fresh
	}
	for _, run := range r.all() {
		x := Order{Policy: run.Policy, Average: run.Measures.Average}
		for _, v := range run.Tenths() {
			if math.IsNaN(v) {
				x.Tenths = append(x.Tenths, nil)
			} else {
				x.Tenths = append(x.Tenths, v)
			}
		}
		if r.c.Times != nil {
			seconds := run.Result.Took.Seconds()
			x.Seconds = &seconds
		}
		s.Orders = append(s.Orders, x)
	}
	return s
}

// halfRank returns the importance of the first half of the pages, nil if it is unknown.
func halfRank(c measure.Curve) *float64 {
	v, ok := c.At(0.5)
	if !ok {
		return nil
	}
	return &v
}

// A Course describes how soon a crawl gathered the importance. Numbers are nil if it never did.
type Course struct {
	Policy   string   `json:"policy"`
	HalfRank *float64 `json:"importance_of_half"` // of the first half of the pages
	For50    *float64 `json:"seconds_for_50"`
	For90    *float64 `json:"seconds_for_90"`
	Seconds  float64  `json:"seconds"`
}

func courseOf(run *lab.Run, policy string) *Course {
	if run == nil {
		return &Course{Policy: policy}
	}
	c := run.Trial.Cumulative()
	return &Course{Policy: policy, HalfRank: halfRank(c), For50: secondsFor(run, c, 0.5), For90: secondsFor(run, c, 0.9), Seconds: run.Result.Took.Seconds()}
}

// secondsFor returns when a run had a share of the importance, nil if never.
func secondsFor(run *lab.Run, c measure.Curve, share float64) *float64 {
	i, _ := slices.BinarySearch(c.Y, share)
	if i >= len(run.Result.End) {
		return nil
	}
	s := run.Result.End[i].Seconds()
	return &s
}

// Course returns the course of the crawl.
func (r *Report) Course() *Course { return courseOf(r.Real, r.config.Policy) }

// Simulated returns the course of a policy in the world and with the times of the crawl,
// nil if it was not simulated. Two policies in one such world differ by nothing else, while
// two crawls also differ by the state of the machine.
func (r *Report) Simulated(policy string) *Course {
	name := policy
	if policy == r.config.Policy {
		name += simulated
	}
	for _, run := range r.Runs {
		if run.Policy == name {
			return courseOf(run, policy)
		}
	}
	return nil
}

// Compare returns a table with a row for each crawl, and below it the policies of all
// crawls, simulated in the world of that crawl. violations has a number for each crawl.
func Compare(reports []*Report, violations []int) show.Section {
	t := &show.Table{Columns: []show.Column{
		{Name: "crawl"}, {Name: "at 50 %", Unit: "%", Key: "importance_at_50"},
		{Name: "half of it", Unit: "s", Key: "seconds_for_50"}, {Name: "90 % of it", Unit: "s", Key: "seconds_for_90"},
		{Name: "all", Unit: "s", Key: "seconds"}, {Name: "pages"}, {Name: "violations"},
	}}
	for i, r := range reports {
		row := r.Course().row(r.config.Policy)
		t.Rows = append(t.Rows, append(row, show.Count(len(r.Real.Result.Order)), show.Count(violations[i])))
		for _, other := range reports {
			if s := r.Simulated(other.config.Policy); s != nil {
				t.Rows = append(t.Rows, append(s.row("  simulated: "+s.Policy), show.None(), show.None()))
			}
		}
	}
	return show.Section{
		Table: t,
		Text: "Importance is the PageRank of the fetched pages. at 50 %: importance of the first half of the pages. half of it, 90 % of it: when this much of the importance was gathered. " +
			"simulated: the policy in the world that the crawl above recorded, with the times that it recorded.",
	}
}

func (c *Course) row(name string) []show.Cell {
	return []show.Cell{show.Words(name), show.NumOf(c.HalfRank, 100, 1), show.NumOf(c.For50, 1, 2), show.NumOf(c.For90, 1, 2), show.Num(c.Seconds, 1)}
}
