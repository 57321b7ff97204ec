package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/stored"
	"github.com/winnow-crawler/winnow/crawl/stored/text"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
	"github.com/winnow-crawler/winnow/internal/version"
)

type textExport struct {
	text.Options
	out string // "": standard output
}

func newTextCommand(u *console.UI) *cobra.Command {
	opt := &textExport{}
	cmd := &cobra.Command{
		Use:   "text DIR [-o FILE] [--full] [--all-visits] [--site S] [--language L] [--min-words N]",
		Short: "export the texts of stored pages: url, title, language, text, date",
		Long: `Writes a row for each stored page: URL, title, declared language ("" if the page declares none),
date of the visit, and the main text, without navigation and footers. --full exports all visible
text. The name of the file chooses the format: .jsonl, .jsonl.gz, .jsonl.zst or .parquet; without
-o, JSON lines go to standard output.

A page has one row, of its last visit with a text; with --all-visits, one for each visit at which
it had changed. Pages with title and text of an earlier row are left out unless --duplicates asks
for them. Errors, redirects, robots.txt and files that are neither HTML nor plain text have no row.

Rows are in the order of the index, by host and path: the same archive gives the same bytes. It
works while the crawl runs. With --json it prints counts, if the rows go to a file.`,
		Example: `  winnow text a.example.crawl -o text.jsonl
  winnow text a.example.crawl -o text.parquet --min-words 50
  winnow text a.example.crawl --site docs.a.example --language de | jq -r .title
  winnow text a.example.crawl -o all.jsonl.zst --full --all-visits --duplicates`,
		Args: console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runText(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVarP(&opt.out, "output", "o", "", "file to write: .jsonl, .jsonl.gz, .jsonl.zst or .parquet (standard output)")
	f.BoolVar(&opt.Full, "full", false, "all visible text, with navigation and footers")
	f.BoolVar(&opt.AllVisits, "all-visits", false, "a row for each visit at which a page had changed")
	f.BoolVar(&opt.Duplicates, "duplicates", false, "also pages with title and text of an earlier row; \"duplicate\" marks them")
	f.StringVar(&opt.Site, "site", "", "only pages of this host or site")
	f.StringVar(&opt.Language, "language", "", "only pages that declare this language, such as de")
	console.Whole(f, &opt.MinWords, "min-words", 1, "only pages with at least this many words of text")
	return cmd
}

func runText(ctx context.Context, u *console.UI, opt *textExport, dir string) error {
	a, err := stored.Open(ctx, dir)
	if err != nil {
		return err
	}
	out, err := result.Create(opt.out, u.Stdout)
	if err != nil {
		return err
	}
	defer out.Discard()
	release, commit := version.Creator(version.Build())
	w, err := text.NewWriter(out, opt.out, release, commit)
	if err != nil {
		return console.WithHint(console.Usagef("%s: %w", opt.out, err), "try: %s", u.WithFlag("-o", "text.jsonl"))
	}
	p := show.NewProgress(u.Progress(), "read "+dir, 0, "pages")
	rows := int64(0)
	sum, err := text.Each(ctx, a, opt.Options, func(r *text.Row) error {
		rows++
		p.Set(rows)
		return w.Add(r)
	})
	if err == nil {
		err = w.Close()
	}
	if p.Done(); err != nil {
		return out.Wrap(err)
	}
	if err := out.Commit(); err != nil {
		return err
	}
	return textSum(u, opt, dir, &sum, out.Standard())
}

// textSum says what was exported.
func textSum(u *console.UI, opt *textExport, dir string, sum *text.Sum, standard bool) error {
	if u.AsJSON && !standard {
		if err := u.JSON(sum); err != nil {
			return err
		}
	}
	u.Notef("%s", sum.Sentence(opt.Duplicates))
	if sum.Unreadable > 0 {
		return console.WithHint(console.Missingf("%s could not be read; the first: %w", show.Counted(sum.Unreadable, "page"), sum.First),
			"%s lists what is wrong", terminal.Command("winnow", "verify", dir))
	}
	return nil
}
