package crawl

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/render"
	"github.com/winnow-crawler/winnow/crawl/render/browser"
	"github.com/winnow-crawler/winnow/crawl/render/offline"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// fakeBrowser runs scripts of a language of its own. Each line of a script is a command and a URL:
// load runs another script or data, link adds a link, lead goes elsewhere; crash, slow and hog end
// the page.
type fakeBrowser struct {
	mu     sync.Mutex
	passes map[string]int // by URL
	before func(url string, pass int)
}

func (b *fakeBrowser) Close() {}

var scriptTag = regexp.MustCompile(`<script src="?([^">]*)"?>`)

func (b *fakeBrowser) Show(ctx context.Context, p *browser.Page, get func(string) *browser.Answer) (*browser.Shown, error) {
	b.mu.Lock()
	b.passes[p.URL]++
	n := b.passes[p.URL]
	b.mu.Unlock()
	if b.before != nil {
		b.before(p.URL, n)
	}
	if ctx.Err() != nil {
		return new(browser.Shown), ctx.Err()
	}
	s := &browser.Shown{HTML: slices.Clone(p.Answer.Body)}
	var run func(url string) error
	run = func(url string) error {
		url = strings.ReplaceAll(url, "SELF", strings.TrimPrefix(p.URL, "http://a.example"))
		if strings.HasPrefix(url, "/") {
			url = "http://a.example" + url
		}
		a := get(url)
		if a == nil {
			s.Asked = append(s.Asked, url)
			return nil
		}
		if a.Status/100 == 3 {
			return run("http://cdn.example" + a.Header.Get("Location"))
		}
		for line := range strings.Lines(string(a.Body)) {
			command, to, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch command {
			case "load":
				if err := run(to); err != nil {
					return err
				}
			case "link":
				s.HTML = fmt.Appendf(s.HTML, "<p>some words of <a href=%q>%[1]s</a>", to)
			case "lead":
				s.Leads = append(s.Leads, to)
			case "crash":
				return browser.ErrCrash
			case "slow":
				return browser.ErrTime
			case "hog":
				return browser.ErrMemory
			}
		}
		return nil
	}
	for _, m := range scriptTag.FindAllSubmatch(p.Answer.Body, -1) {
		if err := run(string(m[1])); err != nil {
			return s, err
		}
	}
	return s, nil
}

// shell is a page with nothing but a script.
func shell(script string) http.HandlerFunc {
	return typed("text/html", "<title>app</title><script src="+script+"></script>")
}

// scriptedWeb is a site whose links are made by scripts, in several steps. One asks for something
// on another host.
func scriptedWeb(elsewhere string) map[string]http.HandlerFunc {
	code := func(lines ...string) http.HandlerFunc { return typed("text/javascript", strings.Join(lines, "\n")) }
	return map[string]http.HandlerFunc{
		"a.example": byPath(map[string]http.HandlerFunc{
			"/":            shell("/app.js"),
			"/robots.txt":  typed("text/plain", "User-agent: *\nDisallow: /private/\n"),
			"/app.js":      code("load http://cdn.example/lib.js", "load /data/SELF"),
			"/data//":      code("link /one", "link /two", "lead /away", "load /private/x", "load /gone", "load http://"+elsewhere+"/x"),
			"/data//one":   code("link /", "link /three"),
			"/data//two":   code("link /one"),
			"/data//three": code("crash"),
			"/data//away":  code("slow"),
			"/one":         shell("/app.js"), "/two": shell("/app.js"), "/three": shell("/app.js"),
			"/away":   typed("text/html", "<title>away</title><script src=/app.js></script><a href=/last>static</a>"),
			"/last":   typed("text/html", "<title>last</title><p>"+strings.Repeat("a page with enough text. ", 40)+"<script src=/app.js></script>"),
			"/hidden": typed("text/html", "<p>nothing leads here"),
		}),
		"cdn.example": byPath(map[string]http.HandlerFunc{
			"/lib.js":  func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, "/lib2.js", http.StatusFound) },
			"/lib2.js": code("load http://cdn.example/lib2.css"), "/lib2.css": typed("text/css", "body { background: url(no.png) }"),
		}),
	}
}

func renderTest(t *testing.T, hosts map[string]http.HandlerFunc, how string) (*handWeb, *fakeBrowser) {
	w := newHandWeb(t, hosts, "http://a.example/")
	b := &fakeBrowser{passes: map[string]int{}}
	w.o.Config.Scope, w.o.Config.Render = config.ScopeSeeds, how
	w.o.Machine.Sizes.Status = 24 * time.Hour
	w.o.Machine.Browser = func() offline.Browser { return b }
	return w, b
}

// rendered returns the last Rendered record of each page, by URL, as pass, note and links.
func (w *handWeb) rendered(t *testing.T) map[string]string {
	t.Helper()
	c := openMemory(t, w.disk)
	s, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	err = c.Each(func(r *journal.Record) error {
		if e := &r.Event; e.Kind == event.Rendered {
			text := fmt.Sprint(r.Facts.Step, " ", r.Facts.Note, " ", e.Again)
			for _, p := range e.Links {
				text += " " + strings.TrimPrefix(string(s.AppendURL(nil, p)), "http://a.example")
			}
			list[string(s.AppendURL(nil, e.Page))] = text
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A site whose links are made by scripts is found with --render auto, and not without. What scripts
// ask for is requested once, by the rules of its site.
func TestRender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := renderTest(t, scriptedWeb("cdn.example"), config.RenderOff)
		if sum := w.run(t); sum.Fetched != 1 || sum.Rendering != nil || sum.Requisites != nil {
			t.Errorf("without a browser: %d pages, %+v, %+v", sum.Fetched, sum.Rendering, sum.Requisites)
		}
		w, b := renderTest(t, scriptedWeb("nowhere.example"), config.RenderAuto)
		began := time.Now()
		sum := w.run(t)
		want := []string{"http://a.example/", "http://a.example/app.js", "http://a.example/away", "http://a.example/data//", "http://a.example/data//away",
			"http://a.example/data//one", "http://a.example/data//three", "http://a.example/data//two", "http://a.example/gone", "http://a.example/last",
			"http://a.example/one", "http://a.example/three", "http://a.example/two", "http://cdn.example/lib.js", "http://cdn.example/lib2.css", "http://cdn.example/lib2.js"}
		if got := w.askedAll(); !slices.Equal(got, want) {
			t.Errorf("requested\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if x := sum.Rendering; sum.Fetched != 6 || x.Rendered != 3 || x.Failed != 2 || x.Waiting != 0 || sum.Why != whyUnreachable { // a script at a host that does not exist
			t.Errorf("%d pages, %+v, %s", sum.Fetched, sum.Rendering, sum.Why)
		}
		got := w.rendered(t)
		for url, want := range map[string]string{
			"http://a.example/":      "5  false /one /two /away",
			"http://a.example/one":   "2  false / /three",
			"http://a.example/three": "2 the browser crashed false",
			"http://a.example/away":  "2 the page did not end in time false /last",
			"http://a.example/last":  "",
		} {
			if got[url] != want {
				t.Errorf("%s: %q, want %q", url, got[url], want)
			}
		}
		if n := b.passes["http://a.example/three"]; n != 3 { // one that misses, and two that crash
			t.Errorf("%d passes of a page that crashes", n)
		}
		w.verifyClean(t)
		if n := time.Since(began); n > time.Hour { // of which most is for the site that does not exist
			c := openMemory(t, w.disk)
			last := time.Duration(0)
			c.Each(func(r *journal.Record) error {
				if r.Event.Kind == event.Rendered {
					last = r.Now
				}
				return nil
			})
			if last > time.Hour {
				t.Errorf("the last page was shown after %v: it waited for a site that does not exist", last)
			}
		}
	})
}

// With always, pages with text are shown, too.
func TestRenderAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := renderTest(t, scriptedWeb("cdn.example"), config.RenderAlways)
		w.run(t)
		if b.passes["http://a.example/last"] == 0 {
			t.Error("a page with text was not shown")
		}
		w.verifyClean(t)
	})
}

// A page that asks for something new in every pass comes to an end, and so does one that asks for
// too much.
func TestRenderBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		more := func(rw http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/many") {
				for i := range 1000 {
					fmt.Fprintf(rw, "load /x%d\n", i)
				}
				return
			}
			fmt.Fprintf(rw, "load %sa\nlink /end\n", r.URL.Path)
		}
		w, b := renderTest(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/":
				shell("/s")(rw, r)
			case r.URL.Path == "/end":
				shell("/many")(rw, r)
			case strings.HasPrefix(r.URL.Path, "/s"), strings.HasPrefix(r.URL.Path, "/many"):
				more(rw, r)
			default:
				http.NotFound(rw, r)
			}
		}}, config.RenderAuto)
		sum := w.run(t)
		if n := b.passes["http://a.example/"]; n != render.MaxPasses {
			t.Errorf("%d passes, want %d", n, render.MaxPasses)
		}
		if got := w.rendered(t)["http://a.example/"]; got != "8  false /end" {
			t.Errorf("%q", got)
		}
		if n := strings.Count(strings.Join(w.askedAll(), " "), "/x"); n != render.MaxParts-1 {
			t.Errorf("%d requisites, want %d", n, render.MaxParts-1)
		}
		if sum.Rendering.Rendered != 2 {
			t.Errorf("%+v", sum.Rendering)
		}
		w.verifyClean(t)
	})
}

// A crawl that stops between passes, or during one, continues where it was: nothing is requested
// again, and the pages are those of a crawl that did not stop. The next session may be one without
// a browser.
func TestRenderResumed(t *testing.T) {
	for _, kill := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			whole, _ := renderTest(t, scriptedWeb("cdn.example"), config.RenderAuto)
			want := whole.run(t)
			for _, stop := range []int{0, 1, 3, 5, 8} {
				w, b := renderTest(t, scriptedWeb("cdn.example"), config.RenderAuto)
				n := 0
				ctx, cancel := context.WithCancel(t.Context())
				b.before = func(string, int) {
					if n++; n == stop+1 {
						cancel()
						if kill { // the journal first: the archive is written before it
							d := memoryDisk{layout.JournalDir: w.disk[layout.JournalDir].Kill()}
							for name, m := range w.disk {
								if d[name] == nil {
									d[name] = m.Kill()
								}
							}
							w.disk = d
						}
						synctest.Wait()
					}
				}
				if _, err := Run(ctx, w.o); err != nil {
					t.Fatal(err)
				}
				b.before = nil
				w.o.Machine.Disk = w.disk.open
				sum := w.run(t)
				if sum.Fetched != want.Fetched || sum.Rendering.Rendered != 3 || sum.Rendering.Failed != 2 || sum.Rendering.Waiting != 0 {
					t.Errorf("stopped at pass %d (kill: %t): %d pages, %+v", stop, kill, sum.Fetched, sum.Rendering)
				}
				if got := w.askedAll(); !kill && !slices.Equal(got, whole.askedAll()) {
					t.Errorf("stopped at pass %d: requested %s", stop, strings.Join(got, "\n"))
				}
				w.verifyClean(t)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w, b := renderTest(t, scriptedWeb("cdn.example"), config.RenderAuto)
		ctx, cancel := context.WithCancel(t.Context())
		b.before = func(url string, _ int) {
			if url == "http://a.example/away" {
				cancel()
				synctest.Wait()
			}
		}
		if _, err := Run(ctx, w.o); err != nil {
			t.Fatal(err)
		}
		w.o.Config.Render = config.RenderOff
		sum := w.run(t)
		if got := w.rendered(t)["http://a.example/away"]; got != "1 rendering is switched off false /last" || sum.Rendering.Waiting != 0 {
			t.Errorf("%q, %+v", got, sum.Rendering)
		}
		w.verifyClean(t)
	})
}

// A page does not get answers of another site that is requested with secrets, and cannot make winnow
// request them.
func TestRenderSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := renderTest(t, map[string]http.HandlerFunc{
			"a.example": byPath(map[string]http.HandlerFunc{"/": typed("text/html", "<title>a</title><script src=/own></script><a href=//b.example/>b</a>"), "/own": typed("text/javascript", "link /more"),
				"/more": typed("text/html", "<p>more")}),
			"b.example": byPath(map[string]http.HandlerFunc{"/": typed("text/html", "<title>b</title><script src=http://a.example/own></script><script src=http://a.example/other></script>")}),
		}, config.RenderAuto)
		w.o.Config.Scope, w.o.Config.Header = config.ScopeAny, []string{"Authorization: secret"}
		w.run(t)
		if b.passes["http://b.example/"] != 1 || b.passes["http://a.example/"] != 2 {
			t.Errorf("passes %v", b.passes)
		}
		if got := strings.Join(w.askedAll(), " "); got != "http://a.example/ http://a.example/more http://a.example/own http://b.example/" {
			t.Errorf("requested %s", got)
		}
		if got := w.rendered(t)["http://b.example/"]; got != "1  false" {
			t.Errorf("the other site shows %q", got)
		}
	})
}
