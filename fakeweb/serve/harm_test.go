package serve

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// TestBomb: a bomb is small until it is unpacked, in each coding.
func TestBomb(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Pages: answer.PageShares{Bomb: 1}, BombSize: 64 << 20})
	seen := map[string]bool{}
	for p := graph.Page(1); len(seen) < 3 && p < 50; p++ {
		if s.Truth(p).Class != answer.Bomb {
			continue
		}
		w := ask(s, s.URL(p))
		coding := w.Header().Get("Content-Encoding")
		if seen[coding] {
			continue
		}
		seen[coding] = true
		if n := w.Body.Len(); n > 200_000 || fmt.Sprint(n) != w.Header().Get("Content-Length") {
			t.Errorf("%s: %d bytes", coding, n)
		}
		if n := unpackedSize(t, coding, w.Body); n != 64<<20 {
			t.Errorf("%s unpacks to %d bytes", coding, n)
		}
		if e := s.Truth(p); e.Fetched() || e.Size != 64<<20 {
			t.Errorf("the truth is %+v", e)
		}
	}
	if len(seen) != 3 {
		t.Errorf("codings %v", seen)
	}
}

func unpackedSize(t *testing.T, coding string, r io.Reader) int64 {
	t.Helper()
	var err error
	switch coding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "br":
		r = brotli.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestEvilTitles: titles that are written to harm stand in the page and in links to it as
// the truth says, once HTML is read.
func TestEvilTitles(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Titles: 0.5})
	evil, plain, linked := 0, 0, 0
	for p := range graph.Page(200) {
		text := html.UnescapeString(ask(s, s.URL(p)).Body.String())
		if want := "<title>" + s.Title(p) + "</title>"; !strings.Contains(text, want) {
			t.Fatalf("no %q in %.300s", want, text)
		}
		if s.Title(p) == mustServe(t, smallWeb, answer.Options{}).Title(p) {
			plain++
			continue
		}
		evil++
		for q := range p {
			if slices.Contains(s.Web().Links(nil, q), p) {
				linked++
				if from := html.UnescapeString(ask(s, s.URL(q)).Body.String()); !strings.Contains(from, s.Title(p)+"</a>") {
					t.Errorf("page %d links to %q by another name", q, s.Title(p))
				}
				break
			}
		}
	}
	if min(evil, plain, linked) < 20 {
		t.Errorf("%d evil titles, %d plain ones, %d linked", evil, plain, linked)
	}
}

// TestMonthNames: calendars that do not say the same call months by number or by name.
func TestMonthNames(t *testing.T) {
	s := mustServe(t, smallWeb, trapOptions(answer.Calendar))
	named, numbered := 0, 0
	for id := range s.Web().Sites() {
		for _, month := range []string{"/calendar/2024/05/", "/calendar.php?year=2024&month=05"} {
			switch body := ask(s, s.SiteTruth(graph.Site(id)).Origin+month).Body.String(); {
			case strings.Contains(body, "May 2024"):
				named++
			case strings.Contains(body, "2024-5"):
				numbered++
			}
		}
	}
	if min(named, numbered) == 0 {
		t.Errorf("%d calendars with names, %d with numbers", named, numbered)
	}
}

// TestUnknownSessions: a session id under a name that nobody knows stays in the normal form,
// and what it leads to is the page itself.
func TestUnknownSessions(t *testing.T) {
	s := mustServe(t, smallWeb, trapOptions(answer.SessionUnknown))
	var normal page.Resolver
	var links []string
	for p := range graph.Page(10) {
		links = append(links, hrefs(t, s.URL(p), ask(s, s.URL(p)).Body)...)
	}
	n := 0
	for _, u := range links {
		at := placeOf(t, s, u)
		if at.Trap != answer.SessionUnknown {
			continue
		}
		n++
		if got, v := normal.Resolve(nil, []byte(u)); !v.Usable() || string(got) != u {
			t.Errorf("normal form of %s is %s", u, got)
		}
		a, _ := wordsOf(t, ask(s, u).Body.String())
		if b, _ := wordsOf(t, ask(s, s.URL(at.Page)).Body.String()); a != b {
			t.Errorf("%s has another text than its page", u)
		}
	}
	if n < 10 {
		t.Errorf("%d of %d links have an id", n, len(links))
	}
}
