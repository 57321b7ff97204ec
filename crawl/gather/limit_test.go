package gather

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// An index links to few pages many times, with fragments: the limit counts pages.
func TestCaseDistinctLinks(t *testing.T) {
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, "<a href=/%d.html#f%d>f</a>", i%500, i)
	}
	f := gather(options(), home, webPage(b.String()))
	if f.Links.Len() != 500 || f.Dropped != 0 || f.Cut&page.CutLinks != 0 {
		t.Errorf("%d links, %d dropped, cut %b", f.Links.Len(), f.Dropped, f.Cut)
	}
	o := options()
	o.MaxLinks = 400
	if f = gather(o, home, webPage(b.String())); f.Links.Len() != 400 || f.Dropped != 100 || f.Cut&page.CutLinks == 0 {
		t.Errorf("with a limit of 400: %d links, %d dropped, cut %b", f.Links.Len(), f.Dropped, f.Cut)
	}
}

// Short links below a long base are long URLs: their bytes are bounded, too.
func TestLongTargets(t *testing.T) {
	long := "/" + strings.Repeat("x", 1800) + "/"
	f := gather(options(), home, webPage("<base href="+long+">"+many("<a href=%d>", 20_000)))
	n := f.Links.Len()
	if n < 1000 || n+f.Dropped != 20_000 || len(f.Links.bytes) > maxTargets || f.Cut&page.CutLinks == 0 {
		t.Errorf("%d links of %d bytes, %d dropped, cut %b", n, len(f.Links.bytes), f.Dropped, f.Cut)
	}
}

// What is declared to be no page is none, whatever was read of it.
func TestMayBePage(t *testing.T) {
	for media, want := range map[string]bool{
		"": true, "text/html; charset=utf-8": true, "application/xhtml+xml": true, "text/xml": true,
		"text/javascript": false, "application/pdf": false, "text/plain": false, "image/png": false,
	} {
		h := http.Header{}
		if media != "" {
			h.Set("Content-Type", media)
		}
		if got := MayBePage(h); got != want {
			t.Errorf("%q: %t", media, got)
		}
	}
	a := answered(200, "", "Content-Type", "text/javascript", "Content-Encoding", "gzip")
	a.Cut = fetch.CutUnwanted
	if f := gather(options(), home, a); f.Class != event.NotHTML || f.Note != "" {
		t.Errorf("%v, note %q", f.Class, f.Note)
	}
}
