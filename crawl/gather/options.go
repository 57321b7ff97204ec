package gather

import (
	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/topic"
	"github.com/winnow-crawler/winnow/urltable"
)

// Options holds the options that all gatherers of a crawl share.
type Options struct {
	Key     urltable.Key     // hashes links as the URL table of the crawl does
	Product string           // user agent or product token: whom robots directives may address
	Scope   *Scope           // nil: every page is in scope
	Builder *archive.Builder // of WARC records; nil: none are made (--store links)

	Withheld func(header string) bool // headers of a request that are not stored; nil: those that fetch.SecretHeader names

	KeepNoArchive bool         // store the bodies of pages whose authors want no copy
	Anchors       bool         // find the regions and the words of links
	Topic         *topic.Topic // of the crawl: what to read in pages; nil: nothing
	Bodies        bool         // keep the bodies of pages in Found
	Signals       bool         // find feeds, and read what they and sitemaps say about changes
	HTMLOnly      bool         // links that do not look like pages are barred, bodies that are none are not stored (--types html)
	MaxBody       int64        // bytes after content coding; 0 means 10 MiB
	// Sites, if not nil, returns HTMLOnly and MaxBody of a site; those above are not used then,
	// but MaxBody must be the largest.
	Sites func(site []byte) (htmlOnly bool, maxBody int64)

	MaxSitemap int64 // the same of a sitemap file; 0 means 50 MiB, what the protocol allows
	MaxLinks   int   // links of a page, each target once; 50,000
	// Requisites is the number of requisites of a page or a style that are found, each once; 0: they
	// are not looked for.
	Requisites int
	MaxListed  int // pages read of a sitemap file, 50,000: what the protocol allows
	MaxURL     int // bytes of a normal form, page.DefaultMaxLen
}

// withDefaults fills in the defaults.
func (o Options) withDefaults() Options {
	if o.MaxBody <= 0 {
		o.MaxBody = 10 << 20
	}
	if o.MaxSitemap <= 0 {
		o.MaxSitemap = 50 << 20
	}
	for _, d := range []struct {
		limit *int
		value int
	}{{&o.MaxLinks, 50_000}, {&o.MaxListed, 50_000}, {&o.MaxURL, page.DefaultMaxLen}} {
		if *d.limit <= 0 {
			*d.limit = d.value
		}
	}
	if o.Withheld == nil {
		o.Withheld = fetch.SecretHeader
	}
	if o.Scope == nil {
		o.Scope = new(Scope)
	}
	return o
}

// of returns HTMLOnly and MaxBody of a site.
func (o *Options) of(site []byte) (htmlOnly bool, maxBody int64) {
	if o.Sites == nil {
		return o.HTMLOnly, o.MaxBody
	}
	return o.Sites(site)
}

// A Gatherer processes one answer at a time. It keeps buffers of the size of a page or
// two from one answer to the next, up to a megabyte in all: where fetchers are many,
// let them share as many gatherers as there are processors.
type Gatherer struct {
	opt Options

	decoder  fetch.Decoder
	charset  page.Decoder
	scanner  *page.Scanner
	resolver page.Resolver
	encoders map[string]func([]byte, rune) ([]byte, bool) // for queries, by charset

	// The present answer.
	doc    document
	page   page.Page
	plain  []byte   // body without content coding
	more   []byte   // a sitemap out of its gzip file
	seen   set      // links of the document
	most   int      // links that it may have
	extra  []uint64 // hashes of links beyond the limit
	needed set      // requisites of the document
	// mostNeeds is how many of them there may be.
	mostNeeds int
	hosts     []uint64 // other sites of them
	since     uint32   // Link.Since of the next link
	priority  uint8    // Link.Priority of the next link
	topical   topical
	targets
	plainURL []byte // a link without the parameters that its page need not have
	room     []byte // records
}

// New returns a new gatherer.
func New(o *Options) *Gatherer {
	opt := o.withDefaults()
	g := &Gatherer{
		opt:      opt,
		scanner:  page.NewScanner(page.ScanOptions{Links: max(maxHrefs, opt.MaxLinks), Agent: robots.Token(opt.Product), SimHash: true, Anchors: opt.Anchors || opt.Topic != nil, Needs: maxRefs * opt.Requisites}),
		charset:  page.Decoder{Max: int(min(max(3*opt.MaxBody, opt.MaxSitemap), page.MaxInput))},
		resolver: page.Resolver{MaxLen: opt.MaxURL},
		encoders: map[string]func([]byte, rune) ([]byte, bool){},
	}
	if opt.Topic != nil {
		g.topical.reader = opt.Topic.NewReader()
	}
	return g
}

// Limits on the work that a page of any content can cause: links as they are written,
// repeats and fragments of the same target included (a page of 10 MiB that has more of them
// gives each 40 bytes, its text included), and bytes of all targets.
const (
	maxHrefs   = 250_000
	maxTargets = 16 << 20
)

// maxKept is the most memory of one buffer that is kept for the next answer, in bytes.
const maxKept = 1 << 20

// trim frees buffers that have grown for an unusually large answer.
func (g *Gatherer) trim(size int64) {
	for _, b := range []*[]byte{&g.plain, &g.more, &g.room} {
		if cap(*b) > maxKept {
			*b = nil
		}
	}
	if 8*cap(g.extra) > maxKept {
		g.extra = nil
	}
	g.topical.trim()
	if size > maxKept {
		g.page, g.charset = page.Page{}, page.Decoder{Max: g.charset.Max}
	}
}
