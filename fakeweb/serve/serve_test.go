package serve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/xxh3"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

var smallWeb = fakeweb.Spec{Pages: 1500, Sites: 40, Links: 15000, Seed: 4}

func mustNew(t testing.TB, spec fakeweb.Spec) *fakeweb.Web {
	t.Helper()
	w, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustServe(t testing.TB, spec fakeweb.Spec, o answer.Options) *Server {
	t.Helper()
	s, err := New(mustNew(t, spec), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a request straight to the handler. A reset connection has status 0.
func ask(s *Server, url string, header ...string) (w *httptest.ResponseRecorder) {
	r := httptest.NewRequest("GET", url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w = httptest.NewRecorder()
	defer func() {
		if e := recover(); e == http.ErrAbortHandler {
			w.Code = 0
		} else if e != nil {
			panic(e)
		}
	}()
	s.ServeHTTP(w, r)
	return w
}

// askLong asks until a page gives its lasting answer.
func askLong(s *Server, p graph.Page) *httptest.ResponseRecorder {
	for range s.Truth(p).Failures {
		ask(s, s.URL(p))
	}
	return ask(s, s.URL(p))
}

// hrefs are the links of an HTML page to pages, in its order, as x/net/html reads it.
func hrefs(t testing.TB, base string, body io.Reader) (urls []string) {
	t.Helper()
	doc, err := html.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	from, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" {
			continue
		}
		for _, a := range n.Attr {
			if to, err := from.Parse(strings.TrimSpace(a.Val)); a.Key == "href" && err == nil && strings.HasPrefix(to.Scheme, "http") {
				to.Fragment, to.Host = "", strings.ToLower(to.Host)
				urls = append(urls, to.String())
			}
		}
	}
	return urls
}

func variants() map[string]answer.Options {
	messy := answer.Mixed()
	messy.Messy = 1
	messy.Charsets = 1
	messy.HTTPS = 0.5
	messy.MinSize, messy.MaxSize = 500, 3000
	return map[string]answer.Options{"plain": {}, "mixed": answer.Mixed(), "messy": messy, "hubs fail": {HubsFail: true, Pages: answer.Mixed().Pages}}
}

// TestLinksInPages: the graph read back from the pages is the graph.
func TestLinksInPages(t *testing.T) {
	for name, o := range variants() {
		s := mustServe(t, smallWeb, o)
		links, pages := 0, 0
		for p := range graph.Page(smallWeb.Pages) {
			w := askLong(s, p)
			e := s.Truth(p)
			if e.Class == answer.Redirect {
				base, _ := url.Parse(s.URL(p))
				to, err := base.Parse(w.Header().Get("Location"))
				if q, ok := s.Page(to.String()); err != nil || !ok || !slices.Equal(s.Seen(nil, p), []graph.Page{q}) || q >= p {
					t.Fatalf("%s: page %d leads to %s (%v), want %v", name, p, to, err, s.Seen(nil, p))
				}
			}
			if e.Status != 200 || e.Class == answer.Other {
				continue
			}
			var got []graph.Page
			for _, u := range hrefs(t, s.URL(p), w.Body) {
				q, ok := s.Page(u)
				if !ok {
					t.Fatalf("%s: page %d links to %s, which is no page", name, p, u)
				}
				got = append(got, q)
			}
			if want := s.Web().Links(nil, p); !slices.Equal(got, want) {
				t.Fatalf("%s: page %d has links %v, want %v", name, p, got, want)
			}
			links += len(got)
			pages++
		}
		if name == "plain" && (int64(links) != smallWeb.Links || pages != smallWeb.Pages) {
			t.Errorf("%d links in %d pages, want %d in %d", links, pages, smallWeb.Links, smallWeb.Pages)
		}
		if pages < smallWeb.Pages*8/10 {
			t.Errorf("%s: only %d pages", name, pages)
		}
	}
}

// pagesDigest is a checksum over all answers of pages, headers included.
func pagesDigest(s *Server) string {
	h := xxh3.New()
	for p := range graph.Page(s.Web().Spec().Pages) {
		w := askLong(s, p)
		fmt.Fprintln(h, p, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Etag"), w.Header().Get("Last-Modified"), w.Header().Get("Location"))
		h.Write(w.Body.Bytes())
	}
	for id := range graph.Site(s.Web().Sites()) {
		w := ask(s, robotsURL(s, id))
		fmt.Fprintln(h, id, w.Code, w.Body)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// The digests are the contract that a seed means the same bytes on every machine and in
// every version.
func TestSameBytesEverywhere(t *testing.T) {
	small := fakeweb.Spec{Pages: 400, Sites: 20, Links: 4000, Seed: 1}
	mixed := answer.Mixed()
	mixed.HTTPS = 0.2
	again := mixed
	again.Seed = 1
	for _, test := range []struct {
		o    answer.Options
		want string
	}{{answer.Options{}, plainDigest}, {mixed, mixedDigest}, {again, againDigest}} {
		for range 2 {
			if got := pagesDigest(mustServe(t, small, test.o)); got != test.want {
				t.Errorf("digest %s, want %s", got, test.want)
			}
		}
	}
}

const (
	plainDigest = "6c9bc4cb667c42ef"
	mixedDigest = "6a0e52b93351645b"
	againDigest = "1a00372d2a2ae1be"
)

func TestSizes(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{MinSize: 4000, MaxSize: 20000})
	var sum, exact int
	for p := range graph.Page(smallWeb.Pages) {
		n, want := ask(s, s.URL(p)).Body.Len(), s.Truth(p).Size
		if want < 4000 || want > 20000 || n < want {
			t.Fatalf("page %d has %d bytes, want %d", p, n, want)
		}
		if n == want {
			exact++
		}
		sum += want
	}
	mean := float64(sum) / float64(smallWeb.Pages) // (b - a) / ln(b / a) = 9942
	if mean < 9500 || mean > 10400 {
		t.Errorf("mean size %v", mean)
	}
	if exact < smallWeb.Pages*9/10 {
		t.Errorf("%d pages of %d have their size", exact, smallWeb.Pages)
	}
	s = mustServe(t, smallWeb, answer.Options{Times: answer.Times{Size: func(p graph.Page) int64 { return 100_000 + int64(p) }}})
	if n := ask(s, s.URL(7)).Body.Len(); n != 100_007 {
		t.Errorf("%d bytes, want 100007", n)
	}
}

// TestAnswers compares every answer with the truth, and the shares with the options.
func TestAnswers(t *testing.T) {
	o := answer.Mixed()
	o.BusyTimes, o.ResetTimes, o.LargeSize = 2, 1, 300_000
	o.Pages.Large = 0.01
	s := mustServe(t, fakeweb.Spec{Pages: 4000, Sites: 60, Links: 30000, Seed: 2}, o)
	seen := map[answer.Class]int{}
	for p := range graph.Page(4000) {
		e := s.Truth(p)
		seen[e.Class]++
		for n := range e.Failures {
			checkFailing(t, p, e.Class, ask(s, s.URL(p)), n)
		}
		w := ask(s, s.URL(p))
		if w.Code != e.Status || w.Header().Get("Content-Type") != e.Type {
			t.Fatalf("page %d: %d %s, want %+v", p, w.Code, w.Header().Get("Content-Type"), e)
		}
		if e.Class == answer.Large && w.Body.Len() != 300_000 {
			t.Errorf("page %d has %d bytes", p, w.Body.Len())
		}
	}
	want := map[string]float64{answer.OK.String(): 0.87}
	for _, s := range o.Shares() {
		want[strings.ReplaceAll(s.Name, "-", " ")] = *s.Value
	}
	for c := answer.OK; c <= answer.Bomb; c++ {
		share, ok := want[strings.ReplaceAll(c.String(), "utf-8", "utf8")]
		if got := float64(seen[c]) / 4000; !ok || got < share*0.6-0.002 || got > share*1.4+0.002 {
			t.Errorf("share of %v is %v, want about %v", c, got, share)
		}
	}
}

func checkFailing(t *testing.T, p graph.Page, c answer.Class, w *httptest.ResponseRecorder, n int) {
	t.Helper()
	if c == answer.Reset {
		if w.Code != 0 {
			t.Errorf("page %d: attempt %d answers %d", p, n, w.Code)
		}
		return
	}
	after := w.Header().Get("Retry-After")
	_, err := http.ParseTime(after)
	if w.Code != 503 && w.Code != 429 || after != "1" && after != "2" && err != nil {
		t.Errorf("page %d: attempt %d answers %d, Retry-After %q", p, n, w.Code, after)
	}
}

func TestForms(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Pages: answer.PageShares{Busy: 1, Redirect: 0}, RetryAfter: 5 * time.Second})
	forms := map[bool]int{}
	for p := range graph.Page(smallWeb.Pages) {
		if after := ask(s, s.URL(p)).Header().Get("Retry-After"); after != "" {
			_, err := http.ParseTime(after)
			forms[err == nil]++
		}
	}
	if forms[true] < 300 || forms[false] < 300 {
		t.Errorf("Retry-After in forms %v", forms)
	}
}

func TestNeverAnswers(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Pages: answer.PageShares{Busy: 0.5, Reset: 0.5}, BusyTimes: -1, ResetTimes: -1})
	for p := range graph.Page(200) {
		e := s.Truth(p)
		for range 3 {
			if w := ask(s, s.URL(p)); w.Code != e.Status || e.Class != answer.OK && e.Status == 200 {
				t.Fatalf("page %d answers %d, want %+v", p, w.Code, e)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{})
	for _, u := range []string{
		"http://s00.example/d0", "http://s00.example/d000/", "http://s00.example/d0/p00.html", "http://s00.example/d0/px.html",
		"http://s00.example/?q=1", "http://s00.example/?", "http://s00.example/sitemap.xml", "http://s00.example/d0/p99999.html",
		"http://s00.example/d+/", "http://s40.example/", "http://s0.example/", "http://example/", "http://s00.example.org/",
	} {
		if w := ask(s, u); w.Code != 404 {
			t.Errorf("%s answers %d", u, w.Code)
		}
		if p, ok := s.Page(u); ok {
			t.Errorf("%s is page %d", u, p)
		}
	}
	if m := s.Counter().Summary(); m.Kinds["unknown"] != 9 || m.UnknownHosts != 4 {
		t.Errorf("counted %+v", m)
	}
	if w := ask(s, "http://S00.EXAMPLE:8080/"); w.Code != 200 {
		t.Errorf("a host in capitals with a port answers %d", w.Code)
	}
	r := httptest.NewRequest("POST", "http://s00.example/", nil)
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != 405 {
		t.Errorf("POST answers %d", w.Code)
	}
}

// TestCharsets reads titles by the declared charset, or by the true one where none is
// declared.
func TestCharsets(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Charsets: 0.8})
	seen := map[string]int{}
	for id := range graph.Site(s.Web().Sites()) {
		p := s.Web().Home(id)
		e, w := s.Truth(p), ask(s, s.URL(p))
		body, mime := w.Body.Bytes(), w.Header().Get("Content-Type")
		if e.Declared == "" {
			mime = "text/html; charset=" + e.Charset
		}
		_, name, certain := charset.DetermineEncoding(body, mime)
		if want, _ := charset.Lookup(e.Charset); want == nil || e.Declared == "header" != strings.Contains(w.Header().Get("Content-Type"), "charset") {
			t.Errorf("site %d: %s %+v", id, w.Header().Get("Content-Type"), e)
		}
		r, err := charset.NewReader(bytes.NewReader(body), mime)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !strings.Contains(string(text), "<title>"+s.Title(p)+"</title>") {
			t.Errorf("site %d: %s (%s, %v) without title %q: %.200s", id, e.Charset, name, certain, s.Title(p), text)
		}
		seen[e.Charset+" "+e.Declared]++
	}
	if len(seen) < 9 {
		t.Errorf("charsets: %v", seen)
	}
}

func TestEncodings(t *testing.T) {
	o := answer.Options{Encodings: []string{"gzip", "br", "zstd"}}
	s, plain := mustServe(t, smallWeb, o), mustServe(t, smallWeb, answer.Options{})
	read := map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"br":   func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	}
	seen := map[string]int{}
	for id := range graph.Site(s.Web().Sites()) {
		p := s.Web().Home(id)
		want := ask(plain, s.URL(p)).Body.Bytes()
		w := ask(s, s.URL(p), "Accept-Encoding", "gzip, deflate, br, zstd;q=0.5")
		coding := w.Header().Get("Content-Encoding")
		r, err := read[coding](w.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: page %d differs: %v", coding, p, err)
		}
		seen[coding]++
		if w := ask(s, s.URL(p), "Accept-Encoding", "deflate, br;q=0, gzip"); w.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("only gzip accepted, got %q", w.Header().Get("Content-Encoding"))
		}
		if w := ask(s, s.URL(p)); w.Header().Get("Content-Encoding") != "" || !bytes.Equal(w.Body.Bytes(), want) {
			t.Errorf("nothing accepted, got %q", w.Header().Get("Content-Encoding"))
		}
	}
	if len(seen) != 3 {
		t.Errorf("codings: %v", seen)
	}
}

func TestRefusedOptions(t *testing.T) {
	for _, test := range []struct {
		o    answer.Options
		want string
	}{
		{answer.Options{Slow: 1.5}, "share 1.5 of slow"},
		{answer.Options{Slow: -1}, "share -1 of slow"},
		{answer.Options{Pages: answer.PageShares{Redirect: 0.6, Gone: 0.6}}, "sum up to 1.2"},
		{answer.Options{Encodings: []string{"lzma"}}, `"lzma"`},
		{answer.Options{MinSize: 5, MaxSize: 4}, "5 to 4 bytes"},
		{answer.Options{MinLatency: -1}, "latencies"},
		{answer.Options{Changes: answer.Changes{Min: -1}}, "intervals"},
		{answer.Options{Speed: -1}, "speed"},
	} {
		if _, err := New(mustNew(t, smallWeb), test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", test.o, err, test.want)
		}
	}
}
