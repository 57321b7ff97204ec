package crawl

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// newRevisitWeb makes a site that is visited every two hours, for nine hours: / never
// changes, /tagged neither and says so, /news changes after five hours, and /gone vanishes.
func newRevisitWeb(t *testing.T) *handWeb {
	t.Helper()
	began := time.Now()
	w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
		late := time.Since(began) > 5*time.Hour
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(rw, r)
			return
		case "/tagged":
			if rw.Header().Set("Etag", `"1"`); r.Header.Get("If-None-Match") == `"1"` {
				rw.WriteHeader(http.StatusNotModified)
				return
			}
		case "/gone":
			if late {
				http.Error(rw, "it was here", http.StatusGone)
				return
			}
			ownPage("/tagged", "/news")(rw, r)
			return
		case "/news":
			if late {
				r.URL.RawQuery = "late" // other words
			}
		}
		ownPage("/tagged", "/news", "/gone")(rw, r)
	}}, "http://a.example/")
	w.o.Config.Recrawl, w.o.Config.Duration = config.Seconds(2*3600), config.Seconds(9*3600)
	return w
}

// stored returns what the archive has of a URL: responses and revisits.
func (w *testWeb) stored(t *testing.T, url string) (list []*archive.Record) {
	t.Helper()
	w.eachStored(t, func(x *archive.Record) {
		if x.URL == url && (x.Type == "response" || x.Type == "revisit") {
			list = append(list, x)
		}
	})
	return list
}

// eachStored calls fn for each record of the archive, which may be kept.
func (w *testWeb) eachStored(t *testing.T, fn func(*archive.Record)) {
	t.Helper()
	all, err := w.disk[layout.ArchiveDir].List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		b, err := disk.ReadFile(w.disk[layout.ArchiveDir], e.Name)
		if err != nil {
			t.Fatal(err)
		}
		r := archive.NewReader(bytes.NewReader(b), e.Name)
		for {
			x, err := r.Next()
			if err == io.EOF {
				break
			}
			if err == nil {
				err = x.Skip()
			}
			if err != nil {
				t.Fatal(err)
			}
			y := *x
			y.Fields = slices.Clone(x.Fields)
			fn(&y)
		}
	}
}

// refersTo demands that x is a revisit of a profile that refers to a response.
func refersTo(t *testing.T, x, to *archive.Record, profile string) {
	t.Helper()
	for name, want := range map[string]string{
		"WARC-Type":                 "revisit",
		"WARC-Profile":              "http://netpreserve.org/warc/1.1/revisit/" + profile,
		"WARC-Refers-To":            to.Get("WARC-Record-ID"),
		"WARC-Refers-To-Target-URI": to.URL,
		"WARC-Refers-To-Date":       to.Get("WARC-Date"),
		"WARC-Payload-Digest":       to.Get("WARC-Payload-Digest"),
	} {
		if got := x.Get(name); got != want || got == "" {
			t.Errorf("%s of %v: %s is %q, want %q", x.URL, x.Time, name, got, want)
		}
	}
}

// Pages that did not change are stored as revisits that refer to the response with the
// payload, however long ago that was, also after a restart. What this saved is counted, and
// verified (W16).
func TestRevisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRevisitWeb(t)
		w.o.Config.Duration = config.Seconds(3 * 3600)
		w.o.Machine.Sizes.Journal, w.o.Machine.Sizes.Archive = 700, 4000 // many files
		w.run(t)
		w.o.Config.Duration, w.o.Seeds = config.Seconds(9*3600), nil
		s := w.run(t).Status
		w.sameFromRecords(t)
		for url, want := range map[string]string{"http://a.example/": "identical-payload-digest", "http://a.example/tagged": "server-not-modified"} {
			all := w.stored(t, url)
			if len(all) != 5 || all[0].Type != "response" {
				t.Fatalf("%s is stored %d times", url, len(all))
			}
			for _, x := range all[1:] {
				refersTo(t, x, all[0], want)
			}
		}
		news := w.stored(t, "http://a.example/news")
		if len(news) != 5 || news[0].Type != "response" || news[3].Type != "response" {
			t.Fatalf("/news is stored %d times", len(news))
		}
		for i, to := range []int{1: 0, 2: 0, 4: 3} {
			if i != 0 && i != 3 {
				refersTo(t, news[i], news[to], "identical-payload-digest")
			}
		}
		if want := 4 * w.stored(t, "http://a.example/tagged")[0].Length; s.NotModified != 4 || s.NotTransferred != want {
			t.Errorf("not modified: %d times, %d bytes; want 4, %d", s.NotModified, s.NotTransferred, want)
		}
		saved, lengths := int64(0), map[string]int64{}
		w.eachStored(t, func(x *archive.Record) {
			lengths[x.Get("WARC-Record-ID")] = x.Length
			if strings.HasSuffix(x.Get("WARC-Profile"), "digest") {
				saved += lengths[x.Get("WARC-Refers-To")] - x.Length
			}
		})
		if s.Unchanged != 9 || s.NotStored != saved || saved <= 0 {
			t.Errorf("unchanged: %d times, %d bytes; want 9, %d", s.Unchanged, s.NotStored, saved)
		}
		f := w.verify(t)
		if clean(t, f); f.Revisits != 13 {
			t.Errorf("%d revisits were verified", f.Revisits)
		}
	})
}

// The index names the digest of what a revisit refers to, so that a reader finds the original.
func TestRevisitsInIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRevisitWeb(t)
		w.run(t)
		all, err := w.disk[layout.ArchiveDir].List()
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		b, _ := disk.ReadFile(w.disk[layout.ArchiveDir], all[0].Name)
		lines, err := archive.Index(archive.NewReader(bytes.NewReader(b), "x"), "x.warc.gz")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/", "/tagged"} {
			url := "http://a.example" + path
			digest := strings.TrimPrefix(w.stored(t, url)[0].Get("WARC-Payload-Digest"), "sha1:")
			n := 0
			for line := range strings.Lines(string(lines)) {
				if strings.Contains(line, `"url":"`+url+`",`) && strings.Contains(line, `"mime":"warc/revisit"`) && strings.Contains(line, `"digest":"`+digest+`"`) {
					n++
				}
			}
			if n != 4 {
				t.Errorf("%s has %d revisits with its digest in\n%s", url, n, lines)
			}
		}
	})
}

// Without --recrawl nothing is kept of visits, and no page is a revisit, even if it is fetched
// again.
func TestNoRevisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRevisitWeb(t)
		w.o.Config.Recrawl = config.Duration{}
		w.run(t)
		w.eachStored(t, func(x *archive.Record) {
			if x.Type == "revisit" {
				t.Errorf("%s is a revisit", x.URL)
			}
		})
		c := w.history(t)
		if s, err := c.State(); err != nil || s.Visits != nil {
			t.Errorf("%v, visits %v", err, s.Visits)
		}
	})
}

// A page that vanishes is gone, and not merely failed: its last answer is in the archive, its
// links stay. One that was never there failed.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRevisitWeb(t)
		w.o.Seeds = append(w.o.Seeds, "http://a.example/robots.txt") // not found at once
		s := w.run(t).Status
		if want := (map[string]int64{"gone": 1, "http-error": 1}); !maps.Equal(s.FailedBy, want) || s.Outcomes["gone"] != 1 {
			t.Errorf("failed: %v", s.FailedBy)
		}
		all := w.stored(t, "http://a.example/gone")
		if last := all[len(all)-1]; last.Type != "response" {
			t.Errorf("the last of %d records is a %s", len(all), last.Type)
		}
		links := 0
		c := w.history(t)
		err := c.Links(&history.PageFilter{}, func(x *history.LinkInfo) error {
			if x.From == "http://a.example/gone" {
				links++
			}
			return nil
		})
		if err != nil || links < 2 {
			t.Errorf("%d links of the page that is gone, %v", links, err)
		}
		x, err := explain.URL(w.history(t), "http://a.example/gone", explain.Options{Now: time.Now(), Status: &s})
		if err != nil || x.Why != "gone" || !strings.Contains(x.Sentence, "is gone") {
			t.Errorf("%+v, %v", x, err)
		}
		w.sameFromRecords(t)
		clean(t, w.verify(t))
	})
}

// Verify finds revisits that do not refer to the response with their payload, also if pages
// are no longer visited again.
func TestVerifyRevisits(t *testing.T) {
	var w *handWeb
	synctest.Test(t, func(t *testing.T) {
		w = newRevisitWeb(t)
		w.run(t)
		w.o.Config.Recrawl, w.o.Seeds = config.Duration{}, nil
		w.run(t)
	})
	whole := w.disk
	f := w.verify(t)
	if clean(t, f); f.Revisits == 0 {
		t.Error("there are no revisits")
	}
	tagged := func(r *journal.Record) bool { return r.Facts.ETag != "" }
	same := func(r *journal.Record) bool { return r.Facts.Revisit > 0 && r.Facts.Status == 200 }
	notModified := func(r *journal.Record) bool { return r.Facts.Status == 304 }
	for name, change := range map[string]func(*journal.Record) int{
		"a date":          nth(0, tagged, func(r *journal.Record) int { r.Facts.Shift = time.Millisecond; return 1 }),
		"no original":     nth(0, tagged, func(r *journal.Record) int { r.Facts.Payload = nil; return 1 }),
		"another payload": nth(1, tagged, func(r *journal.Record) int { r.Facts.Payload[3]++; return 1 }),
		"no revisit":      nth(0, same, func(r *journal.Record) int { r.Facts.Revisit = 0; return 1 }),
		"no response":     nth(0, tagged, func(r *journal.Record) int { r.Facts.Revisit = 1; return 1 }),
		"earlier version": nth(0, notModified, func(r *journal.Record) int { r.Facts.Revisit, r.Facts.Payload = 0, nil; return 1 }),
		"other ids":       nth(0, ofKind(event.Session), func(r *journal.Record) int { r.Facts.Session.Crawl[3]++; return 1 }),
		"lost":            nth(1, ofKind(event.Session), func(r *journal.Record) int { r.Facts.Lost = 1; return 1 }),
	} {
		want := history.FindArchive
		if name == "lost" || name == "earlier version" { // after the last revisit; those say nothing
			want = ""
		}
		t.Run(name, func(t *testing.T) {
			w.disk = memoryDisk{}
			for name, m := range whole {
				w.disk[name] = m.Kill()
			}
			records(name, want, change).change(t, w.disk)
			f := w.verify(t)
			if (f.Kinds[history.FindArchive] > 0) != (want != "") {
				t.Errorf("found %v, want %q", f.Kinds, want)
			}
			if got := strings.Contains(fmt.Sprint(f.Notes), "earlier version"); got != (name == "earlier version") {
				t.Errorf("notes: %q", f.Notes)
			}
		})
	}
}

// What a WARC file has lost is fetched and stored again: no revisit refers to it. What it has
// kept is not.
func TestRevisitsAfterLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRevisitWeb(t)
		w.o.Config.Duration = config.Seconds(3600)
		w.run(t)
		keep := w.stored(t, "http://a.example/tagged")[0].Offset
		all, _ := w.disk[layout.ArchiveDir].List()
		f, err := w.disk[layout.ArchiveDir].Open(all[0].Name, disk.Change)
		if err == nil {
			err = f.Truncate(keep)
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		w.o.Config.Duration, w.o.Seeds = config.Seconds(9*3600), nil
		w.run(t)
		w.sameFromRecords(t)
		there := map[string]bool{}
		w.eachStored(t, func(x *archive.Record) {
			if there[x.Get("WARC-Record-ID")] = true; x.Type == "revisit" && !there[x.Get("WARC-Refers-To")] {
				t.Errorf("%s of %v refers to what is not there", x.URL, x.Time)
			}
		})
		for url, want := range map[string]string{"http://a.example/": "response revisit", "http://a.example/tagged": "response revisit"} {
			if list := w.stored(t, url); len(list) < 2 || fmt.Sprint(list[0].Type, " ", list[1].Type) != want {
				t.Errorf("%s is stored %d times", url, len(list))
			}
		}
		if got := w.verify(t); got.Kinds[history.FindArchive] == 0 {
			t.Error("verify finds nothing missing")
		}
	})
}

// A crawl that is killed leaves no revisit without its original.
func TestRevisitsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRevisitWeb(t)
		for n := range 4 {
			w.runKilled(t, time.Duration(40+50*n)*time.Minute)
			f := w.verify(t)
			if clean(t, f); n == 3 && f.Revisits == 0 {
				t.Error("there are no revisits")
			}
		}
	})
}

// A crawl that an earlier version began, which kept in its state what this one reads from the
// journal, goes on: revisits refer to the responses that it stored, and what is verified holds.
func TestRevisitsOfEarlierVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := newRevisitWeb(t)
		readZip(t, filepath.Join("testdata", "visits", "journal-5.zip"), dir)
		w.o.Dir, w.o.Machine.Disk, w.o.Seeds = dir, nil, nil
		time.Sleep(4*time.Hour + 31*time.Minute) // the crawl began when the clock of this test did
		before := countRevisits(t, dir)
		if clean(t, before); before.Revisits != 8 {
			t.Errorf("the earlier version stored %d revisits", before.Revisits)
		}
		w.run(t)
		f := countRevisits(t, dir)
		if clean(t, f); f.Revisits < before.Revisits+4 {
			t.Errorf("%d revisits after %d of the earlier version", f.Revisits, before.Revisits)
		}
		w.disk = memoryDisk{layout.ArchiveDir: disk.NewMemory()}
		if err := copyFiles(w.disk[layout.ArchiveDir], disk.OS(filepath.Join(dir, layout.ArchiveDir))); err != nil {
			t.Fatal(err)
		}
		for url, want := range map[string]string{"http://a.example/": "identical-payload-digest", "http://a.example/tagged": "server-not-modified"} {
			all := w.stored(t, url)
			for _, x := range all[1:] {
				refersTo(t, x, all[0], want)
			}
		}
	})
}

// countRevisits verifies the crawl in a directory.
func countRevisits(t *testing.T, dir string) *history.Findings {
	t.Helper()
	f, err := history.Verify(t.Context(), dir, history.VerifyOptions{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// copyFiles copies the WARC files of a directory.
func copyFiles(to, from disk.Dir) error {
	list, err := from.List()
	for _, e := range list {
		if !strings.HasSuffix(e.Name, archive.Suffix) {
			continue
		}
		b, err := disk.ReadFile(from, e.Name)
		if err != nil {
			return err
		}
		f, err := to.Open(e.Name, disk.Create)
		if err != nil {
			return err
		}
		f.WriteAt(b, 0)
		f.Close()
	}
	return err
}

// A page whose record in the journal cannot be read any more is requested without conditions and
// stored again: that costs a transfer, and not the page.
func TestRevisitsUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRevisitWeb(t)
		damaged := false
		w.o.Progress = func(s *history.Status) {
			if s.Fetched < 4 || damaged {
				return
			}
			damaged = true
			for _, e := range ignore(w.disk[layout.JournalDir].List()) {
				f := ignore(w.disk[layout.JournalDir].Open(e.Name, disk.Change))
				b := ignore(disk.ReadFile(w.disk[layout.JournalDir], e.Name))
				if i := bytes.Index(b, []byte(`"1"`)); i >= 0 { // the validator of /tagged
					f.WriteAt([]byte("?"), int64(i))
				}
				f.Close()
			}
		}
		if s := w.run(t).Status; s.FailedBy["gone"] != 1 || len(s.FailedBy) != 1 {
			t.Errorf("failed: %v", s.FailedBy)
		}
		all := w.stored(t, "http://a.example/tagged")
		if len(all) != 5 || all[1].Type != "response" || !damaged {
			t.Fatalf("/tagged is stored %d times, then as %s", len(all), all[1].Type)
		}
		for _, x := range all[2:] {
			refersTo(t, x, all[1], "server-not-modified")
		}
	})
}

// ignore returns the value of a call whose error would show later.
func ignore[T any](v T, _ error) T { return v }

// A page that is the same but has another ETag at each visit is requested with the last one, and
// stored as a revisit of the first response. A crawl whose archive was moved away between two
// sessions does the same.
func TestRevisitsNewValidators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		visits, wrong := 0, 0
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.NotFound(rw, r)
				return
			}
			if got := r.Header.Get("If-None-Match"); visits > 0 && got != fmt.Sprintf("\"%d\"", visits) {
				wrong++
			}
			visits++
			rw.Header().Set("Etag", fmt.Sprintf("\"%d\"", visits))
			ownPage("/")(rw, r)
		}}, "http://a.example/")
		w.o.Config.Recrawl, w.o.Config.Duration = config.Seconds(2*3600), config.Seconds(5*3600)
		w.run(t)
		one := w.stored(t, "http://a.example/")
		w.disk[layout.ArchiveDir] = disk.NewMemory()
		w.o.Config.Duration, w.o.Seeds = config.Seconds(9*3600), nil
		w.run(t)
		all := append(one, w.stored(t, "http://a.example/")...)
		if len(one) < 2 || len(all) < len(one)+2 || len(all) != visits || wrong > 0 {
			t.Fatalf("%d and %d records of %d visits, %d with another ETag", len(one), len(all)-len(one), visits, wrong)
		}
		for _, x := range all[1:] {
			refersTo(t, x, all[0], "identical-payload-digest")
		}
	})
}

// A crawl that stores no pages, and one that keeps only some, requests pages with conditions, too.
func TestConditionsWithoutOriginals(t *testing.T) {
	for name, set := range map[string]func(*config.Config){
		"links": func(c *config.Config) { c.Store = config.StoreLinks },
		"kept":  func(c *config.Config) { c.KeepPages = 3 },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newRevisitWeb(t)
			set(&w.o.Config)
			w.run(t)
			same := 0
			err := w.history(t).Each(func(r *journal.Record) error {
				if r.Facts.Status == http.StatusNotModified {
					same++
				}
				return nil
			})
			if err != nil || same != 4 {
				t.Errorf("%s: %d visits of /tagged found it not modified, want 4; %v", name, same, err)
			}
			w.sameFromRecords(t)
			clean(t, w.verify(t))
		})
	}
}
