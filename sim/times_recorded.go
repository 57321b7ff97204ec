package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
)

// Measured is a kind of number that a crawl measures.
type Measured uint8

// The kinds, all per site.
const (
	LookupSeconds    Measured = iota // DNS
	ConnectSeconds                   // of a new connection, TLS included
	FirstByteSeconds                 // from the request to the first byte
	BytesPerSecond                   // of all its bodies together
	PageBytes                        // as they crossed the line
	RobotsBytes                      // of its robots.txt
	KeptShare                        // 1 if its connection was open for the next request, else 0
	measuredKinds
)

var measuredNames = [...]string{"lookup", "connect", "first byte", "speed", "page size", "robots size", "kept"}
var measuredUnits = [...]string{"s", "s", "s", "B/s", "B", "B", "of 1"}

func (m Measured) String() string { return measuredNames[m] }

// An Observation is one number that a crawl measured at a site. Sites from the number
// of those of the world on are not in it: what was measured there counts for sites of
// which nothing is known.
type Observation struct {
	Kind  Measured
	Site  graph.Site
	Value float64
}

// measures holds what a crawl measured: a number for a site is one of those that
// were measured there, each as likely as the others; for a site where nothing was
// measured, one of those of another site, which is drawn once.
type measures struct {
	name   string
	tables [measuredKinds]siteTable
	siteOf []graph.Site // by page
	sizes  []uint32     // by page; 0: not measured
}

// A siteTable holds the numbers of one kind by site.
type siteTable struct {
	off     []uint32     // by site: where its numbers begin; one more than there are sites
	x       []float64    // ascending within a site
	sampled []graph.Site // sites that have some
	all     Dist         // of all numbers, for headers
}

// Recorded returns the times of a world from what a crawl measured. siteOf is the site of
// each page of the world, sizes the bytes of those pages that were fetched (0 for
// others); either may be nil. Numbers that were never measured, such as those of
// robots.txt when none was requested, are 0, and a speed without limit.
func Recorded(name string, seed uint64, all []Observation, siteOf []graph.Site, sizes []uint32) (*Times, error) {
	r := &measures{name: name, siteOf: siteOf, sizes: sizes}
	byKind := [measuredKinds][]Observation{}
	for _, o := range all {
		byKind[o.Kind] = append(byKind[o.Kind], o)
	}
	if len(byKind[FirstByteSeconds]) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoTimes)
	}
	for k := range byKind {
		var err error
		if r.tables[k], err = newSiteTable(byKind[k]); err != nil {
			return nil, fmt.Errorf("%s: %v: %w", name, Measured(k), err)
		}
	}
	return &Times{Seed: seed, Model: Model{Name: name}, recorded: r}, nil
}

// ErrNoTimes reports a crawl without an answer.
var ErrNoTimes = errors.New("no answer was ever measured")

func newSiteTable(all []Observation) (t siteTable, err error) {
	if len(all) == 0 {
		return t, nil
	}
	slices.SortFunc(all, func(a, b Observation) int { return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Value, b.Value)) })
	t.off = make([]uint32, int(all[len(all)-1].Site)+2)
	for i, o := range all {
		t.x = append(t.x, o.Value)
		t.off[o.Site+1]++
		if i == 0 || all[i-1].Site != o.Site {
			t.sampled = append(t.sampled, o.Site)
		}
	}
	for s := range len(t.off) - 1 {
		t.off[s+1] += t.off[s]
	}
	t.all, err = Sample(t.x)
	return t, err
}

// of returns the numbers of a site; none if nothing was measured there.
func (t *siteTable) of(s graph.Site) []float64 {
	if int(s)+1 >= len(t.off) {
		return nil
	}
	return t.x[t.off[s]:t.off[s+1]]
}

// number returns one of those measured at a site, or at another in its place: u selects
// the number, donor the other site. Both are in (0, 1).
func (t *siteTable) number(s graph.Site, u, donor float64) (float64, bool) {
	x := t.of(s)
	if len(x) == 0 {
		if len(t.sampled) == 0 {
			return 0, false
		}
		x = t.of(t.sampled[int(donor*float64(len(t.sampled)))])
	}
	return x[int(u*float64(len(x)))], true
}

// The purposes of drawing a site in place of another: one draw a kind.
const drawDonor = 32

// measured returns a number of a kind for a site; what, b and n distinguish the draws.
func (t *Times) measured(kind Measured, what uint64, s graph.Site, b, n uint32) float64 {
	donor := t.draw(drawDonor+uint64(kind), uint32(s), 0, 0)
	v, _ := t.recorded.tables[kind].number(s, t.draw(what, uint32(s), b, n), donor)
	return v
}

// recordedSize returns the size of a page: as it was fetched, else drawn from its site.
func (t *Times) recordedSize(p graph.Page) int64 {
	r := t.recorded
	if int(p) < len(r.sizes) && r.sizes[p] > 0 {
		return int64(r.sizes[p])
	}
	s := graph.Site(p) // where sites are not known every page is one
	if int(p) < len(r.siteOf) {
		s = r.siteOf[p]
	}
	return count(t.measured(PageBytes, drawSize, s, uint32(p), 0))
}

// unlimited is the speed of sites that no body was ever measured of, in bytes a second.
const unlimited = 1e12

func (t *Times) recordedSpeed(s graph.Site) float64 {
	if v := t.measured(BytesPerSecond, drawSpeed, s, 0, 0); v > 0 {
		return min(v, unlimited)
	}
	return unlimited
}

// Keeps reports whether a site keeps its connection open after the answer of a page.
// graph.NoPage means robots.txt. A model has no sites that do not.
func (t *Times) Keeps(s graph.Site, p graph.Page) bool {
	if t.recorded == nil || len(t.recorded.tables[KeptShare].sampled) == 0 {
		return true
	}
	return t.measured(KeptShare, drawKept, s, uint32(p), 0) > 0
}

// describe returns what was measured, for the header of a report.
func (r *measures) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "recorded by %s", r.name)
	for k := range r.tables {
		if t := &r.tables[k]; len(t.x) > 0 {
			fmt.Fprintf(&b, "; %v %d times at %d sites, quartiles %.3g %.3g %.3g (%s)", Measured(k), len(t.x), len(t.sampled),
				t.all.At(0.25), t.all.At(0.5), t.all.At(0.75), measuredUnits[k])
		}
	}
	return b.String()
}
