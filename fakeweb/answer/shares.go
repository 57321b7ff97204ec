package answer

import "fmt"

// A Share is a share of the options by its name, for checks and for flags of the command.
type Share struct {
	Name  string   // as in Options, in lower case with hyphens: robots-missing
	Help  string   // what it is the share of
	Value *float64 // the field
}

// Shares returns all shares of the options, in a fixed order.
func (o *Options) Shares() []Share {
	p, r, d := &o.Pages, &o.Robots, &o.DNS
	return append([]Share{
		{"redirect", "pages that redirect", &p.Redirect},
		{"not-found", "pages that answer 404", &p.NotFound},
		{"gone", "pages that answer 410", &p.Gone},
		{"broken", "pages that answer 500", &p.Broken},
		{"busy", "pages that answer 503 or 429 with Retry-After at first", &p.Busy},
		{"reset", "pages that reset the connection at first", &p.Reset},
		{"other", "pages that are not HTML", &p.Other},
		{"large", "pages of 12 MiB", &p.Large},
		{"robots-rules", "sites whose robots.txt forbids some directories", &r.Rules},
		{"robots-forbid", "directories that such a site forbids", &r.Forbid},
		{"robots-delay", "sites with a Crawl-delay", &r.Delay},
		{"robots-missing", "sites without robots.txt", &r.Missing},
		{"robots-broken", "sites whose robots.txt answers 500", &r.Broken},
		{"robots-busy", "sites whose robots.txt answers 503 at first", &r.Busy},
		{"robots-moved", "sites whose robots.txt redirects to another site", &r.Moved},
		{"robots-large", "sites with a robots.txt of 600 kB", &r.Large},
		{"sitemaps", "sites with a sitemap", &o.Sitemaps},
		{"sitemap-share", "pages of a site that its sitemap names", &o.SitemapShare},
		{"messy", "links written in odd ways", &o.Messy},
		{"nofollow", "pages whose links are not to be followed", &o.NoFollow},
		{"noarchive", "pages not to be stored", &o.NoArchive},
		{"charsets", "sites in another charset than UTF-8", &o.Charsets},
		{"no-validators", "sites without ETag and Last-Modified", &o.NoValidators},
		{"no-keep-alive", "sites that close the connection after each answer", &o.NoKeepAlive},
		{"https", "sites that answer over TLS", &o.HTTPS},
		{"slow", "slow sites", &o.Slow},
		{"dns-missing", "names that do not exist", &d.Missing},
		{"dns-failing", "names that the DNS server fails on", &d.Failing},
		{"dns-truncated", "names that have to be asked for over TCP", &d.Truncated},
		{"dns-alias", "names that are an alias", &d.Alias},
		{"dns-slow", "names that take long to answer", &d.Slow},
	}, o.hostileShares()...)
}

// hostileShares returns the shares that make a web hostile.
func (o *Options) hostileShares() []Share {
	p, r, c, t, s := &o.Pages, &o.Robots, &o.Copies, &o.Traps, &o.Servers
	return []Share{
		{"hang", "pages that never answer", &p.Hang},
		{"drip", "pages that send a byte now and then, for ever", &p.Drip},
		{"cut-header", "pages whose answer is cut off in its header at first", &p.CutHeader},
		{"cut-body", "pages whose answer is cut off in its body at first", &p.CutBody},
		{"endless-header", "pages with a header without end", &p.EndlessHeader},
		{"endless-body", "pages with a body without end", &p.EndlessBody},
		{"false-length", "pages that claim a length of terabytes", &p.FalseLength},
		{"broken-coding", "pages with a broken content coding", &p.BrokenCoding},
		{"wrong-charset", "pages that name a wrong charset", &p.WrongCharset},
		{"bad-utf8", "pages with bytes that are not UTF-8", &p.BadUTF8},
		{"loop", "pages that redirect to themselves", &p.Loop},
		{"chain", "pages that begin a chain of 20 redirects", &p.Chain},
		{"crowd", "pages with a million links", &p.Crowd},
		{"bomb", "pages of some kilobytes that unpack to 256 MiB", &p.Bomb},
		{"hostile-titles", "pages with escapes, script or reversed text in their title and in links to them", &o.Titles},
		{"robots-hanging", "sites whose robots.txt never answers", &r.Hanging},
		{"robots-endless", "sites whose robots.txt has no end", &r.Endless},
		{"robots-changing", "sites whose robots.txt forbids more later on", &r.Changing},
		{"copies", "pages with exact copies on their site", &c.Same},
		{"copies-elsewhere", "pages with an exact copy on another site", &c.Elsewhere},
		{"near-copies", "pages with a copy that differs in a few words", &c.Near},
		{"mirrors", "sites that another host mirrors", &c.Mirrors},
		{"trap-calendar", "sites with a calendar without end", &t.Calendar},
		{"trap-growing-path", "sites with paths that grow for ever", &t.GrowingPath},
		{"trap-repeated", "sites with path segments that repeat for ever", &t.RepeatedSegments},
		{"trap-growing-query", "sites with queries that grow for ever", &t.GrowingQuery},
		{"trap-session-query", "sites with session ids in all links", &t.SessionQuery},
		{"trap-session-unknown", "sites with session ids in all links, under a name that nobody knows", &t.SessionUnknown},
		{"trap-session-path", "sites with session ids in the paths of some links", &t.SessionPath},
		{"trap-self-appending", "sites with relative links that lead ever deeper", &t.SelfAppending},
		{"trap-soft-404", "sites that answer 200 for pages that do not exist", &t.Soft404},
		{"trap-copy-directory", "sites with a directory of nothing but copies", &t.CopyDirectory},
		{"trap-farm", "sites with a link to a link farm", &t.Farm},
		{"trap-wildcard", "sites of which every subdomain answers", &t.Wildcard},
		{"storm", "sites that answer 429 or 503 for a while", &s.Storm},
		{"fast-errors", "sites that answer 500 at once for most pages", &s.Errors},
		{"refused", "sites that refuse connections", &s.Refused},
		{"silent", "sites that never take a connection", &s.Silent},
	}
}

func (o *Options) checkShares() error {
	for _, s := range o.Shares() {
		if !(*s.Value >= 0 && *s.Value <= 1) {
			return fmt.Errorf("share %v of %s: want 0 to 1", *s.Value, s.Name)
		}
	}
	for _, g := range []struct {
		name   string
		shares []float64
	}{
		{"pages", o.Pages.list()}, {"robots.txt", o.Robots.list()}, {"DNS names", o.DNS.list()},
		{"sites that are down", o.Servers.list()},
	} {
		sum := 0.0
		for _, v := range g.shares {
			sum += v
		}
		if sum > 1+1e-9 {
			return fmt.Errorf("shares of %s that exclude each other sum up to %v", g.name, sum)
		}
	}
	return nil
}

// list returns the shares in the order of Class, which follows OK.
func (p *PageShares) list() []float64 {
	return []float64{
		p.Redirect, p.NotFound, p.Gone, p.Broken, p.Busy, p.Reset, p.Other, p.Large,
		p.Hang, p.Drip, p.CutHeader, p.CutBody, p.EndlessHeader, p.EndlessBody, p.FalseLength,
		p.BrokenCoding, p.WrongCharset, p.BadUTF8, p.Loop, p.Chain, p.Crowd, p.Bomb,
	}
}

// list returns the shares in the order of robotsClass.
func (r *RobotsShares) list() []float64 {
	return []float64{r.Missing, r.Broken, r.Busy, r.Moved, r.Hanging}
}

// list returns the shares in the order of dnsClass.
func (d *DNSShares) list() []float64 {
	return []float64{d.Missing, d.Failing, d.Truncated, d.Alias}
}
