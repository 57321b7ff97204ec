package crawl

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// A lineWeb is a server in memory that does with its connections what a test wants. It
// speaks HTTP/1.1, or TLS with HTTP/2.
type lineWeb struct {
	*handWeb
	conns atomic.Int32
}

// A lineListener is a listener in memory that may be closed twice.
type lineListener struct {
	pipeListener
	once sync.Once
}

func (l *lineListener) Close() error {
	l.once.Do(func() { l.pipeListener.Close() })
	return nil
}

// A serverLine is a connection as the server sees it.
type serverLine struct {
	net.Conn
	requests int // so far; one at a time
}

type serverLineKey struct{}

// lineOf returns the connection of a request, and counts the request.
func lineOf(r *http.Request) *serverLine {
	l := r.Context().Value(serverLineKey{}).(*serverLine)
	l.requests++
	return l
}

// newLineWeb starts the server. idle is the time after which it closes connections.
func newLineWeb(t *testing.T, http2 bool, idle time.Duration, hosts map[string]http.HandlerFunc, seeds ...string) *lineWeb {
	w := &lineWeb{handWeb: newHandWeb(t, hosts, seeds...)}
	pipes := &lineListener{pipeListener: make(pipeListener)}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.asked = append(w.asked, r.Host+r.URL.Path)
		w.mu.Unlock()
		hosts[r.Host](rw, r)
	}))
	s.Listener.Close()
	s.Listener, s.Config.IdleTimeout = pipes, idle
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		w.conns.Add(1)
		return context.WithValue(ctx, serverLineKey{}, &serverLine{Conn: c})
	}
	if s.EnableHTTP2 = http2; http2 {
		s.StartTLS()
		pool := x509.NewCertPool()
		pool.AddCert(s.Certificate())
		w.o.Machine.TLS = &tls.Config{RootCAs: pool}
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	w.o.Machine.Dial = pipes.dial
	w.o.Config.DelayFactor, w.o.Config.Sitemaps, w.o.Config.Duplicates = 0, false, false
	return w
}

// eachProtocol runs a test in virtual time with HTTP/1.1 and with HTTP/2, with the seed of
// the host example.com.
func eachProtocol(t *testing.T, f func(t *testing.T, http2 bool, seed string)) {
	for name, seed := range map[string]string{"HTTP1": "http://example.com/", "HTTP2": "https://example.com/"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, name == "HTTP2", seed) })
		})
	}
}

// asksOnce demands that every URL was requested once, by the count of the server.
func (w *lineWeb) asksOnce(t *testing.T, urls int) {
	t.Helper()
	if list := slices.Sorted(slices.Values(w.asked)); len(list) != urls || len(slices.Compact(list)) != urls {
		t.Errorf("%d URLs were requested: %v", urls, w.asked)
	}
}

// crawlAll crawls, and demands that nothing fails.
func (w *lineWeb) crawlAll(t *testing.T, pages int64) *Summary {
	t.Helper()
	sum := w.run(t)
	if sum.Fetched != pages || sum.Failed != 0 || sum.Why != whyFinished {
		t.Errorf("%s with %d pages, %d failed", sum.Why, sum.Fetched, sum.Failed)
	}
	clean(t, w.verify(t))
	return sum
}

// retries returns how often pages were to be requested again.
func (w *lineWeb) retries(t *testing.T) int64 {
	t.Helper()
	c := w.history(t)
	defer c.Close()
	trail, err := c.Trail()
	if err != nil {
		t.Fatal(err)
	}
	return trail.Retries
}

// numbers returns how many connections the journal names.
func (w *lineWeb) numbers(t *testing.T) int {
	t.Helper()
	seen := map[uint32]bool{}
	dir, _ := w.disk.open(layout.JournalDir)
	_, err := journal.Read(dir, 0, func(r *journal.Record) error {
		if e := &r.Event; e.Kind == event.Took && e.Task.Kind != event.Resolve {
			seen[r.Facts.Conn] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(seen)
}

// A server that closes connections before the next request to its site costs neither an
// attempt nor a second request.
func TestLineClosedByServer(t *testing.T) {
	eachProtocol(t, func(t *testing.T, http2 bool, seed string) {
		w := newLineWeb(t, http2, time.Second, map[string]http.HandlerFunc{"example.com": ownPage(many(6, "x")...)}, seed)
		w.crawlAll(t, 7)
		if n := w.retries(t); n > 0 || w.conns.Load() != 8 {
			t.Errorf("%d retries, %d connections", n, w.conns.Load())
		}
		if n := w.numbers(t); n != 8 {
			t.Errorf("the journal has %d connections", n)
		}
		w.asksOnce(t, 8)
	})
}

// Nor does one that closes them at the very moment of the next request.
func TestLineClosedAtOnce(t *testing.T) {
	eachProtocol(t, func(t *testing.T, http2 bool, seed string) {
		w := newLineWeb(t, http2, 2*time.Second, map[string]http.HandlerFunc{"example.com": ownPage(many(6, "x")...)}, seed)
		w.o.Config.Retries = 0
		w.crawlAll(t, 7)
		w.asksOnce(t, 8)
	})
}

// dropsKept answers the first request of a connection. At the next one it closes the
// connection without an answer.
func dropsKept(next http.HandlerFunc) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if l := lineOf(r); l.requests > 1 {
			l.Close()
			panic(http.ErrAbortHandler)
		}
		next(rw, r)
	}
}

// A server that drops every connection that serves a second request costs one request more
// and no attempt. After that each of its pages has a connection of its own, also where
// several pages may follow each other.
func TestLineDropped(t *testing.T) {
	for _, inRow := range []int{1, 5} {
		eachProtocol(t, func(t *testing.T, http2 bool, seed string) {
			w := newLineWeb(t, http2, time.Hour, map[string]http.HandlerFunc{"example.com": dropsKept(ownPage(many(9, "x")...))}, seed)
			w.o.Config.Retries, w.o.Config.PerConnection = 0, inRow
			w.crawlAll(t, 10)
			if n := w.retries(t); n != 1 || len(w.asked) != 12 {
				t.Errorf("%d pages in a row: %d retries, %d requests: %v", inRow, n, len(w.asked), w.asked)
			}
		})
	}
}

// The robots.txt of a site is requested again soon after a kept connection was dropped.
func TestLineDroppedRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLineWeb(t, false, time.Hour, map[string]http.HandlerFunc{
			"a.example": movedRobots("http://b.example/rules.txt"),
			"b.example": func(rw http.ResponseWriter, r *http.Request) {
				if l := lineOf(r); r.URL.Path == "/rules.txt" && l.requests > 1 {
					l.Close()
					panic(http.ErrAbortHandler)
				}
				ownPage(append(many(9, "x"), "http://a.example/")...)(rw, r)
			},
		}, "http://b.example/")
		w.o.Config.RobotsRetry = config.Seconds(3600)
		sum := w.crawlAll(t, 12)
		if n := countOf(w.asked, "b.example/rules.txt"); n != 2 || sum.Ran > 2*time.Minute {
			t.Errorf("%d requests for the robots.txt, %v", n, sum.Ran)
		}
	})
}

// A request that fails on a connection that stays alive is an attempt like any other.
func TestLineStreamReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLineWeb(t, true, time.Hour, map[string]http.HandlerFunc{"example.com": func(rw http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "3") {
				panic(http.ErrAbortHandler)
			}
			ownPage(many(6, "x")...)(rw, r)
		}}, "https://example.com/")
		w.o.Config.Retries = 1
		if sum := w.run(t); sum.Fetched != 6 || sum.Failed != 1 {
			t.Errorf("%s with %d pages, %d failed", sum.Why, sum.Fetched, sum.Failed)
		}
		if len(w.asked) != 9 {
			t.Errorf("%d requests: %v", len(w.asked), w.asked)
		}
	})
}

// A server that says for how long it keeps a connection open is believed: a connection that
// it would close before the next request is closed at once.
func TestLineKeepAliveHeader(t *testing.T) {
	for says, conns := range map[string]int32{"timeout=3, max=100": 8, "timeout=60": 1, "max=5": 1} {
		synctest.Test(t, func(t *testing.T) {
			w := newLineWeb(t, false, 0, map[string]http.HandlerFunc{"example.com": func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Keep-Alive", says)
				ownPage(many(6, "x")...)(rw, r)
			}}, "http://example.com/")
			w.o.Config.Delay = config.Seconds(4)
			w.crawlAll(t, 7)
			if w.conns.Load() != conns {
				t.Errorf("%s: %d connections, want %d", says, w.conns.Load(), conns)
			}
		})
	}
}
