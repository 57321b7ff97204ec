package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/fakeweb"
)

type demoOptions struct {
	dir    string // "": a temporary one
	pages  count
	policy string
	seed   uint64
}

func newDemoCommand(u *ui) *cobra.Command {
	opt := &demoOptions{pages: 4000}
	cmd := &cobra.Command{
		Use:   "demo [--dir DIR] [--pages N] [--policy P]",
		Short: "crawl a built-in web, compare policies, write the report",
		Long: `Serves a synthetic web on this machine: some hundred sites with robots.txt files,
sitemaps, redirects, errors, charsets and content codings, over HTTP and TLS, with a
DNS server for their names. Then crawls it over real sockets, in less than a minute,
lets the server say whether the crawler kept the rules, and compares the order of the
crawl with other orders of the same pages. Nothing outside this machine is asked.`,
		Example: "  winnow demo\n  winnow demo --policy larger-sites-first --dir demo.crawl",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := notEmpty(u, cmd.Flags(), "dir"); err != nil {
				return err
			}
			return runDemo(cmd.Context(), u, opt)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.dir, "dir", "", "directory of the crawl, which must not be there yet (default: a temporary one)")
	f.Var(&opt.pages, "pages", "pages of the web")
	f.StringVar(&opt.policy, "policy", crawl.Default().Policy, "policy that orders the pages, as winnow sim --help lists them")
	f.Uint64Var(&opt.seed, "random-seed", 1, "another seed is another web")
	completesPolicies(cmd, "policy")
	return cmd
}

func runDemo(ctx context.Context, u *ui, opt *demoOptions) error {
	config := opt.config()
	if err := config.Check(); err != nil {
		return explainKey(u, err)
	}
	if err := opt.makeDir(); err != nil {
		return err
	}
	server, net, err := opt.serve()
	if err != nil {
		return err
	}
	defer net.Close()
	config.Resolver = net.Resolver()
	if err := opt.crawl(ctx, u, config, server); err != nil {
		return err
	}
	return opt.conclude(ctx, u, &config, server)
}

// makeDir chooses a directory in which there is nothing.
func (o *demoOptions) makeDir() error {
	if o.dir == "" {
		temp, err := os.MkdirTemp("", "winnow-demo-")
		o.dir = filepath.Join(temp, "demo.crawl")
		return err
	}
	if list, err := os.ReadDir(o.dir); err == nil && len(list) > 0 {
		return withHint(fmt.Errorf("%s is not empty", o.dir), "the web of an earlier demo is gone: name another --dir, or none")
	}
	return nil
}

// The built-in web: some of everything that a crawler has to get right, as
// fakeweb.Mixed has it, but for what makes a crawl wait for minutes: a robots.txt or a
// name that cannot be had is asked for again and again, and after each failure of a
// page its site is left alone for some seconds.
func (o *demoOptions) serve() (*fakeweb.Server, *fakeweb.Net, error) {
	pages := max(int(o.pages), 100)
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: max(1, pages/10), Links: 12 * int64(pages), Seed: o.seed})
	if err != nil {
		return nil, nil, &usageError{err}
	}
	so := fakeweb.Mixed()
	so.Seed = o.seed
	so.Robots.Broken, so.Robots.Busy, so.DNS.Failing = 0, 0, 0
	so.Pages.Broken, so.Pages.Busy, so.Pages.Reset = 0, 0.0005, 0.0003
	so.Robots.MaxDelay, so.RetryAfter = 50*time.Millisecond, time.Second
	so.MinLatency, so.MaxLatency = time.Millisecond, 20*time.Millisecond
	so.MinSize, so.MaxSize = 1000, 20_000
	so.HTTPS = 0.3
	server, err := fakeweb.NewServer(web, so)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	net, err := server.Listen(fakeweb.Listen{HTTP: "127.0.0.1:0", TLS: "127.0.0.1:0", DNS: "127.0.0.1:0"})
	return server, net, err
}

// config is polite in the small: the servers are on this machine and wait for nobody.
func (o *demoOptions) config() crawl.Config {
	c := crawl.Default()
	c.Policy, c.RandomSeed = o.policy, o.seed
	c.Delay.Duration, c.DelayFactor, c.IPDelay.Duration, c.IPCap = demoDelay, 0, 0, 0
	c.Fetchers, c.Retries = 16, 1
	c.MaxDepth, c.MaxDepthDynamic, c.SitePages, c.DomainPages = 0, 0, 0, 0
	c.AllowPrivate = true
	// A site waits for the commit of its last answer. At a delay of seconds that is nothing;
	// here it must not be longer than the delay, or large sites have another turn than
	// their policy wants.
	c.Commit.Duration = demoDelay
	c.MaxMemory = 256 << 20
	return c
}

// demoDelay is how long a site of the demo is left alone.
const demoDelay = 10 * time.Millisecond

// crawl crawls from the first page, from which all can be reached.
func (o *demoOptions) crawl(ctx context.Context, u *ui, c crawl.Config, server *fakeweb.Server) error {
	spec := server.Web().Spec()
	u.notef("serving %s on %s, and crawling them from %s", counted(int64(spec.Pages), "page"), counted(int64(spec.Sites), "site"), server.URL(0))
	p := newCrawlProgress(u, &c)
	if !u.asJSON { // the result is one object
		p.start()
		defer p.stop()
	}
	sum, err := crawl.Run(ctx, crawl.RunOptions{
		Dir: o.dir, Config: c, Seeds: []string{server.URL(0)}, Version: programVersion(),
		Log: slog.New(&crawlLog{show: p.say, least: slog.LevelError}), Progress: p.set,
		Machine: crawl.Machine{TLS: server.ClientTLS()},
	})
	switch {
	case err != nil:
		return explainCrawl(err)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	p.stop()
	u.notef("%s of %s came in %s, %s failed, %s were refused", formatCount(sum.Fetched), counted(sum.Known, "known page"), formatDuration(sum.Ran),
		formatCount(sum.Failed), formatCount(sum.Refused))
	return nil
}

// demoObject is what --json prints.
type demoObject struct {
	Dir        string          `json:"dir"`
	Violations int             `json:"violations"` // by the server's count
	Server     fakeweb.Summary `json:"server"`
	Crawl      reportObject    `json:"crawl"`
}

// conclude holds the crawl against the server's count and against other orders.
func (o *demoOptions) conclude(ctx context.Context, u *ui, c *crawl.Config, server *fakeweb.Server) error {
	found := server.Counter().Check(fakeweb.Demands{Delay: demoDelay, PerConnection: c.PerConnection})
	found = append(found, server.Counter().CheckWanted(server.Wanted(fakeweb.Limits{Sitemaps: true, MaxBody: int(c.MaxBody)}))...)
	shown := newStages(ctx, u)
	defer shown.Done()
	r, err := readCrawlReport(ctx, o.dir, reportPolicies(), shown)
	if err != nil {
		return err
	}
	defer r.close()
	shown.Done()
	out := filepath.Join(o.dir, "report")
	wrong := r.failed
	if wrong == nil {
		wrong = writeReport(u, out, r.report())
	}
	if _, err := writeIndexes(o.dir); wrong == nil {
		wrong = err
	}
	if err := o.print(u, r, server, found, out); err != nil {
		return err
	}
	switch {
	case wrong != nil:
		return missingf("%w", wrong)
	case len(found) > 0:
		return missingf("the server counted %s, the first: %v", counted(int64(len(found)), "violation"), found[0])
	}
	return nil
}

func (o *demoOptions) print(u *ui, r *crawlReport, server *fakeweb.Server, found []fakeweb.Violation, out string) error {
	m := server.Counter().Summary()
	if u.asJSON {
		return u.json(demoObject{Dir: o.dir, Violations: len(found), Server: m, Crawl: r.object(filepath.Join(out, "report.html"), 0)})
	}
	if _, err := io.WriteString(u.stdout, r.text(textOptions(u))); err != nil {
		return err
	}
	t := newTable()
	t.add("server", formatCount(m.Requests)+" requests", fmt.Sprintf("at most %d connection at once to a site, %s full answers of %s pages", m.MostOpen, formatCount(m.Full), formatCount(m.Pages)))
	t.add("violations", formatCount(int64(len(found))), "of robots.txt, delays and connections, by the server's count")
	t.add("crawl", o.dir)
	t.add("report", filepath.Join(out, "report.html"))
	u.printf("\n")
	return t.print(u.stdout)
}
