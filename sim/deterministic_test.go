package sim

import (
	"reflect"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
)

// A run is a function of world, seeds, policy, options and random seed: two with the
// same are identical in all that they return, their journals byte by byte.
func TestDeterministic(t *testing.T) {
	w := newTestWeb(t, 800, 30)
	for _, s := range []setting{
		{name: "order only", fetchers: 1},
		{name: "polite", preset: "modern", fetchers: 12, frontier: frontier.Options{Delay: time.Second, PerConnection: 3, Robots: true}},
		{name: "thesis batches", preset: "thesis2004", fetchers: 8, site: "random",
			frontier: frontier.Options{Delay: time.Second, Mode: frontier.Thesis, Batch: 100}},
	} {
		for _, name := range variants() {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				s := s
				if name == "pagerank" {
					s.max = 250 // it solves before each page
				}
				var journals [2]memory
				var results [2]*Result
				for i := range results {
					o := w.options(t, name, &s, 6)
					o.Record, o.Bandwidth = journals[i].Append, 2e6
					var err error
					if results[i], err = Run(w.world(t, s.preset, 3), o); err != nil {
						t.Fatal(err)
					}
				}
				if !reflect.DeepEqual(results[0], results[1]) {
					t.Errorf("two runs differ: %d and %d pages, %v and %v", len(results[0].Order), len(results[1].Order), results[0].Took, results[1].Took)
				}
				if string(journals[0].b) != string(journals[1].b) {
					t.Errorf("two journals of %d and %d records differ", journals[0].next, journals[1].next)
				}
			})
		}
	}
}

// Another random seed makes another random crawl, and leaves all others alone.
func TestRandomSeed(t *testing.T) {
	w := newTestWeb(t, 800, 30)
	s := setting{fetchers: 1}
	for name, differs := range map[string]bool{"random": true, "historical-pagerank/new=random": true, "opic": false, "breadth-first": false} {
		a, err := Run(w.world(t, "", 0), w.options(t, name, &s, 1))
		if err != nil {
			t.Fatal(err)
		}
		b, err := Run(w.world(t, "", 0), w.options(t, name, &s, 2))
		if err != nil {
			t.Fatal(err)
		}
		if got := !reflect.DeepEqual(a.Order, b.Order); got != differs {
			t.Errorf("%s: another seed changes the order: %v, want %v", name, got, differs)
		}
	}
}
