package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
)

type splitOptions struct {
	partitions int
	out        string // the directory to make
}

func newSplitCommand(u *console.UI) *cobra.Command {
	opt := &splitOptions{}
	cmd := &cobra.Command{
		Use:   "split DIR --partitions P -o NEW",
		Short: "divide a crawl that has one partition into several",
		Long: `Makes a crawl with several partitions of one that has one, in a new directory: see
docs/partitions.md. The crawl that it was is not changed, and must not run meanwhile. The new
one has the same pages, links, delays and stored answers, and goes on where the other stands:
winnow crawl --dir NEW.

Every record of the journal goes to the partition of its site, and every stored answer is
copied, so it takes as much room as the crawl has. The directory gets its name when it is
complete; until then it ends in .part.

A crawl that ever had keep_pages, render, sitemap_only or notices cannot
be split, nor one whose journal is damaged or whose WARC files were moved away.`,
		Example: `  winnow split a.example.crawl --partitions 4 -o big.crawl
  winnow crawl --dir big.crawl --pages 10M`,
		Args: console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSplit(cmd.Context(), u, opt, strings.TrimRight(args[0], "/"))
		},
	}
	f := cmd.Flags()
	console.Whole(f, &opt.partitions, "partitions", 0, "number of partitions: about as many as the machine has cores")
	f.StringVarP(&opt.out, "out", "o", "", "directory of the new crawl, which must not exist")
	return cmd
}

func runSplit(ctx context.Context, u *console.UI, opt *splitOptions, dir string) error {
	switch {
	case opt.partitions == 0:
		return console.WithHint(console.Usagef("winnow split needs --partitions P"), "try: %s", u.WithFlag("--partitions", "4"))
	case opt.out == "":
		return console.WithHint(console.Usagef("winnow split needs -o NEW"), "try: %s", u.WithFlag("-o", strings.TrimSuffix(dir, ".crawl")+"-split.crawl"))
	}
	shown := u.Stages(ctx)
	d, err := recut.Split(ctx, recut.SplitOptions{
		Dir: dir, Out: strings.TrimRight(opt.out, "/"), Partitions: opt.partitions, Version: programVersion(),
		Progress: func(done, total int64) error { return shown.Set("records", done, total) },
	})
	shown.Done()
	if err != nil {
		return err
	}
	if u.AsJSON {
		return u.JSON(d)
	}
	u.Printf("%s in %s: %s, %s fetched\n", d.Out, show.Counted(d.Partitions, "partition"), show.Counted(d.Known, "page"), show.Grouped(d.Fetched))
	u.Notef("to go on: winnow crawl --dir %s", d.Out)
	u.Notef("%s is as it was; keep it until you are content with the new one, and let only one of them crawl", dir)
	return nil
}
