package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/live"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/lab/oracle"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/sim"
)

// simOptions are the flags of sim. Flags that mean a field of lab.Setting or of
// measure.TruthOptions set it.
type simOptions struct {
	setting    lab.Setting
	importance measure.TruthOptions

	policies []string
	seeds    string          // homes, best, random:N or a file; "": homes where there are URLs
	starts   int             // further start sets
	time     string          // none, thesis2004, modern or a crawl directory
	stop     string          // when crawls end: an expression
	oracle   string          // pagerank, backlinks, none, a file or an expression
	combined *score.Function // of an oracle that is an expression
	score    scoreOptions
	cache    string // of the oracle
	truth    string // full or reachable
	history  string // a file
	visits   simVisits

	frontierPages bool // pages that were not fetched count as fetched

	order string // file, or the beginning of their names
	out   string // directory

	flags    *pflag.FlagSet // all
	runFlags *pflag.FlagSet // those that determine a run, except its policy
}

func newSimCommand(u *console.UI) *cobra.Command {
	opt := &simOptions{}
	cmd := &cobra.Command{
		Use:   "sim WORLD [--policy P,...] [--seeds homes|best|random:N|FILE] [--order FILE] [--out DIR]",
		Short: "crawl a graph virtually under several policies and compare them",
		Long:  simHelp(),
		Example: `  winnow sim web.wg
  winnow sim web.wg --policy opic,breadth-first --out report
  winnow sim web.wg --policy all --seeds random:10 --starts 20
  winnow sim web.wg --policy opic/cash=all/remote=0.8,batch-pagerank/k=1000 --order order
  winnow sim web.wg --score '0.7*pagerank + 0.3*(site_links > 10)'
  winnow sim web.wg --time modern --fetchers 64 --delay 5s --bandwidth 2M --batch-mode thesis
  winnow sim web.wg --recrawl 30d --changes poisson:0.02 --policy foresight --delay 1m
  winnow sim web.wg --recrawl 90d --changes log.tsv --max-touched 200 --balance quality=85,freshness=15 --delay 1h
  winnow sim example.crawl --time example.crawl --policy opic,breadth-first
  winnow rank old.wg --urls -o old.tsv && winnow sim new.wg --policy historical-pagerank --history old.tsv`,
		Args: console.Exactly("WORLD"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.flags = cmd.Flags()
			return runSim(cmd.Context(), u, opt, args[0])
		},
	}
	opt.addFlags(cmd.Flags())
	completesPolicies(cmd, "policy", policyAll)
	completesPolicies(cmd, "site-policy")
	console.Completes(cmd, "seeds", graphs.SeedsHomes, graphs.SeedsBest, graphs.SeedsRandom)
	console.Completes(cmd, "time", slices.Concat([]string{timeNone}, sim.PresetNames())...)
	console.Completes(cmd, "batch-mode", frontier.ModeNames()...)
	console.Completes(cmd, "oracle", append(oracle.Names(), oracleNone)...)
	console.Completes(cmd, "truth", truthFull, truthReachable)
	return cmd
}

// Values of flags that are words.
const (
	policyAll  = "all"
	timeNone   = "none"
	oracleNone = "none"

	truthFull      = "full"
	truthReachable = "reachable"
)

// defaultPolicies returns the published policies that need only links, and the ceiling.
func defaultPolicies() []string {
	return []string{"breadth-first", "backlink-count", "batch-pagerank", "partial-pagerank", "opic", "foresight", "larger-sites-first", "omniscient"}
}

// simHelp lists the policies with their parameters.
func simHelp() string {
	var b strings.Builder
	b.WriteString(`Crawls the graph once under each policy, in virtual time, and measures how fast each policy
gathers importance. Without --time, requests take no time and one fetcher fetches one page
after the other: the pure ordering experiment. random, horn and omniscient always run, too:
regret is 0 for the better of the last two, and 1 for random.

Policies, with parameters after slashes (opic/cash=all/remote=0.8) and parts after a colon
(mix:opic*2+xim, hedge/eta=8:opic+xim); "all" is every policy that applies to the world, and
"default" that of winnow crawl, ` + policy.Default + `:
`)
	for _, s := range policy.Specs() {
		fmt.Fprintf(&b, "  %-20s %s\n", s.Name, s.What)
		for _, p := range s.Params {
			values := strings.Join(p.Values, "|")
			if values == "" {
				values = "N"
			}
			fmt.Fprintf(&b, "    /%-17s %s\n", p.Name+"="+values, p.What)
		}
	}
	b.WriteString(`
--seeds homes is the shortest URL of each site, best the one of the 64 pages with most
out-links that reaches most, random:N pages drawn at random, FILE a list of URLs or ids
in the order in which they become known (a file that is called best is ./best).

WORLD may be a crawl directory: its known pages and the links among them, from the seeds of
that crawl. Pages that were not fetched have no content, there and in a graph that was
imported with --crawl or --fetched: policies see links to them, but cannot fetch them, and no
measure counts them. With --frontier-pages they count as fetched pages without links.

--time thesis2004 models the download times of the Web of 2004, modern those assumed for
today. Both include DNS and robots.txt, and a delay of 15s between requests to a site unless
--delay is given. --time DIR uses the latencies, speeds and sizes that a crawl recorded for
each site, and its fetchers, delays, pages per connection and keep-alive unless flags are
given; sites that it did not contact are modelled by others that it did. A connection that
stays open (--keep-alive) saves the time to connect, TLS included.

If WORLD and --time are the same crawl directory, it is a replay: pages and sites answer as
they did, with failures, retries, Crawl-delay, Retry-After and sitemaps, and the limits of
addresses and the delays of single sites hold. Under its own policy the crawl repeats itself.

--history and an --oracle of your own are files of "id TAB value" or "URL TAB value",
plain or compressed, such as winnow rank writes.

With --changes pages change, and with --recrawl they are visited again, beside new pages and
under the same politeness, as winnow crawl does it: --revisit and --balance mean the same. The
crawl lasts for --duration. How up to date the copies are is measured over the time; readers
come to pages in proportion to their true importance. Servers say truly what did not change.

--order writes the ids of the pages in the order in which they were fetched; with
several policies to FILE.NAME each, where a slash in a name is written as +.
--out writes report.html, curves.csv, curves.svg (its first picture) and summary.json;
two runs with the same inputs give the same bytes.`)
	return b.String()
}

func (o *simOptions) addFlags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.policies, "policy", nil, "policies, see above (default: "+strings.Join(defaultPolicies(), ",")+")")
	f.StringVar(&o.order, "order", "", "file for the order of the pages")
	f.StringVar(&o.out, "out", "", "directory for report.html, curves.csv, curves.svg and summary.json")
	console.Whole(f, &o.importance.Threads, "threads", 0, "policies at a time (default: one for each processor); results do not depend on it")
	o.addRunFlags()
	f.AddFlagSet(o.runFlags)
}

// addRunFlags makes the flags that determine a run, in their order in JSON.
func (o *simOptions) addRunFlags() {
	set := &o.setting
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.SortFlags = false
	o.runFlags = f
	f.BoolVar(&o.importance.SelfLinks, "self-links", false, "keep links of pages to themselves")
	f.BoolVar(&o.frontierPages, "frontier-pages", false, "count pages that a crawl knew and did not fetch as fetched pages without links")
	f.StringVar(&o.seeds, "seeds", "", "homes, best, random:N or a file (default: homes, or best without URLs)")
	f.Uint64Var(&set.Random, "random-seed", 1, "seed of all random numbers: policies, times, samples, start sets")
	f.StringVar(&set.SitePolicy, "site-policy", "", "order of the sites by another policy than that of the pages")
	f.StringVar(&o.time, "time", timeNone, "model of time: none, thesis2004, modern or a crawl directory")
	console.Whole(f, &set.Fetchers, "fetchers", 1, "number of simultaneous fetchers")
	console.Whole(f, &set.Partitions, "partitions", 0, "cut the crawl into so many partitions by registered domain, each with an order of its own (default: not cut)")
	f.Var((*console.Span)(&set.Frontier.Delay), "delay", "from an answer to the next request to the site, such as 15s; a bare number is seconds (default: 0, with --time 15s)")
	f.Float64Var(&set.Frontier.Factor, "delay-factor", 0, "with --time: the delay is at least this many times the time that the last page took, 10 in Mercator")
	f.Var((*console.Span)(&set.Frontier.FactorMax), "delay-max", "upper limit of the delay from --delay-factor (default: none)")
	limit := config.Default()
	set.Patience = sim.Patience{Connect: limit.Connect.Duration, FirstByte: limit.FirstByte.Duration, Retries: limit.Retries}
	f.Var((*console.Span)(&set.Patience.Connect), "timeout-connect", "with --time thesis2004 or modern: give an attempt up if the connection takes longer; 0s: never")
	f.Var((*console.Span)(&set.Patience.FirstByte), "timeout-first-byte", "with --time thesis2004 or modern: give an attempt up if the answer takes longer to begin; 0s: never")
	console.Whole(f, &set.Patience.Retries, "retries", set.Patience.Retries, "attempts after one that was given up")
	console.Whole(f, &set.Frontier.PerConnection, "per-connection", 1, "pages requested over one connection to a site")
	f.Var((*console.Span)(&set.Frontier.KeepAlive), "keep-alive", "with --time: keep the connection to a site open for this long without a request; 0s: a new one for every --per-connection pages (default: 0s, with --time DIR that of the crawl)")
	console.Whole(f, &set.Processors.Count, "processors", 0, "with --time: processors that fetchers share once a body is there; 0: they cost nothing")
	costs := sim.DefaultProcessors(0)
	set.Processors = costs
	f.Var((*console.Span)(&set.Processors.Page), "cpu-page", "with --processors: processor time of a page, whatever its size")
	f.Float64Var(&set.Processors.Rate, "cpu-rate", costs.Rate, "with --processors: bytes of pages that one processor takes in a second")
	f.Var((*console.Fraction)(&set.MinUse), "min-use", "end a batch when less than this part of --bandwidth is used and nothing of it can be handed out, such as 0.2")
	f.Var((*show.Number)(&set.Bandwidth), "bandwidth", "the crawler's own line in bytes per second, such as 20k or 2M (default: no limit)")
	f.Lookup("bandwidth").DefValue = "" // described in words
	console.Whole(f, &set.Batch, "batch", policy.DefaultBatch, "K: pages of a batch, and between two computations of policies that compute PageRank")
	f.Var(&set.Frontier.Mode, "batch-mode", "continuous (no batches), thesis (only pages of the batch, to its end) or ahead (the next one prepared in advance)")
	console.Whole(f, &set.Frontier.MinActive, "min-active", 0, "end a batch when fewer fetchers are active and nothing of it can be handed out")
	f.Var((*console.Fraction)(&set.Frontier.SiteShare), "site-share", "largest share of a batch that one site may have, such as 1/10")
	console.Whole(f, &set.MaxPages, "max-pages", 0, "stop after so many pages (default: all)")
	f.Var((*console.Span)(&set.Frontier.WaitForBetter), "wait-for-better", "with --max-pages: leave sites idle whose pages are not among the best of all that wait, for this long at most, as winnow crawl does it, such as 1m (default: 0)")
	console.Whole(f, &set.KeepPages, "keep-pages", 0, "B: keep so many of the fetched pages, by the rule of winnow crawl, and measure how many of them are hot")
	f.StringVar(&o.stop, "stop-when", "", "stop when this holds, such as 'importance >= 0.9' or 'gain < 0.01' (docs/advise.md)")
	f.StringVar(&o.oracle, "oracle", measure.PageRankMetric, "true importance: pagerank, backlinks or another metric of winnow rank, a file, an expression such as 0.7*pagerank+0.3*backlinks over the quantiles of terms, none (orders without measures), or of a crawl with a topic similarity, hot or hot-linked (with 5 backlinks)")
	addCacheFlag(f, &o.cache)
	o.importance.Follow = 0.9
	f.Var((*console.Fraction)(&o.importance.Follow), "follow", "probability of following a link in the true PageRank, such as 0.9 or 6/7")
	f.StringVar(&o.truth, "truth", truthFull, "true importance of the full graph, or of the reachable pages and the links among them")
	f.Var((*console.Numbers)(&set.Hot), "hot", "importance from which on pages are hot (default: 1,3,10 on the scale of mean 1; 3,10,100 backlinks)")
	console.Whole(f, &set.Remember, "remember", 0, "largest number of waiting pages: the one of the lowest value is forgotten, and known again by another link (default: no limit)")
	f.StringVar(&o.history, "history", "", "values of pages in an earlier crawl")
	o.score.addFlags(f)
	o.visits.addFlags(f)
	console.Whole(f, &o.starts, "starts", 0, "also run from this many start sets drawn at random, for intervals")
}

// A simulation holds the inputs and settings of the verb.
type simulation struct {
	*simOptions
	u       *console.UI
	path    string   // of the world
	chosen  []string // policies that run
	g       *graph.Graph
	crawled *live.World // nil: the world is a graph file
	world   *lab.World
	shown   *show.Stages
	values  *measure.Truth // of --oracle FILE, or of the full graph once it is known
	files   []*result.File // of --order, one a policy
}

func runSim(ctx context.Context, u *console.UI, opt *simOptions, path string) error {
	if err := opt.check(u); err != nil {
		return err
	}
	s := &simulation{simOptions: opt, u: u, path: path, shown: u.Stages(ctx)}
	defer s.shown.Done()
	defer s.discard()
	done, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := s.ready(ctx); err != nil {
		return err
	}
	s.world = lab.NewForwardWorld(path, s.g, opt.importance.SelfLinks, opt.processors())
	defer s.world.Free()
	defer s.holdHeap().Restore()
	s.setting.World = s.world
	if err := s.likeRecorded(); err != nil {
		return err
	}
	c, err := s.judged(ctx)
	if err != nil {
		return err
	}
	s.remarks(c)
	res, err := s.crawl(ctx, c)
	if err != nil {
		return err
	}
	s.shown.Done()
	return res.deliver(ctx)
}

// processors returns the number of threads to use.
func (o *simOptions) processors() int { return cmp.Or(o.importance.Threads, runtime.GOMAXPROCS(0)) }

// ready reads all inputs and checks all requests before anything long begins.
func (s *simulation) ready(ctx context.Context) error {
	if s.g.Pages() == 0 {
		return nothingToCrawl(s.path)
	}
	if err := s.readFiles(); err != nil {
		return err
	}
	if err := s.choosePolicies(); err != nil {
		return err
	}
	if err := s.setChanges(); err != nil {
		return err
	}
	if err := s.createFiles(); err != nil {
		return err
	}
	set := &s.setting
	var err error
	if set.Seeds, set.SeedsName, err = graphs.ChooseStart(ctx, s.u, s.g, s.seeds, set.Random); err != nil {
		return err
	}
	return s.setTime(ctx)
}

// setTime adds the model of time: with one, sites need an address and robots.txt
// before their first page.
func (s *simulation) setTime(ctx context.Context) (err error) {
	if s.time == timeNone || isDir(s.time) {
		s.setting.Patience = sim.Patience{} // no requests take time, or as long as they took
	}
	if s.time == timeNone {
		return nil
	}
	if isDir(s.time) {
		return s.setRecordedTime(ctx)
	}
	f := &s.setting.Frontier
	if s.setting.Times, err = sim.Preset(s.time, s.setting.Random); err != nil {
		return err
	}
	f.Resolve, f.Robots, s.setting.KeepMost = true, true, config.Default().KeepMost
	if !s.flags.Changed("delay") {
		f.Delay = timedDelay
	}
	return nil
}

// besideHeap is the number of bytes for each page that crawls take outside the Go heap:
// frontier and policy.
const besideHeap = 40

// holdHeap lets the garbage collector work harder before the heap takes memory that links,
// frontier and policies need: in large worlds what is kept for each page is gigabytes, and the
// collector would let it double.
func (s *simulation) holdHeap() *machine.Heap {
	heap := machine.ForCrawl(0)
	if os.Getenv("GOMEMLIMIT") != "" {
		return heap // the user knows better
	}
	most := machine.Memory() / 8 * 7
	links := s.world.Sim.Out
	heap.Leave(most, links.Off.Bytes()+links.To.Bytes()+besideHeap*int64(s.processors())*int64(s.world.Pages()))
	return heap
}

// judged finds the truth and makes the setting ready. Links backward are in memory only as
// long as truths need them.
func (s *simulation) judged(ctx context.Context) (*lab.Comparison, error) {
	if s.oracle != oracleNone && s.values == nil {
		s.world.UnpackIn(s.processors())
	}
	c, err := s.prepare(ctx, s.setting, s.shown.Sweeps("true pagerank", 1e-12))
	if s.truth == truthFull || s.starts == 0 {
		s.world.FreeIn()
	}
	return c, err
}

// prepare finds the truth of a setting and makes it ready.
func (s *simulation) prepare(ctx context.Context, set lab.Setting, progress func(int, float64) error) (*lab.Comparison, error) {
	if s.oracle != oracleNone && s.values == nil {
		truth, err := s.findTruth(set.Seeds, progress)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if s.truth == truthFull {
			s.values = truth // the same from all start sets
		}
		set.Truth = truth
		return set.Prepare()
	}
	set.Truth = s.values
	return set.Prepare()
}

// findTruth computes the true importance: of the full graph, or of what seeds reach.
func (s *simulation) findTruth(seeds []graph.Page, progress func(int, float64) error) (*measure.Truth, error) {
	opt := s.importance
	opt.Progress = progress
	if s.truth == truthReachable {
		opt.Within = s.world.Reach(seeds...).Order
	} else {
		opt.Within = s.world.Content()
	}
	store, err := storeOf(s.u, s.cache)
	if err != nil {
		return nil, err
	}
	src := &oracle.Source{Name: s.oracle, Function: s.combined, Store: store, Note: s.u.Notef}
	t, err := src.Of(s.world, opt)
	if err != nil && s.oracle != measure.PageRankMetric {
		err = fmt.Errorf("--oracle %s: %w", s.oracle, err)
	}
	return t, err
}

// crawl runs everything. Single failures are reported at the end.
func (s *simulation) crawl(ctx context.Context, c *lab.Comparison) (*simResult, error) {
	threads := s.processors()
	each := len(c.Tree.Order)
	if s.setting.MaxPages > 0 {
		each = min(each, s.setting.MaxPages)
	}
	kinds := len(s.chosen)
	for _, b := range lab.BaselineNames() {
		if c.Truth != nil && (s.setting.SitePolicy != "" || !slices.Contains(s.chosen, b)) {
			kinds++
		}
	}
	tell := func(n int) error { return s.shown.Set("crawl", int64(n), int64(kinds*each)) }
	runs, base, failed := c.Versus(s.chosen, threads, tell)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &simResult{simulation: s, c: c, base: base, failed: failed}
	for i, run := range runs {
		if run != nil {
			r.runs, r.orders = append(r.runs, run), append(r.orders, s.file(i))
			for _, note := range run.Result.Notes {
				s.u.Notef("%s", note)
			}
		}
	}
	if len(r.runs) == 0 {
		return nil, cmp.Or(failed, errors.New("no policy ran"))
	}
	if s.starts > 0 && failed == nil {
		var err error
		prepare := func(set int) (*lab.Comparison, error) { return s.startSet(ctx, set) }
		if r.sets, err = lab.RunStartSets(s.chosen, s.starts, threads, prepare, s.shown.Notes("start sets")); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// leastStart is the size of a start set at Least: from a single page drawn at random
// nothing may be reachable.
const leastStart = 10

// startSet returns the comparison from a start set drawn at random, as large as the seeds.
func (s *simulation) startSet(ctx context.Context, set int) (*lab.Comparison, error) {
	size := len(s.setting.Seeds)
	if !strings.HasPrefix(s.seeds, graphs.SeedsRandom) {
		size = max(size, leastStart)
	}
	again := s.setting
	again.Seeds = lab.FetchedSeeds(s.g, size, s.setting.Random, uint64(set))
	again.SeedsName = fmt.Sprintf("start set %d", set)
	return s.prepare(ctx, again, func(int, float64) error { return ctx.Err() })
}

// remarks prints notes about settings that the user may not have meant.
func (s *simulation) remarks(c *lab.Comparison) {
	f, t := &s.setting.Frontier, len(c.Tree.Order)
	if f.PerConnection > 1 && f.Delay > keepAlive {
		s.u.Notef("--delay %s with --per-connection %d: most servers close a connection that was idle for about 15s", f.Delay, f.PerConnection)
	}
	if t == len(c.Seeds) {
		s.u.Notef("no link leads beyond the %s: the crawl is the seeds alone", show.Counted(int64(t), "seed"))
	}
	if s.setting.MaxPages > t {
		s.u.Notef("--max-pages %d: only %s can be reached", s.setting.MaxPages, show.Counted(int64(t), "page"))
	}
	s.largeBatch(t)
	if !s.g.HasSites() && (s.setting.SitePolicy != "" || f.Delay > 0) {
		s.u.Notef("the sites of %s are not known: every page counts as a site of its own", s.path)
	}
}

// largeBatch prints a note if K is larger than the t pages that can be reached, and policies
// depend on it: they compute ranks once, when only the seeds are known.
func (s *simulation) largeBatch(t int) {
	var names []string
	for _, name := range s.chosen {
		choice, err := policy.Choose(name)
		if err == nil && slices.Contains([]string{"batch-pagerank", "partial-pagerank"}, choice.Spec.Name) && choice.Params["k"] == "" {
			names = append(names, name)
		}
	}
	if s.setting.Frontier.Mode != frontier.Continuous {
		names = append(names, "--batch-mode "+s.setting.Frontier.Mode.String())
	}
	if s.setting.Batch < t || len(names) == 0 {
		return
	}
	s.u.Notef("K is %s pages, and only %s can be reached: %s cannot show what K does (batch-pagerank is then breadth-first). The papers had 30 to 40 batches; try: %s",
		show.Grouped(int64(s.setting.Batch)), show.Grouped(int64(t)), strings.Join(names, ", "), s.u.WithFlag("--batch", strconv.Itoa(max(1, t/30))))
}
