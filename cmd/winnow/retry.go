package main

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

func newRetryCommand(u *console.UI) *cobra.Command {
	chance := crawl.Chance{}
	cmd := &cobra.Command{
		Use:   "retry DIR [--site S] [--class C]",
		Short: "retry failed or skipped pages of a crawl",
		Long: `Puts pages that failed or were skipped back into the queue, and lifts the verdict on sites
that were given up. It fetches nothing: winnow crawl --dir DIR does, and judges them again.

Without flags, all failed pages are retried. --class names a class of failures or a reason
of refusals, as printed by winnow pages: http-error, too-large, no-news, robots and so on.
Every run of winnow crawl retries by itself what may have been temporary: dns, connect, tls,
timeout, server-error, and seeds whatever their failure.`,
		Example: `  winnow retry a.example.crawl
  winnow retry a.example.crawl --class http-error --site b.example
  winnow retry a.example.crawl --class no-news`,
		Args: console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRetry(cmd.Context(), u, &chance, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&chance.Site, "site", "", "only pages of this host or site")
	f.StringVar(&chance.Class, "class", "", "only pages of this class of failures, or skipped for this reason")
	return cmd
}

func runRetry(ctx context.Context, u *console.UI, chance *crawl.Chance, dir string) error {
	config, found, err := history.ReadConfig(dir)
	if err == nil && !found {
		err = &hint.Error{Text: dir + " is not the directory of a crawl", Hint: "name the directory that winnow crawl made"}
	}
	if err != nil {
		return err
	}
	sum, err := partition.Run(ctx, crawl.RunOptions{
		Dir: dir, Config: config, Version: programVersion(), MachineMemory: machine.Memory(),
		Log: slog.New(slog.DiscardHandler), Chance: chance, Machine: crawl.Machine{Sizes: u.Sizes},
	})
	if err != nil {
		return err
	}
	if u.AsJSON {
		return u.JSON(struct {
			Retried int `json:"retried"`
		}{sum.Retried})
	}
	u.Printf("%s another chance\n", show.Counted(int64(sum.Retried), "page")+gets(sum.Retried))
	if sum.Retried > 0 {
		u.Notef("to fetch: %s", terminal.ResumeCommand(dir, &sum.Status, &config))
	}
	return nil
}

// gets returns the verb for n pages.
func gets(n int) string {
	if n == 1 {
		return " gets"
	}
	return " get"
}
