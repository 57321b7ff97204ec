package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-crawler/winnow/crawl/member"
	"github.com/winnow-crawler/winnow/dashboard"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A watchtower is a cluster as the dashboard sees it.
type watchtower struct {
	place   string
	cluster *member.Cluster
	mu      sync.Mutex
	state   *dashboard.ClusterState
	changed chan struct{}
}

// watchCluster watches a cluster until the context ends. Then wait returns.
func watchCluster(ctx context.Context, place string, c *member.Cluster) (t *watchtower, wait func()) {
	t = &watchtower{place: place, cluster: c, changed: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Watch(ctx, func(s *member.Sight) { t.set(clusterState(place, s)) })
	}()
	return t, func() { <-ended }
}

func (t *watchtower) set(s *dashboard.ClusterState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state = s
	close(t.changed)
	t.changed = make(chan struct{})
}

// Look implements dashboard.Cluster.
func (t *watchtower) Look() (*dashboard.ClusterState, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state, t.changed
}

// Do implements dashboard.Cluster.
func (t *watchtower) Do(ctx context.Context, crawl, verb string) error {
	x, err := t.cluster.Open(ctx, crawl)
	if err != nil {
		return err
	}
	return x.Command(ctx, verb)
}

// clusterState describes a cluster for the dashboard.
func clusterState(place string, s *member.Sight) *dashboard.ClusterState {
	x := &dashboard.ClusterState{Place: place, Answered: s.Answered, Trouble: trouble(s.Err)}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		x.Nodes = append(x.Nodes, dashboard.ClusterNode{
			Name: n.Node, Address: n.Address, Broker: n.Broker, BrokerOff: n.BrokerOff, Partitions: n.Partitions, Rate: n.Rate,
			Memory: n.Memory, MemoryMax: n.MemoryMax, Heard: n.At, Notes: cannot(&n.Beat),
		})
	}
	for i := range s.Crawls {
		x.Crawls = append(x.Crawls, clusterCrawl(&s.Crawls[i]))
	}
	return x
}

// trouble describes an error in a line, without what caused it if there is a hint.
func trouble(err error) string {
	var h *hint.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &h):
		return h.Text + "; " + h.Hint
	}
	return err.Error()
}

// cannot lists the crawls in which a node cannot take part.
func cannot(b *member.Beat) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(b.Crawls)) {
		if why, failed := strings.CutPrefix(b.Crawls[name], member.PartFailed); failed {
			list = append(list, "cannot take part in "+name+": "+why)
		}
	}
	return list
}

// clusterCrawl describes a crawl of a cluster for the dashboard.
func clusterCrawl(w *member.Watched) dashboard.ClusterCrawl {
	x := dashboard.ClusterCrawl{Name: w.Name}
	v := w.View
	if v == nil {
		return x
	}
	x.Partitions, x.Paused, x.Ended, x.Silent, x.Status = v.Partitions, v.Paused, v.Ended, v.Silent, &v.Status
	x.State = v.Ended
	if k, err := w.Plan.Configuration(); err == nil {
		x.State = viewState(v, &k)
	}
	x.State = cmp.Or(x.State, v.Status.State)
	for i := range v.Nodes {
		n := &v.Nodes[i]
		x.Nodes = append(x.Nodes, dashboard.CrawlNode{
			Name: n.Node, Coordinator: n.Coordinator, Partitions: n.Partitions, Fetched: n.Status.Fetched, Rate: n.Status.Rate,
			Memory: n.Status.Memory, MemoryMax: n.MemoryMax,
		})
	}
	for _, f := range v.Free {
		x.Free = append(x.Free, dashboard.FreePartition(f))
	}
	return x
}
