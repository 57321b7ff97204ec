package fetch

import (
	"net/netip"
	"slices"
)

// closed are the networks that are not the public Web, by the registries of special
// addresses of IANA (RFC 6890) as far as netip has no word for them.
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

// nat64 and sixToFour carry an IPv4 address, at the end and behind the prefix.
var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

// Private tells whether an address is not one of the public Web: loopback, private,
// link-local, carrier-grade NAT, multicast, unspecified, reserved, or an IPv6 address
// that wraps such a one. A crawler that follows links must not go there: behind them are
// the routers, printers and metadata services of whoever runs it.
func Private(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() {
		return true
	}
	if slices.ContainsFunc(closed, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return true
	}
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return Private(netip.AddrFrom4([4]byte(b[12:])))
	case sixToFour.Contains(a):
		return Private(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return false
}

// badPorts are those that browsers do not connect to (the list of the WHATWG fetch
// standard), because other services listen there that may take a request for commands.
var badPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
	111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
	540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
	6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}

// BadPort tells whether a port belongs to another service than the Web.
func BadPort(port uint16) bool {
	_, found := slices.BinarySearch(badPorts, port)
	return found
}
