package main

import (
	"bytes"
	"context"
	"crypto/subtle"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
)

// crawlMetrics are the statistics of a crawl for Prometheus. Nothing is counted a second
// time: at each scrape the last Stats are translated.
type crawlMetrics struct {
	last func() (history.Status, bool)
	desc map[string]*prometheus.Desc
}

// sample is one value of a scrape.
type sample struct {
	name   string
	kind   prometheus.ValueType
	value  float64
	labels []string
}

// The metrics with their help and the name of their label, "" for none.
var metricHelp = []struct{ name, help, label string }{
	{"winnow_pages", "Known pages by state.", "state"},
	{"winnow_refused_pages", "Refused pages by reason.", "reason"},
	{"winnow_sites", "Known sites.", ""},
	{"winnow_attempts_total", "Ends of attempts at pages by class, over all sessions of the crawl.", "class"},
	{"winnow_requests_total", "Requests for pages, robots.txt and sitemaps.", ""},
	{"winnow_received_bytes_total", "Bytes of all answers as they came.", ""},
	{"winnow_importance_gathered_ratio", "Share of the links found on fetched pages that lead to fetched pages.", ""},
	{"winnow_fetchers", "Fetchers by state.", "state"},
	{"winnow_waiting", "What waits, by reason.", "reason"},
	{"winnow_memory_bytes", "Memory that the crawl takes.", ""},
	{"winnow_memory_max_bytes", "Ceiling of the memory, 0 for none.", ""},
	{"winnow_crawl_seconds", "Time since the crawl began, stops included.", ""},
	{"winnow_commits_total", "Groups of records committed by this session.", ""},
	{"winnow_archive_bytes_total", "Bytes written to WARC files by this session.", ""},
	{"winnow_journal_bytes_total", "Bytes written to the journal by this session.", ""},
	{"winnow_dns_lookups_total", "Names looked up, by the level that knew them.", "level"},
	{"winnow_dns_queries_total", "Questions sent to DNS servers, retries included.", ""},
	{"winnow_dns_failures_total", "Names that do not exist, and names of which nobody knew.", "kind"},
	{"winnow_dns_in_flight", "Questions to DNS servers that are out now.", ""},
}

func newCrawlMetrics(last func() (history.Status, bool)) *crawlMetrics {
	m := &crawlMetrics{last: last, desc: map[string]*prometheus.Desc{}}
	for _, h := range metricHelp {
		var labels []string
		if h.label != "" {
			labels = []string{h.label}
		}
		m.desc[h.name] = prometheus.NewDesc(h.name, h.help, labels, nil)
	}
	return m
}

// Describe is called by the registry.
func (m *crawlMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, h := range metricHelp {
		out <- m.desc[h.name]
	}
}

// Collect is called at each scrape.
func (m *crawlMetrics) Collect(out chan<- prometheus.Metric) {
	s, ok := m.last()
	if !ok {
		return
	}
	for _, v := range append(append(pageMetrics(&s), workMetrics(&s)...), dnsMetrics(&s)...) {
		out <- prometheus.MustNewConstMetric(m.desc[v.name], v.kind, v.value, v.labels...)
	}
}

const (
	gauge   = prometheus.GaugeValue
	counter = prometheus.CounterValue
)

// pageMetrics are about pages. Every class is there, also those that did not occur, so
// that they sum up to all attempts (W29).
func pageMetrics(s *history.Status) []sample {
	out := []sample{
		{"winnow_pages", gauge, float64(s.Waiting - s.Acquired), []string{"known"}},
		{"winnow_pages", gauge, float64(s.Acquired), []string{"acquired"}},
		{"winnow_pages", gauge, float64(s.Fetched), []string{"fetched"}},
		{"winnow_pages", gauge, float64(s.Failed), []string{"failed"}},
		{"winnow_pages", gauge, float64(s.Refused), []string{"refused"}},
		{"winnow_sites", gauge, float64(s.Sites), nil},
		{"winnow_importance_gathered_ratio", gauge, s.Gathered, nil},
	}
	for c := event.OK; c <= event.LastClass; c++ {
		out = append(out, sample{"winnow_attempts_total", counter, float64(s.Outcomes[c.String()]), []string{c.String()}})
	}
	for _, reason := range slices.Sorted(maps.Keys(s.RefusedBy)) {
		out = append(out, sample{"winnow_refused_pages", gauge, float64(s.RefusedBy[reason]), []string{reason}})
	}
	return out
}

// workMetrics are about what is being done and what it costs.
func workMetrics(s *history.Status) []sample {
	out := []sample{
		{"winnow_requests_total", counter, float64(s.Requests), nil},
		{"winnow_received_bytes_total", counter, float64(s.Bytes), nil},
		{"winnow_fetchers", gauge, float64(s.Active), []string{"active"}},
		{"winnow_fetchers", gauge, float64(max(s.Fetchers-s.Active, 0)), []string{"idle"}},
		{"winnow_memory_bytes", gauge, float64(s.Memory), nil},
		{"winnow_memory_max_bytes", gauge, float64(s.MemoryMax), nil},
		{"winnow_crawl_seconds", gauge, s.Seconds, nil},
		{"winnow_commits_total", counter, float64(s.Commits), nil},
		{"winnow_archive_bytes_total", counter, float64(s.Archive), nil},
		{"winnow_journal_bytes_total", counter, float64(s.Journal), nil},
	}
	for _, w := range waits(s) {
		out = append(out, sample{"winnow_waiting", gauge, float64(w.sites), []string{w.why}})
	}
	return out
}

// dnsMetrics are hit rates of the three levels and more (W18).
func dnsMetrics(s *history.Status) []sample {
	d := &s.DNS
	return []sample{
		{"winnow_dns_lookups_total", counter, float64(d.Literal), []string{"literal"}},
		{"winnow_dns_lookups_total", counter, float64(d.Cache), []string{"cache"}},
		{"winnow_dns_lookups_total", counter, float64(d.Disk), []string{"disk"}},
		{"winnow_dns_lookups_total", counter, float64(d.Network), []string{"network"}},
		{"winnow_dns_queries_total", counter, float64(d.Questions), nil},
		{"winnow_dns_failures_total", counter, float64(d.Missing), []string{"missing"}},
		{"winnow_dns_failures_total", counter, float64(d.Failed), []string{"failed"}},
		{"winnow_dns_in_flight", gauge, float64(d.InFlight), nil},
	}
}

// metricsServer serves them over HTTP; the zero value serves nothing.
type metricsServer struct{ http *http.Server }

// serveMetrics begins to serve what the configuration asks for. It fails before the
// crawl has begun, or not at all.
func serveMetrics(u *ui, c *config.Config, last func() (history.Status, bool)) (*metricsServer, error) {
	addr, err := c.MetricsAddress()
	if addr == "" || err != nil {
		return &metricsServer{}, explainKey(u, err)
	}
	token, err := readToken(c.MetricsToken)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, withHint(fmt.Errorf("--metrics: %w", err), "port 0 is any free port; try: %s", u.withFlag("--metrics", "127.0.0.1:0"))
	}
	s := &metricsServer{&http.Server{Handler: metricsHandler(last, token), ReadHeaderTimeout: 10 * time.Second}}
	go s.http.Serve(listener)
	u.notef("metrics at http://%s/metrics", listener.Addr())
	return s, nil
}

// readToken reads the token of a file, nil without one.
func readToken(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--metrics-token: open %s: %w", name, cause(err))
	}
	token := bytes.TrimSpace(text)
	if len(token) < 16 {
		return nil, withHint(fmt.Errorf("--metrics-token: %s: a token has at least 16 characters", name), "to make one: openssl rand -hex 16 > %s", quoteArgs([]string{name}))
	}
	return token, nil
}

// metricsHandler answers GET /metrics, for those who know the token if there is one.
func metricsHandler(last func() (history.Status, bool), token []byte) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCrawlMetrics(last), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		want := append([]byte("Bearer "), token...)
		if len(token) > 0 && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a token is needed", http.StatusUnauthorized)
			return
		}
		metrics.ServeHTTP(w, r)
	})
	return mux
}

// Close stops serving; a scrape under way may end.
func (s *metricsServer) Close() {
	if s.http == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
}
