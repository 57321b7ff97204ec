package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/winnow-crawler/winnow/graph"
)

// dnsServer answers for the names of the sites, over UDP and TCP on one port.
type dnsServer struct {
	s        *Server
	addr     netip.AddrPort
	udp, tcp *dns.Server
	ctx      context.Context
	stop     context.CancelFunc
}

// dnsTries is the number of attempts to find a free port: one that is free for UDP may be
// taken for TCP.
const dnsTries = 20

func (s *Server) listenDNS(text string) (*dnsServer, error) {
	at, err := loopback(text)
	if err != nil {
		return nil, err
	}
	var udp net.PacketConn
	var tcp net.Listener
	for range dnsTries {
		if udp, err = net.ListenPacket("udp", at.String()); err != nil {
			return nil, err
		}
		port := udp.LocalAddr().(*net.UDPAddr).Port
		if tcp, err = net.Listen("tcp", net.JoinHostPort(at.Addr().String(), strconv.Itoa(port))); err == nil {
			break
		}
		udp.Close()
		if at.Port() != 0 {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	d := &dnsServer{s: s, addr: tcp.Addr().(*net.TCPAddr).AddrPort()}
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.udp = d.start(&dns.Server{PacketConn: udp})
	d.tcp = d.start(&dns.Server{Listener: tcp})
	return d, nil
}

// start serves, and waits until it does: a server that does not yet cannot be stopped.
func (d *dnsServer) start(srv *dns.Server) *dns.Server {
	started := make(chan struct{})
	srv.Handler, srv.NotifyStartedFunc = d, func() { close(started) }
	go srv.ActivateAndServe()
	<-started
	return srv
}

func (d *dnsServer) close() error {
	d.stop()
	return errors.Join(d.udp.Shutdown(), d.tcp.Shutdown())
}

// ServeDNS answers one query.
func (d *dnsServer) ServeDNS(w dns.ResponseWriter, query *dns.Msg) {
	_, udp := w.LocalAddr().(*net.UDPAddr)
	m, wait := d.s.resolve(query, udp)
	if wait > 0 {
		d.s.Options().Sleep(d.ctx, wait)
	}
	w.WriteMsg(m) // a client that does not get it queries again
}

// resolve returns the answer to a query, and how long it takes.
func (s *Server) resolve(query *dns.Msg, udp bool) (*dns.Msg, time.Duration) {
	m := new(dns.Msg)
	m.SetReply(query)
	m.Authoritative, m.RecursionAvailable = true, true
	if len(query.Question) != 1 || query.Question[0].Qclass != dns.ClassINET {
		m.Rcode = dns.RcodeNotImplemented
		return m, 0
	}
	q := query.Question[0]
	n, ok := s.Name(strings.ToLower(strings.TrimSuffix(q.Name, ".")))
	wait := time.Duration(0)
	switch {
	case !ok:
		s.count.UnknownName()
		return s.negative(m, dns.RcodeNameError), 0
	case n.Site == graph.NoSite:
		s.count.OtherName()
	default:
		wait = s.NameDelay(n.Site, s.count.Query(n.Site))
	}
	switch {
	case n.Missing:
		return s.negative(m, dns.RcodeNameError), wait
	case n.Failing:
		m.Rcode = dns.RcodeServerFailure
	case n.Truncated && udp:
		m.Truncated = true
	default:
		s.answer(m, q, n.Address, n.Alias)
	}
	return m, wait
}

// answer adds the address, if the query is for it, behind an alias or not.
func (s *Server) answer(m *dns.Msg, q dns.Question, addr netip.Addr, alias string) {
	ttl, name := uint32(s.Options().DNS.TTL/time.Second), q.Name
	if alias != "" {
		alias += "."
		m.Answer = append(m.Answer, &dns.CNAME{
			Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeCNAME, Class: dns.ClassINET, Ttl: ttl}, Target: alias,
		})
		name = alias
	}
	switch {
	case q.Qtype == dns.TypeA && addr.Is4():
		m.Answer = append(m.Answer, &dns.A{
			Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: ttl}, A: addr.AsSlice(),
		})
	case q.Qtype == dns.TypeAAAA && addr.Is6():
		m.Answer = append(m.Answer, &dns.AAAA{
			Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeAAAA, Class: dns.ClassINET, Ttl: ttl}, AAAA: addr.AsSlice(),
		})
	default:
		s.negative(m, dns.RcodeSuccess)
	}
}

// negative answers that there is no such name or record, and for how long that holds (RFC
// 2308): the smaller of the TTL of the SOA record and its last field.
func (s *Server) negative(m *dns.Msg, rcode int) *dns.Msg {
	ttl := uint32(s.Options().DNS.TTL / time.Second)
	m.Rcode = rcode
	m.Ns = append(m.Ns, &dns.SOA{
		Hdr: dns.RR_Header{Name: "example.", Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: ttl},
		Ns:  "ns.example.", Mbox: "nobody.example.", Serial: 1, Refresh: 3600, Retry: 600, Expire: 86400, Minttl: ttl,
	})
	return m
}

// ErrNoAddress is the error of Resolve for names without an address.
var errNoAddress = errors.New("no address")

// Resolve finds the address of a host name without the network, with the durations and
// failures that the DNS server has: a resolver for crawls in memory.
func (s *Server) Resolve(ctx context.Context, host string) (netip.Addr, time.Duration, error) {
	query := new(dns.Msg)
	query.SetQuestion(dns.Fqdn(host), dns.TypeA)
	m, wait := s.resolve(query, false)
	if wait > 0 {
		s.Options().Sleep(ctx, wait)
	}
	if err := ctx.Err(); err != nil {
		return netip.Addr{}, 0, err
	}
	for _, rr := range m.Answer {
		if a, ok := rr.(*dns.A); ok {
			addr, _ := netip.AddrFromSlice(a.A)
			return addr.Unmap(), s.Options().DNS.TTL, nil
		}
	}
	return netip.Addr{}, s.Options().DNS.TTL, fmt.Errorf("resolve %s: %w (%s)", host, errNoAddress, dns.RcodeToString[m.Rcode])
}
