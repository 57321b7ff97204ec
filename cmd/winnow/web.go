package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

type webOptions struct {
	graphs.Synthetic
	listen   serve.Listen
	topics   fakeweb.Topics
	mixed    bool           // some of everything
	hostile  bool           // and duplicates, traps, servers that break the rules
	serve    answer.Options // what the flags set, over the zero value, the mixed or the hostile web
	minSize  show.Size
	maxSize  show.Size
	bombSize show.Size
	changes  bool
	changing bool // and vanish, move, and mislead about it
	duration console.Span
	report   string
	caFile   string
	flags    *pflag.FlagSet
}

func newWebCommand(u *console.UI) *cobra.Command {
	opt := &webOptions{Synthetic: graphs.Synthetic{Pages: 100_000}, topics: fakeweb.SomeTopics()}
	cmd := &cobra.Command{
		Use:   "web [--pages N] [--sites S] [--links M] [--random-seed K] [--mixed | --hostile] [--changing]",
		Short: "serve the synthetic web on this machine",
		Long: `Serves a synthetic web, generated from a seed as by "winnow graph generate", on this machine
until Ctrl-C. Its sites have names (s000.example), which a DNS server of its own resolves.
The requests of visitors are counted, and the counts are printed at the end.

By default every page answers 200 at once and every robots.txt allows everything. A share
such as --redirect 0.1 makes a tenth of the pages redirect. --mixed is a web with some of
everything; --hostile adds duplicates, mirrors, traps, link farms, bombs, and servers that
hang, drip, lie and break off. Single shares may change either. Requests for copies and in
traps are counted, too. Only loopback addresses are served.

With --changing pages change at known rates, similar ones within a directory, and some vanish,
come back or move. Some have a clock or a counter that is no change. Sites tell the truth
about it or not, by ETag, Last-Modified, sitemap and feed. At the end the count says how fresh
the copies of visitors were.

With --topics some pages are about a topic, the first of which is "computer" and on
--topic-share of the pages, and link to each other. At the end the count says which share of
the fetched pages is on it, and how many of its pages were found.`,
		Example: `  winnow web --pages 10k --sites 200
  winnow web --mixed --max-latency 2s --report visits.json
  winnow web --hostile --storm 0.5 --storm-for 20s
  winnow web --changing --change-median 20m --vanish 0.1
  winnow web --topics 8 --topic-share 0.02
  winnow web --https 0.5 --tls 127.0.0.1:8443 --ca-file ca.pem`,
		Args: console.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runWeb(cmd.Context(), u, opt)
		},
	}
	opt.addFlags(cmd.Flags())
	cmd.MarkFlagsMutuallyExclusive("mixed", "hostile")
	cmd.MarkFlagsMutuallyExclusive("changes", "changing")
	console.GroupUsage(u, cmd)
	return cmd
}

// A webTime is a flag that takes a duration, with the field that it sets.
type webTime struct {
	name, help string
	field      *time.Duration
}

func webTimes(s *answer.Options) []webTime {
	return []webTime{
		{"min-latency", "least time to the first byte of a site", &s.MinLatency},
		{"max-latency", "longest time to the first byte of a site", &s.MaxLatency},
		{"slow-by", "what slow sites take on top (default 10s)", &s.SlowBy},
		{"max-retry-after", "longest Retry-After of busy pages (default 2s)", &s.RetryAfter},
		{"max-crawl-delay", "longest Crawl-delay (default 5s)", &s.Robots.MaxDelay},
		{"storm-for", "how long a site answers 429 or 503 (default 5s)", &s.Servers.StormFor},
		{"drip-every", "time between two bytes of a dripping page (default 1s)", &s.DripEvery},
		{"robots-change-after", "time until a robots.txt changes (default 10m)", &s.Robots.ChangeAfter},
	}
}

func (o *webOptions) addFlags(f *pflag.FlagSet) {
	o.flags = f
	f.SortFlags = false
	o.AddSpec(f)
	f.StringVar(&o.listen.HTTP, "listen", "127.0.0.1:8080", "where pages are served; port 0 is any free one")
	f.StringVar(&o.listen.TLS, "tls", "", "where sites over TLS are served")
	f.StringVar(&o.listen.DNS, "dns", "127.0.0.1:5353", "where names are resolved, over UDP and TCP")
	console.Whole(f, &o.listen.Addresses, "addresses", 1, "number of IP addresses that the sites share, starting with that of --listen")
	f.BoolVar(&o.mixed, "mixed", false, "some of everything: failures, redirects, robots rules, charsets, codings")
	f.BoolVar(&o.hostile, "hostile", false, "the mixed web with duplicates, traps and servers that break the rules")
	f.Var(&o.minSize, "min-size", "least size of a page (default 2000)")
	f.Var(&o.maxSize, "max-size", "largest size of a page (default 60000)")
	f.Var(&o.bombSize, "bomb-size", "what a bomb unpacks to (default 256MiB)")
	f.Lookup("min-size").DefValue, f.Lookup("max-size").DefValue, f.Lookup("bomb-size").DefValue = "", "", ""
	f.StringSliceVar(&o.serve.Encodings, "encodings", nil, "content codings: gzip, br, zstd")
	for _, t := range webTimes(&o.serve) {
		f.Var((*console.Span)(t.field), t.name, t.help)
	}
	f.BoolVar(&o.changes, "changes", false, "pages change, each at a rate between once an hour and once in 90 days")
	o.addChangeFlags(f)
	console.Whole(f, &o.topics.Number, "topics", 0, "number of topics, at most 8; 0: pages are about nothing")
	f.Float64Var(&o.topics.Share, "topic-share", o.topics.Share, "share of the pages on the first topic; the second has half of it, the third a third")
	f.Float64Var(&o.topics.Preference, "topic-preference", o.topics.Preference, "share of the links of pages on a topic that prefer pages on it")
	console.SetGroup(f, "Topics", "topics", "topic-share", "topic-preference")
	f.Var(&o.duration, "duration", "stop after this time")
	f.StringVar(&o.report, "report", "", "write the counts of each site as JSON to this file at the end")
	f.StringVar(&o.caFile, "ca-file", "", "write the certificate of the web's authority to this file")
	console.SetGroup(f, console.FirstFlags, "pages", "sites", "links", "random-seed", "mixed", "hostile", "listen", "dns", "duration", "report")
	console.SetGroup(f, "Where it is served", "tls", "addresses", "ca-file")
	console.SetGroup(f, "The pages", "min-size", "max-size", "bomb-size", "encodings", "changes")
	for _, t := range webTimes(&o.serve) {
		console.SetGroup(f, "Times", t.name)
	}
	for _, s := range o.serve.Shares() {
		f.Float64Var(s.Value, s.Name, 0, "share of "+s.Help)
		console.SetGroup(f, "Shares, from 0 to 1, of what behaves in another way", s.Name)
	}
}

// options returns the hostile, the mixed or the plain web, changed by the single flags.
func (o *webOptions) options() answer.Options {
	out := answer.Options{Agent: "winnow"}
	switch {
	case o.hostile:
		out = answer.Hostile()
	case o.mixed:
		out = answer.Mixed()
	}
	from, times := o.serve.Shares(), webTimes(&o.serve)
	for i, s := range out.Shares() {
		if o.flags.Changed(s.Name) {
			*s.Value = *from[i].Value
		}
	}
	out.MinSize, out.MaxSize, out.BombSize = int(o.minSize), int(o.maxSize), int(o.bombSize)
	if o.flags.Changed("encodings") {
		out.Encodings = o.serve.Encodings
	}
	for i, t := range webTimes(&out) {
		if o.flags.Changed(t.name) {
			*t.field = *times[i].field
		}
	}
	o.setChanges(&out)
	return out
}

// A webPlace describes where the web is served: the first object of --json.
type webPlace struct {
	Listen   string   `json:"listen"`
	TLS      string   `json:"tls,omitempty"`
	Resolver string   `json:"resolver" show:"resolver"`
	Seeds    []string `json:"seeds" show:"seed"` // home page of the first site: everything can be reached from there
	Pages    int      `json:"pages" show:"pages"`
	Sites    int      `json:"sites" show:"sites"`
	Links    int64    `json:"links" show:"links"`
	Seed     uint64   `json:"random_seed"`
}

func runWeb(ctx context.Context, u *console.UI, opt *webOptions) error {
	spec := opt.Spec()
	spec.Topics = opt.topics
	web, err := fakeweb.New(spec)
	if err != nil {
		return console.Usage(err)
	}
	if (opt.flags.Changed("topic-share") || opt.flags.Changed("topic-preference")) && opt.topics.Number == 0 {
		return console.WithHint(console.Usagef("--topic-share and --topic-preference need --topics"), "try: %s", u.WithFlag("--topics", "8"))
	}
	answers := opt.options()
	if answers.HTTPS > 0 && opt.listen.TLS == "" {
		return console.WithHint(console.Usagef("--https needs --tls"), "try: %s", u.WithFlag("--tls", "127.0.0.1:8443"))
	}
	if name := opt.strayChange(); name != "" {
		return console.WithHint(console.Usagef("--%s needs --changing", name), "try: %s", u.WithFlag("--changing", ""))
	}
	server, err := serve.New(web, answers)
	if err != nil {
		return console.Usage(err)
	}
	if opt.report == "" {
		return serveWeb(ctx, u, opt, server)
	}
	report, err := result.Create(opt.report, u.Stdout) // before anything is served
	if err != nil {
		return err
	}
	defer report.Discard()
	if err := serveWeb(ctx, u, opt, server); err != nil {
		return err
	}
	if err := writeVisits(report, server); err != nil {
		return report.Wrap(err)
	}
	return report.Commit()
}

// serveWeb serves until Ctrl-C or the end of --duration, which is how it is meant to end:
// then the count is printed.
func serveWeb(ctx context.Context, u *console.UI, opt *webOptions, server *serve.Server) error {
	n, err := server.Listen(opt.listen)
	if err != nil {
		return explainListen(err)
	}
	defer n.Close()
	if opt.caFile != "" {
		if err := os.WriteFile(opt.caFile, server.CertificatePEM(), 0o666); err != nil {
			return fmt.Errorf("write %s: %w", opt.caFile, result.Cause(err))
		}
	}
	if err := printPlace(u, server, n); err != nil {
		return err
	}
	waitFor(ctx, time.Duration(opt.duration))
	n.Close()
	visits := server.Counter().Visits()
	if u.AsJSON {
		return u.JSON(visits)
	}
	return terminal.PrintVisits(u.Stdout, visits)
}

// explainListen distinguishes a wrong address from one that is in use.
func explainListen(err error) error {
	if strings.Contains(err.Error(), "loopback") {
		return console.Usage(err)
	}
	return console.WithHint(err, "port 0 is any free port: --listen 127.0.0.1:0 --dns 127.0.0.1:0")
}

func waitFor(ctx context.Context, d time.Duration) {
	if d > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, d)
		defer stop()
	}
	<-ctx.Done()
}

// printPlace prints where the web is served, and where a crawl of it starts.
func printPlace(u *console.UI, s *serve.Server, n *serve.Net) error {
	spec := s.Web().Spec()
	p := webPlace{
		Listen: n.HTTP.String(), Resolver: n.Resolver(), Seeds: []string{s.URL(0)},
		Pages: spec.Pages, Sites: spec.Sites, Links: spec.Links, Seed: spec.Seed,
	}
	if n.TLS.IsValid() {
		p.TLS = n.TLS.String()
	}
	if err := u.Result(p); err != nil || u.AsJSON {
		return err
	}
	u.Notef("serving on %s until Ctrl-C; start a crawl at the seed, with the resolver", p.Listen)
	return nil
}

// writeVisits writes the summary and one object for each site that was visited.
func writeVisits(w io.Writer, s *serve.Server) error {
	c := s.Counter()
	if err := show.JSON(w, c.Visits(), ""); err != nil {
		return err
	}
	for id := range graph.Site(c.Sites()) {
		r := c.Site(id)
		if len(r.Requests) == 0 {
			continue
		}
		if err := show.JSON(w, r, ""); err != nil {
			return err
		}
	}
	return nil
}
