package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/history"
)

func scrape(last func() (history.Status, bool), token, sent string) (int, string) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/metrics", nil)
	if sent != "" {
		r.Header.Set("Authorization", sent)
	}
	metricsHandler(last, []byte(token)).ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestMetrics: every number of the statistics is there, and classes sum up to the
// attempts (W18, W29).
func TestMetrics(t *testing.T) {
	stats := func() (history.Status, bool) { return someStats(), true }
	code, body := scrape(stats, "", "")
	if code != 200 {
		t.Fatal(code, body)
	}
	for _, want := range []string{
		`winnow_pages{state="known"} 1.22097e+06`, `winnow_pages{state="fetched"} 12345`, `winnow_pages{state="acquired"} 300`,
		`winnow_attempts_total{class="ok"} 12345`, `winnow_attempts_total{class="trap"} 0`, `winnow_refused_pages{reason="robots"} 900`,
		`winnow_importance_gathered_ratio 0.4321`, `winnow_fetchers{state="idle"} 188`, `winnow_waiting{reason="politeness"} 2900`,
		`winnow_dns_lookups_total{level="cache"} 3`, `winnow_dns_lookups_total{level="disk"} 0`, `winnow_crawl_seconds 7200`,
		"# TYPE winnow_requests_total counter", "go_goroutines",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	for _, h := range metricHelp {
		if !strings.Contains(body, "# HELP "+h.name+" "+h.help+"\n") {
			t.Errorf("no %s", h.name)
		}
	}
	nothing := func() (history.Status, bool) { return history.Status{}, false }
	if code, body := scrape(nothing, "", ""); code != 200 || strings.Contains(body, "winnow_") {
		t.Errorf("before the crawl said anything: %d\n%s", code, body)
	}
}

func TestMetricsToken(t *testing.T) {
	stats := func() (history.Status, bool) { return someStats(), true }
	const token = "0123456789abcdef"
	for sent, want := range map[string]int{"": 401, "Bearer x": 401, token: 401, "Bearer " + token: 200, "Bearer " + token + "0": 401} {
		if code, body := scrape(stats, token, sent); code != want || strings.Contains(body, "winnow_pages") != (want == 200) {
			t.Errorf("%q: %d", sent, code)
		}
	}
	dir := t.TempDir()
	short, long := filepath.Join(dir, "short"), filepath.Join(dir, "long")
	for name, text := range map[string]string{short: "x\n", long: token + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readToken(short); err == nil {
		t.Error("a token of one letter")
	}
	if got, err := readToken(long); err != nil || string(got) != token {
		t.Errorf("%q, %v", got, err)
	}
}
