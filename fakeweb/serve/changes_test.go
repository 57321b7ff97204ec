package serve

import (
	"encoding/xml"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

const day = 24 * time.Hour

// A livingWeb is a changing web with a clock that a test sets.
type livingWeb struct {
	*Server
	now time.Duration
}

// newLivingWeb serves smallWeb with log-normal intervals of a median of ten days.
func newLivingWeb(t *testing.T, set func(*answer.Options)) *livingWeb {
	t.Helper()
	w := &livingWeb{}
	o := answer.Options{MaxSize: 6000}
	o.Changes = answer.Changes{Clock: func() time.Duration { return w.now }, Median: 10 * day}
	set(&o)
	w.Server = mustServe(t, smallWeb, o)
	return w
}

// TestLogNormal: the logarithms of the intervals have the median and the spreads that the
// options say; changes come at these rates, within 5 %, with bursts or without, and are the
// same in another world of the same seed.
func TestLogNormal(t *testing.T) {
	for _, bursts := range []float64{0, 0.5, 1} {
		set := func(o *answer.Options) {
			o.Changes.Spread, o.Changes.PageSpread, o.Changes.Bursts = 1.2, 0.4, bursts
		}
		w, again := newLivingWeb(t, set), newLivingWeb(t, set)
		var want, got, sum, squares float64
		for p := range graph.Page(smallWeb.Pages) {
			want += 300 * w.Rate(p)
			all := w.Changes(p, 0, 300*day)
			got += float64(len(all))
			x := math.Log(float64(w.ChangeInterval(p)) / float64(10*day))
			sum, squares = sum+x, squares+x*x
			if !slices.Equal(all, again.Changes(p, 0, 300*day)) || !slices.IsSorted(all) {
				t.Fatalf("page %d: another world has other changes", p)
			}
			for _, at := range []time.Duration{-1, 0, day, 33 * day, 300 * day} {
				n, since := w.Version(p, at)
				i, _ := slices.BinarySearch(all, at+1)
				if int(n) != i || i > 0 && since != all[i-1] || i == 0 && since != 0 {
					t.Fatalf("page %d at %v: version %d since %v, changes %v", p, at, n, since, all[:i])
				}
				if later := w.Changes(p, at, 300*day); !slices.Equal(later, all[i:]) {
					t.Fatalf("page %d: %d changes after %v, want %d", p, len(later), at, len(all)-i)
				}
			}
		}
		n := float64(smallWeb.Pages)
		if math.Abs(got-want) > 0.05*want {
			t.Errorf("bursts %v: %v changes, want %v", bursts, got, want)
		}
		// 1.2² + 0.4² = 1.26²; the mean is that of some 90 directories and home pages.
		if mean, deviation := sum/n, math.Sqrt(squares/n); math.Abs(mean) > 0.4 || deviation < 1 || deviation > 1.5 {
			t.Errorf("ln(interval) has mean %v and deviation %v", mean, deviation)
		}
	}
}

// TestDirectoryRates: pages of one directory have similar intervals.
func TestDirectoryRates(t *testing.T) {
	w := newLivingWeb(t, func(o *answer.Options) { o.Changes.Spread, o.Changes.PageSpread = 2, 0.1 })
	dirs := 0
	for id := range graph.Site(smallWeb.Sites) {
		first := map[int64]float64{}
		s := w.Web().Site(id)
		for j := range s.Pages {
			d, _ := s.Place(j)
			x := math.Log(w.Rate(graph.Page(s.First + j)))
			if one, ok := first[d]; ok && math.Abs(x-one) > 0.8 { // 8 standard deviations of a page
				t.Errorf("site %d directory %d: rates e^%v and e^%v", id, d, one, x)
			} else if !ok {
				first[d] = x
			}
		}
		dirs += len(first)
	}
	if dirs < 50 {
		t.Errorf("%d directories: no test", dirs)
	}
}

// TestBursts: in a burst about half of the pages of a directory change at the same instant,
// and without bursts no two ever do.
func TestBursts(t *testing.T) {
	for _, bursts := range []float64{0, 1} {
		w := newLivingWeb(t, func(o *answer.Options) { o.Changes.Bursts, o.Changes.PageSpread = bursts, 1e-9 })
		most, share := 0, 0.0
		for id := range graph.Site(smallWeb.Sites) {
			s := w.Web().Site(id)
			together, pages := map[time.Duration]int{}, 0
			for j := range s.Pages {
				if d, _ := s.Place(j); d == 0 {
					pages++
					for _, at := range w.Changes(graph.Page(s.First+j), 0, 100*day) {
						together[at]++
					}
				}
			}
			for _, n := range together {
				if n > most {
					most, share = n, float64(n)/float64(pages)
				}
			}
		}
		if bursts == 0 && most != 1 || bursts == 1 && (most < 20 || share < 0.4) {
			t.Errorf("bursts %v: at most %d pages at once, %v of the directory", bursts, most, share)
		}
	}
}

// digest returns the change digest of a page, as a crawl computes it.
func digest(body []byte) uint64 {
	p := &page.Page{}
	page.NewScanner(page.ScanOptions{SimHash: true}).Scan(body, p)
	return p.Gist.Change
}

// TestNews: a version has another change digest and the same links, and differs from the one
// before in a sentence. Noise makes other bytes, but no other digest.
func TestNews(t *testing.T) {
	w := newLivingWeb(t, func(o *answer.Options) { o.Changes.Noise = 0.5 })
	noisy, changed := 0, 0
	for p := graph.Page(0); p < graph.Page(smallWeb.Pages); p += 5 {
		w.now = 0
		one, two := ask(w.Server, w.URL(p)).Body.Bytes(), ask(w.Server, w.URL(p)).Body.Bytes()
		if digest(one) != digest(two) || len(one) != len(two) {
			t.Fatalf("page %d: noise changes the digest or the size", p)
		}
		if string(one) != string(two) {
			noisy++
		}
		all := w.Changes(p, 0, 1000*day)
		if len(all) == 0 {
			continue
		}
		changed++
		w.now = all[0] - 1
		if before := ask(w.Server, w.URL(p)).Body.Bytes(); digest(before) != digest(one) {
			t.Errorf("page %d changed too early", p)
		}
		w.now = all[0]
		three := ask(w.Server, w.URL(p)).Body
		if digest(three.Bytes()) == digest(one) {
			t.Errorf("page %d: a change does not change the digest", p)
		}
		if n := otherLines(string(one), three.String()); n > 3 { // the news, and up to two lines of noise
			t.Errorf("page %d: a change has %d other lines", p, n)
		}
		if base := w.URL(p); !slices.Equal(hrefs(t, base, three), hrefs(t, base, strings.NewReader(string(one)))) {
			t.Errorf("page %d: a change changes the links", p)
		}
	}
	if noisy < 110 || noisy > 190 || changed < 280 {
		t.Errorf("%d of 300 pages have noise, %d changed", noisy, changed)
	}
}

// otherLines returns how many lines of a are different in b.
func otherLines(a, b string) (n int) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			n++
		}
	}
	return n + max(len(x), len(y)) - min(len(x), len(y))
}

// TestValidators: sites answer conditional requests as their kind says.
func TestValidators(t *testing.T) {
	w := newLivingWeb(t, func(o *answer.Options) {
		o.NoValidators = 0.15
		o.Changes.Validators = answer.ValidatorShares{Varying: 0.2, Now: 0.2, Future: 0.15, Always: 0.15, Never: 0.15}
		o.Changes.Began = time.Now().Truncate(time.Second)
	})
	// Answers to If-None-Match and If-Modified-Since: of the same version, and of the next.
	want := map[answer.Validators][4]int{
		answer.Honest:       {304, 304, 200, 200},
		answer.Varying:      {200, 304, 200, 200},
		answer.ModifiedNow:  {0, 200, 0, 200},
		answer.Future:       {0, 304, 0, 200},
		answer.Always304:    {304, 304, 304, 304},
		answer.Never304:     {200, 200, 200, 200},
		answer.NoValidators: {0, 0, 0, 0},
	}
	seen := map[answer.Validators]int{}
	for id := range graph.Site(smallWeb.Sites) {
		kind, p := w.SiteTruth(id).Validators, w.Web().Home(id)
		all := w.Changes(p, day, 1e5*day)
		w.now = all[0]
		first := ask(w.Server, w.URL(p)).Header()
		w.now = all[1] - 1
		got := w.conditional(p, first)
		w.now = all[1] + time.Second
		got = append(got, w.conditional(p, first)...)
		if x := want[kind]; !slices.Equal(got, x[:]) {
			t.Errorf("site %d (%v): %v, want %v", id, kind, got, x)
		}
		date, err := http.ParseTime(first.Get("Last-Modified"))
		present := w.Options().Changes.Began.Add(all[0])
		if future := date.After(present.Add(300 * day)); err == nil && future != (kind == answer.Future) {
			t.Errorf("site %d (%v): Last-Modified %v", id, kind, date)
		}
		seen[kind]++
	}
	if len(seen) != len(want) {
		t.Errorf("kinds %v", seen)
	}
}

// conditional requests a page by the validators of an earlier answer, and returns the
// status for each; 0 if there was none.
func (w *livingWeb) conditional(p graph.Page, h http.Header) []int {
	got := []int{0, 0}
	if tag := h.Get("Etag"); tag != "" {
		got[0] = ask(w.Server, w.URL(p), "If-None-Match", tag).Code
	}
	if date := h.Get("Last-Modified"); date != "" {
		got[1] = ask(w.Server, w.URL(p), "If-Modified-Since", date).Code
	}
	return got
}

// TestSitemapDates: lastmod is honest, always now, or missing.
func TestSitemapDates(t *testing.T) {
	w := newLivingWeb(t, func(o *answer.Options) {
		o.Sitemaps, o.Changes.Dates = 1, answer.DateShares{Today: 0.3, None: 0.3}
	})
	w.now = 40 * day
	began, seen := w.Options().Changes.Began, map[answer.Dates]int{}
	for id := range graph.Site(smallWeb.Sites) {
		s := w.SiteTruth(id)
		if !strings.HasSuffix(s.Sitemap, ".xml") || s.Pages > 1000 {
			continue
		}
		seen[s.Dates]++
		var doc struct {
			URL []struct {
				Loc     string `xml:"loc"`
				Lastmod string `xml:"lastmod"`
			} `xml:"url"`
		}
		if err := xml.Unmarshal(ask(w.Server, s.Origin+s.Sitemap).Body.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		for _, u := range doc.URL {
			p, _ := w.Page(u.Loc)
			n, since := w.Version(p, w.now)
			date, err := time.Parse(time.RFC3339, u.Lastmod)
			switch at := date.Sub(began); {
			case s.Dates == answer.NoDates && u.Lastmod == "":
			case s.Dates != answer.NoDates && err != nil:
				t.Errorf("%s: %v", u.Loc, err)
			case s.Dates == answer.TodayDates && at == w.now:
			case s.Dates == answer.HonestDates && (n == 0 && at < 0 || at == since.Truncate(time.Second)):
			default:
				t.Errorf("%s (%v): %s, changed %v", u.Loc, s.Dates, u.Lastmod, since)
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("sites by dates %v", seen)
	}
}

// A feedDoc reads RSS and Atom.
type feedDoc struct {
	Item []struct {
		Link string `xml:"link"`
		Date string `xml:"pubDate"`
	} `xml:"channel>item"`
	Entry []struct {
		Link struct {
			Href string `xml:"href,attr"`
		} `xml:"link"`
		Updated string `xml:"updated"`
	} `xml:"entry"`
}

// dates returns what a feed says, by URL.
func (d *feedDoc) dates(t *testing.T) map[string]time.Time {
	all := map[string]time.Time{}
	add := func(link, layout, text string) {
		at, err := time.Parse(layout, text)
		if err != nil {
			t.Error(err)
		}
		all[link] = at
	}
	for _, it := range d.Item {
		add(it.Link, time.RFC1123Z, it.Date)
	}
	for _, e := range d.Entry {
		add(e.Link.Href, time.RFC3339, e.Updated)
	}
	return all
}

// TestFeeds: the home page names the feed. An honest one has the pages that changed last,
// with their dates, where they are now; others name pages that did not change.
func TestFeeds(t *testing.T) {
	w := newLivingWeb(t, func(o *answer.Options) {
		o.Changes.Feeds, o.Changes.FalseFeeds, o.Changes.Fates.Move = 0.7, 0.4, 0.3
	})
	w.now = 35 * day
	began, seen := w.Options().Changes.Began, map[string]int{}
	for id := range graph.Site(smallWeb.Sites) {
		s, home := w.SiteTruth(id), ask(w.Server, w.URL(w.Web().Home(id))).Body.String()
		if named := strings.Contains(home, `+xml" href="`+s.Feed+`">`); named != (s.Feed != "") {
			t.Errorf("site %d: feed %q, named %v", id, s.Feed, named)
		}
		if s.Feed == "" {
			continue
		}
		seen[s.Feed]++
		got, doc := ask(w.Server, s.Origin+s.Feed), feedDoc{}
		if err := xml.Unmarshal(got.Body.Bytes(), &doc); err != nil || !strings.HasSuffix(got.Header().Get("Content-Type"), s.Feed[len("/feed."):]+"+xml") {
			t.Fatal(err, got.Header())
		}
		right, wrong := 0, 0
		for link, date := range doc.dates(t) {
			at, _ := w.Place(link)
			if at.Kind == answer.KindMoved {
				seen["moved"]++
			}
			if _, since := w.Version(at.Page, w.now); date.Equal(began.Add(since.Truncate(time.Second))) {
				right++
			} else {
				wrong++
			}
		}
		changed := 0
		for j := range graph.Page(s.Pages) {
			if n, _ := w.Version(w.Web().Home(id)+j, w.now); n > 0 {
				changed++
			}
		}
		if !s.FeedFalse && (wrong > 0 || right != min(changed, 20)) || s.FeedFalse && wrong == 0 {
			t.Errorf("site %d, false %v: %d right and %d wrong dates, %d changes", id, s.FeedFalse, right, wrong, changed)
		}
		if s.FeedFalse {
			seen["false"]++
		}
	}
	if len(seen) != 4 || seen["false"] < 3 {
		t.Errorf("seen %v", seen)
	}
}

// TestFates: pages vanish, return and move when the truth says so, the content is at the new
// URL from then on, and sitemaps know it. Home and index pages stay.
func TestFates(t *testing.T) {
	w := newLivingWeb(t, func(o *answer.Options) {
		o.Sitemaps = 1
		o.Changes.Fates = answer.FateShares{Vanish: 0.2, Return: 0.2, Move: 0.2}
	})
	seen := map[int]int{}
	for p := range graph.Page(smallWeb.Pages) {
		f := w.Fate(p)
		w.now = max(0, f.From-1)
		if r := ask(w.Server, w.URL(p)); r.Code != 200 || w.Gone(p, w.now) != 0 {
			t.Fatalf("page %d: %d before anything happens", p, r.Code)
		}
		w.now = f.From
		r := ask(w.Server, w.URL(p))
		seen[r.Code]++
		url, moved := w.Moved(p, w.now)
		switch f.Kind {
		case answer.Stays:
			if r.Code != 200 || f != (answer.Fate{}) {
				t.Errorf("page %d stays: %d", p, r.Code)
			}
		case answer.Moves:
			if !moved || r.Code != f.Status || !strings.HasSuffix(url, r.Header().Get("Location")) {
				t.Errorf("page %d moves to %s: %d %v", p, url, r.Code, r.Header())
			}
			w.checkMoved(t, p, url)
		default:
			if r.Code != f.Status || w.Gone(p, w.now) != f.Status || moved {
				t.Errorf("page %d: %d, want %+v", p, r.Code, f)
			}
			w.now = max(f.Until, 300*day)
			if back := ask(w.Server, w.URL(p)).Code == 200; back != (f.Kind == answer.Returns) {
				t.Errorf("page %d is back: %v, want %+v", p, back, f)
			}
		}
		if _, k := w.place(p); k == 0 && f.Kind != answer.Stays {
			t.Errorf("page %d is an index page and %v", p, f.Kind)
		}
	}
	if len(seen) != 5 || seen[404]+seen[410] < 300 || seen[301]+seen[308] < 150 {
		t.Errorf("statuses %v", seen)
	}
}

func (w *livingWeb) place(p graph.Page) (d int64, k uint32) {
	s, j := w.Web().Locate(p)
	return s.Place(j)
}

// checkMoved looks at the new URL of a page that has just moved.
func (w *livingWeb) checkMoved(t *testing.T, p graph.Page, url string) {
	t.Helper()
	there := ask(w.Server, url)
	at, ok := w.Place(url)
	if !ok || at.Kind != answer.KindMoved || at.Page != p || there.Code != 200 {
		t.Fatalf("%s: %v of page %d, %d", url, at.Kind, at.Page, there.Code)
	}
	if links := hrefs(t, url, there.Body); len(links) < len(w.Web().Links(nil, p)) || slices.ContainsFunc(links, func(link string) bool {
		to, _ := w.Place(link)
		return to.Kind != answer.KindPage
	}) {
		t.Errorf("%s: links %v", url, links)
	}
	w.now--
	if early := ask(w.Server, url).Code; early != 404 {
		t.Errorf("%s: %d before the page moved", url, early)
	}
}

// TestOutages: a site that is out answers 404 to all but robots.txt, and is back afterwards.
func TestOutages(t *testing.T) {
	w := newLivingWeb(t, func(o *answer.Options) { o.Changes.Outages, o.Sitemaps = 0.5, 1 })
	outs := 0
	for id := range graph.Site(smallWeb.Sites) {
		s, home := w.SiteTruth(id), w.URL(w.Web().Home(id))
		if s.OutUntil == 0 {
			continue
		}
		outs++
		for at, want := range map[time.Duration]int{s.OutFrom - 1: 200, s.OutFrom: 404, s.OutUntil - 1: 404, s.OutUntil: 200} {
			w.now = at
			page, sitemap, robots := ask(w.Server, home).Code, ask(w.Server, s.Origin+s.Sitemap).Code, ask(w.Server, s.Origin+"/robots.txt").Code
			if page != want || sitemap != want || robots != 200 || w.Gone(w.Web().Home(id), at) != 0 {
				t.Errorf("site %d at %v: %d %d %d, want %d", id, at, page, sitemap, robots, want)
			}
		}
		if s.OutUntil-s.OutFrom != time.Hour {
			t.Errorf("site %d is out for %v", id, s.OutUntil-s.OutFrom)
		}
	}
	if outs < 10 || outs > 30 {
		t.Errorf("%d of 40 sites were out", outs)
	}
}

// TestChangeOptions: impossible options are refused.
func TestChangeOptions(t *testing.T) {
	clock := func() time.Duration { return 0 }
	for want, c := range map[string]answer.Changes{
		"median":               {Clock: clock, Median: -1},
		"spreads":              {Clock: clock, Median: 1, Spread: 99},
		"clock":                {Fates: answer.FateShares{Vanish: 0.1}},
		"bursts need a median": {Clock: clock, Bursts: 0.1},
		"outages of":           {Clock: clock, OutageFor: -1},
		"validators":           {Validators: answer.ValidatorShares{Now: 0.6, Never: 0.6}},
		"vanish or move":       {Clock: clock, Fates: answer.FateShares{Vanish: 0.6, Move: 0.6}},
		"noise":                {Noise: 2},
	} {
		if _, err := New(mustNew(t, smallWeb), answer.Options{Changes: c}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
