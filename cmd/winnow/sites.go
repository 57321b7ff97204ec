package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

type sitesOptions struct {
	history.SiteFilter
	limit show.Number
}

func newSitesCommand(u *console.UI) *cobra.Command {
	opt := &sitesOptions{}
	cmd := &cobra.Command{
		Use:   "sites DIR [NAME] [--sort KEY] [--waiting] [--failed] [--unreachable] [--limit N]",
		Short: "list the sites of a crawl, and what each waits for",
		Long: `Lists the sites that a crawl knows: pages that wait, were fetched, failed and were skipped,
the time between two requests and what decides it, when the site is requested next, what is
known of its robots.txt, and the last error. NAME is a part of the name of a site.

What decides the delay is "delay" (--delay), "crawl-delay" (of robots.txt), "retry-after",
"too-often" (learned from answers 429), "slow" or "failures". The state of robots.txt is
"ok", "none" (the server has none), "elsewhere" (it moved to another site), "unavailable",
"not fetched" or "ignored" (--robots=false).

It changes nothing, and works while the crawl runs, after it stopped, and after it was killed.`,
		Example: `  winnow sites a.example.crawl --sort waiting --limit 20
  winnow sites a.example.crawl --failed --sort failed
  winnow sites a.example.crawl b.example --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return console.Exactly("DIR")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				opt.Name = args[1]
			}
			return runSites(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.Sort, "sort", "name", "order: "+console.OrList(history.SiteOrders())+" (the latest first)")
	f.BoolVar(&opt.Waiting, "waiting", false, "only sites with pages that wait")
	f.BoolVar(&opt.Failed, "failed", false, "only sites with failed pages")
	f.BoolVar(&opt.Down, "unreachable", false, "only sites that cannot be reached at present")
	f.Var(&opt.limit, "limit", "list at most this many sites")
	console.Completes(cmd, "sort", history.SiteOrders()...)
	return cmd
}

func runSites(ctx context.Context, u *console.UI, opt *sitesOptions, dir string) error {
	if !contains(history.SiteOrders(), opt.Sort) {
		return u.WrongWord("sort", opt.Sort, history.SiteOrders())
	}
	p := show.NewProgress(u.Progress(), "read "+dir, 0, "")
	defer p.Done()
	p.Note("the records are replayed")
	v, err := history.OpenAll(ctx, dir)
	if err != nil {
		return err
	}
	defer v.Close()
	opt.Limit = int(opt.limit)
	list, err := v.SiteList(&opt.SiteFilter, time.Now())
	p.Done()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		u.Notef("no site of %s is like that; winnow sites %s lists all", dir, terminal.Command(dir))
		return nil
	}
	if !u.AsJSON {
		return terminal.PrintSites(u.Stdout, list, v.Running())
	}
	for i := range list {
		if err := u.JSON(&list[i]); err != nil {
			return err
		}
	}
	return nil
}
