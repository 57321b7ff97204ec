package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/winnow-crawler/winnow/internal/console"
)

// TestHostileMemory runs a crawl, as a process of its own with a small --max-memory,
// against servers that want it to take more: each gives bodies, headers, links, hosts,
// robots.txt or sitemaps without end. The peak of its resident memory, as the kernel
// counts it, stays under the flag, and the crawl ends by itself.
//
// It takes minutes: WINNOW_HOSTILE_MEMORY=256 runs it with a ceiling of so many MiB.
//
// All hosts are names below localhost, which resolve to this machine and nowhere else
// (RFC 6761).
func TestHostileMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process is counted otherwise here")
	}
	most, err := strconv.Atoi(os.Getenv("WINNOW_HOSTILE_MEMORY"))
	if err != nil {
		t.Skip("minutes of hostile bodies: WINNOW_HOSTILE_MEMORY=256 is a ceiling of 256 MiB")
	}
	for _, name := range hostileKinds() {
		t.Run(name, func(t *testing.T) { crawlHostile(t, name, most, hostileServer(t, name)) })
	}
}

// crawlHostile crawls from the page / of a server and looks at what it took.
func crawlHostile(t *testing.T, name string, most int, server *httptest.Server) {
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "winnow-peak", "crawl", "http://seed.localhost:"+port+"/", "--allow-private",
		"--scope", "any", "--dir", filepath.Join(t.TempDir(), "crawl"), "--max-memory", strconv.Itoa(most)+"MiB",
		"--delay", "0", "--delay-factor", "0", "--ip-delay", "0", "--ip-cap", "1000", "--quiet",
		"--retries", "0", "--timeout", "20s", "--pages", "3000", "--fetchers", "200", "--disk-reserve", "0", "--duration", "20s")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	if full := inOrder(said.String(), "winnow: error: ", "--max-memory", "used up"); err != nil && !full {
		t.Errorf("%v: %s", err, said.String())
	}
	_, kib, _ := strings.Cut(said.String(), "VmHWM:")
	peak, err := strconv.Atoi(strings.Fields(kib + " none")[0])
	if err != nil {
		t.Fatalf("no peak: %s", said.String())
	}
	peak >>= 10
	t.Logf("%s: peak %d MiB, %v of processor time\n%s", name, peak, cmd.ProcessState.UserTime(), said.String())
	if peak > most {
		t.Errorf("%s: peak %d MiB, --max-memory %d MiB", name, peak, most)
	}
}

// mainThatTellsItsPeak is winnow that says at its end how much memory was resident at
// most. The usage that wait gives is of no use here: it begins with the memory of the
// process that started it.
func mainThatTellsItsPeak() {
	code := run(interruptible(console.New(nil, os.Stdout, os.Stderr)), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM:") {
			fmt.Print(line)
		}
	}
	os.Exit(code)
}

// hostileKinds are the servers.
func hostileKinds() []string {
	return []string{"gzip", "brotli", "zstd", "stacked", "bodies", "announced", "headers", "links", "nested", "hosts", "robots", "sitemaps", "urls", "titles"}
}

// hostileServer answers all hosts. The seed links to a thousand hosts whose pages are of
// the kind that is requested.
func hostileServer(t *testing.T, kind string) *httptest.Server {
	h := newHostile(t, kind)
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = nil
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// hostile is a web that is made on the fly.
type hostile struct {
	kind   string
	coding string // of page
	page   []byte // of all hosts but the seed
	header http.Header
}

// hostileHosts is how many the seed links to.
const hostileHosts = 1000

func newHostile(t *testing.T, kind string) *hostile {
	h := &hostile{kind: kind, page: []byte("<p>nothing</p>"), header: http.Header{}}
	huge := bytes.Repeat([]byte("<p>all work and no play "), 10<<20/24) // just under --max-body
	switch kind {
	case "gzip", "brotli", "zstd":
		h.coding = map[string]string{"gzip": "gzip", "brotli": "br", "zstd": "zstd"}[kind]
		h.page = squeezed(t, h.coding, bytes.Repeat([]byte(" "), 1<<30))
	case "stacked":
		h.coding = "gzip, br, gzip"
		h.page = squeezed(t, "gzip", squeezed(t, "br", squeezed(t, "gzip", huge)))
	case "bodies", "announced":
		h.page = huge
	case "headers":
		for i := range 1000 {
			h.header.Set("X-"+strconv.Itoa(i), strings.Repeat("x", 100))
		}
	case "links":
		h.page = millionLinks()
	case "nested":
		h.page = bytes.Repeat([]byte("<div>"), 1_000_000)
	case "titles":
		h.page = []byte("<title>" + strings.Repeat("t", 9<<20) + "</title>")
	}
	return h
}

// squeezed is data in a coding.
func squeezed(t *testing.T, coding string, data []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "br":
		w = brotli.NewWriterLevel(&b, 1)
	case "zstd":
		z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// millionLinks is a page with a million links.
func millionLinks() []byte {
	var b bytes.Buffer
	for i := range 1_000_000 {
		fmt.Fprintf(&b, "<a href=/%x>", i)
	}
	return b.Bytes()
}

func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, values := range h.header {
		w.Header()[name] = values
	}
	_, port, _ := net.SplitHostPort(r.Host)
	switch {
	case r.URL.Path == "/robots.txt":
		h.robots(w, r, port)
		return
	case strings.HasPrefix(r.URL.Path, "/sitemap"):
		h.sitemap(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch {
	case h.kind == "hosts":
		h.newHosts(w, r, port)
	case h.kind == "urls":
		h.longURLs(w, r)
	case strings.HasPrefix(r.Host, "seed."):
		for i := range hostileHosts {
			fmt.Fprintf(w, "<a href=http://h%d.localhost:%s/>", i, port)
		}
	default:
		if h.coding != "" {
			w.Header().Set("Content-Encoding", h.coding)
		}
		if h.kind == "announced" {
			w.Header().Set("Content-Length", strconv.Itoa(len(h.page)))
		}
		w.Write(h.page)
	}
}

// newHosts links from each page to 5,000 hosts that were never named before.
func (h *hostile) newHosts(w http.ResponseWriter, r *http.Request, port string) {
	name, _, _ := strings.Cut(r.Host, ".")
	for i := range 5000 {
		fmt.Fprintf(w, "<a href=http://%s-%d.localhost:%s/>", name, i, port)
	}
}

// longURLs links from each page to 5,000 pages with URLs as long as they may be.
func (h *hostile) longURLs(w http.ResponseWriter, r *http.Request) {
	for i := range 5000 {
		fmt.Fprintf(w, "<a href=/%x/%s>", i, strings.Repeat(strconv.Itoa(len(r.URL.Path)%10), 1900))
	}
}

// robots is a robots.txt of 500 KB, another one for each host; or one with sitemaps.
func (h *hostile) robots(w http.ResponseWriter, r *http.Request, port string) {
	switch {
	case strings.HasPrefix(r.Host, "seed."):
		http.NotFound(w, r)
	case h.kind == "robots":
		fmt.Fprintln(w, "user-agent: *")
		for i := range 500 << 10 / 24 {
			fmt.Fprintf(w, "disallow:/%s*%x?\n", r.Host[:3], i)
		}
	case h.kind == "sitemaps":
		for i := range 200 {
			fmt.Fprintf(w, "sitemap: /sitemap/%d/%s\n", i, strings.Repeat("x", 1900))
		}
	default:
		http.NotFound(w, r)
	}
}

// sitemap names 50,000 files, itself among them, packed.
func (h *hostile) sitemap(w http.ResponseWriter, r *http.Request) {
	z := gzip.NewWriter(w)
	defer z.Close()
	fmt.Fprint(z, "<sitemapindex>")
	fmt.Fprintf(z, "<sitemap><loc>%s</loc></sitemap>", r.URL.Path)
	for i := range 50_000 {
		fmt.Fprintf(z, "<sitemap><loc>/sitemap/%d/%s</loc></sitemap>", i, strings.Repeat("y", 150))
	}
}
