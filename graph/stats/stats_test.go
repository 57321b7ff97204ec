package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// newLists builds raw lists.
func newLists(t *testing.T, lists ...[]graph.Page) *graph.Lists {
	t.Helper()
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	l := graph.NewLists(len(lists), int64(n))
	t.Cleanup(l.Free)
	n = 0
	for p, list := range lists {
		n += copy(l.To.Slice()[n:], list)
		l.Off.Set(p+1, uint64(n))
	}
	return l
}

// small has seven pages in three sites: 0 1 2 in site 0, 3 4 in site 1, 5 6 in
// site 2. Page 4 links to itself, 2 and 6 are dangling, nobody links to 5.
func small(t *testing.T) (*graph.Lists, []graph.Site) {
	return newLists(t,
		[]graph.Page{1, 2, 3}, // 0: two local, one to site 1
		[]graph.Page{0, 2},    // 1: two local
		nil,                   // 2
		[]graph.Page{0, 4},    // 3: one to site 0, one local
		[]graph.Page{0, 4},    // 4: one to site 0, one local (itself)
		[]graph.Page{0, 6},    // 5: one to site 0, one local
		nil,                   // 6
	), []graph.Site{0, 0, 0, 1, 1, 2, 2}
}

func TestSurveyByHand(t *testing.T) {
	l, sites := small(t)
	s := Take(7, l, sites, 3)
	if s.Pages != 7 || s.Links != 11 || s.Self != 1 || s.Local != 7 || s.Dangling() != 2 || s.Unlinked() != 1 {
		t.Errorf("survey %+v", s)
	}
	if want := (Distribution{{0, 2}, {2, 4}, {3, 1}}); !slices.Equal(s.Out, want) {
		t.Errorf("out-degrees %v, want %v", s.Out, want)
	}
	if want := (Distribution{{0, 1}, {1, 3}, {2, 2}, {4, 1}}); !slices.Equal(s.In, want) {
		t.Errorf("in-degrees %v, want %v", s.In, want)
	}
	want := []SiteCount{{0, 3, 4, 1, 3}, {1, 2, 2, 2, 1}, {2, 2, 1, 1, 0}}
	if !slices.Equal(s.Sites, want) {
		t.Errorf("sites %v, want %v", s.Sites, want)
	}
	if got := s.Largest(2); !slices.Equal(got, want[:2]) {
		t.Errorf("largest sites %v", got)
	}
	// sizes 2 2 3: 2 (1*2 + 2*2 + 3*3) / (3*7) - 4/3 = 30/21 - 28/21
	if got := s.Gini(); math.Abs(got-2.0/21) > 1e-15 {
		t.Errorf("Gini %v, want 2/21", got)
	}
}

// Without sites every page is its own: only self-links are local.
func TestSurveyWithoutSites(t *testing.T) {
	l, _ := small(t)
	s := Take(7, l, nil, 0)
	if s.Local != 1 || s.Sites != nil || len(s.Largest(3)) != 0 || s.Gini() != 0 {
		t.Errorf("survey %+v", s)
	}
	empty := Take(0, newLists(t), nil, 0)
	if empty.Links != 0 || len(empty.In) != 0 || empty.In.Max() != 0 || empty.In.Mean() != 0 {
		t.Errorf("survey of nothing %+v", empty)
	}
}

func TestGini(t *testing.T) {
	for _, test := range []struct {
		sizes []int64
		want  float64
	}{
		{[]int64{5, 5, 5, 5}, 0},
		{[]int64{0, 0, 0, 8}, 0.75},
		{[]int64{1, 3}, 0.25},
		{nil, 0},
	} {
		if got := Gini(test.sizes); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("%v: %v, want %v", test.sizes, got, test.want)
		}
	}
}

func TestReachByHand(t *testing.T) {
	l, _ := small(t)
	for _, test := range []struct {
		seeds []graph.Page
		want  []int64
	}{
		{[]graph.Page{0}, []int64{1, 3, 1}}, // 0; 1 2 3; 4: L8, two pages are not reachable
		{[]graph.Page{5, 2, 5}, []int64{2, 2, 2, 1}},
		{[]graph.Page{6}, []int64{1}},
		{nil, nil},
	} {
		if got := Reach(7, l, test.seeds); !slices.Equal(got, test.want) {
			t.Errorf("from %v: %v, want %v", test.seeds, got, test.want)
		}
	}
}

// Ids 10 20 30 40 become 10 30 40 50 (L10).
func TestCompareByHand(t *testing.T) {
	older := newLists(t,
		[]graph.Page{1, 2, 3}, // 10 -> 20 30 40
		[]graph.Page{0},       // 20 -> 10: gone with its page
		[]graph.Page{0, 3},    // 30 -> 10 40
		nil,                   // 40
	)
	newer := newLists(t,
		[]graph.Page{1, 3}, // 10 -> 30 50: 30 kept, 40 gone, 50 is new
		[]graph.Page{0, 2}, // 30 -> 10 40: both kept
		[]graph.Page{0},    // 40 -> 10: new
		[]graph.Page{0},    // 50 -> 10: comes with its page
	)
	got := Compare(older, []graph.Page{0, graph.NoPage, 1, 2}, 4, newer)
	if want := (Overlap{3, 1, 1, 3, 1, 1}); got != want {
		t.Errorf("overlap %+v, want %+v", got, want)
	}
	same := Compare(older, []graph.Page{0, 1, 2, 3}, 4, older)
	if want := (Overlap{PagesKept: 4, LinksKept: 6}); same != want {
		t.Errorf("overlap with itself %+v, want %+v", same, want)
	}
}

// A match by URL need not keep the order of ids.
func TestCompareRenumbered(t *testing.T) {
	older := newLists(t, []graph.Page{1, 2}, []graph.Page{2}, nil)
	newer := newLists(t, nil, []graph.Page{0}, []graph.Page{0, 1}) // 0 1 2 became 2 1 0
	got := Compare(older, []graph.Page{2, 1, 0}, 3, newer)
	if want := (Overlap{PagesKept: 3, LinksKept: 3}); got != want {
		t.Errorf("overlap %+v, want %+v", got, want)
	}
}
