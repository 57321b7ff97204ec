package fakeweb

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb/subject"
	"github.com/winnow-crawler/winnow/graph"
)

func topicWeb(t testing.TB, change func(*Topics)) *Web {
	t.Helper()
	spec := Spec{Pages: 20_000, Sites: 200, Links: 200_000, Seed: 1, Topics: SomeTopics()}
	if change != nil {
		change(&spec.Topics)
	}
	w, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// shares returns the share of pages on each topic, and of those stuffed.
func shares(w *Web) (on []float64, stuffed float64) {
	on = make([]float64, w.spec.Topics.Number)
	each := 1 / float64(w.spec.Pages)
	for p := range graph.Page(w.spec.Pages) {
		switch s := w.Subject(p); {
		case s.Topic >= 0:
			on[s.Topic] += each
		case s.Stuffed >= 0:
			stuffed += each
		}
	}
	return on, stuffed
}

// Topics have their shares in webs of many sites, of few, and of one; another share is met, too.
func TestTopicShares(t *testing.T) {
	for _, test := range []struct {
		sites, topics int
		share         float64
	}{{200, 8, 0.05}, {200, 1, 0.2}, {10, 8, 0.05}, {1, 2, 0.1}, {2000, 8, 0.05}} {
		for seed := range uint64(3) {
			w, err := New(Spec{Pages: 20_000, Sites: test.sites, Links: 100_000, Seed: seed, Topics: Topics{test.topics, test.share, 0.5}})
			if err != nil {
				t.Fatal(err)
			}
			on, stuffed := shares(w)
			for k, got := range on {
				want, within := test.share/float64(k+1), 0.2
				if k > 0 {
					within = 0.8 // a directory more or less is much of a rare topic
				}
				if math.Abs(got-want) > within*want {
					t.Errorf("%+v, seed %d: topic %d on %.4f of the pages, want %.4f", test, seed, k, got, want)
				}
			}
			if stuffed < 0.03*test.share || stuffed > 0.4*test.share {
				t.Errorf("%+v, seed %d: %.4f of the pages are stuffed", test, seed, stuffed)
			}
		}
	}
}

// Pages of a topic lie together: of two pages of a directory the second is on the topic of the
// first far more often than any page is.
func TestTopicsLieTogether(t *testing.T) {
	w := topicWeb(t, nil)
	on, both, elsewhere := 0, 0, 0
	for p := range graph.Page(w.spec.Pages - 1) {
		s, j := w.Locate(p)
		if s.Subject(j).Topic != 0 || j+1 >= s.Pages {
			continue
		}
		on++
		if s.Subject(j+1).Topic == 0 {
			both++
		}
		if w.topics.lead[s.ID] != 0 {
			elsewhere++
		}
	}
	if share := float64(both) / float64(on); share < 0.4 || share > 0.9 {
		t.Errorf("the next page is on the topic, too, in %.2f of %d cases", share, on)
	}
	if share := float64(elsewhere) / float64(on); share < 0.25 || share > 0.75 {
		t.Errorf("%.2f of the pages on the topic are in other sites", share)
	}
}

// kindredShare returns the share of the links of pages on topic 0 that lead to pages on it.
func kindredShare(w *Web) float64 {
	links, kin := 0, 0
	w.Each(func(p graph.Page, to []graph.Page) error {
		if w.Subject(p).Topic == 0 {
			for _, q := range to {
				if links++; w.Subject(q).Topic == 0 {
					kin++
				}
			}
		}
		return nil
	})
	return float64(kin) / float64(links)
}

// The preference is what makes links stay in the topic; without one they do so because pages of
// a topic lie together.
func TestTopicPreference(t *testing.T) {
	var got []float64
	for _, preference := range []float64{0, 0.5, 1} {
		got = append(got, kindredShare(topicWeb(t, func(o *Topics) { o.Preference = preference })))
	}
	if !slices.IsSorted(got) || got[1]-got[0] < 0.15 || got[2]-got[1] < 0.15 {
		t.Errorf("links to pages of the topic: %.3f without preference, %.3f with 0.5, %.3f with 1", got[0], got[1], got[2])
	}
}

// Topics change nothing about a web but where links of their pages lead and what URLs are
// called: the same number of links, all pages can be reached, lists are the same in any order,
// and a path leads to its page and to no other.
func TestTopicWeb(t *testing.T) {
	w := topicWeb(t, nil)
	var all [][]graph.Page
	links := 0
	w.Each(func(p graph.Page, to []graph.Page) error {
		all, links = append(all, slices.Clone(to)), links+len(to)
		if !slices.IsSorted(to) || slices.Contains(to, p) || len(slices.Compact(slices.Clone(to))) != len(to) {
			t.Fatalf("page %d: %v", p, to)
		}
		return nil
	})
	if int64(links) != w.spec.Links {
		t.Errorf("%d links, want %d", links, w.spec.Links)
	}
	if n := reach(all, 0, nil); n != w.spec.Pages {
		t.Errorf("%d of %d pages can be reached", n, w.spec.Pages)
	}
	named := 0
	for p := range graph.Page(w.spec.Pages) {
		if p%97 == 0 && !slices.Equal(w.Links(nil, p), all[p]) {
			t.Fatalf("page %d has other links alone", p)
		}
		s, j := w.Locate(p)
		path := string(s.AppendPath(nil, j))
		if got, ok := s.PageAt(path); !ok || got != j {
			t.Fatalf("%s is page %d, %v, want %d", path, got, ok, j)
		}
		if bare, word, ok := strings.Cut(path, "-"); ok {
			named++
			for _, other := range []string{bare + ".html", strings.Replace(path, word, "other.html", 1), bare + "-.html"} {
				if got, ok := s.PageAt(other); ok {
					t.Fatalf("%s is page %d", other, got)
				}
			}
		}
	}
	if named < w.spec.Pages/100 {
		t.Errorf("%d URLs have words", named)
	}
}

func TestTopicErrors(t *testing.T) {
	for _, o := range []Topics{{Number: subject.Most + 1, Share: 0.05}, {Number: -1}, {Number: 1}, {Number: 8, Share: 0.5}, {Number: 1, Share: 0.1, Preference: 2}} {
		if _, err := New(Spec{Pages: 10, Sites: 1, Links: 20, Topics: o}); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
