package sim

import (
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// TestOnePartition: a crawl of one partition has the order of a crawl that is not cut, in every way
// to crawl and with every policy.
func TestOnePartition(t *testing.T) {
	w := newTestWeb(t, 300, 30)
	for i, s := range settings() {
		for k, name := range variants() {
			if k%len(settings()) != i && name != "opic" && name != "foresight" {
				continue
			}
			o := w.options(t, name, &s, 5)
			whole, err := Run(w.world(t, s.preset, 5), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Partitions = 1
			cut, err := Run(w.world(t, s.preset, 5), o)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(whole.Order, cut.Order) || !slices.Equal(whole.End, cut.End) || whole.Requests != cut.Requests || whole.Known != cut.Known || whole.Sites != cut.Sites {
				t.Errorf("%s, %s: the order of one partition differs", s.name, name)
			}
		}
	}
}

// TestPartitions: several partitions fetch what one does, each page once, and know no page twice.
func TestPartitions(t *testing.T) {
	w := newTestWeb(t, 300, 30)
	for _, s := range settings() {
		if s.max > 0 || s.frontier.Allowed != nil { // those depend on the ids of pages
			continue
		}
		for _, name := range []string{"opic", "foresight", "backlink-count", "breadth-first", "batch-pagerank/k=150", "mix:opic+foresight*2+xim"} {
			o := w.options(t, name, &s, 5)
			whole, err := Run(w.world(t, s.preset, 5), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, of := range []int{5} {
				o.Partitions = of
				cut, err := Run(w.world(t, s.preset, 5), o)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(sorted(cut.Order), sorted(whole.Order)) || cut.Known != whole.Known || cut.Sites != whole.Sites {
					t.Errorf("%s, %s: %d partitions fetched %d pages of %d, and know %d of %d", s.name, name, of, len(cut.Order), len(whole.Order), cut.Known, whole.Known)
				}
				if cut.Messages == 0 || cut.Foreign == 0 || cut.Told < cut.Foreign {
					t.Errorf("%s, %s: %d messages about %d of %d foreign pages", s.name, name, cut.Messages, cut.Told, cut.Foreign)
				}
			}
		}
	}
}

// TestPartitionsOrder: where URLs are not known foresight loses little in 16 partitions. It loses a
// quarter of the way to random if each has turns of its own to explore.
func TestPartitionsOrder(t *testing.T) {
	w := newTestWeb(t, 4000, 400)
	average := func(name string, of int) float64 {
		o := w.options(t, name, &setting{}, 5)
		o.Partitions = of
		world := w.world(t, "", 5)
		world.URL = nil
		r, err := Run(world, o)
		if err != nil {
			t.Fatal(err)
		}
		return w.average(r.Order)
	}
	random, one, cut := average("random", 0), average("foresight", 0), average("foresight", 16)
	if loss := (one - cut) / (one - random); loss > .1 {
		t.Errorf("%.3f in 16 partitions, %.3f in one, %.3f at random: %.1f %% are lost", cut, one, random, 100*loss)
	}
}

// average returns the mean over a crawl of the importance gathered so far.
func (w *testWeb) average(order []graph.Page) (mean float64) {
	sum := 0.0
	for _, p := range order {
		sum += w.importance[p]
		mean += sum
	}
	return mean / sum / float64(len(order))
}

func sorted(list []graph.Page) []graph.Page { return slices.Sorted(slices.Values(list)) }

// A crawl that needs one owner is refused.
func TestPartitionsRefused(t *testing.T) {
	w := newTestWeb(t, 200, 30)
	o := w.options(t, "opic", &setting{}, 1)
	o.Partitions, o.KeepPages = 2, 10
	if _, err := Run(w.world(t, "", 1), o); err != errParts {
		t.Errorf("error %v", err)
	}
}
