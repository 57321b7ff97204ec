package history_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/graph"
)

// warcRecord is a record as other crawlers write them, uncompressed.
func warcRecord(kind, url, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
		"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\nContent-Type: application/http;msgtype=%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, url, kind, len(block), block)
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// Pages of WARC files that others wrote: any form of the URL, transfer and content codings,
// redirects, several versions of a page; what is no page, and what failed, adds nothing.
func TestWARCFeed(t *testing.T) {
	html := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	body := `<a href="/b">b</a> <a href="http://other.example/">o</a> <a href="#x">self</a>`
	zipped := gzipped(`<a href="c?x=1&amp;y=2">c</a>`)
	first := warcRecord("response", "HTTP://A.example:80/", html+fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)) +
		warcRecord("request", "http://a.example/b", "GET /b HTTP/1.1\r\n\r\n") +
		warcRecord("response", "http://a.example/robots.txt", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\r\n") +
		warcRecord("response", "http://a.example/logo.png", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n")
	second := warcRecord("response", "http://a.example/b", html+"Content-Encoding: gzip\r\n\r\n"+zipped) +
		warcRecord("response", "http://a.example/old", "HTTP/1.1 301 Moved\r\nLocation: /b#part\r\n\r\n") +
		warcRecord("response", "http://a.example/gone", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<a href=/z>z</a>") +
		warcRecord("response", "http://a.example/", html+"\r\n<a href=/b>b</a> <a href=/d>d</a>")
	dir := t.TempDir()
	var files []string
	for i, text := range []string{first, second} {
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.warc", i)))
		if err := os.WriteFile(files[i], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	feed, err := history.WARCFeed(files)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "warc.wg")
	if _, err := graph.Import(t.Context(), graph.ImportOptions{Feed: feed, WriteOptions: graph.WriteOptions{Path: path}}); err != nil {
		t.Fatal(err)
	}
	g, err := graph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var got []string
	for p := range graph.Page(g.Pages()) {
		line := string(g.AppendURL(nil, p))
		if g.Fetched(p) {
			line += " ->"
		}
		for _, q := range g.Forward().Reader().List(p) {
			line += fmt.Sprintf(" %d", q)
		}
		got = append(got, line)
	}
	want := []string{
		"http://a.example/ -> 1 2 5", "http://a.example/b -> 3", "http://other.example/", "http://a.example/c?x=1&y=2",
		"http://a.example/old -> 1", "http://a.example/d",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
