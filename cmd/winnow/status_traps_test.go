package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// TestBarMeanings: no reason of a refusal is without its meaning in `winnow pages --help`.
func TestBarMeanings(t *testing.T) {
	help := must(t, "pages", "--help")
	for b := event.NoBar + 1; int(b) < event.Bars(); b++ {
		if meaning := b.Meaning(); meaning == "" || !strings.Contains(help, fmt.Sprintf("\n  %-13s %s\n", b, meaning)) {
			t.Errorf("the help has no %v: %q", b, meaning)
		}
	}
}

// TestSkipped crawls a web with traps: status, pages and report tell the same of them,
// and without --traps none is skipped.
func TestSkipped(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("two crawls of a web with traps; make test runs it")
	}
	at, wait := startWeb(t, "--pages", "300", "--sites", "6", "--trap-growing-path", "0.5", "--trap-copy-directory", "0.5", "--random-seed", "3")
	dir := filepath.Join(t.TempDir(), "a.crawl")
	if end := must(t, rudely(at, dir, at.Seeds[0], "--quiet")...); !strings.Contains(end, "\nskipped ") {
		t.Errorf("the end of the crawl does not tell of traps:\n%s", end)
	}
	checkLike(t, dir)
	var s history.Status
	if err := json.Unmarshal([]byte(must(t, "status", dir, "--json")), &s); err != nil {
		t.Fatal(err)
	}
	if s.State != "finished" || s.RefusedBy["grows"] == 0 || s.RefusedBy["no-news"]+s.RefusedBy["duplicate"] == 0 || len(s.Traps) == 0 || s.Held == 0 {
		t.Fatalf("%+v", s)
	}
	pages := must(t, "pages", dir, "--state", "skipped")
	text := must(t, "status", dir, "-v")
	report := filepath.Join(t.TempDir(), "report")
	must(t, "report", dir, "--policy", "none", "--out", report)
	html, err := os.ReadFile(filepath.Join(report, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range wording.Skipped(&s) {
		if n := strings.Count(pages, "skipped\t"+x.Bar.String()+"\t"); int64(n) != x.Pages {
			t.Errorf("%d pages are refused as %v, want %d", n, x.Bar, x.Pages)
		}
		for _, where := range []string{text, string(html)} {
			if !strings.Contains(where, x.Bar.Meaning()) && x.Bar != event.BarNoNews { // whose quotes HTML escapes
				t.Errorf("no %v in\n%s", x.Bar, where)
			}
		}
	}
	for _, x := range s.Traps {
		if !strings.Contains(string(html), ">"+x.Pattern+"<") {
			t.Errorf("the report has no %+v", x)
		}
	}
	free := filepath.Join(t.TempDir(), "b.crawl")
	must(t, rudely(at, free, at.Seeds[0], "--quiet", "--traps=false", "--pages", "600")...)
	if text := must(t, "status", free, "-v"); strings.Contains(text, "grows") || strings.Contains(text, "no-news") {
		t.Errorf("skipped without --traps:\n%s", text)
	}
	wait()
}

// checkLike: of each duplicate, and of nothing but what came, the page with its content is
// told, which is another one (W20).
func checkLike(t *testing.T, dir string) {
	t.Helper()
	duplicates := 0
	for l := range strings.Lines(must(t, "pages", dir, "--json")) {
		var p history.PageInfo
		if err := json.Unmarshal([]byte(l), &p); err != nil {
			t.Fatal(err)
		}
		if p.Like != "" {
			duplicates++
		}
		if p.Like == p.URL || (p.Like == "") == (p.Class == "duplicate") && p.Class != "ok" || p.Like != "" && p.State != "fetched" {
			t.Errorf("%+v", p)
		}
	}
	if duplicates == 0 {
		t.Error("no page is like another")
	}
}
