package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

type robotsOptions struct {
	crawlFlags
	agent string // product token to read it for; "": our own
	file  string // robots.txt to read instead of a request
}

func newRobotsCommand(u *console.UI) *cobra.Command {
	opt := &robotsOptions{}
	cmd := &cobra.Command{
		Use:   "robots URL... [--agent NAME] [--file FILE]",
		Short: "show whether robots.txt allows pages, by which rule, with which delay",
		Long: `Fetches the robots.txt of each site once, as a crawl would (RFC 9309): it follows up to 5
redirects; 4xx allows everything, other failures allow nothing. Then it prints for each URL
whether it may be fetched, which rule decided, and the delay between two requests to the
site.

With --file nothing is fetched, and a URL may be a path. The exit code is 0 whether pages
are allowed or not.`,
		Example: `  winnow robots https://example.org/private/page
  winnow robots https://example.org/ --agent googlebot --json
  winnow robots /private/page --file robots.txt`,
		Args: console.FirstOf("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRobots(cmd.Context(), u, opt, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opt.agent, "agent", "", "product token whose rules are applied (default: winnow)")
	f.StringVar(&opt.file, "file", "", "read this robots.txt instead of fetching it; - is standard input")
	opt.crawlFlags.add(cmd)
	opt.addKeys(cmd, "contact", "user_agent", "header", "header_scope", "delay", "timeout", "resolver", "proxy", "ca_file", "allow_private")
	return cmd
}

func runRobots(ctx context.Context, u *console.UI, opt *robotsOptions, args []string) error {
	if err := console.NotEmpty(u, opt.flags, "agent", "file", "config", "preset"); err != nil {
		return err
	}
	c := config.Default()
	if err := opt.readConfig(u, &c); err != nil {
		return err
	}
	if err := opt.apply(u, &c, false); err != nil {
		return err
	}
	if opt.agent == "" {
		opt.agent = c.Product()
	}
	if token := robots.Token(opt.agent); token != opt.agent {
		return wrongAgent(u, opt.agent, token)
	}
	urls, err := robotsURLs(u, opt, args)
	if err != nil {
		return err
	}
	sources, err := opt.sources(ctx, u, &c, urls)
	if err != nil {
		return err
	}
	for i, url := range urls {
		if i > 0 && !u.AsJSON {
			u.Printf("\n")
		}
		if err := printVerdict(u, sources[i].Judge(url, opt.agent, c.Delay.Duration)); err != nil {
			return err
		}
	}
	return nil
}

func wrongAgent(u *console.UI, agent, token string) error {
	err := console.Usagef("--agent %q: a product token has letters, - and _ only", agent)
	if token == "" {
		token = "winnow"
	}
	return console.WithHint(err, "try: %s", u.WithFlag("--agent", token))
}

// robotsURLs returns the normal forms of the arguments. With --file, paths stay paths.
func robotsURLs(u *console.UI, opt *robotsOptions, args []string) ([]string, error) {
	var urls []string
	for _, text := range args {
		if opt.file != "" && strings.HasPrefix(text, "/") {
			urls = append(urls, text)
			continue
		}
		url, err := page.ParseSeed(text)
		if err != nil {
			hint := "a URL is needed, such as https://example.org/docs/"
			if strings.HasPrefix(text, "/") {
				hint = "a path needs a robots.txt to be held against; try: " + u.WithFlag("--file", "robots.txt")
			}
			return nil, console.WithHint(console.Usagef("%s", strings.TrimPrefix(err.Error(), "seed ")), "%s", hint)
		}
		urls = append(urls, url)
	}
	return urls, nil
}

// sources returns the rules for each URL. It fetches those of a site once.
func (o *robotsOptions) sources(ctx context.Context, u *console.UI, c *config.Config, urls []string) ([]*gather.RobotsSource, error) {
	out := make([]*gather.RobotsSource, len(urls))
	if o.file != "" {
		source, err := o.fromFile(u)
		for i := range out {
			out[i] = source
		}
		return out, err
	}
	c.Seeds = urls // the sites that were named
	fetcher, closeResolver, err := newRobotsFetcher(u, c)
	if err != nil {
		return nil, err
	}
	defer closeResolver()
	bySite := map[string]*gather.RobotsSource{}
	for i, url := range urls {
		site, _ := page.Site([]byte(url))
		if bySite[string(site)] == nil {
			if err := checkLiteral(u, string(site), c); err != nil {
				return nil, err
			}
			file, err := fetcher.Fetch(ctx, string(site))
			if err != nil {
				return nil, err
			}
			bySite[string(site)] = file.Source(o.agent)
		}
		out[i] = bySite[string(site)]
	}
	return out, nil
}

// newRobotsFetcher returns a fetcher with the configuration of a crawl, and a function that
// closes its resolver.
func newRobotsFetcher(u *console.UI, c *config.Config) (*gather.RobotsFetcher, func(), error) {
	proxy, err := c.ProxyURL()
	if err != nil {
		return nil, nil, explainKey(u, err)
	}
	if err := c.ReadSecrets(); err != nil {
		return nil, nil, err
	}
	headers := config.NewSiteHeaders(c)
	f := &gather.RobotsFetcher{Header: headers.Of, Options: fetch.Options{
		Proxy: proxy, UserAgent: c.Agent(programVersion()), Header: headers.All(), HTTP2: true,
		AllowPrivate: c.AllowPrivate, Total: c.Timeout.Duration,
	}}
	if c.CAFile != "" {
		pool, err := fetch.TrustFile(c.CAFile)
		if err != nil {
			return nil, nil, console.WithHint(fmt.Errorf("--ca-file: %w", err), "to do without it try: %s", u.WithoutFlag("--ca-file"))
		}
		f.Options.TLS = &tls.Config{RootCAs: pool}
	}
	resolver, err := newResolver(c)
	if err != nil {
		return nil, nil, explainKey(u, err)
	}
	if c.Proxy == "" {
		f.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			names, err := resolver.Lookup(ctx, host)
			return names.Addrs, err
		}
	}
	return f, func() { resolver.Close() }, nil
}

// newResolver returns a resolver that queries the server of the configuration.
func newResolver(c *config.Config) (*fetch.Resolver, error) {
	server, err := c.ResolverAddress()
	if err != nil {
		return nil, err
	}
	return fetch.NewResolver(fetch.ResolverOptions{Server: server})
}

// fromFile reads the rules of --file.
func (o *robotsOptions) fromFile(u *console.UI) (*gather.RobotsSource, error) {
	body, err := readAll(u, o.file)
	if err != nil {
		return nil, console.WithHint(fmt.Errorf("--file: open %s: %w", o.file, result.Cause(err)), "to ask the site try: %s", u.WithoutFlag("--file"))
	}
	return gather.NewRobotsSource(o.file, body, o.agent), nil
}

func printVerdict(u *console.UI, v gather.RobotsVerdict) error {
	if u.AsJSON {
		return u.JSON(v)
	}
	return terminal.PrintVerdict(u.Stdout, v)
}

// readAll reads a file, or standard input for "-", up to twice the size of any robots.txt.
func readAll(u *console.UI, name string) ([]byte, error) {
	in := u.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, 2*robots.MaxSize))
}
