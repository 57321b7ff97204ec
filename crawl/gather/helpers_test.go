package gather

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/urltable"
)

const home = "https://site.example/dir/page.html"

var (
	noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	key  = urltable.NewKey([16]byte{1, 2, 3})
)

func builder() *archive.Builder {
	return archive.NewBuilder(archive.ID{1}, archive.SHA1)
}

// options are those of a crawl for HTML with an archive.
func options() *Options {
	return &Options{Key: key, Product: "winnow/1.0", Builder: builder(), HTMLOnly: true}
}

// webPage is the answer 200 with a page.
func webPage(body string) *fetch.Answer {
	return answered(200, body, "Content-Type", "text/html; charset=utf-8")
}

// answered is an answer as a client gives it.
func answered(status int, body string, header ...string) *fetch.Answer {
	a := &fetch.Answer{
		Status: status, Reason: http.StatusText(status), Class: classOf(status),
		Proto: []string{"http/1.1"}, Address: netip.MustParseAddr("192.0.2.1"),
		Request: http.Header{"User-Agent": {"winnow/1.0"}, "Accept-Encoding": {"gzip"}},
		Header:  http.Header{}, Body: []byte(body),
	}
	for i := 0; i < len(header); i += 2 {
		a.Header.Add(header[i], header[i+1])
	}
	if a.Location = a.Header.Get("Location"); a.Class == event.Redirect && a.Location == "" {
		a.Class = event.HTTPError
	}
	return a
}

func classOf(status int) event.Class {
	switch {
	case status == 0:
		return event.ConnectError
	case status/100 == 2 || status == 304:
		return event.OK
	case status/100 == 3:
		return event.Redirect
	case status/100 == 5 || status == 429:
		return event.ServerError
	}
	return event.HTTPError
}

// ask has a handler answer a request. A connection that is reset is no answer.
func ask(h http.Handler, url string) (a *fetch.Answer) {
	r := httptest.NewRequest("GET", url, nil)
	r.Header.Set("Accept-Encoding", "gzip, br, zstd")
	w := httptest.NewRecorder()
	defer func() {
		if e := recover(); e != nil {
			if e != http.ErrAbortHandler {
				panic(e)
			}
			a = answered(0, "")
		}
	}()
	h.ServeHTTP(w, r)
	var header []string
	for name, values := range w.Header() {
		header = append(header, name, values[0])
	}
	return answered(w.Code, w.Body.String(), header...)
}

// gather is Page of a new gatherer.
func gather(o *Options, url string, a *fetch.Answer) *Found {
	f := new(Found)
	New(o).Page(url, a, noon, f)
	return f
}

// show writes links as lines: the URL, "local" or not, and the bar if there is one.
func show(l *Links) string {
	var b strings.Builder
	for i := range l.Len() {
		fmt.Fprintf(&b, "%s%s", l.Site(i), l.Rest(i))
		if l.At(i).Local {
			b.WriteString(" local")
		}
		if bar := l.At(i).Bar; bar != event.NoBar {
			fmt.Fprintf(&b, " %v", bar)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

// stored reads records back, verifies every digest, and gives each as its type, and the
// body of the response.
func stored(t *testing.T, r archive.Records) (types []string, body string, records []*archive.Record) {
	t.Helper()
	z := archive.NewReader(bytes.NewReader(r.Bytes), "records")
	for {
		rec, err := z.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := rec.Verify(); err != nil {
			t.Error(err)
		}
		types = append(types, rec.Type)
		keep := *rec
		keep.Fields = slices.Clone(rec.Fields) // the next record uses its room again
		records = append(records, &keep)
	}
	if len(types) > 0 && types[0] == "response" {
		rec, err := archive.NewReader(bytes.NewReader(r.Bytes), "records").Next()
		if err != nil {
			t.Fatal(err)
		}
		_, payload, err := rec.Response()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(payload)
		if err != nil {
			t.Fatal(err)
		}
		body = string(b)
	}
	return types, body, records
}

// many is a format with the numbers below n, joined by "&", which stands in HTML as
// well as in a query.
func many(format string, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte('&')
		}
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Bar returns what the URL of a page, a normal form, says against fetching it: the bar that a
// followed link to it has. Like all of a gatherer it is for one goroutine at a time.
func (g *Gatherer) Bar(url []byte) event.Bar {
	site, _ := page.Site(url)
	return g.bar(url, len(site), false)
}
