package crawl

import (
	"context"
	"crypto/tls"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// newHarvest returns what the harvesters of a session need.
func newHarvest(s *session) (*harvest, error) {
	c, machine, builder := s.config, &s.options.Machine, s.builder
	if names := s.overrides.Headers.Exposed(); len(names) > 0 {
		s.log.Warn("a header that looks like a secret is sent to every site because of --header-scope any", "headers", names)
	}
	if !c.KeepsPages() {
		builder = nil
	}
	// The protocol allows sitemap files of 50 MiB. With little memory less is read of them,
	// but not less than of a page.
	maxSitemap := max(min(50<<20, s.memory/32), int64(c.MaxBody))
	h := &harvest{
		clock: s.now, wall: machine.Wall, began: s.epoch.Round(0).Add(-s.base), resolve: machine.Resolve,
		reading: machine.Read, nameless: c.Contact == "",
		results:   make(chan *task, c.Fetchers),
		gatherers: make(chan *gather.Gatherer, gatherers(s.memory)),
		gather: &gather.Options{
			Key: s.state.Key, Product: c.Product(), Scope: s.scope, Builder: builder,
			KeepNoArchive: c.KeepNoArchive, HTMLOnly: c.Types == config.TypesHTML, MaxBody: int64(c.MaxBody),
			MaxSitemap: maxSitemap, Withheld: s.overrides.Headers.Withheld, MaxLinks: c.MaxLinks,
		},
	}
	if h.wall == nil {
		h.wall = time.Now
	}
	for range cap(h.gatherers) {
		h.gatherers <- nil
	}
	var err error
	if h.fetch, err = fetchOptions(s); err != nil {
		return nil, err
	}
	if h.resolve == nil {
		if h.names, err = newResolver(s); err != nil {
			return nil, err
		}
		h.resolve = h.names.Lookup
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h, nil
}

// gatherers returns how many pages are parsed at a time: two for each processor, but fewer
// with little memory, since each may need several times the size of the largest page.
func gatherers(memory int64) int {
	return max(1, min(2*runtime.GOMAXPROCS(0), int(memory>>27)))
}

// bodyBudget returns how many bytes of bodies may be in memory.
func bodyBudget(memory int64) int64 { return max(16<<20, memory/8) }

// fetchOptions returns the options of all HTTP clients.
func fetchOptions(s *session) (*fetch.Options, error) {
	c := s.config
	proxy, err := c.ProxyURL()
	if err != nil {
		return nil, err
	}
	trust := s.options.Machine.TLS
	if trust == nil {
		if trust, err = trusted(c.CAFile); err != nil {
			return nil, err
		}
	}
	return &fetch.Options{
		Dial: s.options.Machine.Dial, TLS: trust, Proxy: proxy,
		UserAgent: c.Agent(s.options.Version), Header: s.overrides.Headers.All(), HTTP2: true, AllowPrivate: c.AllowPrivate,
		MaxBody: int64(c.MaxBody), Connect: c.Connect.Duration, FirstByte: c.FirstByte.Duration,
		Stall: c.Stall.Duration, Total: c.Timeout.Duration,
		Clock: s.now, Budget: s.tasks.budget, Conns: new(atomic.Uint32),
	}, nil
}

// sessionsKept is how many TLS sessions are kept. A site that is requested again within
// hours is spared most of a handshake.
const sessionsKept = 10_000

// trusted returns a TLS configuration with the authorities of the system and those of a
// PEM file, if it is named.
func trusted(file string) (*tls.Config, error) {
	t := &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(sessionsKept)}
	if file == "" {
		return t, nil
	}
	pool, err := fetch.TrustFile(file)
	if err != nil {
		return nil, &hint.Error{Text: "--ca-file", Hint: "give a PEM file, which has lines BEGIN CERTIFICATE", Err: err}
	}
	t.RootCAs = pool
	return t, nil
}

// newResolver returns a resolver that remembers the addresses of the journal.
func newResolver(s *session) (*fetch.Resolver, error) {
	server, err := s.config.ResolverAddress()
	if err != nil {
		return nil, err
	}
	r, err := fetch.NewResolver(fetch.ResolverOptions{Server: server})
	if err == nil {
		remember(r, s.state, s.base)
	}
	return r, err
}

// remember gives a resolver the addresses of the state, which are valid for other sites of
// the same hosts too.
func remember(r *fetch.Resolver, s *state.State, now time.Duration) {
	for i := range s.Frontier.Sites() {
		id := graph.Site(i)
		left := s.Frontier.AddressHolds(id) - now
		if a := s.AddressOf(id); a.IsValid() && left > 0 {
			r.Remember(string(page.Host(s.Table.Name(id))), fetch.Names{Addrs: []netip.Addr{a}, TTL: left})
		}
	}
}
