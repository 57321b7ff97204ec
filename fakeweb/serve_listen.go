package fakeweb

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"

	"github.com/winnow-crawler/winnow/graph"
)

// Listen says where a server listens. Addresses are numbers, host and port; port 0 is any
// that is free. Only loopback addresses are taken.
type Listen struct {
	HTTP      string // 127.0.0.1:8080; "" for nowhere
	TLS       string // 127.0.0.1:8443; "" for nowhere. Its IP address must be that of HTTP
	DNS       string // 127.0.0.1:5353, UDP and TCP; "" for nowhere
	Addresses int    // the sites are spread over so many addresses, from that of HTTP on; 0 means 1
}

// A Net is a server on the network.
type Net struct {
	HTTP, TLS, DNS netip.AddrPort // where it listens; the first address of several

	servers   []*http.Server
	listeners []net.Listener
	holes     []*blackHole
	dns       *dnsServer
}

// Listen starts to serve. A server listens once, before its first request: pages have the
// ports in their links.
func (s *Server) Listen(o Listen) (n *Net, err error) {
	n = &Net{}
	defer func() {
		if err != nil {
			n.Close()
			n, err = nil, fmt.Errorf("serve the synthetic web: %w", err)
		}
	}()
	s.addresses = max(1, o.Addresses)
	if o.HTTP != "" {
		if n.HTTP, err = n.open(s, o.HTTP, 80, &s.port); err != nil {
			return n, err
		}
	}
	plain := len(n.listeners)
	if o.TLS != "" {
		if n.TLS, err = n.open(s, o.TLS, 443, &s.tlsPort); err != nil {
			return n, err
		}
	}
	s.listening = true
	if s.rules.opt.Servers.Silent > 0 {
		n.listenSilently(s)
	}
	if o.DNS != "" {
		if n.dns, err = s.listenDNS(o.DNS); err != nil {
			return n, err
		}
		n.DNS = n.dns.addr
	}
	n.serve(s, plain)
	return n, nil
}

// listenSilently opens the ports of silent sites, where nobody takes connections. Where
// the machine has no such address, silent sites hang.
func (n *Net) listenSilently(s *Server) {
	for _, port := range []uint16{n.HTTP.Port(), n.TLS.Port()} {
		if port == 0 {
			continue
		}
		hole, err := newBlackHole(netip.AddrPortFrom(silentAddr, port))
		if err != nil {
			return
		}
		n.holes = append(n.holes, hole)
	}
	s.blackHole = true
}

// open listens on all addresses of the sites, on one port.
func (n *Net) open(s *Server, text string, usual int, port *int) (at netip.AddrPort, err error) {
	if at, err = loopback(text); err != nil {
		return at, err
	}
	s.base = at.Addr()
	for i := range s.addresses {
		addr := netip.AddrPortFrom(plus(s.base, i), at.Port())
		if !addr.Addr().IsLoopback() {
			return at, fmt.Errorf("%d addresses from %v on: not all of them are loopback", s.addresses, s.base)
		}
		l, err := net.Listen("tcp", addr.String())
		if err != nil {
			return at, err
		}
		n.listeners = append(n.listeners, l)
		at = netip.AddrPortFrom(s.base, uint16(l.Addr().(*net.TCPAddr).Port)) // port 0 has become one
	}
	if p := int(at.Port()); p != usual {
		*port = p
	}
	return at, nil
}

// serve starts the servers: the first listeners are for plain HTTP.
func (n *Net) serve(s *Server, plain int) {
	for i, l := range n.listeners {
		srv := s.httpServer()
		n.servers = append(n.servers, srv)
		if i < plain {
			go srv.Serve(l)
		} else {
			go srv.ServeTLS(l, "", "")
		}
	}
}

// Close ends the servers at once, with all connections.
func (n *Net) Close() error {
	var errs []error
	for _, srv := range n.servers {
		errs = append(errs, srv.Close())
	}
	for _, l := range n.listeners {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	for _, h := range n.holes {
		h.close()
	}
	n.holes = nil
	if n.dns != nil {
		errs = append(errs, n.dns.close())
	}
	return errors.Join(errs...)
}

// Close ends the servers behind Dial.
func (s *Server) Close() error {
	s.setMemory.Do(s.startMemory)
	return s.memory.close()
}

// loopback reads host and port and refuses what is not loopback.
func loopback(text string) (netip.AddrPort, error) {
	at, err := netip.ParseAddrPort(text)
	switch {
	case err != nil:
		return at, fmt.Errorf("address %q: want a loopback address and a port, such as 127.0.0.1:8080", text)
	case !at.Addr().IsLoopback():
		return at, fmt.Errorf("address %q: the synthetic web is served on loopback addresses only", text)
	}
	return at, nil
}

// Address is the IP address of a site: one of Addresses, by hash; each its own if there
// are enough. Sites that are down have addresses where nobody listens.
func (s *Server) Address(id graph.Site) netip.Addr {
	if int(id) >= s.web.Sites() {
		h := s.hostOf(id)
		return s.address(&h)
	}
	site := s.web.site(id)
	switch s.rules.down(&site) {
	case refused:
		return plus(refusedNet, 1+int(id)%0xfffd)
	case silent:
		if s.blackHole || !s.listening {
			return silentAddr
		}
	}
	return s.siteAddress(&site)
}

// siteAddress is where a site would be if it were up.
func (s *Server) siteAddress(st *site) netip.Addr {
	if s.addresses >= s.web.Sites() {
		return plus(s.base, int(st.id))
	}
	return plus(s.base, int(below(s.rules.draw(st, streamAddress, 0), uint64(s.addresses))))
}

// plus counts addresses on; IPv6 has one loopback address, so only the last four bytes
// are looked at.
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

// offset is how far b lies behind a, negative if not at all.
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

// ClientTLS is what a client needs to trust the server.
func (s *Server) ClientTLS() *tls.Config {
	return &tls.Config{RootCAs: s.CertPool(), MinVersion: tls.VersionTLS12}
}

// Resolver is the address of the DNS server as text, "" without one.
func (n *Net) Resolver() string {
	if n.dns == nil {
		return ""
	}
	return net.JoinHostPort(n.DNS.Addr().String(), strconv.Itoa(int(n.DNS.Port())))
}
