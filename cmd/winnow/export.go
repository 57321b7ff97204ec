package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/stored"
	"github.com/winnow-crawler/winnow/crawl/stored/wacz"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/version"
)

type waczOptions struct {
	wacz  string // file to write
	sign  string // file of the key; "": no signature
	title string // "": the host of the first seed
	text  bool
}

func newExportArchiveCommand(u *console.UI) *cobra.Command {
	opt := &waczOptions{}
	cmd := &cobra.Command{
		Use:   "export DIR --wacz FILE [--sign KEY] [--title T] [--text=false]",
		Short: "write the archive of a crawl as one WACZ file, which replayers open",
		Long: `Writes the archive of a crawl as one file in the format WACZ 1.1.1, which ReplayWeb.page and other
replayers open, also from a static web server: the WARC files as they are, one index of all, the
lists of pages with titles and texts (the seeds first), and SHA-256 sums of all parts.

--sign adds a signature of these sums with the private key in a PEM file (ECDSA, P-384); if there is
no such file, a key is made and written there. The signature is anonymous: it shows that files were
signed with the same key. Readers must have the public key from you to know that it is yours.

It works while the crawl runs and writes what is committed. The file takes as much room as the
archive and gets its name when it is complete.`,
		Example: `  winnow export a.example.crawl --wacz a.wacz
  winnow export a.example.crawl --wacz a.wacz --sign winnow.key --title 'A, November 2026'
  winnow export a.example.crawl --wacz a.wacz --text=false --json`,
		Args: console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExportArchive(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.wacz, "wacz", "", "file to write, such as a.wacz")
	f.StringVar(&opt.sign, "sign", "", "sign it with the private key in this file, which is made if it is not there")
	f.StringVar(&opt.title, "title", "", "title of the collection (the host of the first seed)")
	f.BoolVar(&opt.text, "text", true, "put the texts of pages into the lists of pages, for searching")
	return cmd
}

func runExportArchive(ctx context.Context, u *console.UI, opt *waczOptions, dir string) error {
	switch {
	case opt.wacz == "":
		return console.WithHint(console.Usagef("winnow export needs --wacz FILE"), "try: %s", u.WithFlag("--wacz", strings.TrimSuffix(strings.TrimRight(dir, "/"), ".crawl")+".wacz"))
	case !strings.HasSuffix(opt.wacz, ".wacz"):
		return console.WithHint(console.Usagef("%s: the name must end in .wacz", opt.wacz), "try: %s", u.WithFlag("--wacz", opt.wacz+".wacz"))
	}
	a, err := stored.Open(ctx, dir)
	if err != nil {
		return err
	}
	o, err := opt.describe(u, dir)
	if err != nil {
		return err
	}
	out, err := result.Create(opt.wacz, u.Stdout)
	if err != nil {
		return err
	}
	defer out.Discard()
	p := show.NewProgress(u.Progress(), "write "+opt.wacz, 0, show.UnitBytes)
	o.Progress = func(done, _ int64) { p.Set(done) }
	sum, err := wacz.Write(ctx, a, out, o)
	p.Done()
	switch {
	case err != nil:
		return out.Wrap(err)
	case sum.Files == 0:
		return console.Missingf("%s has stored nothing", dir)
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if u.AsJSON {
		return u.JSON(sum)
	}
	u.Notef("wrote %s: %s, %s in the index, %s", opt.wacz, show.Counted(sum.Files, "WARC file"), show.Counted(sum.Records, "record"), show.Counted(sum.Pages, "page"))
	if sum.Signed {
		u.Notef("signed; the public key is %s", sum.Key)
	}
	return nil
}

// describe returns how the file is written.
func (o *waczOptions) describe(u *console.UI, dir string) (wacz.Options, error) {
	w := wacz.Options{Title: o.title, Software: version.Program(), NoText: !o.text, Now: time.Now()}
	c, _, err := history.ReadConfig(dir)
	if err == nil {
		w.Seeds = c.Seeds
	}
	if w.Title == "" && len(w.Seeds) > 0 {
		site, _ := page.Site([]byte(w.Seeds[0]))
		w.Title = string(page.Host(site))
	}
	if o.sign == "" {
		return w, nil
	}
	key, made, err := wacz.ReadKey(o.sign)
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return w, console.WithHint(err, "choose another place with --sign")
	case err != nil:
		return w, console.WithHint(console.Usagef("--sign: %w", err), "name a file that does not exist, and a key is made")
	case made:
		u.Notef("made a key: %s; keep it to yourself", o.sign)
	}
	w.Key = key
	return w, nil
}
