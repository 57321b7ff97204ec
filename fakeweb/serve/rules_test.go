package serve

import (
	"compress/gzip"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

func robotsOptions() answer.Options {
	return answer.Options{
		Agent: "winnow",
		Robots: answer.RobotsShares{
			Rules: 0.8, Forbid: 0.4, Delay: 0.3, Missing: 0.1, Broken: 0.05, Busy: 0.1, Moved: 0.2, Large: 0.05,
		},
	}
}

// robotsURL is where the robots.txt of a site is.
func robotsURL(s *Server, id graph.Site) string {
	return s.SiteTruth(id).Origin + "/robots.txt"
}

// fetchRobots does what a crawler does: ask, follow one redirect, read.
func fetchRobots(s *Server, id graph.Site) (rules robots.Rules, sitemaps []string) {
	for at, n := robotsURL(s, id), 0; n < 5; n++ {
		switch w := ask(s, at); {
		case w.Code == 200:
			f := robots.Parse(w.Body.Bytes())
			return f.For("winnow"), f.Sitemaps
		case w.Code == 302:
			at = w.Header().Get("Location")
		case w.Code == 404:
			return robots.Rules{}, nil
		}
	}
	return robots.DisallowAll(), nil
}

// TestRobotsTruth: what the crawler's own parser makes of each robots.txt is what the
// truth says.
func TestRobotsTruth(t *testing.T) {
	s := mustServe(t, fakeweb.Spec{Pages: 8000, Sites: 150, Links: 0, Seed: 5}, robotsOptions())
	forbidden, delays, seen := 0, 0, map[string]int{}
	for id := range graph.Site(150) {
		rules, _ := fetchRobots(s, id)
		truth := s.SiteTruth(id)
		seen[truth.Robots]++
		if truth.Robots != "broken" && s.SiteTruth(truth.RobotsOf).Robots != "broken" && rules.Delay() != truth.CrawlDelay {
			t.Errorf("site %d: Crawl-delay %v, want %v", id, rules.Delay(), truth.CrawlDelay)
		}
		if truth.CrawlDelay > 0 {
			delays++
		}
		for p := s.Web().Home(id); p < s.Web().Home(id)+graph.Page(s.Web().Size(id)); p++ {
			u, err := url.Parse(s.URL(p))
			if err != nil {
				t.Fatal(err)
			}
			want := s.Truth(p).Forbidden
			if v := rules.Test(u.Path); v.Allowed == want {
				t.Fatalf("site %d (%+v): %s: %+v, forbidden by the truth: %v", id, truth, u, v, want)
			}
			if want {
				forbidden++
			}
		}
	}
	if len(seen) != 5 || delays < 20 || forbidden < 1000 || forbidden > 4000 {
		t.Errorf("robots.txt %v, %d delays, %d pages forbidden", seen, delays, forbidden)
	}
}

func TestLargeRobots(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Robots: answer.RobotsShares{Rules: 1, Large: 1}})
	b := ask(s, robotsURL(s, 0)).Body.Bytes()
	if len(b) != 600_000 {
		t.Errorf("%d bytes, want 600,000", len(b))
	}
	if at := strings.Index(string(b), "User-agent"); at < 400_000 || at > 500<<10 {
		t.Errorf("rules at byte %d", at)
	}
}

// TestPlainRobots: without options everything is allowed.
func TestPlainRobots(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{})
	if got := ask(s, robotsURL(s, 3)).Body.String(); got != "User-agent: *\nDisallow:\n" {
		t.Errorf("robots.txt is %q", got)
	}
}

// sitemapFile requests a file of a sitemap.
func sitemapFile(t *testing.T, s *Server, at string) io.Reader {
	t.Helper()
	w := ask(s, at)
	if w.Code != 200 {
		t.Fatalf("%s: %d", at, w.Code)
	}
	if !strings.HasSuffix(at, ".gz") {
		return w.Body
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// sitemapURLs reads a sitemap, index and all.
func sitemapURLs(t *testing.T, s *Server, at string) (urls []string) {
	t.Helper()
	var m struct {
		XMLName xml.Name
		Maps    []string `xml:"sitemap>loc"`
		URLs    []string `xml:"url>loc"`
	}
	if err := xml.NewDecoder(sitemapFile(t, s, at)).Decode(&m); err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	for _, file := range m.Maps {
		urls = append(urls, sitemapURLs(t, s, file)...)
	}
	return append(urls, m.URLs...)
}

// TestPriorities: sitemaps have the priorities of their kind, and none unless they are asked for.
func TestPriorities(t *testing.T) {
	rank := func(p graph.Page) float64 { return float64(p%11) / 10 }
	for name, test := range map[string]struct {
		shares answer.PriorityShares
		want   func(s *Server, p graph.Page, priority string) bool
	}{
		"none":   {answer.PriorityShares{}, func(_ *Server, _ graph.Page, v string) bool { return v == "" }},
		"flat":   {answer.PriorityShares{Flat: 1}, func(_ *Server, _ graph.Page, v string) bool { return v == "0.5" }},
		"ranked": {answer.PriorityShares{Ranked: 1, Rank: rank}, func(_ *Server, p graph.Page, v string) bool { return v == fmt.Sprintf("%.1f", rank(p)) }},
		"typed":  {answer.PriorityShares{Typed: 1}, isTyped},
	} {
		s := mustServe(t, fakeweb.Spec{Pages: 300, Sites: 3, Links: 0, Seed: 3}, answer.Options{Sitemaps: 1, Priorities: test.shares})
		for id := range graph.Site(3) {
			_, files := fetchRobots(s, id)
			for u, v := range priorities(t, s, files[0]) {
				if p, ok := s.Page(u); !ok || !test.want(s, p, v) {
					t.Errorf("%s: %s has the priority %q", name, u, v)
				}
			}
		}
	}
	s := mustServe(t, fakeweb.Spec{Pages: 300, Sites: 1, Links: 0, Seed: 3}, answer.Options{Sitemaps: 1, Priorities: answer.PriorityShares{False: 1}})
	_, files := fetchRobots(s, 0)
	seen := map[string]int{}
	for _, v := range priorities(t, s, files[0]) {
		seen[v]++
	}
	if len(seen) != 11 || seen["0.3"] < 10 || seen["1.0"] < 3 {
		t.Errorf("at random: %v", seen)
	}
}

// isTyped reports whether a priority is that of the kind of its page.
func isTyped(s *Server, p graph.Page, v string) bool {
	site, j := s.Web().Locate(p)
	d, k := site.Place(j)
	switch {
	case d < 0:
		return v == "1.0"
	case k == 0:
		return v == "0.8"
	}
	return v == "0.5"
}

// priorities reads the priorities of a sitemap file.
func priorities(t *testing.T, s *Server, at string) map[string]string {
	t.Helper()
	var m struct {
		URLs []struct {
			Loc      string `xml:"loc"`
			Priority string `xml:"priority"`
		} `xml:"url"`
	}
	if err := xml.NewDecoder(sitemapFile(t, s, at)).Decode(&m); err != nil || len(m.URLs) == 0 {
		t.Fatalf("%s: %v", at, err)
	}
	list := map[string]string{}
	for _, u := range m.URLs {
		list[u.Loc] = u.Priority
	}
	return list
}

func TestSitemaps(t *testing.T) {
	o := answer.Options{Sitemaps: 0.7, SitemapShare: 0.6, SitemapURLs: 50}
	s := mustServe(t, fakeweb.Spec{Pages: 3000, Sites: 30, Links: 0, Seed: 3}, o)
	with := 0
	for id := range graph.Site(30) {
		_, files := fetchRobots(s, id)
		if (len(files) == 1) != (s.SiteTruth(id).Sitemap != "") {
			t.Fatalf("site %d: sitemaps %q, want %+v", id, files, s.SiteTruth(id))
		}
		var got []graph.Page
		for _, f := range files {
			with++
			for _, u := range sitemapURLs(t, s, f) {
				p, ok := s.Page(u)
				if !ok {
					t.Fatalf("site %d: sitemap has %s", id, u)
				}
				got = append(got, p)
			}
		}
		var want []graph.Page
		for p := s.Web().Home(id); p < s.Web().Home(id)+graph.Page(s.Web().Size(id)); p++ {
			if s.InSitemap(p) {
				want = append(want, p)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("site %d: sitemap has %v, want %v", id, got, want)
		}
	}
	if with < 10 || with > 28 {
		t.Errorf("%d sites with a sitemap", with)
	}
}

// crawlAll is a crawler in small: breadth-first over what is served, by the rules.
func crawlAll(t *testing.T, s *Server, l answer.Limits) (full, asked, refused []graph.Page) {
	t.Helper()
	depth := map[graph.Page]int{}
	ruled := map[graph.Site]*robots.Rules{}
	queue := slices.Clone(l.Seeds)
	for _, p := range queue {
		depth[p] = 0
	}
	for ; len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		id := s.Web().SiteOf(p)
		if ruled[id] == nil {
			rules, _ := fetchRobots(s, id)
			ruled[id] = &rules
		}
		base, err := url.Parse(s.URL(p))
		if err != nil {
			t.Fatal(err)
		}
		if !ruled[id].Test(base.Path).Allowed {
			refused = append(refused, p)
			continue
		}
		w := ask(s, s.URL(p))
		for n := 0; n < 3 && (w.Code == 0 || w.Code == 503 || w.Code == 429); n++ {
			w = ask(s, s.URL(p))
		}
		var links []string
		switch isHTML := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"); {
		case w.Code == 200 && isHTML:
			full = append(full, p)
			if nofollow := w.Header().Get("X-Robots-Tag") + w.Body.String()[:300]; !strings.Contains(nofollow, "nofollow") {
				links = hrefs(t, s.URL(p), w.Body)
			}
		case w.Code/100 == 3:
			to, err := base.Parse(w.Header().Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			links = []string{to.String()}
			fallthrough
		default:
			asked = append(asked, p)
		}
		for _, u := range links {
			q, ok := s.Page(u)
			if !ok {
				t.Fatalf("page %d links to %s", p, u)
			}
			if _, known := depth[q]; !known && (l.MaxDepth == 0 || depth[p] < l.MaxDepth) {
				depth[q] = depth[p] + 1
				queue = append(queue, q)
			}
		}
	}
	for _, set := range [][]graph.Page{full, asked, refused} {
		slices.Sort(set)
	}
	return full, asked, refused
}

// TestWanted: a crawl that goes by what is served finds what the truth calls wanted.
func TestWanted(t *testing.T) {
	o := answer.Mixed()
	o.DNS, o.HubsFail = answer.DNSShares{}, true
	o.NoFollow = 0.1
	for _, depth := range []int{0, 3} {
		s := mustServe(t, smallWeb, o)
		l := answer.Limits{Seeds: []graph.Page{0, s.Web().Home(7)}, MaxDepth: depth}
		full, asked, refused := crawlAll(t, s, l)
		w := s.Wanted(l)
		if !slices.Equal(full, w.Pages) || !slices.Equal(asked, w.Requested) || !slices.Equal(refused, w.Refused) || len(w.Lost) != 0 {
			t.Errorf("depth %d: crawled %d %d %d, wanted %d %d %d", depth, len(full), len(asked), len(refused), len(w.Pages), len(w.Requested), len(w.Refused))
		}
		if len(full) < 100 || len(asked) == 0 || len(refused) == 0 {
			t.Errorf("depth %d: %d wanted, %d asked, %d refused", depth, len(full), len(asked), len(refused))
		}
		// every request was for a page in the sets, each answered in full once
		if v := s.Counter().CheckWanted(w); len(v) > 0 {
			t.Errorf("%d violations, first %v", len(v), v[0])
		}
		for i, d := range w.Depth {
			if depth > 0 && int(d) > depth {
				t.Errorf("page %d has depth %d", i, d)
			}
		}
	}
}

func TestWantedLimits(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{})
	if w := s.Wanted(answer.Limits{}); len(w.Pages) != smallWeb.Pages {
		t.Errorf("%d pages wanted of a plain web", len(w.Pages))
	}
	own := func(id graph.Site) bool { return id == 5 }
	if w := s.Wanted(answer.Limits{Seeds: []graph.Page{s.Web().Home(5)}, Site: own}); len(w.Pages) != s.Web().Size(5) {
		t.Errorf("%d pages wanted of site 5, want %d", len(w.Pages), s.Web().Size(5))
	}
	if w := s.Wanted(answer.Limits{MaxBody: 10000}); len(w.Pages) == 0 || len(w.Requested) == 0 {
		t.Errorf("%d pages wanted, %d too large", len(w.Pages), len(w.Requested))
	}
	dead := mustServe(t, smallWeb, answer.Options{DNS: answer.DNSShares{Missing: 0.2, Failing: 0.2}})
	w := dead.Wanted(answer.Limits{Seeds: []graph.Page{0, s.Web().Home(1), s.Web().Home(2)}})
	for _, p := range w.Lost {
		if dead.SiteTruth(s.Web().SiteOf(p)).Reachable {
			t.Errorf("page %d is lost, its site is not", p)
		}
	}
	if len(w.Lost) == 0 || len(w.Pages) == 0 {
		t.Errorf("%d lost, %d wanted", len(w.Lost), len(w.Pages))
	}
	maps := mustServe(t, smallWeb, answer.Options{Sitemaps: 1})
	near := maps.Wanted(answer.Limits{MaxDepth: 1, Sitemaps: true})
	if far := maps.Wanted(answer.Limits{MaxDepth: 1}); len(near.Pages) <= len(far.Pages) {
		t.Errorf("%d pages within one link with sitemaps, %d without", len(near.Pages), len(far.Pages))
	}
}

// TestChanges: changes are a Poisson process of the rate that the truth says (S15), and
// versions differ in text, ETag and date but not in links.
func TestChanges(t *testing.T) {
	now := time.Duration(0)
	day := 24 * time.Hour
	o := answer.Options{Changes: answer.Changes{Clock: func() time.Duration { return now }, Min: day, Max: 30 * day}}
	s := mustServe(t, smallWeb, o)
	var want, got, squares float64
	for p := range graph.Page(smallWeb.Pages) {
		mean := float64(300*day) / float64(s.ChangeInterval(p))
		n, since := s.Version(p, 300*day)
		if before, _ := s.Version(p, since-1); n > 0 && before != n-1 {
			t.Fatalf("page %d: version %d since %v, %d just before", p, n, since, before)
		}
		want, got = want+mean, got+float64(n)
		squares += (float64(n) - mean) * (float64(n) - mean)
	}
	// Sums of Poisson numbers are Poisson: standard deviation sqrt(want), and the squares
	// sum up to want, too, give or take a few percent.
	if math.Abs(got-want) > 4*math.Sqrt(want) || squares < 0.8*want || squares > 1.2*want {
		t.Errorf("%v changes, want %v; squares %v", got, want, squares)
	}
	const p = 9
	first := ask(s, s.URL(p))
	tag, date := first.Header().Get("Etag"), first.Header().Get("Last-Modified")
	for _, header := range [][]string{{"If-None-Match", tag}, {"If-None-Match", `"x", W/` + tag}, {"If-Modified-Since", date}, {"If-None-Match", "*"}} {
		if w := ask(s, s.URL(p), header...); w.Code != 304 || w.Body.Len() != 0 {
			t.Errorf("%v: %d with %d bytes", header, w.Code, w.Body.Len())
		}
	}
	now = 60 * day
	if w := ask(s, s.URL(p), "If-None-Match", tag); w.Code != 200 || w.Header().Get("Etag") == tag ||
		w.Body.String() == first.Body.String() || !slices.Equal(hrefs(t, s.URL(p), w.Body), hrefs(t, s.URL(p), first.Body)) {
		t.Errorf("after 60 days: %d %v", w.Code, w.Header())
	}
	if w := ask(s, s.URL(p), "If-Modified-Since", date); w.Code != 200 {
		t.Errorf("after 60 days by date: %d", w.Code)
	}
	bare := mustServe(t, smallWeb, answer.Options{NoValidators: 1})
	if w := ask(bare, s.URL(p), "If-None-Match", "*"); w.Code != 200 || w.Header().Get("Last-Modified") != "" {
		t.Errorf("without validators: %d %v", w.Code, w.Header())
	}
}

// TestTags: nofollow and noarchive are said, in the header or in the page.
func TestTags(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{NoFollow: 0.3, NoArchive: 0.3})
	places := map[string]int{}
	for p := range graph.Page(300) {
		e, w := s.Truth(p), ask(s, s.URL(p))
		head, meta := w.Header().Get("X-Robots-Tag"), strings.Contains(w.Body.String(), `name="robots"`)
		said := head
		if meta {
			said += w.Body.String()[:300]
			places["meta"]++
		} else if head != "" {
			places["header"]++
		}
		if strings.Contains(said, "nofollow") != e.NoFollow || strings.Contains(said, "noarchive") != e.NoArchive || head != "" && meta {
			t.Errorf("page %d: says %.200q, want %+v", p, said, e)
		}
	}
	if places["meta"] < 40 || places["header"] < 40 {
		t.Errorf("places %v", places)
	}
}

// TestChangeIntervals: what is not said of the intervals is an hour and 90 days, or
// what fits the other end.
func TestChangeIntervals(t *testing.T) {
	day := 24 * time.Hour
	clock := func() time.Duration { return time.Minute }
	for _, test := range []struct{ said, want answer.Changes }{
		{answer.Changes{}, answer.Changes{Min: time.Hour, Max: 90 * day}},
		{answer.Changes{Max: time.Minute}, answer.Changes{Min: time.Minute, Max: time.Minute}},
		{answer.Changes{Min: 100 * day}, answer.Changes{Min: 100 * day, Max: 100 * day}},
	} {
		test.said.Clock = clock
		s := mustServe(t, smallWeb, answer.Options{Changes: test.said})
		for p := range graph.Page(smallWeb.Pages) {
			if x := s.ChangeInterval(p); x < test.want.Min || x > test.want.Max {
				t.Fatalf("%v to %v: page %d changes every %v", test.said.Min, test.said.Max, p, x)
			}
		}
	}
}
