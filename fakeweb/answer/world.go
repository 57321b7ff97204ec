package answer

import (
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/language"
	"github.com/winnow-crawler/winnow/fakeweb/internal/padded"
	"github.com/winnow-crawler/winnow/fakeweb/internal/press"
	"github.com/winnow-crawler/winnow/graph"
)

// A World is a web with the way in which it answers. Apart from pages that fail at first
// and storms, for which it needs a [State], it is a function of web and options, and may
// be used by several goroutines at once.
type World struct {
	web       *fakeweb.Web
	rules     rules
	words     [charsets]language.Vocabulary
	press     *press.Press
	network   Network
	composers sync.Pool
}

// A Network describes where the sites of a world can be reached.
type Network struct {
	Port, TLSPort int        // 0: the default of the scheme
	Base          netip.Addr // the first address
	Addresses     int        // number of addresses of the sites, from Base on
	// NoBlackHole: the network has no address that never takes a connection, so that
	// silent sites have addresses like others.
	NoBlackHole bool
}

// New returns a world. Its sites are at one address, 127.0.0.1, at the default ports.
func New(w *fakeweb.Web, o Options) (*World, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	p, err := press.New()
	if err != nil {
		return nil, err
	}
	x := &World{web: w, rules: newRules(w, o), words: language.All(o.Charsets > 0), press: p}
	x.network = Network{Base: netip.AddrFrom4([4]byte{127, 0, 0, 1}), Addresses: 1}
	x.composers.New = func() any { return &composer{w: x} }
	return x, nil
}

// Web returns the graph behind the world.
func (w *World) Web() *fakeweb.Web { return w.web }

// Options returns the options with their defaults filled in.
func (w *World) Options() *Options { return &w.rules.opt }

// SetNetwork sets where the sites are. It must be called before the first request: pages
// have the ports in their links.
func (w *World) SetNetwork(n Network) { w.network = n }

// SetAddresses spreads the sites over n addresses from 127.0.0.1 on, for crawls in memory.
// It must be called before the first request.
func (w *World) SetAddresses(n int) { w.network.Addresses = max(1, n) }

// HostName returns the name of a site in DNS.
func (w *World) HostName(id graph.Site) string {
	return strings.TrimPrefix(w.web.SiteName(id), "http://")
}

// appendOrigin appends scheme, host and port of a site.
func (w *World) appendOrigin(b []byte, st *fakeweb.Site) []byte {
	port := w.network.Port
	if w.rules.https(st) {
		b = append(b, "https://s"...)
		port = w.network.TLSPort
	} else {
		b = append(b, "http://s"...)
	}
	b = padded.Append(b, uint64(st.ID), uint64(w.web.Sites()-1))
	b = append(b, ".example"...)
	if port != 0 {
		b = strconv.AppendInt(append(b, ':'), int64(port), 10)
	}
	return b
}

// URL returns the URL of page p as it is served: with the scheme of its site and the port.
func (w *World) URL(p graph.Page) string {
	site, j := w.web.Locate(p)
	return string(site.AppendPath(w.appendOrigin(nil, &site), j))
}

// Page returns the page with a URL, exactly as URL writes it.
func (w *World) Page(url string) (graph.Page, bool) {
	_, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	id, ok := w.siteNamed(host)
	if !ok {
		return graph.NoPage, false
	}
	site := w.web.Site(id)
	j, ok := site.PageAt("/" + path)
	if p := graph.Page(site.First + j); ok && w.URL(p) == url {
		return p, true
	}
	return graph.NoPage, false
}

// siteNamed returns the site with a host name, with or without port, in any case.
func (w *World) siteNamed(host string) (graph.Site, bool) {
	if i := strings.IndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	host = strings.TrimSuffix(host, ".")
	const suffix = ".example"
	n := len(host) - len(suffix)
	if n < 2 || host[0] != 's' && host[0] != 'S' || !strings.EqualFold(host[n:], suffix) {
		return 0, false
	}
	id, ok := padded.Parse(host[1:n], uint64(w.web.Sites()-1))
	return graph.Site(id), ok
}
