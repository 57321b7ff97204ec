// Package boards has the experiments that are of no paper: a leaderboard of policies on any
// graphs, one of allocations of visits, and how good the forecasts of winnow advise are.
package boards

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/leaderboard"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
)

//go:embed texts/*.txt
var texts embed.FS

// text returns a text of this package. Arguments are those of its verbs.
func text(name string, args ...any) string { return experiment.Text(texts, name, args...) }

// Experiments lists the boards.
func Experiments() []experiment.Experiment {
	list := slices.Concat(orders(), advices(), allocations())
	for i := range list {
		list[i].Intro = text(list[i].Name)
	}
	return list
}

// orders lists the board of policies.
func orders() []experiment.Experiment {
	return []experiment.Experiment{{
		Name: LeaderboardName, Paper: "winnow", What: "regret of policies over graphs and starts, with intervals; time under politeness; cost",
		Header: boardHeader, All: runBoard,
	}}
}

// LeaderboardName is the experiment that Bench.Policies and Bench.Earlier are for.
const LeaderboardName = "leaderboard"

// BoardPolicies returns the policies of a leaderboard unless others are named: the subject,
// winnow's other orders, and published ones.
func BoardPolicies() []string {
	return []string{
		"foresight", "hedge:opic+xim", "mix:opic+xim", "xim",
		"breadth-first", "backlink-count", "batch-pagerank", "partial-pagerank", "opic", "opic/cash=all", "opic/remote=0.8", "larger-sites-first", "location",
	}
}

// Numbers of a leaderboard.
const (
	boardStarts  = 10 // starts of a graph unless Bench.Starts says another number
	boardPages   = 20 // pages of a start of several pages
	boardRandoms = 3  // crawls in random order whose mean is the floor
)

// boardHeader describes what the board is a function of.
func boardHeader(b *experiment.Bench) (h []show.Field) {
	for _, p := range b.Places {
		h = append(h, boardWorld(p))
	}
	names := b.Policies
	if len(names) == 0 {
		names = BoardPolicies()
	}
	return append(h, experiment.Field("policies", "%s", strings.Join(names, ", ")),
		experiment.Field("options", "order only (no time), r = 1; K = T/30 for policies that solve every K pages"), startsField(b), b.SeedField())
}

func boardWorld(p *experiment.Place) show.Field {
	return experiment.Field("world", "%s; seeds: %s (%d)", p.Describe(), p.SeedsName, len(p.Seeds))
}

func startsField(b *experiment.Bench) show.Field {
	return experiment.Field("starts", "%d for each graph", startsOr(b, boardStarts))
}

// startsOr returns Bench.Starts, or n if it is 0.
func startsOr(b *experiment.Bench, n int) int { return cmp.Or(b.Starts, n) }

// CheckBoard returns an error if a leaderboard cannot have these policies.
func CheckBoard(policies []string) error {
	_, err := boardPolicies(&experiment.Bench{Policies: policies})
	return err
}

// boardPolicies returns the policies that run, the baselines last.
func boardPolicies(b *experiment.Bench) ([]leaderboard.Policy, error) {
	names := b.Policies
	if len(names) == 0 {
		names = BoardPolicies()
	}
	var list []leaderboard.Policy
	have := map[string]string{}
	for _, name := range names {
		c, err := policy.Choose(name)
		if err != nil {
			return nil, err
		}
		if before, twice := have[c.Canonical(0)]; twice {
			return nil, fmt.Errorf("%s and %s are the same policy", before, name)
		}
		have[c.Canonical(0)] = name
		if !slices.Contains(leaderboard.Baselines(), c.Name) {
			list = append(list, leaderboard.Policy{Name: c.Name, Kind: kindOf(c)})
		}
	}
	if !slices.ContainsFunc(list[min(1, len(list)):], func(p leaderboard.Policy) bool { return p.Kind == leaderboard.Published }) {
		return nil, errors.New("it has no published policy after the first: there is nothing to compare it with")
	}
	for _, name := range leaderboard.Baselines() {
		list = append(list, leaderboard.Policy{Name: name, Kind: leaderboard.Baseline})
	}
	return list, nil
}

func kindOf(c *policy.Choice) leaderboard.Kind {
	switch {
	case c.Published():
		return leaderboard.Published
	case c.NeedsOracle() || c.Spec.Prior || c.Spec.Topic:
		return leaderboard.Other
	}
	return leaderboard.Own
}

// runBoard fills a board and shows it.
func runBoard(r *experiment.Run) error {
	policies, err := boardPolicies(r.Bench)
	if err != nil {
		return err
	}
	board := &leaderboard.Board{Policies: policies}
	names := boardNames(r.Places)
	for i, p := range r.Places {
		t := &boardGraph{Bench: r.Bench, board: board, place: p, Graph: leaderboard.NewGraph(names[i], len(policies)), at: i}
		board.Graphs = append(board.Graphs, t.Graph)
		if err := t.run(); err != nil {
			return fmt.Errorf("%s: %w", p.World.Name, err)
		}
	}
	if err := board.Check(); err != nil {
		return err
	}
	r.Report.Verdict = board.Verdict()
	r.Show(board.Sections()...)
	return nil
}

// boardNames returns short names of the places: the name of the file without its end, if that
// leaves them different.
func boardNames(places []*experiment.Place) []string {
	var short, long []string
	for _, p := range places {
		short, long = append(short, strings.TrimSuffix(filepath.Base(p.World.Name), ".wg")), append(long, p.World.Name)
	}
	if sorted := slices.Sorted(slices.Values(short)); len(slices.Compact(sorted)) < len(places) {
		return long
	}
	return short
}

// A boardGraph runs the policies on one graph.
type boardGraph struct {
	*experiment.Bench
	*leaderboard.Graph
	board  *leaderboard.Board
	place  *experiment.Place
	at     int    // which graph
	reused []bool // by policy: the numbers are those of an earlier run
}

// A boardStart is a start with where it begins.
type boardStart struct {
	*leaderboard.Start
	seeds []graph.Page
}

func (t *boardGraph) run() error {
	truth, err := experiment.ByPageRank(t.Bench, t.place, nil)
	if err != nil {
		return err
	}
	starts := t.starts()
	t.reuse(starts)
	curves := make([]int, len(t.board.Policies))
	for i, s := range starts {
		t.Say(i, len(starts), "%s: %s", t.Name, s.Name)
		if err := t.from(s, truth, curves); err != nil {
			return err
		}
		t.board.Starts = append(t.board.Starts, s.Start)
	}
	for i, n := range curves {
		for k := range t.Curves[i] {
			if !t.reused[i] {
				t.Curves[i][k] /= float64(n)
			}
		}
	}
	return t.politely(starts[0].seeds, truth)
}

// starts returns the seeds of the place, then by turns one page and twenty, drawn at random. A
// start that reaches less than half of what the seeds reach is drawn again.
func (t *boardGraph) starts() (list []boardStart) {
	add := func(name string, seeds []graph.Page, pages int) {
		list = append(list, boardStart{&leaderboard.Start{Graph: t.at, Name: name, Pages: pages, Average: make([]float64, len(t.board.Policies))}, seeds})
	}
	p, all := t.place, t.place.Reach(t.place.Seeds)
	add("seeds: "+p.SeedsName, p.Seeds, all)
	for n := 1; n < startsOr(t.Bench, boardStarts); n++ {
		size, name := 1, fmt.Sprintf("1 page, draw %d", (n+1)/2)
		if n%2 == 0 {
			size, name = boardPages, fmt.Sprintf("%d pages, draw %d", boardPages, n/2)
		}
		for draw := range experiment.Draws {
			if t.Context.Err() != nil {
				return list
			}
			seeds := lab.RandomSeeds(p.World.Pages(), size, t.Random, uint64(n*experiment.Draws+draw))
			if reached := p.Reach(seeds); 2*reached >= all {
				add(name, seeds, reached)
				break
			}
		}
	}
	return list
}

// reuse takes over what an earlier run had of published policies and baselines.
func (t *boardGraph) reuse(starts []boardStart) {
	t.reused = make([]bool, len(t.board.Policies))
	if t.Earlier == nil || !t.Earlier.Covers(boardWorld(t.place), startsField(t.Bench), t.SeedField()) {
		return
	}
	for i, p := range t.board.Policies {
		if p.Kind != leaderboard.Published && p.Kind != leaderboard.Baseline {
			continue
		}
		had := true
		for _, s := range starts {
			v, ok := t.Earlier.Average(t.Name, s.Start, p.Name)
			s.Average[i] = v
			had = had && ok
		}
		t.reused[i] = had && t.Earlier.Fill(t.Graph, i, p.Name)
	}
}

// A boardJob is a crawl of one policy; its numbers.
type boardJob struct {
	policy  int
	random  uint64
	average float64
	curve   []float64
	micros  float64
	bytes   float64
}

// from crawls from one start under all policies that were not reused. It adds to the curves
// and counts them.
func (t *boardGraph) from(s boardStart, truth *measure.Truth, curves []int) error {
	set := t.Setting(t.place, truth)
	set.Seeds, set.Batch = s.seeds, experiment.Batch(s.Pages)
	c, err := t.Prepare(t.place, set)
	if err != nil {
		return err
	}
	jobs := t.jobs(c.Comparison, s.Start)
	links := 0
	for _, p := range c.Tree.Order {
		links += t.place.World.Sim.Out.Degree(p)
	}
	if err := t.InParallel(len(jobs), func(i int) error { return t.crawl(c.Comparison, jobs[i], links) }); err != nil {
		return err
	}
	for _, j := range jobs {
		i := j.policy
		s.Average[i] += j.average
		if t.Curves[i] == nil {
			t.Curves[i] = make([]float64, len(j.curve))
		}
		for k, v := range j.curve {
			t.Curves[i][k] += v
		}
		curves[i]++
		if t.board.Policies[i].Kind != leaderboard.Baseline {
			t.Micros[i], t.Bytes[i] = least(t.Micros[i], j.micros), -least(-t.Bytes[i], -j.bytes)
		}
	}
	if i := len(t.board.Policies) - len(leaderboard.Baselines()); !t.reused[i] {
		s.Average[i] /= boardRandoms
	}
	return nil
}

// least returns the smaller of two numbers, the second if the first is NaN.
func least(a, b float64) float64 {
	if a <= b {
		return a
	}
	return b
}

// jobs returns the crawls to make. Policies that cannot run here have no average.
func (t *boardGraph) jobs(c *lab.Comparison, s *leaderboard.Start) (jobs []*boardJob) {
	for i, p := range t.board.Policies {
		switch {
		case t.reused[i]:
		case c.Check(p.Name) != nil:
			s.Average[i] = math.NaN()
		case p.Name == leaderboard.Baselines()[0]:
			for n := range uint64(boardRandoms) {
				jobs = append(jobs, &boardJob{policy: i, random: t.Random + n})
			}
		default:
			jobs = append(jobs, &boardJob{policy: i, random: t.Random})
		}
	}
	return jobs
}

// crawl does one job.
func (t *boardGraph) crawl(shared *lab.Comparison, j *boardJob, links int) error {
	c := shared
	if j.random != t.Random {
		c = &lab.Comparison{Setting: shared.Setting, Tree: shared.Tree, Judge: shared.Judge}
		c.Random = j.random
	}
	run, seconds, err := t.timedRun(c, t.board.Policies[j.policy].Name)
	if err != nil {
		return err
	}
	trial, err := c.Judge.Try(run.Result.Order)
	if err != nil {
		return err
	}
	curve := trial.Cumulative()
	j.average = curve.Mean()
	for _, share := range leaderboard.Shares() {
		v, _ := curve.At(share)
		j.curve = append(j.curve, 100*v)
	}
	j.micros, j.bytes = 1e6*seconds/float64(max(1, links)), float64(run.Result.Memory)/float64(run.Result.Known)
	return nil
}

// timedRun crawls and returns the seconds of its thread, or by the clock where those are not
// known.
func (t *boardGraph) timedRun(c *lab.Comparison, policy string) (*lab.Run, float64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, ok := threadTime()
	run, err := c.Simulate(policy, t.Stop)
	if err != nil {
		return nil, 0, err
	}
	if after, _ := threadTime(); ok {
		return run, (after - before).Seconds(), nil
	}
	return run, run.Seconds, nil
}

// politely crawls under politeness, where there are several sites. With more fetchers than
// sites the rest is idle, so that such a crawl is not repeated.
func (t *boardGraph) politely(seeds []graph.Page, truth *measure.Truth) error {
	if !t.place.World.HasSites() {
		return nil
	}
	type job struct{ r, policy int }
	var jobs []job
	rs, sites := leaderboard.Fetchers(), t.place.World.Sites()
	for r := range rs {
		hours := make([]float64, len(t.board.Policies))
		for i, p := range t.board.Policies {
			hours[i] = math.NaN()
			if t.reused[i] {
				if v, ok := t.Earlier.Hours(t.Name, r, p.Name); ok {
					hours[i] = v
				}
			} else if p.Kind != leaderboard.Baseline && (r == 0 || rs[r-1] < sites) {
				jobs = append(jobs, job{r, i})
			}
		}
		t.Hours = append(t.Hours, hours)
	}
	t.Say(0, 0, "%s: under politeness", t.Name)
	err := t.InParallel(len(jobs), func(k int) (err error) {
		j := jobs[k]
		t.Hours[j.r][j.policy], err = t.meanHours(seeds, truth, rs[j.r], t.board.Policies[j.policy].Name)
		return err
	})
	for r := 1; r < len(rs); r++ {
		for i := range t.Hours[r] {
			if rs[r-1] >= sites {
				t.Hours[r][i] = t.Hours[r-1][i]
			}
		}
	}
	return err
}

// meanHours returns the mean time until a page was there, weighted by its importance; NaN if
// the policy cannot run here.
func (t *boardGraph) meanHours(seeds []graph.Page, truth *measure.Truth, fetchers int, name string) (float64, error) {
	s, err := t.Polite(t.place, truth)
	if err != nil {
		return 0, err
	}
	s.Seeds, s.Fetchers, s.Batch = seeds, fetchers, experiment.Batch(t.place.Reach(seeds))
	c, err := t.Prepare(t.place, s)
	if err != nil {
		return 0, err
	}
	if c.Check(name) != nil {
		return math.NaN(), nil
	}
	run, err := c.Simulate(name, t.Stop)
	if err != nil {
		return 0, err
	}
	var weights, times []float64
	for i, p := range run.Result.Order {
		weights, times = append(weights, truth.Value[p]), append(times, float64(truth.Value[p]*run.Result.End[i].Hours()))
	}
	return measure.Sum(times) / measure.Sum(weights), nil
}
