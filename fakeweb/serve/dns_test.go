package serve

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// query asks a DNS server for the records of a name.
func query(t *testing.T, network, server, name string, kind uint16) *dns.Msg {
	t.Helper()
	q := new(dns.Msg)
	q.SetQuestion(dns.Fqdn(name), kind)
	c := &dns.Client{Net: network, Timeout: time.Minute}
	m, _, err := c.Exchange(q, server)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func listenDNS(t *testing.T, o answer.Options, addresses int) (*Server, string) {
	t.Helper()
	s := mustServe(t, smallWeb, o)
	s.SetAddresses(addresses)
	n, err := s.Listen(Listen{DNS: "127.0.0.1:0", Addresses: addresses})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, n.Resolver()
}

// TestDNS compares the answers for all names with the truth, over both transports.
func TestDNS(t *testing.T) {
	o := answer.Options{DNS: answer.DNSShares{Missing: 0.1, Failing: 0.1, Truncated: 0.2, Alias: 0.2, TTL: time.Minute}}
	s, server := listenDNS(t, o, 7)
	seen := map[answer.Name]int{}
	for id := range graph.Site(s.Web().Sites()) {
		truth := s.SiteTruth(id)
		name, ok := s.Name(truth.Name)
		if !ok || name.Site != id {
			t.Errorf("%s is %+v, want site %d", truth.Name, name, id)
		}
		seen[answer.Name{Missing: name.Missing, Failing: name.Failing, Truncated: name.Truncated, Alias: strings.TrimSuffix(name.Alias, truth.Name)}]++
		for _, network := range []string{"udp", "tcp"} {
			m := query(t, network, server, truth.Name, dns.TypeA)
			checkDNS(t, m, name, network, truth)
		}
		if n := s.Counter().Queries(id); n != 2 {
			t.Errorf("%s: %d queries counted", truth.Name, n)
		}
	}
	if len(seen) != 5 {
		t.Errorf("classes %v", seen)
	}
}

func checkDNS(t *testing.T, m *dns.Msg, name answer.Name, network string, truth answer.SiteTruth) {
	t.Helper()
	wantCode := 0
	switch {
	case name.Missing:
		wantCode = dns.RcodeNameError
	case name.Failing:
		wantCode = dns.RcodeServerFailure
	}
	if m.Rcode != wantCode || truth.Reachable != (wantCode == 0) {
		t.Errorf("%s over %s: %s, want %s", truth.Name, network, dns.RcodeToString[m.Rcode], dns.RcodeToString[wantCode])
	}
	if cut := name.Truncated && network == "udp"; m.Truncated != cut {
		t.Errorf("%s over %s: truncated %v", truth.Name, network, m.Truncated)
	} else if cut || wantCode != 0 {
		if len(m.Answer) != 0 {
			t.Errorf("%s over %s: %v", truth.Name, network, m.Answer)
		}
		return
	}
	a, ok := m.Answer[len(m.Answer)-1].(*dns.A)
	if !ok || a.A.String() != truth.Address.String() || a.Hdr.Ttl != 60 || (len(m.Answer) == 2) != (name.Alias != "") {
		t.Errorf("%s over %s: %v, want %v", truth.Name, network, m.Answer, truth.Address)
	}
}

func TestDNSNegative(t *testing.T) {
	s, server := listenDNS(t, answer.Options{}, 1)
	for _, test := range []struct {
		name string
		kind uint16
		code int
	}{
		{"nobody.example", dns.TypeA, dns.RcodeNameError}, {"s99.example", dns.TypeA, dns.RcodeNameError},
		{"winnow.test", dns.TypeA, dns.RcodeNameError}, {"alias.s00.example", dns.TypeA, dns.RcodeNameError},
		{"s00.example", dns.TypeAAAA, dns.RcodeSuccess}, {"s00.example", dns.TypeMX, dns.RcodeSuccess},
	} {
		m := query(t, "udp", server, test.name, test.kind)
		if m.Rcode != test.code || len(m.Answer) != 0 || len(m.Ns) != 1 {
			t.Errorf("%s: %v", test.name, m)
		} else if soa, ok := m.Ns[0].(*dns.SOA); !ok || soa.Minttl != 300 || soa.Hdr.Ttl != 300 {
			t.Errorf("%s: %v", test.name, m.Ns)
		}
	}
	if m := s.Counter().Summary(); m.UnknownNames != 3 || m.Queries != 3 {
		t.Errorf("counted %+v", m)
	}
}

// TestDNSFromGo: the resolver of package net understands it, in any case of letters.
func TestDNSFromGo(t *testing.T) {
	s, server := listenDNS(t, answer.Options{DNS: answer.DNSShares{Truncated: 0.5, Alias: 0.5}}, 3)
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server)
	}}
	for id := range graph.Site(6) {
		got, err := r.LookupNetIP(t.Context(), "ip4", "S0"+string('0'+rune(id))+".Example.")
		if err != nil || len(got) != 1 || got[0].Unmap() != s.Address(id) {
			t.Errorf("site %d: %v %v, want %v", id, got, err, s.Address(id))
		}
	}
}

// TestResolveInMemory has the same answers without sockets, in virtual time.
func TestResolveInMemory(t *testing.T) {
	o := answer.Options{DNS: answer.DNSShares{Missing: 0.3, Slow: 0.5, SlowBy: 3 * time.Second}}
	synctest.Test(t, func(t *testing.T) {
		s := mustServe(t, smallWeb, o)
		s.SetAddresses(smallWeb.Sites)
		slow, missing := 0, 0
		for id := range graph.Site(s.Web().Sites()) {
			truth, start := s.SiteTruth(id), time.Now()
			addr, ttl, err := s.Resolve(t.Context(), truth.Name)
			if errors.Is(err, errNoAddress) == truth.Reachable || err == nil && addr != truth.Address || ttl != 5*time.Minute {
				t.Errorf("%s: %v %v %v, want %v", truth.Name, addr, ttl, err, truth)
			}
			if err != nil {
				missing++
			}
			switch took := time.Since(start); took {
			case 3 * time.Second:
				slow++
			case 0:
			default:
				t.Errorf("%s took %v", truth.Name, took)
			}
		}
		if slow < 10 || slow > 30 || missing < 4 {
			t.Errorf("%d slow, %d missing", slow, missing)
		}
		if a := s.Address(9); a != netip.AddrFrom4([4]byte{127, 0, 0, 10}) {
			t.Errorf("site 9 is at %v", a)
		}
	})
}

// BenchmarkDNS is a query and its answer, without the network.
func BenchmarkDNS(b *testing.B) {
	s := mustServe(b, smallWeb, answer.Options{})
	q := new(dns.Msg)
	q.SetQuestion("s07.example.", dns.TypeA)
	for b.Loop() {
		m, _ := s.resolve(q, true)
		if _, err := m.Pack(); err != nil {
			b.Fatal(err)
		}
	}
}
