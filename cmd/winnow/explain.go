package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/terminal"
	"github.com/winnow-crawler/winnow/internal/wording"
)

type explainOptions struct {
	visits int // list at most this many
	links  int // and this many linking pages
}

func newExplainCommand(u *console.UI) *cobra.Command {
	opt := &explainOptions{}
	cmd := &cobra.Command{
		Use:   "explain DIR URL [--visits N] [--links N]",
		Short: "show why a page was not fetched yet, or what happened to it",
		Long: `Shows what the crawl in a directory knows about a URL: its state and since when, how it was
found, the fetched pages that link to it, every attempt, its rank among the pages that wait,
the clock of its site, and the numbers by which the policy values it. The first line is a
sentence that says why the page was not fetched yet.

The rank is by the present values: place 1 in its site is the next page of the site. A policy
with several boards has a rank on each. Values change with every page that is fetched, so the
time in the sentence is a lower bound under the present ones.

It changes nothing and works while the crawl runs; then it shows what was committed when it
began to read, and how old that is. The URL is brought into the normal form that the crawl
uses. If the crawl does not know it, the exit code is 3.`,
		Example: `  winnow explain a.example.crawl https://a.example/docs/
  winnow explain a.example.crawl a.example/private --json
  winnow explain a.example.crawl https://a.example/ --visits 50 --links 100`,
		Args: console.Exactly("DIR", "URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExplain(cmd.Context(), u, opt, args[0], args[1])
		},
	}
	f := cmd.Flags()
	console.Whole(f, &opt.visits, "visits", 10, "list at most this many attempts, the last ones")
	console.Whole(f, &opt.links, "links", 5, "list at most this many pages that link to it, the first ones")
	return cmd
}

func runExplain(ctx context.Context, u *console.UI, opt *explainOptions, dir, url string) error {
	if opt.visits < 0 || opt.links < 0 {
		return console.Usagef("--visits and --links must not be negative")
	}
	if strings.HasPrefix(url, "/") {
		return wantsURL(dir, url)
	}
	all, p, err := openAll(u, ctx, dir)
	if err != nil {
		return err
	}
	defer all.Close()
	defer p.Done()
	part, _, _, err := all.Find(url)
	if err != nil {
		return wrongURL(err)
	}
	v := all.Crawls[part]
	status := v.StatusFile()
	if status == nil {
		if status, err = v.Status(); err != nil {
			return err
		}
	}
	c, _, err := history.ReadConfig(dir)
	if err != nil {
		c = config.Default() // as in runStatus
	}
	x, err := explain.URL(v, url, explain.Options{
		Now: time.Now(), Status: status, Reason: wording.PauseReason(status, &c), Visits: opt.visits, Links: opt.links,
	})
	p.Done()
	if err != nil {
		return wrongURL(err)
	}
	if u.AsJSON {
		err = u.JSON(x)
	} else {
		err = terminal.PrintPage(u.Stdout, x, dir, terminal.ResumeCommand(dir, status, &c))
	}
	if err != nil || x.State != explain.Unknown {
		return err
	}
	err = console.Missingf("%s does not know %s", dir, x.URL)
	if x.Similar != "" {
		return console.WithHint(err, "it knows another spelling; try: %s", u.CommandLine(url, x.Similar))
	}
	return console.WithHint(err, "to add it to the crawl: %s", terminal.Command("winnow", "crawl", "--dir", dir, "--add-seeds", x.URL))
}

// wantsURL returns the error for a path, with the URL that it probably is part of.
func wantsURL(dir, path string) error {
	said := console.Usagef("%s is a path, not a URL", path)
	if c, found, err := history.ReadConfig(dir); err == nil && found && len(c.Seeds) > 0 {
		site, _ := page.Site([]byte(c.Seeds[0]))
		return console.WithHint(said, "give the whole URL: %s", terminal.Command("winnow", "explain", dir, string(site)+path))
	}
	return console.WithHint(said, "give the whole URL, as winnow pages %s lists it", terminal.Command(dir))
}

// wrongURL makes a usage error of a URL that is none.
func wrongURL(err error) error {
	if text, ok := strings.CutPrefix(err.Error(), "seed "); ok {
		return console.WithHint(console.Usagef("%s", text), "a URL is needed, such as https://example.org/docs/")
	}
	return err
}
