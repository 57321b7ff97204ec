package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/pagelist"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/version"
	"github.com/winnow-crawler/winnow/lab/live"
)

type rankOptions struct {
	metric       string
	follow, jump show.Fraction // of 1; only one of them is given
	tolerance    float64       // bounds the true L1 error of the vector of sum 1
	normalise    string        // sum or mean
	selfLinks    bool
	teleport     string // files of values per page
	dangling     string // even or teleport
	start        string
	uncrawled    string // dangling or absent
	remoteShare  show.Fraction
	remoteFactor float64
	threads      int

	urls   bool // name pages by URL
	top    int  // the number of values, the highest first; 0: all in id order
	output string

	flags *pflag.FlagSet
}

func newRankCommand(u *console.UI) *cobra.Command {
	opt := &rankOptions{}
	cmd := &cobra.Command{
		Use:   "rank G --metric METRIC",
		Short: "compute PageRank or another measure of importance",
		Long:  rankHelp(),
		Example: `  winnow rank web.wg > ranks.tsv
  winnow rank web.wg --top 20 --urls
  winnow rank web.wg --jump 1/7 --normalise mean -o ranks.tsv
  winnow rank web.wg --metric pagerank-weighted --remote-factor 4
  winnow rank new.wg --start old-ranks.tsv
  winnow rank a.example.crawl --top 20 --urls
  winnow rank a.example.crawl --metric similarity --query 'web crawler' --top 20`,
		Args: console.Exactly("GRAPH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.flags = cmd.Flags()
			return runRank(cmd.Context(), u, opt, args[0])
		},
	}
	opt.addFlags(cmd.Flags())
	console.Completes(cmd, "metric", metricNames()...)
	console.Completes(cmd, "normalise", "sum", "mean")
	console.Completes(cmd, "uncrawled", "dangling", "absent")
	console.Completes(cmd, "dangling", "even", "teleport")
	cmd.MarkFlagsMutuallyExclusive("follow", "jump")
	cmd.MarkFlagsMutuallyExclusive("remote-share", "remote-factor")
	return cmd
}

// rankHelp lists the metrics.
func rankHelp() string {
	var b strings.Builder
	b.WriteString(`Prints "id TAB value" for every page in id order, with all digits that a value has.
The number of sweeps and the error of the values are printed on standard error.

Metrics:
`)
	for _, m := range rank.Metrics() {
		fmt.Fprintf(&b, "  %-22s %s\n", m.Name, m.Short)
	}
	fmt.Fprintf(&b, "  %-22s %s\n", similarity, "similarity of the texts of a crawl to --query, or to its topic: G is its directory")
	b.WriteString(`
G is a graph, or the directory of a crawl, which may be running: then the ranks are those of
what it knew when the last record was written, and how long ago that was is printed, too.

--follow is the probability that the random surfer follows a link, --jump that it
jumps: the two papers state one each, --jump 1/7 is --follow 6/7. Dangling pages hand
their rank to all pages evenly. Self-links do not count unless --self-links is given.
--tolerance bounds the true L1 error of the vector that sums to 1, which is residual /
(1 - follow), not the change between two sweeps.

--teleport and --start are files of "id TAB value" or "URL TAB value": where jumps lead
(never to pages that are not in it), and an earlier vector to begin with. Pages that are
no longer in the graph are skipped.`)
	return b.String()
}

func (o *rankOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.metric, "metric", "pagerank", "what to compute, see above")
	f.Var(&o.follow, "follow", "probability of following a link, such as 0.9 or 6/7 (default 0.9)")
	f.Var(&o.jump, "jump", "probability of a jump, such as 0.1 or 1/7")
	f.Float64Var(&o.tolerance, "tolerance", 1e-9, "largest L1 error")
	f.StringVar(&o.normalise, "normalise", "sum", "values with sum 1 (sum) or mean 1 (mean); counts stay counts unless this is given")
	f.BoolVar(&o.selfLinks, "self-links", false, "count links of pages to themselves")
	f.StringVar(&o.teleport, "teleport", "", "weights of the pages that a jump leads to")
	f.StringVar(&o.dangling, "dangling", "even", "pages without links hand their rank to all pages (even), or to those of --teleport (teleport)")
	f.StringVar(&o.start, "start", "", "values to begin with")
	f.StringVar(&o.uncrawled, "uncrawled", "dangling", "pages that were not fetched count as dangling, or are absent")
	f.Var(&o.remoteShare, "remote-share", "pagerank-weighted: share of a page that its remote links get together (default 0.8)")
	f.Float64Var(&o.remoteFactor, "remote-factor", 0, "pagerank-weighted: how many local links a remote link weighs")
	console.Whole(f, &o.threads, "threads", 0, "how many threads (default: one for each processor); values do not depend on it")
	f.BoolVar(&o.urls, "urls", false, "print URLs instead of ids")
	console.Whole(f, &o.top, "top", 0, "print only this many pages, the highest first")
	addTopicFlags(f)
	f.StringVarP(&o.output, "output", "o", "", "file to write; - is standard output")
}

// rankReport is the last object that --json prints. Names are those of the glossary.
type rankReport struct {
	Metric          string   `json:"metric"`
	Pages           int      `json:"pages"` // that take part
	Follow          float64  `json:"follow,omitempty"`
	Tolerance       float64  `json:"tolerance,omitempty"`
	Sweeps          int      `json:"sweeps"`
	Residual        *float64 `json:"residual"`    // null: exact
	Bound           *float64 `json:"error_bound"` // of the L1 distance of the vector of sum 1; null: exact, or none is known
	Seconds         float64  `json:"seconds"`
	Output          string   `json:"output,omitempty"`
	*live.Knowledge          // of a crawl; nil: G is a graph
}

func runRank(ctx context.Context, u *console.UI, opt *rankOptions, path string) error {
	if opt.metric == similarity {
		return runSimilarity(ctx, u, opt, path)
	}
	m, err := opt.check(u)
	if err != nil {
		return err
	}
	if err := graphs.NotAnInput(opt.output, path, opt.teleport, opt.start); err != nil {
		return err
	}
	shown := u.Stages(ctx)
	defer shown.Done()
	g, known, done, err := opt.open(ctx, u, path, shown)
	if err != nil {
		return err
	}
	defer done()
	if opt.urls && !g.HasURLs() {
		return console.WithHint(fmt.Errorf("--urls: the URLs of %s are not known", path), "without --urls ids are printed")
	}
	out, err := result.Create(opt.output, u.Stdout)
	if err != nil {
		return graphs.HintDir(err, opt.output)
	}
	defer out.Discard()
	start := time.Now()
	res, err := opt.compute(ctx, u, g, m, shown)
	shown.Done()
	var short *rank.ToleranceError
	if err != nil && !errors.As(err, &short) {
		return err
	}
	report := opt.report(m, res, time.Since(start))
	report.Knowledge = known
	if err := opt.write(ctx, u, g, out, res); err != nil {
		return err
	}
	if err := report.finish(u, out); err != nil {
		return err
	}
	if short != nil { // the values are still useful
		return console.Missingf("%w", short)
	}
	return nil
}

// check checks the flags before the graph is opened.
func (o *rankOptions) check(u *console.UI) (*rank.Metric, error) {
	found, ok := rank.Named(o.metric)
	m := &found
	switch {
	case !ok:
		return m, o.unknownMetric(u)
	case o.normalise != "sum" && o.normalise != "mean":
		return m, console.Usagef("--normalise %q: want sum or mean", o.normalise)
	case o.dangling != "even" && o.dangling != "teleport":
		return m, console.Usagef("--dangling %q: want even or teleport", o.dangling)
	case o.uncrawled != "dangling" && o.uncrawled != "absent":
		return m, console.Usagef("--uncrawled %q: want dangling or absent", o.uncrawled)
	case !(o.tolerance > 0 && o.tolerance <= 1):
		return m, console.Usagef("--tolerance %g: it must be above 0 and at most 1", o.tolerance)
	case o.dangling == "teleport" && o.teleport == "":
		return m, console.Usagef("--dangling teleport needs --teleport")
	case o.threads < 0:
		return m, console.Usagef("--threads %d: it cannot be below 0", o.threads)
	case o.flags.Changed("top") && o.top < 1:
		return m, console.Usagef("--top %d: it must be at least 1", o.top)
	case o.flags.Changed("remote-factor") && !(o.remoteFactor > 0 && o.remoteFactor <= 1e6):
		return m, console.Usagef("--remote-factor %g: it must be above 0 and at most 1e6", o.remoteFactor)
	}
	for _, name := range []string{"follow", "jump"} {
		if v := o.flags.Lookup(name).Value.(*show.Fraction).Float(); o.flags.Changed(name) && (v <= 0 || v >= 1) {
			return m, console.Usagef("--%s %s: it must be between 0 and 1", name, o.flags.Lookup(name).Value)
		}
	}
	if v := o.remoteShare.Float(); o.flags.Changed("remote-share") && v > 1 {
		return m, console.Usagef("--remote-share %s: it must be between 0 and 1", &o.remoteShare)
	}
	return m, o.checkFamily(u, m)
}

// checkFamily returns an error for flags that do not apply to the metric. Tolerance and
// jump are allowed for all of them: scripts compute one metric after the other.
func (o *rankOptions) checkFamily(u *console.UI, m *rank.Metric) error {
	for _, name := range []string{"teleport", "dangling", "start", "remote-share", "remote-factor"} {
		if o.flags.Changed(name) && !takes(m, name) {
			return console.Usagef("--%s means nothing to --metric %s", name, m.Name)
		}
	}
	for _, name := range []string{"follow", "jump", "tolerance"} {
		if o.flags.Changed(name) && !takes(m, name) {
			u.Verbosef("--%s means nothing to --metric %s", name, m.Name)
		}
	}
	return nil
}

// open opens a graph, or what a crawl knows so far as one, and returns what closes it.
func (o *rankOptions) open(ctx context.Context, u *console.UI, path string, shown *show.Stages) (g *graph.Graph, k *live.Knowledge, done func(), err error) {
	if !isDir(path) {
		if g, err = graphs.Open(u, path); err != nil {
			return nil, nil, nil, err
		}
		return g, nil, func() { g.Close() }, nil
	}
	w, k, err := live.OpenKnown(ctx, path, live.WorldOptions{Program: version.Program(), Progress: shown.Set}, time.Now())
	if err != nil {
		return nil, nil, nil, err
	}
	return w.Graph, k, w.Close, nil
}

func (o *rankOptions) unknownMetric(u *console.UI) error {
	names := metricNames()
	return u.HintFlag(console.Usagef("--metric %q: want %s", o.metric, strings.Join(names, ", ")), "--metric", o.metric, names)
}

// compute reads the inputs and computes the metric.
func (o *rankOptions) compute(ctx context.Context, u *console.UI, g *graph.Graph, m *rank.Metric, shown *show.Stages) (*rank.Result, error) {
	opt, err := o.solver(u, g, m, shown)
	if err != nil {
		return nil, err
	}
	threads := cmp.Or(o.threads, runtime.GOMAXPROCS(0))
	web := &rank.Web{Sites: g.SiteColumn(), Fetched: graphs.Fetched(g)}
	if m.In {
		web.In = g.Backward().Raw(threads)
		defer web.In.Free()
	}
	if m.Out {
		web.Out = g.Forward().Raw(threads)
		defer web.Out.Free()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	res, err := m.Compute(web, opt, o.split())
	if err == nil && m.Counts && o.flags.Changed("normalise") {
		rank.Normalise(res.Score, opt.Scale, res.Pages)
	}
	return res, err
}

// solver returns the options for package rank.
func (o *rankOptions) solver(u *console.UI, g *graph.Graph, m *rank.Metric, shown *show.Stages) (opt rank.Options, err error) {
	opt = rank.Options{Follow: o.followed(), Tolerance: o.tolerance, SelfLinks: o.selfLinks, Threads: o.threads}
	opt.Progress = shown.Sweeps(m.Name, o.tolerance)
	if m.ByPage {
		opt.Progress = func(done int, _ float64) error { return shown.Set(m.Name, int64(done), int64(g.Pages())) }
	}
	if o.normalise == "mean" {
		opt.Scale = rank.Mean
	}
	if o.uncrawled == "absent" {
		opt.Uncrawled = rank.Absent
	}
	opt.DanglingToTeleport = o.dangling == "teleport"
	if o.teleport != "" {
		if opt.Teleport, err = pagelist.ReadWeights(g, o.teleport); err != nil {
			return opt, err
		}
	}
	if o.start != "" {
		var gone int64
		if opt.Start, gone, err = pagelist.ReadStart(g, o.start); err == nil && gone > 0 {
			u.Notef("%s: %s pages are not in %s and were skipped", o.start, show.Grouped(gone), g.Path())
		}
	}
	return opt, err
}

// followed returns the probability of following a link.
func (o *rankOptions) followed() float64 {
	switch {
	case o.flags.Changed("jump"):
		return o.jump.Rest()
	case o.flags.Changed("follow"):
		return o.follow.Float()
	}
	return 0.9
}

// takes reports whether a metric has a use for a flag that not all metrics have.
func takes(m *rank.Metric, flag string) bool {
	switch flag {
	case "tolerance":
		return m.Sweeps
	case "remote-share", "remote-factor":
		return m.Splits
	}
	return m.Solves
}

// metricNames returns the values of --metric.
func metricNames() []string { return append(rank.MetricNames(), similarity) }

// split returns what remote and local links get.
func (o *rankOptions) split() rank.Split {
	switch {
	case o.flags.Changed("remote-share"):
		return rank.Share(o.remoteShare.Float())
	case o.flags.Changed("remote-factor"):
		return rank.Factor(o.remoteFactor)
	}
	return rank.Share(0.8)
}
