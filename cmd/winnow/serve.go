package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/member"
	"github.com/winnow-crawler/winnow/dashboard"
	"github.com/winnow-crawler/winnow/internal/console"
)

type serveOptions struct {
	clusterFlags
	listen string
	token  string // file
	hosts  []string
}

func newServeCommand(u *console.UI) *cobra.Command {
	opt := &serveOptions{}
	cmd := &cobra.Command{
		Use:   "serve DIR... [FILE.json...] [--cluster ADDRESS --secret-file FILE] [--listen ADDR]",
		Short: "show crawls in a browser, while they run or afterwards",
		Long: `Serves a dashboard of crawls until Ctrl-C: an overview with curves that move, sites, pages with
their explanation, visits and links, the frontier, failures, traps, the politeness ledger and
freshness. Several crawls are shown side by side. A file is a result of the laboratory: what
winnow lab run NAME --json prints, or the summary.json that --out writes.

It changes nothing, and works while a crawl runs, after it stopped, and after it was killed.
What the crawl left in its directory is shown at once; its state is restored and its journal read
once in the background, and pages say how far that is.

With --cluster it shows a cluster: its nodes, its crawls, who crawls what, and curves of what it has
seen since it was started. There crawls can be paused, resumed and stopped, with a token: that of
--token, or one that it prints.

Only this machine can reach it unless --listen says otherwise; then --token is needed, which the
browser asks for once. It answers to IP addresses, localhost and the names of --host.`,
		Example: `  winnow serve a.example.crawl
  winnow serve a.crawl b.crawl results/leaderboard/summary.json
  winnow serve a.example.crawl --listen 0.0.0.0:8800 --token token.txt --host crawler.example.org
  winnow serve --cluster a.example:7420 --secret-file cluster.secret`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 || opt.cluster != "" {
				return nil
			}
			return console.Exactly("DIR")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opt.check(u, cmd); err != nil {
				return err
			}
			return runServe(cmd.Context(), u, opt, args)
		},
	}
	f := cmd.Flags()
	opt.addPlace(f)
	f.StringVar(&opt.listen, "listen", "127.0.0.1:8800", "where it is served; port 0 is any free one")
	f.StringVar(&opt.token, "token", "", "file with a token that users must give, of at least 16 characters")
	f.StringSliceVar(&opt.hosts, "host", nil, "names by which it may be addressed, besides localhost")
	return cmd
}

// A servePlace describes where the dashboard is served: the object of --json.
type servePlace struct {
	Address string   `json:"address"`
	Crawls  []string `json:"crawls"`
	Results []string `json:"results"`
}

func runServe(ctx context.Context, u *console.UI, opt *serveOptions, args []string) error {
	o := dashboard.Options{Hosts: opt.hosts, Version: programVersion()}
	if err := sources(&o, args); err != nil {
		return err
	}
	var err error
	if o.Token, err = readToken("--token", opt.token); err != nil {
		return err
	}
	if !strings.Contains(opt.listen, ":") {
		opt.listen = "127.0.0.1:" + opt.listen
	}
	l, err := dashboard.Listen(opt.listen, o.Token)
	switch {
	case errors.Is(err, dashboard.ErrToken):
		return console.WithHint(console.Usagef("--listen %s: %w", opt.listen, err), "to make one: openssl rand -hex 16 > token.txt; then try: %s", u.WithFlag("--token", "token.txt"))
	case err != nil:
		return console.WithHint(fmt.Errorf("--listen: %w", err), "port 0 is any free port; try: %s", u.WithFlag("--listen", "127.0.0.1:0"))
	}
	defer l.Close()
	o.CopyPort = l.Port()
	ctx, cancel := context.WithCancel(ctx)
	printed := ""
	if opt.cluster != "" {
		wait, err := opt.watch(ctx, u, &o)
		if err != nil {
			cancel()
			return err
		}
		defer wait()
		if len(o.Token) == 0 && !u.Quiet && !u.AsJSON {
			printed = rand.Text()
			o.Token, o.Open = []byte(printed), true // only this machine can reach it
		}
	}
	defer cancel()
	s, err := dashboard.New(ctx, o)
	if err != nil {
		return err
	}
	defer s.Wait()
	defer cancel()
	if err := servesAt(u, l, &o, printed); err != nil {
		return err
	}
	return s.Serve(ctx, l)
}

// sources finds out what is to be shown.
func sources(o *dashboard.Options, args []string) error {
	for _, name := range args {
		info, err := os.Stat(name)
		switch {
		case err == nil && !info.IsDir():
			o.Results = append(o.Results, name)
		case err == nil && !layout.IsCrawl(name):
			return console.WithHint(fmt.Errorf("%s is not a crawl", name), "name the directory that winnow crawl made: --dir, or the first seed's host with .crawl")
		case err != nil:
			return console.WithHint(fmt.Errorf("there is no crawl %s", name), "name the directory that winnow crawl made: --dir, or the first seed's host with .crawl")
		default:
			o.Dirs = append(o.Dirs, name)
		}
	}
	return nil
}

// watch connects with the cluster, and lets the dashboard watch it until the context ends. Then wait
// returns.
func (opt *serveOptions) watch(ctx context.Context, u *console.UI, o *dashboard.Options) (wait func(), err error) {
	p, err := opt.place(u)
	if err != nil {
		return nil, err
	}
	c, err := member.Connect(ctx, p)
	if err != nil {
		return nil, err
	}
	t, ended := watchCluster(ctx, p.String(), c)
	o.Cluster = t
	return func() { ended(); c.Close() }, nil
}

// servesAt prints where the dashboard is served.
func servesAt(u *console.UI, l *dashboard.Listeners, o *dashboard.Options, token string) error {
	place := servePlace{"http://" + l.Pages.Addr().String() + "/", append([]string{}, o.Dirs...), append([]string{}, o.Results...)}
	if u.AsJSON {
		return u.JSON(&place)
	}
	u.Notef("dashboard at %s", place.Address)
	if token != "" {
		u.Notef("token to control crawls there: %s", token)
	}
	u.Notef("Ctrl-C ends it")
	return nil
}
