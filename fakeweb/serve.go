// # Serving it
//
// A [Server] answers for the pages of a web: HTML with the links of the graph, robots.txt,
// sitemaps, DNS. What is not plain about it is a share in [ServeOptions]: redirects,
// failures that pass and failures that stay, forbidden directories, Crawl-delays,
// charsets, codings, slow sites, changing pages. Each is a hash of seed, site and page in
// the files rules*.go, which serve and truth both ask: [Server.Truth] of a page,
// [Server.SiteTruth], and [Server.Wanted], the pages that a crawl has to fetch.
//
// It listens on loopback addresses ([Server.Listen]), with a DNS server for the names, or
// is reached in memory ([Server.Dial], [Server.Resolve]), where testing/synctest makes its
// waiting virtual. The [Counter] holds what visitors did, and Check tells which rules of
// politeness they broke.
//
// # A hostile web
//
// [Hostile] is a web with everything on that crawlers suffer from; each is a share like
// the others, alone or together. Beside the pages of the graph there are then URLs that
// stand for something else, which [Server.Place] tells:
//
//   - Copies ([CopyShares]): the content of a page under another URL of its site, on
//     another site, on a mirror with a name of its own, or with a few words changed. The
//     text is the same to the letter; links lead to the same pages. Some copies link to
//     pages that nothing else links to. A copy is linked to beside its original, so that a
//     crawl needs none of them.
//   - Traps ([TrapShares]): calendars, growing paths and queries, session ids, "not found"
//     with status 200, directories of copies, link farms, sites with a host for every
//     name. What is in them is a function of the URL: they have no end and need no memory.
//     Some traps say the same on every page and others never twice, so that neither
//     text nor URL alone gives them away.
//   - Servers ([ServerShares], [PageShares], [RobotsShares]): storms of 429 and 503, answers
//     that hang, drip, break off, never end or lie about their length, codings and
//     charsets that are not what they say, loops and chains of redirects, a robots.txt that
//     changes, sites that are down.
//
// The truth stays exact. [Wanted] has apart (Maybe) what some crawlers find and others do
// not, for good reasons; the [Summary] counts the requests that went into traps and to
// copies. Nobody is accused of what a visitor cannot know: the rules of a robots.txt hold
// from the answer that says so on, what a copy leads to may be fetched by who saw the
// copy first, a mirror may stand in for its site, and an answer that the visitor broke
// off ended when the server last knew it to be there.
package fakeweb

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"github.com/winnow-crawler/winnow/graph"
)

// A Server answers for all sites of a web, by the Host of a request. It is a function of
// web, options and, where pages fail at first, of what was asked before: everything it
// does can be asked for beforehand (Truth, SiteTruth, Wanted, Version), and what it was
// asked is in its Counter.
type Server struct {
	web   *Web
	rules rules
	words [charsets]vocabulary
	press *press
	count *Counter

	composers sync.Pool

	// Set before the first request, by Listen.
	port, tlsPort int // 0: the default of the scheme
	base          netip.Addr
	addresses     int
	listening     bool // on the network
	blackHole     bool // silent sites have an address on which connections are never taken

	ca        *authority
	memory    *memory
	setMemory sync.Once
}

// NewServer makes a server for a web.
func NewServer(w *Web, o ServeOptions) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("serve the synthetic web: %w", err)
	}
	ca, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("serve the synthetic web: certificate authority: %w", err)
	}
	p, err := newPress()
	if err != nil {
		return nil, fmt.Errorf("serve the synthetic web: %w", err)
	}
	s := &Server{web: w, rules: newRules(w, o), words: vocabularies(o.Charsets > 0), press: p, ca: ca}
	s.base, s.addresses = netip.AddrFrom4([4]byte{127, 0, 0, 1}), 1
	s.composers.New = func() any { return &composer{s: s} }
	s.count = newCounter(s)
	return s, nil
}

// Web is the graph behind the server.
func (s *Server) Web() *Web { return s.web }

// Counter is what the server was asked.
func (s *Server) Counter() *Counter { return s.count }

// hostName is the name of a site in DNS.
func (s *Server) hostName(id graph.Site) string {
	return strings.TrimPrefix(s.web.SiteName(id), "http://")
}

// appendOrigin appends scheme, host and port of a site.
func (s *Server) appendOrigin(b []byte, st *site) []byte {
	port := s.port
	if s.rules.https(st) {
		b = append(b, "https://s"...)
		port = s.tlsPort
	} else {
		b = append(b, "http://s"...)
	}
	b = appendPadded(b, uint64(st.id), uint64(s.web.spec.Sites-1))
	b = append(b, ".example"...)
	if port != 0 {
		b = strconv.AppendInt(append(b, ':'), int64(port), 10)
	}
	return b
}

// URL is the URL of page p as it is served: with the scheme of its site and the port.
func (s *Server) URL(p graph.Page) string {
	site := s.web.site(s.web.SiteOf(p))
	return string(site.appendPath(s.appendOrigin(nil, &site), uint32(p)-site.first))
}

// Page finds a page by its URL, exactly as URL gives it.
func (s *Server) Page(url string) (graph.Page, bool) {
	_, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	id, ok := s.siteNamed(host)
	if !ok {
		return graph.NoPage, false
	}
	site := s.web.site(id)
	j, ok := site.pageAt("/" + path)
	if p := graph.Page(site.first + j); ok && s.URL(p) == url {
		return p, true
	}
	return graph.NoPage, false
}

// siteNamed finds a site by host name, with or without port, in any case.
func (s *Server) siteNamed(host string) (graph.Site, bool) {
	if i := strings.IndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	host = strings.TrimSuffix(host, ".")
	const suffix = ".example"
	n := len(host) - len(suffix)
	if n < 2 || host[0] != 's' && host[0] != 'S' || !strings.EqualFold(host[n:], suffix) {
		return 0, false
	}
	id, ok := number(host[1:n], uint64(s.web.spec.Sites-1))
	return graph.Site(id), ok
}

// number reads what appendPadded wrote.
func number(text string, largest uint64) (uint64, bool) {
	if len(text) != digits(largest) {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && n <= largest && text[0] != '+'
}

// pageAt finds a page of the site by its path.
func (st *site) pageAt(path string) (j uint32, ok bool) {
	if path == "/" {
		return 0, true
	}
	dir, name, found := strings.Cut(strings.TrimPrefix(path, "/d"), "/")
	if !found || !strings.HasPrefix(path, "/d") || st.dirs() == 0 {
		return 0, false
	}
	d, ok := number(dir, uint64(st.dirs()-1))
	k := uint64(0)
	if ok && name != "" {
		file, html := strings.CutSuffix(name, ".html")
		if !html || !strings.HasPrefix(file, "p") {
			return 0, false
		}
		k, ok = number(file[1:], uint64(st.dir-1))
		ok = ok && k > 0
	}
	n := uint64(st.index(int64(d))) + k
	return uint32(n), ok && n < uint64(st.pages)
}

// ServeHTTP answers one request and counts it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := answer{s: s}
	if !a.route(r) {
		s.count.strange()
		http.NotFound(w, r)
		return
	}
	c := s.composers.Get().(*composer)
	a.composer = c
	s.count.begin(r, &a)
	defer func() {
		s.count.finish(&a)
		s.composers.Put(c)
	}()
	a.decide(r)
	a.send(w, r)
}
