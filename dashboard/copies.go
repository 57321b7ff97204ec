package dashboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/stored"
	"github.com/winnow-crawler/winnow/crawl/stored/replay"
)

// Stored pages are shown from an origin of their own, in a sandbox: no scripts, no forms, and
// nothing is requested but other stored copies at one path of that origin. Their addresses are
// signed: a page in a sandbox has no origin, so the browser sends no cookie for its pictures. A
// signature opens one copy, and holds as long as the process.

// copyPolicy returns what a stored page may do. from is where copies are.
func copyPolicy(from string) string {
	return "sandbox; default-src 'none'; img-src data: " + from + "; style-src 'unsafe-inline' " + from + "; font-src data: " + from +
		"; media-src " + from + "; frame-src " + from + "; form-action 'none'; base-uri 'none'"
}

// A shelf opens the archive of a crawl once, in the background: a WARC file without an index is read.
type shelf struct {
	mu      sync.Mutex
	ready   chan struct{} // closed when the rest is set; nil: it was not opened
	archive *stored.Archive
	err     error
}

// begin begins to open the archive of a crawl.
func (x *shelf) begin(c *crawled) chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ready == nil {
		ready := make(chan struct{})
		x.ready = ready
		c.jobs.running.Go(func() {
			defer close(ready)
			a, err := stored.Open(c.jobs.s.ctx, c.Dir)
			if err == nil {
				err = a.Prepare()
			}
			x.mu.Lock()
			defer x.mu.Unlock()
			if x.archive, x.err = a, err; err != nil {
				x.ready = nil // the next request tries again
			}
		})
	}
	return x.ready
}

// errBusy reports that the archive is still being opened.
var errBusy = errors.New("the index of the archive is being read; this page loads again")

// open returns the archive of a crawl. It waits for a moment at most.
func (x *shelf) open(c *crawled) (*stored.Archive, error) {
	select {
	case <-x.begin(c):
	case <-time.After(c.jobs.s.patience):
		return nil, errBusy
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.archive, x.err
}

// CopyHandler returns the handler of stored pages, which belongs to a listener of its own.
func (s *Server) CopyHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{name}/copy", func(w http.ResponseWriter, r *http.Request) {
		if s.signed(r) {
			w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
			s.showCopy(w, r)
			return
		}
		s.guarded(s.showCopy)(w, r)
	})
	return s.checked(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", copyPolicy("http://"+r.Host+r.URL.EscapedPath()))
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("X-DNS-Prefetch-Control", "off")
		mux.ServeHTTP(w, r)
	}))
}

// sign returns the signature of a copy.
func (s *Server) sign(name, page, at, part string) string {
	m := hmac.New(sha256.New, s.key[:])
	for _, text := range []string{"copy", name, page, at, part} {
		m.Write([]byte(strconv.Quote(text)))
	}
	return hex.EncodeToString(m.Sum(nil)[:16])
}

// signed reports whether the address of a copy was made here.
func (s *Server) signed(r *http.Request) bool {
	want := s.sign(r.PathValue("name"), r.FormValue("url"), r.FormValue("at"), r.FormValue("part"))
	return hmac.Equal([]byte(want), []byte(r.FormValue("key")))
}

// copyQuery returns the query of a copy of a page at a time, or, with part, of one near that time.
func (s *Server) copyQuery(name, page string, at time.Time, part bool) string {
	q := url.Values{"url": {page}, "at": {at.UTC().Format(time.RFC3339Nano)}}
	if part {
		q.Set("part", "1")
	}
	q.Set("key", s.sign(name, page, q.Get("at"), q.Get("part")))
	return "?" + q.Encode()
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
	return "http://" + net.JoinHostPort(host, strconv.Itoa(s.o.CopyPort)) + "/" + c.Name + "/copy" + s.copyQuery(c.Name, page, at, false)
}

// showCopy answers with the copy of a page that the crawl had at a time, or with the last one.
// What a page is shown with is the copy that is nearest to the time of the page.
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
	a, err := c.shelf.open(c)
	if err == errBusy {
		h := w.Header()
		h.Set("Refresh", "2")
		h.Set("Content-Security-Policy", "default-src 'none'") // no page, and a sandbox does not load again
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	find := a.Find
	if r.FormValue("part") != "" {
		find = a.Nearest
	}
	x, err := find(r.FormValue("url"), at)
	var missing *stored.Missing
	switch {
	case errors.As(err, &missing):
		http.Error(w, missing.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		s.sendCopy(w, r, c, x, at)
	}
}

// sendCopy sends a copy. What it names are copies near the same time.
func (s *Server) sendCopy(w http.ResponseWriter, r *http.Request, c *crawled, x *stored.Copy, at time.Time) {
	link := func(to string, _ bool) string { return s.copyQuery(c.Name, to, at, true) }
	if to, ok := target(x); ok && r.FormValue("part") != "" {
		http.Redirect(w, r, r.URL.EscapedPath()+link(to, false), http.StatusSeeOther)
		return
	}
	kind, shown := copyType(x.Media)
	body := x.Text()
	switch {
	case strings.HasPrefix(kind, "text/html"):
		body = replay.Page(body, x.URL, link)
	case strings.HasPrefix(kind, "text/css"):
		body = replay.Style(body, x.URL, link)
	case isFont(kind):
		w.Header().Set("Access-Control-Allow-Origin", "*") // browsers ask for fonts by these rules
	}
	w.Header().Set("Content-Type", kind)
	if !shown {
		w.Header().Set("Content-Disposition", "attachment")
	}
	w.Header().Set("Memento-Datetime", x.Time.UTC().Format(http.TimeFormat))
	w.Write(body) // the reader may have gone
}

// target returns where a copy redirects to.
func target(x *stored.Copy) (to string, ok bool) {
	ref := x.Get("Location")
	if x.Status < 300 || x.Status > 399 || ref == "" {
		return "", false
	}
	var base page.Resolver
	if !base.Document([]byte(x.URL)).Usable() {
		return "", false
	}
	next, v := base.Resolve(nil, []byte(ref))
	return string(next), v.Usable()
}

// copyType returns the media type under which a copy is sent, and whether a browser may show it.
func copyType(media string) (kind string, shown bool) {
	switch {
	case media == "text/html", media == "application/xhtml+xml":
		return "text/html; charset=utf-8", true
	case media == "text/plain", media == "text/css":
		return media + "; charset=utf-8", true
	case strings.HasPrefix(media, "image/"), strings.HasPrefix(media, "audio/"), strings.HasPrefix(media, "video/"), isFont(media):
		return media, true
	}
	return "application/octet-stream", false
}

// isFont reports whether a media type is one of fonts.
func isFont(media string) bool {
	switch media {
	case "application/font-woff", "application/font-woff2", "application/x-font-woff", "application/x-font-ttf", "application/x-font-otf",
		"application/font-sfnt", "application/vnd.ms-fontobject":
		return true
	}
	return strings.HasPrefix(media, "font/")
}
