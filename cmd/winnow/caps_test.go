package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/state"
)

// A crawl that its limits cut off never says just that it has finished: the summary, the
// status, the report and the pages name the limit, and the command that they propose
// brings what was left out.
func TestCapsNamed(t *testing.T) {
	at, _ := startWeb(t, "--pages", "120", "--sites", "2")
	dir := filepath.Join(t.TempDir(), "a.crawl")
	code, stdout, stderr := tryRun(t.Context(), rudely(at, dir, at.Seeds[0], "--site-pages", "20", "--max-links", "40")...)
	if code != 0 || !inOrder(stdout, "finished: ", "limits\n") {
		t.Errorf("exit %d:\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{`left out +[0-9]+ .*--site-pages 20: [0-9]+ .*http`, `left out +[0-9]+ .*--max-links 40; .*--max-links [0-9]+`} {
		for _, text := range []string{stdout, must(t, "status", dir, "-v")} {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
	}
	if pages := must(t, "pages", dir, "--state", "fetched"); !strings.Contains(pages, "\tmax-links\t") {
		t.Errorf("pages:\n%s", pages)
	}
	var s struct {
		State, Why string
		Limits     []state.Cap
	}
	if err := json.Unmarshal([]byte(must(t, "status", dir, "--json")), &s); err != nil || s.State != "finished" || len(s.Limits) != 2 || s.Limits[0].Key != "site_pages" || s.Limits[0].Left == 0 {
		t.Errorf("%+v (%v)", s, err)
	}
	if text := must(t, "report", dir, "--policy", "none", "--json"); !strings.Contains(text, `"fetched":`) {
		t.Errorf("%s", text)
	}
	_, next, ok := strings.Cut(stderr, "to resume: winnow ")
	if !ok || !strings.Contains(next, "--site-pages ") || !strings.Contains(next, "--max-links ") {
		t.Fatalf("%s", stderr)
	}
	for range 5 { // what comes has limits of its own
		next, _, _ = strings.Cut(next, "\n")
		code, stdout, stderr = tryRun(t.Context(), strings.Fields(next)...)
		if code != 0 {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		if _, next, ok = strings.Cut(stderr, "to resume: winnow "); !ok {
			break
		}
	}
	if !strings.Contains(stdout, "finished: ") || strings.Contains(stdout, "limits\n") || !regexp.MustCompile(`fetched +120 `).MatchString(stdout) {
		t.Errorf("at the end:\n%s%s", stdout, stderr)
	}
	must(t, "verify", dir)
}
