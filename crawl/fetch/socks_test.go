package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// socksTo is a SOCKS5 proxy without login whose connections all lead to one server.
func socksTo(t *testing.T, to *server) (addr string, names chan string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	names = make(chan string, 10)
	serve := func(c net.Conn) {
		defer c.Close()
		b := make([]byte, 300)
		io.ReadFull(c, b[:2])
		io.ReadFull(c, b[:b[1]])
		c.Write([]byte{5, 0})
		io.ReadFull(c, b[:5])
		kind, n := b[3], int(b[4])
		io.ReadFull(c, b[:n+2])
		if kind != 3 {
			names <- "an address"
			return
		}
		names <- string(b[:n])
		far, err := net.Dial("tcp", to.Listener.Addr().String())
		if err != nil {
			return
		}
		c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		go func() { io.Copy(far, c); far.Close() }()
		io.Copy(c, far)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().String(), names
}

// TLS and HTTP/2 go through a SOCKS5 proxy, which gets the name, and one connection serves
// several requests.
func TestSocksTLS(t *testing.T) {
	for scheme, setUp := range map[string]func(*httptest.Server){"socks5": http2, "socks5h": plain} {
		s := startServer(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto+" "+r.RequestURI) }, setUp)
		at, names := socksTo(t, s)
		o := &Options{Proxy: &url.URL{Scheme: scheme, Host: at}, HTTP2: true}
		if s.TLS != nil {
			o.TLS = s.trust()
		}
		c := NewClient(o)
		for _, path := range []string{"/a|b", "/c"} {
			a := c.Do(context.Background(), &Request{URL: s.at(path)})
			if a.Class != event.OK || !strings.HasSuffix(string(a.Body), " "+path) || a.Address.IsValid() || a.Reused != (path == "/c") {
				t.Errorf("%s: %v %q, reused %t: %s", s.at(path), a.Class, a.Body, a.Reused, a.Note)
			}
		}
		c.Close()
		if name := <-names; name != "example.com" {
			t.Errorf("the proxy was asked for %s", name)
		}
	}
}
