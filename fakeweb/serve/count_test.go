package serve

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
)

// memoryClient is an HTTP client over connections in memory, one request at a time to a
// site and no redirects.
func memoryClient(s *Server) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DialContext: s.Dial, TLSClientConfig: s.ClientTLS(), ForceAttemptHTTP2: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// load gets a URL and reads all of it; status 0 is no answer.
func load(c *http.Client, url string) (status int, header http.Header) {
	r, err := c.Get(url)
	if err != nil {
		return 0, nil
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return 0, nil
	}
	return r.StatusCode, r.Header
}

// bubble runs a test in virtual time and ends the servers.
func bubble(t *testing.T, o answer.Options, f func(t *testing.T, s *Server, c *http.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := mustServe(t, smallWeb, o)
		c := memoryClient(s)
		f(t, s, c)
		c.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestPolite: a visitor that keeps every rule is accused of nothing, and the record has
// the instants to the nanosecond.
func TestPolite(t *testing.T) {
	o := answer.Options{
		MinLatency: 50 * time.Millisecond, MaxLatency: time.Second, Speed: 1e5, Slow: 0.1, SlowBy: 20 * time.Second,
		Robots: answer.RobotsShares{Rules: 1, Delay: 0.5}, Pages: answer.PageShares{Busy: 0.3, Reset: 0.1}, NoKeepAlive: 0.3, RetryAfter: 7 * time.Second,
	}
	const delay = 2 * time.Second
	bubble(t, o, func(t *testing.T, s *Server, c *http.Client) {
		// net/http asks again at once when a connection that it used before is reset.
		c.Transport.(*http.Transport).DisableKeepAlives = true
		var all sync.WaitGroup
		for id := range graph.Site(12) {
			all.Go(func() { visitSite(s, c, id, delay) })
		}
		all.Wait()
		demands := count.Demands{Delay: delay}
		if v := s.Counter().Check(demands); len(v) > 0 {
			t.Errorf("%d violations, first %v", len(v), v[0])
		}
		for id := range graph.Site(12) {
			checkInstants(t, s, id)
		}
		m := s.Counter().Summary()
		if m.Sites != 12 || m.MinGap != delay.Seconds() || m.MostOpen != 1 || m.Full == 0 || m.Full != m.Pages || m.Statuses["reset"] == 0 {
			t.Errorf("summary %+v", m)
		}
		if v := s.Counter().Check(count.Demands{Delay: delay + 1}); len(v) == 0 {
			t.Error("a delay longer by a nanosecond was kept, too")
		}
	})
}

// visitSite requests all allowed pages of a site, politely, each until it answers.
func visitSite(s *Server, c *http.Client, id graph.Site, delay time.Duration) {
	truth := s.SiteTruth(id)
	load(c, truth.Origin+"/robots.txt")
	for p := s.Web().Home(id); p < s.Web().Home(id)+graph.Page(min(40, truth.Pages)); p++ {
		e := s.Truth(p)
		if e.Forbidden {
			continue
		}
		wait := max(delay, truth.CrawlDelay)
		for range e.Failures + 1 {
			time.Sleep(wait)
			_, header := load(c, s.URL(p))
			wait = max(delay, truth.CrawlDelay, retryAfter(header))
		}
		time.Sleep(wait - max(delay, truth.CrawlDelay))
	}
}

// retryAfter reads both forms.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if at, err := http.ParseTime(text); err == nil {
		return time.Until(at)
	}
	d, _ := time.ParseDuration(text + "s")
	return d
}

// checkInstants: each answer takes exactly as long as the rules say.
func checkInstants(t *testing.T, s *Server, id graph.Site) {
	t.Helper()
	for _, q := range s.Counter().Requests(id) {
		at := robotsURL(s, id)
		if q.Page != graph.NoPage {
			at = s.URL(q.Page)
		}
		want := delayOf(t, s, at)
		if q.Status != 0 {
			want += time.Duration(float64(q.Bytes) / s.Options().Speed * 1e9)
		}
		if q.End-q.Start != want {
			t.Errorf("site %d page %d took %v, want %v", id, q.Page, q.End-q.Start, want)
		}
	}
}

// delayOf is the time to the first byte of an answer.
func delayOf(t *testing.T, s *Server, link string) time.Duration {
	t.Helper()
	r := httptest.NewRequest("GET", link, nil)
	target, ok := s.Target(r.Host, r.URL)
	if !ok {
		t.Fatalf("%s: no such host", link)
	}
	a := s.Answer(r, &target, answer.State{})
	defer a.Close()
	return a.Delay()
}

// rude are visitors that break one rule each, and what they are accused of.
func TestRude(t *testing.T) {
	robots := answer.RobotsShares{Rules: 1, Forbid: 1}
	second := time.Second
	for _, test := range []struct {
		kind string
		o    answer.Options
		d    count.Demands
		do   func(s *Server, c *http.Client)
	}{
		{count.TooSoon, answer.Options{}, count.Demands{Delay: 2 * second}, func(s *Server, c *http.Client) {
			load(c, robotsURL(s, 0))
			time.Sleep(2 * second)
			load(c, s.URL(0))
			time.Sleep(2*second - 1)
			load(c, s.URL(1))
		}},
		{count.TooSoon, answer.Options{}, count.Demands{Delay: 2 * second, PerConnection: 3}, func(s *Server, c *http.Client) {
			load(c, robotsURL(s, 0))
			for p := range graph.Page(3) {
				load(c, s.URL(p))
			}
		}},
		{count.CrawlDelay, answer.Options{Robots: answer.RobotsShares{Delay: 1, MaxDelay: 10 * second}}, count.Demands{PerConnection: 9}, func(s *Server, c *http.Client) {
			load(c, robotsURL(s, 0))
			time.Sleep(s.SiteTruth(0).CrawlDelay)
			load(c, s.URL(0))
			time.Sleep(s.SiteTruth(0).CrawlDelay - 1)
			load(c, s.URL(1))
		}},
		{count.RetryAfter, answer.Options{Pages: answer.PageShares{Busy: 1}, HubsFail: true}, count.Demands{}, func(s *Server, c *http.Client) {
			load(c, robotsURL(s, 0))
			_, h := load(c, s.URL(1))
			time.Sleep(retryAfter(h) - 1)
			load(c, s.URL(0))
		}},
		{count.TwoAtOnce, answer.Options{MinLatency: second}, count.Demands{}, func(s *Server, c *http.Client) {
			c.Transport.(*http.Transport).TLSClientConfig = s.ClientTLS()
			load(c, robotsURL(s, 0))
			var both sync.WaitGroup
			both.Go(func() { load(c, s.URL(0)) })
			time.Sleep(second / 4)
			both.Go(func() { load(c, s.URL(1)) })
			both.Wait()
		}},
		{count.Forbidden, answer.Options{Robots: robots}, count.Demands{}, func(s *Server, c *http.Client) {
			load(c, robotsURL(s, 0))
			load(c, s.URL(3))
		}},
		{count.BeforeRobots, answer.Options{MinLatency: second}, count.Demands{}, func(s *Server, c *http.Client) {
			load(c, s.URL(0))
			load(c, robotsURL(s, 0))
		}},
		{count.BeforeRobots, answer.Options{Robots: answer.RobotsShares{Busy: 1}}, count.Demands{}, func(s *Server, c *http.Client) {
			_, h := load(c, robotsURL(s, 0))
			time.Sleep(retryAfter(h))
			load(c, s.URL(0))
		}},
		{count.Repeated, answer.Options{}, count.Demands{}, func(s *Server, c *http.Client) {
			load(c, robotsURL(s, 0))
			load(c, s.URL(5))
			load(c, s.URL(5))
		}},
		{count.AddressGap, answer.Options{}, count.Demands{AddressDelay: second}, func(s *Server, c *http.Client) {
			load(c, robotsURL(s, 0))
			time.Sleep(second - 1)
			load(c, robotsURL(s, 1))
		}},
		{count.AddressAtOnce, answer.Options{MinLatency: second}, count.Demands{AddressCap: 1}, func(s *Server, c *http.Client) {
			var both sync.WaitGroup
			both.Go(func() { load(c, robotsURL(s, 0)) })
			both.Go(func() { load(c, robotsURL(s, 1)) })
			both.Wait()
		}},
	} {
		t.Run(test.kind, func(t *testing.T) {
			bubble(t, test.o, func(t *testing.T, s *Server, c *http.Client) {
				test.do(s, c)
				found := s.Counter().Check(test.d)
				if test.kind == count.TwoAtOnce { // takes two connections, and leaves no gap
					found = dropKind(found, count.Connections)
				}
				if len(found) != 1 || found[0].Kind != test.kind {
					t.Errorf("accused of %v, want one %s", found, test.kind)
				}
			})
		})
	}
}

func dropKind(v []count.Violation, kind string) (kept []count.Violation) {
	for _, x := range v {
		if x.Kind != kind {
			kept = append(kept, x)
		}
	}
	return kept
}

// TestConnections: two connections to a site at a time are seen, one after the other is
// fine, also when the visitor does not wait until the server noticed.
func TestConnections(t *testing.T) {
	ask := func(c *http.Client, s *Server, urls ...string) {
		for _, u := range urls {
			load(c, u)
		}
	}
	bubble(t, answer.Options{}, func(t *testing.T, s *Server, c *http.Client) {
		other := memoryClient(s)
		ask(c, s, robotsURL(s, 0), s.URL(0), s.URL(1))
		c.CloseIdleConnections()
		ask(other, s, s.URL(2))
		if r := s.Counter().Site(0); r.Connections != 2 || r.MostOpen != 1 || len(r.Overlaps) > 0 {
			t.Errorf("one after the other: %+v", r)
		}
		ask(c, s, s.URL(3))
		r := s.Counter().Site(0)
		if r.Connections != 3 || r.MostOpen != 2 || len(r.Overlaps) != 1 || r.Overlaps[0].Open != 2 {
			t.Errorf("two at once: %+v", r)
		}
		if v := s.Counter().Check(count.Demands{}); len(v) != 1 || v[0].Kind != count.Connections || v[0].N != 2 {
			t.Errorf("accused of %v", v)
		}
		ask(c, s, robotsURL(s, 1)) // another site is another matter
		if r := s.Counter().Site(1); r.MostOpen != 1 {
			t.Errorf("site 1: %+v", r)
		}
		other.CloseIdleConnections()
	})
}

// TestCountsExactly asks over real sockets from many goroutines at once.
func TestCountsExactly(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{MinSize: 1000, MaxSize: 3000})
	n, err := s.Listen(Listen{HTTP: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	const visitors = 8
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, DialContext: to(n.HTTP.String())}}
	var all sync.WaitGroup
	for v := range visitors {
		all.Go(func() {
			for p := graph.Page(v); p < 600; p += visitors / 2 { // the first four pages once, the others twice
				if status, _ := load(c, s.URL(p)); status != 200 {
					t.Errorf("page %d: %d", p, status)
				}
			}
		})
	}
	all.Wait()
	c.CloseIdleConnections()
	for p, n := range s.Counter().Answered() {
		if want := min(uint32(p/(visitors/2))+1, 2); p < 600 && n != want || p >= 600 && n != 0 {
			t.Fatalf("page %d was answered %d times, want %d", p, n, want)
		}
	}
	m := s.Counter().Summary()
	if m.Requests != 1196 || m.Full != 1196 || m.Pages != 600 || m.Statuses["200"] != 1196 {
		t.Errorf("summary %+v", m)
	}
	if _, err := json.Marshal(s.Counter().Site(0)); err != nil {
		t.Error(err)
	}
}

// to dials one address, whatever the name.
func to(addr string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}
}

// TestRestart: two visitors one after the other are one to the counter, and the second
// may not come sooner than the first had to.
func TestRestart(t *testing.T) {
	bubble(t, answer.Options{}, func(t *testing.T, s *Server, c *http.Client) {
		load(c, robotsURL(s, 0))
		time.Sleep(2 * time.Second)
		load(c, s.URL(0))
		c.CloseIdleConnections() // killed
		again := memoryClient(s)
		time.Sleep(time.Second)
		load(again, s.URL(1))
		v := s.Counter().Check(count.Demands{Delay: 2 * time.Second})
		if len(v) != 1 || v[0].Kind != count.TooSoon || v[0].Got != time.Second || v[0].Page != 1 {
			t.Errorf("accused of %v", v)
		}
		if text := v[0].String(); !strings.Contains(text, "gap page 1 1s, want 2s") {
			t.Errorf("says %q", text)
		}
		again.CloseIdleConnections()
	})
}

// TestAddressConnections: connections to an address count from the moment they are open,
// with a request or without, until the visitor closes them.
func TestAddressConnections(t *testing.T) {
	bubble(t, answer.Options{}, func(t *testing.T, s *Server, _ *http.Client) {
		dial := func(id graph.Site, port string) net.Conn {
			c, err := s.Dial(t.Context(), "tcp", net.JoinHostPort(s.Address(id).String(), port))
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return c
		}
		a := dial(0, "80")
		a.Close()
		b := dial(0, "80") // right after the other
		if m := s.Counter().Summary(); m.MostAtIP != 1 {
			t.Errorf("one after the other: %d at once", m.MostAtIP)
		}
		c := dial(0, "443") // the same address
		if m := s.Counter().Summary(); m.MostAtIP != 2 {
			t.Errorf("two schemes of a host: %d at once", m.MostAtIP)
		}
		if v := s.Counter().Check(count.Demands{AddressCap: 2}); len(v) > 0 {
			t.Errorf("accused of %v", v)
		}
		if v := s.Counter().Check(count.Demands{AddressCap: 1}); len(v) != 1 || v[0].Kind != count.AddressConnections || v[0].N != 2 {
			t.Errorf("accused of %v, want one %s", v, count.AddressConnections)
		}
		b.Close()
		c.Close()
	})
}
