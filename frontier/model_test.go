package frontier

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// duel drives a frontier and the naive one with the same random events, and compares
// what they hand out and when.
type duel struct {
	t      *testing.T
	r      *rand.Rand
	f      *Frontier
	fresh  func(hold bool) *Frontier
	n      naive
	now    time.Duration
	flying []flight
	siteOf []graph.Site // by page of the web
	ids    map[uint32]graph.Page
	sites  map[graph.Site]graph.Site
	named  []graph.Site // site of the web by site
	world  []uint32     // page of the web by page
	log    []logged
	hold   []graph.Site // sites with tasks to be settled
	files  int          // sitemap files that there were
	handed []int        // by page: how often
}

type flight struct {
	w     event.Task
	start time.Duration
}

type logged struct {
	at     time.Duration
	e      event.Event
	mirror bool // no event: the site of it was found to mirror another
}

// replay does what is logged.
func (l *logged) replay(f *Frontier) {
	if l.mirror {
		f.DiscountSite(l.e.Site)
	} else {
		f.Apply(l.at, &l.e)
	}
}

const duelPages, duelSites = 120, 12

func newDuel(t *testing.T, seed uint64) *duel {
	d := &duel{t: t, r: rand.New(rand.NewPCG(seed, 7)), ids: map[uint32]graph.Page{}, sites: map[graph.Site]graph.Site{}}
	o := &Options{
		Delay:         time.Duration(d.r.IntN(4)) * time.Second,
		Factor:        float64(d.r.IntN(3)),
		FactorMax:     5 * time.Second,
		PerConnection: 1 + d.r.IntN(3),
		Resolve:       true,
		Robots:        true,
		Allowed:       func(p graph.Page) bool { return d.world[p]%11 != 5 },
		AddressCap:    d.r.IntN(3),
		AddressDelay:  time.Duration(d.r.IntN(3)) * 300 * time.Millisecond,
		Slow:          time.Duration(d.r.IntN(2)) * time.Second,
		SlowTimes:     2,
		SlowDelay:     4 * time.Second,
		SlowMax:       20 * time.Second,
		Twin:          d.twin,
		Hold:          d.r.IntN(2) == 0,
		MaxPages:      duelPages,
		MaxSites:      duelSites,
	}
	name := []string{"breadth-first", "opic"}[seed%2]
	choice, err := policy.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	d.fresh = func(hold bool) *Frontier {
		o := *o
		o.Hold = hold
		f, err := New(o, policy.Env{}, choice, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.tasks.patience = d.n.patience
		return f
	}
	d.n.patience = []int{1, 2, patience}[seed%3]
	d.f = d.fresh(o.Hold)
	o.PerConnection = max(1, o.PerConnection)
	d.n = naive{o: o, opic: name == "opic", addrs: map[uint32]*naiveAddress{}, twin: d.twin, patience: d.n.patience}
	for range duelPages {
		d.siteOf = append(d.siteOf, graph.Site(d.r.IntN(1+d.r.IntN(duelSites))))
	}
	return d
}

// site numbers a site of the web.
func (d *duel) site(w graph.Site) graph.Site {
	s, ok := d.sites[w]
	if !ok {
		s = graph.Site(len(d.sites))
		d.sites[w] = s
		d.named = append(d.named, w)
	}
	return s
}

// twin pairs every third two sites.
func (d *duel) twin(s graph.Site) graph.Site {
	w := d.named[s]
	if t, ok := d.sites[w^1]; ok && w/2%3 == 0 {
		return t
	}
	return graph.NoSite
}

// discover numbers pages of the web, and returns the sites of new ones.
func (d *duel) discover(pages []uint32) (links []graph.Page, sites []graph.Site) {
	for _, w := range pages {
		p, known := d.ids[w]
		if !known {
			p = graph.Page(len(d.world))
			d.ids[w] = p
			d.world = append(d.world, w)
			d.handed = append(d.handed, 0)
			sites = append(sites, d.site(d.siteOf[w]))
		}
		links = append(links, p)
	}
	return links, sites
}

func (d *duel) apply(e event.Event) {
	d.log = append(d.log, logged{at: d.now, e: e})
	d.f.Apply(d.now, &e)
}

func (d *duel) seed() {
	n := 1 + d.r.IntN(4)
	_, sites := d.discover([]uint32{0, 1, 2, 3}[:n])
	e := event.Event{Kind: event.Seed, New: sites}
	d.n.know(&e, 0)
	if d.n.opic {
		for i := range d.n.pages {
			d.n.pages[i].value = 1 / float64(n)
		}
	}
	d.apply(e)
}

// ask asks both for a task. Without any, it sees that asking changes nothing, and that
// the frontier wants to be asked no later than it could have something.
func (d *duel) ask() bool {
	want, ok := d.n.hand(d.now, -1)
	got, again, gotOK := d.f.Next(d.now)
	for d.refusals() == d.n.patience && !gotOK && again == d.now { // it gave up
		got, again, gotOK = d.f.Next(d.now)
	}
	if got != want || gotOK != ok {
		d.t.Fatalf("%v: next hands out %+v %v, want %+v %v", d.now, got, gotOK, want, ok)
	}
	d.count()
	if ok {
		d.begin(got)
		return true
	}
	if first := d.n.first(d.now); again > first || again <= d.now {
		d.t.Fatalf("%v: asks to be asked at %v, there is something at %v", d.now, again, first)
	}
	if d.r.IntN(8) == 0 && len(d.hold) == 0 { // which a copy does not know of
		d.askInVain(again)
	}
	return false
}

// count compares what can be counted at once.
func (d *duel) count() {
	d.n.wake(d.now)
	want, got := Counts{Hops: len(d.n.hops)}, d.f.Counts()
	for i := range d.n.sites {
		s := &d.n.sites[i]
		want.Files += s.files
		if d.n.o.Slow > 0 && s.slow >= d.n.o.SlowTimes {
			want.Slow++
		}
		if s.acquired && !s.kept {
			want.Flying++
		}
	}
	for i := range d.n.pages {
		switch p := &d.n.pages[i]; {
		case p.waits(d.now):
			want.Queued++
		case p.waits(event.Never):
			want.Due++
		}
		if d.n.pages[i].again {
			want.Revisits++
		}
	}
	got.Polite, got.Parked, got.Held, got.Blocked = 0, 0, 0, 0
	if got != want {
		d.t.Fatalf("%v: counts %+v, want %+v", d.now, got, want)
	}
	kept := d.f.pages.census
	if d.f.pages.recount(); d.f.pages.census != kept {
		d.t.Fatalf("%v: the census was %v, pages say %v", d.now, kept, d.f.pages.census)
	}
}

// askInVain asks before the instant that the frontier said: nothing may be handed out,
// and nothing change but that time goes by.
func (d *duel) askInVain(again time.Duration) {
	other := d.copy()
	defer other.Free()
	later := d.now + time.Duration(d.r.Int64N(int64(min(again-d.now, time.Minute))))
	if w, _, ok := d.f.Next(later); ok {
		d.t.Fatalf("%v: hands out %+v before %v", later, w, again)
	}
	d.now = later // it never goes back
	if d.f.Polled() {
		asked := event.Event{Kind: event.Polled}
		d.log = append(d.log, logged{at: later, e: asked})
		other.Apply(later, &asked)
	} else {
		other.pages.wake(later)
	}
	if got, want := describe(d.f), describe(other); got != want {
		d.t.Fatalf("%v: a question in vain changed the state: %s", later, firstDifference(want, got))
	}
}

func (d *duel) refusals() int {
	list := d.f.Refusals()
	for _, p := range list {
		d.log = append(d.log, logged{at: d.now, e: event.Event{Kind: event.Refused, Task: event.Task{Page: p}}})
	}
	return len(list)
}

// begin notes a task and checks politeness.
func (d *duel) begin(w event.Task) {
	d.log = append(d.log, logged{at: d.now, e: event.Event{Kind: event.Took, Task: event.Task{Kind: w.Kind, Site: w.Site, Page: w.Page, Board: w.Board, For: w.For}}})
	if slices.ContainsFunc(d.flying, func(f flight) bool { return f.w.Site == w.Site || f.w.Site == d.twin(w.Site) }) {
		d.t.Fatalf("%v: two works of site %d or its twin at a time", d.now, w.Site)
	}
	d.flying = append(d.flying, flight{w, d.now})
	if w.Kind == event.Fetch {
		d.handed[w.Page]++
		if !d.n.o.Allowed(w.Page) {
			d.t.Fatalf("%v: page %d is handed out, but it is forbidden", d.now, w.Page)
		}
	}
}

func (d *duel) end(e *event.Event, w event.Task) {
	for a := e.Address; a > 0 && d.n.addrs[a] == nil && !e.Again && !e.Class.Failed(); a-- { // numbers are dense, so all below are known
		d.n.addrs[a] = &naiveAddress{}
	}
	d.n.end(d.now, w.Site, e)
	d.apply(*e)
	if d.n.o.Hold && e.Kind != event.Resolved {
		d.hold = append(d.hold, w.Site)
		if e.Kind == event.Ruled && e.For != e.Site && !e.Hop {
			d.hold = append(d.hold, e.For)
		}
	}
	s := &d.n.sites[w.Site]
	if w.Kind != event.Fetch {
		return
	}
	var want event.Task
	ok := false
	if s.kept {
		if want, ok = d.n.hand(d.now, int(w.Site)); !ok {
			d.n.release(s, d.now)
		}
	}
	got, gotOK := d.f.More(d.now, w.Site)
	d.refusals()
	if got != want || gotOK != ok {
		d.t.Fatalf("%v: more hands out %+v %v, want %+v %v", d.now, got, gotOK, want, ok)
	}
	if ok {
		d.begin(got)
	}
}

// settle settles a number of tasks, in any order.
func (d *duel) settle(n int) {
	for ; n > 0 && len(d.hold) > 0; n-- {
		i := d.r.IntN(len(d.hold))
		s := d.hold[i]
		d.hold = slices.Delete(d.hold, i, i+1)
		d.n.sites[s].unsettled--
		d.f.Settle(d.now, s)
	}
}

// copy returns a frontier that loads what this one saves.
func (d *duel) copy() *Frontier {
	var b bytes.Buffer
	f := d.fresh(d.n.o.Hold)
	if err := cmp.Or(d.f.Save(&b), f.Load(&b)); err != nil {
		d.t.Fatal(err)
	}
	return f
}

// reload continues with a frontier that was saved and loaded.
func (d *duel) reload() {
	f := d.copy()
	d.f.Free()
	d.f = f
}

// run crawls to the end: with up to r tasks at a time, restarts and reloads.
func (d *duel) run() {
	d.seed()
	r := 1 + d.r.IntN(6)
	for {
		idle := false
		for len(d.flying) < r && !idle {
			idle = !d.ask()
		}
		if len(d.hold) > 0 {
			if d.settle(d.r.IntN(3)); len(d.flying) == 0 {
				continue
			}
		}
		if len(d.flying) == 0 {
			if d.now = d.n.first(d.now); d.now == event.Never {
				return
			}
			continue
		}
		d.now += time.Duration(d.r.IntN(1500)) * time.Millisecond
		switch d.r.IntN(60) {
		case 0:
			d.flying, d.hold = nil, nil
			d.n.session(d.now)
			d.apply(event.Event{Kind: event.Session})
		case 1, 2:
			d.settle(len(d.hold)) // what is saved is held no more
			d.reload()
		case 3:
			d.mirror()
		default:
			d.finish()
		}
	}
}

// TestAgainstModel: same hand-outs at the same instants as the naive frontier, nothing
// forgotten, and the events alone give the same state.
func TestAgainstModel(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := newDuel(t, seed)
			defer func() { d.f.Free() }()
			d.run()
			d.f.pages.wake(event.Never - 1)
			d.n.wake(event.Never)
			for p := range d.f.Pages() {
				s := d.f.State(graph.Page(p))
				if s == Known || s == Acquired || s == Fetched && d.handed[p] == 0 {
					t.Errorf("page %d is %v at the end, and was handed out %d times", p, s, d.handed[p])
				}
				want, bar, depth := &d.n.pages[p], d.f.Bar(graph.Page(p)), d.f.Depth(graph.Page(p))
				if s != want.state || bar != want.bar || depth != want.depth {
					t.Errorf("page %d is %v (bar %v, depth %d), want %v (%v, %d)", p, s, bar, depth, want.state, want.bar, want.depth)
				}
			}
			replayed := d.fresh(false)
			defer replayed.Free()
			for _, l := range d.log {
				l.replay(replayed)
			}
			replayed.pages.wake(event.Never - 1)
			if n := replayed.Differs(); n != 0 && !d.n.o.Hold {
				t.Errorf("on replay %d decisions differ", n)
			}
			if got, want := describe(replayed), describe(d.f); got != want {
				t.Errorf("replayed: %s", firstDifference(want, got))
			}
		})
	}
}

// describe returns the whole state as text, without the places in heaps, which depend on
// history.
func describe(f *Frontier) string {
	x, c := f.sites, &f.sites.clocks
	due := slices.Clone(f.pages.due)
	slices.SortFunc(due, func(a, b instant) int { return int(a.id) - int(b.id) })
	s := fmt.Sprintln(x.hops.list(), x.now, f.pages.queued, f.tasks.flying, x.wants, due, f.pages.inBatch, f.tasks.batches.list, f.Counts())
	for _, v := range []any{x.place.Slice(), x.stage.Slice(), c.pages.Slice(), c.next.Slice(), x.served.Slice(), c.fails.Slice(),
		c.crawlDelay.Slice(), x.robotsExpiry.Slice(), c.twin.Slice(), c.median.Slice(), c.slow.Slice(), x.addressExpiry.Slice(), x.sitemaps.Slice(),
		f.Addresses().All(), x.addresses.active.Slice(), x.addresses.free.Slice(),
		f.pages.state.Slice(), f.pages.from.Slice(), f.pages.depth.Slice(), f.orders.nears.Slice(), f.orders.mirrors.Slice(), f.orders.near} {
		s += fmt.Sprintln(v)
	}
	for p := range graph.Page(f.Pages()) {
		for b, q := range f.orders.boards {
			s += fmt.Sprint(" ", p, "=", f.Value(p, b), q.active.Value(p), q.active.Waits(p), q.pool != nil && q.pool.Waits(p))
		}
	}
	return s
}

// FuzzFrontier looks for seeds of a random crawl in which the two differ.
func FuzzFrontier(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		d := newDuel(t, seed)
		defer func() { d.f.Free() }()
		d.run()
	})
}
