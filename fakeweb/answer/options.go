package answer

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// Options describe how the pages of a web are answered. The zero value is a plain
// web: every page answers 200 at once, in UTF-8, with validators, uncompressed, over
// plain HTTP, and every robots.txt allows everything.
//
// A share is a number from 0 to 1. Which pages or sites it meets is a hash of the seed,
// so that a larger share meets the same ones and more.
type Options struct {
	Seed  uint64 // another seed draws everything below again over the same graph
	Agent string // the crawler's product token, for groups of robots.txt of its own; "": only groups for all

	Pages    PageShares
	HubsFail bool // home and index pages may fail and redirect, too; page 0 never does

	BusyTimes  int           // answers 503 or 429 before a busy page gives in; 0 means 1, negative: it never does
	ResetTimes int           // the same for pages that reset the connection
	RetryAfter time.Duration // longest Retry-After of a busy page, whole seconds; 0 means 2 s

	MinSize, MaxSize int // bytes of a page, log-uniform; 0 means 2,000 and 60,000
	LargeSize        int // bytes of a large page; 0 means 12 MiB

	CutTimes    int           // the same as BusyTimes for pages whose answer is cut off
	DripEvery   time.Duration // between two bytes of a dripping page; 0 means 1 s
	ChainLength int           // redirects of a chain before its target; 0 means 20
	CrowdLinks  int           // links of a crowded page; 0 means 1,000,000
	BombSize    int           // bytes that a bomb unpacks to; 0 means 256 MiB

	Copies  CopyShares
	Traps   TrapShares
	Servers ServerShares

	Robots   RobotsShares
	Sitemaps float64 // share of sites with a sitemap
	// SitemapShare is the share of the pages of a site that its sitemap names (0 means
	// all), SitemapURLs how many fit into one file (0 means 1,000): more make an index.
	SitemapShare float64
	SitemapURLs  int
	Priorities   PriorityShares

	// Shown gives all pages styles, scripts, fonts and pictures, on their sites and on the last one:
	// see package shown and World.Shown.
	Shown bool
	// Scripted lets pages need JavaScript: see package scripted.
	Scripted bool

	Messy        float64  // share of links written in odd ways: see page_link.go
	NoFollow     float64  // share of pages whose links are not to be followed, by header or meta element
	NoArchive    float64  // share of pages not to be stored
	Titles       float64  // share of pages whose title, and the text of links to them, is written to harm: see page.go
	Charsets     float64  // share of sites in ISO-8859-1, windows-1251 or Shift_JIS, a third of them undeclared
	NoValidators float64  // share of sites without ETag and Last-Modified
	NoKeepAlive  float64  // share of sites that close the connection after each answer
	HTTPS        float64  // share of sites that answer over TLS (HTTP/1.1 and HTTP/2)
	Encodings    []string // of gzip, br, zstd: each site uses one that the client accepts

	DNS DNSShares

	// MinLatency and MaxLatency bound the time to the first byte: each site has a level
	// between them, log-uniform, and each page from half of it to half more. Slow sites
	// take SlowBy on top (0 means 10 s).
	MinLatency, MaxLatency time.Duration
	Slow                   float64
	SlowBy                 time.Duration
	Speed                  float64 // bytes per second of a body; 0: as fast as it goes
	Times                  Times   // durations from elsewhere, in place of the drawn ones

	Changes Changes

	// Sleep waits for d or until the context ends; nil waits on a timer, which a
	// testing/synctest bubble makes virtual.
	Sleep func(ctx context.Context, d time.Duration)
}

// PageShares holds the shares of pages that answer with something else than HTML. A page
// has one of these classes at most, so they sum up to 1 at most.
type PageShares struct {
	Redirect float64 // 301, 302, 307 or 308 to a page with a smaller id: chains end
	NotFound float64 // 404
	Gone     float64 // 410
	Broken   float64 // 500, always
	Busy     float64 // 503 or 429 with Retry-After, in seconds or as a date, then 200
	Reset    float64 // the connection is reset before an answer, then 200
	Other    float64 // 200, but not HTML: PDF, PNG or plain text
	Large    float64 // 200, LargeSize bytes of HTML

	Hang          float64 // no answer, until the visitor leaves
	Drip          float64 // 200, then a byte now and then, for ever
	CutHeader     float64 // the connection ends in the middle of the header; after CutTimes 200
	CutBody       float64 // the same in the middle of the body
	EndlessHeader float64 // header fields, until the visitor leaves
	EndlessBody   float64 // 200, then HTML without links, until the visitor leaves
	FalseLength   float64 // 200, the page, and a Content-Length of terabytes
	BrokenCoding  float64 // 200, with a content coding that cannot be undone
	WrongCharset  float64 // 200, with the name of another charset, or of none, in the header
	BadUTF8       float64 // 200, with bytes between the words that are not UTF-8
	Loop          float64 // redirects to itself, directly or by another URL
	Chain         float64 // ChainLength redirects, half of the chains across sites
	Crowd         float64 // 200, CrowdLinks links to pages with the same text
	Bomb          float64 // 200, some kilobytes in a content coding that unpack to BombSize bytes
}

// RobotsShares holds the shares of sites by their robots.txt. Missing, Broken, Busy, Moved
// and Hanging exclude each other.
type RobotsShares struct {
	Rules   float64 // forbids some directories
	Forbid  float64 // share of the directories of such a site that are forbidden; 0 means 1/8
	Delay   float64 // has a Crawl-delay
	Missing float64 // 404
	Broken  float64 // 500, always: the whole site is forbidden
	Busy    float64 // 503 for the first BusyTimes answers
	Moved   float64 // a redirect to the robots.txt of another site, whose rules hold
	Large   float64 // hundreds of kilobytes of comments around the rules, 600,000 bytes in all

	Hanging  float64 // no answer, until the visitor leaves: the whole site is forbidden
	Endless  float64 // comments after the rules, until the visitor leaves
	Changing float64 // forbids one more directory from ChangeAfter after its first answer on
	// ChangeAfter is the time for which the first rules hold; 0 means 10 min.
	ChangeAfter time.Duration

	// MaxDelay is the longest Crawl-delay: delays are tenths of it, from one tenth up.
	// 0 means 5 s.
	MaxDelay time.Duration
}

// PriorityShares holds the shares of sites by the priorities in their sitemaps. They exclude
// each other; other sites have none.
type PriorityShares struct {
	Ranked float64 // by Rank
	Typed  float64 // 1 for the home page, 0.8 for index pages, 0.5 for others
	Flat   float64 // 0.5 for all pages
	False  float64 // at random
	// Rank returns the place of a page among those of the web, from 0 to 1, which is the best.
	// Ranked needs it.
	Rank func(graph.Page) float64
}

// DNSShares holds the shares of sites by what the DNS server answers for their names. They
// exclude each other, except Slow.
type DNSShares struct {
	Missing   float64 // NXDOMAIN
	Failing   float64 // SERVFAIL
	Truncated float64 // over UDP an empty answer with TC set: the client has to query over TCP
	Alias     float64 // a CNAME, with the address behind it
	Slow      float64 // answers after SlowBy
	SlowBy    time.Duration
	TTL       time.Duration // of all answers, also negative ones; 0 means 5 min
}

// Times takes the durations and sizes of a world from elsewhere, such as the model of
// time of the simulator, so that a live crawl takes as long as a simulated one. Nil
// fields leave the options unchanged. Pages are graph.NoPage for robots.txt and sitemaps.
type Times struct {
	Resolve   func(s graph.Site, attempt uint32) time.Duration
	Connect   func(ctx context.Context, s graph.Site, n uint32) time.Duration // in memory only: n counts the connections of s
	FirstByte func(s graph.Site, p graph.Page, attempt uint32) time.Duration
	Body      func(s graph.Site, p graph.Page, bytes int) time.Duration
	Size      func(p graph.Page) int64 // bytes of the body; longer only where its links need it
}

// check returns an error for impossible options, and fills in defaults.
func (o *Options) check() error {
	if err := o.checkShares(); err != nil {
		return err
	}
	for _, e := range o.Encodings {
		if e != "gzip" && e != "br" && e != "zstd" {
			return fmt.Errorf("encoding %q: want gzip, br or zstd", e)
		}
	}
	o.fill()
	switch {
	case o.MinSize < 1 || o.MaxSize < o.MinSize:
		return fmt.Errorf("pages of %d to %d bytes", o.MinSize, o.MaxSize)
	case o.MinLatency < 0 || o.MaxLatency < o.MinLatency:
		return fmt.Errorf("latencies of %v to %v", o.MinLatency, o.MaxLatency)
	case o.Priorities.Ranked > 0 && o.Priorities.Rank == nil:
		return fmt.Errorf("priorities by rank: the ranks of pages are not known")
	case !(o.Speed >= 0):
		return fmt.Errorf("speed of %v bytes per second", o.Speed)
	case min(o.ChainLength, o.CrowdLinks, o.BombSize, o.Traps.FarmSites, o.Traps.FarmPages, o.Servers.StormAfter) < 1:
		return fmt.Errorf("chains of %d, crowds of %d, bombs of %d bytes, farms of %d sites with %d pages, storms after %d requests",
			o.ChainLength, o.CrowdLinks, o.BombSize, o.Traps.FarmSites, o.Traps.FarmPages, o.Servers.StormAfter)
	case min(o.DripEvery, o.Servers.StormFor, o.Robots.ChangeAfter) <= 0:
		return fmt.Errorf("bytes every %v, storms of %v, a robots.txt that changes after %v", o.DripEvery, o.Servers.StormFor, o.Robots.ChangeAfter)
	}
	return o.Changes.check()
}

// fill puts defaults in place of zeros.
func (o *Options) fill() {
	set(&o.BusyTimes, 1)
	set(&o.ResetTimes, 1)
	set(&o.RetryAfter, 2*time.Second)
	set(&o.MinSize, min(2000, max(o.MaxSize, 1)))
	if o.MaxSize == 0 {
		o.MinSize, o.MaxSize = max(o.MinSize, 2000), max(o.MinSize, 60000)
	}
	set(&o.LargeSize, 12<<20)
	set(&o.CutTimes, 1)
	set(&o.DripEvery, time.Second)
	set(&o.ChainLength, 20)
	set(&o.CrowdLinks, 1_000_000)
	set(&o.BombSize, 256<<20)
	o.Traps.fill()
	o.Servers.fill()
	set(&o.Robots.ChangeAfter, 10*time.Minute)
	set(&o.Robots.Forbid, 0.125)
	set(&o.Robots.MaxDelay, 5*time.Second)
	set(&o.SitemapShare, 1)
	set(&o.SitemapURLs, 1000)
	set(&o.SlowBy, 10*time.Second)
	o.MaxLatency = max(o.MaxLatency, o.MinLatency)
	set(&o.DNS.TTL, 5*time.Minute)
	o.Changes.fill()
	if o.Sleep == nil {
		o.Sleep = sleep
	}
}

func set[T comparable](field *T, value T) { *field = cmp.Or(*field, value) }

// sleep waits on a timer.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Mixed returns the options of a web with some of everything that is not hostile: what a
// crawler has to get right on any day.
func Mixed() Options {
	return Options{
		Agent: "winnow",
		Pages: PageShares{
			Redirect: 0.04, NotFound: 0.03, Gone: 0.005, Broken: 0.01,
			Busy: 0.01, Reset: 0.005, Other: 0.02,
		},
		Robots: RobotsShares{
			Rules: 0.4, Delay: 0.1, MaxDelay: 3 * time.Second,
			Missing: 0.2, Broken: 0.02, Busy: 0.02, Moved: 0.05, Large: 0.01,
		},
		Sitemaps: 0.3, SitemapShare: 0.5,
		Messy: 0.1, NoFollow: 0.01, NoArchive: 0.01,
		Charsets: 0.15, NoValidators: 0.2, NoKeepAlive: 0.2,
		Encodings: []string{"gzip", "br", "zstd"},
		DNS:       DNSShares{Missing: 0.01, Failing: 0.01, Truncated: 0.02, Alias: 0.05},
	}
}
