package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/boards"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/papers"
)

func newLabCommand(u *console.UI) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "reproduce the experiments of the papers on a graph",
		Long: `An experiment is named after a paper and its figure or table. Run on a graph, it shows the
numbers of the paper beside ours, and states in one sentence whether the finding holds
there, and if not, why.`,
	}
	cmd.AddCommand(newLabListCommand(u), newLabRunCommand(u))
	return cmd
}

func newLabListCommand(u *console.UI) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "list the experiments of the papers",
		Example: "  winnow lab list\n  winnow lab list --json",
		Args:    console.Exactly(),
		RunE:    func(*cobra.Command, []string) error { return runLabList(u) },
	}
}

// A labLine is the JSON output for one experiment.
type labLine struct {
	Name  string `json:"name"`
	Paper string `json:"paper"`
	What  string `json:"what"`
}

func runLabList(u *console.UI) error {
	t := show.NewList("name", "what", "paper")
	for _, e := range papers.Experiments() {
		if u.AsJSON {
			if err := u.JSON(labLine{e.Name, e.Paper, e.What}); err != nil {
				return err
			}
			continue
		}
		t.Add(e.Name, e.What, e.Paper)
	}
	if u.AsJSON {
		return nil
	}
	return t.Print(u.Stdout)
}

// chooseExperiments finds the experiments that names mean. Each runs once, in the order of the
// table for each name.
func chooseExperiments(u *console.UI, names []string) ([]experiment.Experiment, error) {
	var out []experiment.Experiment
	have := map[string]bool{}
	for _, name := range names {
		found := papers.Named(name)
		if len(found) == 0 {
			return nil, u.HintWord(console.Usagef("unknown experiment %q", name), name, papers.Names(), "winnow lab list shows them")
		}
		for _, e := range found {
			if !have[e.Name] {
				have[e.Name] = true
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// completeExperiments offers experiments to the shell.
func completeExperiments(_ *cobra.Command, done []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, n := range papers.Names() {
		if !contains(done, n) {
			out = append(out, n)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// labOptions are the flags of lab run. Flags that mean a field of experiment.Bench set it.
type labOptions struct {
	experiment.Bench
	graphs    []string // G or G=OLDER
	seeds     string
	out       string
	page      string // Markdown
	reuse     string
	changes   []string // logs, by graph
	touched   int
	oracle    string // "": as the papers
	cache     string // of importance
	findings  string // page about all experiments, in Markdown
	selfLinks bool

	flags *pflag.FlagSet
}

func newLabRunCommand(u *console.UI) *cobra.Command {
	opt := &labOptions{}
	cmd := &cobra.Command{
		Use:   "run NAME... [--graph G[=OLDER]]... [--out DIR]",
		Short: "run experiments of the papers",
		Long: `A name is one that winnow lab list prints, a prefix of several (cho98 is all of that paper),
or all. Each experiment prints its numbers and its verdict, and with --out writes
DIR/NAME/report.html, curves.csv, curves.svg and summary.json. --page FILE.md writes one
experiment as a page in Markdown, with its pictures in files beside it.

leaderboard compares --policy, the first of them with all others, from --starts starts on
each graph (10 by default): regret, paired differences with intervals over the graphs, time
under politeness, cost. --reuse takes the published policies and the baselines, which do not
change, from the summary.json of an earlier run.

--graph may be given several times. With G=OLDER the second graph is an older snapshot of
the same web: its PageRank is what an earlier crawl knew. Pages are matched by URL if both
graphs have URLs, else by id. Without --graph, two synthetic webs of 20,000 pages are used,
each with an older snapshot of a little more than half of its pages.

freshness-leaderboard and wire02 keep a collection fresh with --rate visits a day. --changes
is a log of when the pages of --graph changed: lines of Unix time, id and number of pages that
the edit touched, with tabs between. Without it pages change at random. With --json the
freshness-leaderboard prints one object for each allocation.

--seeds is homes, best, random:N or a file, as for winnow sim, in every graph. --oracle is the
importance by which all experiments measure, in place of that of each paper. --findings FILE.md
writes one page: which claims of the papers hold on which graphs, and which cannot be told.`,
		Example: `  winnow lab run castillo04-table1
  winnow lab run cho98 --graph web.wg --seeds best --out reports
  winnow lab run castillo04 --graph mdn-2026.wg=mdn-2025.wg --graph openbsd.wg --starts 10
  winnow lab run leaderboard --graph a.wg --graph b.wg --policy default,opic,breadth-first --page board.md
  winnow lab run freshness-leaderboard --graph web.wg --changes web.tsv.gz --max-touched 200
  winnow lab run cho98 --graph web.wg --oracle outlinks
  winnow lab run all --graph a.wg --graph b.wg --findings findings.md`,
		Args:              console.FirstOf("the NAME of an experiment"),
		ValidArgsFunction: completeExperiments,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.flags = cmd.Flags()
			return runLab(cmd.Context(), u, opt, args)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&opt.graphs, "graph", nil, "a graph, or a graph and its older snapshot as G=OLDER (default: two synthetic webs)")
	f.StringVar(&opt.seeds, "seeds", "", "homes, best, random:N or a file (default: homes, or best without URLs)")
	console.Whole(f, &opt.Starts, "starts", 0, "number of additional random start sets, for confidence intervals; of the leaderboard, starts of a graph (default 10)")
	f.StringSliceVar(&opt.Policies, "policy", nil, "policies of the leaderboard, the first against the others (default: "+strings.Join(boards.BoardPolicies(), ",")+")")
	f.StringVar(&opt.reuse, "reuse", "", "summary.json of an earlier leaderboard, for policies that do not change")
	f.StringArrayVar(&opt.changes, "changes", nil, "log of changes, one for each --graph in the same order, for freshness-leaderboard and wire02")
	console.Whole(f, &opt.touched, "max-touched", 0, "leave out rows of --changes whose edits touched more pages; 0: none")
	f.Float64Var(&opt.Rate, "rate", 0, "visits a day that keep a collection fresh (default: a 30th of its pages)")
	f.StringVar(&opt.page, "page", "", "file for the report of one experiment in Markdown; pictures beside it")
	f.StringVar(&opt.oracle, "oracle", "", "importance in place of that of the papers: a metric of winnow rank, a file of values, or an expression such as 0.7*pagerank+0.3*backlinks")
	addCacheFlag(f, &opt.cache)
	f.StringVar(&opt.findings, "findings", "", "file for one page about all experiments in Markdown: which claims hold on which worlds, with the numbers")
	f.Uint64Var(&opt.Random, "random-seed", 1, "seed of all random numbers")
	f.StringVar(&opt.out, "out", "", "directory for the reports, one below it for each experiment")
	f.BoolVar(&opt.selfLinks, "self-links", false, "keep links of pages to themselves")
	console.Whole(f, &opt.Threads, "threads", 0, "number of simultaneous crawls (default: one per processor); results do not depend on it")
	console.Completes(cmd, "seeds", graphs.SeedsHomes, graphs.SeedsBest, graphs.SeedsRandom)
	completesPolicies(cmd, "policy")
	return cmd
}

func runLab(ctx context.Context, u *console.UI, opt *labOptions, names []string) error {
	experiments, err := chooseExperiments(u, names)
	if err != nil {
		return err
	}
	if err := console.CheckNumbers(u, opt.flags, console.Within("starts", opt.Starts, 0, maxStarts), console.Within("threads", opt.Threads, 0, maxThreads)); err != nil {
		return err
	}
	if err := console.NotEmpty(u, opt.flags, "seeds", "out", "page", "reuse", "policy", "oracle", "oracle-cache", "findings"); err != nil {
		return err
	}
	if err := opt.settleBoard(u, experiments); err != nil {
		return err
	}
	if err := opt.settleChanges(experiments); err != nil {
		return err
	}
	if err := opt.settleOracle(u); err != nil {
		return err
	}
	if opt.findings != "" {
		opt.Found = &experiment.Ledger{}
	}
	if err := opt.checkOut(experiments); err != nil {
		return err
	}
	opt.Context, opt.Threads = ctx, cmp.Or(opt.Threads, runtime.GOMAXPROCS(0))
	places := &labPlaces{labOptions: opt, u: u, shown: u.Stages(ctx)}
	defer places.free()
	if err := places.open(ctx); err != nil {
		return err
	}
	places.shown.Done()
	return runExperiments(ctx, u, opt, experiments)
}

// checkOut refuses reports that would replace a graph or the seeds.
func (o *labOptions) checkOut(experiments []experiment.Experiment) error {
	inputs := append([]string{o.seeds}, o.changes...)
	for _, value := range o.graphs {
		path, older := splitOlder(value)
		inputs = append(inputs, path, older)
	}
	if graphs.Replaces(o.findings, append(inputs, o.oracle)...) {
		return console.Usagef("--findings %s is also an input", o.findings)
	}
	if o.findings != "" {
		if err := graphs.CheckDir(filepath.Dir(o.findings), o.findings); err != nil {
			return err
		}
	}
	if graphs.Replaces(o.page, inputs...) {
		return console.Usagef("--page %s is also an input", o.page)
	}
	if o.page != "" {
		if err := graphs.CheckDir(filepath.Dir(o.page), o.page); err != nil {
			return err
		}
	}
	var dirs []string
	for _, e := range experiments {
		dirs = append(dirs, filepath.Join(o.out, e.Name))
	}
	return checkOut(o.out, dirs, inputs...)
}

// runExperiments runs the experiments one after the other. It reports failures at the end.
func runExperiments(ctx context.Context, u *console.UI, opt *labOptions, experiments []experiment.Experiment) error {
	var failed []error
	done, verdict := 0, ""
	for i := range experiments {
		err := runExperiment(u, opt, &experiments[i], i > 0)
		if err == nil {
			verdict, err = opt.writeFindings(u)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, console.ErrReaderGone):
			return err
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", experiments[i].Name, err))
			opt.Found.Fail(experiments[i].Name, err)
			u.Notef("%s failed: %v", experiments[i].Name, err)
		default:
			done++
		}
	}
	if verdict != "" {
		u.Notef("%s: %s", opt.findings, verdict)
	}
	switch err := errors.Join(failed...); {
	case err == nil:
		return nil
	case done == 0:
		return err
	default:
		return console.Missingf("%d of %d experiments failed: %w", len(failed), len(experiments), err)
	}
}

// A labObject is the JSON output for one experiment.
type labObject struct {
	Experiment string          `json:"experiment"`
	Verdict    string          `json:"verdict"`
	Seconds    float64         `json:"seconds"`
	Report     json.RawMessage `json:"report"` // as in summary.json
}

func runExperiment(u *console.UI, opt *labOptions, e *experiment.Experiment, more bool) error {
	start := time.Now()
	rep, err := watchExperiment(u, &opt.Bench, e)
	if err != nil {
		return err
	}
	if err := printExperiment(u, e, rep, time.Since(start), more); err != nil {
		return err
	}
	if opt.page != "" {
		dir, name := filepath.Split(opt.page)
		if err := writeFiles(u, dir, rep.Page(name)); err != nil {
			return err
		}
	}
	if opt.out != "" {
		return writeReport(u, filepath.Join(opt.out, e.Name), rep)
	}
	return nil
}

// printExperiment shows a report on standard output; more of them are two lines apart.
func printExperiment(u *console.UI, e *experiment.Experiment, rep *show.Report, took time.Duration, more bool) error {
	if u.AsJSON && len(rep.Lines) > 0 {
		for _, line := range rep.Lines {
			if err := u.JSON(line); err != nil {
				return err
			}
		}
		return nil
	}
	if u.AsJSON {
		var whole, line bytes.Buffer
		if err := rep.WriteJSON(&whole); err != nil {
			return err
		}
		if err := json.Compact(&line, whole.Bytes()); err != nil {
			return err
		}
		return u.JSON(labObject{e.Name, rep.Verdict, took.Seconds(), line.Bytes()})
	}
	text := rep.Text(textOptions(u))
	if more {
		text = "\n\n" + text
	}
	_, err := io.WriteString(u.Stdout, text)
	u.Verbosef("%s took %s", e.Name, show.Duration(took))
	return err
}

// watchExperiment runs one with its progress shown.
func watchExperiment(u *console.UI, b *experiment.Bench, e *experiment.Experiment) (*show.Report, error) {
	p := show.NewProgress(u.Progress(), e.Name, 0, "")
	defer p.Done()
	p.Note("begins")
	b.Progress = func(what string, done, of int) {
		if of > 0 {
			what = fmt.Sprintf("%s (%d of %d)", what, done, of)
		}
		p.Note(what)
	}
	rep, err := e.Run(b)
	if b.Context.Err() != nil { // what it gave is a torso
		return nil, b.Context.Err()
	}
	return rep, err
}
