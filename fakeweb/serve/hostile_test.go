package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
)

// impatient is a visitor that reads 600 kB at most and never waits.
type impatient struct{ *httptest.ResponseRecorder }

func (w impatient) Write(b []byte) (int, error) {
	if w.Body.Len() > 600_000 {
		return 0, errors.New("enough")
	}
	return w.ResponseRecorder.Write(b)
}

// askOnce sends a request straight to the handler. Answers that come to no end are left
// early; those without an answer have status 0.
func askOnce(s *Server, link string) (w *httptest.ResponseRecorder) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	w = httptest.NewRecorder()
	w.Code = 0
	defer func() {
		if e := recover(); e != nil && e != http.ErrAbortHandler {
			panic(e)
		}
	}()
	s.ServeHTTP(impatient{w}, httptest.NewRequestWithContext(ctx, "GET", link, nil))
	return w
}

// explorer is a crawler in small for hostile webs. It knows what URLs stand for and goes
// where it is told to.
type explorer struct {
	t     *testing.T
	s     *Server
	all   bool // into everything: copies, what is behind them, traps, what cannot be read well
	traps int  // URLs in each trap that it requests at most
	wide  bool // newest first

	depth   map[string]int
	trapped map[string]int // by trap and site
	queue   []string
	ruled   map[string]*robots.Rules
	full    []graph.Page
	asked   []graph.Page
	refused []graph.Page
	lost    []graph.Page
}

func (x *explorer) explore(seeds ...graph.Page) {
	x.depth, x.ruled, x.trapped = map[string]int{}, map[string]*robots.Rules{}, map[string]int{}
	for _, p := range seeds {
		x.find(x.s.URL(p), 0)
	}
	for len(x.queue) > 0 {
		next := 0
		if x.wide {
			next = len(x.queue) - 1
		}
		at := x.queue[next]
		x.queue = slices.Delete(x.queue, next, next+1)
		x.visit(at)
	}
	for _, set := range [][]graph.Page{x.full, x.asked, x.refused, x.lost} {
		slices.Sort(set)
	}
}

// find makes a URL known, session ids taken off.
func (x *explorer) find(link string, depth int) {
	at, ok := x.s.Place(link)
	if !ok {
		x.t.Fatalf("%s: nobody answers for it", link)
	}
	if at.Trap.BySession() {
		link, at.Kind, at.Trap = x.s.URL(at.Page), answer.KindPage, answer.NoTrap
	}
	if _, known := x.depth[link]; known || at.Kind != answer.KindPage && !x.all {
		return
	}
	if at.Trap != answer.NoTrap {
		which := fmt.Sprint(at.Trap, siteNumber(link))
		if x.trapped[which]++; x.trapped[which] > x.traps {
			return
		}
	}
	x.depth[link] = depth
	x.queue = append(x.queue, link)
}

// siteNumber is the number of the site in a host name: s042.example, m042.example,
// f042-7.example or anything.s042.example.
func siteNumber(link string) string {
	host := strings.TrimSuffix(answer.TrimPort(strings.Split(link, "/")[2]), ".example")
	if i := strings.LastIndexByte(host, '.'); i >= 0 {
		host = host[i+1:]
	}
	number, _, _ := strings.Cut(host[1:], "-")
	return number
}

// rules are those of the host of a URL.
func (x *explorer) rules(link string) *robots.Rules {
	host := link[:strings.IndexByte(link[8:], '/')+8]
	if r := x.ruled[host]; r != nil {
		return r
	}
	rules := robots.DisallowAll()
	for at, n := host+"/robots.txt", 0; n < 6; n++ {
		w := askOnce(x.s, at)
		switch {
		case w.Code == 200:
			rules, n = robots.Parse(w.Body.Bytes()).For("winnow"), 6
		case w.Code == 302:
			at = w.Header().Get("Location")
		case w.Code == 404:
			rules, n = robots.Rules{}, 6
		}
	}
	x.ruled[host] = &rules
	return &rules
}

// reachable reports whether the host of a URL can be connected to.
func (x *explorer) reachable(link string) bool {
	id, ok := x.s.SiteAt(strings.Split(link, "/")[2])
	if !ok {
		_, ok = x.s.Place(link)
		return ok
	}
	return x.s.SiteTruth(id).Reachable
}

func (x *explorer) visit(link string) {
	p, isPage := x.s.Page(link)
	put := func(set *[]graph.Page) {
		if isPage {
			*set = append(*set, p)
		}
	}
	if !x.reachable(link) {
		put(&x.lost)
		return
	}
	path := link[strings.IndexByte(link[8:], '/')+8:]
	if !x.rules(link).Test(path).Allowed {
		put(&x.refused)
		return
	}
	if isPage && x.s.Truth(p).Later && !x.all {
		return
	}
	w := x.fetch(link)
	good := w.Code == 200 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") &&
		fmt.Sprint(w.Body.Len()) == w.Header().Get("Content-Length") && w.Header().Get("Content-Encoding") == ""
	if text := w.Body.String(); good && !strings.Contains(text[:min(300, len(text))], "not found") {
		put(&x.full)
	} else {
		put(&x.asked)
	}
	for _, u := range x.links(link, w, good) {
		x.find(u, x.depth[link]+1)
	}
}

// fetch asks until there is a lasting answer, or one that is as good.
func (x *explorer) fetch(link string) (w *httptest.ResponseRecorder) {
	for range 4 {
		w = askOnce(x.s, link)
		cut := w.Code == 200 && w.Header().Get("Content-Length") != "" && fmt.Sprint(w.Body.Len()) != w.Header().Get("Content-Length")
		if w.Code != 0 && w.Code != 503 && w.Code != 429 && !cut {
			break
		}
	}
	return w
}

// links are those that the visitor follows.
func (x *explorer) links(link string, w *httptest.ResponseRecorder, good bool) []string {
	isHTML := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html")
	switch head := w.Header().Get("X-Robots-Tag") + w.Body.String()[:min(300, w.Body.Len())]; {
	case w.Code/100 == 3:
		return []string{absolute(x.t, link, w.Header().Get("Location"))}
	case w.Code != 200 || !isHTML || strings.Contains(head, "nofollow") || !good && !x.all:
		return nil
	}
	if w.Body.Len() > 600_000 {
		return nil
	}
	return hrefs(x.t, link, bytes.NewReader(w.Body.Bytes()))
}

// hostileShares are the shares of what makes a web hostile: those from "hang" on.
func hostileShares(o *answer.Options) []answer.Share {
	all := o.Shares()
	return all[slices.IndexFunc(all, func(s answer.Share) bool { return s.Name == "hang" }):]
}

// hostileWeb has everything on, with larger shares than Hostile for the many kinds of
// pages, and no page that takes long.
func hostileWeb() answer.Options {
	o := answer.Hostile()
	for _, s := range hostileShares(&o) {
		*s.Value *= 3
	}
	o.MaxSize, o.CrowdLinks, o.LargeSize = 12_000, 2000, 100_000
	o.Servers.StormFor = 1 // one request
	o.NoFollow, o.HubsFail = 0.05, true
	o.Traps.FarmSites, o.Traps.FarmPages = 4, 50
	return o
}

var hostileSpec = fakeweb.Spec{Pages: 3000, Sites: 80, Links: 24000, Seed: 9}

// TestWantedHostile: a visitor that keeps out of copies and traps, and follows only what
// can be read, meets exactly what the truth calls wanted.
func TestWantedHostile(t *testing.T) {
	s := mustServe(t, hostileSpec, hostileWeb())
	w := checkExplored(t, s)
	if len(w.Pages) < 500 || min(len(w.Requested), len(w.Refused), len(w.Lost), len(w.Maybe)) < 20 {
		t.Errorf("%d wanted, %d asked, %d refused, %d lost, %d doubtful", len(w.Pages), len(w.Requested), len(w.Refused), len(w.Lost), len(w.Maybe))
	}
	seen := map[answer.Class]bool{}
	for _, p := range append(w.Pages, w.Requested...) {
		seen[s.Truth(p).Class] = true
	}
	if len(seen) != int(answer.Bomb) { // all but answer.Large
		t.Errorf("classes %v", seen)
	}
}

// TestEachSwitch: the same with each share alone, on a web with so few links that a page
// that leads nowhere cuts off others; and a visitor that goes into everything finds what
// is doubtful and nothing beyond.
func TestEachSwitch(t *testing.T) {
	specs := []fakeweb.Spec{
		{Pages: 300, Sites: 12, Links: 400, Seed: 9}, {Pages: 300, Sites: 12, Links: 900, Seed: 2},
		{Pages: 300, Sites: 30, Links: 900, Seed: 2}, {Pages: 300, Sites: 30, Links: 400, Seed: 4},
	}
	if os.Getenv("WINNOW_TORTURE") == "" {
		specs = specs[:2]
	}
	if testing.Short() {
		specs = specs[:1]
	}
	for i := range hostileShares(new(answer.Options)) {
		o := answer.Options{HubsFail: true, CrowdLinks: 50, MaxSize: 12_000, NoFollow: 0.1, Robots: answer.RobotsShares{Rules: 0.6, Forbid: 0.4}}
		share := hostileShares(&o)[i]
		*share.Value = 0.4
		o.Servers.StormFor = 1
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(share.Name, func(t *testing.T) {
			for _, spec := range specs {
				checkExplored(t, mustServe(t, spec, o))
				checkCurious(t, mustServe(t, spec, o), false)
			}
		})
	}
}

// checkCurious lets a visitor into everything, up to some URLs of each trap.
func checkCurious(t *testing.T, s *Server, wide bool) {
	t.Helper()
	x := &explorer{t: t, s: s, all: true, traps: 25, wide: wide}
	x.explore(0)
	w := s.Wanted(answer.Limits{})
	for _, v := range s.Counter().CheckWanted(w) {
		if v.Kind != count.ThroughCopy {
			t.Errorf("wide %v: %v %s %+v", wide, v, s.URL(v.Page), s.Truth(v.Page))
			break
		}
	}
	for _, p := range w.Maybe {
		traps := s.SiteTruth(s.Web().SiteOf(p)).Traps
		vague := slices.Contains(traps, answer.SessionPath) || slices.Contains(traps, answer.CopyDirectory)
		if _, found := x.depth[s.URL(p)]; !found && !vague {
			t.Errorf("wide %v: page %d is doubtful, but there is no way to it: %+v", wide, p, s.Truth(p))
		}
	}
}

// checkExplored lets a careful visitor explore a web and compares what it met with the truth.
func checkExplored(t *testing.T, s *Server) *answer.Wanted {
	t.Helper()
	x := &explorer{t: t, s: s}
	x.explore(0)
	w := s.Wanted(answer.Limits{})
	doubtful := func(p graph.Page) bool { _, found := slices.BinarySearch(w.Maybe, p); return found }
	full, asked := slices.DeleteFunc(x.full, doubtful), slices.DeleteFunc(x.asked, doubtful)
	for _, set := range []struct {
		name      string
		got, want []graph.Page
	}{{"wanted", full, w.Pages}, {"asked", asked, w.Requested}, {"refused", x.refused, w.Refused}, {"lost", x.lost, w.Lost}} {
		if !slices.Equal(set.got, set.want) {
			t.Errorf("%s: %d pages, want %d; first %v", set.name, len(set.got), len(set.want), firstDifference(s, set.got, set.want))
		}
	}
	if v := s.Counter().CheckWanted(w); len(v) > 0 {
		t.Errorf("%d violations, first %v", len(v), v[0])
	}
	if m := s.Counter().Summary(); m.Traps+m.Copies+m.Hidden+m.Repeats > 0 || len(w.Pages) == 0 {
		t.Errorf("%d wanted, counted %+v", len(w.Pages), m)
	}
	return w
}

func firstDifference(s *Server, a, b []graph.Page) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			p := min(a[i], b[i])
			return fmt.Sprintf("%d %s %+v", p, s.URL(p), s.Truth(p))
		}
	}
	return ""
}

// TestFairToTheCurious: visitors that go into everything, breadth first and depth first,
// are accused neither of pages that they could not know to be unwanted nor of missing
// any, however many copies and traps they have seen; and all that they requested is in
// the record.
func TestFairToTheCurious(t *testing.T) {
	if testing.Short() {
		t.Skip("one visitor at a time: nothing for the race detector")
	}
	for _, wide := range []bool{false, true} {
		s := mustServe(t, hostileSpec, hostileWeb())
		checkCurious(t, s, wide)
		m := s.Counter().Summary()
		if m.Traps < 500 || m.Copies < 50 || m.Hidden < 10 || m.Kinds["hop"] < 20 || len(m.TrapKinds) < 10 {
			t.Errorf("wide %v: counted %+v", wide, m)
		}
	}
}

// hostileDigest is a checksum over what a hostile web says: pages twice, their copies, and
// what they link to beside the graph.
func hostileDigest(s *Server) string {
	h := xxh3.New()
	say := func(link string) {
		w := askOnce(s, link)
		fmt.Fprintln(h, link, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Location"), w.Body.Len())
		h.Write(w.Body.Bytes())
	}
	for p := range graph.Page(s.Web().Spec().Pages) {
		say(s.URL(p))
		say(s.URL(p))
		for _, c := range s.Copies(p) {
			say(c.URL)
		}
		for _, link := range s.Beside(p) {
			if strings.HasPrefix(link, "/") {
				link = s.SiteTruth(s.Web().SiteOf(p)).Origin + link
			}
			say(link)
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// TestSameHostileBytes: a seed means the same bytes on every machine and in every version,
// on a hostile web, too.
func TestSameHostileBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("one visitor at a time: nothing for the race detector")
	}
	small := fakeweb.Spec{Pages: 300, Sites: 20, Links: 2400, Seed: 1}
	other := hostileWeb()
	other.Seed = 1
	for _, test := range []struct {
		o    answer.Options
		want string
	}{{hostileWeb(), "a528b12ce1100fbe"}, {other, "3fbe43ca77a8bfdb"}} {
		for range 2 {
			if got := hostileDigest(mustServe(t, small, test.o)); got != test.want {
				t.Errorf("digest %s, want %s", got, test.want)
			}
		}
	}
}

// TestThroughCopies: who has the original and requests what only its copy links to is
// accused, who had the copy first is not.
func TestThroughCopies(t *testing.T) {
	o := answer.Options{Copies: answer.CopyShares{Same: 1}}
	for _, test := range []struct {
		name  string
		order []string
		n     int
	}{
		{"original first", []string{"page", "copy", "hidden"}, 1},
		{"copy first", []string{"copy", "page", "hidden"}, 0},
		{"copy alone", []string{"copy", "hidden"}, 0},
		{"another copy first", []string{"other", "copy", "page", "hidden", "hidden"}, 2},
		{"made up", []string{"page", "hidden"}, 1},
		{"not behind", []string{"page", "copy", "other"}, 0},
	} {
		s := mustServe(t, smallWeb, o)
		p, links := twiceCopied(s)
		for _, what := range test.order {
			if w := ask(s, links[what]); w.Code != 200 {
				t.Fatalf("%s: %s answers %d", test.name, links[what], w.Code)
			}
		}
		v := s.Counter().CheckWanted(&answer.Wanted{Depth: make([]int32, smallWeb.Pages)})
		if len(v) != test.n || test.n > 0 && (v[0].Kind != count.ThroughCopy || v[0].Page != p) {
			t.Errorf("%s: accused of %v", test.name, v)
		}
	}
}

// twiceCopied is a page with a copy below /copy/ and another one.
func twiceCopied(s *Server) (graph.Page, map[string]string) {
	for p := range graph.Page(smallWeb.Pages) {
		c := s.Copies(p)
		if st, j := s.Web().Locate(p); len(c) == 2 {
			return p, map[string]string{
				"page": s.URL(p), "copy": c[0].URL, "other": c[1].URL,
				"hidden": s.SiteTruth(st.ID).Origin + fmt.Sprintf("/hidden/%d/1.html", j),
			}
		}
	}
	return graph.NoPage, nil
}

// TestMirrorsWillDo: a page of a mirrored site may be had from the mirror in its place.
func TestMirrorsWillDo(t *testing.T) {
	s := mustServe(t, smallWeb, answer.Options{Copies: answer.CopyShares{Mirrors: 1}})
	var w answer.Wanted
	w.Depth = make([]int32, smallWeb.Pages)
	for p := range graph.Page(smallWeb.Pages) {
		if c := s.Copies(p); len(c) == 1 {
			w.Pages = append(w.Pages, p)
			if p%2 == 0 {
				ask(s, c[0].URL)
			} else {
				ask(s, s.URL(p))
			}
		}
	}
	if v := s.Counter().CheckWanted(&w); len(v) > 0 || len(w.Pages) < 500 {
		t.Errorf("%d pages, accused of %v", len(w.Pages), v)
	}
	if m := s.Counter().Summary(); m.Copies != m.Kinds["copy"] || m.Copies+m.Full != int64(len(w.Pages)) {
		t.Errorf("counted %+v", m)
	}
	again := mustServe(t, smallWeb, answer.Options{Copies: answer.CopyShares{Mirrors: 1}})
	if v := again.Counter().CheckWanted(&w); len(v) != len(w.Pages) || v[0].Kind != count.Missing {
		t.Errorf("without a visit: %d violations", len(v))
	}
}
