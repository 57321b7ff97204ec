package serve

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
)

// trapOptions switch one trap on, for all sites.
func trapOptions(trap answer.Trap) (o answer.Options) {
	t := &o.Traps
	*map[answer.Trap]*float64{
		answer.Calendar: &t.Calendar, answer.GrowingPath: &t.GrowingPath, answer.RepeatedSegments: &t.RepeatedSegments, answer.GrowingQuery: &t.GrowingQuery,
		answer.SessionQuery: &t.SessionQuery, answer.SessionUnknown: &t.SessionUnknown, answer.SessionPath: &t.SessionPath, answer.SelfAppending: &t.SelfAppending, answer.Soft404: &t.Soft404,
		answer.CopyDirectory: &t.CopyDirectory, answer.Farm: &t.Farm, answer.Wildcard: &t.Wildcard,
	}[trap] = 1
	t.FarmSites, t.FarmPages = 5, 300
	return o
}

// walkTrap goes into a trap from the home page of a site and follows its links, up to so
// many requests. It gives what it requested, with the bodies, and a checksum of it all.
func walkTrap(t *testing.T, s *Server, id graph.Site, trap answer.Trap, most int) (asked map[string]string, sum uint64) {
	t.Helper()
	home := s.URL(s.Web().Home(id))
	queue, asked, h := hrefs(t, home, ask(s, home).Body), map[string]string{}, xxh3.New()
	for ; len(queue) > 0 && len(asked) < most; queue = queue[1:] {
		at, ok := s.Place(queue[0])
		if !ok {
			t.Fatalf("%v: link to %s, which nobody answers for", trap, queue[0])
		}
		if _, known := asked[queue[0]]; known || at.Trap != trap {
			continue
		}
		w := ask(s, queue[0])
		if w.Code != http.StatusOK {
			t.Fatalf("%v: %s answers %d", trap, queue[0], w.Code)
		}
		asked[queue[0]] = w.Body.String()
		fmt.Fprintln(h, queue[0], w.Body)
		queue = append(queue, hrefs(t, queue[0], w.Body)...)
	}
	return asked, h.Sum64()
}

// eitherTexts are the traps that say the same on every page of some sites, and never the
// same on those of others.
var eitherTexts = []answer.Trap{
	answer.Calendar, answer.GrowingPath, answer.RepeatedSegments, answer.GrowingQuery, answer.SelfAppending, answer.Wildcard,
}

// TestTraps: a visitor that follows every link never comes to the end of a trap, the
// counter knows each of its requests, and another server has the same trap (W27).
func TestTraps(t *testing.T) {
	const most = 40
	for trap := answer.Calendar; trap <= answer.SessionUnknown; trap++ {
		if trap == answer.CrowdLink {
			continue
		}
		styles := map[bool]int{}
		for id := range graph.Site(6) {
			s := mustServe(t, smallWeb, trapOptions(trap))
			asked, sum := walkTrap(t, s, id, trap, most)
			if id == 0 {
				if _, again := walkTrap(t, mustServe(t, smallWeb, trapOptions(trap)), id, trap, most); again != sum {
					t.Errorf("%v: another server has other pages", trap)
				}
			}
			m := s.Counter().Summary()
			if len(asked) != most || m.Traps != most || m.TrapKinds[trap.String()] != most || m.Kinds["trap"] != most ||
				m.Requests != most+1 || m.TrapShare != float64(most)/(most+1) {
				t.Errorf("%v of site %d: %d pages, counted %+v", trap, id, len(asked), m)
			}
			texts := map[string]bool{}
			for _, body := range asked {
				text, _ := wordsOf(t, body)
				texts[text] = true
			}
			styles[len(texts) > 3]++
			if trap == answer.Soft404 && len(texts) != 1 || trap == answer.CopyDirectory && len(texts) > 3 || trap == answer.Farm && len(texts) < most*9/10 {
				t.Errorf("%v of site %d: %d texts", trap, id, len(texts))
			}
			if got := s.SiteTruth(id).Traps; !slices.Equal(got, []answer.Trap{trap}) {
				t.Errorf("site %d has traps %v, want %v", id, got, trap)
			}
		}
		if either := slices.Contains(eitherTexts, trap); either != (len(styles) == 2) {
			t.Errorf("%v: %v of the sites have more than three texts", trap, styles)
		}
	}
}

// TestTrapForms: what the URLs of traps look like.
func TestTrapForms(t *testing.T) {
	for trap, form := range map[answer.Trap]string{
		answer.Calendar: "/calendar", answer.GrowingPath: "/shop/", answer.RepeatedSegments: "/browse/", answer.GrowingQuery: "/list?f=1&f=", answer.SelfAppending: "/archive/",
		answer.Soft404: "/old/", answer.CopyDirectory: "/again/", answer.SessionPath: "/s-", answer.Farm: "http://f01-", answer.Wildcard: ".s01.example/",
	} {
		asked, _ := walkTrap(t, mustServe(t, smallWeb, trapOptions(trap)), 1, trap, 60)
		longest := ""
		for u := range asked {
			if !strings.Contains(u, strings.TrimSuffix(form, "&f=")) {
				t.Errorf("%v: %s is not of the form %s", trap, u, form)
			}
			if len(u) > len(longest) {
				longest = u
			}
		}
		if u, err := url.Parse(longest); err != nil || trap == answer.RepeatedSegments && strings.Count(u.Path, "/") < 6 || trap == answer.GrowingQuery && strings.Count(u.RawQuery, "f=") < 5 {
			t.Errorf("%v: the longest URL is %s", trap, longest)
		}
	}
}

// sessionOn is a session id as the home page of a site has it in its links; "" if it links
// to no page of the site.
func sessionOn(t *testing.T, s *Server, id graph.Site) string {
	t.Helper()
	home := s.URL(s.Web().Home(id))
	for _, u := range hrefs(t, home, ask(s, home).Body) {
		if at := placeOf(t, s, u); at.Trap == answer.SessionQuery {
			return strings.TrimPrefix(u, s.URL(at.Page))
		}
	}
	return ""
}

// TestSessions: all links inside a site carry an id, which another page draws anew; the
// crawler's normal form does without; and what they lead to is the page itself.
func TestSessions(t *testing.T) {
	o := trapOptions(answer.SessionQuery)
	o.Messy, o.Pages.Redirect, o.Robots.Rules = 0.3, 0.1, 1
	s := mustServe(t, smallWeb, o)
	var normal page.Resolver
	forms := map[string]int{}
	for p := range graph.Page(400) {
		e := s.Truth(p)
		if id := sessionOn(t, s, s.Web().SiteOf(p)); id != "" && ask(s, s.URL(p)+id).Code == 200 != (e.Class == answer.OK && !e.Forbidden) {
			t.Errorf("page %d with %s answers %d, want %+v", p, id, ask(s, s.URL(p)+id).Code, e)
		}
		if e.Class != answer.OK {
			continue
		}
		links := s.Web().Links(nil, p)
		for i, u := range hrefs(t, s.URL(p), ask(s, s.URL(p)).Body) {
			q := links[i]
			at := placeOf(t, s, u)
			want := answer.KindTrap
			if s.Web().SiteOf(p) != s.Web().SiteOf(q) {
				want = answer.KindPage
			}
			if at.Kind != want || at.Page != q {
				t.Fatalf("page %d: link %s is %v of page %d, want %v of %d", p, u, at.Kind, at.Page, want, q)
			}
			if got, v := normal.Resolve(nil, []byte(u)); !v.Usable() || string(got) != s.URL(q) {
				t.Fatalf("page %d: normal form of %s is %s, want %s", p, u, got, s.URL(q))
			}
			forms[strings.Trim(u[len(s.URL(q)):], "0123456789abcdef")]++
		}
	}
	if len(forms) != 4 {
		t.Errorf("ids in forms %v", forms)
	}
	first := hrefs(t, s.URL(0), ask(s, s.URL(0)).Body)[0]
	w, plain := ask(s, first), ask(s, s.URL(placeOf(t, s, first).Page))
	a, _ := wordsOf(t, w.Body.String())
	if b, _ := wordsOf(t, plain.Body.String()); a != b {
		t.Errorf("%s has another text than its page", first)
	}
	if next := hrefs(t, first, w.Body); slices.Contains(hrefs(t, s.URL(0), ask(s, s.URL(0)).Body), next[0]) || w.Code != 200 {
		t.Errorf("%s: %d, first link %s", first, w.Code, next[0])
	}
}

// TestSoft404: whatever does not exist answers 200 and says so; what a visitor made up
// is told from what links lead to.
func TestSoft404(t *testing.T) {
	o := trapOptions(answer.Soft404)
	o.Pages.NotFound, o.Pages.Gone = 0.2, 0.2
	s := mustServe(t, smallWeb, o)
	soft := 0
	probe := ask(s, s.URL(s.Web().Home(3))+"d0/no-such-page.html")
	text, _ := wordsOf(t, probe.Body.String())
	if m := s.Counter().Summary(); probe.Code != 200 || m.Kinds["unknown"] != 1 || m.Traps != 0 || !strings.Contains(text, "not found") {
		t.Fatalf("a path that was made up: %d %q, counted %+v", probe.Code, text, m)
	}
	for p := s.Web().Home(3); p < s.Web().Home(3)+graph.Page(s.Web().Size(3)); p++ {
		e, w := s.Truth(p), ask(s, s.URL(p))
		got, _ := wordsOf(t, w.Body.String())
		if w.Code != 200 || e.Status != 200 || e.Soft != (got == text) || e.Soft != (e.Class == answer.NotFound || e.Class == answer.Gone) || e.Soft == e.Fetched() {
			t.Fatalf("page %d: %d %.40q, want %+v", p, w.Code, got, e)
		}
		if e.Soft {
			soft++
		}
	}
	if w := s.Wanted(answer.Limits{}); soft == 0 || len(w.Pages) == 0 || len(w.Requested) < soft {
		t.Errorf("%d soft, %d wanted, %d asked", soft, len(w.Pages), len(w.Requested))
	}
}

// TestTrapHosts: mirrors, farms and wildcard hosts resolve, allow everything, are counted
// each by itself and held to the rules; other names are nobody.
func TestTrapHosts(t *testing.T) {
	o := answer.Options{Copies: answer.CopyShares{Mirrors: 1}, Traps: answer.TrapShares{Farm: 1, Wildcard: 1, FarmSites: 3}, MinLatency: time.Second}
	bubble(t, o, func(t *testing.T, s *Server, c *http.Client) {
		names := []string{"f02-0.example", "f02-2.example", "x.s02.example", "a.b.s02.example", "m" + mirroredSite(s)}
		for i, name := range names {
			if a, _, err := s.Resolve(t.Context(), name); err != nil || !a.IsLoopback() {
				t.Errorf("%s: %v %v", name, a, err)
			}
			load(c, "http://"+name+"/")
			load(c, "http://"+name+"/robots.txt")
			load(c, "http://"+name+"/nothing/here.html")
			id := graph.Site(smallWeb.Sites + i)
			r := s.Counter().Site(id)
			kinds := map[answer.Kind]int{}
			for _, q := range r.Requests {
				kinds[q.Kind]++
			}
			if r.Name != name || len(r.Requests) != 3 || r.Connections != 1 || kinds[answer.KindRobots] != 1 || kinds[answer.KindUnknown] != 1 || kinds[answer.KindTrap]+kinds[answer.KindCopy] != 1 {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if w := ask(s, "http://"+strings.ToUpper(names[2])+":8080/"); w.Code != 200 || s.Counter().Sites() != smallWeb.Sites+len(names) {
			t.Errorf("in capitals: %d, %d sites", w.Code, s.Counter().Sites())
		}
		v := s.Counter().Check(count.Demands{Delay: 1})
		if len(v) != 3*len(names) || v[0].Kind != count.BeforeRobots || v[0].Host != names[0] || !strings.Contains(v[0].String(), names[0]) {
			t.Errorf("accused of %v", v)
		}
		for _, name := range []string{"f02-3.example", "f02-00.example", "f99-0.example", "m0.example", "x.s99.example", "x.y.example", ".example", "m" + mirroredSite(s) + ".example"} {
			if a, _, err := s.Resolve(t.Context(), name); err == nil {
				t.Errorf("%s is %v", name, a)
			}
		}
	})
}

// TestTies: of two requests to an address at the same instant of virtual time nobody can
// say which came first.
func TestTies(t *testing.T) {
	bubble(t, answer.Options{}, func(t *testing.T, s *Server, c *http.Client) {
		load(c, robotsURL(s, 0))
		load(c, robotsURL(s, 1))
		for limit, kinds := range map[int]string{1: count.AddressGap, 2: "", 3: ""} {
			v := s.Counter().Check(count.Demands{AddressDelay: time.Second, AddressCap: limit})
			if len(v) > 1 || len(v) == 1 != (kinds != "") || len(v) == 1 && v[0].Kind != kinds {
				t.Errorf("at most %d at once: accused of %v, want %q", limit, v, kinds)
			}
		}
		load(c, robotsURL(s, 2))
		if v := s.Counter().Check(count.Demands{AddressDelay: time.Second, AddressCap: 2}); len(v) != 1 || v[0].Kind != count.AddressAtOnce {
			t.Errorf("three at once: accused of %v", v)
		}
	})
}

// TestEndsInDoubt: an answer that the visitor broke off may have ended later than the server
// knows. A request to the same address in between is within the rules if two are.
func TestEndsInDoubt(t *testing.T) {
	bubble(t, answer.Options{Pages: answer.PageShares{Drip: 1}}, func(t *testing.T, s *Server, c *http.Client) {
		load(c, robotsURL(s, 0))
		time.Sleep(time.Second)
		var both sync.WaitGroup
		both.Go(func() { visitFor(c, s.URL(mannerPage), 3500*time.Millisecond, 1<<20) })
		time.Sleep(2100 * time.Millisecond) // the server last knew the other to be there 2 s after it began
		load(c, robotsURL(s, 1))
		both.Wait()
		time.Sleep(time.Second)
		for limit, accused := range map[int]int{1: 1, 2: 0} {
			v := s.Counter().Check(count.Demands{AddressDelay: time.Second, AddressCap: limit})
			if len(v) != accused {
				t.Errorf("at most %d at once: accused of %v, want %d", limit, v, accused)
			}
		}
	})
}

// mirroredSite is the number and domain of a site that has a mirror.
func mirroredSite(s *Server) string {
	for id := range graph.Site(s.Web().Sites()) {
		if m := s.SiteTruth(id).Mirror; m != "" {
			return strings.TrimPrefix(m, "http://m")
		}
	}
	return ""
}

// TestCrowd: a million links are sent in pieces, without the memory that they take.
func TestCrowd(t *testing.T) {
	o := answer.Options{Pages: answer.PageShares{Crowd: 1}}
	s := mustServe(t, smallWeb, o)
	const p = 3
	w := ask(s, s.URL(p))
	if n, want := w.Body.Len(), s.Truth(p).Size; n != want || n < 20<<20 || fmt.Sprint(n) != w.Header().Get("Content-Length") {
		t.Errorf("%d bytes, want %d and %s", n, want, w.Header().Get("Content-Length"))
	}
	if n := strings.Count(w.Body.String(), "<a href=/c/"); n != 1_000_000 {
		t.Errorf("%d links", n)
	}
	small := mustServe(t, smallWeb, answer.Options{Pages: answer.PageShares{Crowd: 1}, CrowdLinks: 3001})
	links := hrefs(t, s.URL(p), ask(small, s.URL(p)).Body)
	slices.Sort(links)
	if links = slices.Compact(links); len(links) != 3001 {
		t.Errorf("%d different links", len(links))
	}
	if at := placeOf(t, small, links[77]); at.Trap != answer.CrowdLink || ask(small, links[77]).Code != 200 || ask(small, links[77]+"0").Code != 404 {
		t.Errorf("%s is %+v", links[77], at)
	}
	if x := small.Wanted(answer.Limits{MaxBody: 10_000}); len(x.Requested) == 0 {
		t.Error("a crowded page is wanted")
	}
}
