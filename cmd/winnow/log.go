package main

import (
	"bufio"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

type logOptions struct {
	site, class  string
	since, until string
	limit        show.Number
	header       bool
}

// classFailed selects all classes of failures.
const classFailed = "failed"

func newLogCommand(u *console.UI) *cobra.Command {
	opt := &logOptions{}
	cmd := &cobra.Command{
		Use:   "log DIR [--site S] [--class C] [--since T] [--until T] [--limit N]",
		Short: "list the requests of a crawl by site, class and time",
		Long: `Lists every request that has ended, in the order of the journal, one per line with tabs
between the fields: time, kind (fetch, robots, sitemap, resolve), HTTP status, class of the
outcome, seconds that it took, bytes, URL (of a page, else its site), note. "-" means no
value. The first line names the fields.

--class is a class of outcomes (` + strings.Join(classNames(), ", ") + `) or "` + classFailed + `", which is all that are failures.
--since and --until are a time (2026-11-03T15:04:05, 2026-11-03, 15:04) on the clock of this
machine, or how long ago (10m, 2h, 3d).

It changes nothing, and works while the crawl runs; then it ends with what was committed when
it began.`,
		Example: `  winnow log a.example.crawl --class failed --since 10m
  winnow log a.example.crawl --site b.example --since 2026-11-03 --json`,
		Args: console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLog(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.site, "site", "", "only requests to this host or site")
	f.StringVar(&opt.class, "class", "", "only this class of outcomes, or "+classFailed)
	f.StringVar(&opt.since, "since", "", "only requests that ended at or after this time")
	f.StringVar(&opt.until, "until", "", "only requests that ended at or before this time")
	f.Var(&opt.limit, "limit", "list at most this many requests, the first ones")
	addHeader(f, &opt.header)
	console.Completes(cmd, "class", append(classNames(), classFailed)...)
	return cmd
}

// classNames returns the names of the classes of outcomes.
func classNames() (names []string) {
	for c := event.OK; c <= event.LastClass; c++ {
		names = append(names, c.String())
	}
	return names
}

// filter returns what the flags select at a time.
func (o *logOptions) filter(u *console.UI, now time.Time) (*history.LogFilter, error) {
	f := &history.LogFilter{Site: strings.TrimSuffix(o.site, "/"), Limit: int64(o.limit)}
	for _, t := range []struct {
		flag, text string
		to         *time.Time
	}{{"since", o.since, &f.Since}, {"until", o.until, &f.Until}} {
		if t.text == "" {
			continue
		}
		at, ok := parseTime(t.text, now)
		if !ok {
			return nil, console.WithHint(console.Usagef("--%s %q: want a time such as 2026-11-03T15:04:05, 2026-11-03 or 15:04, or how long ago, such as 10m", t.flag, t.text),
				"try: %s", u.WithFlag("--"+t.flag, "10m"))
		}
		*t.to = at
	}
	names := append(classNames(), classFailed)
	switch {
	case o.class == "":
	case !slices.Contains(names, o.class):
		return nil, u.WrongWord("class", o.class, names)
	default:
		f.Class = o.chosen
	}
	return f, nil
}

// chosen reports whether --class selects a class.
func (o *logOptions) chosen(class string) bool {
	if o.class != classFailed {
		return class == o.class
	}
	for c := event.OK; c <= event.LastClass; c++ {
		if c.String() == class {
			return c.Failed()
		}
	}
	return false
}

// parseTime reads a time on the clock of this machine, or how long ago it was.
func parseTime(text string, now time.Time) (time.Time, bool) {
	var ago console.Span
	if ago.Set(text) == nil {
		return now.Add(-time.Duration(ago)), true
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, true
		}
	}
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			y, m, d := now.Date()
			return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, now.Location()), true
		}
	}
	return time.Time{}, false
}

func runLog(ctx context.Context, u *console.UI, opt *logOptions, dir string) error {
	filter, err := opt.filter(u, time.Now())
	if err != nil {
		return err
	}
	out := &lines{u: u, out: bufio.NewWriterSize(u.Stdout, 1<<16), header: terminal.LogHeader, bare: !opt.header}
	v, p, err := openAll(u, ctx, dir)
	if err != nil {
		return err
	}
	defer v.Close()
	defer p.Done()
	for _, c := range v.Crawls {
		if err == nil && (opt.limit == 0 || out.n < int64(opt.limit)) {
			f := *filter
			f.Limit = max(0, f.Limit-out.n)
			err = c.Log(&f, func(x *history.Request) error {
				p.Done()
				return out.add(x, terminal.LogLine(x))
			})
		}
	}
	return out.finish(err)
}
