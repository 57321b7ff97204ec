package trap

import (
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A trialWeb is pages that are held, and what they lead to: further pages that are refused
// for the same reason.
type trialWeb struct {
	*guarded
	parent map[graph.Page]graph.Page
	made   func(p *Page) (rests []string) // pages that a page makes known
	news   func(p *Page) News
	fails  bool // pages do not come
	asked  int
}

// newTrialWeb holds pages of a site that is worth so many new pages.
func newTrialWeb(worth int, rests ...string) *trialWeb {
	w := &trialWeb{guarded: newGuarded(10_000, 10), parent: map[graph.Page]graph.Page{}}
	w.AddSite([]byte("a.example"), 0, "a.example")
	w.Parent = func(p *Page) (Page, bool) {
		from, ok := w.parent[p.ID]
		if !ok {
			return Page{}, false
		}
		return w.pages[from], true
	}
	for i := range worth {
		w.Fetched(w.page(0, "/good%d", i), News{Change: uint64(i + 1)})
	}
	w.made = func(*Page) []string { return nil }
	w.news = func(*Page) News { return News{Same: true, Like: 1} }
	for _, rest := range rests {
		w.Refused(w.page(0, "%s", rest), event.BarNoNews)
	}
	return w
}

// end is the end of a crawl, when nothing but suspects are left: they are tried until none
// may be.
func (w *trialWeb) end(t *testing.T) {
	t.Helper()
	bar := func(graph.Page) event.Bar { return event.BarNoNews }
	for {
		list := w.Try(0, w.look, nil)
		if len(list) == 0 {
			return
		}
		if again := w.Try(0, w.look, nil); !slices.Equal(again, list) {
			t.Fatal("trying has left a trace")
		}
		w.Tried(list, w.look, bar)
		for _, id := range list {
			w.asked++
			p := w.pages[id]
			w.gone[id] = true
			if b := w.Judge(&p); b != event.NoBar {
				t.Fatalf("a page on trial is judged %v", b)
			}
			if w.Requested(&p); w.fails {
				continue
			}
			w.Fetched(&p, w.news(&p))
			for _, rest := range w.made(&p) {
				q := w.page(0, "%s", rest)
				w.parent[q.ID] = id
				w.Refused(q, event.BarNoNews)
			}
		}
		checkHeld(t, w.Guard)
		if w.asked > 5000 {
			t.Fatal("the trial does not end")
		}
	}
}

// What has an end comes whole: a list of any size, which shrinks with every step, and small
// trees, which grow first.
func TestTrialShrinks(t *testing.T) {
	w := newTrialWeb(0, manyRests("/list/", 900)...)
	w.end(t)
	if w.asked != 900 || w.Holds() != 0 {
		t.Errorf("%d of 900 pages of a list came, %d are held", w.asked, w.Holds())
	}
	w = newTrialWeb(0, manyRests("/tree/", 20)...)
	w.made = func(p *Page) []string {
		if len(p.Rest) < len("/tree/00/b/") {
			return []string{string(p.Rest) + "a/", string(p.Rest) + "b/"}
		}
		return nil
	}
	w.end(t)
	if w.asked != 60 || w.Holds() != 0 {
		t.Errorf("%d of 60 pages of trees came, %d are held", w.asked, w.Holds())
	}
}

func manyRests(dir string, n int) (rests []string) {
	for i := range n {
		rests = append(rests, dir+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/26/26))+"/")
	}
	return rests
}

// What has none costs no more than the floor beyond what waits: chains, and months with
// days that are ends.
func TestTrialOfNoEnd(t *testing.T) {
	w := newTrialWeb(0, "/next/x/")
	w.made = func(p *Page) []string { return []string{string(p.Rest) + "x/"} }
	w.end(t)
	if w.asked > trialFloor {
		t.Errorf("%d pages of a chain without end were asked for", w.asked)
	}
	w = newTrialWeb(0, "/cal/m/")
	w.made = func(p *Page) []string {
		if p.Rest[len(p.Rest)-1] != '/' {
			return nil
		}
		return append(manyRests(string(p.Rest)+"day", 30), string(p.Rest)+"m/")
	}
	w.end(t)
	if w.asked > trialFloor {
		t.Errorf("%d pages of a calendar without end were asked for", w.asked)
	}
	w = newTrialWeb(0, "/cal/m/")
	w.made = func(p *Page) (list []string) {
		if p.Rest[len(p.Rest)-2] != 'm' {
			return nil
		}
		return append([]string{string(p.Rest) + "m/"}, manyRests(string(p.Rest)+"day", 30)...)
	}
	w.end(t)
	if w.asked > trialFloor {
		t.Errorf("%d pages of a calendar were asked for, whose days come first", w.asked)
	}
}

// Copies of what is there are no sign of an end, unless few are left.
func TestTrialOfCopies(t *testing.T) {
	for _, c := range []struct{ worth, held, want int }{{10, 40, 40}, {10, 60, trialFloor}, {200, 257, 257}, {200, 300, trialFloor}} {
		w := newTrialWeb(c.worth, manyRests("/copy/", c.held)...)
		w.news = func(*Page) News { return News{Same: true, Exact: true, Like: 1, Ends: true} }
		w.end(t)
		if w.asked != c.want {
			t.Errorf("%d of %d copies came where the site has %d pages, want %d", w.asked, c.held, c.worth, c.want)
		}
	}
}

// Pages that do not come are no sign of an end.
func TestTrialOfFailures(t *testing.T) {
	w := newTrialWeb(10, manyRests("/gone/", 300)...)
	w.fails = true
	w.end(t)
	if w.asked != trialFloor {
		t.Errorf("%d of 300 pages were asked for, which all fail", w.asked)
	}
}

// A chain continues as long as its pages bring something new, or lead to it.
func TestTrialOfNews(t *testing.T) {
	for _, led := range []bool{false, true} {
		w := newTrialWeb(0, "/next/x/")
		n := 0
		w.made = func(p *Page) []string {
			if n++; n == 100 {
				return nil
			}
			if led {
				w.Led(&w.pages[p.ID])
			}
			return []string{string(p.Rest) + "x/"}
		}
		if !led {
			w.news = func(p *Page) News { return News{Change: uint64(p.ID) + 1000} }
		}
		w.end(t)
		if w.asked != 100 {
			t.Errorf("%d of 100 pages came that lead to something new (%v) or bring it", w.asked, led)
		}
	}
}

// Pages for which there was no room come as well.
func TestTrialOfMore(t *testing.T) {
	const pages = maxHeldFor + 500
	w := newTrialWeb(0, manyRests("/list/", pages)...)
	bar := func(graph.Page) event.Bar { return event.BarNoNews }
	more := func(each func(*Page, event.Bar)) {
		for i := range w.pages {
			if p := w.pages[i]; !w.gone[p.ID] && !w.Holding(p.ID) {
				each(&p, event.BarNoNews)
			}
		}
	}
	asked := 0
	for list := w.Try(0, w.look, more); len(list) > 0; list = w.Try(0, w.look, more) {
		w.Tried(list, w.look, bar)
		for _, id := range list {
			asked++
			w.gone[id] = true
			w.Requested(&w.pages[id])
			w.Fetched(&w.pages[id], News{Same: true, Like: 1})
		}
	}
	if asked != pages {
		t.Errorf("%d of %d pages came", asked, pages)
	}
}

// To take pages out costs the same however many are held (it was quadratic): the number of
// pages and lists that are moved is at most twice that of the pages.
func TestCaseRelease(t *testing.T) {
	for _, lists := range []int{1, 5000, 50_000} {
		h, pages := newHeld(), 50_000
		for i := range pages {
			if lists == 1 {
				i %= maxHeldFor
			}
			h.add(uint64(i%lists)*3+1, graph.Page(i), event.BarGrows)
		}
		for i := range pages {
			h.remove(graph.Page(i))
		}
		if len(h.of)+len(h.lists) > 0 || h.moved > 2*pages {
			t.Errorf("%d pages in %d lists: %d are left, %d were moved", pages, lists, len(h.of), h.moved)
		}
	}
}
