package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

func TestRequestAndAnswer(t *testing.T) {
	var got *http.Request
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Set-Cookie", "a=b")
		io.WriteString(w, "hello")
	}, plain)
	c := client(t, Options{Header: http.Header{"X-All": {"1"}, "From": {"all"}}})
	r := &Request{URL: s.at("/a?b=c"), Addrs: here, Header: http.Header{"from": {"me"}}}
	a := c.Do(context.Background(), r)
	if a.Class != event.OK || a.Status != 200 || a.Reason != "OK" || string(a.Body) != "hello" || a.Cut != CutNot || a.Note != "" {
		t.Fatalf("%+v", a)
	}
	if !slices.Equal(a.Proto, []string{"http/1.1"}) || a.Address != here[0] || a.Conn != 1 || a.Reused || !a.Keep || a.Aborted {
		t.Errorf("%+v", a)
	}
	if a.Bytes < 150 || a.Bytes > 1000 || a.Header.Get("Content-Type") != "text/html" {
		t.Errorf("%d bytes, %v", a.Bytes, a.Header)
	}
	checkPhases(t, a)
	want := http.Header{
		"User-Agent": {"winnow-test"}, "Accept": {accept}, "Accept-Encoding": {codings}, "X-All": {"1"}, "From": {"me"},
	}
	for _, h := range []http.Header{got.Header, a.Request} {
		if len(h) != len(want) {
			t.Errorf("sent %v", h)
		}
		for name := range want {
			if !slices.Equal(h[name], want[name]) {
				t.Errorf("%s: %q", name, h[name])
			}
		}
	}
	if got.RequestURI != "/a?b=c" || got.Method != "GET" {
		t.Errorf("%s %s", got.Method, got.RequestURI)
	}
	a = c.Do(context.Background(), r)
	if !a.Reused || a.Conn != 1 || s.conns.Load() != 1 || got.Header["Cookie"] != nil || got.Header["Referer"] != nil {
		t.Errorf("reused %v, %d connections, %v", a.Reused, s.conns.Load(), got.Header)
	}
}

// TestOneConnection is W9: whatever a client does, servers see one connection of it at a
// time, and none after a last request.
func TestOneConnection(t *testing.T) {
	for name, start := range map[string]func(*httptest.Server){"plain": plain, "tls": secure, "http2": http2} {
		t.Run(name, func(t *testing.T) {
			h := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }
			s := startServer(t, h, start)
			y := new(tally)
			o := Options{HTTP2: true, Dial: y.dial}
			if s.TLS != nil {
				o.TLS = s.trust()
			}
			c := client(t, o)
			ask := func(url string, last bool) *Answer {
				a := c.Do(context.Background(), &Request{URL: url, Addrs: here, Last: last})
				if a.Class != event.OK || a.Keep == last {
					t.Fatalf("%+v", a)
				}
				checkPhases(t, a)
				if said := a.Request.Get("Connection") == "close"; said != (last && name != "http2") {
					t.Errorf("sent %v", a.Request)
				}
				if n := y.open.Load(); last && n != 0 || !last && n != 1 {
					t.Errorf("%d connections open", n)
				}
				return a
			}
			ask(s.at("/1"), false)
			if a := ask(s.at("/2"), true); !a.Reused || a.Conn != 1 {
				t.Errorf("reused %v, connection %d", a.Reused, a.Conn)
			}
			if a := ask(s.at("/3"), false); a.Reused || a.Conn != 2 {
				t.Errorf("reused %v, connection %d", a.Reused, a.Conn)
			}
			// Another site at the same address is another connection.
			if a := ask(strings.Replace(s.at("/4"), "example.com", "127.0.0.1", 1), false); a.Reused || a.Conn != 3 {
				t.Errorf("reused %v, connection %d", a.Reused, a.Conn)
			}
			c.Close()
			if a := ask(s.at("/5"), true); a.Conn != 4 || s.conns.Load() != 4 || s.requests.Load() != 5 {
				t.Errorf("%d connections, %d requests", s.conns.Load(), s.requests.Load())
			}
			if n := y.most.Load(); n != 1 {
				t.Errorf("%d connections at a time", n)
			}
		})
	}
}

func TestProtocols(t *testing.T) {
	h := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }
	for _, test := range []struct {
		start   func(*httptest.Server)
		offered bool
		want    []string
	}{
		{plain, true, []string{"http/1.1"}},
		{secure, true, []string{"http/1.1", "tls/1.3"}},
		{http2, true, []string{"h2", "tls/1.3"}},
		{http2, false, []string{"http/1.1", "tls/1.3"}},
	} {
		s := startServer(t, h, test.start)
		o := Options{HTTP2: test.offered}
		if s.TLS != nil {
			o.TLS = s.trust()
		}
		if a := get(client(t, o), s.at("/")); !slices.Equal(a.Proto, test.want) || a.Status != 200 {
			t.Errorf("%v %d %s, want %v", a.Proto, a.Status, a.Note, test.want)
		}
	}
}

func TestTLSErrors(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {}, secure)
	strangers := &tls.Config{RootCAs: x509.NewCertPool()}
	for name, test := range map[string]struct {
		conf *tls.Config
		url  string
	}{
		"unknown authority": {strangers, s.at("/")},
		"wrong name":        {s.trust(), strings.Replace(s.at("/"), "example.com", "other.example", 1)},
	} {
		y := new(tally)
		a := get(client(t, Options{TLS: test.conf, Dial: y.dial}), test.url)
		if a.Class != event.TLSError || a.Status != 0 || a.Note == "" || a.Conn != 0 || y.most.Load() != 1 || y.open.Load() != 0 {
			t.Errorf("%s: %+v", name, a)
		}
		checkPhases(t, a)
	}
	if n := s.requests.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
	p := startServer(t, func(w http.ResponseWriter, r *http.Request) {}, plain)
	a := get(client(t, Options{}), strings.Replace(p.at("/"), "http:", "https:", 1))
	if a.Class != event.TLSError {
		t.Errorf("no TLS there: %+v", a)
	}
}

// TestClasses is the table of statuses (W29).
func TestClasses(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Path[1:])
		if r.URL.Query().Has("to") {
			w.Header().Set("Location", r.URL.Query().Get("to"))
		}
		w.WriteHeader(status)
		if r.URL.Query().Has("body") {
			io.WriteString(w, "something")
		}
	}, plain)
	c := client(t, Options{})
	for path, want := range map[string]event.Class{
		"/200": event.OK, "/200?body": event.OK, "/203?body": event.OK, "/203": event.NotHTML,
		"/204": event.NotHTML, "/205": event.NotHTML,
		"/301?to=/x": event.Redirect, "/302?to=/x&body": event.Redirect, "/308?to=//e.example/": event.Redirect, "/301": event.HTTPError,
		"/304": event.HTTPError, "/400?body": event.HTTPError, "/404": event.HTTPError, "/410": event.HTTPError,
		"/429": event.ServerError, "/500?body": event.ServerError, "/503": event.ServerError, "/599": event.ServerError,
		"/600": event.HTTPError, "/999": event.HTTPError,
	} {
		a := get(c, s.at(path))
		if a.Class != want || a.Cut != CutNot || !a.Keep {
			t.Errorf("%s: %v, want %v: %+v", path, a.Class, want, a)
		}
		if want == event.Redirect && a.Location == "" || want != event.Redirect && a.Location != "" {
			t.Errorf("%s: Location %q", path, a.Location)
		}
	}
	if n := s.conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestConditions(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"x"` || r.Header.Get("If-Modified-Since") == "then" {
			w.WriteHeader(304)
			return
		}
		io.WriteString(w, "new")
	}, plain)
	c := client(t, Options{})
	for _, r := range []*Request{{ETag: `"x"`}, {Modified: "then"}, {ETag: `"y"`, Modified: "then"}} {
		r.URL, r.Addrs = s.at("/"), here
		if a := c.Do(context.Background(), r); a.Class != event.OK || a.Status != 304 || len(a.Body) != 0 || !a.Keep {
			t.Errorf("%+v", a)
		}
	}
	// What no header can hold is not sent back.
	a := c.Do(context.Background(), &Request{URL: s.at("/"), Addrs: here, ETag: "a\nb", Modified: strings.Repeat("x", 2000)})
	if a.Status != 200 || a.Request["If-None-Match"] != nil || a.Request["If-Modified-Since"] != nil {
		t.Errorf("%+v", a)
	}
}

func TestRetryAfter(t *testing.T) {
	date := func(d time.Duration) string {
		return time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC).Add(d).Format(http.TimeFormat)
	}
	for v, want := range map[string]time.Duration{
		"": 0, "0": 0, "120": 2 * time.Minute, " 7 ": 7 * time.Second, "86400": 24 * time.Hour, "86401": 24 * time.Hour,
		"99999999999999999999": 24 * time.Hour, "-5": 0, "1.5": 0, "soon": 0,
		date(90 * time.Second): 90 * time.Second, date(-time.Hour): 0, date(72 * time.Hour): 24 * time.Hour,
		"Thursday, 02-Jan-20 03:05:05 GMT": time.Minute, // RFC 850
	} {
		if got := retryAfter(http.Header{"Retry-After": {v}, "Date": {date(0)}}); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
	// Without a date of the answer our own clock has to do.
	in := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if got := retryAfter(http.Header{"Retry-After": {in}}); got < 59*time.Minute || got > time.Hour {
		t.Errorf("%v", got)
	}
}

// TestPhasesOfKept: a request over a connection that was open before has no phase of
// connecting, however long the machine took to notice.
func TestPhasesOfKept(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") }, plain)
	ticks := atomic.Int64{}
	c := client(t, Options{Clock: func() time.Duration { return time.Duration(ticks.Add(1)) * time.Millisecond }})
	for i, path := range []string{"/1", "/2", "/3"} {
		a := get(c, s.at(path))
		checkPhases(t, a)
		if a.Reused != (i > 0) || (a.Phases[0] == 0) != a.Reused {
			t.Errorf("%s: reused %v, phases %v", path, a.Reused, a.Phases)
		}
	}
}

// TestEndedBefore: an exchange that was ended before it began sends nothing over a kept
// connection.
func TestEndedBefore(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") }, plain)
	c := client(t, Options{FirstByte: time.Second})
	over, end := context.WithCancel(t.Context())
	end()
	for range 20 {
		if a := get(c, s.at("/")); a.Class != event.OK {
			t.Fatalf("%+v", a)
		}
		if a := c.Do(over, &Request{URL: s.at("/no"), Addrs: here}); !a.Aborted || a.Keep {
			t.Errorf("%+v", a)
		}
	}
	if n := s.requests.Load(); n != 20 {
		t.Errorf("%d requests", n)
	}
}

// TestPlainVersion: an answer that claims another version than HTTP/1 ends the connection.
func TestPlainVersion(t *testing.T) {
	a := exchangeWith(t, Options{}, func(p *player) {
		p.request()
		p.say("HTTP/2.0 200 OK\r\nContent-Length: 1\r\n\r\nx")
		p.gone()
	})
	if a.Class != event.OK || a.Keep || len(a.Proto) != 1 || a.Proto[0] != "http/2.0" {
		t.Errorf("%v, keep %t, %q", a.Class, a.Keep, a.Proto)
	}
}
