package queue

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// model is the queue without heaps: every question sorts (S10).
type model struct {
	own            bool
	value, owns    []float64
	site           []graph.Site
	group          []uint32
	waits, offered []bool // by page, by site
	shut           [mostGroups]bool
}

// order returns the waiting pages for which ok holds, best first.
func (m *model) order(ok func(graph.Page) bool) []graph.Page {
	var ps []graph.Page
	for p := range m.value {
		if m.waits[p] && ok(graph.Page(p)) {
			ps = append(ps, graph.Page(p))
		}
	}
	slices.SortFunc(ps, func(a, b graph.Page) int {
		if m.value[a] != m.value[b] {
			return map[bool]int{true: -1, false: 1}[m.value[a] > m.value[b]]
		}
		return int(a) - int(b)
	})
	return ps
}

func (m *model) of(s graph.Site) []graph.Page {
	return m.order(func(p graph.Page) bool { return m.site[p] == s })
}

// best returns the best site that takes part and has pages.
func (m *model) best() (s graph.Site, ok bool) {
	for _, p := range m.order(func(p graph.Page) bool { return m.offered[m.site[p]] && !m.shut[m.group[m.site[p]]] }) {
		if t := m.site[p]; !m.own && !ok || m.own && m.owns[t] > math.Inf(-1) &&
			(!ok || m.owns[t] > m.owns[s] || m.owns[t] == m.owns[s] && t < s) {
			s, ok = t, true
		}
	}
	return s, ok
}

// script reads operations from bytes; the random test and the fuzz target share it.
type script struct {
	data []byte
	q    *Queue
	of   *graph.Column[uint32] // group by site
	m    model

	grouped bool
}

func (s *script) byte() int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b)
}

// number has many ties, and now and then something extreme.
func (s *script) number() float64 {
	switch b := s.byte(); {
	case b == 255:
		return math.Inf(-1)
	case b == 254:
		return math.MaxFloat64
	default:
		return float64(b%16) / 4
	}
}

const mostPages, mostSites, mostGroups = 400, 40, 6

// run does the operations on queue and model and compares after each. There are at
// most four cells a page in the arena, whatever the history, as long as no page moves:
// a block of 2^j cells is only ever needed by a site with more than 2^(j-1) pages, and
// 1 + 2 + ... + 2^j is less than four times that.
func run(t *testing.T, data []byte) {
	s := &script{data: data, q: New("test", mostPages, mostSites), of: graph.NewColumn[uint32]("groups", mostSites)}
	defer s.q.Free()
	defer s.of.Free()
	kind := s.byte()
	if s.m.own = kind%2 == 1; s.m.own {
		s.q.SitesOwn()
	}
	if s.grouped = kind&2 != 0; s.grouped {
		s.q.Grouped(s.of, mostGroups)
	}
	if kind&4 != 0 { // lists of more than 4 are in columns of their own
		s.q.pages.largest = 3
	}
	for len(s.data) > 0 {
		op := s.byte() % 18
		s.step(op)
		s.compare(t, op)
		checkArena(t, &s.q.pages)
		if n := s.q.pages.cells.Len(); n > 4*len(s.m.value) {
			t.Fatalf("%d cells for %d pages", n, len(s.m.value))
		}
	}
}

func (s *script) step(op int) {
	sites, pages := len(s.m.owns), len(s.m.value)
	if sites == 0 || op == 0 && sites < mostSites {
		s.of.Append(0)
		s.q.Site(graph.Site(sites))
		s.m.owns = append(s.m.owns, math.Inf(-1))
		s.m.offered, s.m.group = append(s.m.offered, false), append(s.m.group, 0)
		return
	}
	if pages == 0 || op <= 3 && pages < mostPages {
		t := graph.Site(s.byte() % sites)
		s.q.Page(graph.Page(pages), t)
		s.m.value, s.m.site, s.m.waits = append(s.m.value, 0), append(s.m.site, t), append(s.m.waits, false)
		return
	}
	s.pageStep(op, graph.Page((s.byte()<<8+s.byte())%pages), graph.Site(s.byte()%sites))
}

func (s *script) pageStep(op int, p graph.Page, t graph.Site) {
	q, m := s.q, &s.m
	switch {
	case op <= 7: // let p wait, or end that
		if m.waits[p] {
			q.Remove(p)
		} else {
			q.Push(p)
		}
		m.waits[p] = !m.waits[p]
	case op <= 9:
		d := max(0, s.number())
		q.Add(p, d)
		m.value[p] += d
	case op == 10:
		m.value[p] = s.number()
		q.Set(p, m.value[p])
	case op == 11:
		m.owns[t] = s.number()
		q.SetSite(t, m.owns[t])
	case op == 12:
		q.Withdraw(t)
		m.offered[t] = false
	case op == 14 && p%4 == 0:
		s.rescore(float64(s.byte()))
	case op == 15 && p%4 == 0:
		q.Rebuild(len(m.owns))
		clear(m.offered)
		clear(m.shut[:])
	case op == 16 && s.grouped && !m.offered[t]:
		m.group[t] = uint32(p % mostGroups)
		q.Group(t, m.group[t])
	case op == 17 && s.grouped:
		g := m.group[t]
		m.shut[g] = !m.shut[g]
		q.Shut(g, m.shut[g])
	default:
		q.Offer(t)
		m.offered[t] = true
	}
}

func (s *script) rescore(k float64) {
	f := func(p graph.Page) float64 { return float64((uint32(p)*2654435761)>>28) * k }
	s.q.Rescore(f)
	for p, waits := range s.m.waits {
		if waits {
			s.m.value[p] = f(graph.Page(p))
		}
	}
}

func (s *script) compare(t *testing.T, op int) {
	t.Helper()
	q, m := s.q, &s.m
	want, ok := m.best()
	if got, gotOK := q.Best(); got != want && ok || gotOK != ok {
		t.Fatalf("op %d: best %d %v, want %d %v", op, got, gotOK, want, ok)
	}
	for p, v := range m.value {
		p := graph.Page(p)
		if q.Value(p) != v || q.Waits(p) != m.waits[p] || q.SiteOf(p) != m.site[p] {
			t.Fatalf("op %d: page %d is worth %v in site %d, waits %v; want %v %d %v", op, p, q.Value(p), q.SiteOf(p), q.Waits(p), v, m.site[p], m.waits[p])
		}
	}
	shutOut := 0
	for i := range m.owns {
		site := graph.Site(i)
		pages := m.of(site)
		if len(pages) > 0 && m.offered[i] && m.shut[m.group[i]] {
			shutOut++
		}
		first, ok := q.First(site)
		if q.Len(site) != len(pages) || ok != (len(pages) > 0) || ok && first != pages[0] {
			t.Fatalf("op %d: site %d has %d pages, first %d; want %v", op, i, q.Len(site), first, pages)
		}
		worth := m.owns[i]
		if !m.own {
			worth = 0
			if ok {
				worth = m.value[pages[0]]
			}
		}
		if q.SiteValue(site) != worth {
			t.Fatalf("op %d: site %d is worth %v, want %v", op, i, q.SiteValue(site), worth)
		}
	}
	if q.ShutOut() != shutOut {
		t.Fatalf("op %d: %d sites are shut out, want %d", op, q.ShutOut(), shutOut)
	}
}

// checkArena sees that blocks of sites and free blocks share no cell and leave none
// out, and that blocks are large enough and not too large.
func checkArena(t *testing.T, a *arena) {
	t.Helper()
	used := make([]bool, a.cells.Len())
	mark := func(at uint32, size uint8, whose string, n int) {
		for c := at; c < at+1<<(size-1); c++ {
			if used[c] {
				t.Fatalf("cell %d of %s %d is used twice", c, whose, n)
			}
			used[c] = true
		}
	}
	for s := range a.blocks.Len() {
		size, n := a.sizes.At(s), a.len(graph.Site(s))
		if (size == 0) != (n == 0) {
			t.Fatalf("site %d has %d pages in a block of size class %d", s, n, size)
		}
		if size > 0 {
			if n > 1<<(size-1) && size <= a.largest || size > 2 && 4*n <= 1<<(size-1) {
				t.Fatalf("site %d has %d pages in a block of %d", s, n, 1<<(size-1))
			}
			if b := a.block(graph.Site(s)); b&apart == 0 {
				mark(b.first(), size, "site", s)
			} else if size != a.largest+1 || a.large[b.first()].Len() != n {
				t.Fatalf("site %d has %d pages in a column of %d", s, n, a.large[b.first()].Len())
			}
		}
	}
	for size, at := range a.vacant {
		for ; at != 0; at = uint32(a.cells.At(int(at - 1))) {
			mark(at-1, uint8(size), "free blocks of size class", size)
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		t.Fatalf("cell %d is lost", i)
	}
}

// TestAgainstModel does random operations of all kinds.
func TestAgainstModel(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 1000+100*seed)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		data[0] = byte(seed)
		run(t, data)
	}
}

func FuzzQueue(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 4, 0, 0, 0, 8, 0, 0, 0, 3})
	f.Add([]byte{1, 0, 1, 0, 13, 0, 0, 0, 4, 0, 0, 0, 11, 0, 0, 0, 9, 15, 0, 4, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		run(t, data[:min(len(data), 4000)]) // longer ones show nothing new
	})
}
