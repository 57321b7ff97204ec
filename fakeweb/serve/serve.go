// Package serve serves a synthetic web: over HTTP, TLS and DNS on loopback addresses, or
// in memory.
//
// A [Server] sends the answers that package answer decides on, and package count records
// who requested what. It listens on loopback addresses ([Server.Listen]), with a DNS
// server for the names, or is reached in memory ([Server.Dial], [Server.Resolve]), where
// testing/synctest makes its waiting virtual. Its [count.Counter] holds what visitors
// did, and its Check reports which rules of politeness they broke.
package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
)

// A Server answers for all sites of a web, by the Host of a request. Its World
// describes the answers; its Counter counts the requests.
type Server struct {
	*answer.World
	count     *count.Counter
	ca        *authority
	memory    *memory
	setMemory sync.Once
}

// New returns a server for a web.
func New(w *fakeweb.Web, o answer.Options) (*Server, error) {
	world, err := answer.New(w, o)
	if err != nil {
		return nil, fmt.Errorf("serve the synthetic web: %w", err)
	}
	ca, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("serve the synthetic web: certificate authority: %w", err)
	}
	return &Server{World: world, count: count.New(world), ca: ca}, nil
}

// Counter returns the record of what visitors did.
func (s *Server) Counter() *count.Counter { return s.count }

// ServeHTTP answers one request and counts it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, ok := s.Target(r.Host, r.URL)
	if !ok {
		s.count.UnknownHost()
		http.NotFound(w, r)
		return
	}
	v := s.count.Begin(r, &t)
	a := s.Answer(r, &t, v.State)
	defer func() {
		v.Finish(a)
		a.Close()
	}()
	(&sending{a, v, s.Options().Sleep}).send(w, r)
}

// A Listen holds the addresses of a server. Addresses are numbers, host and port; port 0 is any
// that is free. Only loopback addresses are taken.
type Listen struct {
	HTTP      string // 127.0.0.1:8080; "" for nowhere
	TLS       string // 127.0.0.1:8443; "" for nowhere. Its IP address must be that of HTTP
	DNS       string // 127.0.0.1:5353, UDP and TCP; "" for nowhere
	Addresses int    // number of addresses of the sites, from that of HTTP on; 0 means 1
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
	at := answer.Network{Base: netip.AddrFrom4([4]byte{127, 0, 0, 1}), Addresses: max(1, o.Addresses)}
	if o.HTTP != "" {
		if n.HTTP, at.Port, err = n.open(o.HTTP, &at, 80); err != nil {
			return n, err
		}
	}
	plain := len(n.listeners)
	if o.TLS != "" {
		if n.TLS, at.TLSPort, err = n.open(o.TLS, &at, 443); err != nil {
			return n, err
		}
	}
	at.NoBlackHole = s.Options().Servers.Silent > 0 && !n.listenSilently()
	s.SetNetwork(at)
	if o.DNS != "" {
		if n.dns, err = s.listenDNS(o.DNS); err != nil {
			return n, err
		}
		n.DNS = n.dns.addr
	}
	n.serve(s, plain)
	return n, nil
}

// listenSilently opens the ports of silent sites, where connections are not accepted. It
// reports whether the machine has such an address; where it has none, silent sites hang.
func (n *Net) listenSilently() bool {
	for _, port := range []uint16{n.HTTP.Port(), n.TLS.Port()} {
		if port == 0 {
			continue
		}
		hole, err := newBlackHole(netip.AddrPortFrom(answer.SilentAddress(), port))
		if err != nil {
			return false
		}
		n.holes = append(n.holes, hole)
	}
	return true
}

// open listens on all addresses of the sites, on one port, from the address in text on. It
// returns that address with the port, and the port unless it is the usual one.
func (n *Net) open(text string, on *answer.Network, usual int) (at netip.AddrPort, port int, err error) {
	if at, err = loopback(text); err != nil {
		return at, 0, err
	}
	on.Base = at.Addr()
	addr := on.Base
	for range on.Addresses {
		if !addr.IsLoopback() {
			return at, 0, fmt.Errorf("%d addresses from %v on: not all of them are loopback", on.Addresses, on.Base)
		}
		l, err := net.Listen("tcp", netip.AddrPortFrom(addr, at.Port()).String())
		if err != nil {
			return at, 0, err
		}
		n.listeners = append(n.listeners, l)
		at = netip.AddrPortFrom(on.Base, uint16(l.Addr().(*net.TCPAddr).Port)) // port 0 has become one
		addr = addr.Next()
	}
	if port = int(at.Port()); port == usual {
		port = 0
	}
	return at, port, nil
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

// ClientTLS returns what a client needs to trust the server.
func (s *Server) ClientTLS() *tls.Config {
	return &tls.Config{RootCAs: s.certPool(), MinVersion: tls.VersionTLS12}
}

// Resolver returns the address of the DNS server as text, "" without one.
func (n *Net) Resolver() string {
	if n.dns == nil {
		return ""
	}
	return net.JoinHostPort(n.DNS.Addr().String(), strconv.Itoa(int(n.DNS.Port())))
}
