package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/index"
	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
	"github.com/winnow-crawler/winnow/lab/demo"
	"github.com/winnow-crawler/winnow/lab/live"
	"github.com/winnow-crawler/winnow/policy"
)

type demoOptions struct {
	demo.Options
	dir      string // "": a temporary one
	pages    show.Number
	policies []string
}

func newDemoCommand(u *console.UI) *cobra.Command {
	opt := &demoOptions{pages: 4000}
	cmd := &cobra.Command{
		Use:   "demo [--dir DIR] [--pages N] [--policy P,...] [--preset NAME]",
		Short: "crawl a built-in web, compare policies, write the report",
		Long: `Serves a synthetic web on this machine: some hundred sites with robots.txt files,
sitemaps, redirects, errors, charsets and content codings, over HTTP and TLS, with a
DNS server for their names. Then it crawls this web over real sockets, in less than a
minute, lets the server check that the crawler was polite, and compares the order of the
crawl with other orders of the same pages. Nothing outside this machine is contacted.

With several policies, the same web is served and crawled once for each, and a table
compares the crawls over time. With --preset, the settings are those of a paper, with its
delays and the latencies of the Web divided by --faster: the lower it is, the less the speed
of this machine matters.`,
		Example: `  winnow demo
  winnow demo --policy larger-sites-first --dir demo.crawl
  winnow demo --preset thesis-exp2 --fetchers 8 --dir exp2`,
		Args: console.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := console.NotEmpty(u, cmd.Flags(), "dir", "preset"); err != nil {
				return err
			}
			if opt.Preset == "" && cmd.Flags().Changed("faster") {
				return console.Usagef("--faster divides the delays of a preset: give --preset too")
			}
			return runDemo(cmd.Context(), u, opt)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.dir, "dir", "", "directory of the crawl or crawls; it must not exist yet (default: a temporary one)")
	f.Var(&opt.pages, "pages", "pages of the web")
	f.StringSliceVar(&opt.policies, "policy", nil, "policies, one crawl for each, as winnow sim --help lists them (default: "+config.Default().Policy+", or what the preset compares)")
	f.Uint64Var(&opt.Seed, "random-seed", 1, "another seed is another web")
	f.StringVar(&opt.Preset, "preset", "", "settings of a paper: "+console.OrList(presetNames()))
	f.Float64Var(&opt.Faster, "faster", 100, "divide the delays of the preset, and latencies of 0.1 to 2 s, by this")
	console.Whole(f, &opt.Fetchers, "fetchers", 0, "r: maximum number of sites crawled at the same time (default: as the preset, or 16)")
	completesPolicies(cmd, "policy")
	console.Completes(cmd, "preset", presetNames()...)
	return cmd
}

func runDemo(ctx context.Context, u *console.UI, opt *demoOptions) error {
	crawls, err := opt.plan(u)
	if err != nil {
		return err
	}
	if err := opt.makeDirs(crawls); err != nil {
		return err
	}
	if opt.Preset != "" {
		u.Notef("%s", opt.Settings(&crawls[0].config))
	}
	var wrong []error
	var policies []string
	for _, c := range crawls {
		policies = append(policies, c.config.Policy)
	}
	defer func() {
		for _, c := range crawls {
			if c.report != nil {
				c.report.Close()
			}
		}
	}()
	for _, c := range crawls {
		if err := c.run(ctx, u, opt, policies); err != nil {
			return err
		}
		wrong = append(wrong, c.wrong())
	}
	if err := printDemo(u, opt, crawls); err != nil {
		return err
	}
	if err := errors.Join(wrong...); err != nil {
		return console.Missingf("%w", err)
	}
	return nil
}

// plan checks the options and returns the crawls to make.
func (o *demoOptions) plan(u *console.UI) ([]*demoCrawl, error) {
	if o.Preset != "" {
		p, err := findPreset(u, o.Preset)
		if err == nil && p.Topic {
			err = console.Usagef("--preset %s: the web of the demo has no topics", o.Preset)
		}
		if err != nil {
			return nil, err
		}
		if !(o.Faster >= 1) {
			return nil, console.Usagef("--faster %g: want 1 or more", o.Faster)
		}
	}
	if o.Fetchers < 0 {
		return nil, console.Usagef("--fetchers %d: want 1 or more", o.Fetchers)
	}
	o.Pages = int(o.pages)
	base := o.Config()
	policies := o.policies
	switch {
	case len(policies) > 0:
	case o.Preset == "thesis-exp2": // which compares two
		policies = []string{"breadth-first", "larger-sites-first"}
	default:
		policies = []string{base.Policy}
	}
	var crawls []*demoCrawl
	for i, p := range policies {
		if policies[i] = policy.Actual(strings.TrimSpace(p)); slices.Contains(policies[:i], policies[i]) {
			return nil, console.Usagef("--policy: %s is given twice", p)
		}
		c := base
		c.Policy = policies[i]
		if err := c.Check(); err != nil {
			return nil, explainKey(u, err)
		}
		crawls = append(crawls, &demoCrawl{config: c})
	}
	return crawls, nil
}

// makeDirs chooses directories in which there is nothing: that of one crawl, or in it one
// for each.
func (o *demoOptions) makeDirs(crawls []*demoCrawl) error {
	if o.dir == "" {
		temp, err := os.MkdirTemp("", "winnow-demo-")
		if err != nil {
			return err
		}
		if o.dir = temp; len(crawls) == 1 {
			o.dir = filepath.Join(temp, "demo.crawl")
		}
	}
	if list, err := os.ReadDir(o.dir); err == nil && len(list) > 0 {
		return console.WithHint(fmt.Errorf("%s is not empty", o.dir), "a demo cannot resume an earlier one: give another --dir, or none")
	}
	if len(crawls) == 1 {
		crawls[0].dir = o.dir
		return nil
	}
	for _, c := range crawls {
		c.dir = filepath.Join(o.dir, strings.ReplaceAll(c.config.Policy, "/", "+")+".crawl")
	}
	return os.MkdirAll(o.dir, 0o777)
}

// A demoCrawl is one crawl of the built-in web, with its results.
type demoCrawl struct {
	dir    string
	config config.Config
	server *serve.Server
	found  []webcount.Violation // by the server's count
	report *live.Report
	failed error // what of the report is missing
}

// run serves the web, crawls it, and judges the crawl.
func (d *demoCrawl) run(ctx context.Context, u *console.UI, opt *demoOptions, policies []string) error {
	server, net, err := opt.Serve()
	if err != nil {
		return console.Usage(err)
	}
	defer net.Close()
	d.server, d.config.Resolver = server, net.Resolver()
	if err := d.crawl(ctx, u, opt.Seeds(server)); err != nil {
		return err
	}
	return d.judge(ctx, u, policies)
}

// crawl crawls from the seeds.
func (d *demoCrawl) crawl(ctx context.Context, u *console.UI, seeds []string) error {
	spec, from := d.server.Web().Spec(), seeds[0]
	if len(seeds) > 1 {
		from = show.Counted(int64(len(seeds)), "seed")
	}
	u.Notef("serving %s on %s, and crawling them from %s by %s", show.Counted(int64(spec.Pages), "page"), show.Counted(int64(spec.Sites), "site"),
		from, d.config.Policy)
	p := watchCrawl(u, d.dir, &d.config)
	if !u.AsJSON { // the result is one object
		p.Start()
		defer p.Stop()
	}
	sum, err := crawl.Run(ctx, crawl.RunOptions{
		Dir: d.dir, Config: d.config, Seeds: seeds, Version: programVersion(),
		Log: slog.New(&terminal.Log{Show: p.Say, Least: slog.LevelError}), Progress: p.Set,
		Machine: crawl.Machine{TLS: d.server.ClientTLS()},
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	p.Stop()
	u.Notef("fetched %s of %s in %s; %s failed, %s skipped", show.Grouped(sum.Fetched), show.Counted(sum.Known, "known page"), show.Duration(sum.Ran),
		show.Grouped(sum.Failed), show.Grouped(sum.Refused))
	return nil
}

// judge checks the crawl by the server's count, compares it with other orders, those of the
// other crawls among them, and writes its report.
func (d *demoCrawl) judge(ctx context.Context, u *console.UI, policies []string) (err error) {
	d.found = demo.Violations(d.server, &d.config)
	if d.report, err = readReport(ctx, u, d.dir, &reportOptions{policies: append(slices.Clone(policies), live.DefaultPolicies()...)}); err != nil {
		return err
	}
	d.failed = d.report.Failed
	if err := writeReport(u, d.reportDir(), d.report.Full()); d.failed == nil {
		d.failed = err
	}
	if _, err := index.Write(d.dir); d.failed == nil {
		d.failed = err
	}
	return nil
}

func (d *demoCrawl) reportDir() string  { return filepath.Join(d.dir, "report") }
func (d *demoCrawl) reportFile() string { return filepath.Join(d.reportDir(), "report.html") }

// wrong returns why the demo did not succeed.
func (d *demoCrawl) wrong() error {
	switch {
	case d.failed != nil:
		return d.failed
	case len(d.found) > 0:
		return fmt.Errorf("the server counted %s, the first: %v", show.Counted(int64(len(d.found)), "violation"), d.found[0])
	}
	return nil
}

// A demoObject is the JSON output for one crawl.
type demoObject struct {
	Dir        string           `json:"dir"`
	Settings   string           `json:"settings,omitempty"` // of a preset
	Violations int              `json:"violations"`         // by the server's count
	Server     webcount.Summary `json:"server"`
	Crawl      live.Summary     `json:"crawl"`
	Real       *live.Course     `json:"real"`
	Simulated  []*live.Course   `json:"simulated"` // the policies of all crawls in the world that this one recorded
}

// A demosObject is the JSON output for several crawls.
type demosObject struct {
	Dir    string       `json:"dir"`
	Crawls []demoObject `json:"crawls"`
}

func (d *demoCrawl) object(o *demoOptions, all []*demoCrawl) demoObject {
	x := demoObject{
		Settings: o.Settings(&d.config),
		Dir:      d.dir, Violations: len(d.found), Server: d.server.Counter().Summary(),
		Crawl: d.report.Summary(), Real: d.report.Course(),
	}
	x.Crawl.Report = d.reportFile()
	for _, c := range all {
		if s := d.report.Simulated(c.config.Policy); s != nil {
			x.Simulated = append(x.Simulated, s)
		}
	}
	return x
}

func printDemo(u *console.UI, o *demoOptions, crawls []*demoCrawl) error {
	switch {
	case u.AsJSON && len(crawls) == 1:
		return u.JSON(crawls[0].object(o, crawls))
	case u.AsJSON:
		return u.JSON(o.object(crawls))
	case len(crawls) == 1:
		return crawls[0].print(u, o)
	}
	return o.printSeveral(u, crawls)
}

func (o *demoOptions) object(crawls []*demoCrawl) demosObject {
	all := demosObject{Dir: o.dir}
	for _, c := range crawls {
		all.Crawls = append(all.Crawls, c.object(o, crawls))
	}
	return all
}

func (d *demoCrawl) print(u *console.UI, o *demoOptions) error {
	if err := present(u, d.report.Brief(textOptions(u).Charts)); err != nil {
		return err
	}
	m := d.server.Counter().Summary()
	u.Printf("\n")
	if o.Preset != "" {
		u.Printf("settings    %s\n", o.Settings(&d.config))
	}
	t := show.NewList()
	t.Add("server", show.Counted(m.Requests, "request"), fmt.Sprintf("at most %s at once to a site, %s of %s", show.Counted(int64(m.MostOpen), "connection"), show.Counted(m.Full, "full answer"), show.Counted(m.Pages, "page")))
	t.Add("violations", show.Grouped(int64(len(d.found))), "of robots.txt, delays and connections, by the server's count")
	t.Add("crawl", d.dir)
	t.Add("report", d.reportFile())
	return t.Print(u.Stdout)
}

// printSeveral compares the crawls with each other, and each with its simulation.
func (o *demoOptions) printSeveral(u *console.UI, crawls []*demoCrawl) error {
	var reports []*live.Report
	var violations []int
	for _, c := range crawls {
		reports, violations = append(reports, c.report), append(violations, len(c.found))
	}
	rep := &show.Report{Title: "crawls of the same web", Sections: []show.Section{live.Compare(reports, violations)}}
	if o.Preset != "" {
		rep.Header = []show.Field{{Name: "settings", Value: o.Settings(&crawls[0].config)}}
	}
	if err := present(u, rep); err != nil {
		return err
	}
	t := show.NewList()
	for _, c := range crawls {
		t.Add("report", c.reportFile())
	}
	u.Printf("\n")
	return t.Print(u.Stdout)
}
