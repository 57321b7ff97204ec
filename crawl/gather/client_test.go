package gather

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	fakeanswer "github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// TestClient: what the real client brings from a real server, over TLS and HTTP/2 as well,
// is read as what it is; the second time nothing has changed.
func TestClient(t *testing.T) {
	s := mixedWeb(t, func(o *fakeanswer.Options) { o.HTTPS = 0.5 })
	s.SetAddresses(1)
	defer s.Close()
	c := fetch.NewClient(&fetch.Options{Dial: s.Dial, TLS: s.ClientTLS(), AllowPrivate: true, HTTP2: true, UserAgent: "winnow/1.0"})
	defer c.Close()
	g, f := New(options()), new(Found)
	unchanged := 0
	for p := range graph.Page(60) {
		q := &fetch.Request{URL: s.URL(p), Addrs: []netip.Addr{s.Address(0)}, Last: true}
		e := s.Truth(p)
		for range e.Failures + 1 {
			g.Page(q.URL, c.Do(t.Context(), q), time.Now(), f)
		}
		if links, want := pagesOf(t, s, f), s.Seen(nil, p); f.Class != classFor(e.Class) || f.Status != e.Status || !slices.Equal(links, want) {
			t.Errorf("page %d (%v): %v %d %s, links %v, want %v", p, e.Class, f.Class, f.Status, f.Note, links, want)
		}
		if q.ETag, q.Modified = f.ETag, f.Modified; q.ETag == "" || f.Class != event.OK || f.Tags&robots.NoArchive != 0 {
			continue
		}
		was := &archive.Original{Payload: f.Records.Payload, Time: time.Now()}
		g.PageAgain(q.URL, c.Do(t.Context(), q), time.Now(), was, f)
		types, _, _ := stored(t, f.Records)
		if f.Class != event.OK || f.Status != 304 || f.Links.Len() != 0 || types[0] != "revisit" {
			t.Errorf("page %d again: %v %d, records %q", p, f.Class, f.Status, types)
		}
		unchanged++
	}
	if unchanged == 0 {
		t.Error("no page has a validator")
	}
}
