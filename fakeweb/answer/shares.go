package answer

import (
	"fmt"
	"time"
)

// A Share is a share of the options by its name, for checks and for flags of the command.
type Share struct {
	Name  string   // as in Options, in lower case with hyphens: robots-missing
	Help  string   // what it is the share of
	Value *float64 // the field
}

// Shares returns all shares of the options except those of Changes, in a fixed order.
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
		{"priority-typed", "sites whose sitemap has priorities by kinds of pages", &o.Priorities.Typed},
		{"priority-flat", "sites whose sitemap has the same priority for all pages", &o.Priorities.Flat},
		{"priority-false", "sites whose sitemap has priorities at random", &o.Priorities.False},
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
		{"dns-truncated", "names that resolve over TCP only", &d.Truncated},
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
		{"trap-session-unknown", "sites with session ids in all links, under an unknown name", &t.SessionUnknown},
		{"trap-session-path", "sites with session ids in the paths of some links", &t.SessionPath},
		{"trap-self-appending", "sites with relative links that lead ever deeper", &t.SelfAppending},
		{"trap-soft-404", "sites that answer 200 for pages that do not exist", &t.Soft404},
		{"trap-copy-directory", "sites with a directory of nothing but copies", &t.CopyDirectory},
		{"trap-farm", "sites with a link to a link farm", &t.Farm},
		{"trap-wildcard", "sites where every subdomain answers", &t.Wildcard},
		{"storm", "sites that answer 429 or 503 for a while", &s.Storm},
		{"fast-errors", "sites that answer 500 at once for most pages", &s.Errors},
		{"refused", "sites that refuse connections", &s.Refused},
		{"silent", "sites that never take a connection", &s.Silent},
	}
}

func (o *Options) checkShares() error {
	for _, s := range append(o.Shares(), o.Changes.Shares()...) {
		if !(*s.Value >= 0 && *s.Value <= 1) {
			return fmt.Errorf("share %v of %s: want 0 to 1", *s.Value, s.Name)
		}
	}
	for _, g := range []struct {
		name   string
		shares []float64
	}{
		{"pages", o.Pages.list()}, {"robots.txt", o.Robots.list()}, {"DNS names", o.DNS.list()},
		{"sites that are down", o.Servers.list()}, {"validators", o.Changes.Validators.list()},
		{"priorities of sitemaps", o.Priorities.list()},
		{"dates of sitemaps", o.Changes.Dates.list()}, {"pages that vanish or move", o.Changes.Fates.list()},
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

// CopyShares holds the shares of pages and sites whose content has more than one URL. Only
// what a crawl can fetch is copied, and a visitor that finds a copy also finds the
// original: a crawl needs no copy.
type CopyShares struct {
	Same      float64 // pages with exact copies on their site: /copy/d3/p07.html, ?print=1, /D3/, /d3/index.html
	Elsewhere float64 // pages with an exact copy on another site: /from/4711.html
	Near      float64 // long pages with a copy whose counter and date differ: /print/d3/p07.html
	Mirrors   float64 // sites whose pages are on m042.example, too, a tenth of them with another text
}

// TrapShares holds the shares of sites that have a trap: URLs without end behind a few
// links. What is there is a function of the URL; nothing is stored.
type TrapShares struct {
	Calendar         float64 // the next month, for ever; each page has the same text, or the same but for the date
	GrowingPath      float64 // /shop/river/lantern/...: always deeper, always another word
	RepeatedSegments float64 // /browse/a/b/a/b/...: the same segments again and again
	GrowingQuery     float64 // /list?f=1&f=2&f=3...
	SessionQuery     float64 // all links inside the site carry an id that differs on every page: ?PHPSESSID=, ?sid=, ;jsessionid=
	SessionUnknown   float64 // the same under a meaningless name, ?zx=; no part of Hostile
	SessionPath      float64 // some links do, in the path: /s-0123456789abcdef/d3/p07.html
	SelfAppending    float64 // relative links without the slash that they need: /archive/more/more/back/...
	Soft404          float64 // any unknown path answers 200, "not found" and links to further ones
	CopyDirectory    float64 // /again/...: new names for the same three pages of the site
	Farm             float64 // the home page is the door to a link farm of its own: f042-0.example and so on
	Wildcard         float64 // every name below that of the site resolves, and leads to further ones

	FarmSites int // hosts of a link farm; 0 means 20
	FarmPages int // pages of each of them; 0 means 2,000
}

// ServerShares holds the shares of sites whose servers misbehave as a whole. Refused and
// Silent exclude each other. The site of page 0 is spared.
type ServerShares struct {
	Storm      float64       // answers 429 or 503 to all but robots.txt once, for StormFor, with or without Retry-After
	StormAfter int           // the storm begins with one of the first StormAfter requests; 0 means 20
	StormFor   time.Duration // 0 means 5 s
	Errors     float64       // answers 500 at once for nine of ten pages
	Refused    float64       // refuses connections
	Silent     float64       // never takes a connection: attempts time out
}

// list returns the shares in the order of Down.
func (s *ServerShares) list() []float64 { return []float64{s.Refused, s.Silent} }

// fill puts defaults in place of zeros.
func (s *ServerShares) fill() {
	set(&s.StormAfter, 20)
	set(&s.StormFor, 5*time.Second)
}

// fill puts defaults in place of zeros.
func (t *TrapShares) fill() {
	set(&t.FarmSites, 20)
	set(&t.FarmPages, 2000)
}

// any reports whether there are traps.
func (t *TrapShares) any() bool {
	return t.Calendar+t.GrowingPath+t.RepeatedSegments+t.GrowingQuery+t.SessionQuery+t.SessionUnknown+t.SessionPath+
		t.SelfAppending+t.Soft404+t.CopyDirectory+t.Farm+t.Wildcard > 0
}

// any reports whether there are copies.
func (c *CopyShares) any() bool { return c.Same+c.Elsewhere+c.Near+c.Mirrors > 0 }

// Hostile returns the options of a mixed web with everything that makes a web hostile:
// duplicates, traps, and servers that break the rules. Most of such a web can still be
// crawled, but for a crawler that walks into them the traps outnumber it by far.
func Hostile() Options {
	o := Mixed()
	p := &o.Pages
	p.Hang, p.Drip, p.CutHeader, p.CutBody = 0.001, 0.001, 0.005, 0.005
	p.EndlessHeader, p.EndlessBody, p.FalseLength = 0.001, 0.001, 0.002
	p.BrokenCoding, p.WrongCharset, p.BadUTF8 = 0.005, 0.01, 0.01
	p.Loop, p.Chain, p.Crowd, p.Bomb = 0.005, 0.005, 0.0002, 0.0005
	o.Titles = 0.01
	o.Robots.Changing, o.Robots.Endless, o.Robots.Hanging = 0.05, 0.01, 0.01
	o.Copies = CopyShares{Same: 0.03, Elsewhere: 0.02, Near: 0.03, Mirrors: 0.03}
	o.Traps = TrapShares{
		Calendar: 0.02, GrowingPath: 0.02, RepeatedSegments: 0.02, GrowingQuery: 0.02, SessionQuery: 0.03, SessionPath: 0.02,
		SelfAppending: 0.02, Soft404: 0.03, CopyDirectory: 0.02, Farm: 0.01, Wildcard: 0.01,
	}
	o.Servers = ServerShares{Storm: 0.05, Errors: 0.01, Refused: 0.04, Silent: 0.02}
	return o
}
