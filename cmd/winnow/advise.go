package main

import (
	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/live"
)

func newAdviseCommand(u *console.UI) *cobra.Command {
	return &cobra.Command{
		Use:   "advise DIR",
		Short: "say what going on with a crawl would bring, and whether to stop",
		Long: `Says what a tenth more pages, hours and bytes would add to the importance that a crawl has
fetched and to its pages about the topic, if it has one, each with an 80 % interval, how much
of the PageRank of its seeds is certainly fetched, which sites take many requests for little
importance, and whether to go on. It reads the journal, while the crawl runs or afterwards,
and changes nothing.

winnow crawl --stop-when lets a crawl stop by such numbers.`,
		Example: `  winnow advise a.example.crawl
  winnow advise a.example.crawl --json`,
		Args: console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := show.NewProgress(u.Progress(), "read the journal of "+args[0], 0, "")
			a, err := live.ReadAdvice(cmd.Context(), args[0])
			p.Done()
			switch {
			case err != nil:
				return err
			case u.AsJSON:
				return u.JSON(a)
			}
			return a.Print(u.Stdout)
		},
	}
}
