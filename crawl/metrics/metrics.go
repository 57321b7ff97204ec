// Package metrics serves the statistics of a running crawl: to Prometheus, to people, and to those
// who restart what is stuck.
package metrics

import (
	"context"
	"crypto/subtle"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
)

// Source returns the latest statistics of a crawl, and whether there are any yet.
type Source func() (history.Status, bool)

// A collector translates the latest statistics at each scrape.
type collector struct {
	last Source
	desc map[string]*prometheus.Desc
}

// A sample is one value of a metric.
type sample struct {
	name   string
	kind   prometheus.ValueType
	value  float64
	labels []string
}

// metricHelp lists the metrics with their help and the name of their label, "" for none.
var metricHelp = []struct{ name, help, label string }{
	{"winnow_pages", "Known pages by state.", "state"},
	{"winnow_refused_pages", "Skipped pages by reason.", "reason"},
	{"winnow_failed_pages", "Failed pages by class.", "class"},
	{"winnow_sites", "Known sites.", ""},
	{"winnow_unreachable_sites", "Sites that cannot be reached.", ""},
	{"winnow_delayed_sites", "Sites that wait for politeness, by what decides how long.", "by"},
	{"winnow_attempts_total", "Ends of attempts at pages by class, over all sessions of the crawl.", "class"},
	{"winnow_requests_total", "Requests for pages, robots.txt and sitemaps.", ""},
	{"winnow_received_bytes_total", "Bytes of all answers as they came.", ""},
	{"winnow_unchanged_visits_total", "Visits of pages that had not changed, by the status of the answer.", "status"},
	{"winnow_not_transferred_bytes_total", "Bytes of the stored originals of pages that were answered with status 304.", ""},
	{"winnow_kept_pages", "Pages in the archive of a crawl with keep_pages.", ""},
	{"winnow_remote_files", "Finished WARC files of a crawl with archive, by state.", "state"},
	{"winnow_remote_bytes", "Bytes of these files, by state.", "state"},
	{"winnow_dropped_pages_total", "Pages that made room for others in the archive.", ""},
	{"winnow_not_stored_bytes_total", "Bytes that the archive did not store again because the page had not changed.", ""},
	{"winnow_rendered_pages", "Pages that need a browser to be read, by state.", "state"},
	{"winnow_requisites", "What pages need to be shown, by state.", "state"},
	{"winnow_requisite_bytes_total", "Bytes of requisites as they came.", ""},
	{"winnow_redirects", "Fetched pages that are redirects.", ""},
	{"winnow_withheld_pages", "Fetched pages that are not stored, because they ask for that (noindex or noarchive).", ""},
	{"winnow_links", "Links found on fetched pages.", ""},
	{"winnow_record", "Number of the next record of the journal.", ""},
	{"winnow_importance_gathered_ratio", "Share of the links found on fetched pages that lead to fetched pages.", ""},
	{"winnow_fetchers", "Fetchers by state.", "state"},
	{"winnow_waiting", "What waits, by reason.", "reason"},
	{"winnow_memory_bytes", "Memory that the crawl takes.", ""},
	{"winnow_memory_max_bytes", "Ceiling of the memory, 0 for none.", ""},
	{"winnow_crawl_seconds", "Time since the crawl began, stops included.", ""},
	{"winnow_commit_age_seconds", "Time since the last commit of this session, or since it began.", ""},
	{"winnow_commits_total", "Groups of records committed by this session.", ""},
	{"winnow_archive_bytes_total", "Bytes written to WARC files by this session.", ""},
	{"winnow_journal_bytes_total", "Bytes written to the journal by this session.", ""},
	{"winnow_dns_lookups_total", "Names looked up, by the level that knew them.", "level"},
	{"winnow_dns_queries_total", "Questions sent to DNS servers, retries included.", ""},
	{"winnow_dns_failures_total", "Names that do not exist, and names of which nobody knew.", "kind"},
	{"winnow_dns_in_flight", "Questions to DNS servers that are out now.", ""},
}

func newCollector(last Source) *collector {
	m := &collector{last: last, desc: map[string]*prometheus.Desc{}}
	for _, h := range metricHelp {
		var labels []string
		if h.label != "" {
			labels = []string{h.label}
		}
		m.desc[h.name] = prometheus.NewDesc(h.name, h.help, labels, nil)
	}
	return m
}

// Describe sends the descriptions of all metrics.
func (m *collector) Describe(out chan<- *prometheus.Desc) {
	for _, h := range metricHelp {
		out <- m.desc[h.name]
	}
}

// Collect sends the values of all metrics.
func (m *collector) Collect(out chan<- prometheus.Metric) {
	s, ok := m.last()
	if !ok {
		return
	}
	for _, v := range append(append(pageMetrics(&s), loadMetrics(&s)...), dnsMetrics(&s)...) {
		out <- prometheus.MustNewConstMetric(m.desc[v.name], v.kind, v.value, v.labels...)
	}
}

const (
	gauge   = prometheus.GaugeValue
	counter = prometheus.CounterValue
)

// pageMetrics returns the metrics of pages. It includes classes that did not occur, so that
// the classes sum up to all attempts.
func pageMetrics(s *history.Status) []sample {
	out := []sample{
		{"winnow_pages", gauge, float64(s.Waiting - s.Acquired), []string{"known"}},
		{"winnow_pages", gauge, float64(s.Acquired), []string{"acquired"}},
		{"winnow_pages", gauge, float64(s.Fetched), []string{"fetched"}},
		{"winnow_pages", gauge, float64(s.Failed), []string{"failed"}},
		{"winnow_pages", gauge, float64(s.Refused), []string{"refused"}},
		{"winnow_sites", gauge, float64(s.Sites), nil},
		{"winnow_unreachable_sites", gauge, float64(s.Down), nil},
		{"winnow_redirects", gauge, float64(s.Redirects), nil},
		{"winnow_withheld_pages", gauge, float64(s.Withheld), nil},
		{"winnow_links", gauge, float64(s.Links), nil},
		{"winnow_record", gauge, float64(s.Record), nil},
		{"winnow_importance_gathered_ratio", gauge, s.Gathered, nil},
	}
	if x := s.Rendering; x != nil {
		out = append(out,
			sample{"winnow_rendered_pages", gauge, float64(x.Waiting), []string{"waiting"}},
			sample{"winnow_rendered_pages", gauge, float64(x.Rendered), []string{"rendered"}},
			sample{"winnow_rendered_pages", gauge, float64(x.Failed), []string{"failed"}})
	}
	if x := s.Requisites; x != nil {
		out = append(out,
			sample{"winnow_requisites", gauge, float64(x.Left()), []string{"waiting"}},
			sample{"winnow_requisites", gauge, float64(x.Fetched), []string{"fetched"}},
			sample{"winnow_requisites", gauge, float64(x.Failed), []string{"failed"}},
			sample{"winnow_requisites", gauge, float64(x.Refused), []string{"refused"}},
			sample{"winnow_requisites", gauge, float64(x.Crowded + x.LeftOut), []string{"left_out"}},
			sample{"winnow_requisite_bytes_total", counter, float64(x.Bytes), nil})
	}
	if x := s.Remote; x != nil {
		out = append(out,
			sample{"winnow_remote_files", gauge, float64(x.Files), []string{"sent"}},
			sample{"winnow_remote_files", gauge, float64(x.Waiting), []string{"waiting"}},
			sample{"winnow_remote_bytes", gauge, float64(x.Bytes), []string{"sent"}},
			sample{"winnow_remote_bytes", gauge, float64(x.Size), []string{"waiting"}})
	}
	for c := event.OK; c <= event.LastClass; c++ {
		out = append(out, sample{"winnow_attempts_total", counter, float64(s.Outcomes[c.String()]), []string{c.String()}})
	}
	out = append(out, labelled("winnow_refused_pages", s.RefusedBy)...)
	out = append(out, labelled("winnow_failed_pages", s.FailedBy)...)
	return append(out, labelled("winnow_delayed_sites", s.Delays)...)
}

// labelled returns a gauge for each number.
func labelled[N int | int64](name string, by map[string]N) (out []sample) {
	for _, label := range slices.Sorted(maps.Keys(by)) {
		out = append(out, sample{name, gauge, float64(by[label]), []string{label}})
	}
	return out
}

// loadMetrics returns the metrics of requests, fetchers, memory and files.
func loadMetrics(s *history.Status) []sample {
	out := []sample{
		{"winnow_requests_total", counter, float64(s.Requests), nil},
		{"winnow_received_bytes_total", counter, float64(s.Bytes), nil},
		{"winnow_unchanged_visits_total", counter, float64(s.NotModified), []string{"304"}},
		{"winnow_unchanged_visits_total", counter, float64(s.Unchanged), []string{"200"}},
		{"winnow_not_transferred_bytes_total", counter, float64(s.NotTransferred), nil},
		{"winnow_not_stored_bytes_total", counter, float64(s.NotStored), nil},
		{"winnow_kept_pages", gauge, float64(s.Kept), nil},
		{"winnow_dropped_pages_total", counter, float64(s.Dropped), nil},
		{"winnow_fetchers", gauge, float64(s.Active), []string{"active"}},
		{"winnow_fetchers", gauge, float64(max(s.Fetchers-s.Active, 0)), []string{"idle"}},
		{"winnow_memory_bytes", gauge, float64(s.Memory), nil},
		{"winnow_memory_max_bytes", gauge, float64(s.MemoryMax), nil},
		{"winnow_crawl_seconds", gauge, s.Seconds, nil},
		{"winnow_commit_age_seconds", gauge, commitAge(s, time.Now()).Seconds(), nil},
		{"winnow_commits_total", counter, float64(s.Commits), nil},
		{"winnow_archive_bytes_total", counter, float64(s.Archive), nil},
		{"winnow_journal_bytes_total", counter, float64(s.Journal), nil},
	}
	for _, w := range s.WaitingSites() {
		out = append(out, sample{"winnow_waiting", gauge, float64(w.Sites), []string{w.Why}})
	}
	return out
}

// dnsMetrics returns the metrics of the resolver.
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

// Handler returns a handler that answers GET /metrics, GET / with a page for people, and
// GET /healthz. If token is not empty, a client must send it, except to /healthz.
func Handler(last Source, token []byte) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(last), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", guarded(token, metrics.ServeHTTP))
	mux.HandleFunc("GET /{$}", guarded(token, func(w http.ResponseWriter, _ *http.Request) { servePage(w, last, time.Now()) }))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		code, text := health(last, time.Now())
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(code)
		fmt.Fprintln(w, text)
	})
	return mux
}

// guarded refuses clients that do not send the token, if there is one.
func guarded(token []byte, serve http.HandlerFunc) http.HandlerFunc {
	want := append([]byte("Bearer "), token...)
	return func(w http.ResponseWriter, r *http.Request) {
		if len(token) > 0 && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a token is needed", http.StatusUnauthorized)
			return
		}
		serve(w, r)
	}
}

// Serve listens on addr and serves the metrics until close is called. It also returns the
// address that it listens on. Close lets a scrape under way end.
func Serve(addr string, last Source, token []byte) (at net.Addr, close func(), err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	server := &http.Server{Handler: Handler(last, token), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener)
	return listener.Addr(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
	}, nil
}
