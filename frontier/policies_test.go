package frontier

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/topic"
)

// TestEveryPolicyLive: whatever the policy, a crawl with barred and admitted pages,
// sitemaps, revisits, refusals, failures, discounts and restarts comes to its end, and hands out
// every page that waits as often as it is due.
func TestEveryPolicyLive(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for _, spec := range policy.Specs() {
		if spec.NewOmniscient != nil && spec.New == nil {
			continue // it needs to know the whole web
		}
		for _, mode := range []Mode{Continuous, Thesis, Ahead} {
			t.Run(spec.Name+"/"+mode.String(), func(t *testing.T) {
				for seed := range seeds {
					newLive(t, spec.Name, mode, seed).run()
				}
			})
		}
	}
}

// live drives a frontier with any policy through random events.
type live struct {
	t      *testing.T
	r      *rand.Rand
	f      *Frontier
	fresh  func() *Frontier
	now    time.Duration
	want   map[graph.Page]int // visits that are due
	left   int                // pages that may become known
	flying []event.Task
}

const livePages, liveSites = 80, 9

func newLive(t *testing.T, name string, mode Mode, seed uint64) *live {
	if name == "site-at-a-time" {
		name += "/hosts=2" // so that sites have to wait for others
	}
	choice, err := policy.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	l := &live{t: t, r: rand.New(rand.NewPCG(seed, 5)), want: map[graph.Page]int{}, left: livePages}
	o := Options{Delay: time.Second, PerConnection: 1 + int(seed%3), Robots: true, Mode: mode, Batch: 7, MinActive: 2, MaxPages: livePages, MaxSites: liveSites,
		Allowed: func(p graph.Page) bool { return p%10 != 9 }}
	env := policy.Env{Batch: 7, SiteName: func(s graph.Site) string { return fmt.Sprint("http://", s) },
		URL:   func(b []byte, p graph.Page) []byte { return fmt.Appendf(b, "http://a/%d", p) },
		Prior: &policy.Prior{Value: func(p graph.Page) (float64, bool) { return float64(p), p%3 == 0 }}}
	if choice.Spec.Topic {
		o.Topic = liveTopic(t)
	}
	l.fresh = func() *Frontier {
		f, err := New(o, env, choice, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	l.f = l.fresh()
	return l
}

// liveTopic returns a topic of two words.
func liveTopic(t testing.TB) *topic.Topic {
	made, err := topic.New([]topic.Query{{Terms: []topic.Term{{Word: "some", Weight: 1}, {Word: "topic", Weight: 2}}}}, topic.Rule{}, topic.PaperHot())
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// read lets every third page have a term in its title, and every fifth link in its text.
func (l *live) read(e *event.Event) {
	e.Read.Words = 100
	if e.Page%3 == 0 {
		e.Read.Matches = []event.Match{{Term: uint8(e.Page % 2), Title: 1, Body: 3}}
	}
	for i, p := range e.Links {
		if (int(p)+i)%5 == 0 {
			e.Read.Hits = append(e.Read.Hits, event.Hit{Link: uint32(i), Anchor: uint64(p % 4), Around: uint64(1 + p%3)})
		}
	}
}

func (l *live) run() {
	defer func() { l.f.Free() }()
	e := event.Event{Kind: event.Seed}
	l.discover(&e)
	l.apply(&e)
	for n := 0; n < 20_000; n++ {
		w, ask, ok := l.f.Next(l.now)
		l.forget()
		switch {
		case ok:
			l.begin(w)
		case len(l.flying) == 0 && ask == event.Never:
			l.check()
			return
		case len(l.flying) == 0:
			l.now = ask
		default:
			l.step()
		}
	}
	l.t.Fatal("it does not end")
}

// step ends a task, or does something else.
func (l *live) step() {
	l.now += time.Duration(l.r.IntN(900)) * time.Millisecond
	switch l.r.IntN(30) {
	case 0:
		for _, w := range l.flying {
			if w.Kind == event.Fetch {
				l.want[w.Page]++
			}
		}
		l.flying = nil
		l.apply(&event.Event{Kind: event.Session})
	case 1:
		f := l.fresh()
		var b bytes.Buffer
		if err := cmp.Or(l.f.Save(&b), f.Load(&b)); err != nil {
			l.t.Fatal(err)
		}
		l.f.Free()
		l.f = f
	case 2:
		l.f.DiscountSite(graph.Site(l.r.IntN(l.f.Sites())))
	default:
		l.end(l.flying[0])
	}
	values(l.t, l.f)
}

func (l *live) begin(w event.Task) {
	l.flying = append(l.flying, w)
	if w.Kind != event.Fetch {
		return
	}
	if l.want[w.Page]--; l.want[w.Page] < 0 {
		l.t.Fatalf("page %d is handed out once too often", w.Page)
	}
}

// end ends a task in a random way.
func (l *live) end(w event.Task) {
	l.flying = l.flying[1:]
	e := event.Event{Task: event.Task{Site: w.Site, For: w.For, Page: w.Page}, Start: l.now, End: l.now, Keep: true}
	switch w.Kind {
	case event.Robots:
		e.Kind, e.Files = event.Ruled, uint32(l.r.IntN(3))
	case event.Sitemap:
		e.Kind = event.Listed
		l.discover(&e)
		for p := range graph.Page(l.f.Pages() + len(e.New)) {
			if l.r.IntN(3) == 0 {
				e.Hints = append(e.Hints, event.Hint{Page: p, Above: int8(l.r.IntN(2*event.MaxAbove+1) - event.MaxAbove)})
			}
		}
	case event.Fetch:
		e.Kind = event.Done
		l.came(&e)
	}
	l.apply(&e)
	if more, ok := l.f.More(l.now, w.Site); ok {
		l.begin(more)
	}
	l.forget()
}

// came says how an attempt at a page ended.
func (l *live) came(e *event.Event) {
	switch l.r.IntN(8) {
	case 0:
		e.Class, e.Again, e.Due = event.Timeout, true, l.now+time.Duration(l.r.IntN(3))*time.Second
		l.want[e.Page]++
	case 1:
		e.Class = event.HTTPError
	case 2:
		e.Due = l.now + time.Duration(l.r.IntN(9))*time.Second + 1
		l.want[e.Page]++
		fallthrough
	default:
		e.Near = l.r.IntN(4) == 0
		l.discover(e)
		l.read(e)
	}
}

// discover adds new pages, some of them barred, links, and pages to be admitted.
func (l *live) discover(e *event.Event) {
	known, sites := l.f.Pages(), l.f.Sites()
	for range min(l.left, l.r.IntN(6)+1) {
		s := l.r.IntN(min(sites+1, liveSites))
		sites = max(sites, s+1)
		bar := []event.Bar{event.NoBar, event.NoBar, event.NoBar, event.BarScope}[l.r.IntN(4)]
		if bar == event.NoBar {
			l.want[graph.Page(known+len(e.New))]++
		}
		e.New, e.Bars = append(e.New, graph.Site(s)), append(e.Bars, bar)
		l.left--
	}
	for p := range graph.Page(known + len(e.New)) {
		if l.r.IntN(8) == 0 && p != e.Page && e.Kind == event.Done {
			e.Links = append(e.Links, p)
		}
		if int(p) < known && l.f.Bar(p) == event.BarScope && l.r.IntN(6) == 0 {
			e.Admit = append(e.Admit, p)
			l.want[p]++
		}
	}
}

func (l *live) apply(e *event.Event) {
	if err := l.f.Check(e); err != nil {
		l.t.Fatal(err)
	}
	l.f.Apply(l.now, e)
}

// forget lets refused pages not be due any more.
func (l *live) forget() {
	for _, p := range l.f.Refusals() {
		l.want[p]--
	}
}

// check sees that nothing was forgotten.
func (l *live) check() {
	for p := range graph.Page(l.f.Pages()) {
		if s := l.f.State(p); l.want[p] != 0 || s == Known || s == Acquired || s == Reacquired {
			l.t.Errorf("page %d is %v in the end, and was to be handed out %d times more", p, s, l.want[p])
		}
	}
	n := l.f.Counts()
	if n.Queued+n.Due+n.Flying+n.Pool+n.Files+n.Revisits > 0 {
		l.t.Errorf("in the end: %+v", n)
	}
}
