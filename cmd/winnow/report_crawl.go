package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

type reportOptions struct {
	out      string   // directory; "": DIR/report
	policies []string // that are simulated beside the crawl
}

func newReportCommand(u *ui) *cobra.Command {
	opt := &reportOptions{}
	cmd := &cobra.Command{
		Use:   "report DIR [--out DIR] [--policy P,...]",
		Short: "tell how a crawl went, and how it would have gone under other policies",
		Long: `Reads the journal of a crawl, also while it goes on, and writes report.html, curves.csv,
summary.json and curves.svg: how much of the importance came by pages, time and bytes
(the importance is PageRank of the pages that came), by depth, what became of the
pages, and the sites. The world that the crawl recorded is crawled again virtually,
with the times that it recorded, by the same policy and by others.

WARC files that are complete and have no CDXJ index get one.`,
		Example: `  winnow report example.crawl
  winnow report example.crawl --policy backlink-count,larger-sites-first --out /tmp/report
  winnow report example.crawl --policy none`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notEmpty(u, cmd.Flags(), "out"); err != nil {
				return err
			}
			return runReport(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.out, "out", "", "directory for the report (default: report in the crawl directory)")
	f.StringSliceVar(&opt.policies, "policy", reportPolicies(), "policies to simulate beside that of the crawl, or none")
	completesPolicies(cmd, "policy", policyNone)
	return cmd
}

const policyNone = "none"

// reportPolicies are what a crawl is held against.
func reportPolicies() []string { return []string{"breadth-first", "random", "omniscient"} }

func runReport(ctx context.Context, u *ui, opt *reportOptions, dir string) error {
	if opt.out == "" {
		opt.out = filepath.Join(dir, "report")
	}
	shown := newStages(ctx, u)
	defer shown.Done()
	r, err := readCrawlReport(ctx, dir, opt.policies, shown)
	if err != nil {
		return err
	}
	defer r.close()
	shown.Done()
	wrong := r.failed
	if err := writeReport(u, opt.out, r.report()); err != nil {
		wrong = errors.Join(wrong, err)
	}
	indexed, err := writeIndexes(dir)
	wrong = errors.Join(wrong, err)
	if err := r.print(u, opt.out, indexed); err != nil {
		return err
	}
	if wrong != nil {
		return missingf("%w", wrong)
	}
	return nil
}

// A crawlReport is a crawl with what it is held against.
type crawlReport struct {
	dir    string
	w      *crawlWorld
	config *config.Config // of the last session
	status *history.Status
	state  *state.State
	world  *lab.World
	c      *lab.Comparison
	real   *lab.Run
	runs   []*lab.Run // simulations; the first has the policy of the crawl
	failed error      // policies that could not be run
}

func (r *crawlReport) close() {
	if r.world != nil {
		r.world.Free()
	}
	r.w.close()
}

// readCrawlReport reads a crawl, measures it, and crawls its world virtually.
func readCrawlReport(ctx context.Context, dir string, policies []string, shown *stages) (*crawlReport, error) {
	w, err := openCrawlWorld(ctx, dir, true, shown.tell)
	if err != nil {
		return nil, err
	}
	r := &crawlReport{dir: dir, w: w}
	if r.state, err = w.rec.State(); err == nil {
		r.status, err = w.rec.Status()
	}
	if err != nil {
		r.close()
		return nil, explainCrawl(err)
	}
	if err := r.measure(shown); err != nil {
		r.close()
		return nil, err
	}
	if !slices.Contains(policies, policyNone) {
		if err := r.simulate(ctx, policies, shown); err != nil {
			r.close()
			return nil, err
		}
	}
	return r, nil
}

// measure finds the importance of the pages and holds the order of the crawl against it.
func (r *crawlReport) measure(shown *stages) error {
	var err error
	if r.config, err = r.w.rec.Config(); err != nil {
		return explainCrawl(err)
	}
	r.world = lab.NewWorld(filepath.Base(r.dir), r.w.g, false, 0)
	r.asRecorded()
	came := r.course().Order
	truth, err := measure.PageRankTruth(r.world.Web(), measure.TruthOptions{Within: came, Progress: shown.sweeps("pagerank", 1e-12)})
	if err != nil {
		return err
	}
	seeds, name := r.w.seeds(r.world.Sim.Out)
	set := lab.Setting{
		World: r.world, Seeds: seeds, SeedsName: name, Truth: truth, Random: r.config.RandomSeed, Batch: r.config.Batch,
		Fetchers: r.config.Fetchers, SitePolicy: r.config.SitePolicy,
	}
	if set.Frontier, err = state.FrontierOptions(r.config); err != nil {
		return err
	}
	set.Frontier.AddressCap, set.Frontier.AddressDelay = 0, 0 // which sites share an address is not in a graph
	set.Times, err = recordedTimes(r.w.rec, r.w.g, r.config.RandomSeed, true)
	if err != nil && !errors.Is(err, sim.ErrNoTimes) {
		return err
	}
	if r.c, err = set.Prepare(); err != nil {
		return err
	}
	if r.c.Judge, err = measure.NewJudge(truth, came, measure.JudgeOptions{Seed: set.Random}); err != nil {
		return err
	}
	r.real, err = r.c.Measure("this crawl", r.course())
	return err
}

// asRecorded makes the world answer as the Web did: pages that were refused are so, and
// those that failed fail. What was still waiting at the end counts as refused: nobody
// knows what it would have brought.
func (r *crawlReport) asRecorded() {
	f := r.state.Frontier
	fetched := func(p graph.Page) bool { return f.State(p) == frontier.Fetched || f.State(p) == frontier.Reacquired }
	r.world.Sim.Allowed = func(p graph.Page) bool { return fetched(p) || f.State(p) == frontier.Failed }
	r.world.Sim.Class = func(p graph.Page) event.Class {
		if fetched(p) {
			return event.OK
		}
		return event.HTTPError
	}
}

// course is the crawl in the form of a simulation, on the clock that stops between
// sessions.
func (r *crawlReport) course() *sim.Result {
	t := r.w.trail
	res := &sim.Result{Known: r.w.whole, Sites: len(t.Sites), Took: t.Duration - t.Stopped}
	for _, n := range r.state.Requests {
		res.Requests += int(n)
	}
	for _, v := range t.Visits {
		p, _ := r.w.page(v.Page) // all that came are in the world
		res.Order = append(res.Order, p)
		res.Start = append(res.Start, v.Ran-(v.End-v.Start))
		res.End = append(res.End, v.Ran)
		res.Bytes = append(res.Bytes, v.Bytes)
	}
	return res
}

// simulate crawls the world of the crawl by its own policy and by others. Some that
// cannot be run are told at the end.
func (r *crawlReport) simulate(ctx context.Context, policies []string, shown *stages) error {
	names := []string{r.config.Policy}
	for _, p := range policies {
		if !slices.Contains(names, p) {
			names = append(names, p)
		}
	}
	each := len(r.c.Tree.Order)
	runs, err := r.c.All(names, runtime.GOMAXPROCS(0), func(n int) error {
		return shown.tell("simulate", int64(n), int64(len(names)*each))
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r.failed = err; runs == nil && err != nil {
		return err // such as a policy that does not exist
	}
	for i, run := range runs {
		if run == nil {
			continue
		}
		if i == 0 {
			run.Policy += ", simulated"
		}
		r.runs = append(r.runs, run)
	}
	return nil
}

// writeIndexes writes the index of every complete WARC file that has none.
func writeIndexes(dir string) (made int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "warc", "*.warc.gz"))
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, f := range files {
		if _, err := os.Stat(archive.IndexName(f)); err == nil {
			continue
		}
		if err := archive.WriteIndex(f); err != nil {
			failed = append(failed, err)
			continue
		}
		made++
	}
	return made, errors.Join(failed...)
}

// reportObject is what --json prints.
type reportObject struct {
	Report   string        `json:"report"`
	Known    int64         `json:"known"`
	Fetched  int64         `json:"fetched"`
	Failed   int64         `json:"failed"`
	Refused  int64         `json:"refused"`
	Sites    int           `json:"sites"`
	Bytes    int64         `json:"bytes"`
	Seconds  float64       `json:"seconds"` // at work
	HalfRank *float64      `json:"importance_of_half"`
	Orders   []orderObject `json:"orders"`
	Indexes  int           `json:"indexes_written"`
}

// orderObject is one order of the pages.
type orderObject struct {
	Policy  string   `json:"policy"`
	Average float64  `json:"avg_cumulative_pagerank"`
	Tenths  []any    `json:"importance_by_tenth"` // null where it stopped before
	Seconds *float64 `json:"seconds,omitempty"`
}

func (r *crawlReport) object(report string, indexed int) reportObject {
	s := r.status
	o := reportObject{
		Report: report, Known: s.Known, Fetched: s.Fetched, Failed: s.Failed,
		Refused: s.Refused, Sites: len(r.w.trail.Sites), Bytes: s.Bytes,
		Seconds: r.real.Result.Took.Seconds(), Indexes: indexed,
	}
	if v, ok := r.real.Trial.Cumulative().At(0.5); ok {
		o.HalfRank = &v
	}
	for _, run := range r.all() {
		x := orderObject{Policy: run.Policy, Average: run.Measures.Average}
		for _, v := range run.Tenths() {
			x.Tenths = append(x.Tenths, nullable(v))
		}
		if r.c.Times != nil {
			s := run.Result.Took.Seconds()
			x.Seconds = &s
		}
		o.Orders = append(o.Orders, x)
	}
	return o
}

// nullable is a number, or nil for none.
func nullable(v float64) any {
	if v != v {
		return nil
	}
	return v
}

// all are the crawl and its simulations.
func (r *crawlReport) all() []*lab.Run { return append([]*lab.Run{r.real}, r.runs...) }

// print says on standard output how it went.
func (r *crawlReport) print(u *ui, out string, indexed int) error {
	if u.asJSON {
		return u.json(r.object(out, indexed))
	}
	if indexed > 0 {
		u.notef("wrote the index of %s", counted(int64(indexed), "WARC file"))
	}
	_, err := io.WriteString(u.stdout, r.text(textOptions(u)))
	return err
}

// text is the main tables, and the main curves where there are charts.
func (r *crawlReport) text(o show.TextOptions) string {
	rep := &show.Report{Title: "crawl: " + r.world.Name, Verdict: r.verdict()}
	for _, s := range []show.Section{r.figures(), r.orders()} {
		rep.Sections = append(rep.Sections, show.Section{Table: s.Table})
	}
	if o.Charts {
		rep.Sections = append(rep.Sections, r.c.CourseSections(r.all())[0])
	}
	return rep.Text(o)
}

// verdict is what the crawl gathered, in a sentence (X31).
func (r *crawlReport) verdict() string {
	half, ok := r.real.Trial.Cumulative().At(0.5)
	if !ok {
		return ""
	}
	text := fmt.Sprintf("The first half of the pages has %.1f %% of the importance", 100*half)
	var others []string
	for _, run := range r.runs {
		if v, ok := run.Trial.Cumulative().At(0.5); ok {
			others = append(others, fmt.Sprintf("%s %.1f %%", run.Policy, 100*v))
		}
	}
	if len(others) > 0 {
		text += " (" + strings.Join(others, ", ") + ")"
	}
	return text + "."
}
