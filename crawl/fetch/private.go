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

// metadata are the addresses at which clouds tell a machine its own secrets, besides those
// that are link-local (169.254.169.254 among them).
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
// go there: behind them are the routers, printers and metadata services of whoever runs it.
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

// Never reports whether an address is not asked even by a crawl that may ask private ones:
// link-local addresses, which mean another machine on every network, metadata services
// among them, which give credentials to whoever asks; and addresses that a translator
// makes of IPv4 ones (SIIT), or that wrap one of these.
func Never(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsLinkLocalUnicast() || siit.Contains(a) || slices.Contains(metadata, a) || slices.ContainsFunc(wrapped(a), Never)
}

// wrapped are the IPv4 addresses that an IPv6 address carries, all that it can be read as.
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

// badPorts are those that browsers do not connect to (the list of the WHATWG fetch
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
