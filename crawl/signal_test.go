package crawl

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// freshBy returns the share of fresh copies in the last two thirds of 18 days in which a web was kept fresh.
func freshBy(t *testing.T, set func(*answer.Options)) (fresh float64) {
	synctest.Test(t, func(t *testing.T) {
		const day, pages = 24 * time.Hour, 200
		began := time.Now()
		o := answer.Options{Changes: answer.Changes{
			Clock: func() time.Duration { return time.Since(began) }, Began: began, Median: 8 * day, Noise: 0.3,
		}}
		set(&o)
		w := newTestWeb(t, pages, 5, o)
		c := &w.o.Config
		c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 4 * day}, "default", config.Duration{Duration: 18 * day}
		w.o.Machine.Sizes.Status = time.Hour
		w.run(t)
		weight := w.linksIn()
		fresh = w.server.Counter().Freshness(func(p graph.Page) float64 { return weight[p] }, 6*day, 18*day, 0).Fresh
		w.polite(t)
		w.sameFromRecords(t)
		clean(t, w.verify(t))
	})
	return fresh
}

// Sitemaps and feeds that tell the truth keep copies fresher, and those that lie cost next to
// nothing.
func TestSignalsLive(t *testing.T) {
	long(t)
	without := freshBy(t, func(*answer.Options) {})
	for _, test := range []struct {
		what  string
		least float64 // above what is fresh without signals
		set   func(*answer.Options)
	}{
		{"sitemaps", 0.04, func(o *answer.Options) { o.Sitemaps = 1 }},
		{"sitemaps that say that all pages changed now", -0.04, func(o *answer.Options) { o.Sitemaps, o.Changes.Dates.Today = 1, 1 }},
		{"feeds", 0.03, func(o *answer.Options) { o.Changes.Feeds = 1 }},
		{"feeds of pages that did not change", -0.04, func(o *answer.Options) { o.Changes.Feeds, o.Changes.FalseFeeds = 1, 1 }},
	} {
		if got := freshBy(t, test.set); got < without+test.least {
			t.Errorf("%s: %.4f of the copies are fresh, %.4f without signals", test.what, got, without)
		} else {
			t.Logf("%s: %.4f, without %.4f", test.what, got, without)
		}
	}
}

// wordy answers with a page of some words, and the home page with links to all.
func wordy(rw http.ResponseWriter, r *http.Request, pages int, words string) {
	rw.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(rw, "<title>%s</title><p>Page %s has %s words", r.URL.Path, r.URL.Path, words)
	linkFromHome(rw, r, pages)
}

// An hour of 404s on a whole site makes no page count as gone: all that were not found are
// visited again as soon as the site is back.
func TestOutageOfSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 100
		began := time.Now()
		var missing, back map[string]bool
		missing, back = map[string]bool{}, map[string]bool{}
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			at := time.Since(began)
			switch {
			case r.URL.Path == "/robots.txt":
				http.NotFound(rw, r)
				return
			case at > 100*time.Hour && at < 101*time.Hour:
				missing[r.URL.Path] = true
				http.NotFound(rw, r)
				return
			case at > 101*time.Hour && at < 102*time.Hour:
				back[r.URL.Path] = true
			}
			wordy(rw, r, pages, "some")
		}}, "http://a.example/")
		c := &w.o.Config
		c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 8 * time.Hour}, "default", config.Duration{Duration: 130 * time.Hour}
		w.o.Machine.Sizes.Status = time.Hour
		status := w.run(t).Status
		if len(missing) < 8 {
			t.Fatalf("only %d visits in the outage", len(missing))
		}
		for p := range missing {
			if !back[p] {
				t.Errorf("%s was not found in an outage, and not visited in the hour after it", p)
			}
		}
		if status.Failed != 0 {
			t.Errorf("%d pages count as failed", status.Failed)
		}
		w.sameFromRecords(t)
		clean(t, w.verify(t))
	})
}

// When a page moves for good its new URL is fetched at once and visited as often as the old one
// was, which is visited ever more rarely.
func TestMovesForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 40
		began := time.Now()
		var seen, first time.Duration
		visits := map[string][2]int{} // before it moved, afterwards
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			at := time.Since(began)
			n := visits[r.URL.Path]
			n[min(1, at/(100*time.Hour))]++
			visits[r.URL.Path] = n
			switch {
			case r.URL.Path == "/p/3" && at > 100*time.Hour:
				if seen == 0 {
					seen = at
				}
				http.Redirect(rw, r, "/new/3", http.StatusMovedPermanently)
				return
			case r.URL.Path == "/new/3" && first == 0:
				first = at
			}
			words := "some"
			if strings.HasSuffix(r.URL.Path, "/3") {
				words = strings.Repeat("more and ", int(at/(6*time.Hour)))
			}
			wordy(rw, r, pages, words)
		}}, "http://a.example/")
		c := &w.o.Config
		c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 10 * time.Hour}, "marginal", config.Duration{Duration: 200 * time.Hour}
		w.o.Machine.Sizes.Status = time.Hour
		w.run(t)
		if first == 0 || first-seen > time.Minute {
			t.Errorf("the page was found to have moved after %v, and its new URL was first requested after %v", seen, first)
		}
		was, is, left := visits["/p/3"][0], visits["/new/3"][1], visits["/p/3"][1]
		if is < was*6/10 || left > was/2 {
			t.Errorf("%d visits before the move, then %d of the new URL and %d of the old one", was, is, left)
		}
		w.sameFromRecords(t)
		clean(t, w.verify(t))
	})
}

// validating is a site whose pages change every ten hours, with validators that mislead.
func validating(began time.Time, changed map[string]int, validate func(http.ResponseWriter, *http.Request, int) bool) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		version := int(time.Since(began) / (10 * time.Hour))
		if r.URL.Path == "/robots.txt" {
			http.NotFound(rw, r)
			return
		}
		if validate(rw, r, version) {
			changed["304"]++
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		changed["200"]++
		wordy(rw, r, 20, strings.Repeat("more and ", version))
	}
}

// A Last-Modified in the future, or always now, and sites that never say 304, fool nobody: as
// many visits are made as to an honest site, and changes are found.
func TestValidatorsMislead(t *testing.T) {
	for what, validate := range map[string]func(http.ResponseWriter, *http.Request, int) bool{
		"future": func(rw http.ResponseWriter, r *http.Request, version int) bool {
			rw.Header().Set("Last-Modified", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
			return false
		},
		"future, and 304 until then": func(rw http.ResponseWriter, r *http.Request, version int) bool {
			rw.Header().Set("Last-Modified", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
			return r.Header.Get("If-Modified-Since") != ""
		},
		"now": func(rw http.ResponseWriter, r *http.Request, version int) bool {
			rw.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			return false
		},
		"never 304": func(rw http.ResponseWriter, r *http.Request, version int) bool {
			rw.Header().Set("Etag", fmt.Sprintf(`"%d"`, version))
			return false
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := map[string]int{}
			w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": validating(time.Now(), asked, validate)}, "http://a.example/")
			c := &w.o.Config
			c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 5 * time.Hour}, "default", config.Duration{Duration: 200 * time.Hour}
			w.o.Machine.Sizes.Status = time.Hour
			w.run(t)
			if all := asked["200"] + asked["304"]; all < 700 || all > 900 {
				t.Errorf("%s: %v answers, want 21 pages 40 times", what, asked)
			}
			if asked["200"] < 5*21 {
				t.Errorf("%s: %v answers: changes are not found", what, asked)
			}
			w.sameFromRecords(t)
		})
	}
}

// When the clock of the machine goes back by days between two sessions, or forth, visits are
// made at the same pace, and dates of sitemaps still tell which pages have changed.
func TestClockJumps(t *testing.T) {
	const pages = 40
	disks := memoryDisk{}
	for session, jump := range []time.Duration{0, -9 * 24 * time.Hour, 20 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) { // each begins on the same day
			time.Sleep(10*24*time.Hour + jump)
			asked := 0
			w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
				if asked++; r.URL.Path == "/robots.txt" {
					asked--
				}
				wordy(rw, r, pages, "some")
			}}, "http://a.example/")
			w.disk, w.o.Machine.Disk = disks, disks.open
			if session > 0 {
				w.o.Seeds = nil
			}
			c := &w.o.Config
			c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 10 * time.Hour}, "default", config.Duration{Duration: time.Duration(session+1) * 50 * time.Hour}
			w.o.Machine.Sizes.Status = time.Hour
			if sum := w.run(t); sum.Why != whyDuration {
				t.Fatalf("it ended because of %s", sum.Why)
			}
			if want := 5 * (pages + 1); asked < want*8/10 || asked > want*13/10 {
				t.Errorf("session %d: %d visits in 50 hours, want about %d", session+1, asked, want)
			}
			w.sameFromRecords(t)
			clean(t, w.verify(t))
		})
	}
}

// A datedSite has pages that change at an instant, and a sitemap that says so by a clock that is
// wrong by some time.
type datedSite struct {
	mu    sync.Mutex
	began time.Time
	wrong time.Duration
	found time.Duration // when the last of the pages that changed was visited
	left  int           // pages that were not visited since they changed
	seen  map[string]bool
}

// changedAt is when the pages whose number is below changedBelow change.
const changedAt, changedBelow, datedPages = 130 * time.Hour, 6, 60

func (d *datedSite) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := time.Since(d.began)
	rw.Header().Set("Date", time.Now().Add(d.wrong).UTC().Format(http.TimeFormat))
	number, words := -1, "some"
	fmt.Sscanf(r.URL.Path, "/p/%d", &number)
	changed := at > changedAt && number >= 0 && number < changedBelow
	switch r.URL.Path {
	case "/robots.txt":
		fmt.Fprint(rw, "Sitemap: /sitemap.xml")
		return
	case "/sitemap.xml":
		fmt.Fprint(rw, "<urlset>")
		for i := range datedPages {
			date := d.began
			if at > changedAt && i < changedBelow {
				date = d.began.Add(changedAt)
			}
			fmt.Fprintf(rw, "<url><loc>/p/%d</loc><lastmod>%s</lastmod></url>", i, date.Add(d.wrong).UTC().Format(time.RFC3339))
		}
		return
	}
	if changed {
		words = "other"
		if !d.seen[r.URL.Path] {
			d.seen[r.URL.Path], d.found = true, at
			d.left--
		}
	}
	wordy(rw, r, datedPages, words)
}

// It does not matter that the clock of a server is wrong by days, or ours.
func TestClocksWrong(t *testing.T) {
	for _, wrong := range []struct{ server, ours time.Duration }{{}, {server: -100 * time.Hour}, {ours: 100 * time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			site := &datedSite{began: time.Now(), wrong: wrong.server, left: changedBelow, seen: map[string]bool{}}
			w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": site.ServeHTTP}, "http://a.example/")
			w.o.Machine.Wall = func() time.Time { return time.Now().Add(wrong.ours) }
			c := &w.o.Config
			c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 60 * time.Hour}, "default", config.Duration{Duration: 160 * time.Hour}
			w.o.Machine.Sizes.Status = time.Hour
			w.run(t)
			if site.left > 0 {
				t.Errorf("clocks %v: %d of %d pages that changed were not visited in 30 of 60 hours", wrong, site.left, changedBelow)
			}
		})
	}
}

// Notices are signals, of known pages. Others become known if they are of known sites and in
// scope, and feeds are read again.
func TestNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		asked := map[string][]time.Duration{}
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			asked[r.URL.Path] = append(asked[r.URL.Path], time.Since(began))
			switch r.URL.Path {
			case "/robots.txt":
				return
			case "/feed":
				fmt.Fprint(rw, "<rss><channel><item><link>http://a.example/fed</link></item></channel></rss>")
				return
			}
			words := "some"
			if time.Since(began) > 50*time.Hour && r.URL.Path == "/p/7" {
				words = "other"
			}
			rw.Header().Set("Link", `</feed>; rel=alternate; type="application/rss+xml"`)
			wordy(rw, r, 60, words)
		}}, "http://a.example/")
		c := &w.o.Config
		c.Scope = config.ScopeSeeds
		c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 100 * time.Hour}, "default", config.Duration{Duration: 60 * time.Hour}
		c.Notices = "127.0.0.1:0"
		w.o.Machine.Sizes.Status = time.Hour
		pipes := make(pipeListener)
		w.o.Machine.Listen = func(string, string) (net.Listener, error) { return pipes, nil }
		client := &http.Client{Transport: &http.Transport{DialContext: pipes.dial, DisableKeepAlives: true}}
		go func() {
			time.Sleep(50*time.Hour + time.Minute)
			for _, q := range []struct{ path, body, link string }{
				{"/indexnow", `{"host": "a.example", "key": "k", "urlList": ["http://a.example/p/7", "http://a.example/new"]}`, ""},
				{"/indexnow", `{"host": "b.example", "key": "k", "urlList": ["http://b.example/"]}`, ""},
				{"/websub", "<rss/>", `<http://a.example/feed>; rel="self"`},
			} {
				r, _ := http.NewRequestWithContext(context.Background(), "POST", "http://notices"+q.path, strings.NewReader(q.body))
				if q.link != "" {
					r.Header.Set("Link", q.link)
				}
				res, err := client.Do(r)
				if err != nil || res.StatusCode != http.StatusAccepted {
					t.Errorf("%s: %v, %v", q.path, res, err)
					return
				}
				res.Body.Close()
			}
		}()
		w.run(t)
		soon := func(path string) bool {
			for _, at := range asked[path] {
				if at > 50*time.Hour && at < 51*time.Hour {
					return true
				}
			}
			return false
		}
		for _, path := range []string{"/p/7", "/new", "/feed", "/fed"} {
			if n := len(asked[path]); path == "/fed" && n == 0 || path != "/fed" && !soon(path) {
				t.Errorf("%s was requested at %v", path, asked[path])
			}
		}
		if n := w.came(t, "b.example"); n > 0 {
			t.Errorf("a page out of scope was requested")
		}
		w.sameFromRecords(t)
		clean(t, w.verify(t))
	})
}

// A crawl of a web where everything happens at once is killed again and again. What it has learned
// of signals, outages and moves is what its records say, and no page is lost.
func TestSignalsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const day = 24 * time.Hour
		began := time.Now()
		var o answer.Options
		o.AddChanges(func() time.Duration { return time.Since(began) }, began)
		o.Changes.Median, o.Changes.Within, o.Changes.Outages = 2*day, 6*day, 0.5
		o.Changes.Fates = answer.FateShares{Vanish: 0.1, Return: 0.1, Move: 0.1}
		w := newTestWeb(t, 100, 5, o)
		c := &w.o.Config
		c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: day}, "default", config.Duration{Duration: 6 * day}
		w.o.Machine.Sizes.Status = 10 * time.Minute
		for n := range 3 {
			w.runKilled(t, time.Duration(20+13*n)*time.Hour)
			clean(t, w.verify(t))
		}
		w.o.Machine.Disk, w.o.Progress = w.disk.open, nil
		w.run(t)
		w.sameFromRecords(t)
		clean(t, w.verify(t))
		w.polite(t)
		w.followed(t)
	})
}

// followed demands that the new URLs of pages that were found to have moved for good were fetched.
func (w *testWeb) followed(t *testing.T) {
	t.Helper()
	pages, moves := map[string]history.PageInfo{}, 0
	for _, p := range w.listed(t) {
		pages[p.URL] = p
	}
	for p := range graph.Page(w.web.Spec().Pages) {
		to, moved := w.server.Moved(p, time.Hour*24*365)
		if old := pages[w.server.URL(p)]; moved && (old.Status == http.StatusMovedPermanently || old.Status == http.StatusPermanentRedirect) {
			if moves++; pages[to].State != "fetched" {
				t.Errorf("page %d moved to %s, which is %q", p, to, pages[to].State)
			}
		}
	}
	if moves < 3 {
		t.Errorf("only %d pages were found to have moved", moves)
	}
}
