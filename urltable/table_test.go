package urltable

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-crawler/winnow/graph"
)

func newTestTable(t testing.TB, secret byte, pages, sites int) *Table {
	s := New("", [16]byte{secret}, pages, sites)
	t.Cleanup(s.Free)
	return s
}

func saved(t testing.TB, s *Table) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTableAgainstMaps draws sites and pages, new and old ones, and at any moment saves
// the table and continues with what was loaded.
func TestTableAgainstMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New("", [16]byte{7}, 30_000, 3_000)
		defer func() { s.Free() }()
		pages, sites, names := map[string]graph.Page{}, map[string]graph.Site{}, []string{}
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 1))
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			for range rapid.IntRange(0, 3_000).Draw(t, "links") {
				name := fmt.Sprintf("https://%d.example", r.IntN(1+r.IntN(2_000)))
				rest := fmt.Sprintf("/p%d?q=%d", r.IntN(30), r.IntN(30))
				_, knownSite := sites[name]
				if !knownSite {
					sites[name] = graph.Site(len(sites))
					names = append(names, name)
				}
				_, knownPage := pages[name+rest]
				if !knownPage {
					pages[name+rest] = graph.Page(len(pages))
				}
				hash := s.Key().Site([]byte(name))
				if got, fresh := s.Site(hash, []byte(name)); fresh == knownSite || got != sites[name] {
					t.Fatalf("site %s is %d (%v), want %d", name, got, fresh, sites[name])
				}
				if got, fresh := s.Page(s.Key().Page(hash, []byte(rest))); fresh == knownPage || got != pages[name+rest] {
					t.Fatalf("page %s%s is %d (%v), want %d", name, rest, got, fresh, pages[name+rest])
				}
			}
			s = reloaded(t, s)
		}
		if s.Pages() != len(pages) || s.Sites() != len(sites) {
			t.Fatalf("%d pages and %d sites, want %d and %d", s.Pages(), s.Sites(), len(pages), len(sites))
		}
		for i, name := range names {
			if got := string(s.Name(graph.Site(i))); got != name {
				t.Fatalf("site %d is %q, want %q", i, got, name)
			}
		}
	})
}

// reloaded frees a table and returns a copy that went through its saved form.
func reloaded(t *rapid.T, s *Table) *Table {
	var one, two bytes.Buffer
	fresh := New("", [16]byte{7}, s.maxPages, s.maxSites)
	if err := s.Save(&one); err != nil {
		t.Fatal(err)
	}
	if err := fresh.Load(bytes.NewReader(one.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := fresh.Save(&two); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Fatal("a loaded table saves other bytes")
	}
	s.Free()
	return fresh
}

// TestTableResumes: a table that was saved, loaded and filled further has the bytes of
// one that was never interrupted.
func TestTableResumes(t *testing.T) {
	whole, part := newTestTable(t, 1, 60_000, 10), newTestTable(t, 1, 60_000, 10)
	for i := range 60_000 {
		hash := whole.Key().Page(1, fmt.Append(nil, i))
		whole.Page(hash)
		part.Page(hash)
		if i%7_001 == 0 {
			b := saved(t, part)
			part = newTestTable(t, 1, 60_000, 10)
			if err := part.Load(bytes.NewReader(b)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !bytes.Equal(saved(t, whole), saved(t, part)) {
		t.Error("interruptions leave traces in the saved table")
	}
}

// TestTableUnderAnotherSecret: the same URLs lie elsewhere, so that who does not know
// the secret cannot choose URLs that meet, and a saved table is refused.
func TestTableUnderAnotherSecret(t *testing.T) {
	one, same, other := newTestTable(t, 1, 5_000, 10), newTestTable(t, 1, 5_000, 10), newTestTable(t, 2, 5_000, 10)
	for i := range 2_000 {
		for _, s := range []*Table{one, same, other} {
			s.Page(s.Key().Page(s.Key().Site([]byte("http://a.example")), fmt.Appendf(nil, "/%d", i)))
		}
	}
	if !bytes.Equal(saved(t, one), saved(t, same)) {
		t.Error("one secret, two layouts")
	}
	a, b := one.pages.slots.Slice(), other.pages.slots.Slice()
	alike := 0
	for at := 0; at < min(len(a), len(b)); at += slotSize {
		if v := slotAt(a, at); v.key != 0 && v.id == slotAt(b, at).id {
			alike++
		}
	}
	if alike > 20 { // by chance 2000 * 2000/4096/2000, about half a page
		t.Errorf("%d of 2000 pages lie in the same slot under two secrets", alike)
	}
	if err := other.Load(bytes.NewReader(saved(t, one))); err == nil || !strings.Contains(err.Error(), "secret") {
		t.Errorf("load under another secret: %v", err)
	}
	if other.Pages() != 0 {
		t.Errorf("%d pages after a failed load", other.Pages())
	}
	anew := newTestTable(t, 2, 5_000, 10) // nothing is left of what was loaded
	for i := range 3_000 {
		hash := other.Key().Page(1, fmt.Append(nil, i))
		if p, fresh := other.Page(hash); p != graph.Page(i) || !fresh {
			t.Fatalf("page %d after a failed load: %d, %v", i, p, fresh)
		}
		anew.Page(hash)
	}
	if !bytes.Equal(saved(t, other), saved(t, anew)) {
		t.Error("a failed load leaves traces")
	}
}

// TestTableSitesOfOneHash: names decide, also when their hashes do not.
func TestTableSitesOfOneHash(t *testing.T) {
	for _, hash := range []uint64{0, 1 << 40, 1<<64 - 3, 1<<64 - 1} {
		s := newTestTable(t, 1, 10, 300)
		for round := range 2 {
			for i := range 100 {
				name := fmt.Appendf(nil, "http://%d.example", i)
				if got, fresh := s.Site(hash, name); got != graph.Site(i) || fresh != (round == 0) {
					t.Fatalf("hash %#x: site %d is %d (%v)", hash, i, got, fresh)
				}
			}
		}
		if got, ok := s.LookupSite(hash, []byte("http://100.example")); ok || got != graph.NoSite {
			t.Errorf("hash %#x: an unknown name is site %d", hash, got)
		}
	}
}

// TestTableFull: a full table still knows what it knows.
func TestTableFull(t *testing.T) {
	s := newTestTable(t, 1, 5_000, 2)
	for i := range 6_000 {
		hash := s.Key().Page(0, fmt.Append(nil, i))
		if p, fresh := s.Page(hash); i < 5_000 && (p != graph.Page(i) || !fresh) || i >= 5_000 && (p != graph.NoPage || fresh) {
			t.Fatalf("page %d is %d, %v", i, p, fresh)
		}
	}
	if p, fresh := s.Page(s.Key().Page(0, fmt.Append(nil, 4_321))); p != 4_321 || fresh {
		t.Errorf("page 4321 is %d, %v", p, fresh)
	}
	long := bytes.Repeat([]byte("x"), MaxSiteName+1)
	for _, c := range []struct {
		name  []byte
		site  graph.Site
		fresh bool
	}{{long, graph.NoSite, false}, {long[1:], 0, true}, {nil, 1, true}, {long[2:], graph.NoSite, false}, {long[1:], 0, false}} {
		if site, fresh := s.Site(s.Key().Site(c.name), c.name); site != c.site || fresh != c.fresh {
			t.Errorf("name of %d bytes: site %d (%v), want %d", len(c.name), site, fresh, c.site)
		}
	}
}

// TestTableLoadRefusesDamage: any flipped bit, any missing end, and names that do not
// belong to the sites.
func TestTableLoadRefusesDamage(t *testing.T) {
	s := newTestTable(t, 1, 100, 10)
	s.Site(5, []byte("http://a.example"))
	s.Site(6, []byte("http://b.example"))
	s.Page(7)
	good := saved(t, s)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		bad := bytes.Clone(good)
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		if s.Load(bytes.NewReader(bad)) == nil || s.Load(bytes.NewReader(good[:r.IntN(len(good))])) == nil {
			t.Fatal("damage went unnoticed")
		}
	}
	if err := s.Load(bytes.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	for _, lengths := range [][]uint16{{16, 15}, {17, 16}, {16}, {16, 16, 0}, {MaxSiteName + 1, 16}} {
		forged := newTestTable(t, 1, 100, 10)
		forged.Site(5, []byte("http://a.example"))
		forged.Site(6, []byte("http://b.example"))
		forged.lengths.Truncate(0)
		for _, n := range lengths {
			forged.lengths.Append(n)
		}
		if err := s.Load(bytes.NewReader(saved(t, forged))); err == nil {
			t.Errorf("names of %v bytes were accepted", lengths)
		}
	}
}

// FuzzTable enters hashes that the input spells and compares with a map.
func FuzzTable(f *testing.F) {
	f.Add(uint16(0), bytes.Repeat([]byte{0, 1, 2, 3, 255, 254}, 50))
	f.Add(uint16(5_000), []byte("\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, before uint16, data []byte) {
		table, want := newTestIDs(t, 1<<17), map[uint64]uint32{}
		r := rand.New(rand.NewPCG(1, uint64(before)))
		enter := func(hash uint64) {
			known, ok := want[min(hash, maxHash)]
			if !ok {
				known = uint32(len(want))
				want[min(hash, maxHash)] = known
			}
			if id, fresh := table.add(hash); fresh == ok || id != known {
				t.Fatalf("hash %#x is id %d, want %d", hash, id, known)
			}
		}
		for range before {
			enter(r.Uint64())
		}
		for ; len(data) >= 8; data = data[1:] { // overlapping, so that neighbours come
			enter(binary.BigEndian.Uint64(data))
		}
		mustHold(t, table)
	})
}

// tablePages is the size at which the table is measured.
var tablePages = flag.Int("table.pages", 1_000_000, "pages in the table of BenchmarkTable")

// BenchmarkTable measures a table of -table.pages pages: inserts from empty, then look-ups
// of pages that are there, of others, and in groups of 50 that are touched first.
func BenchmarkTable(b *testing.B) {
	n := *tablePages
	s := newTestTable(b, 1, n, 10)
	hash := func(i int) uint64 { return mix64(uint64(i)) }
	b.Run("insert", func(b *testing.B) {
		for b.Loop() {
			s.pages.empty()
			for i := range n {
				s.Page(hash(i))
			}
		}
		perPage(b, n)
		b.ReportMetric(float64(s.pages.slots.Len())/float64(n), "B/page")
		b.ReportMetric(float64(s.pages.most), "slots-most")
	})
	r := rand.New(rand.NewPCG(1, 2))
	const group = 50
	look := func(name string, from int) {
		b.Run(name, func(b *testing.B) {
			var links [group]uint64
			for b.Loop() {
				for i := range links {
					links[i] = hash(from + r.IntN(n))
				}
				for _, h := range links {
					if _, ok := s.LookupPage(h); ok != (from == 0) {
						b.Fatal("wrong answer")
					}
				}
			}
			perPage(b, group)
		})
	}
	look("found", 0)
	look("new", n)
}

// perPage reports time per page instead of per turn.
func perPage(b *testing.B, pages int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(pages), "ns/page")
	b.ReportMetric(0, "ns/op")
}

// mix64 is a bijection that looks random (splitmix64).
func mix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
