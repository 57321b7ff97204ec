package dashboard

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
)

//go:embed templates static
var files embed.FS

// A sheet is a template with its layout.
type sheet struct{ *template.Template }

// parse reads the templates.
func (s *Server) parse() error {
	list, err := files.ReadDir("templates")
	if err != nil {
		return err
	}
	for _, f := range list {
		t, err := template.New("layout.html").Funcs(functions).ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/"+f.Name())
		if err != nil {
			return err
		}
		s.pages[strings.TrimSuffix(f.Name(), ".html")] = &sheet{t}
	}
	return nil
}

// functions are what templates can call.
var functions = template.FuncMap{
	"n":        func(v any) string { return grouped(v) },
	"bytes":    func(v int64) string { return show.Bytes(v) },
	"duration": func(d time.Duration) string { return show.Duration(d) },
	"seconds":  func(s float64) string { return show.Duration(time.Duration(min(s, 1e9) * 1e9)) },
	"clock":    clock,
	"number":   plot.Number,
	"percent":  func(part, whole int64) string { return show.Percent(part, whole) },
	"line":     show.Line,
	"clip":     func(width int, s string) string { return show.Clip(show.Line(s), width) },
	"status":   func(n uint16) string { return orDash(n) },
	"outside":  outside,
	"plural":   func(n int64, thing string) string { return show.Counted(n, thing) },
	"query":    func(s string) string { return url.QueryEscape(s) },
}

// grouped writes any whole number in groups of three digits.
func grouped(v any) string {
	switch n := v.(type) {
	case int:
		return show.Grouped(n)
	case int32:
		return show.Grouped(int64(n))
	case int64:
		return show.Grouped(n)
	case uint32:
		return show.Grouped(int64(n))
	case uint64:
		return show.Grouped(int64(n))
	}
	return fmt.Sprint(v)
}

// clock writes a time as people read it.
func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format(time.DateTime)
}

// orDash writes a status, or - for none.
func orDash(n uint16) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// outside returns the address of a page of the Web if a browser may be sent there, else "".
func outside(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return text
}

// A frame is what surrounds each page.
type frame struct {
	Title     string
	Crawl     *crawlHead // nil: the page is about no crawl
	Crawls    []link     // all of them, if there are several
	Lab       bool       // there are results of the laboratory
	InLab     bool       // and the page shows some
	Cluster   bool       // there is a cluster
	InCluster bool       // and the page shows it
	Token     bool       // one logs in
	Control   bool       // the crawl can be changed
	Live      string     // where the numbers that move come from, "" if none do
	Reload    bool       // without scripts, load the page again now and then
	Body      any
}

// A link is a link to a page of the dashboard.
type link struct {
	Name, To string
	Here     bool
}

// A crawlHead is what all pages of a crawl show.
type crawlHead struct {
	Name  string // "": the title says it
	Base  string // address of its pages, which ends with a slash
	State string
	Note  string // how far the crawl is read, "" if it is
	Nav   []link
}

// A view is a page about a crawl.
type view struct {
	path, name string // name: in the navigation, "" if it is not there
	template   string
	title      string
	live       bool // all of its numbers move; of others only the state of the crawl does
	show       func(*asked) (any, error)
}

// views are the pages of a crawl.
var views = []view{
	{"{$}", "Overview", "overview", "Overview", true, showOverview},
	{"sites", "Sites", "sites", "Sites", false, showSites},
	{"site", "", "site", "Site", false, showSite},
	{"pages", "Pages", "list", "Pages", false, showPages},
	{"page", "", "url", "Page", false, showPage},
	{"frontier", "Frontier", "frontier", "Frontier", false, showFrontier},
	{"failures", "Failures", "failures", "Failures", false, showFailures},
	{"traps", "Traps", "traps", "Traps", false, showTraps},
	{"log", "Politeness", "log", "Politeness ledger", false, showLog},
	{"freshness", "Freshness", "freshness", "Freshness", false, showFreshness},
}

// asked is a request for a page about a crawl.
type asked struct {
	*http.Request
	s      *Server
	c      *crawled
	glance follow.Glance
	base   string
	title  string // of the page, if it has one of its own
}

// wrong is an error of the one who asks.
type wrong struct{ text, hint string }

func (e *wrong) Error() string { return e.text }

// view returns the handler of a page about a crawl.
func (s *Server) view(v view) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := s.crawl(r)
		if c == nil {
			s.fail(w, r, http.StatusNotFound, "There is no such crawl here.", "")
			return
		}
		a := &asked{Request: r, s: s, c: c, base: "/crawl/" + c.Name + "/", title: v.title}
		a.glance, _ = c.Glance()
		body, err := v.show(a)
		f := s.frame(c, &a.glance, v.template)
		f.Title, f.Body = a.title, body
		f.Live, f.Reload = a.base+"events?page="+v.template, v.live
		if isReady(&a.glance) {
			f.Live += "&ready=1"
		}
		var bad *wrong
		switch {
		case errors.Is(err, follow.ErrNotReady) || errors.Is(err, errNoIndex):
			f.Live, f.Reload = a.base+"events?page=wait", true
			s.render(w, http.StatusOK, "wait", f)
		case errors.As(err, &bad):
			f.Body = failure{bad.text, bad.hint}
			s.render(w, http.StatusNotFound, "error", f)
		case err != nil:
			f.Body = failure{err.Error(), ""}
			s.render(w, http.StatusInternalServerError, "error", f)
		default:
			s.render(w, http.StatusOK, v.template, f)
		}
	}
}

// errNoIndex is returned by pages that need the journal while it is being read.
var errNoIndex = errors.New("the journal is being read")

// read calls fn with the view of the crawl, which must have an index if index is set.
func (a *asked) read(index bool, fn func(*follow.View) error) error {
	if index && a.glance.Phase != follow.Following {
		return errNoIndex
	}
	return a.c.Read(func(v *follow.View) error {
		if index && v.Index == nil {
			return errNoIndex
		}
		return fn(v)
	})
}

// frame returns what surrounds a page about a crawl.
func (s *Server) frame(c *crawled, g *follow.Glance, template string) *frame {
	base := "/crawl/" + c.Name + "/"
	head := &crawlHead{Name: c.Name, Base: base, State: stateSentence(g), Note: progressNote(g)}
	for _, v := range views {
		if v.name != "" {
			head.Nav = append(head.Nav, link{v.name, base + strings.TrimSuffix(v.path, "{$}"), v.template == template})
		}
	}
	if s.controls(c) {
		head.Nav = append(head.Nav, link{controlView.name, base + controlView.path, controlView.template == template})
	}
	f := s.plain("")
	f.Crawl = head
	for i := range f.Crawls {
		f.Crawls[i].Here = f.Crawls[i].Name == c.Name
	}
	return f
}

// plain returns what surrounds a page that is about no crawl.
func (s *Server) plain(title string) *frame {
	f := &frame{Title: title, Lab: len(s.results) > 0, Token: len(s.o.Token) > 0 && !s.o.Open, Control: s.o.Control != nil || s.commands(), Cluster: s.o.Cluster != nil}
	if len(s.crawls) > 1 {
		for _, c := range s.crawls {
			f.Crawls = append(f.Crawls, link{Name: c.Name, To: "/crawl/" + c.Name + "/"})
		}
	}
	return f
}

// stateSentence says in a sentence what a crawl does.
func stateSentence(g *follow.Glance) string {
	s := g.Status
	switch {
	case g.Phase == follow.Gone:
		return "The directory is gone."
	case g.Phase == follow.Failed:
		return "The crawl cannot be read."
	case s == nil:
		return "Nothing is known of the crawl yet."
	}
	text := "It runs"
	if s.State != history.StateRunning {
		text = "It is " + s.State
		if g.Config != nil {
			text = "It is " + wording.StateText(s, g.Config)
		}
	}
	text += fmt.Sprintf(". %s of %s fetched, %s wait", show.Grouped(s.Fetched), show.Counted(s.Known, "page"), show.Grouped(s.Waiting))
	if s.State == history.StateRunning {
		text += fmt.Sprintf("; %s pages a second", show.Rate(s.Rate))
	}
	return text + "."
}

// progressNote says how far a crawl is read, "" if it is.
func progressNote(g *follow.Glance) string {
	switch g.Phase {
	case follow.Opening:
		return "Opening the directory."
	case follow.Restoring:
		return "Restoring the state, for " + show.Duration(time.Since(g.Since)) + "."
	case follow.Indexing:
		return fmt.Sprintf("Reading the journal: %.0f %%.", 100*g.Share)
	case follow.Gone:
		return "It is shown again when it is there again."
	case follow.Failed:
		return g.Err.Error()
	}
	return ""
}

// A failure is what an error page shows.
type failure struct{ Text, Hint string }

// fail answers with an error page.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, code int, text, hint string) {
	f := s.plain(http.StatusText(code))
	if !s.admitted(r) {
		f = &frame{Title: http.StatusText(code)}
	}
	f.Body = failure{text, hint}
	s.render(w, code, "error", f)
}

// render writes a page.
func (s *Server) render(w http.ResponseWriter, code int, name string, f *frame) {
	var b bytes.Buffer
	if err := s.pages[name].Execute(&b, f); err != nil {
		http.Error(w, "cannot make the page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	w.Write(b.Bytes()) // the reader may have gone
}

// serveStatic serves a file of the program.
func (s *Server) serveStatic(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	b, err := files.ReadFile(path.Join("static", path.Clean("/"+name)))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) {
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".css":
		kind = "text/css; charset=utf-8"
	case ".LICENSE":
		kind = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(b))
}
