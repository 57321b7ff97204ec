package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	crawlstate "github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/lab/live"
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
	for state, want := range map[string]int64{"fetched": s.Fetched, "failed": s.Failed, "refused": s.Refused, "known": s.Waiting} {
		if n := strings.Count(must(t, "pages", dir, "--state", state), "\n"); int64(n) != want {
			t.Errorf("%d pages are %s, want %d", n, state, want)
		}
	}
	text := must(t, "status", dir, "-v")
	for _, want := range []string{"paused: reached --pages 120", "--pages 240", "links found", "largest site", "bytes a page", "page state"} {
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
	line := strings.Split(strings.TrimSpace(must(t, "pages", dir, "--state", "fetched", "--limit", "1")), "\t")
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
	if code != exitMissing || !strings.Contains(stdout, "archive: record ") || !strings.HasPrefix(stderr, "winnow: error: "+dir+": ") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ = tryRun(t.Context(), "verify", dir, "--json")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	var v verifyResult
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &v); err != nil || code != exitMissing || v.OK || v.Kinds["archive"] == 0 || len(lines) < 2 {
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

// Each pause has its reason and a command that continues the crawl, with flags that exist.
func TestPauseReason(t *testing.T) {
	c := config.Default()
	c.Pages, c.Bytes, c.Duration, c.MaxMemory = 120, 1<<20, config.Seconds(60), 1<<30
	at := history.Status{State: "paused", Fetched: 130, Redirects: 10, Bytes: 2 << 20, Seconds: 61}
	seen := map[string]bool{}
	for why, flags := range map[string]string{
		"pages": " --pages 240", "duration": " --duration 2m", "bytes": " --bytes 2MiB", "memory": " --max-memory 2GiB",
		"disk": "", "unreachable": "", "retry": "", "stopped": "", "": "",
	} {
		s := at
		s.Why = why
		reason, next := live.PauseReason(&s, &c), resumeCommand("a.crawl", &s, &c)
		if reason == "" || reason == why || seen[reason] || !strings.HasPrefix(next, "winnow crawl --dir a.crawl"+flags) || flags == "" && next != "winnow crawl --dir a.crawl" {
			t.Errorf("%s: %q, %q", why, reason, next)
		}
		seen[reason] = true
	}
	for _, state := range []string{"running", "finished"} {
		if next := resumeCommand("a.crawl", &history.Status{State: state}, &c); next != "" {
			t.Errorf("%s: %q", state, next)
		}
	}
}

// A limit that was raised since the pause is no reason to raise it again.
func TestPauseRaised(t *testing.T) {
	c := config.Default()
	c.Pages = 500
	s := history.Status{State: "paused", Why: "pages", Fetched: 120}
	if got := stateText(&s, &c); got != "paused: reached --pages" {
		t.Errorf("%q", got)
	}
	if got := resumeCommand("a.crawl", &s, &c); got != "winnow crawl --dir a.crawl" {
		t.Errorf("%q", got)
	}
}

// fullStatus is one in which every line of the status has its longest text.
func fullStatus(state string) *history.Status {
	s := &history.Status{
		State: state, Why: "pages", Known: 123_456_789, Waiting: 100_000_000, Fetched: 12_345_678, Redirects: 1_234_567, Failed: 1_000_000,
		Refused: 9_000_000, Sites: 1_234_567, Requests: 20_000_000, Bytes: 1 << 40, Links: 1 << 40, Gathered: 0.5, Seconds: 1e6,
		Active: 500, Fetchers: 500, Rate: 1234, Down: 12, Mirrored: 40, Held: 1200, Memory: 1 << 30,
		Spared:   crawlstate.Spared{NotModified: 123_456_789, NotTransferred: 1023 << 30, Unchanged: 123_456_789, NotStored: 1023 << 30},
		FailedBy: map[string]int64{}, RefusedBy: map[string]int64{}, Outcomes: map[string]int64{}, Columns: map[string]int64{},
		Waits:   map[string]int{"politeness": 123_456, "unreachable": 12, "address": 1200, "retry": 1, "commit": 2, "twin": 3, "robots-elsewhere": 4, "sitemap-files": 5, "slow": 6},
		Largest: &history.SiteShare{Site: "http://" + strings.Repeat("long.", 20) + "example", Pages: 12_345_678, Share: 0.1, Verdict: "partly", Trapped: 1_234_567},
	}
	for c := event.OK; c <= event.LastClass; c++ {
		s.FailedBy[c.String()], s.Outcomes[c.String()] = 100_000+int64(c), 2_000_000
	}
	for b := event.NoBar + 1; int(b) < event.Bars(); b++ {
		s.RefusedBy[b.String()] = 300_000 + int64(b)
	}
	for i := range 40 {
		s.Columns[fmt.Sprint("column ", i)] = 1 << 20
		s.Unreachable = append(s.Unreachable, crawlstate.SiteDown{Site: "http://d.example", Why: strings.Repeat("connection refused ", 6), Next: time.Now()})
		s.Mirrors = append(s.Mirrors, crawlstate.MirrorOf{Site: "http://m.example", Of: "http://a.example"})
	}
	for _, key := range []string{"site_pages", "domain_pages", "max_links", "max_depth"} {
		s.Caps = append(s.Caps, crawlstate.Cap{Key: key, Value: "25000", Raise: "50000", What: "pages", Left: 1_234_567})
	}
	return s
}

// TestStatusFits: the status fits a terminal of 80 columns and 20 lines, whatever happened;
// -v has the rest.
func TestStatusFits(t *testing.T) {
	c := config.Default()
	for _, state := range []string{"running", "finished", "paused", "paused:duration", "paused:bytes", "paused:stopped", "paused:disk", "paused:memory", "paused:unreachable", "paused:retry", "paused:"} {
		var short, long bytes.Buffer
		s := fullStatus(state)
		if name, why, ok := strings.Cut(state, ":"); ok {
			s.State, s.Why = name, why
		}
		if err := errors.Join(printStatus(newUI(nil, &short, nil), "a.crawl", s, &c), printDetails(newUI(nil, &long, nil), "a.crawl", s, &c)); err != nil {
			t.Fatal(err)
		}
		rows := 0
		for line := range strings.Lines(short.String()) {
			columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
			rows += 1 + (columns-1)/80
			if columns > 80 && !strings.HasPrefix(line, "to resume ") {
				t.Errorf("%d columns: %s", columns, line)
			}
		}
		if rows > 20 {
			t.Errorf("%s: %d lines:\n%s", state, rows, short.String())
		}
		for _, word := range []string{"bytes a page", "column 39", "m.example"} {
			if strings.Contains(short.String(), word) || !strings.Contains(long.String(), word) {
				t.Errorf("%s: %q belongs to -v only:\n%s", state, word, short.String())
			}
		}
	}
}

// The status says what visits of unchanged pages saved, if there were any.
func TestSparedText(t *testing.T) {
	c := config.Default()
	for want, spared := range map[string]crawlstate.Spared{
		"": {},
		"6  3 KiB not transferred, 5 KiB not stored": {NotModified: 2, NotTransferred: 3 << 10, Unchanged: 4, NotStored: 5 << 10},
	} {
		var out bytes.Buffer
		s := history.Status{State: "finished", Spared: spared}
		if err := printStatus(newUI(nil, &out, nil), "a.crawl", &s, &c); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.Contains(text, "unchanged") != (want != "") || !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Failures are pages, also those of sites that were given up without an attempt at them: the
// live view, the end of a crawl and the status have the same numbers.
func TestFailuresAgree(t *testing.T) {
	s := history.Status{State: "running", Known: 1100, Failed: 1073, FailedBy: map[string]int64{"dns": 1072, "http-error": 1}, Outcomes: map[string]int64{"http-error": 3}}
	c := config.Default()
	var out bytes.Buffer
	if err := printStatus(newUI(nil, &out, nil), "a.crawl", &s, &c); err != nil {
		t.Fatal(err)
	}
	by := "dns 1,072, http-error 1"
	for where, text := range map[string]string{"panel": strings.Join(panel(&s, &c), "\n"), "log": progressLine(&s, &c), "status": out.String()} {
		if !strings.Contains(text, "1,073") || !strings.Contains(text, by) || strings.Contains(text, "failures") {
			t.Errorf("%s: %s", where, text)
		}
	}
}
