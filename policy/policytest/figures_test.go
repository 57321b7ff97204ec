package policytest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
)

// figures runs the crawlers of figures 4 and 5 of Cho, Garcia-Molina and Page 1998 line by line.
// The names are those of the figures.
type figures struct {
	w                    *World
	hot_queue, url_queue []int
	crawled_pages        []int
	links                [][2]int
	hot                  map[int]bool
	near                 bool // figure 5
	while                func(hot, url bool) bool
}

// run returns the pages in the order in which they are crawled, breadth-first in both queues: then
// reorder_queue does nothing.
func (f *figures) run(starting_url int) []int {
	f.hot = map[int]bool{}
	f.url_queue = append(f.url_queue, starting_url)
	for f.while(len(f.hot_queue) > 0, len(f.url_queue) > 0) {
		url := f.dequeue2()
		if f.w.isHot(url) {
			f.hot[url] = true
		}
		f.crawled_pages = append(f.crawled_pages, url)
		for i, u := range f.w.Out[url] {
			f.links = append(f.links, [2]int{url, u})
			if slices.Contains(f.url_queue, u) || slices.Contains(f.hot_queue, u) || slices.Contains(f.crawled_pages, u) {
				continue
			}
			if f.w.contains(url, i) || f.w.urlTerms(u) != 0 || f.near && f.distance_from_hotpage(u) < 3 {
				f.hot_queue = append(f.hot_queue, u)
			} else {
				f.url_queue = append(f.url_queue, u)
			}
		}
	}
	return f.crawled_pages
}

func (f *figures) dequeue2() (url int) {
	queue := &f.url_queue
	if len(f.hot_queue) > 0 {
		queue = &f.hot_queue
	}
	url, *queue = (*queue)[0], (*queue)[1:]
	return url
}

func (f *figures) distance_from_hotpage(u int) int {
	if f.hot[u] {
		return 0
	}
	two := false
	for _, wu := range f.links {
		if wu[1] != u {
			continue
		}
		if f.hot[wu[0]] {
			return 1
		}
		two = two || slices.ContainsFunc(f.links, func(vw [2]int) bool { return vw[1] == wu[0] && f.hot[vw[0]] })
	}
	if two {
		return 2
	}
	return 3
}

// TestFigures (X12, O15, O16): on webs in which one page links to each, where nothing that is found
// later can tell more about a page, the policy has the order of the figures, page by page. The loop
// of the figures as printed ends when one queue is empty, which is at once.
func TestFigures(t *testing.T) {
	either := func(hot, url bool) bool { return hot || url }
	both := func(hot, url bool) bool { return hot && url }
	for seed := range uint64(20) {
		w := textTree(seed, 300)
		for _, near := range []bool{false, true} {
			name := map[bool]string{false: "two-queue/near=0", true: "two-queue"}[near]
			want := (&figures{w: w, near: near, while: either}).run(0)
			c := crawl(t, w, Settings()[0], name, "")
			if got := c.order(); len(want) != len(w.Out) || !slices.Equal(got, want) {
				t.Fatalf("world %d, %s: the order differs from the figure", seed, name)
			}
			if some := (&figures{w: w, near: near, while: both}).run(0); len(some) > 0 {
				t.Errorf("the loop as printed crawls %d pages", len(some))
			}
		}
	}
}

// order returns the pages in the order of their visits.
func (c *Crawl) order() (list []int) {
	for _, v := range c.Visits {
		list = append(list, v.Page)
	}
	return list
}

// textTree returns a text world that is a tree.
func textTree(seed uint64, pages int) *World {
	spec := DefaultText()
	spec.Pages = pages
	w := NewText(seed, spec)
	w.Out, w.Seeds, w.Read, w.Anchors = make([][]int, pages), []int{0}, nil, nil
	for p := 1; p < pages; p++ {
		up := max(0, p-1-int(policy.Hash(seed, 90, uint64(p))%40))
		w.Out[up] = append(w.Out[up], p)
	}
	w.write(TextSpec{Share: 0.1, Named: 0.2, Heard: 0.1})
	return w
}

// TestPromotion: pages of the second queue move when a page before them turns out to be hot.
func TestPromotion(t *testing.T) {
	w := NewText(1, TextSpec{Pages: 6, Share: 0.05})
	// 0 -> 1, 2, 3 and 1 -> 4, 5; 3 -> 1 and is hot: 4 and 5 are two links behind it.
	w.Seeds, w.Out = []int{0}, [][]int{{1, 2, 3}, {4, 5}, {}, {1}, {}, {}}
	for p := range w.Out {
		w.Read[p].Matches, w.Read[p].Hits, w.Anchors[p] = nil, nil, nil
		w.URL[p] = fmt.Sprintf("http://a.example/%d", p)
	}
	c := start(t, w, Settings()[0], "two-queue", "")
	var queues []float64
	for len(c.Visits) < 4 && c.Step() {
		queues = append(queues, c.F.Value(c.ids[1], 0))
	}
	if slices.Max(queues) != 0 {
		t.Fatalf("without a hot page some page is in the hot queue: %v", queues)
	}
	w.Read[3].Matches = []event.Match{{Title: 1}}
	c = start(t, w, Settings()[0], "two-queue", "")
	for len(c.Visits) < 4 && c.Step() {
	}
	for p := 4; p < 6; p++ {
		if c.F.Value(c.ids[p], 0) != 1 {
			t.Errorf("page %d is not in the hot queue: %+v", p, c.F.Ranks().Explain(c.ids[p]))
		}
	}
}

// TestTopicTerms (O17, O24): anchors, URLs and distances are terms of scores, and are explained.
func TestTopicTerms(t *testing.T) {
	w := NewWorld(21, 80)
	w.Score, _ = score.Compile("anchor_similarity + around_similarity + url_similarity + parent_similarity + similarity + (hot_distance ?? 9)")
	c := start(t, w, Settings()[0], "score", "")
	for len(c.Visits) < 40 && c.Step() {
	}
	explained := c.Page.(policy.Valuer)
	seen := map[string]int{}
	for id, p := range c.pages {
		for _, x := range explained.Appraise(c.ids[p]).Terms {
			if x.Value != nil && *x.Value > 0 {
				seen[x.Name]++
			}
			if x.Name == "url_similarity" && (*x.Value > 0) != (w.urlTerms(c.pages[id]) != 0) {
				t.Errorf("page %d: %s is %v", p, w.URL[p], *x.Value)
			}
			if x.Name == "hot_distance" && x.Value != nil && (*x.Value == 0) != (c.state[p] == done && w.isHot(p)) {
				t.Errorf("page %d is %v links from a hot page", p, *x.Value)
			}
		}
	}
	for _, name := range []string{"anchor_similarity", "around_similarity", "url_similarity", "parent_similarity", "similarity", "hot_distance"} {
		if seen[name] < 3 {
			t.Errorf("%d pages have the term %s", seen[name], name)
		}
	}
}
