package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// tryRun runs a command line in-process.
func tryRun(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(ctx, args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// rudely are the flags for a web of our own.
func rudely(at webPlace, dir string, more ...string) []string {
	return append([]string{"crawl", "--dir", dir, "--resolver", at.Resolver, "--allow-private", "--scope", "any", "--sync=false", "--patience", "1s",
		"--delay", "0", "--delay-factor", "0", "--ip-delay", "0", "--ip-cap", "0"}, more...)
}

// endEvent is what tests look at in the last object of --json.
type endEvent struct {
	Event, Why, State       string
	Known, Fetched, Refused int64
	Outcomes                map[string]int64
}

func lastEvent(t *testing.T, stdout string) (e endEvent) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &e); err != nil {
		t.Fatalf("%q: %v", stdout, err)
	}
	return e
}

// TestCrawl goes through the life of a crawl: begun, paused at a limit, resumed without
// being told anything, and finished.
func TestCrawl(t *testing.T) {
	at, wait := startWeb(t, "--pages", "300", "--sites", "6")
	dir := filepath.Join(t.TempDir(), "a.crawl")
	code, stdout, stderr := tryRun(t.Context(), rudely(at, dir, at.Seeds[0], "--pages", "10", "--scope", "seeds", "--max-depth", "99")...)
	if code != 0 || !inOrder(stdout, "paused: ", "--pages 10\n") || !strings.Contains(stdout, "scope") {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range [][]string{
		{"winnow: warning: ", "no delay"}, {"winnow: ", "from 1 seed", " foresight\n"}, {"winnow: scope: "}, {"winnow: delay 0s", "stops: after 10 pages", "writes " + dir + "\n"},
		{"winnow: to resume: ", "winnow crawl --dir " + dir + " --pages 20\n"},
	} {
		if !inOrder(stderr, want...) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	// What was said at the beginning holds, even when the derived file is gone.
	if err := os.Remove(filepath.Join(dir, "winnow.toml")); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = tryRun(t.Context(), "crawl", "--dir", dir, "--pages", "0", "--json")
	end := lastEvent(t, stdout)
	if code != 0 || end.Event != "end" || end.Why != "finished" || end.State != "finished" || end.Outcomes["ok"] != end.Fetched {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	if end.Refused == 0 || end.Fetched+end.Refused != end.Known {
		t.Errorf("scope seeds: %+v", end)
	}
	_, visits := wait()
	var seen struct{ Full, Pages int64 }
	if err := json.Unmarshal([]byte(visits), &seen); err != nil || seen.Pages != end.Fetched || seen.Full != end.Fetched {
		t.Errorf("the web saw %+v (%v), the crawl %+v", seen, err, end)
	}
}

// TestCrawlOtherSeeds: a directory belongs to one crawl.
func TestCrawlOtherSeeds(t *testing.T) {
	at, _ := startWeb(t, "--pages", "60", "--sites", "2")
	dir := filepath.Join(t.TempDir(), "a.crawl")
	if code, _, stderr := tryRun(t.Context(), rudely(at, dir, at.Seeds[0], "--pages", "3", "--quiet")...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	before := must(t, "status", dir, "--json")
	other := at.Seeds[0] + "somewhere/else"
	code, _, stderr := tryRun(t.Context(), rudely(at, dir, other)...)
	if code != 1 || !inOrder(stderr, "winnow: error: "+dir+" ", "other seeds", other, "\nwinnow: hint: ") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	met := strings.Fields(must(t, "pages", dir, "--state", "waiting", "--limit", "1", "--header=false"))
	if code, _, stderr := tryRun(t.Context(), rudely(at, dir, met[len(met)-1])...); code != 1 || !strings.Contains(stderr, "other seeds") {
		t.Errorf("a page that it met: exit %d: %s", code, stderr)
	}
	if after := must(t, "status", dir, "--json"); after != before {
		t.Errorf("the crawl changed:\n%s%s", before, after)
	}
	code, stdout, stderr := tryRun(t.Context(), rudely(at, dir, other, "--add-seeds", "--pages", "0", "--json")...)
	if end := lastEvent(t, stdout); code != 0 || end.Outcomes["http-error"] != 1 {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

// ended is how a command line ended.
type ended struct {
	code           int
	stdout, stderr string
}

// TestCrawlStops: a running crawl locks its directory, and stops cleanly when it is
// interrupted, with what it has.
func TestCrawlStops(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(asked) })
		<-release
		http.NotFound(w, r)
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "a.crawl")
	args := []string{"crawl", "--dir", dir, "--allow-private", server.URL}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	over := make(chan ended, 1)
	go func() {
		code, stdout, stderr := tryRun(ctx, args...)
		over <- ended{code, stdout, stderr}
	}()
	select {
	case <-asked:
	case e := <-over:
		t.Fatalf("ended early: %+v", e)
	}
	code, _, stderr := tryRun(t.Context(), args...)
	if code != 1 || !inOrder(stderr, "winnow: error: another winnow", dir, "\nwinnow: hint: ") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	stop()
	close(release)
	e := <-over
	if e.code != 130 || !strings.Contains(e.stdout, "paused: ") || !strings.HasSuffix(e.stderr, "winnow: interrupted\n") {
		t.Errorf("%+v", e)
	}
	if !inOrder(e.stderr, "stopping; ", "Ctrl-C") {
		t.Errorf("stderr %q", e.stderr)
	}
}

func TestDirName(t *testing.T) {
	for seed, want := range map[string]string{
		"https://www.example.org/a":  "www.example.org.crawl",
		"http://127.0.0.1:8080/":     "127.0.0.1.crawl",
		"http://[::1]:80/":           "1.crawl",
		"http://[2001:db8::1]/":      "2001-db8--1.crawl",
		"https://xn--bcher-kva.org/": "xn--bcher-kva.org.crawl",
		"http://a_b.example/":        "a-b.example.crawl",
	} {
		if got := dirName(seed); got != want {
			t.Errorf("%s: %s, want %s", seed, got, want)
		}
	}
}

// TestCrawlPrecedence: flags win over what the crawl had before, that over --config, that
// over defaults; a preset stands between flags and the rest.
func TestCrawlPrecedence(t *testing.T) {
	at, _ := startWeb(t, "--pages", "60", "--sites", "2")
	temp := t.TempDir()
	dir := filepath.Join(temp, "a.crawl")
	first, second := filepath.Join(temp, "1.toml"), filepath.Join(temp, "2.toml")
	for name, text := range map[string]string{
		first:  "seeds = ['" + at.Seeds[0] + "']\npages = 50\nmax_depth = 7\nretries = 1\nfetchers = 3\n",
		second: "seeds = ['https://b.example/']\nmax_depth = 1\nmax_body = '1M'\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	must(t, rudely(at, dir, "--config", first, "--pages", "2", "--retries", "0", "--quiet")...)
	code, _, stderr := tryRun(t.Context(), "crawl", "--dir", dir, "--config", second, "--pages", "3", "--preset", "wire2002", "--delay", "0")
	if code != 0 || !inOrder(stderr, "winnow: ", dir, second, "max_depth: 7, was 1") || !inOrder(stderr, second, "max_body: 10MiB, was 1MiB") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "winnow.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"seeds = ['" + at.Seeds[0] + "']", "pages = 3", "retries = 0", "max_depth = 15", "max_body = '10MiB'",
		"fetchers = 500", "delay = '0s'", "delay_factor = 0.0",
	} {
		if !strings.Contains(string(text), "\n"+want+"\n") && !strings.HasPrefix(string(text), want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// The first lines of a crawl say when pages are visited again.
func TestAgainLine(t *testing.T) {
	c := config.Default()
	if got := c.DescribeAgain(); got != "" || stops(&c) != "when all is fetched" {
		t.Errorf("without --recrawl: %q, stops %s", got, stops(&c))
	}
	c.Recrawl.Duration = time.Hour
	if got := c.DescribeAgain(); !strings.Contains(got, "every 1h on the average, by default; while there are new pages only where") {
		t.Errorf("%q", got)
	}
	c.Revisit = "each"
	if got := c.DescribeAgain(); !strings.Contains(got, "each after 1h") || !strings.Contains(stops(&c), "Ctrl-C") {
		t.Errorf("%q, stops %s", got, stops(&c))
	}
	c.Revisit, c.Balance = "marginal", "quality=2,freshness=1"
	if got := c.DescribeAgain(); !strings.Contains(got, "every 1h on the average, by marginal; balance quality=2") {
		t.Errorf("%q", got)
	}
}
