package crawl

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// check holds what the server counted against the configuration (bar 2).
func (w *socketWeb) check(t *testing.T) {
	t.Helper()
	c, n := &w.o.Config, w.server.Counter()
	demands := count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressCap: c.IPCap}
	if c.IPCap == 1 {
		// With several at a time the server cannot tell: one that was on its way when
		// another ended arrives right behind it.
		demands.AddressDelay = c.IPDelay.Duration
	}
	found := n.Check(demands)
	wanted := w.server.Wanted(answer.Limits{Sitemaps: c.Sitemaps, MaxBody: int(c.MaxBody)})
	found = append(found, n.CheckWanted(wanted)...)
	for i, v := range found {
		if i == 10 {
			t.Errorf("and %d more", len(found)-i)
			break
		}
		t.Error(v)
	}
	if open := n.Summary().MostOpen; open > 1 {
		t.Errorf("%d connections at once to a site", open) // W9
	}
	w.checkCrawl(t, wanted)
	w.verify(t)
}

// verify lets the records alone tell the same (W9).
func (w *socketWeb) verify(t *testing.T) {
	t.Helper()
	f, err := history.Verify(t.Context(), w.o.Dir, history.VerifyOptions{Version: w.o.Version, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range f.List {
		t.Errorf("verify: %+v", x)
	}
	if made := w.server.Counter().Summary().Requests; f.Requests != made {
		t.Errorf("the journal has %d requests, the server counted %d", f.Requests, made)
	}
}

// sessions is how often the crawl was started, by its journal.
func (w *socketWeb) sessions(t *testing.T) (n int) {
	t.Helper()
	_, err := journal.Read(disk.OS(filepath.Join(w.o.Dir, "journal", "0000")), 0, func(r *journal.Record) error {
		if r.Event.Kind == event.Session {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// spoken counts the responses in the archive by version of HTTP and by content coding.
func (w *socketWeb) spoken(t *testing.T) map[string]int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.o.Dir, layout.ArchiveDir, "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("archive %v: %v", files, err)
	}
	n := map[string]int{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for r := archive.NewReader(f, name); ; {
			x, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if x.Type != "response" {
				continue
			}
			n[x.Get("WARC-Protocol")]++
			head, _, err := x.Response()
			if err != nil {
				t.Fatal(err)
			}
			n[head.Get("Content-Encoding")]++
		}
	}
	return n
}

// checkCrawl compares the crawl's own count with the server's: it has what it was given.
func (w *socketWeb) checkCrawl(t *testing.T, wanted *answer.Wanted) {
	t.Helper()
	sum := w.run(t, 0) // what failed is tried again, and fails again
	if sum.Why != whyUnreachable && sum.Why != whyFinished {
		t.Errorf("the crawl %s", sum.Why)
	}
	redirects := 0
	for _, p := range wanted.Requested {
		if e := w.server.Truth(p); e.Class == answer.Redirect || e.Class == answer.Other {
			redirects++
		}
	}
	if got, want := int(sum.Fetched), len(wanted.Pages)+redirects; got != want {
		t.Errorf("the crawl has fetched %d pages, the web has %d wanted and %d moved or of other types", got, len(wanted.Pages), redirects)
	}
}
