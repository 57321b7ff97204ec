package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
)

// robotsAsker fetches robots.txt files as a crawl does.
type robotsAsker struct {
	u        *ui
	c        *config.Config
	options  fetch.Options
	headers  *config.SiteHeaders
	resolver *fetch.Resolver
	decoder  fetch.Decoder
}

func newRobotsAsker(u *ui, c *config.Config) (*robotsAsker, error) {
	server, err := c.ResolverAddress()
	if err != nil {
		return nil, explainKey(u, err)
	}
	proxy, err := c.ProxyURL()
	if err != nil {
		return nil, explainKey(u, err)
	}
	trust, err := trusted(c.CAFile)
	if err != nil {
		return nil, withHint(fmt.Errorf("--ca-file: %w", err), "to do without it try: %s", u.withoutFlag("--ca-file"))
	}
	resolver, err := fetch.NewResolver(fetch.ResolverOptions{Server: server})
	if err != nil {
		return nil, err
	}
	headers := config.NewSiteHeaders(c)
	return &robotsAsker{u: u, c: c, headers: headers, resolver: resolver, options: fetch.Options{
		TLS: trust, Proxy: proxy, UserAgent: c.Agent(programVersion()), Header: headers.All(), HTTP2: true,
		AllowPrivate: c.AllowPrivate, Total: c.Timeout.Duration,
	}}, nil
}

func (a *robotsAsker) close() { a.resolver.Close() }

// trusted is the certificates of the system and those of a file; nil without a file.
func trusted(name string) (*tls.Config, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate in it", name)
	}
	return &tls.Config{RootCAs: pool}, nil
}

// ask fetches the robots.txt of a site and follows it to where it moved.
func (a *robotsAsker) ask(ctx context.Context, site, agent string) (*robotsSource, error) {
	if err := checkLiteral(a.u, site, a.c); err != nil {
		return nil, err
	}
	s := &robotsSource{}
	url := site + "/robots.txt"
	var resolver page.Resolver
	for {
		answer, err := a.get(ctx, url)
		if err != nil {
			return nil, err
		}
		text := gather.ReadRobots(&a.decoder, answer)
		target := resolve(&resolver, url, answer.Location)
		class, _ := robots.Limits{}.Judge(gather.RobotsResponse(answer, s.Hops, target))
		s.From, s.Class, s.Status, s.Note = url, class.String(), answer.Status, answer.Note
		switch class {
		case robots.Moved:
			s.Hops++
			url = target
			continue
		case robots.Found:
			s.read(text, agent)
		case robots.Unreachable:
			s.rules = robots.DisallowAll()
		}
		return s, nil
	}
}

// get asks once. A name that has no address is an answer, too: none.
func (a *robotsAsker) get(ctx context.Context, url string) (*fetch.Answer, error) {
	site, _ := page.Site([]byte(url))
	request := &fetch.Request{Header: a.headers.Of(site), URL: url, Last: true, Prefix: true, MaxBody: robots.MaxSize + 1, Accept: "text/plain,*/*;q=0.5"}
	if a.c.Proxy == "" {
		names, err := a.resolver.Lookup(ctx, string(page.Host([]byte(url))))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return &fetch.Answer{Note: err.Error()}, nil
		}
		request.Addrs = names.Addrs
	}
	client := fetch.NewClient(&a.options)
	defer client.Close()
	answer := client.Do(ctx, request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, nil
}

// resolve is the target of a redirect in normal form, "" if there is none.
func resolve(r *page.Resolver, base, location string) string {
	if location == "" {
		return ""
	}
	r.Document([]byte(base))
	url, verdict := r.Resolve(nil, []byte(strings.TrimSpace(location)))
	if !verdict.Usable() {
		return ""
	}
	return string(url)
}

// readLimited reads at most twice what a robots.txt may have, so that a wrong file does
// no harm.
func readLimited(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, 2*robots.MaxSize))
}
