package main

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/show"
)

func newRetryCommand(u *ui) *cobra.Command {
	chance := crawl.Chance{}
	cmd := &cobra.Command{
		Use:   "retry DIR [--site S] [--class C]",
		Short: "give pages of a crawl another chance",
		Long: `Lets pages that failed or were refused wait again, and sites that were given up be asked
again. Nothing is fetched: winnow crawl --dir DIR does that, and judges them anew.

Without flags all failed pages get another chance. --class names a class of failures or a
reason of refusals, as winnow pages prints them: http-error, too-large, no-news, robots...
Every run of winnow crawl tries by itself what may have passed: dns, connect, tls, timeout,
server-error, and seeds whatever was wrong with them.`,
		Example: `  winnow retry a.example.crawl
  winnow retry a.example.crawl --class http-error --site b.example
  winnow retry a.example.crawl --class no-news`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRetry(cmd.Context(), u, &chance, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&chance.Site, "site", "", "pages of this host or site only")
	f.StringVar(&chance.Class, "class", "", "pages of this class of failures, or of this reason of refusals, only")
	return cmd
}

func runRetry(ctx context.Context, u *ui, chance *crawl.Chance, dir string) error {
	config, found, err := history.ReadConfig(dir)
	if err == nil && !found {
		err = &hint.Error{Text: dir + " is not the directory of a crawl", Hint: "name the directory that winnow crawl made"}
	}
	if err != nil {
		return err
	}
	sum, err := crawl.Run(ctx, crawl.RunOptions{
		Dir: dir, Config: config, Version: programVersion(), MachineMemory: machine.Memory(),
		Log: slog.New(slog.DiscardHandler), Chance: chance, Machine: crawl.Machine{Sizes: u.sizes},
	})
	if err != nil {
		return err
	}
	if u.asJSON {
		return u.json(struct {
			Retried int `json:"retried"`
		}{sum.Retried})
	}
	u.printf("%s another chance\n", show.Counted(int64(sum.Retried), "page")+gets(sum.Retried))
	if sum.Retried > 0 {
		u.notef("to fetch: %s", quoteArgs([]string{"winnow", "crawl", "--dir", dir}))
	}
	return nil
}

// gets is the verb for so many.
func gets(n int) string {
	if n == 1 {
		return " gets"
	}
	return " get"
}
