package answer

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// A Place describes what is at path and query of a host.
type Place struct {
	Kind    Kind
	Trap    Trap       // in which it lies
	Page    graph.Page // the page, its original if it is a copy, or the page behind whose copy it is; graph.NoPage for others
	Variant Variant    // the form in which the content of the page is there

	of    fakeweb.Site // the site of the page
	j     uint32       // its number in the site
	n     uint64       // number of a month, a hop, a page of a farm, a hidden page
	key   uint64       // hash of what varies in the URL
	path  string
	query string // of trap pages
}

// Place returns what a URL stands for. ok is false if no host of the web has its name.
func (w *World) Place(link string) (p Place, ok bool) {
	u, err := url.Parse(link)
	if err != nil {
		return Place{Page: graph.NoPage}, false
	}
	u.Path = cmp.Or(u.Path, "/")
	t, ok := w.Target(u.Host, u)
	return t.Place, ok
}

// trap returns the trap that a host is by itself.
func (h *Host) trap() Trap {
	switch h.role {
	case roleFarm:
		return Farm
	case roleWildcard:
		return Wildcard
	}
	return NoTrap
}

// locate returns what is at path and query of a host.
func (w *World) locate(h *Host, path, query string) Place {
	r, nothing := &w.rules, Place{Kind: KindUnknown, Page: graph.NoPage, Trap: h.trap()}
	switch h.role {
	case roleMirror:
		if j, ok := h.site.PageAt(path); ok && query == "" && (r.inMirror(&h.site, j) || r.movedInMirror(&h.site, j)) {
			return pageAt(&h.site, j, KindCopy, CopyMirror)
		}
		return nothing
	case roleFarm:
		if k, ok := r.farmAt(path); ok && query == "" {
			return Place{Kind: KindTrap, Trap: Farm, Page: graph.NoPage, n: k, key: draw.Mix(h.key + k)}
		}
		return nothing
	case roleWildcard:
		if path == "/" && query == "" {
			return Place{Kind: KindTrap, Trap: Wildcard, Page: graph.NoPage, key: h.key}
		}
		return nothing
	}
	if j, ok := h.site.PageAt(path); ok && query == "" {
		return pageAt(&h.site, j, KindPage, Original)
	}
	if j, ok := r.movedAt(&h.site, path); ok && query == "" {
		return pageAt(&h.site, j, KindMoved, Original)
	}
	if !r.hostile || !strings.HasPrefix(path, "/") {
		return nothing
	}
	return w.locateBeside(&h.site, path, query)
}

func pageAt(s *fakeweb.Site, j uint32, kind Kind, v Variant) Place {
	return Place{Kind: kind, Page: graph.Page(s.First + j), of: *s, j: j, Variant: v}
}

// locateBeside returns what is at path and query, except the pages of a site.
func (w *World) locateBeside(st *fakeweb.Site, path, query string) Place {
	r := &w.rules
	if p, trap, key, ok := r.cutSession(st, withQuery(path, query)); ok {
		if j, ok := st.PageAt(p); ok {
			at := pageAt(st, j, KindTrap, Original)
			at.Trap, at.key = trap, key
			return at
		}
	}
	if of, j, v := r.copyAt(st, path, query); v != Original {
		return pageAt(&of, j, KindCopy, v)
	}
	if t, n, key := r.trapAt(st, path, query); t != NoTrap {
		return Place{Kind: KindTrap, Trap: t, Page: graph.NoPage, of: *st, n: n, key: key, query: query, path: path}
	}
	if query != "" {
		return Place{Kind: KindUnknown, Page: graph.NoPage}
	}
	if p, ok := r.renamed(st, path); ok {
		return p
	}
	if j, n, ok := r.hiddenAt(st, path); ok {
		return Place{Kind: KindHidden, Page: graph.Page(st.First + j), of: *st, j: j, n: n}
	}
	if n, ok := r.crowdNumber(path); ok {
		return Place{Kind: KindTrap, Trap: CrowdLink, Page: graph.NoPage, n: n}
	}
	return r.hopAt(st, path)
}

// renamed finds pages under names that change: /s-.../d3/p07.html and /again/.../.
func (r *rules) renamed(s *fakeweb.Site, path string) (p Place, ok bool) {
	first, rest, _ := strings.Cut(path[1:], "/")
	if id, found := strings.CutPrefix(first, "s-"); found && r.has(s, SessionPath) {
		key, sealed := r.sealed(s, id)
		j, ok := s.PageAt("/" + rest)
		p = pageAt(s, j, KindTrap, copySession)
		p.Trap, p.key = SessionPath, key
		return p, ok && sealed
	}
	name, slash := strings.CutSuffix(rest, "/")
	if key, ok := r.sealed(s, name); ok && slash && first == "again" && r.has(s, CopyDirectory) {
		p = pageAt(s, r.again(s, key), KindTrap, copyAgain)
		p.Trap, p.key = CopyDirectory, key
		return p, true
	}
	return p, false
}

// hopAt reads /hop/3/4711: step 3 of the chain that page 4711 begins, or the other end of
// its loop.
func (r *rules) hopAt(s *fakeweb.Site, path string) Place {
	nothing := Place{Kind: KindUnknown, Page: graph.NoPage}
	rest, found := strings.CutPrefix(path, "/hop/")
	step, name, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseUint(step, 10, 16)
	p, err2 := strconv.ParseUint(name, 10, 32)
	if !found || err != nil || err2 != nil || n < 1 || p >= uint64(r.web.Spec().Pages) || hopPath(n, p) != path {
		return nothing
	}
	of, j := r.web.Locate(graph.Page(p))
	switch at := r.hopSite(&of, j, int(n)); r.class(&of, j) {
	case Loop:
		if s.ID != of.ID || n != 1 || r.loopsDirectly(&of, j) {
			return nothing
		}
	case Chain:
		if s.ID != at.ID || n >= uint64(r.opt.ChainLength) {
			return nothing
		}
	default:
		return nothing
	}
	return Place{Kind: KindHop, Page: graph.NoPage, of: of, j: j, n: n}
}

func hopPath(n, p uint64) string {
	return "/hop/" + strconv.FormatUint(n, 10) + "/" + strconv.FormatUint(p, 10)
}

// refusedNet is where sites are that refuse connections: far from the addresses that a
// server listens on.
var refusedNet = netip.AddrFrom4([4]byte{127, 255, 0, 0})

// SilentAddress returns the address of sites that never take a connection.
func SilentAddress() netip.Addr { return netip.AddrFrom4([4]byte{127, 254, 0, 1}) }

// Address returns the IP address of a site: one of those of the network, by hash, or one
// of its own if there are enough. Sites that are down have addresses where no server
// listens.
func (w *World) Address(id graph.Site) netip.Addr {
	site := w.web.Site(id)
	switch w.rules.down(&site) {
	case Refused:
		return plus(refusedNet, 1+int(id)%0xfffd)
	case Silent:
		if !w.network.NoBlackHole {
			return SilentAddress()
		}
	}
	return w.siteAddress(&site)
}

// siteAddress returns where a site would be if it were up.
func (w *World) siteAddress(st *fakeweb.Site) netip.Addr {
	n := w.network.Addresses
	if n >= w.web.Sites() {
		return plus(w.network.Base, int(st.ID))
	}
	return plus(w.network.Base, int(draw.Below(w.rules.draw(st, streamAddress, 0), uint64(n))))
}

// HostAddress returns the address of a host. Hosts that are no sites of the graph have
// addresses of sites: those below a site that of the site, others any.
func (w *World) HostAddress(h *Host) netip.Addr {
	switch h.role {
	case roleSite:
		return w.Address(h.site.ID)
	case roleWildcard:
		return w.siteAddress(&h.site)
	}
	return plus(w.network.Base, int(draw.Below(h.key, uint64(w.network.Addresses))))
}

// plus counts addresses on. IPv6 has one loopback address, so that only the last four
// bytes matter.
func plus(a netip.Addr, n int) netip.Addr {
	if n == 0 {
		return a
	}
	b := a.AsSlice()
	last := b[len(b)-4:]
	binary.BigEndian.PutUint32(last, binary.BigEndian.Uint32(last)+uint32(n))
	sum, _ := netip.AddrFromSlice(b)
	return sum
}

// offset returns how far b lies behind a; it is negative if b does not.
func offset(a, b netip.Addr) int64 {
	if a.BitLen() != b.BitLen() {
		return -1
	}
	last := func(x netip.Addr) int64 {
		s := x.AsSlice()
		return int64(binary.BigEndian.Uint32(s[len(s)-4:]))
	}
	return last(b) - last(a)
}

// SiteAt returns the site with a host name, or with an IP address if no other site has
// it.
func (w *World) SiteAt(host string) (graph.Site, bool) {
	if id, ok := w.siteNamed(host); ok {
		return id, true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || w.network.Addresses < w.web.Sites() {
		return 0, false
	}
	id := offset(w.network.Base, ip)
	return graph.Site(id), id >= 0 && id < int64(w.web.Sites())
}

// DownAt reports whether a host accepts connections, by its name or address.
func (w *World) DownAt(host string) Down {
	if id, ok := w.siteNamed(host); ok {
		site := w.web.Site(id)
		return w.rules.down(&site)
	}
	switch ip, err := netip.ParseAddr(host); {
	case err != nil:
		return Up
	case ip == SilentAddress():
		return Silent
	case netip.PrefixFrom(refusedNet, 16).Contains(ip):
		return Refused
	}
	return Up
}

// A Name is the DNS answer for a host name.
type Name struct {
	Site      graph.Site // graph.NoSite if it is no site of the graph
	Missing   bool       // the name does not exist
	Failing   bool       // the server fails
	Truncated bool       // over UDP the answer does not fit
	Alias     string     // the name that this one is an alias of; "" if it is no alias
	Address   netip.Addr
}

// Name returns the DNS answer for a name, in lower case and without final dot. ok is false
// if no host has the name.
func (w *World) Name(name string) (n Name, ok bool) {
	rest, alias := strings.CutPrefix(name, aliasPrefix)
	if id, ok := w.siteNamed(rest); ok {
		return w.siteName(id, alias), true
	}
	h, ok := w.hostNamed(name)
	if !ok {
		return Name{}, false
	}
	return Name{Site: graph.NoSite, Address: w.HostAddress(&h)}, true
}

// siteName returns the DNS answer for the name of a site, or of what that is an alias of.
func (w *World) siteName(id graph.Site, alias bool) Name {
	r, site := &w.rules, w.web.Site(id)
	c, n := r.dnsClass(&site), Name{Site: id}
	switch {
	case c == dnsMissing || alias && c != dnsAlias && !r.has(&site, Wildcard):
		n.Missing = true
	case c == dnsFailing:
		n.Failing = true
	default:
		n.Truncated, n.Address = c == dnsTruncated, w.Address(id)
		if c == dnsAlias && !alias {
			n.Alias = aliasPrefix + w.HostName(id)
		}
	}
	return n
}

// NameDelay returns how long DNS takes to answer for a site.
func (w *World) NameDelay(id graph.Site, attempt uint32) time.Duration {
	r, site := &w.rules, w.web.Site(id)
	if f := r.opt.Times.Resolve; f != nil {
		return f(id, attempt)
	}
	if r.meets(r.opt.DNS.Slow, &site, streamDNSSlow, 0) {
		return r.opt.DNS.SlowBy
	}
	return 0
}

// aliasPrefix begins the names that aliases refer to.
const aliasPrefix = "alias."
