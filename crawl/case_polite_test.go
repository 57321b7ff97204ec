package crawl

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
)

// denyFile is a deny list with these lines.
func denyFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "deny.txt")
	writeDeny(t, name, lines...)
	return name
}

func writeDeny(t *testing.T, name string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Error(err)
	}
}

// editDeny replaces a deny list after some time. It returns the number of requests that
// servers had seen by then.
func (w *handWeb) editDeny(t *testing.T, after time.Duration, lines ...string) *int {
	before := new(int)
	w.o.Progress = func(s *history.Status) {
		if s.Ran > after && *before == 0 {
			writeDeny(t, w.o.Config.Deny, lines...)
			w.mu.Lock()
			*before = len(w.asked)
			w.mu.Unlock()
		}
	}
	return before
}

// indexed is a site with an index of sitemap files below /sm/, after these lines of its
// robots.txt.
func indexed(files int, rules string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			fmt.Fprintf(rw, "%s\nSitemap: http://%s/index.xml\n", rules, r.Host)
		case r.URL.Path == "/index.xml":
			fmt.Fprint(rw, "<sitemapindex>")
			for i := range files {
				fmt.Fprintf(rw, "<sitemap><loc>http://%s/sm/%d.xml</loc></sitemap>", r.Host, i)
			}
			fmt.Fprint(rw, "</sitemapindex>")
		case strings.HasPrefix(r.URL.Path, "/sm/"):
			fmt.Fprintf(rw, "<urlset><url><loc>http://%s/from%s</loc></url></urlset>", r.Host, r.URL.Path)
		case r.URL.Path == "/":
			ownPage(many(100, "x")...)(rw, r)
		default:
			ownPage()(rw, r)
		}
	}
}

// A host that is put on the deny list while the crawl runs is not asked for anything more,
// not for its sitemap files either.
func TestCaseDenySitemaps(t *testing.T) {
	list := denyFile(t)
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": indexed(300, "")}, "http://b.example/")
		w.o.Config.Deny = list
		before := w.editDeny(t, time.Minute, "b.example")
		w.run(t)
		if n := len(w.asked) - *before; *before == 0 || n > 6 { // the file is looked at every 5 s
			t.Errorf("%d requests before the denial, %d after it", *before, n)
		}
		clean(t, w.verify(t))
	})
}

// A directory that is put on the deny list while the crawl runs is skipped, and so are
// the sitemap files in it. The rest of the site is fetched.
func TestDenyPathOfSitemaps(t *testing.T) {
	list := denyFile(t)
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": indexed(300, "")}, "http://b.example/")
		w.o.Config.Deny = list
		before := w.editDeny(t, time.Minute, "b.example/sm/")
		w.run(t)
		if n := countOf(w.asked[*before:], "http://b.example/sm/"); *before == 0 || n > 3 {
			t.Errorf("%d denied files were asked for after %d requests", n, *before)
		}
		if n := countOf(w.asked, "http://b.example/x"); n != 100 {
			t.Errorf("%d of 100 pages came", n)
		}
		clean(t, w.verify(t))
		w.o.Config.Deny = denyFile(t, "b.example/index.xml") // and a resumed crawl still knows what is left
		w.run(t)
		clean(t, w.verify(t))
	})
}

// A site that forbids everything is asked for its robots.txt and for nothing else.
func TestCaseSitemapAgainstRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": indexed(300, "User-agent: *\nDisallow: /")}, "http://b.example/")
		w.run(t)
		if n := len(w.asked); n != 1 {
			t.Errorf("a site that forbids everything was asked %d times: %v", n, w.asked[:min(n, 3)])
		}
		clean(t, w.verify(t))
	})
}

// Sitemap files that the rules forbid are not asked for, those that they allow are. What is
// forbidden by a later robots.txt is withdrawn.
func TestSitemapRules(t *testing.T) {
	if testing.Short() {
		t.Skip("a day of virtual time")
	}
	synctest.Test(t, func(t *testing.T) {
		rules := "User-agent: *\nDisallow: /sm/1"
		began := time.Now()
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
			if time.Since(began) > 23*time.Hour {
				indexed(400, "User-agent: *\nDisallow: /sm/")(rw, r)
				return
			}
			indexed(400, rules)(rw, r)
		}}, "http://b.example/")
		w.o.Config.Delay, w.o.Config.Duration = config.Seconds(200), config.Seconds(26*3600) // 468 requests, half of them for files
		w.run(t)
		if n := countOf(w.asked, "http://b.example/sm/1"); n > 0 {
			t.Errorf("%d forbidden files were asked for", n)
		}
		n, of := countOf(w.asked, "http://b.example/sm/"), 400-111 // without 1, 1x and 1xx
		if n < of/3 || n > of-20 {
			t.Errorf("%d of %d allowed files were asked for, most of them before robots.txt changed", n, of)
		}
		if n, k := countOf(w.asked, "http://b.example/index.xml"), countOf(w.asked, "http://b.example/robots.txt"); n != 1 || k != 2 {
			t.Errorf("without --recrawl the sitemap was asked for %d times, robots.txt %d times", n, k)
		}
		clean(t, w.verify(t))
	})
}

// A denied host costs no question for its name and no robots.txt, be it a seed or linked.
func TestDeniedSiteCostsNothing(t *testing.T) {
	list := denyFile(t, "b.example", "c.example")
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": ownPage("http://c.example/x", "http://d.example/"), "d.example": ownPage(),
			"b.example": ownPage(), "c.example": ownPage(),
		}, "http://a.example/", "http://b.example/", "http://b.example/2")
		w.o.Config.Deny = list
		names := map[string]int{}
		resolve := w.o.Machine.Resolve
		w.o.Machine.Resolve = countNames(resolve, names)
		sum := w.run(t)
		if names["b.example"]+names["c.example"] > 0 || names["a.example"] != 1 || names["d.example"] != 1 {
			t.Errorf("names that were asked for: %v", names)
		}
		if n := countOf(w.asked, "http://b.example/") + countOf(w.asked, "http://c.example/"); n > 0 {
			t.Errorf("denied hosts were asked %d times: %v", n, w.asked)
		}
		if sum.Fetched != 2 || sum.Why != whyFinished {
			t.Errorf("%s with %d pages", sum.Why, sum.Fetched)
		}
		clean(t, w.verify(t))
	})
}

// A host that is denied while its address and its rules expire is not asked for them.
func TestDeniedSiteIsNotRefreshed(t *testing.T) {
	if testing.Short() {
		t.Skip("a day of virtual time")
	}
	list := denyFile(t)
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": ownPage("http://b.example/"), "b.example": ownPage()}, "http://a.example/")
		w.o.Config.Deny, w.o.Config.Recrawl, w.o.Config.Duration = list, config.Duration{Duration: 25 * time.Hour}, config.Duration{Duration: 26 * time.Hour}
		before := w.editDeny(t, time.Hour, "b.example")
		names := map[string]int{}
		w.o.Machine.Resolve = countNames(w.o.Machine.Resolve, names)
		w.run(t)
		if n := countOf(w.asked[*before:], "http://b.example/"); *before == 0 || n > 0 || names["b.example"] != 1 {
			t.Errorf("after the denial %d requests and %v names", n, names)
		}
		if n := countOf(w.asked[*before:], "http://a.example/"); n != 2 {
			t.Errorf("the other host was asked %d times", n)
		}
		clean(t, w.verify(t))
	})
}

// movedRobots is a site whose robots.txt is elsewhere.
func movedRobots(to string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.Redirect(rw, r, to, http.StatusFound)
			return
		}
		ownPage("/x")(rw, r)
	}
}

// A robots.txt that moves to a denied host is unavailable: that host is not asked, and the
// site, whose rules nobody knows, is not asked for pages.
func TestCaseDenyHop(t *testing.T) {
	list := denyFile(t, "b.example")
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": movedRobots("http://b.example/expensive?q=1"), "b.example": ownPage("/y"),
		}, "http://a.example/")
		w.o.Config.Deny = list
		names := map[string]int{}
		w.o.Machine.Resolve = countNames(w.o.Machine.Resolve, names)
		w.run(t)
		if n := countOf(w.asked, "http://b.example/"); n > 0 || names["b.example"] > 0 {
			t.Errorf("a host that is never to be asked was asked %d times, its name %d: %v", n, names["b.example"], w.asked)
		}
		if n := len(w.asked) - countOf(w.asked, "http://a.example/robots.txt"); n > 0 {
			t.Errorf("%d pages were asked for without rules", n)
		}
		clean(t, w.verify(t))
	})
}

// A robots.txt that waits to be asked for elsewhere is not, once that host is denied.
func TestDenyWaitingHop(t *testing.T) {
	list := denyFile(t)
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": movedRobots("http://b.example/rules.txt"),
			"b.example": func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					fmt.Fprint(rw, "User-agent: *\nCrawl-delay: 3600\n")
					return
				}
				ownPage("http://a.example/")(rw, r)
			},
		}, "http://b.example/")
		w.o.Config.Deny = list
		before := w.editDeny(t, 3602*time.Second, "b.example") // the hop waits for its turn then
		w.run(t)
		if n := countOf(w.asked[*before:], "http://b.example/"); *before == 0 || n > 0 {
			t.Errorf("%d requests to a denied host after %d requests: %v", n, *before, w.asked)
		}
		if n := countOf(w.asked, "http://a.example/robots.txt"); n < 2 {
			t.Errorf("the robots.txt that moved was asked for %d times", n)
		}
		clean(t, w.verify(t))
	})
}

// A robots.txt that cannot be read is no permission. An unknown coding of what is text is
// none.
func TestCaseRobotsCoding(t *testing.T) {
	const rules = "User-agent: *\nDisallow: /\n"
	long := strings.Repeat("# a long comment\n", 40_000)
	for _, c := range []struct{ name, coding, body string }{
		{"unknown", "compress", rules}, {"no coding at all", "ascii", rules},
		{"broken", "gzip", "\x1f\x8b\x08\x00broken"}, {"unknown and binary", "compress", "\x1f\x9d\x90\x00\x01\x02"},
		{"broken off", "", "cut"}, {"rules before the limit", "", rules + long},
		{"rules before the limit, packed", "gzip", gzipped(rules + long)},
		{"packed and broken off", "gzip", gzipped(rules)[:20]},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/robots.txt" {
					ownPage("/x")(rw, r)
					return
				}
				if c.coding != "" {
					rw.Header().Set("Content-Encoding", c.coding)
				}
				if c.body == "cut" {
					rw.Header().Set("Content-Length", "1000")
				}
				fmt.Fprint(rw, c.body)
			}}, "http://b.example/")
			w.run(t)
			if n := len(w.asked) - countOf(w.asked, "http://b.example/robots.txt"); n > 0 {
				t.Errorf("%s: %d pages were asked for: %v", c.name, n, w.asked)
			}
			clean(t, w.verify(t))
		})
	}
}

// Of a robots.txt that is too long, the line that the limit cuts is no rule.
func TestRobotsCutLine(t *testing.T) {
	const head, last = "User-agent: *\n", "Disallow: /"
	filler := strings.Repeat("#\n", 300_000)[:500<<10-len(head)-len(last)]
	filler = filler[:len(filler)-1] + "\n"
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				fmt.Fprint(rw, head+filler+last+"private/\n"+filler)
				return
			}
			ownPage("/x")(rw, r)
		}}, "http://b.example/")
		if sum := w.run(t); sum.Fetched != 2 {
			t.Errorf("%d pages came, want 2: half a rule forbade them", sum.Fetched)
		}
	})
}

// A sitemap file may be larger than a page, whether its length is announced or not.
func TestCaseLargeSitemap(t *testing.T) {
	if testing.Short() {
		t.Skip("22 MiB")
	}
	var b strings.Builder
	b.WriteString("<urlset>")
	listed := 0
	for ; b.Len() < 11<<20; listed++ {
		fmt.Fprintf(&b, "<url><loc>http://b.example/listed/%d</loc><x>%s</x></url>", listed, strings.Repeat("y", 2000))
	}
	b.WriteString("</urlset>")
	for _, announced := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/robots.txt":
					fmt.Fprint(rw, "Sitemap: /sitemap.xml")
				case "/sitemap.xml":
					if announced {
						rw.Header().Set("Content-Length", fmt.Sprint(b.Len()))
					}
					rw.Write([]byte(b.String()))
				default:
					ownPage()(rw, r)
				}
			}}, "http://b.example/")
			w.o.Config.Pages = 10
			if sum := w.run(t); sum.Known != int64(listed)+1 {
				t.Errorf("announced %t: %d pages are known of %d", announced, sum.Known, listed+1)
			}
		})
	}
}

// With --recrawl the sitemap is read again with robots.txt, and new pages are found.
func TestCaseSitemapOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("two days of virtual time")
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				fmt.Fprint(rw, "Sitemap: /sitemap.txt")
			case "/sitemap.txt":
				for i := range 1 + int(time.Since(began).Hours()/24) {
					fmt.Fprintf(rw, "http://b.example/news/%d\n", i)
				}
			default:
				ownPage()(rw, r)
			}
		}}, "http://b.example/")
		w.o.Config.Recrawl, w.o.Config.Duration = config.Duration{Duration: 12 * time.Hour}, config.Duration{Duration: 50 * time.Hour}
		sum := w.run(t)
		if n := countOf(w.asked, "http://b.example/sitemap.txt"); n != 3 || sum.Known != 4 {
			t.Errorf("two days: the sitemap was asked for %d times, %d pages are known", n, sum.Known)
		}
		clean(t, w.verify(t))
	})
}

// A name that leads to a metadata service or to a link-local address gets nowhere, even
// where private addresses may be asked.
func TestNeverByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": ownPage("http://meta.example/latest", "http://b.example/"), "meta.example": ownPage(), "b.example": ownPage()}, "http://a.example/")
		w.o.Config.AllowPrivate = true
		w.o.Machine.Resolve = func(_ context.Context, host string) (fetch.Names, error) {
			addr := map[string]string{"a.example": "10.0.0.1", "meta.example": "169.254.169.254", "b.example": "::ffff:0:10.0.0.1"}[host]
			return fetch.Names{Addrs: []netip.Addr{netip.MustParseAddr(addr)}, TTL: 24 * time.Hour}, nil
		}
		w.o.Config.Duration = config.Duration{Duration: time.Hour}
		if w.run(t); len(w.asked) < 2 || countOf(w.asked, "http://a.example/") != len(w.asked) {
			t.Errorf("asked for %v", w.asked)
		}
	})
}

// countNames counts the questions for each name.
func countNames(resolve func(context.Context, string) (fetch.Names, error), names map[string]int) func(context.Context, string) (fetch.Names, error) {
	var mu sync.Mutex
	return func(ctx context.Context, host string) (fetch.Names, error) {
		mu.Lock()
		names[host]++
		mu.Unlock()
		return resolve(ctx, host)
	}
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}
