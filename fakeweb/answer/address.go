package answer

import (
	"encoding/binary"
	"net/netip"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// refusedNet is where sites are that refuse connections: far from the addresses that a
// server listens on.
var refusedNet = netip.AddrFrom4([4]byte{127, 255, 0, 0})

// SilentAddress returns the address of sites that never take a connection.
func SilentAddress() netip.Addr { return netip.AddrFrom4([4]byte{127, 254, 0, 1}) }

// Address returns the IP address of a site: one of those of the network, by hash, or one
// of its own if there are enough. Sites that are down have addresses where nobody
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

// DownAt reports whether a host takes connections, by its name or address.
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

// A Name is what DNS says of a host name.
type Name struct {
	Site      graph.Site // graph.NoSite if it is no site of the graph
	Missing   bool       // the name does not exist
	Failing   bool       // the server fails
	Truncated bool       // over UDP the answer does not fit
	Alias     string     // the name stands for this one; "" if it is no alias
	Address   netip.Addr
}

// Name returns what DNS says of a name, in lower case and without final dot. ok is false
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

// siteName returns what DNS says of the name of a site, or of what that is an alias of.
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

// aliasPrefix begins the names that aliases stand for.
const aliasPrefix = "alias."
