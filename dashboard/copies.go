package dashboard

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/stored"
)

// copyPolicy keeps a stored page from doing anything: no scripts, no forms, no requests.
const copyPolicy = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"

// CopyHandler returns the handler of stored pages, which belongs to a listener of its own.
func (s *Server) CopyHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{name}/copy", s.guarded(s.showCopy))
	return s.checked(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", copyPolicy)
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		mux.ServeHTTP(w, r)
	}))
}

// copyLink returns the address of a stored copy for whoever sent a request, "" if copies are not
// shown.
func (s *Server) copyLink(r *http.Request, c *crawled, page string, at time.Time) string {
	if s.o.CopyPort == 0 {
		return ""
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(s.o.CopyPort)) + "/" + c.Name + "/copy?" + url.Values{"url": {page}, "at": {at.UTC().Format(time.RFC3339Nano)}}.Encode()
}

// showCopy answers with the copy of a page that the crawl had at a time, or with the last one.
func (s *Server) showCopy(w http.ResponseWriter, r *http.Request) {
	c := s.crawl(r)
	if c == nil {
		http.NotFound(w, r)
		return
	}
	at, err := time.Parse(time.RFC3339Nano, r.FormValue("at"))
	if err != nil {
		at = time.Now()
	}
	a, err := stored.Open(r.Context(), c.Dir)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	x, err := a.Find(r.FormValue("url"), at)
	var missing *stored.Missing
	switch {
	case errors.As(err, &missing):
		http.Error(w, missing.Error(), http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	kind, shown := copyType(x.Media)
	w.Header().Set("Content-Type", kind)
	if !shown {
		w.Header().Set("Content-Disposition", "attachment")
	}
	w.Header().Set("Memento-Datetime", x.Time.UTC().Format(http.TimeFormat))
	w.Write(x.Text()) // the reader may have gone
}

// copyType returns the media type under which a copy is sent, and whether a browser may show it.
func copyType(media string) (kind string, shown bool) {
	switch {
	case media == "text/html", media == "application/xhtml+xml":
		return "text/html; charset=utf-8", true
	case media == "text/plain":
		return "text/plain; charset=utf-8", true
	case strings.HasPrefix(media, "image/"):
		return media, true
	}
	return "application/octet-stream", false
}
