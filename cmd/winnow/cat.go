package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/stored"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

type catOptions struct {
	at      string // "": the last visit
	headers bool
	raw     bool
}

func newCatCommand(u *console.UI) *cobra.Command {
	opt := &catOptions{}
	cmd := &cobra.Command{
		Use:   "cat DIR URL [--at TIME] [--headers] [--raw]",
		Short: "print a page as it was stored",
		Long: `Prints the body of a stored page: of the last visit, or with --at of the last one at that time
or before. Content codings such as gzip are undone; the charset is that of the page, except on a
terminal, which gets UTF-8. If a page had not changed at a visit, the body is that of the visit
that brought it.

It reads the indexes of the archive and one record, also while the crawl runs; then it shows
what was committed. robots.txt files and redirects are stored, too.

With --json it prints url, date, status, headers, media type and the body: as text if it is one,
else in base64. If there is no copy, the error says why and the exit code is 3.`,
		Example: `  winnow cat a.example.crawl https://a.example/docs/
  winnow cat a.example.crawl a.example/docs/ --at 2026-11-17
  winnow cat a.example.crawl https://a.example/robots.txt --at 3d
  winnow cat a.example.crawl https://a.example/logo.png > logo.png
  winnow cat a.example.crawl https://a.example/ --json | jq -r .headers`,
		Args: console.Exactly("DIR", "URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCat(cmd.Context(), u, opt, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.at, "at", "", "the copy at this time: 2026-11-17 (the end of that day), '2026-11-17 09:30', 2026-11-17T09:30:00Z, or an age: 3d")
	f.BoolVar(&opt.headers, "headers", false, "print status line and headers first")
	f.BoolVar(&opt.raw, "raw", false, "print the body as it was sent, with its content codings")
	return cmd
}

// time returns the time of --at, the zero time for the last visit.
func (o *catOptions) time(now time.Time) (time.Time, error) {
	if o.at == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, o.at, now.Location()); err == nil {
		return day.AddDate(0, 0, 1).Add(-1), nil
	}
	if at, ok := parseTime(o.at, now); ok {
		return at, nil
	}
	return time.Time{}, console.WithHint(console.Usagef("--at: %q is no time", o.at), "write a date, a time such as 2026-11-17T09:30:00Z, or an age such as 3d")
}

func runCat(ctx context.Context, u *console.UI, opt *catOptions, dir, url string) error {
	at, err := opt.time(time.Now())
	if err != nil {
		return err
	}
	forms, err := page.Forms(url)
	if err != nil {
		return wrongURL(err)
	}
	a, err := stored.Open(ctx, dir)
	if err != nil {
		return err
	}
	var c *stored.Copy
	var missing *stored.Missing
	for _, form := range forms {
		var first *stored.Missing
		if c, err = a.Find(form, at); !errors.As(err, &first) {
			break
		}
		if missing == nil {
			missing = first
		}
	}
	if c == nil && missing != nil {
		return explainMissing(u, ctx, missing, dir, url)
	}
	if err != nil {
		return err
	}
	if u.AsJSON {
		return u.JSON(c.Object(opt.raw))
	}
	return printCopy(u, opt, c)
}

// printCopy prints a copy, and notes what is not ordinary about it.
func printCopy(u *console.UI, opt *catOptions, c *stored.Copy) error {
	body, readable := c.Body, c.IsText()
	if opt.raw {
		body, readable = c.Raw, readable && c.Get("Content-Encoding") == ""
	}
	if u.Stdout.Terminal() != nil {
		if !readable && len(body) > 0 {
			return console.WithHint(console.Usagef("%s is %s and not for a terminal", c.URL, show.Line(c.Kind())), "to write it to a file: %s > FILE", u.CommandLine("", ""))
		}
		body = c.Text()
	}
	if opt.headers {
		u.Printf("%s", c.HeaderText())
	}
	_, err := u.Stdout.Write(body)
	for _, note := range c.Notes() {
		u.Notef("%s", note)
	}
	return err
}

// explainMissing returns the error for a page without a copy, with a hint.
func explainMissing(u *console.UI, ctx context.Context, m *stored.Missing, dir, typed string) error {
	p := show.NewProgress(u.Progress(), "read "+dir, 0, "")
	err := m.Explain(ctx)
	p.Done()
	if err != nil {
		return err
	}
	said := console.Missingf("%s", m)
	switch {
	case len(m.Others) > 0:
		return console.WithHint(said, "another spelling is stored; try: %s", u.CommandLine(typed, m.Others[0]))
	case m.Reason == stored.Later:
		return console.WithHint(said, "try: %s", u.WithFlag("--at", m.First.Add(time.Second).UTC().Format(time.RFC3339)))
	case m.Reason == stored.Deleted:
		return console.WithHint(said, "put the file back")
	}
	return console.WithHint(said, "for more: %s", terminal.Command("winnow", "explain", dir, m.URL))
}
