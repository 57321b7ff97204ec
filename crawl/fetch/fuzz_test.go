package fetch

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// parrot is a connection on which a server says what it always says, and hangs up.
type parrot struct {
	said  *bytes.Reader
	asked chan struct{}
	done  chan struct{}
}

func (p *parrot) Read(b []byte) (int, error) {
	select {
	case <-p.asked:
		return p.said.Read(b)
	case <-p.done:
		return 0, net.ErrClosed
	}
}

func (p *parrot) Write(b []byte) (int, error) {
	if bytes.HasSuffix(b, []byte("\r\n\r\n")) {
		close(p.asked)
	}
	return len(b), nil
}

func (p *parrot) Close() error {
	select {
	case <-p.done:
	default:
		close(p.done)
	}
	return nil
}

func (p *parrot) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (p *parrot) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (p *parrot) SetDeadline(time.Time) error      { return nil }
func (p *parrot) SetReadDeadline(time.Time) error  { return nil }
func (p *parrot) SetWriteDeadline(time.Time) error { return nil }

// FuzzAnswer is W37: whatever a server says, there is an answer within the limits.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.0 302\r\nLocation: http://\x80/\r\nRetry-After: Thu\r\n\r\n",
		"HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 503 Busy\r\nRetry-After: 10\r\n\r\n",
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n",
		"HTTP/1.1 101 X\r\nConnection: upgrade\r\n\r\n",
		"SSH-2.0\r\n",
		"HTTP/0.0 000 \n\n0",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		const limit = 1000
		dial := func(context.Context, string, string) (net.Conn, error) {
			return &parrot{bytes.NewReader(said), make(chan struct{}), make(chan struct{})}, nil
		}
		c := NewClient(&Options{Dial: dial, AllowPrivate: true, MaxBody: limit})
		a := c.Do(t.Context(), &Request{URL: example, Addrs: here, ETag: `"x"`, Last: true})
		checkPhases(t, a)
		switch {
		case len(a.Body) > limit || a.Keep || a.Aborted || len(a.Note) > 210 || strings.ContainsAny(a.Note, "\n\x1b"):
			t.Errorf("%+v", a)
		case a.Status == 0 && a.Class != event.ConnectError && a.Class != event.Timeout:
			t.Errorf("%+v", a)
		case a.Class == event.Redirect && a.Location == "", a.RetryAfter < 0, a.RetryAfter > 24*time.Hour:
			t.Errorf("%+v", a)
		case a.Class == event.OK && a.Cut != CutNot:
			t.Errorf("%+v", a)
		}
	})
}

// BenchmarkDo requests pages of 10 KB over sockets; the server works on the same cores.
func BenchmarkDo(b *testing.B) {
	page := bytes.Repeat([]byte("0123456789"), 1000)
	for name, start := range map[string]func(*httptest.Server){"plain": plain, "tls": secure, "http2": http2} {
		for _, last := range []bool{false, true} {
			b.Run(name+map[bool]string{false: "/kept", true: "/new"}[last], func(b *testing.B) {
				s := startServer(b, func(w http.ResponseWriter, r *http.Request) { w.Write(page) }, start)
				o := Options{HTTP2: true, Buffers: new(Buffers)}
				if s.TLS != nil {
					o.TLS = s.trust()
				}
				c := client(b, o)
				r := &Request{URL: s.at("/"), Addrs: here, Last: last}
				b.ReportAllocs()
				for b.Loop() {
					a := c.Do(context.Background(), r)
					if len(a.Body) != len(page) {
						b.Fatalf("%+v", a)
					}
					o.Buffers.Give(a.Body)
				}
			})
		}
	}
}
