package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/lab/live"
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

// TestStatusTraps: what is skipped is listed by reason, the largest first, also a reason of
// which no place is listed; and the facts of the paper stand beside the largest site (X38).
func TestStatusTraps(t *testing.T) {
	s := &history.Status{
		State: "paused", Known: 400, Refused: 190, Held: 1200, Mirrored: 1,
		RefusedBy: map[string]int64{"farm": 150, "grows": 30, "hosts": 3, "robots": 7},
		Mirrors:   []state.MirrorOf{{Site: "http://m.example", Of: "http://a.example"}},
		Largest:   &history.SiteShare{Site: "http://a.example", Pages: 100, Share: 0.25, Verdict: "partly", Trapped: 20},
	}
	for i := range trapsShown + 2 {
		s.Traps = append(s.Traps, history.Trap{Reason: "farm", Site: fmt.Sprintf("http://f%d.example", i), Pages: int64(20 - i)})
	}
	s.Traps = append(s.Traps, history.Trap{Reason: "grows", Site: "http://a.example", Pattern: "/shop/", Pages: 9})
	var out bytes.Buffer
	if err := printDetails(newUI(nil, &out, &out), "a.crawl", s, new(config.Default())); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"held          1,200  ",
		"largest site    100  25.0 % ", " http://a.example: partly a trap, 20 ",
		"352,944 of 784,592 ", " 45.0 %", "farm       150  ", "    http://f4.example\n",
		"grows       30  ", "             9    http://a.example/shop/\n", "hosts        3  ", "http://m.example  http://a.example\n",
	}
	rest := out.String()
	for _, w := range want {
		_, after, found := strings.Cut(rest, w)
		if !found {
			t.Fatalf("no %q in\n%s", w, rest)
		}
		rest = after
	}
	if strings.Contains(out.String(), "http://f5.example") || strings.Contains(rest, "robots") {
		t.Errorf("more than is to be shown:\n%s", out.String())
	}
	s.Largest.Verdict, s.Largest.Trapped = "none", 0
	if v := verdictText(s.Largest); v != "not a trap" {
		t.Errorf("%q", v)
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
	pages := must(t, "pages", dir, "--state", "refused")
	text := must(t, "status", dir, "-v")
	report := filepath.Join(t.TempDir(), "report")
	must(t, "report", dir, "--policy", "none", "--out", report)
	html, err := os.ReadFile(filepath.Join(report, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range live.Skipped(&s) {
		if n := strings.Count(pages, "refused\t"+x.Bar.String()+"\t"); int64(n) != x.Pages {
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
