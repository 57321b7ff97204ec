package fetch

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// The head of an answer is known byte for byte over HTTP/1, with TLS and without, on new and kept
// connections, through a proxy that sees the request or tunnels it, and however the bytes arrive. HTTP/2 has
// none.
func TestHead(t *testing.T) {
	const early = "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"
	head := func(n int) string {
		return fmt.Sprintf("HTTP/1.1 200 Fine thing\r\nx-ODD: %d\r\nServer:no-space\r\nSet-Cookie: b\r\nset-cookie: a\r\nX-Bytes: gr\xfc\xdfe\r\nContent-type: text/html\r\nTransfer-encoding: chunked\r\n\r\n", n)
	}
	odd := func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		for n := 1; ; n++ {
			text := head(n) + "5\r\nwords\r\n0\r\n\r\n"
			if n == 2 {
				text = early + text
			}
			step := len(text)
			if n == 3 { // byte by byte
				step = 1
			}
			for part := range slices.Chunk([]byte(text), step) {
				if _, err := c.Write(part); err != nil {
					return
				}
			}
			if _, err := http.ReadRequest(rw.Reader); err != nil {
				return
			}
		}
	}
	for name, start := range map[string]func(*httptest.Server){"plain": plain, "tls": secure, "tunnel": secure, "socks": secure, "socks plain": plain} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, odd, start)
			o := Options{}
			if s.TLS != nil {
				o.TLS = s.trust()
			}
			if name == "tunnel" {
				o.Proxy = tunnelTo(t, s)
			}
			if strings.HasPrefix(name, "socks") {
				at, _ := socksTo(t, s)
				o.Proxy = &url.URL{Scheme: "socks5", Host: at}
			}
			c := client(t, o)
			for n := 1; n <= 4; n++ {
				a := get(c, s.at("/"))
				if a.Status != 200 || string(a.Head) != head(n) || string(a.Body) != "words" || !a.Keep || a.Reused != (n > 1) {
					t.Errorf("answer %d: %d %q %q %s, kept %t, reused %t", n, a.Status, a.Head, a.Body, a.Note, a.Keep, a.Reused)
				}
				if secured := slices.ContainsFunc(a.Proto, func(p string) bool { return strings.HasPrefix(p, "tls/1.") }); secured != (s.TLS != nil) {
					t.Errorf("protocols %v", a.Proto)
				}
			}
		})
	}
	t.Run("http2", func(t *testing.T) {
		s := startServer(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "words") }, http2)
		c := client(t, Options{TLS: s.trust(), HTTP2: true})
		if a := get(c, s.at("/")); a.Status != 200 || a.Head != nil || a.Proto[0] != "h2" {
			t.Errorf("%d %q %v %s", a.Status, a.Head, a.Proto, a.Note)
		}
	})
	t.Run("proxy", func(t *testing.T) {
		proxy := startServer(t, func(w http.ResponseWriter, r *http.Request) {
			(&httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, ModifyResponse: func(*http.Response) error { return nil }}).ServeHTTP(w, r)
		}, plain)
		s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["x-lower"] = []string{"1"}
			fmt.Fprint(w, "words")
		}, plain)
		u, err := url.Parse(proxy.URL)
		if err != nil {
			t.Fatal(err)
		}
		c := client(t, Options{Proxy: u})
		if a := get(c, s.URL+"/"); a.Status != 200 || !strings.HasPrefix(string(a.Head), "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(string(a.Head), "\r\n\r\n") {
			t.Errorf("%d %q %s", a.Status, a.Head, a.Note)
		}
	})
}

// tunnelTo returns an HTTP proxy whose tunnels all lead to one server.
func tunnelTo(t *testing.T, to *server) *url.URL {
	proxy := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		far, err := net.Dial("tcp", to.Listener.Addr().String())
		if err != nil || r.Method != http.MethodConnect {
			http.Error(w, "no tunnel", http.StatusBadGateway)
			return
		}
		defer far.Close()
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer near.Close()
		io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() { io.Copy(far, near); far.Close() }()
		io.Copy(near, far)
	}, plain)
	u, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
