package main

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/console"
)

// crawlSome makes a crawl of a small web with all that the Web has: paused, with pages in
// every state.
func crawlSome(t *testing.T) (dir string) {
	t.Helper()
	at, wait := startWeb(t, "--pages", "200", "--sites", "8", "--mixed", "--max-latency", "2ms")
	dir = filepath.Join(t.TempDir(), "a.crawl")
	if code, _, stderr := tryRun(t.Context(), rudely(at, dir, at.Seeds[0], "--pages", "120", "--quiet")...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	wait()
	return dir
}

// TestReadCrawl: status, pages and verify of one crawl agree with each other.
func TestReadCrawl(t *testing.T) {
	dir := crawlSome(t)
	var s struct {
		State                                     string
		Known, Fetched, Failed, Refused, Requests int64
		Sites, Bytes, Waiting                     int64
		Outcomes, Memory                          map[string]int64
	}
	if err := json.Unmarshal([]byte(must(t, "status", dir, "--json")), &s); err != nil {
		t.Fatal(err)
	}
	if s.State != "paused" || s.Fetched < 120 || s.Known != s.Fetched+s.Failed+s.Refused+s.Waiting || s.Memory["page state"] == 0 {
		t.Errorf("%+v", s)
	}
	for state, want := range map[string]int64{"fetched": s.Fetched, "failed": s.Failed, "skipped": s.Refused, "waiting": s.Waiting, "refused": s.Refused, "known": s.Waiting} {
		if n := strings.Count(must(t, "pages", dir, "--state", state, "--header=false"), "\n"); int64(n) != want {
			t.Errorf("%d pages are %s, want %d", n, state, want)
		}
	}
	text := must(t, "status", dir, "-v")
	for _, want := range []string{"paused: reached --pages 120", "--pages 240", "links found", "largest site", "bytes a page", "all columns"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var v verifyResult
	if err := json.Unmarshal([]byte(must(t, "verify", dir, "--json")), &v); err != nil || !v.OK || v.Pages != s.Known || v.Requests != s.Requests {
		t.Errorf("%+v (%v), want what status says: %+v", v, err, s)
	}
	if text := must(t, "verify", dir); !regexp.MustCompile(`(?m)^violations +0 `).MatchString(text) {
		t.Errorf("%s", text)
	}
}

// TestPagesJSON: a line and an object say the same of a page.
func TestPagesJSON(t *testing.T) {
	dir := crawlSome(t)
	line := strings.Split(strings.TrimSpace(must(t, "pages", dir, "--state", "fetched", "--limit", "1", "--header=false")), "\t")
	var p history.PageInfo
	if err := json.Unmarshal([]byte(must(t, "pages", dir, "--state", "fetched", "--limit", "1", "--json")), &p); err != nil {
		t.Fatal(err)
	}
	if len(line) != 9 || line[0] != p.State || line[1] != "-" || line[3] != p.Class || line[8] != p.URL || p.Seconds == nil || p.Status == 0 {
		t.Errorf("%q and %+v", line, p)
	}
	site, _, _ := strings.Cut(strings.TrimPrefix(p.URL, "http://"), ":")
	if of := must(t, "pages", dir, "--site", site); !strings.Contains(of, p.URL+"\n") {
		t.Errorf("pages of %s: %s", site, of)
	}
	code, _, stderr := tryRun(t.Context(), "pages", dir, "--site", "nowhere.example")
	if code != 1 || !inOrder(stderr, "winnow: error: no page", "nowhere.example", dir, "winnow: hint: ") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestVerifyExit: what is found is listed, counted, and is exit code 3.
func TestVerifyExit(t *testing.T) {
	dir := crawlSome(t)
	files, err := filepath.Glob(filepath.Join(dir, "warc", "*.warc.gz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range 32 { // more than the bytes of a gzip header that nothing checks
		b[len(b)/2+i] ^= 0xff
	}
	if err := os.WriteFile(files[0], b, 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := tryRun(t.Context(), "verify", dir, "--limit", "1")
	if code != console.ExitMissing || !strings.Contains(stdout, "archive: record ") || !strings.HasPrefix(stderr, "winnow: error: "+dir+": ") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ = tryRun(t.Context(), "verify", dir, "--json")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	var v verifyResult
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &v); err != nil || code != console.ExitMissing || v.OK || v.Kinds["archive"] == 0 || len(lines) < 2 {
		t.Errorf("exit %d: %v\n%s", code, err, stdout)
	}
}

// TestLaterVersion: a crawl of a later version is not misread.
func TestLaterVersion(t *testing.T) {
	dir := crawlSome(t)
	path := filepath.Join(dir, "journal", "0000", "00000000.wj")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(b[4:], 99)
	binary.LittleEndian.PutUint32(b[44:], crc32.Checksum(b[:44], crc32.MakeTable(crc32.Castagnoli)))
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "status.json")); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"status", "verify", "pages"} {
		code, _, stderr := tryRun(t.Context(), verb, dir)
		if code != 1 || !inOrder(stderr, "winnow: error: ", "later version", "winnow: hint: ", "version") {
			t.Errorf("%s: exit %d: %s", verb, code, stderr)
		}
	}
}
