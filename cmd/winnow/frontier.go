package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

func newFrontierCommand(u *console.UI) *cobra.Command {
	limit := show.Number(20)
	cmd := &cobra.Command{
		Use:   "frontier DIR [--limit N]",
		Short: "list the next pages that a crawl would request, and why",
		Long: `Lists the pages that the crawl would request next, in that order: how long each waits from
now on (or from when the crawl is resumed), what it waits for, and what it is worth to the
policy. The pages are handed out by the same code as in a crawl, as if every answer came at
once, succeeded and had no links. Each page that is fetched changes the values of others, so
the first pages are certain and the later ones are not.

Why is "ready", "same IP address", "better pages elsewhere" (--wait-for-better), or the delay of
its site: --delay, Crawl-delay, Retry-After, too many requests, slow answers or a pause after
failures. A policy with several orders names
in parentheses the one that chose the page. It changes nothing. winnow explain DIR URL says
more about one page.`,
		Example: `  winnow frontier a.example.crawl
  winnow frontier a.example.crawl --limit 1000 --json`,
		Args: console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFrontier(cmd.Context(), u, args[0], int(limit))
		},
	}
	cmd.Flags().Var(&limit, "limit", "list at most this many pages")
	return cmd
}

func runFrontier(ctx context.Context, u *console.UI, dir string, limit int) error {
	p := show.NewProgress(u.Progress(), "read "+dir, 0, "")
	p.Note("the records are replayed")
	list, err := explain.HandoutsOf(ctx, dir, time.Now(), limit)
	if p.Done(); err != nil {
		return err
	}
	if len(list) == 0 {
		u.Notef("no page of %s waits: everything that may be fetched is fetched, failed or skipped", dir)
		return nil
	}
	if !u.AsJSON {
		return terminal.PrintHandouts(u.Stdout, list)
	}
	for i := range list {
		if err := u.JSON(&list[i]); err != nil {
			return err
		}
	}
	return nil
}
