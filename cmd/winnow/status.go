package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

func newStatusCommand(u *console.UI) *cobra.Command {
	opt := &clusterFlags{}
	cmd := &cobra.Command{
		Use:   "status DIR | --cluster ADDRESS [--name NAME]",
		Short: "show the progress of a crawl",
		Long: `Shows the state of the crawl in a directory: whether it runs, why it is paused, the command
that resumes it, pages by state, failures and refusals by reason. It changes nothing. It
works while the crawl runs, after it was stopped, and after it was killed; then it reads the
journal.

A crawl is running, paused or finished, which means that no page was left to fetch. If a
limit excluded pages, the flag that admits them is listed.

With -v it also lists skipped pages, mirrors, unreachable sites and memory. Pages skipped as
traps are listed by reason, with the sites and patterns that have most of them; --json lists
more. In a pattern, * is any name and # a number or an id; of a query, only the names of the
parameters are shown. Held pages are those skipped as grows, hosts or farm: they are
admitted as soon as there is evidence that they are wanted.

With --cluster it shows a crawl on several machines: the sum of what all nodes told in the
last second, each node with its partitions, and the partitions that no node crawls, with the
reason. Without --name it lists nodes and crawls.`,
		Example: `  winnow status a.example.crawl
  winnow status a.example.crawl -v
  winnow status a.example.crawl --json
  winnow status --cluster a.example:7420 --secret-file cluster.secret --name big`,
		Args: opt.dirOrCluster,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opt.check(u, cmd); err != nil {
				return err
			}
			if opt.cluster != "" {
				return runClusterStatus(cmd.Context(), u, opt)
			}
			return runStatus(cmd.Context(), u, args[0])
		},
	}
	opt.add(cmd)
	return cmd
}

func runStatus(ctx context.Context, u *console.UI, dir string) error {
	p := show.NewProgress(u.Progress(), "read the journal of "+dir, 0, "")
	p.Note("the crawl did not end by itself, so its records are replayed")
	s, err := history.ReadStatus(ctx, dir)
	p.Done()
	if err != nil {
		return err
	}
	c, _, err := history.ReadConfig(dir)
	if err != nil {
		c = config.Default() // the status does not depend on it; winnow crawl reports the mistake
	}
	if u.AsJSON {
		return u.JSON(struct {
			*history.Status
			Resume string `json:"resume,omitempty"`
		}{s, terminal.ResumeCommand(dir, s, &c)})
	}
	if u.Verbose {
		return terminal.PrintDetails(u.Stdout, dir, s, &c)
	}
	return terminal.PrintStatus(u.Stdout, dir, s, &c)
}
