package crawl

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/requisite"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// typed answers with a body of a type.
func typed(media, body string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", media)
		rw.Write([]byte(body))
	}
}

// byPath answers by path; a path that is not there is not found.
func byPath(paths map[string]http.HandlerFunc) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if f := paths[r.URL.Path]; f != nil {
			f(rw, r)
			return
		}
		http.NotFound(rw, r)
	}
}

// shownWeb is a site of two pages whose requisites are on several hosts.
func shownWeb() map[string]http.HandlerFunc {
	picture := typed("image/png", "\x89PNG\r\n")
	return map[string]http.HandlerFunc{
		"a.example": byPath(map[string]http.HandlerFunc{
			"/": typed("text/html", `<html><head><title>one</title><link rel=stylesheet href=/main.css><link rel="shortcut icon" href=/favicon.ico>
				<script src=//cdn.example/a.js></script></head><body style="background:url(/back.png)">
				<p>the first page with words of its own <a href=/two>two</a> <a href=//cdn.example/page>not in scope</a>
				<img src=a.png srcset="a2.png 2x, a3.png 3x"><iframe src=//frame.example/in></iframe><img src=/missing.png>
				<img src=data:image/png;base64,AAAA><img src=/two>`),
			"/two":         typed("text/html", `<title>two</title><link rel=stylesheet href=/main.css><p>another page has other words <img src=b.png><img src=/private/c.png>`),
			"/robots.txt":  typed("text/plain", "User-agent: *\nDisallow: /private/\n"),
			"/main.css":    typed("text/css", `@import "more.css"; @namespace url(/name); body { background: u\72l('/s\70 ace.png') } /* url(/comment.png) */`),
			"/more.css":    typed("text/css", `@font-face { src: url(//cdn.example/f.woff2) format("woff2"), url(//cdn.example/moved) }`),
			"/favicon.ico": picture, "/back.png": picture, "/a.png": picture, "/a2.png": picture, "/a3.png": picture, "/b.png": picture, "/space.png": picture,
		}),
		"cdn.example": byPath(map[string]http.HandlerFunc{
			"/a.js": typed("text/javascript", "1"), "/f.woff2": typed("font/woff2", "wOF2"), "/f2.woff2": typed("font/woff2", "wOF2"),
			"/moved": func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, "/f2.woff2", http.StatusFound) },
			"/page":  typed("text/html", "<p>a page of the other host"),
		}),
		"frame.example": byPath(map[string]http.HandlerFunc{
			"/in": typed("text/html", `<p>a frame <a href=/other>link</a><img src=in.png>`), "/in.png": picture, "/other": typed("text/html", "<p>no"),
		}),
	}
}

// shownParts are the requisites of shownWeb that exist.
var shownParts = []string{
	"http://a.example/a.png", "http://a.example/a2.png", "http://a.example/a3.png", "http://a.example/b.png", "http://a.example/back.png",
	"http://a.example/favicon.ico", "http://a.example/main.css", "http://a.example/more.css", "http://a.example/space.png",
	"http://cdn.example/a.js", "http://cdn.example/f.woff2", "http://cdn.example/f2.woff2", "http://cdn.example/moved",
	"http://frame.example/in", "http://frame.example/in.png",
}

// verifyClean fails unless a crawl in memory verifies.
func (w *handWeb) verifyClean(t *testing.T) {
	t.Helper()
	verifyDisk(t, w.disk)
}

// openMemory opens a crawl in memory to read it.
func openMemory(t *testing.T, d memoryDisk) *history.Crawl {
	t.Helper()
	p, err := layout.Open(func(name string) (disk.Dir, error) {
		x, err := d.open(name)
		return history.ReadOnly{Dir: x}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := history.OpenParts(t.Context(), "memory", p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func verifyDisk(t *testing.T, d memoryDisk) {
	t.Helper()
	c := openMemory(t, d)
	f, err := c.Verify(history.VerifyOptions{Limit: 10, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range f.List {
		t.Error(x)
	}
}

// asked returns what was requested without robots.txt, sorted, each as often as it was.
func (w *handWeb) askedAll() (list []string) {
	for _, url := range w.asked {
		if !strings.HasSuffix(url, "/robots.txt") {
			list = append(list, url)
		}
	}
	slices.Sort(list)
	return list
}

// Requisites are fetched from all hosts, each once, and nothing else is.
func TestRequisites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, shownWeb(), "http://a.example/")
		w.o.Config.Scope, w.o.Config.Requisites = config.ScopeSeeds, true
		sum := w.run(t)
		want := append([]string{"http://a.example/", "http://a.example/missing.png", "http://a.example/two"}, shownParts...)
		slices.Sort(want)
		if got := w.askedAll(); !slices.Equal(got, want) {
			t.Errorf("requested\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if sum.Fetched != 2 {
			t.Errorf("%d pages, want 2", sum.Fetched)
		}
		if want := (requisite.Tally{Known: 17, Fetched: 15, Failed: 1, Refused: 1, Bytes: sum.Requisites.Bytes}); *sum.Requisites != want {
			t.Errorf("%+v, want %+v", *sum.Requisites, want)
		}
		w.verifyClean(t)
		list, log := w.listedParts(t)
		for url, want := range map[string]string{
			"http://a.example/main.css":      "fetched  text/css 1 http://a.example/",
			"http://cdn.example/f2.woff2":    "fetched  font/woff2 4 http://a.example/",
			"http://a.example/missing.png":   "failed http-error text/plain 1 http://a.example/",
			"http://a.example/private/c.png": "skipped robots  1 http://a.example/two",
		} {
			if list[url] != want {
				t.Errorf("%s: %s, want %s", url, list[url], want)
			}
		}
		w.explained(t)
		if len(list) != 17 || log["requisite http://frame.example/in.png"] != 1 || log["fetch http://a.example/two"] != 1 {
			t.Errorf("%d requisites, log %v", len(list), log)
		}
	})
}

// explained holds what winnow explain says about requisites.
func (w *handWeb) explained(t *testing.T) {
	t.Helper()
	c := openMemory(t, w.disk)
	status, err := c.Status()
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"http://a.example/main.css":      "fetched It is no page, but something that pages need to be shown (--requisites): http://a.example/ was the first that needs it. It was fetched (200, text/css, ",
		"cdn.example/f2.woff2":           "fetched It is no page, but something that pages need to be shown (--requisites): http://a.example/ was the first that needs it, 4 answers away, such as by a style",
		"http://a.example/missing.png":   "failed It is no page, but something that pages need to be shown (--requisites): http://a.example/ was the first that needs it. It could not be fetched: http-error.",
		"http://a.example/private/c.png": "skipped It is no page, but something that pages need to be shown (--requisites): http://a.example/two was the first that needs it. It was skipped: robots.txt forbids it.",
		"http://a.example/none.png":      "unknown The crawl does not know it",
	} {
		x, err := explain.URL(c, url, explain.Options{Now: time.Now(), Status: status})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.State + " " + x.Sentence; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", url, got)
		}
	}
}

// listedParts returns the requisites as winnow pages lists them, and the requests as winnow log does.
func (w *handWeb) listedParts(t *testing.T) (list map[string]string, log map[string]int) {
	t.Helper()
	c := openMemory(t, w.disk)
	list, log = map[string]string{}, map[string]int{}
	err := c.Requisites(&history.PageFilter{}, func(x *history.RequisiteInfo) error {
		list[x.URL] = fmt.Sprint(x.State, " ", x.Why, " ", x.Media, " ", x.Step, " ", x.Page)
		return nil
	})
	if err == nil {
		err = c.Log(&history.LogFilter{}, func(r *history.Request) error { log[r.Kind+" "+r.URL]++; return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return list, log
}

// A shownTest is a web whose pages have requisites, and a crawl of all sites but the last one,
// which has what they share.
func shownTest(t *testing.T, pages, sites int) *testWeb {
	t.Helper()
	w := newTestWeb(t, pages, sites, answer.Options{Shown: true, MinSize: 500, MaxSize: 1500})
	w.o.Config.Scope = "regexp:^http://s[0-" + strconv.Itoa(sites-2) + "]\\."
	w.o.Config.Requisites = true
	return w
}

// shownOf counts what was requested: the pages in their order, and how often each requisite was.
func shownOf(w *testWeb) (pages []graph.Page, parts map[string]int) {
	var all []count.Request
	parts = map[string]int{}
	for s := range w.web.Sites() {
		host := strings.TrimSuffix(w.server.URL(graph.Page(w.web.Site(graph.Site(s)).First)), "/")
		for _, q := range w.server.Counter().Requests(graph.Site(s)) {
			switch q.Kind {
			case answer.KindPage:
				all = append(all, q)
			case answer.KindPart:
				parts[host+q.Part]++
			}
		}
	}
	slices.SortStableFunc(all, func(a, b count.Request) int { return cmp.Compare(a.Start, b.Start) })
	for _, q := range all {
		pages = append(pages, q.Page)
	}
	return pages, parts
}

// checkShown holds the requisites that were requested against those of the pages.
func checkShown(t *testing.T, w *testWeb) {
	t.Helper()
	pages, parts := shownOf(w)
	want := map[string]int{}
	for _, p := range pages {
		x := w.server.Shown(p)
		for _, url := range append(x.Needs(), x.Missing()) {
			want[url] = 1
		}
	}
	if !maps.Equal(parts, want) {
		for url, n := range want {
			if parts[url] != n {
				t.Errorf("%s was requested %d times", url, parts[url])
			}
		}
		t.Errorf("%d requisites were requested, want %d", len(parts), len(want))
	}
	shared := graph.Page(w.web.Site(graph.Site(w.web.Sites() - 1)).First)
	if slices.ContainsFunc(pages, func(p graph.Page) bool { return p >= shared }) {
		t.Error("pages of the shared site were requested")
	}
}

// Of a web with a shared site, all requisites of all pages are fetched once, politely, and no page
// of the shared site is.
func TestRequisitesOfWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := shownTest(t, 80, 5)
		sum := w.run(t)
		checkShown(t, w)
		for _, v := range w.server.Counter().Check(count.Demands{Delay: w.o.Config.Delay.Duration, PerConnection: 1, AddressDelay: w.o.Config.IPDelay.Duration, AddressCap: w.o.Config.IPCap}) {
			t.Error(v)
		}
		if x := sum.Requisites; x == nil || x.Left() != 0 || x.Failed != sum.Fetched || x.Bytes == 0 {
			t.Errorf("%+v of %d pages", x, sum.Fetched)
		}
		verifyDisk(t, w.disk)
	})
}

// The order of pages at a site is that of the policy, with requisites or without. Where requisites
// are on other hosts, pages are even requested at the same instants.
func TestRequisitesKeepTheOrder(t *testing.T) {
	order := func(policy string, on bool) (pages []graph.Page) {
		synctest.Test(t, func(t *testing.T) {
			w := shownTest(t, 60, 2)
			w.o.Config.Policy, w.o.Config.Requisites = policy, on
			w.run(t)
			pages, _ = shownOf(w)
		})
		return pages
	}
	for _, policy := range []string{"breadth-first", "opic", "foresight", "random"} {
		if off, on := order(policy, false), order(policy, true); !slices.Equal(off, on) || len(off) < 20 {
			t.Errorf("%s: %d pages %v, with requisites %v", policy, len(off), off, on)
		}
	}
	times := func(on bool) (list []string) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			page := func(rw http.ResponseWriter, r *http.Request) {
				list = append(list, fmt.Sprint(time.Since(began), " ", r.Host, r.URL))
				rw.Header().Set("Content-Type", "text/html")
				fmt.Fprintf(rw, "<title>%[1]s</title><p>%[1]s <img src=//cdn.example%[1]s.png>", r.URL)
				for i := range 20 {
					fmt.Fprintf(rw, "<a href=//%s.example/%d>%[2]d</a>", string("ab"[i%2]), i)
				}
			}
			w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": page, "b.example": page, "cdn.example": typed("image/png", "PNG")}, "http://a.example/")
			w.o.Config.Requisites, w.o.Config.Scope, w.o.Config.IPDelay = on, "regexp://[ab]", config.Duration{}
			w.run(t)
			if n := strings.Count(strings.Join(w.asked, " "), "//cdn"); (n > 20) != on {
				t.Errorf("%d requests to the other host", n)
			}
		})
		slices.Sort(list) // within an instant in any order
		return list
	}
	if off, on := times(false), times(true); !slices.Equal(off, on) || len(off) < 20 {
		t.Errorf("without requisites\n%s\nwith\n%s", strings.Join(off, "\n"), strings.Join(on, "\n"))
	}
}

// With --pages the crawl goes on until the requisites of these pages are there. They are no pages:
// status and limits do not count them as such.
func TestRequisitesAfterPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := shownTest(t, 60, 4)
		w.o.Config.Pages = 7
		sum := w.run(t)
		if sum.Fetched != 7 || sum.Why != whyPages || sum.Requisites.Left() != 0 {
			t.Errorf("%d pages, it ended by %s with %+v", sum.Fetched, sum.Why, sum.Requisites)
		}
		checkShown(t, w)
		w.o.Config.Pages, w.o.Config.Bytes = 0, config.Size(sum.Bytes+3000)
		if sum = w.run(t); sum.Why != whyBytes || sum.Bytes > int64(w.o.Config.Bytes)+20_000 {
			t.Errorf("it ended by %s with %d bytes, want %d", sum.Why, sum.Bytes, w.o.Config.Bytes)
		}
		verifyDisk(t, w.disk)
	})
}

// A crawl may be resumed with requisites or without. Those that wait stay, and are requested when
// they may be again.
func TestRequisitesOnAndOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := shownTest(t, 60, 4)
		w.o.Config.Requisites, w.o.Config.Pages = false, 5
		w.run(t)
		if _, parts := shownOf(w); len(parts) > 0 {
			t.Errorf("%d requisites were requested", len(parts))
		}
		w.o.Config.Requisites, w.o.Config.Pages, w.o.Config.Bytes = true, 0, 1
		first := w.run(t).Bytes
		w.o.Config.Bytes = config.Size(first + 12_000)
		sum := w.run(t)
		left, known := sum.Requisites.Left(), sum.Requisites.Known
		if left == 0 {
			t.Fatal("no requisite waits")
		}
		_, before := shownOf(w)
		w.o.Config.Requisites, w.o.Config.Bytes = false, 0
		sum = w.run(t)
		if _, parts := shownOf(w); len(parts) != len(before) || sum.Requisites.Left() != left || sum.Why != whyFinished {
			t.Errorf("%d requisites were requested, it was %d; %d wait, it was %d; it ended by %s", len(parts), len(before), sum.Requisites.Left(), left, sum.Why)
		}
		w.o.Config.Requisites = true
		sum = w.run(t)
		if _, parts := shownOf(w); sum.Requisites.Left() != 0 || sum.Requisites.Known < known || len(parts) <= len(before) {
			t.Errorf("%+v, %d were requested", sum.Requisites, len(parts))
		}
		verifyDisk(t, w.disk)
	})
}

// A page with more requisites than it may have, on more hosts, is bounded, and the status names
// the limit. A style that imports others without end is, too.
func TestHostileRequisites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			switch n, _ := strings.CutPrefix(r.URL.Path, "/css/"); {
			case r.URL.Path == "/":
				rw.Header().Set("Content-Type", "text/html")
				rw.Write([]byte("<title>a</title><p>words of a page<link rel=stylesheet href=/css/>"))
				for i := range 200_000 {
					fmt.Fprintf(rw, "<img src=/%d.png>", i)
				}
				for i := range 500 {
					fmt.Fprintf(rw, "<img src=//h%d.example/x.png>", i)
				}
			case n != r.URL.Path:
				typed("text/css", "@import '"+n+"a'; @import '"+n+"a/../"+n+"a';")(rw, r)
			default:
				typed("image/png", "PNG")(rw, r)
			}
		}}
		w := newHandWeb(t, hosts, "http://a.example/")
		w.o.Config.Requisites, w.o.Config.Scope, w.o.Config.MaxRequisites = true, config.ScopeSeeds, 50
		sum := w.run(t)
		if x := sum.Requisites; x.Known != 50+4 || x.LeftOut < 200_000-800 || x.Left() != 0 {
			t.Errorf("%+v", x)
		}
		if i := slices.IndexFunc(sum.Caps, func(c state.Cap) bool { return c.Key == "max_requisites" }); i < 0 {
			t.Errorf("limits %+v", sum.Caps)
		}
		w.verifyClean(t)
	})
}

// The deny list, exclude patterns and the robots.txt of their sites hold for requisites.
func TestForbiddenRequisites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := map[string]http.HandlerFunc{
			"a.example":   typed("text/html", "<title>a</title><p>some words<img src=//b.example/1><img src=//b.example/no/2><img src=//c.example/3><img src=//denied.example/4><img src=/ex.png>"),
			"b.example":   byPath(map[string]http.HandlerFunc{"/robots.txt": typed("text/plain", "User-agent: *\nDisallow: /no\n"), "/1": typed("image/png", "PNG")}),
			"c.example":   typed("image/png", "PNG"),
			"private.tld": typed("image/png", "PNG"),
		}
		w := newHandWeb(t, hosts, "http://a.example/")
		deny := filepath.Join(t.TempDir(), "deny")
		if err := os.WriteFile(deny, []byte("denied.example\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.o.Config.Requisites, w.o.Config.Scope, w.o.Config.Deny, w.o.Config.Exclude = true, config.ScopeSeeds, deny, []string{"ex.png"}
		sum := w.run(t)
		if x := sum.Requisites; x.Known != 5 || x.Refused != 3 || x.Left() != 0 {
			t.Errorf("%+v", x)
		}
		if got := strings.Join(w.askedAll(), " "); got != "http://a.example/ http://b.example/1 http://c.example/3" {
			t.Errorf("requested %s", got)
		}
		w.verifyClean(t)
	})
}

// A requisite that fails is tried again as often as --retries says, and then given up: pages of its
// site do not wait for it for ever. One on a host that does not exist is left
// to the next run, as pages are.
func TestFailingRequisites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := func(rw http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/broken.png":
				http.Error(rw, "broken", http.StatusInternalServerError)
				return
			case "/robots.txt":
				http.NotFound(rw, r)
				return
			}
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, "<title>%[1]s</title><p>words of %[1]s <img src=/broken.png><img src=//nowhere.example/x.png>", r.URL)
			for i := range 12 {
				fmt.Fprintf(rw, "<a href=/%d>%[1]d</a>", i)
			}
		}
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": page}, "http://a.example/")
		w.o.Config.Requisites, w.o.Config.Scope, w.o.Config.Retries = true, config.ScopeSeeds, 2
		sum := w.run(t)
		if n := strings.Count(strings.Join(w.asked, " "), "/broken.png"); n != 3 || sum.Fetched != 13 {
			t.Errorf("it was requested %d times, and %d pages were fetched", n, sum.Fetched)
		}
		if x := sum.Requisites; x.Known != 2 || x.Failed != 1 || x.Left() != 1 || sum.Why != whyUnreachable {
			t.Errorf("%+v; it ended by %s", x, sum.Why)
		}
		w.verifyClean(t)
	})
}

// A crawl that has all its pages waits for requisites at a host that does not answer as long as for
// pages, and not for ever.
func TestUnreachableRequisites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := map[string]http.HandlerFunc{
			"a.example":    byPath(map[string]http.HandlerFunc{"/": typed("text/html", "<title>a</title><p>some words<img src=//down.example:81/1.png><img src=/2.png>"), "/2.png": typed("image/png", "PNG")}),
			"down.example": typed("image/png", "PNG"),
		}
		w := newHandWeb(t, hosts, "http://a.example/")
		w.o.Config.Requisites, w.o.Config.Scope = true, config.ScopeSeeds
		dial := w.o.Machine.Dial
		w.o.Machine.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasSuffix(addr, ":81") {
				return nil, syscall.ECONNREFUSED
			}
			return dial(ctx, network, addr)
		}
		began := time.Now()
		sum := w.run(t)
		if took := time.Since(began); took > 2*time.Hour || sum.Why != whyUnreachable || sum.Fetched != 1 || sum.Requisites.Fetched != 1 {
			t.Errorf("it ended by %s after %v with %+v", sum.Why, took, sum.Requisites)
		}
		w.verifyClean(t)
	})
}

// Requisites at hosts that cannot be reached do not keep a crawl going that has fetched its pages: it
// ends after two minutes and names the hosts, and the next run tries again. Pages at such hosts do.
func TestRequisitesUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		picture := typed("image/png", "\x89PNG\r\n")
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example":    byPath(map[string]http.HandlerFunc{"/": typed("text/html", `<title>a</title><p>some words <img src=//dead.example/a.png><img src=//none.example/b.png>`)}),
			"dead.example": picture,
		}, "http://a.example/")
		w.o.Config.Requisites, w.o.Machine.Resolve = true, w.separate
		dead := true
		w.cutOff(func(addr string) bool { return dead && strings.HasPrefix(addr, publicAddr(2).String()+":") })
		began := time.Now()
		sum := w.run(t)
		if took := time.Since(began); sum.Why != whyUnreachable || sum.Fetched != 1 || sum.Requisites.Left() != 2 || took > 4*time.Minute {
			t.Errorf("why=%s fetched=%d, %+v after %v", sum.Why, sum.Fetched, sum.Requisites, took)
		}
		var sites []string
		for _, d := range sum.Unreachable {
			sites = append(sites, d.Site)
		}
		if !slices.Equal(sites, []string{"http://dead.example", "http://none.example"}) {
			t.Errorf("unreachable: %q", sites)
		}
		dead, w.hosts["none.example"] = false, picture
		if sum = w.run(t); sum.Why != whyFinished || sum.Requisites.Fetched != 2 {
			t.Errorf("again: why=%s %+v", sum.Why, sum.Requisites)
		}
		w.verifyClean(t)

		dead, w.disk = true, memoryDisk{}
		w.o.Machine.Disk, w.o.Seeds = w.disk.open, append(w.o.Seeds, "http://dead.example/")
		began = time.Now()
		if sum = w.run(t); sum.Why != whyUnreachable || time.Since(began) < w.o.Config.Patience.Duration {
			t.Errorf("a page: why=%s after %v", sum.Why, time.Since(began))
		}
	})
}

// separate resolves each host to an address of its own.
func (w *handWeb) separate(_ context.Context, host string) (fetch.Names, error) {
	hosts := slices.Sorted(maps.Keys(w.hosts))
	i := slices.Index(hosts, host)
	if i < 0 {
		return fetch.Names{}, fetch.ErrNoName
	}
	return fetch.Names{Addrs: []netip.Addr{publicAddr(i + 1)}, TTL: time.Hour}, nil
}
