package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// accept is the Accept header unless the caller sets another.
const accept = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"

// codings lists the codings that Decoder undoes.
const codings = "gzip, br, zstd, deflate"

// newRequest makes the request.
func (x *exchange) newRequest() (*http.Request, error) {
	u, err := target(x.r.URL, x.c.o.Proxy != nil && !socks(x.c.o.Proxy))
	if err != nil {
		return nil, err
	}
	if err := x.guardTarget(u); err != nil {
		return nil, err
	}
	return &http.Request{
		Method: http.MethodGet, URL: u, Host: u.Host, Header: x.header(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Close: x.r.Last,
	}, nil
}

// socks reports whether a proxy forwards connections, and not requests.
func socks(proxy *url.URL) bool { return strings.HasPrefix(proxy.Scheme, "socks5") }

// sent returns the header of a request as it goes over the wire. The two exceptions are
// net/http's: an empty User-Agent keeps it from sending one of its own, and it adds the
// header that closes a connection where HTTP has one.
func sent(q *http.Request, http2 bool) http.Header {
	h := q.Header
	if closes := q.Close && !http2; closes || h.Get("User-Agent") == "" {
		h = h.Clone()
		if closes {
			h["Connection"] = []string{"close"}
		}
		if h.Get("User-Agent") == "" {
			delete(h, "User-Agent")
		}
	}
	return h
}

func (x *exchange) header() http.Header {
	o, r := x.c.o, x.r
	h := make(http.Header, 6+len(o.Header)+len(r.Header))
	h["User-Agent"] = []string{o.UserAgent}
	h["Accept"] = []string{accept}
	h["Accept-Encoding"] = []string{codings}
	if r.Accept != "" {
		h["Accept"] = []string{r.Accept}
	}
	if validator(r.ETag) {
		h["If-None-Match"] = []string{r.ETag}
	}
	if validator(r.Modified) {
		h["If-Modified-Since"] = []string{r.Modified}
	}
	for _, more := range []http.Header{o.Header, r.Header} {
		for name, values := range more {
			h[http.CanonicalHeaderKey(name)] = values
		}
	}
	return h
}

// validator reports whether a value that a server sent may be sent back to it in a header.
func validator(s string) bool {
	return s != "" && len(s) <= 1024 && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// target returns the URL of a request. It sends exactly the normal form: net/url escapes and checks by rules of its own, so where the two differ
// the path is handed over as opaque. An HTTP proxy needs the whole URL.
func target(raw string, proxied bool) (*url.URL, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("%w: no scheme http or https", errURL)
	}
	rest, _, _ = strings.Cut(rest, "#")
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if host == "" {
		return nil, fmt.Errorf("%w: no host", errURL)
	}
	path, query, asks := strings.Cut(path, "?")
	if path == "" {
		path = "/"
	}
	u := &url.URL{Scheme: scheme, Host: host, RawPath: path, RawQuery: query, ForceQuery: asks && query == ""}
	plain, err := url.PathUnescape(path)
	if u.Path = plain; err != nil || u.EscapedPath() != path {
		u.Path, u.RawPath, u.Opaque = "", "", path
		if proxied && scheme == "http" || strings.HasPrefix(path, "//") {
			u.Opaque = "//" + host + path // in absolute form
		}
	}
	return u, nil
}

// hostPort returns where a URL leads, with its port.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

var (
	errURL       = errors.New("not a URL to ask for")
	errNoAddress = errors.New("no address")
	// errPrivate and errPort are refusals of our own.
	errPrivate = errors.New("not an address of the public Web")
	errPort    = errors.New("not a port of the Web")
)

// guard returns an error for addresses that are not public, and for some even if those are
// allowed.
func (c *Client) guard(ip netip.Addr) error {
	if Never(ip) || !c.o.AllowPrivate && Private(ip) {
		return fmt.Errorf("%v: %w", ip, errPrivate)
	}
	return nil
}

// guardTarget refuses ports of other services, and what a proxy would connect to without
// our seeing the address.
func (x *exchange) guardTarget(u *url.URL) error {
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil && !x.c.o.AllowPrivate && BadPort(uint16(n)) {
		return fmt.Errorf("%d: %w", n, errPort)
	}
	if x.c.o.Proxy == nil {
		return nil
	}
	addrs := x.r.Addrs
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		addrs = []netip.Addr{ip}
	}
	for _, ip := range addrs {
		if err := x.c.guard(ip); err != nil {
			return err
		}
	}
	return nil
}

// closed lists the networks that are not the public Web, by the registries of special
// addresses of IANA (RFC 6890), as far as netip has no method for them.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // carrier-grade NAT, RFC 6598
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relays, deprecated
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, broadcast
	netip.MustParsePrefix("::/96"),           // IPv4-compatible, deprecated
	netip.MustParsePrefix("64:ff9b:1::/48"),  // local NAT64
	netip.MustParsePrefix("100::/64"),        // discard
	netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("3fff::/20"),       // documentation
	netip.MustParsePrefix("5f00::/16"),       // segment routing
	netip.MustParsePrefix("fec0::/10"),       // site-local, deprecated
}

// metadata lists the addresses at which clouds give a machine its own secrets, except those
// that are link-local, such as 169.254.169.254.
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"),    // Alibaba
	netip.MustParseAddr("168.63.129.16"),      // Azure
	netip.MustParseAddr("192.0.0.192"),        // Oracle
	netip.MustParseAddr("fd00:ec2::23"),       // Amazon: credentials of containers
	netip.MustParseAddr("fd00:ec2::254"),      // Amazon
	netip.MustParseAddr("fd20:ce::254"),       // Google
	netip.MustParseAddr("fd00:c1::a9fe:a9fe"), // Oracle
	netip.MustParseAddr("fd00:42::42"),        // Scaleway
	netip.MustParseAddr("fd00:a9fe:a9fe::1"),  // Linode
}

// Prefixes of IPv6 addresses that wrap an IPv4 address.
var (
	compatible = netip.MustParsePrefix("::/96")
	siit       = netip.MustParsePrefix("::ffff:0:0:0/96") // RFC 7915: translated within a network
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	localNAT64 = netip.MustParsePrefix("64:ff9b:1::/48")
	sixToFour  = netip.MustParsePrefix("2002::/16")
	teredo     = netip.MustParsePrefix("2001::/32")
)

// Private reports whether an address is not one of the public Web: loopback, private,
// link-local, carrier-grade NAT, multicast, unspecified, reserved, that of a metadata
// service, or an IPv6 address that wraps such a one. A crawler that follows links must not
// go there: behind them are the routers, printers and metadata services of its operator.
func Private(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() || Never(a) {
		return true
	}
	if slices.ContainsFunc(closed, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return true
	}
	return slices.ContainsFunc(wrapped(a), Private)
}

// Never reports whether no crawl may connect to an address, even one that may use
// private addresses: link-local addresses, which mean another machine on every network,
// metadata services among them, which give credentials to any client; and addresses
// that a translator makes of IPv4 ones (SIIT), or that wrap one of these.
func Never(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsLinkLocalUnicast() || siit.Contains(a) || slices.Contains(metadata, a) || slices.ContainsFunc(wrapped(a), Never)
}

// wrapped returns the IPv4 addresses that an IPv6 address carries, all that it can be read as.
func wrapped(a netip.Addr) (list []netip.Addr) {
	if !a.Is6() {
		return nil
	}
	b := a.As16()
	last := netip.AddrFrom4([4]byte(b[12:]))
	isatap := b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe // RFC 5214
	switch {
	case compatible.Contains(a), nat64.Contains(a), isatap:
		list = append(list, last)
	case localNAT64.Contains(a):
		list = append(list, last, netip.AddrFrom4([4]byte{b[6], b[7], b[9], b[10]})) // RFC 6052, 2.2
	case sixToFour.Contains(a):
		list = append(list, netip.AddrFrom4([4]byte(b[2:6])))
	case teredo.Contains(a): // the server, and the client in disguise
		list = append(list, netip.AddrFrom4([4]byte(b[4:8])), netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}))
	}
	return list
}

// badPorts lists the ports that browsers do not connect to (the list of the WHATWG fetch
// standard), because other services listen there that may take a request for commands.
var badPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
	111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
	540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
	6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}

// BadPort reports whether a port belongs to another service than the Web.
func BadPort(port uint16) bool {
	_, found := slices.BinarySearch(badPorts, port)
	return found
}
