package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// TestTarget: what is sent is what stands in the URL, byte for byte.
func TestTarget(t *testing.T) {
	var got []string
	h := func(w http.ResponseWriter, r *http.Request) { got = append(got, r.Host+" "+r.RequestURI) }
	plainly, http2 := startServer(t, h, plain), startServer(t, h, http2)
	over := client(t, Options{HTTP2: true, TLS: http2.trust()})
	for rest, want := range map[string]string{
		"": "/", "/": "/", "?a": "/?a", "/?": "/?", "/a%2Fb/%c3%A4": "/a%2Fb/%c3%A4", "/a|b^c": "/a|b^c",
		"//double/": "//double/", "/a//b": "/a//b", "/a;b=c,d:e@f!$&'()*+": "/a;b=c,d:e@f!$&'()*+", "/q?a=%zz&b=%20+c?d": "/q?a=%zz&b=%20+c?d",
		"/a#b": "/a", "/x/..;/y": "/x/..;/y", "/~u/": "/~u/", `/a"b`: `/a"b`,
	} {
		for c, s := range map[*Client]*server{client(t, Options{}): plainly, over: http2} {
			got = nil
			if a := get(c, s.at("")+rest); a.Status != 200 {
				t.Fatalf("%s: %+v", rest, a)
			}
			u, _ := url.Parse(s.at(""))
			if !slices.Equal(got, []string{u.Host + " " + want}) {
				t.Errorf("%s: sent %q, want %q", rest, got, want)
			}
		}
	}
	for _, bad := range []string{"", "example.com", "ftp://example.com/", "http:///x", "http://?x", "http://user@/"} {
		if u, err := target(bad, false); err == nil {
			t.Errorf("%q: %v", bad, u)
		}
	}
	if u, err := target("http://me:secret@example.com/", false); err != nil || u.Host != "example.com" || u.User != nil {
		t.Errorf("%v %v", u, err)
	}
}

// TestTargetRefusedByGo: paths that servers in Go do not take, but others do.
func TestTargetRefusedByGo(t *testing.T) {
	for path, want := range map[string]string{
		"/%zz%": "/%zz%", "/a%2": "/a%2", "//x/%zz?q": "http://example.com//x/%zz?q", // in absolute form, to be told from a host
	} {
		line := ""
		s := &script{play: func(p *player) {
			line, _ = p.ReadString('\n')
			p.say("HTTP/1.1 200 OK\r\n\r\n")
		}}
		a := get(client(t, Options{Dial: s.dial}), "http://example.com"+path)
		if s.done.Wait(); line != "GET "+want+" HTTP/1.1\r\n" {
			t.Errorf("%s: sent %q: %+v", path, line, a)
		}
	}
}

// proxy is a small HTTP proxy that knows one server.
func proxy(t *testing.T, to *server) (p *server, seen *[]string) {
	seen = new([]string)
	p = startServer(t, func(w http.ResponseWriter, r *http.Request) {
		*seen = append(*seen, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		if ua := r.UserAgent(); ua != "x" {
			t.Errorf("%s: the proxy hears of %q", r.RequestURI, ua)
		}
		if r.Method != http.MethodConnect {
			io.WriteString(w, "through a proxy")
			return
		}
		if !strings.HasPrefix(r.Host, "example.com:") {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		far, err := net.Dial("tcp", to.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		near, _, _ := w.(http.Hijacker).Hijack()
		io.WriteString(near, "HTTP/1.1 200 Connected\r\n\r\n")
		go func() { io.Copy(far, near); far.Close() }()
		io.Copy(near, far)
		near.Close()
	}, plain)
	return p, seen
}

func TestProxy(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "over "+r.Proto) }, func(s *httptest.Server) { http2(s) })
	p, seen := proxy(t, s)
	at, _ := url.Parse(p.URL)
	at.User = url.UserPassword("me", "secret")
	c := NewClient(&Options{Proxy: at, TLS: s.trust(), HTTP2: true, UserAgent: "x"})
	defer c.Close()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for _, test := range []struct {
		url, body, seen string
		addrs           []netip.Addr
		class           event.Class
	}{
		{"http://example.com/a?b", "through a proxy", "GET http://example.com/a?b Basic bWU6c2VjcmV0", nil, event.OK},
		{"http://example.com/a|b?c", "through a proxy", "GET http://example.com/a|b?c Basic bWU6c2VjcmV0", nil, event.OK},
		{s.at("/"), "over HTTP/2.0", "CONNECT example.com:" + port + " Basic bWU6c2VjcmV0", nil, event.OK},
		{"https://other.example/", "", "CONNECT other.example:443 Basic bWU6c2VjcmV0", nil, event.ConnectError},
		{"http://example.com/", "", "", here, event.ConnectError},
		{"http://169.254.169.254/latest/", "", "", nil, event.ConnectError},
		{"http://[::1]/", "", "", nil, event.ConnectError},
	} {
		*seen = nil
		a := c.Do(context.Background(), &Request{URL: test.url, Addrs: test.addrs})
		if got := strings.Join(*seen, ", "); a.Class != test.class || string(a.Body) != test.body || got != test.seen || a.Address.IsValid() {
			t.Errorf("%s: %v %q %q: %s", test.url, a.Class, a.Body, got, a.Note)
		}
	}
}

func TestPrivate(t *testing.T) {
	private := `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 169.254.169.254
		172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.9
		224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
		:: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1
		2001::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 3fff::1`
	for s := range strings.FieldsSeq(private) {
		if !Private(netip.MustParseAddr(s)) {
			t.Errorf("%s is not private", s)
		}
	}
	if !Private(netip.Addr{}) {
		t.Error("no address is not private")
	}
	public := `1.1.1.1 8.8.8.8 93.184.215.14 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 192.167.1.1 198.17.0.1 198.20.0.1
		223.255.255.255 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 2606:4700::1111 2001:4860:4860::8888 2a00:1450::1`
	for s := range strings.FieldsSeq(public) {
		if Private(netip.MustParseAddr(s)) {
			t.Errorf("%s is private", s)
		}
	}
}

func TestBadPort(t *testing.T) {
	if !slices.IsSorted(badPorts) {
		t.Error("the list is not sorted")
	}
	for port, want := range map[uint16]bool{0: true, 22: true, 25: true, 80: false, 443: false, 6000: true, 8080: false, 10080: true, 65535: false} {
		if BadPort(port) != want {
			t.Errorf("%d: %v", port, !want)
		}
	}
}
