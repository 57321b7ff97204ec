package focused

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// TestDistances (O16): whatever the order in which pages are fetched and turn out to be hot, each
// distance is that of a search from all hot pages along the links of fetched ones.
func TestDistances(t *testing.T) {
	const pages = 60
	for seed := range uint64(30) {
		var out [pages][]graph.Page
		for p := range out {
			for i := range order.Hash(seed, 1, uint64(p)) % 4 {
				out[p] = append(out[p], graph.Page(order.Hash(seed, 2, uint64(p), i)%pages))
			}
		}
		fetched, hot := map[graph.Page]bool{}, map[graph.Page]bool{}
		kept := func(p graph.Page) []graph.Page {
			if fetched[p] {
				return out[p]
			}
			return nil
		}
		d := NewDistances(&order.Env{Out: kept, MaxPages: pages}, "test", 4, func(graph.Page) {})
		for range pages {
			d.Known()
		}
		for i := range uint64(pages) {
			p := graph.Page((i*7 + seed) % pages)
			fetched[p], hot[p] = true, order.Hash(seed, 3, i)%6 == 0
			d.Fetched(p, hot[p], out[p])
			checkDistances(t, d, hot, kept)
		}
		d.Free()
	}
}

func checkDistances(t *testing.T, d *Distances, hot map[graph.Page]bool, out func(graph.Page) []graph.Page) {
	t.Helper()
	at := make([]uint8, d.of.Len())
	for p := range at {
		if at[p] = d.Far; hot[graph.Page(p)] {
			at[p] = 0
		}
	}
	for range d.Far {
		for p := range at {
			for _, q := range out(graph.Page(p)) {
				at[q] = min(at[q], at[p]+1)
			}
		}
	}
	for p, want := range at {
		if got := d.of.At(p); got != want {
			t.Fatalf("page %d is %d links from a hot page, want %d", p, got, want)
		}
	}
}

// TestURLWords: the last four words of a path, without single letters and numbers.
func TestURLWords(t *testing.T) {
	for url, want := range map[string]int{
		"http://a.example/": 0, "http://a.example/physics/a/12": 1, "http://a.example/one/two-three_four/five.html": 4,
		"http://a.example/same/same": 1,
	} {
		if w := urlWords([]byte(url)); w.Len() != want {
			t.Errorf("%s has %d words, want %d", url, w.Len(), want)
		}
	}
	if a, b := urlWords([]byte("http://a.example/x/physics-3")), urlWords([]byte("http://b.example/physics")); a != b {
		t.Errorf("the words differ: %v, %v", a, b)
	}
}

// TestProspect: what is set does not change anything else.
func TestProspect(t *testing.T) {
	var r prospect
	r[prospectDir] = 12345
	r.setWords(prospectURLWords, event.Words{9, 8, 7, 65535})
	r.join(event.Words{1, 2})
	r.join(event.Words{2, 65535})
	for i := range shareParent + 1 {
		r.raise(i, float64(i+1)/5)
		r.raise(i, 0.1)
	}
	r.in(event.Content)
	r.in(event.Footer)
	for i := range 70_000 {
		r.link(i%2 == 0)
	}
	for i := range shareParent + 1 {
		if got, want := r.share(i), float64(i+1)/5; math.Abs(got-want) > 1e-4 {
			t.Errorf("share %d is %v, want %v", i, got, want)
		}
	}
	all, hot := r.links()
	if all != 65535 || hot != 35_000 || r.region() != event.Content || r.dir() != 12345 ||
		r.words(prospectWords) != (event.Words{1, 2, 65535}) || r.words(prospectURLWords) != (event.Words{9, 8, 7, 65535}) {
		t.Errorf("%d links, %d of hot pages, %v, directory %d, words %v and %v", all, hot, r.region(), r.dir(), r.words(prospectWords), r.words(prospectURLWords))
	}
}
