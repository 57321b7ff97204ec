package frontier

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// A plainPart is what a partition has to tell, in maps: the model of exchange.
type plainPart struct {
	waits map[int][]graph.Page // by partition, in order
	links map[graph.Page]uint32
	told  map[graph.Page]bool
	depth map[graph.Page]uint16
	cash  map[graph.Page]float64 // of all pages, foreign or not
}

func (m *plainPart) note(p graph.Page, part int, links uint32) {
	for _, q := range m.waits[part] {
		if q == p {
			m.links[p] += links
			return
		}
	}
	m.waits[part] = append(m.waits[part], p)
	m.links[p] += links
}

// parted is a crawl of a random graph, cut into partitions.
type parted struct {
	t       *testing.T
	r       *rand.Rand
	n, of   int
	out     [][]int // by page of the world
	opic    bool
	learns  bool // the policy has more to tell than the model knows
	parts   []*partOf
	now     time.Duration
	fetched map[int]bool
}

// partOf is one partition, with the messages to it that were not applied.
type partOf struct {
	f      *Frontier
	ids    map[int]graph.Page // by page of the world
	world  []int
	sites  map[int]graph.Site
	site   []int
	model  plainPart
	inbox  []event.Event // links are pages of the world
	events []recorded
}

type recorded struct {
	now time.Duration
	e   event.Event
}

// pagesOfSite is the number of pages of a site.
const pagesOfSite = 3

func newParted(t *testing.T, seed uint64, name string) *parted {
	r := rand.New(rand.NewPCG(seed, 1))
	x := &parted{t: t, r: r, n: 40 + r.IntN(60), of: 2 + r.IntN(4), opic: name == "opic", learns: name != "opic" && name != "backlink-count", fetched: map[int]bool{}}
	x.out = make([][]int, x.n)
	for p := range x.out {
		for range r.IntN(6) {
			if q := r.IntN(x.n); q != p && !slices.Contains(x.out[p], q) {
				x.out[p] = append(x.out[p], q)
			}
		}
	}
	for i := range x.of {
		p := &partOf{ids: map[int]graph.Page{}, sites: map[int]graph.Site{}}
		p.model = plainPart{map[int][]graph.Page{}, map[graph.Page]uint32{}, map[graph.Page]bool{}, map[graph.Page]uint16{}, map[graph.Page]float64{}}
		p.f = x.empty(i, p, name)
		x.parts = append(x.parts, p)
	}
	return x
}

func (x *parted) empty(self int, p *partOf, name string) *Frontier {
	c, err := policy.Choose(name)
	if err != nil {
		x.t.Fatal(err)
	}
	o := Options{MaxPages: x.n, MaxSites: x.n, Partitions: x.of, Self: self, Depths: true,
		Owner: func(s graph.Site) int { return x.partition(p.site[s]) }}
	f, err := New(o, policy.Env{Random: 1, Batch: 10}, c, nil, nil)
	if err != nil {
		x.t.Fatal(err)
	}
	return f
}

// partition returns the partition of a site of the world.
func (x *parted) partition(site int) int { return site % x.of }

// discover returns the id of a page of the world in partition i, and adds it to an event if it is
// new.
func (x *parted) discover(i int, page int, e *event.Event) graph.Page {
	p := x.parts[i]
	if id, ok := p.ids[page]; ok {
		return id
	}
	site := page / pagesOfSite
	s, ok := p.sites[site]
	if !ok {
		s = graph.Site(len(p.site))
		p.sites[site] = s
		p.site = append(p.site, site)
	}
	id := graph.Page(len(p.world))
	p.ids[page], p.world = id, append(p.world, page)
	bar := event.NoBar
	if x.partition(site) != i {
		bar = event.BarForeign
	}
	e.New, e.Bars = append(e.New, s), append(e.Bars, bar)
	return id
}

func (x *parted) apply(i int, e event.Event) {
	p := x.parts[i]
	if err := p.f.Check(&e); err != nil {
		x.t.Fatal(err)
	}
	p.events = append(p.events, recorded{x.now, e})
	p.f.Apply(x.now, &e)
}

func (x *parted) seed() {
	e := event.Event{Kind: event.Seed}
	m := &x.parts[0].model
	for page := range 3 {
		p := x.discover(0, page*pagesOfSite, &e)
		if part := x.partition(page); part != 0 {
			m.note(p, part, 0)
		}
		m.depth[p], m.cash[p] = 0, 1./3
	}
	x.apply(0, e)
}

// fetch lets partition i fetch its best page, if it has one: that of any of its boards, which is as
// other partitions have it.
func (x *parted) fetch(i int) bool {
	p := x.parts[i]
	best := p.f.Best(x.now, nil)
	if len(best) == 0 {
		return false
	}
	board := x.r.IntN(len(best)+1) - 1
	w, _, ok := p.f.NextOn(x.now, board)
	if len(best) > 1 && board >= 0 && !math.IsInf(best[board], -1) && int(w.Board) != board {
		x.t.Fatalf("board %d hands out a page, and %d is to", w.Board, board)
	}
	if !ok {
		x.t.Fatal("Best has a page, and Next has none")
	}
	page := p.world[w.Page]
	if x.fetched[page] || x.partition(page/pagesOfSite) != i {
		x.t.Fatalf("partition %d fetches page %d", i, page)
	}
	x.fetched[page] = true
	p.events = append(p.events, recorded{x.now, event.Event{Kind: event.Took, Task: w}})
	e := event.Event{Kind: event.Done, Task: event.Task{Site: w.Site, Page: w.Page}}
	if x.r.IntN(8) == 0 {
		e.Class = event.HTTPError
	} else {
		for _, q := range x.out[page] {
			e.Links = append(e.Links, x.discover(i, q, &e))
		}
	}
	x.follow(i, &e)
	x.apply(i, e)
	return true
}

// follow lets the model fetch a page.
func (x *parted) follow(i int, e *event.Event) {
	m, p := &x.parts[i].model, x.parts[i]
	for k := range e.New {
		id := graph.Page(p.f.Pages() + k)
		m.depth[id] = m.depth[e.Page] + 1
		if part := x.partition(p.world[id] / pagesOfSite); part != i {
			m.note(id, part, 0)
		}
	}
	for _, q := range e.Links {
		m.nearer(x, i, q, m.depth[e.Page]+1)
		if len(e.Links) > 0 {
			m.cash[q] += m.cash[e.Page] / float64(len(e.Links))
		}
	}
	if len(e.Links) > 0 {
		m.cash[e.Page] = 0
	}
	for _, q := range e.Links {
		if part := x.partition(p.world[q] / pagesOfSite); part != i {
			m.note(q, part, 1)
		}
	}
}

// nearer lowers the depth of a page, and of what is behind it, breadth first.
func (m *plainPart) nearer(x *parted, i int, p graph.Page, depth uint16) {
	part := x.parts[i]
	lower := func(p graph.Page, depth uint16) bool {
		if m.depth[p] <= depth {
			return false
		}
		m.depth[p] = depth
		if to := x.partition(part.world[p] / pagesOfSite); to != i {
			m.note(p, to, 0)
		}
		return true
	}
	if !lower(p, depth) {
		return
	}
	for list := []graph.Page{p}; len(list) > 0; list = list[1:] {
		if int(list[0]) >= part.f.Pages() || part.f.State(list[0]) != Fetched {
			continue
		}
		for _, q := range x.out[part.world[list[0]]] {
			if id, ok := part.ids[q]; ok && lower(id, m.depth[list[0]]+1) {
				list = append(list, id)
			}
		}
	}
}

// send makes a message and compares it with that of the model.
func (x *parted) send(i, to int) {
	p := x.parts[i]
	m, most := &p.model, 1+x.r.IntN(6)
	if n := p.f.Pending(to); n != len(m.waits[to]) && !x.learns {
		x.t.Fatalf("partition %d has %d pages to tell %d about, want %d", i, n, to, len(m.waits[to]))
	}
	sent, _, _ := p.f.Messages(to)
	x.apply(i, event.Event{Kind: event.Sent, Exchange: event.Exchange{Part: uint16(to), Message: sent + 1, Most: uint32(most)}})
	list, amounts := p.f.Drained()
	names := m.waits[to][:min(most, len(m.waits[to]))]
	m.waits[to] = m.waits[to][len(names):]
	if len(list) != len(names) && !x.learns {
		x.t.Fatalf("a message has %d pages, want %d", len(list), len(names))
	}
	msg := event.Event{Kind: event.Linked, Exchange: event.Exchange{Part: uint16(i), Message: sent + 1, Lessons: slices.Clone(p.f.Lessons())}}
	for k, d := range list {
		msg.Links, msg.Gifts = append(msg.Links, graph.Page(p.world[d.Page])), append(msg.Gifts, d.Gift)
		if x.learns {
			continue
		}
		want := Drained{names[k], event.Gift{Links: m.links[names[k]], Depth: m.depth[names[k]]}, !m.told[names[k]]}
		if d != want {
			x.t.Fatalf("a message has %+v, want %+v", d, want)
		}
		if cash := m.cash[d.Page]; x.opic && amounts[k] != cash {
			x.t.Fatalf("it has %v of cash, want %v", amounts[k], cash)
		}
		m.links[d.Page], m.told[d.Page], m.cash[d.Page] = 0, true, 0
	}
	msg.Amounts = append(msg.Amounts, amounts...)
	x.parts[to].inbox = append(x.parts[to].inbox, msg)
}

// receive applies the first message to a partition.
func (x *parted) receive(i int) {
	p := x.parts[i]
	e := p.inbox[0]
	p.inbox = p.inbox[1:]
	m, links := &p.model, []graph.Page(nil)
	for k, page := range e.Links {
		id := x.discover(i, int(page), &e)
		if links = append(links, id); int(id) >= p.f.Pages() {
			m.depth[id] = e.Gifts[k].Depth
		}
	}
	e.Links = links
	for k, id := range links {
		m.nearer(x, i, id, e.Gifts[k].Depth)
		if x.opic {
			m.cash[id] += e.Amounts[k]
		} else {
			m.cash[id] += float64(e.Gifts[k].Links)
		}
	}
	x.apply(i, e)
}

// compare compares partition i with its model.
func (x *parted) compare(i int) {
	p := x.parts[i]
	if x.learns {
		return
	}
	for id := range graph.Page(p.f.Pages()) {
		if d := p.f.Depth(id); d != int(p.model.depth[id]) {
			x.t.Fatalf("page %d of partition %d has depth %d, want %d", id, i, d, p.model.depth[id])
		}
		if v := p.f.Value(id, 0); x.opic && math.Abs(v-p.model.cash[id]) > 1e-12 {
			x.t.Fatalf("page %d of partition %d has %v, want %v", id, i, v, p.model.cash[id])
		}
	}
}

// cash returns the cash of all partitions, and of the messages.
func (x *parted) cash() (sum float64) {
	for _, p := range x.parts {
		for id := range graph.Page(p.f.Pages()) {
			sum += p.f.Value(id, 0)
		}
		for _, e := range p.inbox {
			for _, v := range e.Amounts {
				sum += v
			}
		}
	}
	return sum
}

func (x *parted) run(name string) {
	x.seed()
	for range 12 * x.n {
		x.now++
		i, to := x.r.IntN(x.of), x.r.IntN(x.of)
		switch k := x.r.IntN(10); {
		case k < 5:
			x.fetch(i)
		case k < 7 && i != to:
			x.send(i, to)
		case k == 7 && len(x.parts[i].inbox) > 0:
			x.receive(i)
		case k == 8 && x.r.IntN(8) == 0:
			x.reload(i, name)
		}
		x.compare(i)
	}
	if sum := x.cash(); x.opic && math.Abs(sum-1) > 1e-9 {
		x.t.Errorf("all cash is %v", sum)
	}
}

// reload saves a partition and continues with what was loaded, or with a replay of its events.
func (x *parted) reload(i int, name string) {
	p := x.parts[i]
	b, f := saved(x.t, p.f), x.empty(i, p, name)
	if x.r.IntN(4) > 0 {
		if err := f.Load(bytes.NewReader(b)); err != nil {
			x.t.Fatal(err)
		}
	} else {
		for _, r := range p.events {
			f.Apply(r.now, &r.e)
		}
	}
	if again := saved(x.t, f); !bytes.Equal(b, again) {
		x.t.Fatal("the state differs after it was restored")
	}
	p.f.Free()
	p.f = f
}

// TestExchange compares what partitions tell each other with a model that keeps all of it in maps,
// while messages are late, and states are saved, loaded and replayed. Of policies that tell more only
// the latter is tested.
func TestExchange(t *testing.T) {
	for _, name := range []string{"opic", "backlink-count", "foresight", "mix:opic+xim"} {
		for seed := range uint64(8) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				x := newParted(t, seed, name)
				x.run(name)
				for _, p := range x.parts {
					p.f.Free()
				}
			})
		}
	}
}

// TestExchangeEnds: when all was told, every page that can be reached is fetched by its partition,
// and backlink-count has the links of all partitions.
func TestExchangeEnds(t *testing.T) {
	x := newParted(t, 3, "backlink-count")
	x.seed()
	for stirs := true; stirs; {
		stirs = false
		for i := range x.of {
			for x.fetch(i) {
				stirs = true
			}
			for to := range x.of {
				for x.parts[i].f.Pending(to) > 0 {
					x.send(i, to)
				}
			}
			for len(x.parts[i].inbox) > 0 {
				x.receive(i)
				stirs = true
			}
		}
	}
	links := map[int]float64{}
	for _, p := range x.parts {
		for id, page := range p.world {
			if p.f.State(graph.Page(id)) == Fetched {
				for _, q := range x.out[page] {
					links[q]++
				}
			}
		}
	}
	got := map[int]float64{}
	for i, p := range x.parts {
		for id, page := range p.world {
			if v := p.f.Value(graph.Page(id), 0); x.partition(page/pagesOfSite) == i && v > 0 {
				got[page] = v
			}
		}
	}
	if !reflect.DeepEqual(got, links) {
		t.Errorf("links %v, want %v", got, links)
	}
	for i, p := range x.parts {
		for _, page := range p.world {
			if x.partition(page/pagesOfSite) == i && !x.fetched[page] {
				t.Errorf("page %d was not fetched", page)
			}
		}
		p.f.Free()
	}
}

// TestExchangeChecks: messages that were not made here, come twice, or are of pages of others are
// refused.
func TestExchangeChecks(t *testing.T) {
	x := newParted(t, 1, "opic")
	x.seed()
	f := x.parts[0].f
	good := event.Exchange{Part: 1, Message: 1, Gifts: []event.Gift{{Links: 1}}, Amounts: []float64{.5}}
	for want, change := range map[string]func(*event.Event){
		"no messages":   func(e *event.Event) { e.Part = 0 },
		"before":        func(e *event.Event) { e.Message = 0 },
		"amounts":       func(e *event.Event) { e.Amounts = nil },
		"not finite":    func(e *event.Event) { e.Amounts = []float64{math.Inf(1)} },
		"is not known":  func(e *event.Event) { e.Links = []graph.Page{99} },
		"is of partiti": func(e *event.Event) { e.Links = []graph.Page{1} },
		"has the bar":   func(e *event.Event) { e.New = []graph.Site{1} },
	} {
		e := event.Event{Kind: event.Linked, Links: []graph.Page{0}, Exchange: good}
		change(&e)
		if err := f.Check(&e); err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	x.apply(0, event.Event{Kind: event.Linked, Links: []graph.Page{0}, Exchange: good})
	if err := f.Check(&event.Event{Kind: event.Linked, Links: []graph.Page{0}, Exchange: good}); err == nil {
		t.Error("a message is applied twice")
	}
	one := x.parts[1].f
	one.o.Partitions, one.pages.exchange = 0, nil
	if err := one.Check(&event.Event{Kind: event.Sent, Exchange: event.Exchange{Message: 1}}); err == nil {
		t.Error("a crawl of one partition sends a message")
	}
}
