// Package notice receives notices of pages that changed, over HTTP: IndexNow, and what WebSub
// hubs deliver. A notice is the URL of a page or of a feed. Nothing else in a request is
// believed, and what is delivered with it is not read: the crawler requests the page or the
// feed itself, in its turn.
//
//	GET  /indexnow?url=URL&key=KEY
//	POST /indexnow   {"host": "a.example", "key": "KEY", "urlList": ["https://a.example/x"]}
//	GET  /websub?hub.mode=subscribe&hub.topic=URL&hub.challenge=TEXT
//	POST /websub     with a header Link: <URL>; rel="self"
//
// Anybody who can reach the address can send notices. So their number is limited, and the
// crawler learns how far they are true.
package notice

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Limits of what is received.
const (
	maxBody   = 4 << 20 // bytes of a request
	maxURLs   = 10_000  // URLs of a request, as IndexNow allows
	perMinute = 10_000  // URLs of all requests
	batches   = 64      // requests whose notices the crawl has not taken yet
	maxConns  = 64      // requests at a time
)

// A Receiver receives notices. Others may read from C.
type Receiver struct {
	C      <-chan []string // URLs in normal form, those of a request at a time
	out    chan []string
	wanted func(url string) bool
	now    func() time.Time
	busy   chan struct{} // a token for each request under way
	server *http.Server

	mu   sync.Mutex
	left float64   // URLs that may come now
	at   time.Time // of which instant
}

// New returns a receiver of notices about URLs in normal form that a function wants. Several
// goroutines call it.
func New(wanted func(url string) bool) *Receiver {
	out := make(chan []string, batches)
	r := &Receiver{C: out, out: out, wanted: wanted, now: time.Now, left: perMinute, busy: make(chan struct{}, maxConns)}
	r.at = r.now()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /indexnow", r.indexNow)
	mux.HandleFunc("POST /indexnow", r.indexNowList)
	mux.HandleFunc("GET /websub", r.verify)
	mux.HandleFunc("POST /websub", r.deliver)
	r.server = &http.Server{Handler: r.limited(mux), ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	return r
}

// Listen begins to receive notices at an address, with a function that makes the listener; nil:
// net.Listen. wanted judges the site of a URL and the rest of it.
func Listen(listen func(network, addr string) (net.Listener, error), addr string, log *slog.Logger, wanted func(site, rest []byte) bool) (*Receiver, error) {
	if listen == nil {
		listen = net.Listen
	}
	l, err := listen("tcp", addr)
	if err != nil {
		return nil, &hint.Error{Text: "--notices", Hint: "port 0 is any free port: --notices 127.0.0.1:0", Err: err}
	}
	log.Info(fmt.Sprintf("notices at http://%s/indexnow and /websub", l.Addr()))
	r := New(func(url string) bool { return wanted(page.Site([]byte(url))) })
	r.Serve(l)
	return r, nil
}

// Serve receives notices from a listener, until Close.
func (r *Receiver) Serve(l net.Listener) { go r.server.Serve(l) }

// Close ends the requests under way, and no others are accepted.
func (r *Receiver) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if r.server.Shutdown(ctx) != nil {
		r.server.Close()
	}
}

// limited bounds the requests at a time, and their bodies.
func (r *Receiver) limited(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		select {
		case r.busy <- struct{}{}:
		default:
			tooMany(w)
			return
		}
		defer func() { <-r.busy }()
		q.Body = http.MaxBytesReader(w, q.Body, maxBody)
		h.ServeHTTP(w, q)
	})
}

func tooMany(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "60")
	http.Error(w, "too many notices", http.StatusTooManyRequests)
}

// indexNow takes a notice of one page.
func (r *Receiver) indexNow(w http.ResponseWriter, q *http.Request) {
	form := q.URL.Query()
	if form.Get("url") == "" || form.Get("key") == "" {
		http.Error(w, "give url and key", http.StatusBadRequest)
		return
	}
	r.take(w, []string{form.Get("url")})
}

// indexNowList takes notices of the pages of one host.
func (r *Receiver) indexNowList(w http.ResponseWriter, q *http.Request) {
	var list struct {
		Host    string   `json:"host"`
		Key     string   `json:"key"`
		URLList []string `json:"urlList"`
	}
	switch err := json.NewDecoder(q.Body).Decode(&list); {
	case err != nil || list.Host == "" || list.Key == "" || len(list.URLList) == 0:
		http.Error(w, "want an object with host, key and urlList", http.StatusBadRequest)
		return
	case len(list.URLList) > maxURLs:
		http.Error(w, "more than "+strconv.Itoa(maxURLs)+" URLs", http.StatusUnprocessableEntity)
		return
	}
	for _, text := range list.URLList {
		// The host may be given without the port.
		if u, err := url.Parse(text); err != nil || !strings.EqualFold(u.Host, list.Host) && !strings.EqualFold(u.Hostname(), list.Host) {
			http.Error(w, "a URL is not of the host", http.StatusUnprocessableEntity)
			return
		}
	}
	r.take(w, list.URLList)
}

// maxChallenge is the number of bytes of a challenge that is repeated.
const maxChallenge = 1024

// verify answers a hub that asks whether a subscription was meant: it is if the crawl wants the
// topic.
func (r *Receiver) verify(w http.ResponseWriter, q *http.Request) {
	form := q.URL.Query()
	mode, challenge := form.Get("hub.mode"), form.Get("hub.challenge")
	topic, ok := normal(form.Get("hub.topic"))
	wanted := ok && r.wanted(topic)
	if challenge == "" || len(challenge) > maxChallenge || (mode != "subscribe" || !wanted) && (mode != "unsubscribe" || wanted) {
		http.NotFound(w, q)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	io.WriteString(w, challenge)
}

// deliver takes what a hub delivers: a notice of the topic.
func (r *Receiver) deliver(w http.ResponseWriter, q *http.Request) {
	var topics []string
	for _, l := range page.HeaderLinks(q.Header["Link"]) {
		if l.Rel&page.RelSelf != 0 {
			topics = append(topics, l.Href)
		}
	}
	if len(topics) != 1 {
		http.Error(w, `want a header Link with one rel="self"`, http.StatusBadRequest)
		return
	}
	r.take(w, topics)
}

// take passes on the URLs that are wanted, and answers.
func (r *Receiver) take(w http.ResponseWriter, list []string) {
	if !r.allows(len(list)) {
		tooMany(w)
		return
	}
	var out []string
	for _, text := range list {
		if u, ok := normal(text); ok && r.wanted(u) {
			out = append(out, u)
		}
	}
	if len(out) > 0 {
		select {
		case r.out <- out:
		default:
			tooMany(w)
			return
		}
	}
	w.WriteHeader(http.StatusAccepted)
}

// allows reports whether so many URLs may come now.
func (r *Receiver) allows(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	r.left, r.at = min(perMinute, r.left+now.Sub(r.at).Minutes()*perMinute), now
	if float64(n) > r.left {
		return false
	}
	r.left -= float64(n)
	return true
}

// normal returns the normal form of an absolute URL.
func normal(text string) (string, bool) {
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		return "", false
	}
	u, err := page.ParseSeed(text)
	return u, err == nil
}
