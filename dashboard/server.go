// Package dashboard serves pages about crawls and clusters to a browser, while they run or afterwards. It
// changes nothing unless a user commands it: see Options.
//
// Pages are made on the server and work without scripts. A small script moves the numbers and
// draws the curves. Nothing is requested from elsewhere: see the policy in [Server.Handler].
package dashboard

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/crawl/follow"
)

// Options set what is served, and to whom.
type Options struct {
	Dirs    []string // of crawls
	Results []string // files of the laboratory: see ReadResult
	// Token, if not empty, must be sent by everyone: as a bearer token, or once with the form
	// of the login page.
	Token []byte
	// Hosts are names by which the server may be addressed, besides loopback names and IP
	// addresses. Others are refused, so that no page of the Web can read the dashboard by a
	// name that resolves to this machine.
	Hosts []string
	// Version is that of this program.
	Version string
	// CopyPort is the port of CopyHandler, 0 if no stored pages are shown. It is an origin of its
	// own, so that what a stored page does cannot reach the dashboard.
	CopyPort int
	// Control, if not nil, changes the first crawl of Dirs. It needs a Token.
	Control Commander
	// Cluster, if not nil, is shown, too. Its crawls can be commanded if there is a Token.
	Cluster Cluster
	// Open: whoever only reads needs no token.
	Open bool
}

// A Commander carries out the commands of the user: a control.Control.
type Commander interface {
	// Do returns when the command is in force. The user sees the error.
	Do(context.Context, control.Command) error
}

// A Server serves the dashboard.
type Server struct {
	o       Options
	ctx     context.Context
	crawls  []*crawled
	results []*Result
	pages   map[string]*sheet
	key     [32]byte // signs the cookie: it ends with the process
	control controls
	cluster clusters
	running sync.WaitGroup
	// patience is the longest time that a request waits for work in the background.
	patience time.Duration
}

// A crawled is a crawl that is shown.
type crawled struct {
	*follow.Follower
	Name  string // in addresses
	jobs  jobs
	sites orders
	shelf shelf
}

// New returns a server that follows the crawls until the context ends.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{o: o, ctx: ctx, pages: map[string]*sheet{}, patience: 150 * time.Millisecond}
	if o.Control != nil && (len(o.Token) == 0 || len(o.Dirs) == 0) {
		return nil, errors.New("a crawl is controlled with a token only")
	}
	s.cluster.courses, s.cluster.last = map[string]*clusterCourse{}, map[string]*commanded{}
	rand.Read(s.key[:]) // never fails
	if err := s.parse(); err != nil {
		return nil, err
	}
	for _, name := range o.Results {
		r, err := ReadResult(name)
		if err != nil {
			return nil, err
		}
		r.name(unique(name, func(slug string) bool { return s.result(slug) != nil }))
		s.results = append(s.results, r)
	}
	for _, dir := range o.Dirs {
		name := unique(dir, func(name string) bool {
			return slices.ContainsFunc(s.crawls, func(c *crawled) bool { return c.Name == name })
		})
		c := &crawled{Follower: follow.Start(ctx, dir), Name: name}
		c.jobs.init(s, c)
		s.crawls = append(s.crawls, c)
		if o.CopyPort > 0 {
			c.jobs.running.Go(func() { c.prepare(ctx) })
		}
	}
	if o.Cluster != nil {
		s.running.Go(func() { s.watchCluster(ctx) })
	}
	return s, nil
}

// prepare opens the archive as soon as the crawl has been read.
func (c *crawled) prepare(ctx context.Context) {
	for g, changed := c.Glance(); g.Phase != follow.Following; g, changed = c.Glance() {
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
	c.shelf.begin(c)
}

// unique returns the name of a file or directory for use in addresses.
func unique(path string, taken func(string) bool) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	name := strings.Map(func(r rune) rune {
		if r < 128 && (r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return r
		}
		return '-'
	}, filepath.Base(path))
	name = strings.Trim(name, ".")
	if name == "" {
		name = "crawl"
	}
	for slug, n := name, 2; ; slug, n = fmt.Sprintf("%s-%d", name, n), n+1 {
		if !taken(slug) {
			return slug
		}
	}
}

// Wait waits until the crawls are closed, after the context has ended.
func (s *Server) Wait() {
	for _, c := range s.crawls {
		<-c.Done()
		c.jobs.running.Wait()
	}
	s.running.Wait()
}

// policyText is the content security policy of all pages.
const policyText = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Handler returns the handler of the dashboard.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /static/{file}", s.serveStatic)
	mux.HandleFunc("GET /login", s.showLogin)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /logout", s.logout)
	mux.HandleFunc("GET /{$}", s.guarded(s.showStart))
	mux.HandleFunc("GET /all.svg", s.guarded(s.serveOverlay))
	mux.HandleFunc("GET /events", s.guarded(s.serveStartEvents))
	mux.HandleFunc("GET /lab/{name}", s.guarded(s.showResult))
	mux.HandleFunc("GET /lab", s.guarded(s.showResults))
	for _, v := range views {
		mux.HandleFunc("GET /crawl/{name}/"+v.path, s.guarded(s.view(v)))
	}
	mux.HandleFunc("GET /crawl/{name}/events", s.guarded(s.serveEvents))
	mux.HandleFunc("GET /crawl/{name}/chart.svg", s.guarded(s.serveChart))
	mux.HandleFunc("GET /crawl/{name}/control", s.guarded(s.view(controlView)))
	mux.HandleFunc("POST /crawl/{name}/control/{verb}", s.guarded(s.command))
	mux.HandleFunc("GET /cluster/{$}", s.guarded(s.showCluster))
	mux.HandleFunc("GET /cluster/events", s.guarded(s.serveClusterEvents))
	mux.HandleFunc("GET /cluster/{name}/{$}", s.guarded(s.showClusterCrawl))
	mux.HandleFunc("GET /cluster/{name}/events", s.guarded(s.serveClusterCrawlEvents))
	mux.HandleFunc("GET /cluster/{name}/chart.svg", s.guarded(s.serveClusterChart))
	mux.HandleFunc("POST /cluster/{name}/{verb}", s.guarded(s.commandCluster))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusNotFound, "There is no such page.", "")
	})
	return s.checked(http.NewCrossOriginProtection().Handler(mux))
}

// checked checks the host of each request, and sets the headers of each answer.
func (s *Server) checked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policyText)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !s.knownHost(r.Host) {
			http.Error(w, "This name is not known here. Start winnow serve with --host NAME to allow it.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost reports whether a Host header may be used. A page of the Web can let its own name
// resolve to this machine, but it cannot be addressed by a number or by a name of the list.
func (s *Server) knownHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		slices.ContainsFunc(s.o.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// cookieName is the name of the cookie that the login sets.
const cookieName = "winnow"

// ticket returns the value of the cookie: it proves that the token was known to this process.
func (s *Server) ticket() string {
	m := hmac.New(sha256.New, s.key[:])
	m.Write(s.o.Token)
	return hex.EncodeToString(m.Sum(nil))
}

// admitted reports whether a request may be answered.
func (s *Server) admitted(r *http.Request) bool {
	return s.o.Open && (r.Method == http.MethodGet || r.Method == http.MethodHead) || s.known(r)
}

// known reports whether a request brings the token, or the cookie of the login.
func (s *Server) known(r *http.Request) bool {
	if len(s.o.Token) == 0 {
		return true
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.isToken(given)
	}
	c, err := r.Cookie(cookieName)
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.ticket())) == 1
}

func (s *Server) isToken(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256(s.o.Token)
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// guarded sends those who do not know the token to the login.
func (s *Server) guarded(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.admitted(r):
			serve(w, r)
		case r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html"):
			http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		default:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a token is needed", http.StatusUnauthorized)
		}
	}
}

// A loginForm is what the login page shows.
type loginForm struct {
	Next  string
	Wrong bool
}

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) {
	s.render(w, http.StatusOK, "login", &frame{Title: "Log in", Body: loginForm{Next: localPath(r.FormValue("next"))}})
}

// login sets the cookie if the token is right. It takes a while if not.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	next := localPath(r.PostFormValue("next"))
	if len(s.o.Token) > 0 && !s.isToken(strings.TrimSpace(r.PostFormValue("token"))) {
		select {
		case <-time.After(500 * time.Millisecond):
		case <-r.Context().Done():
		}
		s.render(w, http.StatusForbidden, "login", &frame{Title: "Log in", Body: loginForm{Next: next, Wrong: true}})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: s.ticket(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// localPath returns a path of this server, "/" for anything else.
func localPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n") {
		return "/"
	}
	return text
}

// crawl returns the crawl that a request names, or nil.
func (s *Server) crawl(r *http.Request) *crawled {
	for _, c := range s.crawls {
		if c.Name == r.PathValue("name") {
			return c
		}
	}
	return nil
}

// ErrToken is returned by Listen for an address that others can reach, without a token.
var ErrToken = errors.New("an address that other machines can reach needs a token")

// Listeners are where the dashboard and the stored pages are served.
type Listeners struct{ Pages, Copies net.Listener }

// Listen listens on an address, and on a free port of the same host for the stored pages. An
// address that is not of this machine alone needs a token.
func Listen(addr string, token []byte) (l *Listeners, err error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if ip, err := netip.ParseAddr(host); len(token) == 0 && host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, ErrToken
	}
	l = &Listeners{}
	if l.Pages, err = net.Listen("tcp", addr); err != nil {
		return nil, err
	}
	if l.Copies, err = net.Listen("tcp", net.JoinHostPort(host, "0")); err != nil {
		l.Pages.Close()
		return nil, err
	}
	return l, nil
}

// Close closes both.
func (l *Listeners) Close() {
	l.Pages.Close()
	l.Copies.Close()
}

// Port returns the port of the stored pages.
func (l *Listeners) Port() int { return l.Copies.Addr().(*net.TCPAddr).Port }

// Serve serves dashboard and stored pages until the context ends. It lets requests under way end.
func (s *Server) Serve(ctx context.Context, l *Listeners) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cancel(serveOn(ctx, l.Copies, s.CopyHandler()))
	}()
	err := serveOn(ctx, l.Pages, s.Handler())
	cancel(nil)
	<-ended
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

// serveOn serves until the context ends.
func serveOn(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(last) != nil {
		server.Close()
	}
	return nil
}

// OffHeap returns the memory that the crawls take here outside the Go heap, in bytes.
func (s *Server) OffHeap() (n int64) {
	for _, c := range s.crawls {
		g, _ := c.Glance()
		n += g.OffHeap
	}
	return n
}
