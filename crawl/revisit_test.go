package crawl

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// A changingSite has pages in two directories. Those of /hot/ have another text every four
// hours, those of /cold/ never.
type changingSite struct {
	mu    sync.Mutex
	began time.Time
	asked map[string]int // by directory
}

const changingPages = 40 // of each directory

func (c *changingSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	c.asked[dir]++
	w.Header().Set("Content-Type", "text/html")
	words := "and no other words"
	if dir == "hot" {
		words = strings.Repeat("more and ", int(time.Since(c.began)/(4*time.Hour)))
	}
	fmt.Fprintf(w, "<title>%s</title><p>The page %s has some words of its own, %s.", r.URL.Path, r.URL.Path, words)
	if r.URL.Path == "/" {
		for i := range changingPages {
			fmt.Fprintf(w, `<p><a href="/hot/%d.html">hot %d</a> <a href="/cold/%d.html">cold %d</a>`, i, i, i, i)
		}
	}
}

// With --revisit as many visits are made as with --recrawl alone, but to the pages that change,
// also after restarts.
func TestRevisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &changingSite{began: time.Now(), asked: map[string]int{}}
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": site.ServeHTTP}, "http://a.example/")
		c := &w.o.Config
		c.Recrawl, c.Revisit = config.Duration{Duration: 10 * time.Hour}, "default"
		const days = 5
		for range days { // the duration of a crawl is that of all its sessions
			c.Duration.Duration += 24 * time.Hour
			if sum := w.run(t); sum.Why != whyDuration {
				t.Fatalf("it ended because of %s", sum.Why)
			}
			w.sameFromRecords(t)
		}
		clean(t, w.verify(t))
		all, want := site.asked["hot"]+site.asked["cold"], 2*changingPages*(1+days*24/10)
		if all < want*8/10 || all > want*11/10 {
			t.Errorf("%d visits, want about %d", all, want)
		}
		if site.asked["hot"] < 2*site.asked["cold"] {
			t.Errorf("%v visits: pages that change do not have more of them", site.asked)
		}
	})
}

// linkFromHome lets the home page link to the pages /p/0, /p/1 and so on.
func linkFromHome(w http.ResponseWriter, r *http.Request, pages int) {
	for i := range pages {
		if r.URL.Path == "/" {
			fmt.Fprintf(w, `<p><a href="/p/%d">p</a>`, i)
		}
	}
}

// With --balance pages that were fetched before get their share of the visits, and pages that
// were found first theirs, while there are others.
func TestBalance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 600
		seen := map[string]int{}
		again, all := 0, 0
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			all++
			if seen[r.URL.Path]++; seen[r.URL.Path] > 1 {
				again++
			}
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, "<title>%s</title><p>Page %s", r.URL.Path, r.URL.Path)
			linkFromHome(rw, r, pages)
		}}, "http://a.example/")
		c := &w.o.Config
		c.Recrawl, c.Revisit, c.Balance = config.Duration{Duration: 1000 * time.Hour}, "default", "volume=30,quality=50,freshness=20"
		c.Duration = config.Duration{Duration: 13 * time.Minute} // about 400 requests
		w.run(t)
		if got := float64(again) / float64(all); all < 300 || len(seen) >= pages || got < 0.17 || got > 0.21 {
			t.Errorf("%d of %d visits were to pages fetched before, with %d of %d pages fetched", again, all, len(seen), pages)
		}
		clean(t, w.verify(t))
	})
}

// A share of 0 is none: no page is visited again while there are new pages, and each is when
// there are none left.
func TestBalanceWithout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 60
		seen, early := map[string]int{}, 0
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			if seen[r.URL.Path]++; seen[r.URL.Path] > 1 && len(seen) < pages {
				early++
			}
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, "<title>%s</title><p>Page %s", r.URL.Path, r.URL.Path)
			linkFromHome(rw, r, pages)
		}}, "http://a.example/")
		c := &w.o.Config
		c.Recrawl, c.Revisit, c.Balance = config.Duration{Duration: time.Minute}, "default", "quality=100,freshness=0"
		c.Duration = config.Duration{Duration: 10 * time.Minute}
		sum := w.run(t)
		if early > 0 || len(seen) < pages || sum.Requests < pages+50 {
			t.Errorf("%d visits while there were new pages; %d requests for %d pages", early, sum.Requests, len(seen))
		}
		clean(t, w.verify(t))
	})
}

// By default a page that much is linked to is visited again while there are new pages, others
// hardly.
func TestBalanceAuto(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 1200
		began, seen := time.Now(), map[string]int{}
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			seen[r.URL.Path]++
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, `<title>%s</title><p>Page %s <a href="/">home</a>`, r.URL.Path, r.URL.Path)
			if r.URL.Path == "/" {
				io.WriteString(rw, strings.Repeat("more and ", int(time.Since(began)/(2*time.Minute))))
			}
			linkFromHome(rw, r, pages)
		}}, "http://a.example/")
		c := &w.o.Config
		c.Recrawl, c.Revisit, c.Balance = config.Duration{Duration: time.Hour}, config.Default().Revisit, config.Default().Balance
		c.Duration = config.Duration{Duration: 26 * time.Minute} // about 800 requests
		w.run(t)
		again := 0
		for path, n := range seen {
			if path != "/" {
				again += n - 1
			}
		}
		if seen["/"] < 3 || again > 40 || len(seen) < 600 {
			t.Errorf("%d visits of the home page, %d of %d others", seen["/"], again, len(seen))
		}
		w.sameFromRecords(t)
		clean(t, w.verify(t))
	})
}

// A page that is gone is visited ever more rarely, and as often as before when it is back. So
// are pages whose visits failed.
func TestRevisitGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		hour := func() int { return int(time.Since(began) / time.Hour) }
		visits := map[string][3]int{} // before, while it is gone, afterwards
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			n := visits[r.URL.Path]
			part := min(hour()/100, 2)
			n[part]++
			visits[r.URL.Path] = n
			if part == 1 && r.URL.Path == "/p/3" {
				http.NotFound(rw, r)
				return
			}
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, "<title>%s</title><p>Page %s", r.URL.Path, r.URL.Path)
			linkFromHome(rw, r, 20)
		}}, "http://a.example/")
		c := &w.o.Config
		c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 5 * time.Hour}, "marginal", config.Duration{Duration: 300 * time.Hour}
		w.o.Machine.Sizes.Status = time.Hour
		status := w.run(t).Status
		gone, other := visits["/p/3"], visits["/p/4"]
		if gone[1] < 2 || 2*gone[1] > other[1] || 2*gone[2] < other[2] {
			t.Errorf("visits before, while it was gone, afterwards: %v, of another page %v", gone, other)
		}
		if status.Failed != 0 {
			t.Errorf("%d pages failed though all are there", status.Failed)
		}
		w.sameFromRecords(t)
		clean(t, w.verify(t))
	})
}

// A site that answers 304 to every conditional request is found out: its pages are requested
// without conditions, and their changes are seen.
func TestAlways304(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		conditional, full := [2]int{}, [2]int{} // in the first half of the time, and in the second
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			half := min(int(time.Since(began)/(200*time.Hour)), 1)
			rw.Header().Set("Etag", `"always"`)
			if r.Header.Get("If-None-Match") != "" {
				conditional[half]++
				rw.WriteHeader(http.StatusNotModified)
				return
			}
			full[half]++
			rw.Header().Set("Content-Type", "text/html")
			words := strings.Repeat("more and ", int(time.Since(began)/(10*time.Hour)))
			fmt.Fprintf(rw, "<title>%s</title><p>Page %s has %s words", r.URL.Path, r.URL.Path, words)
			linkFromHome(rw, r, 20)
		}}, "http://a.example/")
		c := &w.o.Config
		c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 5 * time.Hour}, "default", config.Duration{Duration: 400 * time.Hour}
		w.o.Machine.Sizes.Status = time.Hour
		w.run(t)
		if conditional[0] < 50 || full[1] < 4*conditional[1] {
			t.Errorf("conditional requests %v, others %v: the site is believed", conditional, full)
		}
		w.sameFromRecords(t)
	})
}
