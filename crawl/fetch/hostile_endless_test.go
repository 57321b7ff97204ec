package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/event"
	h2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// TestEndlessServers plays servers that never stop talking: in headers, in hints, in
// bodies, in chunks, in trailers. Each exchange ends because of a limit in bytes, not of
// time (none passes), and takes no more from the server than the limits allow.
func TestEndlessServers(t *testing.T) {
	const header, body = 128 << 10, 64 << 10
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, test := range map[string]struct {
		first, again string
		class        event.Class
		most         int // bytes that the server may get rid of
	}{
		"small fields":      {"HTTP/1.1 200 OK\r\n", "a:b\r\n", event.ConnectError, header},
		"one field":         {"HTTP/1.1 200 OK\r\nA: ", "x", event.ConnectError, header},
		"one name":          {"HTTP/1.1 200 OK\r\n", "x", event.ConnectError, header},
		"folded field":      {"HTTP/1.1 200 OK\r\nA: b\r\n", " x\r\n", event.ConnectError, header},
		"status line":       {"HTTP/1.1 200 ", "x", event.ConnectError, header},
		"hints":             {"", "HTTP/1.1 103 Early Hints\r\n\r\n", event.ConnectError, header},
		"hints with fields": {"", "HTTP/1.1 102 Processing\r\nA: " + strings.Repeat("b", 1000) + "\r\n\r\n", event.ConnectError, header},
		"body":              {"HTTP/1.1 200 OK\r\n\r\n", "<p>", event.TooLarge, body},
		"chunks":            {chunked, "3\r\n<p>\r\n", event.TooLarge, 8 * body},
		"chunks of a byte":  {chunked, "1\r\nx\r\n", event.TooLarge, 8 * body},
		"chunk extensions":  {chunked, "1;" + strings.Repeat("x", 1000) + "\r\nx\r\n", event.ConnectError, body},
		"chunk size":        {chunked, "0", event.ConnectError, body},
		"trailers":          {chunked + "0\r\n", "A: b\r\n", event.ConnectError, header},
		"one trailer":       {chunked + "0\r\nA: ", "x", event.ConnectError, header},
		"error body":        {"HTTP/1.1 404 Gone\r\n\r\n", "<p>", event.HTTPError, body},
		"redirect body":     {"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", "<p>", event.Redirect, body},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				said := 0
				more := []byte(strings.Repeat(test.again, 1+1000/len(test.again)))
				a := exchangeWith(t, Options{MaxBody: body, MaxHeader: header}, func(p *player) {
					p.request()
					p.say(test.first)
					for {
						n, err := p.Conn.Write(more)
						if said += n; err != nil {
							return
						}
					}
				})
				if a.Class != test.class || a.End != a.Start || a.Keep || len(a.Body) > body {
					t.Errorf("%v after %v with %d bytes: %s", a.Class, a.End-a.Start, len(a.Body), a.Note)
				}
				if slack := 16 << 10; said > test.most+slack { // buffers of net/http
					t.Errorf("it took %d bytes, want at most %d", said, test.most+slack)
				}
			})
		})
	}
}

// TestHeaderInjection: no URL and no validator can add a line to a request, or a request
// to a connection.
func TestHeaderInjection(t *testing.T) {
	for _, r := range []Request{
		{URL: "http://example.com/a\r\nX-Evil: 1"}, {URL: "http://example.com/a HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET /b"},
		{URL: "http://example.com/?a\nX-Evil: 1"}, {URL: "http://example.com/%0d%0aX-Evil:%201"}, {URL: "http://exa\r\nX-Evil: 1\r\nmple.com/"},
		{URL: "http://example.com\r\nX-Evil: 1/"}, {URL: "http://example.com/a#\r\nX-Evil: 1"}, {URL: "http://me:pass\r\nX-Evil: 1@example.com/"},
		{URL: example, ETag: "\"x\"\r\nX-Evil: 1"}, {URL: example, Modified: "now\nX-Evil: 1"}, {URL: "http://example.com//\r\nX-Evil: 1/%zz"},
	} {
		var sent bytes.Buffer
		s := &script{play: func(p *player) {
			for {
				line, err := p.ReadString('\n')
				if sent.WriteString(line); err != nil || line == "\r\n" {
					break
				}
			}
			p.say("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
		}}
		r.Addrs, r.Last = here, true
		o := Options{Dial: s.dial, AllowPrivate: true}
		c := NewClient(&o)
		a := c.Do(t.Context(), &r)
		c.Close()
		s.done.Wait()
		for line := range strings.Lines(sent.String()) {
			if strings.HasPrefix(line, "X-Evil") || strings.Contains(line, "pass") {
				t.Errorf("%q sends %q", r.URL, sent.String())
			}
		}
		if n := strings.Count(sent.String(), "HTTP/1.1\r\n"); n > 1 || sent.Len() == 0 && !a.Class.Failed() {
			t.Errorf("%q sends %d requests, %v: %q", r.URL, n, a.Class, sent.String())
		}
	}
}

// TestNoCookies: what a site sets is sent to nobody, not even to itself.
func TestNoCookies(t *testing.T) {
	asked := 0
	s := &script{play: func(p *player) {
		for {
			r, ok := p.request()
			if !ok {
				return
			}
			asked++
			for _, name := range []string{"Cookie", "Cookie2", "Referer", "Authorization", "From"} {
				if v := r.Header.Get(name); v != "" {
					t.Errorf("%s: %s", name, v)
				}
			}
			p.say("HTTP/1.1 200 OK\r\nSet-Cookie: id=1; Domain=.example.com\r\nWWW-Authenticate: Basic\r\nContent-Length: 1\r\n\r\na")
		}
	}}
	c := client(t, Options{Dial: s.dial})
	for _, url := range []string{example, example, "http://me:secret@example.com/", "http://other.example/", example} {
		if a := get(c, url); a.Class != event.OK {
			t.Errorf("%s: %s", url, a.Note)
		}
	}
	c.Close()
	s.done.Wait()
	if asked != 5 {
		t.Errorf("%d requests", asked)
	}
}

// TestSpellings: an address in place of a name is the one that the URL standard says,
// whatever its spelling, and is refused where it is private. Here the guard is asked with
// what the normal form of each gives; that the normal form is one is for package page.
func TestSpellings(t *testing.T) {
	dial := func(_ context.Context, _, addr string) (net.Conn, error) {
		t.Errorf("dialled %s", addr)
		return nil, io.EOF
	}
	r := resolver(t, ResolverOptions{Dial: dial})
	for _, host := range []string{"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]",
		"[2002:7f00:1::]", "0.0.0.0", "[::]", "169.254.169.254", "localhost", "LOCALHOST.", "a.localhost", "10.0.0.1", "[fe80::1]", "[fd00::1]"} {
		n, err := r.Lookup(t.Context(), host)
		if err != nil || len(n.Addrs) == 0 {
			t.Errorf("%s: %v, %v", host, n.Addrs, err)
		}
		a := NewClient(&Options{Dial: dial}).Do(t.Context(), &Request{URL: "http://" + host + "/", Addrs: n.Addrs, Last: true})
		if a.Class != event.ConnectError || !strings.Contains(a.Note, "public") {
			t.Errorf("%s: %v %s", host, a.Class, a.Note)
		}
	}
}

// TestExpired: a certificate that was good once is not.
func TestExpired(t *testing.T) {
	s := startServer(t, nil, secure)
	conf := s.trust()
	conf.Time = func() time.Time { return s.Certificate().NotAfter.Add(time.Hour) }
	a := get(client(t, Options{TLS: conf}), s.at("/"))
	if a.Class != event.TLSError || !strings.Contains(a.Note, "expired") || s.requests.Load() != 0 {
		t.Errorf("%v: %s", a.Class, a.Note)
	}
}

// flood is a server of HTTP/2 that says what a function says when it is asked, without
// listening any more. The function gives false when the client has gone.
func flood(t *testing.T, say func(f *h2.Framer, enc func(fields ...string) []byte) error) *Answer {
	s := startServer(t, nil, secure)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: s.TLS.Certificates, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		io.ReadFull(c, make([]byte, len(h2.ClientPreface)))
		f := h2.NewFramer(c, c)
		f.AllowIllegalWrites = true
		f.WriteSettings()
		for { // until the request has come
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if _, ok := frame.(*h2.HeadersFrame); ok {
				break
			}
		}
		go io.Copy(io.Discard, c)
		for say(f, fields) == nil {
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	c := client(t, Options{HTTP2: true, TLS: s.trust(), Total: 300 * time.Millisecond, MaxBody: 64 << 10})
	a := c.Do(t.Context(), &Request{URL: "https://example.com:" + port + "/", Addrs: []netip.Addr{here[0]}})
	c.Close()
	l.Close()
	<-done
	return a
}

// fields packs a header block.
func fields(list ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(list); i += 2 {
		e.WriteField(hpack.HeaderField{Name: list[i], Value: list[i+1]})
	}
	return b.Bytes()
}

// TestHTTP2Floods plays servers that send frames without end. Every exchange ends, as a
// failure or at a limit, and nothing of the connection is left. Streams that a client
// cancels quickly (rapid reset) are an attack on servers; here there is one stream.
func TestHTTP2Floods(t *testing.T) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard) // net/http names each frame it does not know; the command does this, too
	long := strings.Repeat("x", 10_000)
	open := func(f *h2.Framer, enc func(...string) []byte, end bool) error {
		return f.WriteHeaders(h2.HeadersFrameParam{StreamID: 1, BlockFragment: enc(":status", "200", "content-type", "text/html"), EndHeaders: end})
	}
	first := true
	once := func(do func() error) error {
		if first {
			first = false
			return do()
		}
		return nil
	}
	for name, say := range map[string]func(f *h2.Framer, enc func(...string) []byte) error{
		"ping": func(f *h2.Framer, _ func(...string) []byte) error { return f.WritePing(false, [8]byte{1}) },
		"settings": func(f *h2.Framer, _ func(...string) []byte) error {
			return f.WriteSettings(h2.Setting{ID: h2.SettingHeaderTableSize, Val: 1 << 30})
		},
		"windows": func(f *h2.Framer, _ func(...string) []byte) error { return f.WriteWindowUpdate(0, 1) },
		"unknown": func(f *h2.Framer, _ func(...string) []byte) error { return f.WriteRawFrame(0xee, 0, 0, []byte(long)) },
		"priority": func(f *h2.Framer, _ func(...string) []byte) error {
			return f.WritePriority(1, h2.PriorityParam{StreamDep: 3})
		},
		"push": func(f *h2.Framer, enc func(...string) []byte) error {
			return f.WritePushPromise(h2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: enc(":method", "GET"), EndHeaders: true})
		},
		"continuation": func(f *h2.Framer, enc func(...string) []byte) error {
			if err := once(func() error { return open(f, enc, false) }); err != nil {
				return err
			}
			return f.WriteContinuation(1, false, enc("a", long))
		},
		"hints": func(f *h2.Framer, enc func(...string) []byte) error {
			return f.WriteHeaders(h2.HeadersFrameParam{StreamID: 1, BlockFragment: enc(":status", "103", "link", long), EndHeaders: true})
		},
		"empty data": func(f *h2.Framer, enc func(...string) []byte) error {
			if err := once(func() error { return open(f, enc, true) }); err != nil {
				return err
			}
			return f.WriteData(1, false, nil)
		},
		"data without end": func(f *h2.Framer, enc func(...string) []byte) error {
			if err := once(func() error { return open(f, enc, true) }); err != nil {
				return err
			}
			return f.WriteData(1, false, []byte(long))
		},
		"resets": func(f *h2.Framer, _ func(...string) []byte) error { return f.WriteRSTStream(3, h2.ErrCodeCancel) },
		"goaway": func(f *h2.Framer, _ func(...string) []byte) error { return f.WriteGoAway(1<<31-1, h2.ErrCodeNo, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			first = true
			a := flood(t, say)
			if a.Class == event.OK || a.Keep || len(a.Body) > 64<<10 || a.Note == "" && a.Class != event.TooLarge {
				t.Errorf("%v, %d bytes: %s", a.Class, len(a.Body), a.Note)
			}
		})
	}
}

// TestDecodeFloods: streams that hold nothing, again and again, give nothing, and what
// they cost is bounded by their length: they are read once.
func TestDecodeFloods(t *testing.T) {
	var d Decoder
	empty := map[string][]byte{"gzip": pack(t, "gzip", nil), "zstd": {0x28, 0xb5, 0x2f, 0xfd, 0x24, 0, 1, 0, 0, 0x99, 0xe9, 0xd8, 0x51}}
	empty["skip"] = []byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0} // a frame of zstd to be skipped
	for name, member := range empty {
		coding := strings.Replace(name, "skip", "zstd", 1)
		body := bytes.Repeat(member, 1<<20/len(member))
		got, err := d.Decode(nil, body, coding, 1<<20)
		if len(got) > 0 || err != nil && name == "gzip" {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}
