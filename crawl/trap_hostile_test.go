package crawl

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A calendar leads to the next month and the one before for ever, and hardly a word of
// its pages changes.
func TestTrapCalendar(t *testing.T) {
	month := func(at time.Time) string { return at.Format("/cal/2006/01") }
	c := oneTrap("/cal/2024/05", "/cal/", func(rw http.ResponseWriter, r *http.Request) {
		at, err := time.Parse("/cal/2006/01", r.URL.Path)
		if err != nil {
			http.NotFound(rw, r)
			return
		}
		text := words("calendar", 70) + at.Format("January 2006")
		writePage(rw, "Events", text, month(at.AddDate(0, -1, 0)), month(at.AddDate(0, 1, 0)))
	})
	c.most = 36 // 30 were measured
	c.run(t)
}

// A calendar with a little of its own on each page: the name of the month and its days.
func TestTrapCalendarDays(t *testing.T) {
	c := oneTrap("/cal?y=2024&m=5", "/cal?", func(rw http.ResponseWriter, r *http.Request) {
		var y, m int
		fmt.Sscanf(r.URL.RawQuery, "y=%d&m=%d", &y, &m)
		at := time.Date(y, time.Month(m), 1, 0, 0, 0, 0, time.UTC)
		text := at.Format("January 2006")
		for d := at; d.Month() == at.Month(); d = d.AddDate(0, 0, 1) {
			text += d.Format(" 2 Mon")
		}
		link := func(at time.Time) string { return fmt.Sprintf("/cal?y=%d&m=%d", at.Year(), at.Month()) }
		writePage(rw, "Calendar", text, link(at.AddDate(0, -1, 0)), link(at.AddDate(0, 1, 0)))
	})
	// Each month with each first weekday is a text of its own, up to 91 of them, but the words
	// are those of the months and the days: 34 requests were measured.
	c.most = 40
	c.run(t)
}

// A shop has a page of its own below any path.
func TestTrapAnyPath(t *testing.T) {
	c := oneTrap("/shop/", "/shop/", func(rw http.ResponseWriter, r *http.Request) {
		fresh(rw, r, "red/", "blue/", "small/")
	})
	c.run(t)
}

// Links are relative where they should not be, and the server does not mind.
func TestTrapRelative(t *testing.T) {
	for _, same := range []bool{true, false} {
		c := oneTrap("/docs/a.html", "/docs/", func(rw http.ResponseWriter, r *http.Request) {
			name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
			if same {
				writePage(rw, name, words(name, 80), "docs/a.html", "docs/b.html", "help/c.html")
			} else {
				fresh(rw, r, "docs/a.html", "docs/b.html", "help/c.html")
			}
		})
		c.run(t)
	}
}

// A search lets facets be added to facets.
func TestTrapFacets(t *testing.T) {
	c := oneTrap("/search?q=x", "/search?", func(rw http.ResponseWriter, r *http.Request) {
		var links []string
		for i := range 12 {
			links = append(links, fmt.Sprintf("%s&f%d=%d", r.URL.RequestURI(), i, i*i))
		}
		fresh(rw, r, links...)
	})
	c.run(t)
}

// Whatever is asked for is not found, with status 200 and links to more of it.
func TestTrapSoftNotFound(t *testing.T) {
	c := oneTrap("/old/x.html", "/old/", func(rw http.ResponseWriter, r *http.Request) {
		var links []string
		for i := range 5 {
			links = append(links, "/old/"+strings.TrimSpace(words(fmt.Sprint(r.URL.Path, i), 1))+".html")
		}
		writePage(rw, "Page not found", "Sorry, "+r.URL.Path+" is not here. "+words(r.URL.Path, 40), links...)
	})
	c.run(t)
}

// Each visit has a path of its own.
func TestTrapSessionPath(t *testing.T) {
	visits := 0
	c := oneTrap("/s/", "/s", func(rw http.ResponseWriter, r *http.Request) {
		visits++
		id := fmt.Sprintf("%016x", uint64(visits)*0x9e3779b97f4a7c15)
		name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		var links []string
		for i := range 10 {
			links = append(links, fmt.Sprintf("/s-%s/p%d.html", id, i))
		}
		writePage(rw, name, words(name, 80), links...)
	})
	c.run(t)
}

// Every name below a domain is answered, with some pages of its own and links to other
// names on each of them. Requests for robots.txt count, too.
func TestTrapWildcard(t *testing.T) {
	for pages, most := range map[int]int{2: 18, 3: 28, 5: 42} { // 15, 24 and 36 were measured
		t.Run(fmt.Sprint(pages), func(t *testing.T) { wildcard(pages, most).run(t) })
	}
}

// wildcard is the case of a domain with thousands of names of so many pages each.
func wildcard(pages, most int) *trapCase {
	const names = 5000
	name := func(i int) string { return fmt.Sprintf("n%d.wild.example", i%names) }
	s := doors("http://"+name(0)+"/", nil)
	hosts := map[string]http.HandlerFunc{"wild.example": s.serve}
	for i := range names {
		hosts[name(i)] = func(rw http.ResponseWriter, r *http.Request) {
			var links []string
			for k := range 10 {
				links = append(links, "http://"+name(10*i+k+1)+"/")
			}
			fresh(rw, r, append(links, many(pages-1, "x")...)...)
		}
	}
	return &trapCase{
		hosts: hosts, seeds: []string{"http://wild.example/"}, most: most, wanted: s.urls("http://wild.example"),
		trap: func(url string) bool { return strings.Contains(url, ".wild.example/") },
	}
}

// Thirty domains link to each other, and can be reached through one door. 39 requests were
// measured: 20 for pages, and 19 for robots.txt.
func TestTrapFarm(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("f%d.example", i%30) }
	seed := doors("http://door.example/", nil)
	hosts := map[string]http.HandlerFunc{"a.example": seed.serve}
	door := doors("http://"+name(0)+"/", nil)
	for i := range 30 {
		door.pages["/"] = append(door.pages["/"], "http://"+name(i)+"/")
		hosts[name(i)] = func(rw http.ResponseWriter, r *http.Request) {
			var links []string
			for k := range 10 {
				at := fmt.Sprint(r.URL.Path, k)
				links = append(links, "http://"+name(i*7+k)+"/"+strings.TrimSpace(words(at, 1))+".html")
			}
			fresh(rw, r, links...)
		}
	}
	hosts["door.example"] = door.serve
	c := trapCase{
		hosts: hosts, seeds: []string{"http://a.example/"}, most: 45,
		trap: func(url string) bool {
			return strings.HasPrefix(url, "http://f")
		},
		wanted: append(seed.urls("http://a.example"), door.urls("http://door.example")...),
	}
	c.run(t)
}

// A page has 20,000 links, all to the same content.
func TestTrapCrowd(t *testing.T) {
	c := oneTrap("/all", "/c/", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/all" {
			linksTo(many(20_000, "c")...)(rw, r)
			return
		}
		writePage(rw, "Offer", words("the same", 80))
	})
	c.run(t)
}

// What a page in a trap makes known goes after all that other pages made known, also if it was
// found long before, and before the trap is known for one.
func TestTrapGoesLater(t *testing.T) {
	traps := map[string][]string{ // by path of a page: paths behind it
		"/cal/2024/05": {"/cal/2024/06"}, "/cal/2024/06": {"/cal/2024/07"}, // few words
		"/tree/": {"/tree/a/"}, "/tree/a/": {"/tree/a/b/"}, // without an end
		"/gone/1.html": {"/gone/2.html"}, // nothing new
	}
	late := []string{"/cal/2024/06", "/tree/a/b/", "/gone/2.html"}
	s := siteMap{pages: map[string][]string{"/": {"/cal/2024/05", "/tree/", "/gone/1.html", "/real/0.html"}}}
	for i := range 12 {
		s.pages[fmt.Sprintf("/real/%d.html", i)] = []string{fmt.Sprintf("/real/%d.html", i+1)}
	}
	for page, links := range traps {
		s.pages[page] = links
	}
	s.pages["/real/12.html"], s.pages["/tree/a/b/"], s.pages["/gone/2.html"], s.pages["/cal/2024/07"] = nil, nil, nil, nil
	s.text = func(rw http.ResponseWriter, rest string, links []string) {
		switch {
		case strings.HasPrefix(rest, "/cal/"):
			writePage(rw, "Events "+rest, words(rest, 5), links...)
		case strings.HasPrefix(rest, "/gone/"):
			writePage(rw, "Page not found", words(rest, 80), links...)
		default:
			writePage(rw, rest, words(rest, 80), links...)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": s.serve}, "http://a.example/")
		w.o.Config.Policy = "opic" // equal cash for all, so in the order of discovery
		w.run(t)
		at := func(rest string) int { return slices.Index(w.asked, "http://a.example"+rest) }
		for _, rest := range late {
			if at(rest) < at("/real/12.html") {
				t.Errorf("%s was request %d, the last real page %d", rest, at(rest), at("/real/12.html"))
			}
		}
		if n := len(w.asked); n != len(s.pages)+1 {
			t.Errorf("%d requests for %d pages: %v", n, len(s.pages), w.asked)
		}
		clean(t, w.verify(t))
	})
}
