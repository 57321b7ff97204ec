package crawl

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// trapCost is how many requests one trap may cost a crawl: one kind at one site, with all
// hosts that belong to it. Farms have more behind sites that are worth more. Calendars have up to 70 where the month stands in the path and the
// pages differ by it alone, by number or by name.
func trapCost(kind string) int {
	switch kind {
	case answer.Farm.String():
		return 80
	case answer.Calendar.String():
		return 100
	}
	return 40
}

// TestHostileEach crawls webs that are hostile in one way each, and more so than where
// all come together: no rule is broken, no wanted page is missed, and no single trap costs
// more than trapCost requests (W27).
func TestHostileEach(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a minute, and several under the race detector; TestHalfDown and TestMixedWeb stay")
	}
	for i, name := range hostileSwitches() {
		if !tortured() && i%12 != 0 {
			continue // TestHostile has all of them together
		}
		t.Run(name, func(t *testing.T) {
			h := hostileCrawl{pages: 2000, sites: 25, seed: uint64(i + 1), serve: oneSwitch(name)}
			if !strings.HasPrefix(name, "trap-") {
				h.pages = 800 // what servers do can be seen on fewer
			}
			if name == "fast-errors" {
				h.pages = 200 // a site that fails is asked once an hour
			}
			synctest.Test(t, func(t *testing.T) {
				h.findWeb(t, 2)
				w, sum := h.crawl(t)
				w.checkHostile(t)
				w.checkTraps(t)
				if t.Failed() || testing.Verbose() {
					w.report(t, sum)
				}
			})
		})
	}
}

// findWeb finds a seed at which at least one page in so many is wanted: page 0 is forbidden
// or alone at others.
func (h *hostileCrawl) findWeb(t *testing.T, in int) {
	t.Helper()
	for range 10 {
		w := h.web(t)
		if in*len(w.server.Wanted(w.limits()).Pages) > h.pages {
			return
		}
		h.seed += 100
	}
	t.Fatal("no web of which enough pages are wanted")
}

// hostileSwitches are the names of all that the hostile web has and the mixed one has not,
// and of session ids under names that nobody knows.
func hostileSwitches() (names []string) {
	mixed, hostile := answer.Mixed(), answer.Hostile()
	usual := mixed.Shares()
	for i, s := range hostile.Shares() {
		if *s.Value != *usual[i].Value {
			names = append(names, s.Name)
		}
	}
	return append(names, "trap-session-unknown")
}

// oneSwitch is a plain web with one switch on, at a share such that many pages or sites
// are met and most of the web can still be reached. Answers without end are rare for the
// sake of time: each is read up to the largest page.
func oneSwitch(name string) answer.Options {
	so := answer.Options{Agent: "winnow", Sitemaps: 0.3, MaxSize: 12_000, CrowdLinks: 5000}
	share := 0.1
	switch name {
	case "mirrors", "storm", "fast-errors", "refused", "silent":
		share = 0.4
	case "endless-header", "endless-body", "robots-endless", "bomb":
		share = 0.01
	case "crowd":
		share = 0.002
	default:
		if strings.HasPrefix(name, "trap-") || strings.HasPrefix(name, "robots-") {
			share = 0.4
		}
	}
	for _, s := range so.Shares() {
		if s.Name == name {
			*s.Value = share
		}
	}
	return so
}

// checkTraps looks at what each trap cost, by the server's count.
func (w *testWeb) checkTraps(t *testing.T) {
	t.Helper()
	cost := w.trapRequests()
	for _, where := range slices.Sorted(maps.Keys(cost)) {
		kind, _, _ := strings.Cut(where, " ")
		if n, most := cost[where], trapCost(kind); n > most {
			t.Errorf("%s: %d requests, want at most %d", where, n, most)
		}
	}
}

// trapRequests counts the requests in traps by kind and site, robots.txt of hosts that are
// traps included. A page that can be had under session ids only is not in a trap the first
// time.
func (w *testWeb) trapRequests() map[string]int {
	c, cost := w.server.Counter(), map[string]int{}
	for id := range c.Sites() {
		site, had := trapOf("http://"+c.Name(graph.Site(id))), map[graph.Page]bool{}
		for _, q := range c.Requests(graph.Site(id)) {
			first := q.Page != graph.NoPage && !had[q.Page]
			if q.Page != graph.NoPage {
				had[q.Page] = true
			}
			if q.Trap != answer.NoTrap && (q.Trap != answer.SessionUnknown || !first) {
				cost[q.Trap.String()+" "+site]++
			}
		}
	}
	return cost
}

// TestHalfDown crawls a hostile web of which half of the sites take no connections: a
// quarter refuses them, a quarter never answers. The crawl ends, with all wanted pages of
// the others.
func TestHalfDown(t *testing.T) {
	t.Parallel()
	so := hostileServe()
	so.Servers.Refused, so.Servers.Silent = 0.25, 0.25
	h := hostileCrawl{pages: 4000, sites: 60, seed: 3, serve: so}
	if testing.Short() {
		h.pages = 1000
	}
	synctest.Test(t, func(t *testing.T) {
		h.findWeb(t, 4)
		w, sum := h.crawl(t)
		w.checkHostile(t)
		w.report(t, sum)
		down := 0
		for id := range h.sites {
			if w.server.SiteTruth(graph.Site(id)).Down != "" {
				down++
			}
		}
		if 3*down < h.sites || sum.Failed == 0 {
			t.Errorf("%d of %d sites are down, %d pages failed: no test", down, h.sites, sum.Failed)
		}
	})
}
