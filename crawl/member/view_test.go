package member

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/node"
)

// No partition counts twice, whoever tells of it; the share of links is that of all partitions or none.
func TestViewAdd(t *testing.T) {
	now := time.Now()
	tell := func(name string, age time.Duration, fetched int64, parts ...int) node.NodeStatus {
		return node.NodeStatus{Node: name, Partitions: parts, At: now.Add(-age), Status: history.Status{Fetched: fetched, Links: 10, Gathered: 1.2, Fetchers: 500, Memory: 7}}
	}
	done := func(fetched int64) *history.Status {
		return &history.Status{Fetched: fetched, Links: 10, Gathered: 0.8, Fetchers: 500, Memory: 100}
	}
	for name, c := range map[string]struct {
		told             []node.NodeStatus
		done             map[int]*history.Status
		fetched, memory  int64
		silent, fetchers int
		links            int64
		gathered         float64
	}{
		"all":                      {[]node.NodeStatus{tell("b", 0, 30, 0, 1), tell("a", 0, 12, 2, 3)}, nil, 42, 14, 0, 1000, 20, 1},
		"one is gone":              {[]node.NodeStatus{tell("a", 0, 30, 0, 1)}, nil, 30, 7, 2, 500, 0, 0},
		"handed over, old word":    {[]node.NodeStatus{tell("a", 3*time.Second, 30, 0, 1), tell("b", 0, 55, 0, 2, 3)}, nil, 55, 14, 1, 1000, 0, 0},
		"some have ended":          {[]node.NodeStatus{tell("a", 0, 30, 0, 1), tell("b", 0, 12, 2)}, map[int]*history.Status{1: done(9), 3: done(4)}, 25, 14, 1, 1000, 0, 0},
		"all have ended":           {nil, map[int]*history.Status{0: done(1), 1: done(2), 2: done(3), 3: done(4)}, 10, 0, 0, 0, 40, 0.8},
		"nobody tells, none ended": {nil, nil, 0, 0, 4, 0, 0, 0},
	} {
		v := &View{Partitions: 4}
		told := map[string]node.NodeStatus{}
		for _, n := range c.told {
			told[n.Node] = n
		}
		v.add(told, c.done)
		s := &v.Status
		if s.Fetched != c.fetched || v.Silent != c.silent || s.Fetchers != c.fetchers || s.Memory != c.memory || s.Links != c.links || s.Gathered != c.gathered {
			t.Errorf("%s: %d pages, %d silent, %d fetchers, %d bytes, %.1f of %d links; want %d, %d, %d, %d, %.1f of %d", name, s.Fetched, v.Silent, s.Fetchers, s.Memory, s.Gathered, s.Links,
				c.fetched, c.silent, c.fetchers, c.memory, c.gathered, c.links)
		}
		if len(v.Nodes) != len(c.told) || !slices.IsSortedFunc(v.Nodes, func(a, b node.NodeStatus) int { return strings.Compare(a.Node, b.Node) }) {
			t.Errorf("%s: nodes %+v", name, v.Nodes)
		}
	}
}

// A partition without a node has a reason.
func TestWhyFree(t *testing.T) {
	s := &cluster.Survey{
		Nodes:  map[string]cluster.Member{"a": {Alive: true}, "b": {Alive: true, Without: []int{5}}, "c": {}},
		Owners: map[int]cluster.Owner{0: {Node: "a", Holds: true}, 1: {Node: "b", Holds: true}, 2: {Node: "c"}, 3: {}},
	}
	told := map[string]node.NodeStatus{"a": {}}
	for p, want := range []string{
		"node a is reading its journal", "node b does not answer; others take over when its lease has ended",
		"node c is gone; another one is about to take it", "a node is about to take it", "a node is about to take it",
	} {
		if got := whyFree(s, told, p); got != want {
			t.Errorf("partition %d: %q, want %q", p, got, want)
		}
	}
	s.Nodes["a"] = cluster.Member{Alive: true, Without: []int{5}}
	if got, want := whyFree(s, told, 5), "no node can: a, b cannot read it, or have no room for it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := whyFree(&cluster.Survey{}, nil, 0); got != "no node runs" {
		t.Errorf("%q", got)
	}
}

// A beat sums up the crawls of a node, with the memory of the one that is nearest to its limit.
func TestBeatCount(t *testing.T) {
	var b Beat
	for _, s := range []node.NodeStatus{
		{Partitions: []int{1, 2}, MemoryMax: 100, Status: history.Status{Rate: 2, Memory: 30}},
		{Partitions: []int{7}, MemoryMax: 40, Status: history.Status{Rate: 0.5, Memory: 20}},
		{Partitions: []int{}, MemoryMax: 1000, Status: history.Status{Memory: 60}},
	} {
		b.count(&s)
	}
	if b.Partitions != 3 || b.Rate != 2.5 || b.Memory != 20 || b.MemoryMax != 40 {
		t.Errorf("%+v", b)
	}
}
