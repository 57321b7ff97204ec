package metrics

import (
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
)

// A crawl reports about once a second, with very many pages more rarely: see the rhythm of package
// crawl. It is stuck if it has not reported for longest, and as much again for each manyPages pages.
const (
	longest   = time.Minute
	manyPages = 2_000_000
)

// health returns the answer of /healthz at an instant.
func health(last Source, now time.Time) (code int, text string) {
	s, ok := last()
	if !ok {
		return http.StatusServiceUnavailable, "starting: the crawl has not reported yet"
	}
	if silent := now.Sub(s.Measured); silent > longest*time.Duration(1+s.Known/manyPages) {
		return http.StatusServiceUnavailable, fmt.Sprintf("stuck: the crawl has not reported for %s", show.Duration(silent))
	}
	return http.StatusOK, "ok: " + s.State
}

// commitAge returns the time since the last commit, or since the session began if there was none.
func commitAge(s *history.Status, now time.Time) time.Duration { return max(0, now.Sub(s.Committed)) }

// A row is a line of the page.
type row struct{ Name, Value string }

// rows returns the lines of the page.
func rows(s *history.Status, now time.Time) []row {
	out := []row{
		{"state", s.State},
		{"fetched", show.Counted(s.Fetched, "page")},
		{"waiting", show.Counted(s.Waiting, "page")},
		{"failed", show.Counted(s.Failed, "page")},
		{"skipped", show.Counted(s.Refused, "page")},
		{"sites", show.Grouped(s.Sites)},
		{"rate", fmt.Sprintf("%.1f pages a second", s.Rate)},
		{"fetchers", fmt.Sprintf("%d of %d active", s.Active, s.Fetchers)},
		{"received", show.Bytes(s.Bytes)},
		{"memory", show.Bytes(s.Memory)},
		{"running for", show.Duration(s.Ran)},
		{"last commit", show.Duration(commitAge(s, now)) + " ago"},
	}
	if s.Withheld > 0 {
		out = append(out, row{"not stored", show.Counted(s.Withheld, "page") + ": noindex or noarchive"})
	}
	for _, w := range s.WaitingSites() {
		if w.Sites > 0 {
			out = append(out, row{"sites that wait: " + w.Why, show.Grouped(w.Sites)})
		}
	}
	return out
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="10"><title>winnow: {{.Health}}</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:2em auto;padding:0 1em}
th{text-align:left;font-weight:normal;padding-right:2em}td{font-variant-numeric:tabular-nums}</style></head>
<body><h1>winnow</h1><p>{{.Health}}</p>
<table>{{range .Rows}}<tr><th>{{.Name}}</th><td>{{.Value}}</td></tr>
{{end}}</table>
<p><a href="metrics">metrics</a> for Prometheus, <a href="healthz">healthz</a> for whoever restarts what is stuck</p></body></html>
`))

// servePage answers GET /.
func servePage(w http.ResponseWriter, last Source, now time.Time) {
	_, text := health(last, now)
	data := struct {
		Health string
		Rows   []row
	}{Health: text}
	if s, ok := last(); ok {
		data.Rows = rows(&s, now)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	_ = page.Execute(w, data) // the reader has gone
}
