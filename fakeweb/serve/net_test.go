package serve

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

func mustListen(t testing.TB, s *Server, l Listen) *Net {
	t.Helper()
	n, err := s.Listen(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// netClient is an HTTP client that resolves names at a server.
func netClient(s *Server, n *Net) *http.Client {
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, n.Resolver())
	}}
	d := &net.Dialer{Resolver: resolver}
	return &http.Client{
		Transport:     &http.Transport{DialContext: d.DialContext, TLSClientConfig: s.ClientTLS(), ForceAttemptHTTP2: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// manyAddresses: all of 127.0.0.0/8 is local on Linux, elsewhere one address is.
func manyAddresses() int {
	if runtime.GOOS == "linux" {
		return 5
	}
	return 1
}

// TestOverTheNetwork crawls a part of the web by names, over plain HTTP and TLS.
func TestOverTheNetwork(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{HTTPS: 0.5, MaxSize: 5000})
	n := mustListen(t, s, Listen{HTTP: "127.0.0.1:0", TLS: "127.0.0.1:0", DNS: "127.0.0.1:0", Addresses: manyAddresses()})
	c := netClient(s, n)
	defer c.CloseIdleConnections()
	protocols, addresses := map[string]int{}, map[netip.Addr]bool{}
	for id := range graph.Site(12) {
		p := s.Web().Home(id)
		addresses[s.Address(id)] = true
		r, err := c.Get(s.URL(p))
		if err != nil {
			t.Fatal(err)
		}
		urls := hrefs(t, s.URL(p), r.Body)
		r.Body.Close()
		protocols[r.Proto]++
		var want []string
		for _, q := range s.Web().Links(nil, p) {
			want = append(want, s.URL(q))
		}
		if r.StatusCode != 200 || !slices.Equal(urls, want) {
			t.Errorf("%s: %d, links %q, want %q", s.URL(p), r.StatusCode, urls, want)
		}
		if strings.HasPrefix(s.URL(p), "https:") != (r.TLS != nil) {
			t.Errorf("%s came over %s, TLS %v", s.URL(p), r.Proto, r.TLS != nil)
		}
	}
	if protocols["HTTP/1.1"] == 0 || protocols["HTTP/2.0"] == 0 || len(addresses) < manyAddresses()-1 {
		t.Errorf("protocols %v, addresses %v", protocols, addresses)
	}
	if m := s.Counter().Summary(); m.Requests != 12 || m.Connections != 12 || m.MostOpen != 1 || m.Queries < 12 {
		t.Errorf("counted %+v", m)
	}
}

// TestWrongScheme: a site over TLS sends visitors of plain HTTP there, and nobody trusts
// it without its authority.
func TestWrongScheme(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{HTTPS: 1})
	n := mustListen(t, s, Listen{HTTP: "127.0.0.1:0", TLS: "127.0.0.1:0", DNS: "127.0.0.1:0"})
	c := netClient(s, n)
	defer c.CloseIdleConnections()
	status, header := load(c, "http://s00.example:"+portOf(n.HTTP)+"/d0/")
	if status != 301 || header.Get("Location") != s.URL(1) || !strings.HasPrefix(s.URL(1), "https://s00.example:"+portOf(n.TLS)) {
		t.Errorf("%d to %s, want %s", status, header.Get("Location"), s.URL(1))
	}
	c.Transport.(*http.Transport).TLSClientConfig.RootCAs = x509.NewCertPool()
	_, err := c.Get(s.URL(1))
	if unknown := new(x509.UnknownAuthorityError); !errors.As(err, unknown) {
		t.Errorf("error %v, want an unknown authority", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(s.CertificatePEM()) {
		t.Error("the certificate of the authority is not one")
	}
}

func portOf(a netip.AddrPort) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}

// TestResets: a connection is really reset, over TCP and in memory.
func TestResets(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Pages: answer.PageShares{Reset: 1}, NoKeepAlive: 1})
	n := mustListen(t, s, Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0"})
	c := netClient(s, n)
	const p = 3 // neither home nor index page
	_, err := c.Get(s.URL(p))
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("page %d: error %v, want a reset", p, err)
	}
	if status, _ := load(c, s.URL(p)); status != 200 {
		t.Errorf("page %d: then %d", p, status)
	}
	q := s.Counter().Requests(0)
	if len(q) != 2 || q[0].Status != 0 || q[0].Full || q[1].Status != 200 || !q[1].Full {
		t.Errorf("recorded %+v", q)
	}
}

// TestKeepAlive: sites close connections or do not, as they should.
func TestKeepAlive(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{NoKeepAlive: 0.5, MaxSize: 3000})
	n := mustListen(t, s, Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0"})
	c := netClient(s, n)
	defer c.CloseIdleConnections()
	kinds := map[bool]int{}
	for id := range graph.Site(10) {
		truth := s.SiteTruth(id)
		for range 3 {
			load(c, truth.Origin+"/")
		}
		want, most := 3, 2 // net/http may close a connection after the answer was read
		if truth.KeepAlive {
			want, most = 1, 1
		}
		if r := s.Counter().Site(id); r.Connections != want || r.MostOpen > most {
			t.Errorf("site %d, keep-alive %v: %d connections, %d at once", id, truth.KeepAlive, r.Connections, r.MostOpen)
		}
		kinds[truth.KeepAlive]++
	}
	if len(kinds) != 2 {
		t.Errorf("sites %v", kinds)
	}
}

// TestCutOff: a body that the visitor does not read to the end is not a full answer.
func TestCutOff(t *testing.T) {
	bubble(t, answer.Options{Pages: answer.PageShares{Large: 1}, HubsFail: true}, func(t *testing.T, s *Server, c *http.Client) {
		r, err := c.Get(s.URL(1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, r.Body, 1<<20); err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		c.CloseIdleConnections()
		time.Sleep(time.Second)
		q := s.Counter().Requests(0)
		if len(q) != 1 || q[0].Full || q[0].Bytes < 1<<20 || q[0].Bytes > 2<<20 {
			t.Errorf("recorded %+v", q)
		}
	})
}

// TestTimesFromOutside: durations of a world hold to the nanosecond, in memory, over
// plain connections and TLS.
func TestTimesFromOutside(t *testing.T) {
	for _, https := range []float64{0, 1} {
		o := answer.Options{HTTPS: https, Times: answer.Times{
			Connect: func(_ context.Context, s graph.Site, n uint32) time.Duration {
				return time.Duration(100+s) * time.Millisecond
			},
			FirstByte: func(_ graph.Site, p graph.Page, n uint32) time.Duration {
				return time.Duration(p)*time.Second + time.Duration(n)
			},
			Body: func(_ graph.Site, _ graph.Page, bytes int) time.Duration {
				return time.Duration(bytes) * time.Microsecond
			},
			Size: func(graph.Page) int64 { return 30_000 },
		}}
		bubble(t, o, func(t *testing.T, s *Server, c *http.Client) {
			for n, want := range []time.Duration{100 * time.Millisecond, 1, 2} { // one connection, three attempts
				start := time.Now()
				load(c, s.URL(7))
				if got := time.Since(start); got != want+7*time.Second+30*time.Millisecond {
					t.Errorf("attempt %d took %v", n, got)
				}
			}
		})
	}
}

func TestListenRefuses(t *testing.T) {
	for _, test := range []struct {
		l    Listen
		want string
	}{
		{Listen{HTTP: "0.0.0.0:0"}, "loopback"},
		{Listen{HTTP: "192.0.2.1:80"}, "loopback"},
		{Listen{HTTP: "127.0.0.1"}, "want a loopback address and a port"},
		{Listen{HTTP: "localhost:80"}, "want a loopback address and a port"},
		{Listen{HTTP: "127.0.0.1:0", DNS: "[::]:53"}, "loopback"},
		{Listen{HTTP: "127.0.0.1:0", TLS: ":443"}, "want a loopback"},
		{Listen{HTTP: "127.255.255.254:0", Addresses: 9}, "not all of them are loopback"},
	} {
		s := mustServe(t, smallWeb, answer.Options{})
		if n, err := s.Listen(test.l); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.l, err, test.want)
			if n != nil {
				n.Close()
			}
		}
	}
}

// BenchmarkPage is the cost of an answer without the network: 5 KB, 10 links.
func BenchmarkPage(b *testing.B) {
	for _, coding := range []string{"", "gzip", "br", "zstd"} {
		name := coding
		if name == "" {
			name = "identity"
		}
		b.Run(name, func(b *testing.B) {
			o := answer.Options{MinSize: 5000, MaxSize: 5000, Encodings: []string{"gzip", "br", "zstd"}}
			benchmarkPage(b, mustServe(b, fakeweb.Spec{Pages: 100_000, Sites: 1000, Links: 1_000_000, Seed: 1}, o), coding)
		})
	}
}

func benchmarkPage(b *testing.B, s *Server, coding string) {
	requests := make([]*http.Request, 1000)
	for i := range requests {
		r, err := http.NewRequest("GET", s.URL(graph.Page(97*i)), nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", coding)
		requests[i] = r
	}
	b.ReportAllocs()
	var w nowhereWriter
	for i := 0; b.Loop(); i++ {
		w.header = http.Header{}
		s.ServeHTTP(&w, requests[i%len(requests)])
	}
	b.SetBytes(w.bytes / int64(b.N))
}

type nowhereWriter struct {
	header http.Header
	bytes  int64
}

func (w *nowhereWriter) Header() http.Header { return w.header }
func (w *nowhereWriter) WriteHeader(int)     {}
func (w *nowhereWriter) Write(b []byte) (int, error) {
	w.bytes += int64(len(b))
	return len(b), nil
}

// BenchmarkSockets is a page of 5 KB over loopback: the server and a client that does as
// little as possible share the machine.
func BenchmarkSockets(b *testing.B) {
	s := mustServe(b, fakeweb.Spec{Pages: 100_000, Sites: 1000, Links: 1_000_000, Seed: 1}, answer.Options{MinSize: 5000, MaxSize: 5000})
	n := mustListen(b, s, Listen{HTTP: "127.0.0.1:0"})
	b.RunParallel(func(pb *testing.PB) {
		c, err := net.Dial("tcp", n.HTTP.String())
		if err != nil {
			b.Error(err)
			return
		}
		defer c.Close()
		buf := make([]byte, 1<<16)
		for i := 0; pb.Next(); i++ {
			url := s.URL(graph.Page(97 * i % 100_000))
			host, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
			if _, err := c.Write([]byte("GET /" + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")); err != nil {
				b.Error(err)
				return
			}
			if err := readPage(c, buf); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// readPage reads up to the end of an HTML page.
func readPage(c net.Conn, buf []byte) error {
	const footer = "</body>\n</html>\n"
	for n := 0; ; {
		k, err := c.Read(buf[n:])
		if err != nil {
			return err
		}
		if n += k; n > len(footer) && string(buf[n-len(footer):n]) == footer {
			return nil
		}
	}
}
