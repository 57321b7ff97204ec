package fetch

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
)

// TestCrowd is W8: ten thousand fetches at a time in less than 2 GB. All of them wait for
// their answers here, and what the server needs, which lies in the same memory, counts.
func TestCrowd(t *testing.T) {
	const limit = 200_000 // bytes a fetch
	for name, test := range map[string]struct {
		start func(*httptest.Server)
		n     int
	}{"plain": {plain, 10_000}, "tls": {secure, 300}, "http2": {http2, 300}} { // handshakes take their time
		t.Run(name, func(t *testing.T) {
			n := test.n
			if testing.Short() {
				n = 60
			}
			each := crowd(t, n, test.start)
			t.Logf("%d fetches, %d bytes each, server included", n, each)
			if each > limit {
				t.Errorf("%d bytes a fetch, more than %d", each, limit)
			}
		})
	}
}

// crowd starts n exchanges and gives the memory of each while all of them wait.
func crowd(t *testing.T, n int, start func(*httptest.Server)) int64 {
	var asked, done sync.WaitGroup
	asked.Add(n)
	slots := make(chan struct{}, 50) // handshakes at a time: more would not be quicker
	pipes := &pipes{accept: make(chan net.Conn), done: make(chan struct{})}
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Done()
		<-slots
		<-r.Context().Done()
	}, func(s *httptest.Server) {
		s.Listener.Close()
		s.Listener = pipes
		start(s)
	})
	o := &Options{Dial: pipes.dial, AllowPrivate: true, HTTP2: true, Connect: -1, FirstByte: -1, Total: -1}
	url := "http://example.com/"
	if s.TLS != nil {
		o.TLS, url = s.trust(), "https://example.com/"
	}
	before := used()
	ctx, stop := context.WithCancel(t.Context())
	for range n {
		slots <- struct{}{}
		done.Go(func() {
			if a := NewClient(o).Do(ctx, &Request{URL: url, Addrs: here}); !a.Aborted {
				t.Errorf("%+v", a)
			}
		})
	}
	asked.Wait()
	each := (used() - before) / int64(n)
	stop()
	done.Wait()
	return each
}

// used is the memory of live objects and stacks. What a first collection finds unused, a
// second one has cleared away.
func used() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// pipes is a listener in memory.
type pipes struct {
	accept chan net.Conn
	done   chan struct{}
	once   sync.Once
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	p.accept <- far
	return near, nil
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
