package stored_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
)

// When a run ends, by itself or because somebody stops it, every WARC file has an index with a line
// for each of its responses, also if one run follows another. Header fields are stored as the
// server sent them.
func TestComplete(t *testing.T) {
	const odd = "HTTP/1.1 200 Fine thing\r\nx-ODD: 1\r\nServer:no-space\r\nset-cookie: b\r\nSet-Cookie: a\r\nContent-type: text/html; charset=iso-8859-1\r\nX-Bytes: gr\xfc\xdfe\r\nTransfer-encoding: chunked\r\n\r\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/odd" {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			fmt.Fprintf(c, "%s6\r\n<p>gr\xfc\r\n3\r\n\xdfe!\r\n0\r\n\r\n", odd)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><a href=/odd>odd</a>", r.URL.Path)
		for i := range 200 {
			fmt.Fprintf(w, "<a href=/%d>%d</a>", i, i)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	run := runner(t, dir, server.URL, 0)
	run(50)
	run(0)
	x, err := mustOpen(t, dir).Find(server.URL+"/odd", time.Time{})
	if err != nil || string(x.Body) != "<p>gr\xfc\xdfe!" || string(x.Text()) != "<p>grüße!" {
		t.Fatalf("%+v, %v", x, err)
	}
	var names []string
	for _, f := range x.Head {
		names = append(names, f.Name+"="+f.Value)
	}
	want := "x-ODD=1 Server=no-space set-cookie=b Set-Cookie=a Content-type=text/html; charset=iso-8859-1 X-Bytes=gr\xfc\xdfe X-Archive-Orig-Transfer-encoding=chunked"
	if got := strings.Join(names, " "); got != want || x.Reason != "Fine thing" {
		t.Errorf("%q %s, want %q", x.Reason, got, want)
	}
}

// So it is in a crawl that keeps some of its pages, and copies and removes answers all the time.
func TestCompleteKept(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title>", r.URL.Path)
		for i := range 400 {
			fmt.Fprintf(w, "<a href=/%d>%d</a>", i, i)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	run := runner(t, dir, server.URL, 40)
	for _, stopAt := range []int{150, 150, 0} {
		run(stopAt)
		orphans, _ := filepath.Glob(filepath.Join(dir, layout.ArchiveDir, "*.cdxj*"))
		files, _ := filepath.Glob(filepath.Join(dir, layout.ArchiveDir, "*"+archive.Suffix))
		if len(orphans) != len(files) || len(files) < 2 {
			t.Errorf("%d indexes of %d files: %q", len(orphans), len(files), orphans)
		}
	}
}

// runner returns a function that crawls a server until a number of pages are fetched, 0 for all, and
// checks the indexes then. With keep the crawl keeps so many pages.
func runner(t *testing.T, dir, server string, keep int64) func(stopAt int) {
	c := config.Default()
	c.Contact, c.AllowPrivate, c.KeepPages = "me@example.org", true, keep
	c.Delay, c.DelayFactor, c.IPDelay, c.Traps = config.Seconds(0.001), 0, config.Seconds(0), false
	return func(stopAt int) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		_, err := crawl.Run(ctx, crawl.RunOptions{Dir: dir, Config: c, Seeds: []string{server + "/"}, OnPage: func(*crawl.Page) error {
			if n++; n == stopAt {
				cancel()
			}
			return nil
		}})
		if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		checkIndexes(t, dir)
	}
}

// checkIndexes checks that the indexes of a crawl are what reading its WARC files gives.
func checkIndexes(t *testing.T, dir string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(dir, layout.ArchiveDir))
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, e := range list {
		path := filepath.Join(dir, layout.ArchiveDir, e.Name())
		switch {
		case strings.HasSuffix(e.Name(), archive.Suffix):
			files++
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := archive.Index(archive.NewReader(bytes.NewReader(data), path), e.Name())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(archive.IndexName(path)); err != nil || !bytes.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s: the index has %d bytes, and should have %d: %v", e.Name(), len(got), len(want), err)
			}
		case !strings.HasSuffix(e.Name(), ".cdxj"):
			t.Errorf("%s is left", e.Name())
		}
	}
	if files == 0 {
		t.Error("no WARC file")
	}
}
