package freshness

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/winnow-crawler/winnow/graph"
)

// newPlan returns a plan with pages that were fetched and visited at random times.
func newPlan(t *testing.T, name string, pages int) (*Plan, time.Duration) {
	t.Helper()
	a, err := Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	p := New(Options{Allocation: a, Every: 1000 * time.Hour, Batch: 50, MaxPages: pages})
	t.Cleanup(p.Free)
	rng := rand.New(rand.NewPCG(7, 7))
	root := p.AddPlace(-1)
	for range 9 {
		p.AddPlace(root)
	}
	for i := range pages {
		p.Fetched(time.Duration(rng.IntN(1000))*time.Hour, graph.Page(i), 1+i%9, rng.ExpFloat64(), 0)
	}
	for i := range 3 * pages {
		p.Visited(time.Duration(1000+i%1000)*time.Hour, graph.Page(rng.IntN(pages)), Visit{Digest: uint64(i), Same: rng.IntN(3) > 0})
	}
	return p, 2500 * time.Hour
}

// A round is the K pages that gain most, exactly, whatever bound the round before had.
func TestRoundIsTopK(t *testing.T) {
	for _, a := range Allocations() {
		for _, bound := range []float64{0, 1e-3, 1e300} {
			p, now := newPlan(t, a.Name, 2000)
			p.bound, p.soon = bound, soon{}
			if a.planned {
				p.bound = 1
			}
			p.begin(float64(second(now)))
			p.places.setRatios(0, p.places.all.Len())
			if a.planned {
				p.bound = p.planned()
			}
			want := gains(p)
			p.bound, p.round = bound, round{}
			if a.planned {
				p.bound = 1
			}
			for p.Work(now, 333) {
			}
			got := takeAll(p, now)
			if !slices.Equal(got, want) {
				t.Errorf("%s, bound %v: round %v, want %v", a.Name, bound, got, want)
			}
		}
	}
}

// takeAll returns the pages that are to be visited now.
func takeAll(p *Plan, now time.Duration) (pages []graph.Page) {
	for id, ok := p.Next(now); ok; id, ok = p.Next(now) {
		pages = append(pages, id)
	}
	return pages
}

// gains returns the 50 pages that gain most, by sorting all.
func gains(p *Plan) []graph.Page {
	gain := func(id graph.Page) float64 { return p.o.Allocation.gain(p.copyOf(&p.pages.Slice()[id], p.round.at)) }
	var all []graph.Page
	for i := range p.pages.Slice() {
		all = append(all, graph.Page(i))
	}
	slices.SortStableFunc(all, func(a, b graph.Page) int { return cmp.Compare(gain(b), gain(a)) })
	return all[:50]
}

// A page that waits for its visit is not chosen again.
func TestWaits(t *testing.T) {
	p, now := newPlan(t, "uniform", 60)
	p.o.Waits = func(id graph.Page) bool { return id != 5 }
	for p.Work(now, math.MaxInt) {
	}
	if id, ok := p.Next(now); !ok || id != 5 {
		t.Errorf("page %d, %v; want page 5, which does not wait", id, ok)
	}
	if id, ok := p.Next(now); ok {
		t.Errorf("page %d is chosen, too", id)
	}
}

// Uniform visits every page once in the time given, if the visits come as often as that.
func TestUniform(t *testing.T) {
	a, _ := Choose("uniform")
	const pages = 640
	p := New(Options{Allocation: a, Every: pages * time.Minute, MaxPages: pages})
	t.Cleanup(p.Free)
	p.AddPlace(-1)
	for i := range pages {
		p.Fetched(0, graph.Page(i), 0, 1, 0)
	}
	seen := map[graph.Page]int{}
	for i := 1; i <= 3*pages; i++ {
		now := time.Duration(i) * time.Minute
		for p.Work(now, math.MaxInt) {
		}
		if id, ok := p.Next(now); ok {
			seen[id]++
			p.Visited(now, id, Visit{})
		}
	}
	for id, n := range seen {
		if n < 2 || n > 4 {
			t.Errorf("page %d was visited %d times in three turns", id, n)
		}
	}
}

// Where pages of a directory were found changed, those beside them are visited sooner, by
// contagion only.
func TestContagion(t *testing.T) {
	for _, name := range []string{"contagion", "marginal"} {
		a, _ := Choose(name)
		p := New(Options{Allocation: a, Every: 100 * time.Hour, Batch: 40, MaxPages: 100})
		t.Cleanup(p.Free)
		p.AddPlace(-1)
		p.AddPlace(0)
		p.AddPlace(0)
		for i := range 100 {
			p.Fetched(0, graph.Page(i), 1+i%2, 1, 0)
		}
		for i := range 20 {
			p.Visited(50*time.Hour, graph.Page(i), Visit{Digest: uint64(1 - i%2)})
		}
		for p.Work(60*time.Hour, math.MaxInt) {
		}
		beside := 0
		for range 40 {
			id, _ := p.Next(60 * time.Hour)
			if id%2 == 0 && id >= 20 {
				beside++
			}
		}
		if name == "contagion" && beside != 40 || name == "marginal" && beside == 40 {
			t.Errorf("%s: %d of 40 visits are in the directory that changed", name, beside)
		}
	}
}

// A page that is gone is visited ever more rarely, and as before when it is back.
func TestGone(t *testing.T) {
	p, now := newPlan(t, "marginal", 10)
	x := &p.pages.Slice()[3]
	w := p.weightOf(x)
	for i, want := range []float64{w, w / 2, w / 4} {
		if changed := p.Visited(now, 3, Visit{Gone: true}); changed != (i == 0) {
			t.Errorf("visit %d of a page that is gone: changed is %v", i+1, changed)
		}
		if got := p.weightOf(x); got != want {
			t.Errorf("after %d visits its weight is %v, want %v", i+1, got, want)
		}
		if got, want := p.rateOf(x)*p.every(), math.Pow(2, -float64(i)); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %d visits it is expected %v times in Every, want %v", i+1, got, want)
		}
	}
	if changed := p.Visited(now, 3, Visit{Digest: 77}); !changed || p.weightOf(x) != w {
		t.Errorf("when it is back its weight is %v, want %v", p.weightOf(x), w)
	}
}

// What the plan has learned is saved and loaded.
func TestSaved(t *testing.T) {
	p, now := newPlan(t, "contagion", 300)
	var b bytes.Buffer
	if err := p.Save(&b); err != nil {
		t.Fatal(err)
	}
	q := New(p.o)
	t.Cleanup(q.Free)
	if err := q.Load(&b); err != nil {
		t.Fatal(err)
	}
	q.Loaded()
	for _, x := range []*Plan{p, q} {
		x.soon, x.round = soon{}, round{}
		x.bound = 0
		for x.Work(now, math.MaxInt) {
		}
	}
	if got, want := takeAll(q, now), takeAll(p, now); len(want) != 50 || !slices.Equal(got, want) {
		t.Errorf("a round of %d pages, and loaded one of %d others", len(want), len(got))
	}
}

// A page takes 20 bytes and a place 32.
func TestSizes(t *testing.T) {
	if n := unsafe.Sizeof(page{}); n != 20 {
		t.Errorf("a page takes %d bytes", n)
	}
	if n := unsafe.Sizeof(place{}); n != 32 {
		t.Errorf("a place takes %d bytes", n)
	}
}

// The parts of a page that share a word do not disturb each other.
func TestPageParts(t *testing.T) {
	d := newDecoder()
	rng := rand.New(rand.NewPCG(2, 2))
	var p page
	want := struct {
		digest  uint16
		rate    code
		changes float64
		place   uint32
		gone    uint32
	}{place: MaxPlaces - 1}
	p[wordPlace] = want.place
	for range 10_000 {
		switch rng.IntN(4) {
		case 0:
			want.digest = uint16(rng.Uint32())
			p.setDigest(want.digest)
		case 1:
			r := rng.ExpFloat64()
			want.rate = encode(r)
			p.setRate(r)
		case 2:
			want.changes = float64(rng.IntN(4*forget)) / 4
			p.setEvidence(Evidence{Changes: want.changes}, Evidence{Changes: -1})
		case 3:
			gone := rng.IntN(2) == 0
			if want.gone = min(want.gone+1, 15); !gone {
				want.gone = 0
			}
			p.setGone(gone)
		}
		if p.digest() != want.digest || p.rate() != want.rate || d.evidence(&p).Changes != want.changes || p.place() != int(want.place) || p.gone() != int(want.gone) {
			t.Fatalf("%x: want %+v", p, want)
		}
	}
}

// A digest whose short form would be that of no content has another.
func TestShortDigest(t *testing.T) {
	for digest, want := range map[uint64]uint16{0: 0, 1 << 16: 1, 0x10002: 2, 0xffff: 0xffff} {
		if got := short(digest); got != want {
			t.Errorf("%x is %x, want %x", digest, got, want)
		}
	}
}

// A page of a place with a number that pages cannot have counts as one of the place above.
func TestWithin(t *testing.T) {
	var set graph.Set
	defer set.Free()
	x := newPlaces(&set, MaxPlaces+3, 1, newDecoder())
	x.all.Grow(MaxPlaces)
	first := x.add(5)
	for id, want := range map[int]int{0: 0, 7: 7, MaxPlaces - 1: MaxPlaces - 1, first: 5, x.add(first): 5, x.add(-1): 0} {
		if got := x.within(id); got != want {
			t.Errorf("place %d: %d, want %d", id, got, want)
		}
	}
}

// BenchmarkVisit has a million pages and measures a visit with its part of the rounds.
func BenchmarkVisit(b *testing.B) {
	for _, name := range []string{"contagion", "uniform"} {
		b.Run(name, func(b *testing.B) {
			a, _ := Choose(name)
			const pages = 1 << 20
			p := New(Options{Allocation: a, Every: pages * time.Second, MaxPages: pages})
			defer p.Free()
			rng := rand.New(rand.NewPCG(1, 1))
			for i := range pages / 16 {
				p.AddPlace(i/16 - 1)
			}
			for i := range pages {
				p.Fetched(0, graph.Page(i), i/16, rng.ExpFloat64(), 0)
			}
			now := time.Duration(0)
			visit := func() {
				now += time.Second
				for p.Work(now, math.MaxInt) {
				}
				if id, ok := p.Next(now); ok {
					p.Visited(now, id, Visit{Digest: uint64(now), Same: rng.IntN(4) > 0})
				}
			}
			for range pages {
				visit()
			}
			b.ResetTimer()
			for b.Loop() {
				visit()
			}
		})
	}
}

// A sum that grows by less than a step of its code still grows, by chance and on the average
// as much as it should.
func TestEvidenceSmall(t *testing.T) {
	d := newDecoder()
	const visits, gap = 4000, 1000.0
	sum := 0.0
	for i := range 50 {
		p := page{wordVisit: uint32(i)}
		for n := range visits {
			before := d.evidence(&p)
			e := before
			e.add(gap, false)
			p.setEvidence(e, before)
			p[wordVisit] += uint32(gap) + uint32(n%3)
		}
		sum += d.evidence(&p).Unchanged
	}
	if got := sum / 50 / (visits * gap); math.Abs(got-1) > 0.03 {
		t.Errorf("%d visits in %v s are kept as %.3f times that", visits, gap, got)
	}
}

// An outlook counts the pages that come before, and knows what visits have shown.
func TestOutlook(t *testing.T) {
	for _, a := range Allocations() {
		p, now := newPlan(t, a.Name, 300)
		p.bound = 1 // for periodic
		id := gainsOf(p, now)[41]
		o := p.Outlook(now, id)
		if o.Before != 41 || o.Pages != 300 || o.Seen != p.Seen(id) || !(o.Rate > 0) || !(o.Fresh > 0 && o.Fresh < 1) {
			t.Errorf("%s: %+v", a.Name, o)
		}
	}
}

// gainsOf returns the 50 pages that gain most at an instant.
func gainsOf(p *Plan, now time.Duration) []graph.Page {
	p.round.at = float64(second(now))
	p.places.begin(second(now))
	p.places.setRatios(0, p.places.all.Len())
	return gains(p)
}

// Pages that vanish and come back are found again, in half of the time that they were away on the
// average, and those that stay away take few visits: a crawl of a year, with a visit of each page
// in eight days on the average.
func TestGoneReturns(t *testing.T) {
	const pages, day, year = 2000, 24 * time.Hour, 365 * 24 * time.Hour
	a, _ := Choose(DefaultName)
	p := New(Options{Allocation: a, Every: 8 * day, MaxPages: pages})
	t.Cleanup(p.Free)
	rng := rand.New(rand.NewPCG(3, 1))
	p.AddPlace(-1)
	var rate [pages]float64 // changes a day
	var from, until [pages]time.Duration
	for id := range pages {
		if id%20 == 0 {
			p.AddPlace(0)
		}
		p.Fetched(0, graph.Page(id), 1+id/20, 1/(0.02+rng.Float64()), 0)
		rate[id] = math.Exp(rng.NormFloat64()-1) / 8
		from[id], until[id] = year, year
		switch id % 10 {
		case 0: // it returns after hours to months
			from[id] = 60*day + time.Duration(rng.Int64N(int64(180*day)))
			until[id] = from[id] + time.Duration(math.Exp(math.Log(0.5)+rng.Float64()*math.Log(120))*float64(day))
		case 1:
			from[id] = 60*day + time.Duration(rng.Int64N(int64(60*day)))
		}
	}
	var asked, missed, found, away, late float64
	for now := time.Duration(0); now < year; now += 8 * day / pages {
		for p.Work(now, math.MaxInt) {
		}
		id, ok := p.Next(now)
		if !ok {
			continue
		}
		v := Visit{Same: rng.Float64() < math.Exp(-rate[id]*(now-p.Seen(id)).Hours()/24), Digest: rng.Uint64()}
		v.Gone = now >= from[id] && now < until[id]
		switch was := p.IsGone(id); {
		case id%10 == 1 && v.Gone && was:
			asked++
		case id%10 == 0 && v.Gone && !was:
			missed++
		case !v.Gone && was:
			found++
			away += (until[id] - from[id]).Hours() / 24
			late += (now - until[id]).Hours() / 24
		}
		p.Visited(now, id, v)
	}
	if missed < 100 || found != missed || late > away || asked > 6*pages/10 {
		t.Fail()
	}
	t.Logf("of %d pages that were missed and returned %v were found, %.1f days after %.1f days; %v visits of %d that stay away", int(missed), found, late/found, away/found, asked, pages/10)
}
