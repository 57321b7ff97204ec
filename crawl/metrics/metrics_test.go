package metrics

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/render"
	"github.com/winnow-crawler/winnow/crawl/requisite"
	"github.com/winnow-crawler/winnow/frontier"
)

func scrape(last Source, token, sent string) (int, string) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/metrics", nil)
	if sent != "" {
		r.Header.Set("Authorization", sent)
	}
	Handler(last, []byte(token)).ServeHTTP(w, r)
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
		`winnow_unchanged_visits_total{status="304"} 11`, `winnow_not_transferred_bytes_total 12`,
		`winnow_unchanged_visits_total{status="200"} 13`, `winnow_not_stored_bytes_total 14`,
		`winnow_dns_lookups_total{level="cache"} 3`, `winnow_dns_lookups_total{level="disk"} 0`, `winnow_crawl_seconds 7200`, "winnow_commit_age_seconds 30",
		"# TYPE winnow_requests_total counter", "go_goroutines",
		`winnow_requisites{state="waiting"} 2`, `winnow_requisites{state="fetched"} 7`, "winnow_requisite_bytes_total 15", `winnow_rendered_pages{state="rendered"} 5`,
		`winnow_remote_files{state="sent"} 21`, `winnow_remote_bytes{state="sent"} 22`, `winnow_remote_files{state="waiting"} 23`, `winnow_remote_bytes{state="waiting"} 24`,
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
}

// TestMetricsRefuse: metrics answer to GET and HEAD on three paths and to nothing else, so
// that nothing can be changed by them.
func TestMetricsRefuse(t *testing.T) {
	h := Handler(func() (history.Status, bool) { return someStats(), true }, nil)
	for _, test := range []struct {
		method, path string
		code         int
	}{
		{"GET", "/metrics", 200}, {"HEAD", "/metrics", 200}, {"POST", "/metrics", 405}, {"PUT", "/metrics", 405}, {"DELETE", "/metrics", 405},
		{"GET", "/", 200}, {"POST", "/", 405}, {"GET", "/healthz", 200}, {"POST", "/healthz", 405}, {"GET", "/other", 404}, {"GET", "/debug/pprof/", 404}, {"POST", "/stop", 404}, {"GET", "/metrics/../../etc/passwd", 307},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.path, nil))
		if w.Code != test.code {
			t.Errorf("%s %s: %d, want %d", test.method, test.path, w.Code, test.code)
		}
	}
}

// TestHealth: a crawl that reports is healthy, and no token is needed to ask.
func TestHealth(t *testing.T) {
	for _, test := range []struct {
		known  bool
		silent time.Duration
		pages  int64
		code   int
		text   string
	}{
		{false, 0, 0, 503, "starting"},
		{true, time.Second, 100, 200, "ok: running"},
		{true, 2 * time.Minute, 100, 503, "stuck: the crawl has not reported for 2m00s"},
		{true, 2 * time.Minute, 5_000_000, 200, "ok"}, // counting takes longer
	} {
		h := Handler(func() (history.Status, bool) {
			s := someStats()
			s.Measured, s.Known = time.Now().Add(-test.silent), test.pages
			return s, test.known
		}, []byte("0123456789abcdef"))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
		if w.Code != test.code || !strings.HasPrefix(w.Body.String(), test.text) {
			t.Errorf("%+v: %d %s", test, w.Code, w.Body)
		}
	}
}

// TestPage: people see the main numbers and the age of the last commit; the token counts.
func TestPage(t *testing.T) {
	last := func() (history.Status, bool) { return someStats(), true }
	w := httptest.NewRecorder()
	Handler(last, nil).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	for _, want := range []string{"ok: running", "12,345 pages", "<th>last commit</th><td>30s ago</td>", "politeness</th><td>2,900</td>", `href="metrics"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, w.Body)
		}
	}
	w = httptest.NewRecorder()
	Handler(last, []byte("0123456789abcdef")).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 401 || strings.Contains(w.Body.String(), "12,345") {
		t.Errorf("without the token: %d %s", w.Code, w.Body)
	}
}

// someStats are those of a crawl in full swing.
func someStats() history.Status {
	s := history.Status{
		Seconds: 7200, Ran: 61 * time.Second, State: "running",
		Known: 1_234_567, Waiting: 1_221_270, Acquired: 300, Fetched: 12_345, Failed: 52, Refused: 900, Sites: 3_456,
		Requests: 15_801, Bytes: 5 << 20, Rate: 123.4, Gathered: 0.4321, Active: 312, Fetchers: 500,
		Measured: time.Now(), Committed: time.Now().Add(-30 * time.Second),
		Memory: 64 << 20, MemoryMax: 1 << 30, Left: 715 * time.Second,
		Counts: frontier.Counts{Polite: 2_900, Parked: 12},
	}
	s.Outcomes = map[string]int64{"ok": 12_345, "timeout": 12, "dns": 40}
	s.RefusedBy = map[string]int64{"robots": 900}
	s.Requisites = &requisite.Tally{Known: 9, Fetched: 7, Bytes: 15}
	s.Rendering = &render.Tally{Rendered: 5, Waiting: 6}
	s.Remote = &remote.Status{Files: 21, Bytes: 22, Waiting: 23, Size: 24}
	s.FailedBy, s.Delays = map[string]int64{"timeout": 12, "dns": 40}, map[string]int{"delay": 2_900}
	s.DNS.Network, s.DNS.Cache = 7, 3
	s.NotModified, s.NotTransferred, s.Unchanged, s.NotStored = 11, 12, 13, 14
	return s
}
