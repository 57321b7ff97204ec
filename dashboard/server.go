// Package dashboard serves pages about crawls to a browser, while they run or afterwards. It
// changes nothing.
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
	"time"

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
	// Copies shows stored pages, nil for none. They are served by CopyHandler, at CopyBase: an
	// origin of its own, so that what a stored page does cannot reach the dashboard.
	Copies   Copies
	CopyBase string // such as http://127.0.0.1:8801
	// Controls changes crawls, nil for none. It gets POST requests to /crawl/NAME/control/VERB
	// that have passed all checks: token, host and origin.
	Controls Controls
}

// Copies writes stored pages.
type Copies interface {
	// WriteCopy writes the copy of a page that the crawl in a directory had at a time; the zero
	// time means the last one.
	WriteCopy(w http.ResponseWriter, r *http.Request, dir, url string, at time.Time)
}

// Controls changes crawls.
type Controls interface {
	// Control does what a verb says to the crawl in a directory, by the form of the request. The
	// error is shown to the user.
	Control(r *http.Request, dir, verb string) error
}

// A Server serves the dashboard.
type Server struct {
	o       Options
	ctx     context.Context
	crawls  []*crawled
	results []*Result
	pages   map[string]*sheet
	key     [32]byte // signs the cookie: it ends with the process
}

// A crawled is a crawl that is shown.
type crawled struct {
	*follow.Follower
	Name  string // in addresses
	jobs  jobs
	sites orders
}

// New returns a server that follows the crawls until the context ends.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{o: o, ctx: ctx, pages: map[string]*sheet{}}
	rand.Read(s.key[:]) // never fails
	if err := s.parse(); err != nil {
		return nil, err
	}
	for _, name := range o.Results {
		r, err := ReadResult(name)
		if err != nil {
			return nil, err
		}
		r.Slug = unique(name, func(slug string) bool {
			return slices.ContainsFunc(s.results, func(x *Result) bool { return x.Slug == slug })
		})
		s.results = append(s.results, r)
	}
	for _, dir := range o.Dirs {
		name := unique(dir, func(name string) bool {
			return slices.ContainsFunc(s.crawls, func(c *crawled) bool { return c.Name == name })
		})
		c := &crawled{Follower: follow.Start(ctx, dir), Name: name}
		c.jobs.init(s, c)
		s.crawls = append(s.crawls, c)
	}
	return s, nil
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
	mux.HandleFunc("POST /crawl/{name}/control/{verb}", s.guarded(s.control))
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

// admitted reports whether a request brings the token, or the cookie of the login.
func (s *Server) admitted(r *http.Request) bool {
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

// control passes a command on.
func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	c := s.crawl(r)
	if c == nil || s.o.Controls == nil {
		s.fail(w, r, http.StatusNotFound, "Nothing can be changed here.", "Crawls are controlled by the dashboard of winnow crawl --ui.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	if err := s.o.Controls.Control(r, c.Dir, r.PathValue("verb")); err != nil {
		s.fail(w, r, http.StatusBadRequest, err.Error(), "")
		return
	}
	http.Redirect(w, r, "/crawl/"+c.Name+"/", http.StatusSeeOther)
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

// CopyHandler returns the handler of stored pages, which belongs to a listener of its own. Scripts,
// forms and requests are off.
func (s *Server) CopyHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{name}/copy", s.guarded(func(w http.ResponseWriter, r *http.Request) {
		c := s.crawl(r)
		if c == nil || s.o.Copies == nil {
			http.NotFound(w, r)
			return
		}
		at, _ := time.Parse(time.RFC3339Nano, r.FormValue("at")) // else the last one
		s.o.Copies.WriteCopy(w, r, c.Dir, r.FormValue("url"), at)
	}))
	return s.checked(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'")
		mux.ServeHTTP(w, r)
	}))
}

// copyLink returns the address of a stored copy, "" if copies are not shown.
func (s *Server) copyLink(c *crawled, page string, at time.Time) string {
	if s.o.Copies == nil || s.o.CopyBase == "" {
		return ""
	}
	return s.o.CopyBase + "/" + c.Name + "/copy?" + url.Values{"url": {page}, "at": {at.UTC().Format(time.RFC3339Nano)}}.Encode()
}

// ErrToken is returned by Listen for an address that others can reach, without a token.
var ErrToken = errors.New("an address that other machines can reach needs a token")

// Listen listens on an address. One that is not of this machine alone needs a token.
func Listen(addr string, token []byte) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if ip, err := netip.ParseAddr(host); len(token) == 0 && host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, ErrToken
	}
	return net.Listen("tcp", addr)
}

// Serve serves until the context ends. It lets requests under way end.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
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
