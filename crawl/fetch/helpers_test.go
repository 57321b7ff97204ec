package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var here = []netip.Addr{netip.MustParseAddr("127.0.0.1")}

// server is an httptest server that counts what it sees.
type server struct {
	*httptest.Server
	conns, requests atomic.Int32
}

// startServer starts a server; start is (*httptest.Server).Start or StartTLS.
func startServer(t testing.TB, h http.HandlerFunc, start func(*httptest.Server)) *server {
	s := new(server)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		h(w, r)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	start(s.Server)
	t.Cleanup(s.Close)
	return s
}

func plain(s *httptest.Server)  { s.Start() }
func secure(s *httptest.Server) { s.StartTLS() }
func http2(s *httptest.Server)  { s.EnableHTTP2 = true; s.StartTLS() }

// trust is a client's TLS configuration for a server under the name example.com.
func (s *server) trust() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{RootCAs: pool}
}

// at is the URL of a path under the name example.com, with the server's port.
func (s *server) at(path string) string {
	scheme := "http"
	if s.TLS != nil {
		scheme = "https"
	}
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return scheme + "://example.com:" + port + path
}

func client(t testing.TB, o Options) *Client {
	o.AllowPrivate = true
	if o.UserAgent == "" {
		o.UserAgent = "winnow-test"
	}
	c := NewClient(&o)
	t.Cleanup(c.Close)
	return c
}

func get(c *Client, url string) *Answer {
	return c.Do(context.Background(), &Request{URL: url, Addrs: here})
}

// tally counts the connections of clients, as these see them.
type tally struct{ open, most atomic.Int32 }

func (y *tally) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	y.most.Store(max(y.most.Load(), y.open.Add(1)))
	return &tallied{Conn: c, y: y}, nil
}

type tallied struct {
	net.Conn
	y    *tally
	once sync.Once
}

func (c *tallied) Close() error {
	defer c.once.Do(func() { c.y.open.Add(-1) })
	return c.Conn.Close()
}

// script is a network in memory with a server that does what a function says on each
// connection. The function gets requests read by net/http and writes raw bytes.
type script struct {
	mu    sync.Mutex
	dials []string
	play  func(p *player)
	pair  func() (near, far net.Conn) // nil: net.Pipe
	done  sync.WaitGroup
}

// sockets returns the ends of a connection over loopback.
func sockets() (near, far net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
		panic(err)
	}
	if far, err = l.Accept(); err != nil {
		panic(err)
	}
	return near, far
}

type player struct {
	net.Conn
	*bufio.Reader
	n int // number of the connection, from 0 on
}

func (s *script) dial(_ context.Context, _, addr string) (net.Conn, error) {
	pair := s.pair
	if pair == nil {
		pair = net.Pipe
	}
	near, far := pair()
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.dials)
	s.dials = append(s.dials, addr)
	s.done.Go(func() {
		defer far.Close()
		s.play(&player{far, bufio.NewReader(far), n})
	})
	return near, nil
}

func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.dials)
}

// Read settles which of the two it is.
func (p *player) Read(b []byte) (int, error) { return p.Reader.Read(b) }

// request reads a request; false: the client has gone.
func (p *player) request() (*http.Request, bool) {
	r, err := http.ReadRequest(p.Reader)
	return r, err == nil
}

func (p *player) say(s string) { io.WriteString(p.Conn, s) }

// gone waits until the client has closed the connection.
func (p *player) gone() { io.Copy(io.Discard, p.Reader) }

const example = "http://example.com/page"

// exchangeWith makes one exchange with a server that plays a script.
func exchangeWith(t testing.TB, o Options, play func(p *player)) *Answer {
	s := &script{play: play}
	o.Dial = s.dial
	c := client(t, o)
	a := get(c, example)
	c.Close()
	s.done.Wait()
	return a
}

func checkPhases(t testing.TB, a *Answer) {
	t.Helper()
	var sum time.Duration
	for _, d := range a.Phases {
		if d < 0 {
			t.Errorf("phases %v", a.Phases)
		}
		sum += d
	}
	if sum != a.End-a.Start {
		t.Errorf("phases %v do not make %v", a.Phases, a.End-a.Start)
	}
}
