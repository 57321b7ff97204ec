package main

import (
	"path/filepath"
	"testing"
)

// TestWholeWeb: every page can be reached from the hub, and a crawl that requests each
// once is counted as such. colly may ask for a page twice when two others find it at once.
func TestWholeWeb(t *testing.T) {
	for scheme, ca := range map[string]string{"http": "", "https": filepath.Join(t.TempDir(), "ca.pem")} {
		o := &options{sites: 7, pages: 9, workers: 4, seed: 3, ca: ca}
		s, err := serveWeb(o)
		if err != nil {
			t.Skip("no addresses in 127.0.0.0/8:", err)
		}
		for name, crawl := range map[string]func(*options, string) error{"bare": bare, "colly": runColly} {
			err := crawl(o, s.w.start())
			s.mu.Lock()
			c := s.counts
			s.counts = counts{}
			clear(s.asked)
			s.mu.Unlock()
			if err != nil || c.Distinct != 63 || c.Bad != 0 || c.Pages-c.Distinct > 3 || c.Conns < 7 || c.Most < 1 {
				t.Errorf("%s, %s: %+v, %v", name, scheme, c, err)
			}
			if s.w.scheme != scheme || (c.HTTP2 > 0) != (scheme == "https") {
				t.Errorf("%s, %s: %d requests by HTTP/2", name, s.w.start(), c.HTTP2)
			}
		}
	}
}

// TestPages: pages are as long as they are said to be, the same from the same seed.
func TestPages(t *testing.T) {
	o := &options{sites: 20, pages: 10, seed: 5}
	w, again := makeWeb(o, 80), makeWeb(o, 80)
	n := int64(len(w.bodies))
	if mean := w.links / n; w.plain/n < 15<<10 || w.plain/n > 35<<10 || w.wire*2 > w.plain || mean < 20 || mean > 40 {
		t.Errorf("%d pages: %d bytes, %d packed, %d links", n, w.plain, w.wire, w.links)
	}
	for i := range w.bodies {
		if string(w.bodies[i]) != string(again.bodies[i]) {
			t.Fatalf("page %d is another one", i)
		}
	}
}
