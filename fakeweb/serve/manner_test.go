package serve

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
)

// answered is what a client has got of an answer.
type answered struct {
	status int // 0: no header
	body   []byte
	err    error // that ended it
	after  time.Duration
	header http.Header
}

// visitFor requests a URL and reads up to so many bytes within a time limit.
func visitFor(c *http.Client, url string, limit time.Duration, most int64) (a answered) {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	start := time.Now()
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return answered{err: err}
	}
	r.Header.Set("Accept-Encoding", "gzip")
	resp, err := c.Do(r)
	if a.err = err; err == nil {
		a.status, a.header = resp.StatusCode, resp.Header
		a.body, a.err = io.ReadAll(io.LimitReader(resp.Body, most))
		resp.Body.Close()
	}
	a.after = time.Since(start)
	return a
}

// mannerPage is neither a home nor an index page: all shares meet it.
const mannerPage = 3

// TestManners: what a client gets of pages that break the rules is what the truth says, in
// virtual time, over HTTP/1.1 and HTTP/2; and a visitor that leaves is accused of nothing.
func TestManners(t *testing.T) {
	const patience, most = time.Minute, 1 << 20
	eof := io.ErrUnexpectedEOF
	for _, test := range []struct {
		c       answer.Class
		status  int
		err     error // nil: read up to the limit or the end
		least   int   // bytes
		for1min bool  // until the visitor had no patience any more
	}{
		{answer.Hang, 0, context.DeadlineExceeded, 0, true},
		{answer.Drip, 200, context.DeadlineExceeded, 60, true},
		{answer.CutHeader, 0, eof, 0, false},
		{answer.CutBody, 200, eof, 1000, false},
		{answer.EndlessHeader, 0, nil, 0, false},
		{answer.EndlessBody, 200, nil, most, false},
		{answer.FalseLength, 200, eof, 2000, false},
	} {
		for _, https := range []float64{0, 1} {
			o := answer.Options{HTTPS: https, CutTimes: -1}
			*o.Shares()[slices.IndexFunc(o.Shares(), func(s answer.Share) bool { return s.Name == strings.ReplaceAll(test.c.String(), " ", "-") })].Value = 1
			bubble(t, o, func(t *testing.T, s *Server, c *http.Client) {
				c.Transport.(*http.Transport).MaxResponseHeaderBytes = 128 << 10
				load(c, robotsURL(s, 0))
				e := s.Truth(mannerPage)
				if e.Class != test.c || e.Status != test.status || e.Whole || e.Fetched() {
					t.Fatalf("truth %+v, want %v", e, test.c)
				}
				a := visitFor(c, s.URL(mannerPage), patience, most)
				if a.status != test.status || len(a.body) < test.least || (a.after == patience) != test.for1min {
					t.Errorf("%v over TLS %v: %d, %d bytes after %v, %v", test.c, https, a.status, len(a.body), a.after, a.err)
				}
				if errors.Is(a.err, context.DeadlineExceeded) != test.for1min || (a.err == nil) != (test.c == answer.EndlessBody) {
					t.Errorf("%v over TLS %v: error %v, want %v", test.c, https, a.err, test.err)
				}
				c.CloseIdleConnections()
				time.Sleep(time.Second)
				log := s.Counter().Requests(0)
				if q := log[1]; len(log) != 2 || q.Full || int(q.Status) != test.status || q.Kind != answer.KindPage || q.End > q.Start+a.after || q.Bytes < int64(test.least) {
					t.Errorf("%v over TLS %v: recorded %+v", test.c, https, log)
				}
				// What the visitor broke off ended when the server last knew it to be there.
				if last := log[1].End - log[1].Start; test.c == answer.Hang && last != 0 || test.c == answer.Drip && (last < 57*time.Second || last > 59*time.Second) {
					t.Errorf("%v over TLS %v: ended after %v", test.c, https, last)
				}
				load(c, s.URL(0))
				if v := s.Counter().Check(count.Demands{Delay: time.Second}); test.for1min && len(v) != 1 { // the page right behind robots.txt
					t.Errorf("%v over TLS %v: accused of %v", test.c, https, v)
				}
			})
		}
	}
}

// TestCutAtFirst: a page that is cut off gives in after CutTimes.
func TestCutAtFirst(t *testing.T) {
	for name, pages := range map[string]answer.PageShares{"header": {CutHeader: 1}, "body": {CutBody: 1}} {
		bubble(t, answer.Options{Pages: pages, CutTimes: 2}, func(t *testing.T, s *Server, c *http.Client) {
			c.Transport.(*http.Transport).DisableKeepAlives = true
			e := s.Truth(mannerPage)
			for n := range 4 {
				a := visitFor(c, s.URL(mannerPage), time.Minute, 1<<20)
				if good := a.err == nil && a.status == 200; good != (n >= 2) || e.Failures != 2 || !e.Fetched() {
					t.Errorf("%s, attempt %d: %d %v, want %+v", name, n, a.status, a.err, e)
				}
			}
		})
	}
}

// TestBrokenCodings: bodies that cannot be decoded are full answers all the same.
func TestBrokenCodings(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Pages: answer.PageShares{BrokenCoding: 1}, Encodings: []string{"gzip", "br", "zstd"}})
	broken := map[string]int{}
	for p := graph.Page(2); p < 1500; p += 7 {
		if s.Truth(p).Class != answer.BrokenCoding {
			continue
		}
		accept := "gzip, br, zstd"
		if p%5 == 0 {
			accept = ""
		}
		w := ask(s, s.URL(p), "Accept-Encoding", accept)
		coding := w.Header().Get("Content-Encoding")
		plain, err := decode(coding, w.Body)
		if e := s.Truth(p); w.Code != 200 || coding == "" || err == nil || e.Whole || e.Fetched() {
			t.Fatalf("page %d: %d %q with %d bytes, %v", p, w.Code, coding, len(plain), err)
		}
		broken[coding]++
	}
	if len(broken) != 3 {
		t.Errorf("broken codings %v", broken)
	}
	hubs := mustServe(t, smallWeb, answer.Options{Pages: answer.PageShares{BrokenCoding: 0.5}, HubsFail: true})
	if w := hubs.Wanted(answer.Limits{}); len(w.Maybe) == 0 || len(w.Requested) == 0 || len(w.Pages) == 0 {
		t.Errorf("%d wanted, %d asked, %d maybe", len(w.Pages), len(w.Requested), len(w.Maybe))
	}
}

// TestBadText: wrong labels and bytes that are not UTF-8 do not change where links lead.
func TestBadText(t *testing.T) {
	for name, pages := range map[string]answer.PageShares{"label": {WrongCharset: 1}, "bytes": {BadUTF8: 1}} {
		s := mustServe(t, smallWeb, answer.Options{Pages: pages, Charsets: 0.5, Messy: 0.3})
		labels := map[string]int{}
		for p := range graph.Page(300) {
			e, w := s.Truth(p), ask(s, s.URL(p))
			if e.Class == answer.OK {
				continue
			}
			body, mime := w.Body.String(), w.Header().Get("Content-Type")
			if name == "bytes" == !strings.Contains(body, "\xff\xfe \xc0\x80") {
				t.Fatalf("%s: page %d has other bytes", name, p)
			}
			if said := strings.ToLower(strings.TrimPrefix(mime, "text/html; charset=")); name == "label" && said == e.Charset {
				t.Errorf("page %d is in %s and says so", p, said)
			}
			labels[mime]++
			var got []graph.Page
			for _, u := range hrefs(t, s.URL(p), strings.NewReader(body)) {
				q, _ := s.Page(u)
				got = append(got, q)
			}
			if !e.Fetched() || mime != e.Type || !slices.Equal(got, s.Seen(nil, p)) {
				t.Fatalf("%s: page %d: links %v, want %v; %+v", name, p, got, s.Seen(nil, p), e)
			}
		}
		if name == "label" && len(labels) != 5 {
			t.Errorf("labels %v", labels)
		}
		if n := len(s.Wanted(answer.Limits{}).Pages); n != smallWeb.Pages {
			t.Errorf("%s: %d pages wanted", name, n)
		}
	}
}

// TestLoops: a page that redirects to itself, and one that does so by another URL.
func TestLoops(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Pages: answer.PageShares{Loop: 1}})
	lengths := map[int]int{}
	for p := range graph.Page(200) {
		if s.Truth(p).Class != answer.Loop {
			continue
		}
		steps, at := follow(t, s, s.URL(p), 5)
		if at != s.URL(p) || s.Truth(p).RedirectTo != p {
			t.Fatalf("page %d leads to %s", p, at)
		}
		lengths[steps]++
	}
	if lengths[1] == 0 || lengths[2] == 0 || len(lengths) != 2 {
		t.Errorf("loops of lengths %v", lengths)
	}
}

// TestChains: so many redirects, on one site or across sites, lead to the far end that
// the truth says.
func TestChains(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Pages: answer.PageShares{Chain: 0.5}, ChainLength: 20, HTTPS: 0.3})
	chains, across := 0, 0
	for p := range graph.Page(300) {
		e := s.Truth(p)
		if e.Class != answer.Chain {
			continue
		}
		before := s.Counter().Summary()
		steps, at := 0, s.URL(p)
		for ; steps < 30; steps++ {
			if to, ok := s.Page(at); ok && to == e.RedirectTo {
				break
			}
			_, at = follow(t, s, at, 1)
		}
		if steps != 20 {
			t.Fatalf("page %d: %s after %d steps, want page %d after 20", p, at, steps, e.RedirectTo)
		}
		after := s.Counter().Summary()
		chains++
		if after.Kinds["hop"]-before.Kinds["hop"] != 19 {
			t.Errorf("page %d: hops %v, then %v", p, before.Kinds, after.Kinds)
		}
		if first := placeOf(t, s, redirectOf(t, s, s.URL(p))); first.Kind != answer.KindHop {
			t.Errorf("page %d leads to a %v", p, first.Kind)
		}
		if !strings.HasPrefix(redirectOf(t, s, s.URL(p)), s.SiteTruth(s.Web().SiteOf(p)).Origin+"/") {
			across++
		}
	}
	if chains < 50 || across < 10 || across > chains-10 {
		t.Errorf("%d chains, %d across sites", chains, across)
	}
}

// redirectOf is where a URL leads.
func redirectOf(t *testing.T, s *Server, at string) string {
	t.Helper()
	_, to := follow(t, s, at, 1)
	return to
}

// follow follows redirects until it comes back to where it began.
func follow(t *testing.T, s *Server, begin string, most int) (steps int, at string) {
	t.Helper()
	for at = begin; steps < most; {
		w := ask(s, at)
		if w.Code/100 != 3 {
			t.Fatalf("%s answers %d", at, w.Code)
		}
		at = absolute(t, at, w.Header().Get("Location"))
		if steps++; at == begin {
			break
		}
	}
	return steps, at
}

// TestDown: sites that refuse connections or never take them, in memory and over sockets.
func TestDown(t *testing.T) {
	o := answer.Options{Servers: answer.ServerShares{Refused: 0.3, Silent: 0.2}}
	bubble(t, o, func(t *testing.T, s *Server, c *http.Client) {
		s.SetAddresses(smallWeb.Sites)
		seen := map[string]int{}
		for id := range graph.Site(smallWeb.Sites) {
			truth := s.SiteTruth(id)
			seen[truth.Down]++
			ip := truth.Address.String()
			for _, host := range []string{truth.Name, ip} {
				ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
				start := time.Now()
				conn, err := s.Dial(ctx, "tcp", host+":80")
				stop()
				after := time.Since(start)
				switch truth.Down {
				case "refused":
					if !errors.Is(err, syscall.ECONNREFUSED) || after > 0 {
						t.Errorf("%s: %v after %v", host, err, after)
					}
				case "silent":
					if !errors.Is(err, context.DeadlineExceeded) || after != 10*time.Second {
						t.Errorf("%s: %v after %v", host, err, after)
					}
				default:
					if err != nil {
						t.Errorf("%s: %v", host, err)
						continue
					}
					conn.Close()
				}
			}
			if truth.Reachable != (truth.Down == "") || s.Truth(s.Web().Home(id)).Reachable != truth.Reachable {
				t.Errorf("site %d: %+v", id, truth)
			}
		}
		if seen["refused"] < 5 || seen["silent"] < 3 || seen[""] < 15 {
			t.Errorf("sites %v", seen)
		}
	})
}

// TestDownOverTheNetwork: the kernel refuses, or leaves attempts without an answer.
func TestDownOverTheNetwork(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Servers: answer.ServerShares{Refused: 0.3, Silent: 0.3}})
	n := mustListen(t, s, Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0"})
	c := netClient(s, n)
	defer c.CloseIdleConnections()
	seen := map[string]int{}
	for id := range graph.Site(12) {
		truth := s.SiteTruth(id)
		seen[truth.Down]++
		limit := time.Minute
		if truth.Down == "silent" {
			limit = 20 * time.Millisecond
		}
		a := visitFor(c, truth.Origin+"/", limit, 1<<20)
		switch {
		case truth.Down == "" && a.status != 200:
			t.Errorf("site %d: %+v", id, a.err)
		case truth.Down == "refused" && manyAddresses() > 1 && !errors.Is(a.err, syscall.ECONNREFUSED):
			t.Errorf("site %d: %v, want a refusal", id, a.err)
		case truth.Down == "silent" && !errors.Is(a.err, context.DeadlineExceeded):
			t.Errorf("site %d: %d %v, want silence", id, a.status, a.err)
		}
	}
	if len(seen) != 3 {
		t.Errorf("sites %v", seen)
	}
	if m := s.Counter().Summary(); manyAddresses() > 1 && m.Requests != int64(seen[""]) {
		t.Errorf("counted %+v, want %d requests", m, seen[""])
	}
}

// decode undoes a content coding.
func decode(coding string, r io.Reader) ([]byte, error) {
	switch coding {
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case "br":
		return io.ReadAll(brotli.NewReader(r))
	case "zstd":
		z, err := zstd.NewReader(r)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return io.ReadAll(z)
	}
	return io.ReadAll(r)
}

// absolute is a link as seen from a page.
func absolute(t testing.TB, base, link string) string {
	t.Helper()
	from, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	to, err := from.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return to.String()
}
