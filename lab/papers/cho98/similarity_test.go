package cho98

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// similarRun runs one of graphs 7 to 10 on a small text world.
func similarRun(t *testing.T, x similarity) (*experiment.Run, *similarCourses) {
	t.Helper()
	r := &experiment.Run{Bench: &experiment.Bench{Context: context.Background(), Random: 1, Threads: 2, Starts: 2}, Report: &show.Report{}, Findings: make([][]experiment.Finding, 5)}
	var got *similarCourses
	judge := x.judge
	x.judge = func(c *similarCourses) []experiment.Finding {
		got = c
		return judge(c)
	}
	p, w, err := r.TextWorld(fakeweb.Spec{Seed: 1, Pages: 3000, Topics: fakeweb.SomeTopics()}, x.topic)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.World.Free)
	if err := x.at(r, p, w.OnTopic(x.topic)); err != nil {
		t.Fatal(err)
	}
	return r, got
}

// The experiments of section 7 (X8, X9, X10, X11) crawl the text world under every order, and the
// numbers of the report are those of their definitions. The two-queue crawler finds hot pages
// before breadth-first and random order: A section 7.
func TestSimilarityExperiments(t *testing.T) {
	for _, x := range []similarity{{graph: 7, judge: graph7}, {graph: 8, near: 3, judge: graph8}, {graph: 9, near: 3, links: 5, judge: graph9}, {graph: 10, topic: 1, near: 3, links: 5, judge: graph9}} {
		r, c := similarRun(t, x)
		if len(c.rows) != len(x.policies(3000)) || len(c.courses) != 3 {
			t.Fatalf("graph %d: %d orders from %d start sets", x.graph, len(c.rows), len(c.courses))
		}
		checkHot(t, c)
		m := means(c.rows)
		if m[queueBreadth] < m[plainBreadth]+0.05 || m[queueBreadth] < m[plainRandom]+0.05 {
			t.Errorf("graph %d: mean P_ST %.3f, breadth-first %.3f, random %.3f", x.graph, m[queueBreadth], m[plainBreadth], m[plainRandom])
		}
		if n := len(x.judge(c)); n == 0 || len(r.Findings[n-1]) != 1 || len(r.Report.Sections) != 2 {
			t.Errorf("graph %d: %d findings, %d sections", x.graph, n, len(r.Report.Sections))
		}
		for i, row := range c.rows {
			if v, _ := c.meanAt(i, 1); v != 1 {
				t.Errorf("graph %d, %s: %v of the hot pages at the end", x.graph, row.name, v)
			}
		}
	}
}

// checkHot compares the hot pages of an experiment, and P_ST of its first crawl, with a count over
// the words of each page.
func checkHot(t *testing.T, c *similarCourses) {
	t.Helper()
	_, topical := c.place.World.Readings.Similarities()
	hot, all := map[graph.Page]bool{}, 0
	for p := range graph.Page(c.place.World.Pages()) {
		if linking := c.place.World.In.Degree(p); topical[p] && linking >= c.links {
			hot[p] = true
			all++
		}
		if hot[p] != c.hot[p] {
			t.Fatalf("page %d: hot %v, want %v", p, c.hot[p], hot[p])
		}
	}
	order, n := c.courses[0].Runs[0].Result.Order, 0
	for _, p := range order[:len(order)/4] {
		if hot[p] {
			n++
		}
	}
	if got, _ := c.rows[0].curves[0].At(0.25); got != measure.Share(n, all) {
		t.Errorf("P_ST %v after a quarter, want %d of %d", got, n, all)
	}
}

// Inside the two queues pages go at random with by=random: pages of the hot queue first, and
// another order with another seed.
func TestTwoQueueAtRandom(t *testing.T) {
	b := &experiment.Bench{Context: context.Background(), Random: 1, Threads: 1}
	p, _, err := b.TextWorld(fakeweb.Spec{Seed: 1, Pages: 1000, Topics: fakeweb.SomeTopics()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.World.Free()
	var orders [][]graph.Page
	for _, random := range []uint64{1, 1, 2} {
		b.Random = random
		c, err := b.Course(p, experiment.Unmeasured, "two-queue/near=0/by=random")
		if err != nil {
			t.Fatal(err)
		}
		orders = append(orders, c.Runs[0].Result.Order)
	}
	if !slices.Equal(orders[0], orders[1]) || slices.Equal(orders[0], orders[2]) {
		t.Error("orders do not depend on the seed alone")
	}
	checkQueues(t, p, orders[0])
	if slices.IsSorted(orders[0][:50]) {
		t.Error("not at random")
	}
}

// checkQueues checks that no page was fetched while one that a link or its URL names waited, unless
// it is such a page.
func checkQueues(t *testing.T, p *experiment.Place, order []graph.Page) {
	t.Helper()
	named, waits := map[graph.Page]bool{}, map[graph.Page]bool{}
	know := func(q graph.Page) {
		waits[q] = true
		if strings.Contains(p.World.PageName(q), "computer") {
			named[q] = true
		}
	}
	know(order[0])
	fetched := map[graph.Page]bool{}
	for i, q := range order {
		if !named[q] {
			for other := range waits {
				if named[other] {
					t.Fatalf("fetch %d: page %d goes before %d, which is in the hot queue", i, q, other)
				}
			}
		}
		delete(waits, q)
		fetched[q] = true
		r := readingOf(p, q)
		for _, to := range p.World.Sim.Out.List(q) {
			if !fetched[to] && !waits[to] {
				know(to)
			}
		}
		for _, h := range r.Hits {
			if to := p.World.Sim.Out.List(q)[h.Link]; h.Anchor != 0 {
				named[to] = true
			}
		}
	}
}

func readingOf(p *experiment.Place, q graph.Page) (r event.Reading) {
	p.World.Readings.Read(q, &r)
	return r
}
