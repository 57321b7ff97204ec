package sim

import (
	"math"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// TestProcessorsByHand shares processors as scripts/outside.py does it by small steps.
func TestProcessorsByHand(t *testing.T) {
	jobs := []struct{ at, work time.Duration }{{0, 10 * time.Millisecond}, {0, 20 * time.Millisecond}, {5 * time.Millisecond, 10 * time.Millisecond}}
	for count, want := range map[int][]float64{2: {0.0125, 0.0225, 0.0175}, 1: {0.0275, 0.04, 0.0325}} {
		l := newProcessors(Processors{Count: count})
		end := make([]float64, len(jobs))
		for i, j := range jobs {
			l.Start(j.at, uint32(i), int64(j.work), second)
		}
		for at, i, ok := l.Next(); ok; at, i, ok = l.Next() {
			l.End(at, i)
			end[i] = at.Seconds()
		}
		for i := range want {
			if math.Abs(end[i]-want[i]) > 5e-6 {
				t.Errorf("%d processors: job %d ends after %.6f s, want %.6f", count, i, end[i], want[i])
			}
		}
	}
}

// star returns a page that links to n-1 others, each of a site of its own.
func star(t *testing.T, n int) (*graph.Lists, []graph.Site) {
	out, site := make([][]graph.Page, n), make([]graph.Site, n)
	for p := 1; p < n; p++ {
		out[0], site[p] = append(out[0], graph.Page(p)), graph.Site(p)
	}
	lists := graph.ListsOf(out)
	t.Cleanup(lists.Free)
	return lists, site
}

// When the processor is the limit, a crawl takes as long as its pages take of it, and each page is
// there after its body; without a model the crawl is as it was.
func TestProcessorsAreTheLimit(t *testing.T) {
	const n = 200
	out, site := star(t, n)
	times, err := Preset("thesis2004", 3)
	if err != nil {
		t.Fatal(err)
	}
	w := &World{Out: out, SiteOf: site, Sites: n, Times: times}
	run := func(p Processors, bandwidth int64) *Result {
		res, err := Run(w, Options{Setup: Setup{Seeds: []graph.Page{0}, Batch: 1, Fetchers: n, Processors: p, Bandwidth: bandwidth}, Policy: mustChoose(t, "breadth-first")})
		if err != nil || len(res.Order) != n {
			t.Fatalf("%d pages, %v", len(res.Order), err)
		}
		return res
	}
	for _, bandwidth := range []int64{0, 1e9} {
		plain := run(Processors{}, bandwidth)
		slow := Processors{Count: 1, Page: time.Second}
		one := run(slow, bandwidth)
		if one.Worked != n*time.Second || plain.Worked != 0 {
			t.Errorf("%v of work, want %d s; %v without a model", one.Worked, n, plain.Worked)
		}
		if busy := one.Worked.Seconds() / one.Took.Seconds(); busy < 0.8 || busy > 1 {
			t.Errorf("the processor was busy for %.2f of the time", busy)
		}
		slow.Count = 4
		if four := run(slow, bandwidth); four.Took > one.Took/3 {
			t.Errorf("four processors took %v, one %v", four.Took, one.Took)
		}
		if quick := run(Processors{Count: 1, Page: time.Nanosecond}, bandwidth); quick.Took-plain.Took > time.Microsecond {
			t.Errorf("%v with pages that cost nothing, %v without a model", quick.Took, plain.Took)
		}
		if !ascending(one.End) {
			t.Error("pages are not in the order in which they are there")
		}
	}
	p := Processors{Page: time.Millisecond, Rate: 1e6, Switch: time.Microsecond}
	if got, want := p.Work(32<<10), time.Millisecond+32768*time.Microsecond+6*time.Microsecond; got != want {
		t.Errorf("32 kB take %v, want %v", got, want)
	}
}

func ascending(x []time.Duration) bool {
	for i := 1; i < len(x); i++ {
		if x[i] < x[i-1] {
			return false
		}
	}
	return true
}

// TestWorldSizes takes sizes from the world where it has them.
func TestWorldSizes(t *testing.T) {
	const n = 20
	out, site := star(t, n)
	times, err := Preset("thesis2004", 3)
	if err != nil {
		t.Fatal(err)
	}
	size := func(p graph.Page) int64 { return int64(p%2) * 1000 * int64(p) }
	w := &World{Out: out, SiteOf: site, Sites: n, Times: times, Size: size}
	res, err := Run(w, Options{Setup: Setup{Seeds: []graph.Page{0}, Batch: 1}, Policy: mustChoose(t, "breadth-first")})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range res.Order {
		want := size(p)
		if want == 0 {
			want = times.Size(p)
		}
		if res.Bytes[i] != want {
			t.Errorf("page %d has %d bytes, want %d", p, res.Bytes[i], want)
		}
	}
}

// TestQuietEndsBatch has a batch with one large page on a slow site: with MinUse the next batch does
// not wait for it.
func TestQuietEndsBatch(t *testing.T) {
	const n = 40
	out, site := star(t, n)
	times, err := Preset("modern", 3)
	if err != nil {
		t.Fatal(err)
	}
	size := func(p graph.Page) int64 {
		if p == 1 {
			return 100e6
		}
		return 1000
	}
	w := &World{Out: out, SiteOf: site, Sites: n, Times: times, Size: size}
	last := func(use float64) time.Duration {
		set := Setup{Seeds: []graph.Page{0}, Batch: 10, Fetchers: n, Bandwidth: 1e9, MinUse: use}
		set.Frontier.Mode = frontier.Thesis
		res, err := Run(w, Options{Setup: set, Policy: mustChoose(t, "breadth-first")})
		if err != nil || len(res.Order) != n {
			t.Fatalf("%d pages, %v", len(res.Order), err)
		}
		return res.End[n-2] // the large page comes last, or nearly so
	}
	if with, without := last(0.5), last(0); with > without/4 {
		t.Errorf("39 pages after %v, and after %v without --min-use", with, without)
	}
}
