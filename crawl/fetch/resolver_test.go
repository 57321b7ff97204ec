package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

// zone is a name server in memory: each question is answered by a function, over UDP (a
// pipe that carries packets) and TCP.
type zone struct {
	mu     sync.Mutex
	asked  []string // "udp a.example. A"
	answer func(network string, q dns.Question, m *dns.Msg)
}

// packets makes a pipe one of packets for miekg/dns, which looks for this method.
type packets struct{ net.Conn }

func (packets) ReadFrom([]byte) (int, net.Addr, error) { panic("not used") }
func (packets) WriteTo([]byte, net.Addr) (int, error)  { panic("not used") }

func (z *zone) dial(_ context.Context, network, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	if network == "udp" {
		near, far = packets{near}, packets{far}
	}
	go z.serve(network, &dns.Conn{Conn: far, UDPSize: 4096})
	return near, nil
}

func (z *zone) serve(network string, c *dns.Conn) {
	defer c.Close()
	q, err := c.ReadMsg()
	if err != nil {
		return
	}
	z.mu.Lock()
	z.asked = append(z.asked, network+" "+q.Question[0].Name+" "+dns.TypeToString[q.Question[0].Qtype])
	z.mu.Unlock()
	m := new(dns.Msg).SetReply(q)
	z.answer(network, q.Question[0], m)
	if m.Response {
		c.WriteMsg(m)
	}
}

func (z *zone) questions() []string {
	z.mu.Lock()
	defer z.mu.Unlock()
	return slices.Clone(z.asked)
}

// rr adds records to an answer.
func rr(m *dns.Msg, lines ...string) {
	for _, line := range lines {
		r, err := dns.NewRR(line)
		if err != nil {
			panic(err)
		}
		if _, ok := r.(*dns.SOA); ok {
			m.Ns = append(m.Ns, r)
		} else {
			m.Answer = append(m.Answer, r)
		}
	}
}

func resolver(t testing.TB, o ResolverOptions) *Resolver {
	if o.Server == "" {
		o.Server = "192.0.2.53:53"
	}
	if o.Hosts == "" {
		o.Hosts = os.DevNull
	}
	r, err := NewResolver(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func TestLookup(t *testing.T) {
	soa := "example. 600 IN SOA ns.example. nobody.example. 1 2 3 4 1200"
	tables := map[string][]string{
		"a.example. A":       {"a.example. 3600 IN A 192.0.2.1", "a.example. 1800 IN A 192.0.2.2", "evil.example. 1 IN A 10.0.0.1"},
		"a.example. AAAA":    {soa},
		"both.example. A":    {"both.example. 3600 IN A 192.0.2.1"},
		"both.example. AAAA": {"both.example. 1200 IN AAAA 2001:db8::1"},
		"six.example. A":     {soa},
		"six.example. AAAA":  {"six.example. 1200 IN AAAA 2001:db8::1"},
		"none.example. A":    {soa}, "none.example. AAAA": {soa},
		"bare.example. A": {}, "bare.example. AAAA": {},
		"alias.example. A":    {"alias.example. 900 IN CNAME B.example.", "b.example. 7200 IN CNAME c.example.", "c.example. 3600 IN A 192.0.2.3"},
		"alias.example. AAAA": {"alias.example. 900 IN CNAME b.example.", soa},
		"away.example. A":     {"away.example. 9000 IN CNAME a.example."}, "away.example. AAAA": {"away.example. 9000 IN CNAME a.example."},
		"loop.example. A": {"loop.example. 900 IN CNAME loop.example."}, "loop.example. AAAA": {"loop.example. 900 IN CNAME loop.example."},
		"round.example. A": {"round.example. 900 IN CNAME about.example."}, "about.example. A": {"about.example. 900 IN CNAME round.example."},
		"brief.example. A": {"brief.example. 5 IN A 192.0.2.9"}, "brief.example. AAAA": {soa},
		"long.example. A": {"long.example. 999999 IN A 192.0.2.9"}, "long.example. AAAA": {soa},
		"half.example. A": {"half.example. 3600 IN A 192.0.2.9"},
	}
	z := &zone{answer: func(_ string, q dns.Question, m *dns.Msg) {
		lines, ok := tables[q.Name+" "+dns.TypeToString[q.Qtype]]
		switch {
		case strings.HasPrefix(q.Name, "half.") && q.Qtype == dns.TypeAAAA:
			m.Rcode = dns.RcodeServerFailure
		case !ok:
			m.Rcode = dns.RcodeNameError
			rr(m, soa)
		default:
			rr(m, lines...)
		}
	}}
	for host, test := range map[string]struct {
		addrs string
		ttl   time.Duration
		err   error
		asked int
	}{
		"a.example":     {"192.0.2.1 192.0.2.2", 30 * time.Minute, nil, 2},
		"A.Example.":    {"192.0.2.1 192.0.2.2", 30 * time.Minute, nil, 2},
		"both.example":  {"192.0.2.1 2001:db8::1", 20 * time.Minute, nil, 2},
		"six.example":   {"2001:db8::1", 20 * time.Minute, nil, 2},
		"none.example":  {"", 10 * time.Minute, ErrNoName, 2},
		"bare.example":  {"", 5 * time.Minute, ErrNoName, 2},
		"alias.example": {"192.0.2.3", 15 * time.Minute, nil, 2},
		"away.example":  {"192.0.2.1 192.0.2.2", 30 * time.Minute, nil, 4},
		"loop.example":  {"", 5 * time.Minute, ErrNoName, 2},
		"round.example": {"", 0, ErrTemporary, 8},
		"gone.example":  {"", 10 * time.Minute, ErrNoName, 1},
		"brief.example": {"192.0.2.9", 10 * time.Minute, nil, 2},
		"long.example":  {"192.0.2.9", 24 * time.Hour, nil, 2},
		"half.example":  {"192.0.2.9", time.Hour, nil, 2},
	} {
		t.Run(host, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				z.asked = nil
				r := resolver(t, ResolverOptions{Dial: z.dial})
				n, err := r.Lookup(t.Context(), host)
				if got := join(n.Addrs); got != test.addrs || n.TTL != test.ttl || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) || n.Level != Network {
					t.Errorf("%s: %s for %v from the %v, %v", host, got, n.TTL, n.Level, err)
				}
				if len(z.questions()) != test.asked {
					t.Errorf("%s: asked %q", host, z.asked)
				}
			})
		})
	}
}

func join(addrs []netip.Addr) string {
	var all []string
	for _, a := range addrs {
		all = append(all, a.String())
	}
	return strings.Join(all, " ")
}

// TestLookupCache: for how long what is believed, and from which level.
func TestLookupCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{answer: func(_ string, q dns.Question, m *dns.Msg) {
			if q.Name == "gone.example." {
				m.Rcode = dns.RcodeNameError
				return
			}
			if q.Qtype == dns.TypeA {
				rr(m, q.Name+" 3600 IN A 192.0.2.1")
			}
		}}
		r := resolver(t, ResolverOptions{Dial: z.dial})
		r.Remember("disk.example", Names{Addrs: here, TTL: 2 * time.Hour})
		r.Remember("past.example", Names{Addrs: here, TTL: -time.Hour})
		step := func(host string, level Level, ttl time.Duration, want error) {
			t.Helper()
			if n, err := r.Lookup(t.Context(), host); n.Level != level || n.TTL != ttl || !errors.Is(err, want) {
				t.Errorf("%s after %v: %v %v %v", host, time.Now().Format("15:04:05"), n.Level, n.TTL, err)
			}
		}
		step("a.example", Network, time.Hour, nil)
		step("a.example", Cache, time.Hour, nil)
		step("disk.example", Disk, 2*time.Hour, nil)
		step("past.example", Network, time.Hour, nil)
		step("gone.example", Network, 5*time.Minute, ErrNoName)
		time.Sleep(4 * time.Minute)
		step("gone.example", Cache, time.Minute, ErrNoName)
		time.Sleep(time.Minute)
		step("gone.example", Network, 5*time.Minute, ErrNoName)
		r.Remember("a.example", Names{Addrs: here, TTL: 9 * time.Hour})
		step("a.example", Cache, 55*time.Minute, nil)
		time.Sleep(55 * time.Minute)
		step("a.example", Network, time.Hour, nil)
		step("disk.example", Disk, time.Hour, nil)
		time.Sleep(time.Hour)
		step("disk.example", Network, time.Hour, nil)
		step("127.0.0.1", Literal, 24*time.Hour, nil)
		s := r.Stats()
		if s.Network != 6 || s.Cache != 3 || s.Disk != 2 || s.Literal != 1 || s.Questions != 10 || s.Missing != 2 || s.Failed != 0 || s.InFlight != 0 || s.Known != 4 {
			t.Errorf("%+v", s)
		}
	})
}

// TestLookupOnce: many ask, one question goes out; who gives up does not spoil it.
func TestLookupOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{answer: func(_ string, q dns.Question, m *dns.Msg) {
			time.Sleep(time.Second)
			rr(m, q.Name+" 3600 IN A 192.0.2.1")
		}}
		r := resolver(t, ResolverOptions{Dial: z.dial})
		hurried, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := r.Lookup(hurried, "a.example"); !errors.Is(err, ErrTemporary) || !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
		for range 100 {
			all.Go(func() {
				if n, err := r.Lookup(t.Context(), "a.example"); err != nil || join(n.Addrs) != "192.0.2.1" {
					t.Error(n, err)
				}
			})
		}
		all.Wait()
		if len(z.questions()) != 2 {
			t.Errorf("asked %q", z.asked)
		}
	})
}

// TestLookupTrouble: servers that are silent, fail, lie or cannot say it in one packet.
func TestLookupTrouble(t *testing.T) {
	good := func(q dns.Question, m *dns.Msg) {
		if q.Qtype == dns.TypeA {
			rr(m, q.Name+" 3600 IN A 192.0.2.1")
		}
	}
	for name, test := range map[string]struct {
		answer func(network string, try int, q dns.Question, m *dns.Msg)
		err    error
		after  time.Duration
		asked  int
	}{
		"silent":  {func(_ string, _ int, _ dns.Question, m *dns.Msg) { m.Response = false; time.Sleep(time.Minute) }, ErrTemporary, 9 * time.Second, 3},
		"failing": {func(_ string, _ int, _ dns.Question, m *dns.Msg) { m.Rcode = dns.RcodeServerFailure }, ErrTemporary, 0, 3},
		"refused": {func(_ string, _ int, _ dns.Question, m *dns.Msg) { m.Rcode = dns.RcodeRefused }, ErrTemporary, 0, 3},
		"better the second time": {func(_ string, try int, q dns.Question, m *dns.Msg) {
			if try == 0 {
				m.Rcode = dns.RcodeServerFailure
				return
			}
			good(q, m)
		}, nil, 0, 3},
		"truncated": {func(network string, _ int, q dns.Question, m *dns.Msg) {
			if m.Truncated = network == "udp"; !m.Truncated {
				good(q, m)
			}
		}, nil, 0, 4},
		"another number":   {func(_ string, _ int, q dns.Question, m *dns.Msg) { m.Id++; good(q, m) }, ErrTemporary, 0, 3},
		"another question": {func(_ string, _ int, q dns.Question, m *dns.Msg) { good(q, m); m.Question[0].Name = "b.example." }, ErrTemporary, 0, 3},
		"another name":     {func(_ string, _ int, q dns.Question, m *dns.Msg) { rr(m, "b.example. 3600 IN A 192.0.2.1") }, ErrNoName, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				z := new(zone)
				z.answer = func(network string, q dns.Question, m *dns.Msg) {
					z.mu.Lock()
					try := len(z.asked) - 1
					z.mu.Unlock()
					test.answer(network, try, q, m)
				}
				began := time.Now()
				n, err := resolver(t, ResolverOptions{Dial: z.dial}).Lookup(t.Context(), "a.example")
				if !errors.Is(err, test.err) || (err == nil) != (join(n.Addrs) == "192.0.2.1") || time.Since(began) != test.after || len(z.questions()) != test.asked {
					t.Errorf("%v %v after %v, asked %q", n, err, time.Since(began), z.questions())
				}
				if slices.ContainsFunc(z.questions(), func(s string) bool { return strings.HasPrefix(s, "tcp") }) != (name == "truncated") {
					t.Errorf("asked %q", z.questions())
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestLookupInFlight: no more questions are out than allowed.
func TestLookupInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		z := &zone{answer: func(_ string, q dns.Question, m *dns.Msg) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			rr(m, q.Name+" 3600 IN A 192.0.2.1")
		}}
		r := resolver(t, ResolverOptions{Dial: z.dial, InFlight: 7})
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				if _, err := r.Lookup(t.Context(), fmt.Sprintf("s%d.example", i)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if most != 7 {
			t.Errorf("%d at a time", most)
		}
	})
}

func TestLookupLocal(t *testing.T) {
	hosts := filepath.Join(t.TempDir(), "hosts")
	text := "# names\n192.0.2.7 One.example  two.example # three.example\n2001:db8::7 one.example\n192.0.2.8 one.example\nrubbish x.example\n192.0.2.1\n"
	if err := os.WriteFile(hosts, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	fail := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no network") }
	r := resolver(t, ResolverOptions{Dial: fail, Hosts: hosts})
	for host, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "[2001:db8::1]": "2001:db8::1", "2001:db8::1": "2001:db8::1", "[::ffff:192.0.2.1]": "192.0.2.1",
		"localhost": "127.0.0.1 ::1", "a.b.localhost": "127.0.0.1 ::1",
		"one.example": "192.0.2.7 192.0.2.8 2001:db8::7", "TWO.example": "192.0.2.7",
	} {
		if n, err := r.Lookup(t.Context(), host); err != nil || join(n.Addrs) != want || n.Level != Literal {
			t.Errorf("%s: %v, %v", host, n, err)
		}
	}
	for host, want := range map[string]error{
		"three.example": ErrTemporary, "x.example": ErrTemporary,
		"": ErrNoName, ".": ErrNoName, "a..b": ErrNoName, strings.Repeat("a", 64) + ".example": ErrNoName, strings.Repeat("a.", 200): ErrNoName,
	} {
		if n, err := r.Lookup(t.Context(), host); !errors.Is(err, want) {
			t.Errorf("%s: %v, %v", host, n, err)
		}
	}
	for _, o := range []ResolverOptions{{Server: "a:b:c"}, {Server: ":53"}, {Server: "ns.example"}, {Hosts: filepath.Join(t.TempDir(), "none")}} {
		if _, err := NewResolver(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	for server, want := range map[string]string{"192.0.2.1": "192.0.2.1:53", "[2001:db8::1]": "[2001:db8::1]:53", "ns.example:5353": "ns.example:5353"} {
		if got, err := serversOf(server); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, %v", server, got, err)
		}
	}
}
