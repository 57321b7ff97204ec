//go:build unix

package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A library serves the HTML files of a directory on loopback: copies of it, each a site with an
// address of its own and with pages that differ from those of the others.
type library struct {
	pages       map[string][]byte // by path
	sites       []string
	served      atomic.Int64
	pagesServed int64 // by the last crawl
}

func newLibrary(t *testing.T, dir string, copies int) *library {
	l := &library{pages: map[string][]byte{}}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".html") {
			return err
		}
		path, _ := filepath.Rel(dir, name)
		l.pages["/"+filepath.ToSlash(path)], err = os.ReadFile(name)
		return err
	})
	if err != nil || len(l.pages) == 0 {
		t.Fatalf("no pages in %s: %v", dir, err)
	}
	for i := range copies {
		l.listen(t, i)
	}
	return l
}

// listen makes a site.
func (l *library) listen(t *testing.T, copy int) {
	at, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", 2+copy))
	if err != nil {
		t.Skip("addresses of loopback: ", err)
	}
	pressed := map[string][]byte{"/": l.index()}
	for path, body := range l.pages {
		mark := fmt.Appendf(nil, "<p>copy%dof%d</p></body>", copy, len(body)%7919)
		pressed[path] = bytes.Replace(body, []byte("</body>"), mark, 1)
	}
	for path, body := range pressed {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(body)
		w.Close()
		pressed[path] = b.Bytes()
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pressed[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		l.served.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(body)
	})}
	go s.Serve(at)
	t.Cleanup(func() { s.Close() })
	l.sites = append(l.sites, "http://"+at.Addr().String()+"/")
}

// index returns a page that links to all others.
func (l *library) index() []byte {
	var b bytes.Buffer
	b.WriteString("<title>Index</title><body>")
	for _, path := range slices.Sorted(maps.Keys(l.pages)) {
		fmt.Fprintf(&b, "<a href=%q>x</a> ", path)
	}
	return b.Bytes()
}

// TestTopicCost measures what a topic costs in all the processor time of a crawl for each page, without
// that of beginning it. WINNOW_PAGES names directories with pages, such as those of documentation
// packages, with colons between them; WINNOW_QUERY is another query, such as one in the language of the
// pages; WINNOW_BINARY is measured instead of the present state.
func TestTopicCost(t *testing.T) {
	dirs := os.Getenv("WINNOW_PAGES")
	if dirs == "" {
		t.Skip("WINNOW_PAGES names no directory with pages")
	}
	binary := os.Getenv("WINNOW_BINARY")
	if binary == "" {
		binary = filepath.Join(t.TempDir(), "winnow")
		if out, err := exec.Command("go", "build", "-o", binary, "../cmd/winnow").CombinedOutput(); err != nil {
			t.Fatalf("build winnow: %v\n%s", err, out)
		}
	}
	query := "--query=" + cmp.Or(os.Getenv("WINNOW_QUERY"), "configuration network interfaces wireless drivers")
	const order = "--policy=breadth-first"
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	runs := [][]string{{order, "--pages=1"}, {order}, {order, query}, {order, query, "--similarity=cosine"}, {}, {query}}
	for _, dir := range filepath.SplitList(dirs) {
		l := newLibrary(t, dir, 48)
		least := make([]time.Duration, len(runs))
		for range rounds {
			for i, flags := range runs {
				if d := l.crawl(t, binary, flags); d < least[i] || least[i] == 0 {
					least[i] = d
				}
			}
		}
		more := func(i, by int) float64 { return 100 * (float64(least[i]-least[0])/float64(least[by]-least[0]) - 1) }
		t.Logf("%s: %d pages, %v each; bm25 %+.1f %%, cosine %+.1f %%; with the orders of such crawls %v, %+.1f %%", filepath.Base(dir), l.pagesServed,
			(least[1]-least[0])/time.Duration(l.pagesServed), more(2, 1), more(3, 1), (least[4]-least[0])/time.Duration(l.pagesServed), more(5, 4))
	}
}

// crawl returns the processor time of a crawl.
func (l *library) crawl(t *testing.T, binary string, flags []string) time.Duration {
	t.Helper()
	l.served.Store(0)
	args := append([]string{"crawl", "--dir", filepath.Join(t.TempDir(), "crawl"), "--allow-private", "--delay=0s", "--ip-delay=0s", "--delay-factor=0",
		"--contact=test@example.org", "--quiet", "--sitemaps=false"}, flags...)
	cmd := exec.Command(binary, append(args, l.sites...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l.pagesServed = l.served.Load()
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
