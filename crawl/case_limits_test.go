package crawl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/content"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// sameState fails the test if the last snapshot of a crawl is not what its records make.
func (w *testWeb) sameState(t *testing.T) {
	t.Helper()
	if string(w.restored(t, w.disk[layout.SnapshotDir])) != string(w.restored(t, disk.NewMemory())) {
		t.Error("the snapshot is not what the records make")
	}
}

// resume changes the configuration and goes on.
func (w *testWeb) resume(t *testing.T, set func(*config.Config)) *Summary {
	t.Helper()
	w.o.Seeds = nil
	set(&w.o.Config)
	return w.run(t)
}

// capOf is the limit with a key that left something out.
func capOf(sum *Summary, key string) state.Cap {
	for _, c := range sum.Caps {
		if c.Key == key {
			return c
		}
	}
	return state.Cap{}
}

// site answers with robots.txt, a sitemap and pages of their own words.
func site(robots string, sitemap []string, pages map[string][]string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		links, ok := pages[r.URL.RequestURI()]
		switch {
		case r.URL.Path == "/robots.txt" && robots != "":
			fmt.Fprint(rw, robots)
		case r.URL.Path == "/sitemap.txt":
			for _, u := range sitemap {
				fmt.Fprintf(rw, "http://%s%s\n", r.Host, u)
			}
		case r.URL.Path == "/robots.txt" || pages != nil && !ok:
			http.NotFound(rw, r)
		default:
			ownPage(links...)(rw, r)
		}
	}
}

// chain are pages each of which links to the next, from "/" on.
func chain(n int, shape string) map[string][]string {
	pages, last := map[string][]string{}, "/"
	for i := range n {
		next := fmt.Sprintf(shape, i+1)
		pages[last] = []string{next}
		last = next
	}
	pages[last] = nil
	return pages
}

// --max-depth 0 is the seeds, whatever they link to and sitemaps list; without a limit a
// chain of 300 pages is fetched whole.
func TestCaseDepthZero(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		pages := chain(300, "/p/%d.html")
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": site("Sitemap: /sitemap.txt", []string{"/p/7.html", "/p/8.html"}, pages)}, "http://b.example/")
		w.o.Config.MaxDepth, w.o.Config.Traps = 0, false
		sum := w.run(t)
		if sum.Fetched != 1 || countOf(w.asked, "http://b.example/p/") > 0 || countOf(w.asked, "http://b.example/sitemap") > 0 {
			t.Errorf("--max-depth 0 fetched %d pages and asked for %v", sum.Fetched, w.asked)
		}
		if c := capOf(sum, "max_depth"); c.Left != 1 || c.Value != "0" {
			t.Errorf("limits %+v", sum.Caps)
		}
		w.sameState(t)
		sum = w.resume(t, func(c *config.Config) { c.MaxDepth = config.NoDepth })
		if sum.Fetched != 301 || sum.Caps != nil {
			t.Errorf("without a limit %d pages of 301; %+v", sum.Fetched, sum.Caps)
		}
	})
}

// A detourWeb is a chain of pages over three sites with some short cuts: an order that
// takes other pages than the nearest first finds most of them by a detour.
type detourWeb struct {
	*handWeb
	root *disk.Memory
	out  [][]int
}

func newDetourWeb(t *testing.T, pages int, seed uint64) *detourWeb {
	d := &detourWeb{out: make([][]int, pages), root: disk.NewMemory()}
	rng := rand.New(rand.NewPCG(seed, 3))
	for p := range d.out {
		if d.out[p] = nil; p+1 < pages {
			d.out[p] = []int{p + 1}
		}
		for range rng.IntN(3) {
			d.out[p] = append(d.out[p], rng.IntN(min(pages, p+30)))
		}
		rng.Shuffle(len(d.out[p]), func(i, j int) { d.out[p][i], d.out[p][j] = d.out[p][j], d.out[p][i] })
	}
	answer := func(rw http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil || n >= pages {
			http.NotFound(rw, r)
			return
		}
		var links []string
		for _, q := range d.out[n] {
			links = append(links, d.url(q))
		}
		ownPage(links...)(rw, r)
	}
	d.handWeb = newHandWeb(t, map[string]http.HandlerFunc{"s0.example": answer, "s1.example": answer, "s2.example": answer}, d.url(0))
	d.o.Machine.Disk = func(name string) (disk.Dir, error) { return d.root.Sub(name), nil }
	c := &d.o.Config
	c.Traps, c.Delay, c.DelayFactor, c.IPDelay, c.Batch = false, config.Duration{Duration: 10 * time.Millisecond}, 0, config.Duration{}, 20
	return d
}

func (d *detourWeb) url(p int) string { return fmt.Sprintf("http://s%d.example/%d", p%3, p) }

// within are the pages at most so many links away from the first.
func (d *detourWeb) within(depth int) (urls []string) {
	far := map[int]int{0: 0}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		for _, q := range d.out[queue[0]] {
			if _, known := far[q]; !known && far[queue[0]] < depth {
				far[q] = far[queue[0]] + 1
				queue = append(queue, q)
			}
		}
	}
	for p := range far {
		urls = append(urls, d.url(p))
	}
	slices.Sort(urls)
	return urls
}

// live crawls to the end of the limit with crashes in between, and holds what was asked
// for against the pages within it.
func (d *detourWeb) live(t *testing.T, depth int, rng *rand.Rand) {
	t.Helper()
	d.o.Config.MaxDepth = config.Depth(depth)
	for range 3 {
		d.root.Stop(10 + rng.IntN(60))
		if _, err := Run(t.Context(), d.o); err == nil {
			break
		}
		if d.root = d.root.Kill(); rng.IntN(3) == 0 {
			for _, e := range first(d.root.Sub(layout.SnapshotDir).List()) {
				d.root.Sub(layout.SnapshotDir).Remove(e.Name)
			}
		}
	}
	d.root.Stop(-1)
	if sum := d.run(t); sum.Why != whyFinished {
		t.Errorf("it ended because of %s", sum.Why)
	}
	got := slices.DeleteFunc(slices.Clone(d.asked), func(u string) bool { return strings.HasSuffix(u, "/robots.txt") })
	slices.Sort(got)
	if got, want := slices.Compact(got), d.within(depth); !slices.Equal(got, want) {
		t.Errorf("%s with depth %d: %d pages, want %d", d.o.Config.Policy, depth, len(got), len(want))
	}
	for _, part := range []string{layout.JournalDir, layout.SnapshotDir} {
		d.disk[part] = d.root.Sub(part)
	}
	d.sameState(t)
}

// first is the first of two values, for tests in which the second is no error.
func first[T any](v T, _ error) T { return v }

// Whatever the order of the pages, a limit of depth leaves the pages within it and no
// others: depth is counted on the shortest way. It is so when the crawl is killed again and
// again, when its state comes from records alone, and when the limit is raised.
func TestCaseDepthExact(t *testing.T) {
	long(t)
	direct, behind := 0, 0 // pages that were refused at first: linked by a nearer page, or behind one
	for i, name := range livePolicies() {
		if testing.Short() && i%5 != 0 {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			d := newDetourWeb(t, 150, uint64(i))
			d.o.Config.Policy = name
			rng := rand.New(rand.NewPCG(uint64(i), 4))
			for _, depth := range []int{4, 7} {
				d.live(t, depth, rng)
				d.o.Seeds = nil
			}
			before := event.Session
			_, err := journal.Read(d.root.Sub(layout.JournalDir), 0, func(r *journal.Record) error {
				switch e := &r.Event; {
				case e.Kind == event.Done:
					direct += len(e.Admit)
				case e.Kind == event.Admitted && before == event.Done: // not at the start of a session
					behind += len(e.Admit)
				}
				before = r.Event.Kind
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	if !testing.Short() && direct+behind < 3 { // which depends on where it was killed
		t.Errorf("%d and %d pages were admitted after they had been refused: that is no test", direct, behind)
	}
}

// A page that came by a long way turns out to be near, and a page behind it that was
// refused is admitted.
func TestDepthBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"fast.example": site("", nil, map[string][]string{"/": {"http://slow.example/near", "/1"}, "/1": {"/2"}, "/2": {"/3"}, "/3": {"/4"}, "/4": {"/5"}, "/5": nil}),
			"slow.example": func(rw http.ResponseWriter, r *http.Request) {
				time.Sleep(15 * time.Second)
				site("", nil, map[string][]string{"/near": {"http://fast.example/3"}})(rw, r)
			},
		}, "http://fast.example/")
		w.o.Config.MaxDepth = 3
		sum := w.run(t)
		// 3 is two links away by way of near, so 4 is three and 5 is four.
		if sum.Fetched != 6 || countOf(w.asked, "http://fast.example/4") != 1 || countOf(w.asked, "http://fast.example/5") != 0 {
			t.Errorf("%d pages: %v", sum.Fetched, w.asked)
		}
		w.sameState(t)
	})
}

// A sitemap makes the pages that it lists starting points, also those that were found far
// away before: refused ones, and ones that came.
func TestDepthListed(t *testing.T) {
	for depth, want := range map[config.Depth]int64{2: 6, 3: 8, 4: 9, 5: 10} { // 0 to depth, and from 4 on as many more
		synctest.Test(t, func(t *testing.T) {
			pages := chain(30, "/p/%d.html")
			w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": site("Sitemap: /index0.xml", []string{"/p/4.html"}, pages)}, "http://b.example/")
			h := w.hosts["b.example"]
			w.hosts["b.example"] = func(rw http.ResponseWriter, r *http.Request) {
				var n int
				if _, err := fmt.Sscanf(r.URL.Path, "/index%d.xml", &n); err != nil {
					h(rw, r)
					return
				}
				next := fmt.Sprintf("/index%d.xml", n+1) // one after the other, and pages in between
				if n == 10 {
					next = "/sitemap.txt"
				}
				fmt.Fprintf(rw, "<sitemapindex><sitemap><loc>http://b.example%s</loc></sitemap></sitemapindex>", next)
			}
			w.o.Config.MaxDepth = depth
			if sum := w.run(t); sum.Fetched != want {
				t.Errorf("with depth %d %d pages came, want %d: %v", depth, sum.Fetched, want, w.asked)
			}
			w.sameState(t)
		})
	}
}

// Limits of single sites, and of dynamic pages, are told apart from those of all.
func TestCapsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links := slices.Concat(many(9, "x"), []string{"/q?a=1"})
		hosts := map[string]http.HandlerFunc{}
		for _, name := range []string{"a.example", "b.example", "c.example"} {
			hosts[name] = func(rw http.ResponseWriter, r *http.Request) {
				switch r.URL.RequestURI() {
				case "/robots.txt":
					http.NotFound(rw, r)
				case "/":
					ownPage(links...)(rw, r)
				case "/x/0":
					ownPage("/y/0", "/q?b=1")(rw, r)
				default:
					ownPage()(rw, r)
				}
			}
		}
		w := newHandWeb(t, hosts, "http://a.example/", "http://b.example/", "http://c.example/")
		c := &w.o.Config
		c.MaxDepth, c.MaxDepthDynamic, c.SitePages, c.Site = 1, 0, 8, []config.Override{{Match: "b.example", MaxPages: 5}, {Match: "c.example", MaxPages: 100}}
		sum := w.run(t)
		var got []string
		for _, x := range sum.Caps {
			got = append(got, fmt.Sprint(x.Key, " ", x.Value, " ", x.Left, " ", len(x.Where)))
		}
		// Of a 7 pages beside the first, of b 4, of c 9; one dynamic page each, and behind /x/0 two.
		if want := "[site_pages 8 2 1 max_depth 1 6 0 site.max_pages  5 1 max_depth_dynamic 0 3 0]"; fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	})
}

// What is excluded later holds for all pages but seeds, also for those that a sitemap
// lists; the deny list holds for seeds, too.
func TestCaseExcludeListed(t *testing.T) {
	deny := filepath.Join(t.TempDir(), "deny.txt")
	if err := os.WriteFile(deny, []byte("c.example\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		seeds := []string{"http://b.example/", "http://b.example/private/seed", "http://c.example/"}
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"b.example": site("Sitemap: /sitemap.txt", many(40, "private"), nil),
			"c.example": site("", nil, nil),
		}, seeds...)
		w.hosts["b.example"] = func(h http.HandlerFunc) http.HandlerFunc {
			return func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/" {
					ownPage(many(10, "linked")...)(rw, r)
					return
				}
				h(rw, r)
			}
		}(w.hosts["b.example"])
		w.o.Config.Pages = 3
		w.run(t)
		n := len(w.asked)
		w.o.Config.Seeds = seeds
		w.resume(t, func(c *config.Config) { c.Pages, c.Exclude, c.Deny = 0, []string{"/private/", "/linked/"}, deny })
		for _, u := range w.asked[n:] {
			if u != "http://b.example/private/seed" && u != "http://b.example/robots.txt" && u != "http://b.example/sitemap.txt" && u != "http://b.example/" {
				t.Errorf("%s was asked for", u)
			}
		}
		if countOf(w.asked, "http://b.example/private/seed") != 1 {
			t.Errorf("the seed that is excluded was not asked for: %v", w.asked)
		}
		w.sameState(t)
	})
}

// A page that becomes a seed later is one: nothing but the deny list speaks against it.
func TestSeedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": site("", nil, chain(3, "/private/%d"))}, "http://b.example/")
		w.o.Config.Exclude = []string{"/private/"}
		w.run(t)
		if n := countOf(w.asked, "http://b.example/private/"); n != 0 {
			t.Errorf("%d excluded pages", n)
		}
		w.o.Seeds, w.o.AddSeeds = []string{"http://b.example/private/1"}, true
		w.run(t)
		if n := countOf(w.asked, "http://b.example/private/"); n != 1 {
			t.Errorf("%d pages of %v after one of them was made a seed", n, w.asked)
		}
		w.o.AddSeeds = false
		w.run(t) // it is a seed of the crawl
		w.sameState(t)
	})
}

// Rules and deny lists that were edited between two sessions hold as they are now.
func TestCaseRulesEdited(t *testing.T) {
	dir := t.TempDir()
	rules, deny := filepath.Join(dir, "rules.txt"), filepath.Join(dir, "deny.txt")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(rules, "deny a.example/private/\n")
	write(deny, "b.example\n")
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": linksTo("/private/1", "/public", "http://b.example/"), "b.example": linksTo("/x"),
		}, "http://a.example/")
		w.o.Config.Rules, w.o.Config.Deny, w.o.Config.Seeds = rules, deny, []string{"http://a.example/"}
		w.run(t)
		w.resume(t, func(*config.Config) {})
		if n := countOf(w.asked, "http://a.example/private/") + countOf(w.asked, "http://b.example/"); n != 0 {
			t.Errorf("%d requests against the rules", n)
		}
		write(rules, "allow a.example\n")
		write(deny, "c.example\n")
		sum := w.resume(t, func(*config.Config) {})
		if countOf(w.asked, "http://a.example/private/") != 1 || countOf(w.asked, "http://b.example/x") != 1 {
			t.Errorf("pages that the edited files allow were not asked for; %d refused, %v", sum.Refused, w.asked)
		}
		write(rules, "deny a.example/public\n")
		w.sameState(t)
	})
}

// --pages counts pages: neither the visits of --recrawl nor redirects.
func TestCaseRecrawlPages(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 60, 6, answer.Options{})
		w.o.Config.Pages, w.o.Config.Recrawl = 100, config.Duration{Duration: time.Hour}
		w.o.Config.Duration = config.Duration{Duration: 12 * time.Hour}
		if sum := w.run(t); sum.Why != whyDuration || sum.Fetched != 60 || sum.Requests < 500 {
			t.Errorf("--pages 100 stopped the crawl for %s at %d pages and %d requests", sum.Why, sum.Fetched, sum.Requests)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/robots.txt":
				http.NotFound(rw, r)
			case strings.HasPrefix(r.URL.Path, "/old/"):
				http.Redirect(rw, r, strings.Replace(r.URL.Path, "old", "new", 1), http.StatusMovedPermanently)
			case r.URL.Path == "/":
				ownPage(many(30, "old")...)(rw, r)
			default:
				ownPage()(rw, r)
			}
		}}, "http://b.example/")
		w.o.Config.Pages = 20
		sum := w.run(t)
		if sum.Why != whyPages || sum.Fetched-sum.Redirects != 20 || sum.Redirects < 19 {
			t.Errorf("%s at %d pages, %d of them redirects", sum.Why, sum.Fetched, sum.Redirects)
		}
		if sum = w.resume(t, func(c *config.Config) { c.Pages = 25 }); sum.Fetched-sum.Redirects != 25 {
			t.Errorf("resumed: %d pages, %d of them redirects", sum.Fetched, sum.Redirects)
		}
		w.sameState(t)
	})
}

// Sites that wait two seconds anyway are no reason to commit more often than --commit
// says.
func TestCaseCommits(t *testing.T) {
	long(t)
	for _, sites := range []int{20, 800} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestWeb(t, 3*max(sites, 200), sites, answer.Options{MinLatency: 10 * time.Millisecond, MaxLatency: 200 * time.Millisecond})
			w.o.Config.Duration = config.Duration{Duration: 20 * time.Second}
			sum := w.run(t)
			if most := int64(sum.Ran/w.o.Config.Commit.Duration)*11/10 + 5; sum.Commits > most {
				t.Errorf("%d sites: %d requests in %v made %d commits, more than %d", sites, sum.Requests, sum.Ran, sum.Commits, most)
			}
		})
	}
}

// The same where some 400 requests are made in a second; and a crawl without a delay does
// not wait for commits.
func TestCaseDenseCommits(t *testing.T) {
	long(t)
	hosts := map[string]http.HandlerFunc{}
	var seeds []string
	for i := range 800 {
		name := fmt.Sprintf("s%d.example", i)
		hosts[name] = func(rw http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Duration(r.Host[1]*7+r.Host[2]*3)*time.Millisecond + time.Duration(len(r.URL.Path))*time.Millisecond)
			switch r.URL.Path {
			case "/robots.txt":
				http.NotFound(rw, r)
			case "/":
				ownPage(many(20, "x")...)(rw, r)
			default:
				ownPage()(rw, r)
			}
		}
		seeds = append(seeds, "http://"+name+"/")
	}
	for _, delay := range []time.Duration{2 * time.Second, 0} {
		synctest.Test(t, func(t *testing.T) {
			w := newHandWeb(t, hosts, seeds...)
			c := &w.o.Config
			c.Delay, c.DelayFactor, c.Duration = config.Duration{Duration: delay}, 0, config.Duration{Duration: 10 * time.Second}
			if delay == 0 {
				w.o.Seeds, c.IPDelay = w.o.Seeds[:1], config.Duration{}
			}
			w.o.Machine.Resolve = func(_ context.Context, host string) (fetch.Names, error) {
				n := 0
				fmt.Sscanf(host, "s%d.example", &n)
				return fetch.Names{Addrs: []netip.Addr{publicAddr(n + 1)}, TTL: 24 * time.Hour}, nil
			}
			sum := w.run(t)
			if most := int64(sum.Ran/c.Commit.Duration)*11/10 + 5; delay > 0 && (sum.Commits > most || sum.Requests < 2000) {
				t.Errorf("%d requests in %v made %d commits, more than %d", sum.Requests, sum.Ran, sum.Commits, most)
			}
			if delay == 0 && sum.Requests < 18 { // of half a second each
				t.Errorf("without a delay %d requests were made in %v", sum.Requests, sum.Ran)
			}
		})
	}
}

// A wiki whose pages have the names of files is fetched whole. A site whose files are files
// costs a few requests, whatever their number, and of their bodies next to nothing.
func TestCaseTypesLearned(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		var wiki, files []string
		for i := range 8 {
			wiki = append(wiki, fmt.Sprintf("/wiki/Node%d.js", i), fmt.Sprintf("/wiki/Main%d.c", i), fmt.Sprintf("/wiki/Readme%d.txt", i))
		}
		for i := range 200 {
			files = append(files, fmt.Sprintf("/src/%d/x%d.js", i/20, i), fmt.Sprintf("/paper%d.pdf", i))
		}
		sent := 0
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"wiki.example": site("", nil, map[string][]string{"/": wiki}),
			"b.example": func(rw http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/robots.txt":
					http.NotFound(rw, r)
				case r.URL.Path == "/":
					ownPage(slices.Concat(files, []string{"/docs/a.js", "/docs/b.js"})...)(rw, r)
				case strings.HasPrefix(r.URL.Path, "/docs/"):
					ownPage()(rw, r)
				default:
					rw.Header().Set("Content-Type", "text/javascript")
					for range 20 {
						n, err := rw.Write(make([]byte, 20_000))
						if sent += n; err != nil {
							return
						}
					}
				}
			},
		}, "http://wiki.example/", "http://b.example/")
		w.hosts["wiki.example"] = func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				ownPage(wiki...)(rw, r)
				return
			}
			ownPage()(rw, r)
		}
		sum := w.run(t)
		if n := countOf(w.asked, "http://wiki.example/wiki/"); n != 24 {
			t.Errorf("%d of 24 pages of the wiki", n)
		}
		if n := countOf(w.asked, "http://b.example/src/"); n < 3 || n > 2*content.KindSiteTries {
			t.Errorf("%d scripts were asked for", n)
		}
		if n := countOf(w.asked, "http://b.example/paper"); n > 0 {
			t.Errorf("%d papers were asked for", n)
		}
		if sent > 2_000_000 {
			t.Errorf("%d bytes of scripts were read", sent)
		}
		if sum.RefusedBy[event.BarType.String()] < 350 {
			t.Errorf("%d pages were refused for their type", sum.RefusedBy[event.BarType.String()])
		}
		w.sameState(t)
		if sum = w.resume(t, func(c *config.Config) { c.Types = config.TypesAll }); sum.RefusedBy[event.BarType.String()] != 0 || countOf(w.asked, "http://b.example/paper") != 200 {
			t.Errorf("with --types all %d pages are refused for their type", sum.RefusedBy[event.BarType.String()])
		}
	})
}

// A limit of pages per site says what it left out, counts only what is asked for, and when
// it is raised the rest comes.
func TestCaseSiteCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"b.example": site("User-agent: *\nDisallow: /no/\n", nil, map[string][]string{"/": slices.Concat(many(50, "no"), many(100, "yes"))}),
			"c.example": site("", nil, map[string][]string{"/": many(5, "x")}),
		}, "http://b.example/", "http://c.example/")
		for _, u := range slices.Concat(many(100, "yes"), many(50, "no"), many(5, "x")) {
			w.hosts["b.example"] = withPage(w.hosts["b.example"], u)
			w.hosts["c.example"] = withPage(w.hosts["c.example"], u)
		}
		w.o.Config.SitePages = 30
		sum := w.run(t)
		if n := countOf(w.asked, "http://b.example/yes/"); n != 29 {
			t.Errorf("%d pages of 29 beside the first", n)
		}
		c := capOf(sum, "site_pages")
		if sum.Why != whyFinished || c.Value != "30" || c.Left < 71 || len(c.Where) != 1 || c.Where[0].Name != "http://b.example" || c.Where[0].Left != c.Left {
			t.Errorf("%s, %+v", sum.Why, sum.Caps)
		}
		w.sameState(t)
		raise := config.Config{}
		k, _ := raise.Key("site_pages")
		if err := k.Set(c.Raise); err != nil || raise.SitePages < 101 {
			t.Errorf("raise to %q (%v)", c.Raise, err)
		}
		sum = w.resume(t, func(c *config.Config) { c.SitePages = raise.SitePages })
		if n := countOf(w.asked, "http://b.example/yes/"); n != 100 || len(sum.Caps) != 0 {
			t.Errorf("%d pages of 100 after it was raised; %+v", n, sum.Caps)
		}
		w.sameState(t)
	})
}

// withPage adds a page of its own words to a site.
func withPage(h http.HandlerFunc, uri string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.RequestURI() == uri {
			ownPage()(rw, r)
			return
		}
		h(rw, r)
	}
}

// A page with more links than it may have is told, and fetched again when it may have more.
func TestCaseMaxLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": site("", nil, nil)}, "http://b.example/")
		list := slices.Concat(many(60, "x"), []string{"/x/1#a", "/x/2#b"})
		w.hosts["b.example"] = func(rw http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				http.NotFound(rw, r)
			case "/":
				ownPage(list...)(rw, r)
			default:
				ownPage("/")(rw, r)
			}
		}
		w.o.Config.MaxLinks = 25
		sum := w.run(t)
		if c := capOf(sum, "max_links"); sum.Fetched != 26 || c.Left != 35 || c.What != "links" || c.Raise != "60" {
			t.Errorf("%d pages, %+v", sum.Fetched, sum.Caps)
		}
		w.sameState(t)
		sum = w.resume(t, func(c *config.Config) { c.MaxLinks = 60 })
		if sum.Fetched != 61 || len(sum.Caps) != 0 || countOf(w.asked, "http://b.example/x/") != 60 {
			t.Errorf("with more links %d pages, %+v", sum.Fetched, sum.Caps)
		}
		w.sameState(t)
	})
}

// A crawl that is resumed with --duplicates=false finds what lies behind pages that it had
// taken for copies.
func TestCaseDuplicatesOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
			var n int
			rw.Header().Set("Content-Type", "text/html")
			switch _, err := fmt.Sscanf(r.URL.Path, "/copy/%d", &n); {
			case r.URL.Path == "/robots.txt":
				http.NotFound(rw, r)
			case err == nil: // the same words, and the same link text
				fmt.Fprintf(rw, `<title>gallery</title><p>%s<a href="/photo/%d">next</a>`, ownWords("gallery"), n)
			case r.URL.Path == "/":
				ownPage(many(20, "copy")...)(rw, r)
			default:
				ownPage()(rw, r)
			}
		}}, "http://b.example/")
		w.o.Config.Traps = false
		first := w.run(t)
		again := w.resume(t, func(c *config.Config) { c.Duplicates = false })
		if n := countOf(w.asked, "http://b.example/photo/"); n != 20 {
			t.Errorf("%d of 20 pages behind copies; %d pages before, %d after", n, first.Fetched, again.Fetched)
		}
		w.sameState(t)
	})
}
