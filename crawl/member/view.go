package member

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/node"
)

// A View is a crawl of a cluster at one moment.
type View struct {
	Name       string            `json:"name"`
	Partitions int               `json:"partitions"`
	Nodes      []node.NodeStatus `json:"nodes"`          // those that have told how they are, by name
	Free       []Free            `json:"free,omitempty"` // partitions that no node crawls, unless the crawl has ended
	Silent     int               `json:"silent"`         // partitions whose pages are not in Status; it has no links then
	Paused     bool              `json:"paused"`         // by a command
	Ended      string            `json:"ended"`          // why it has; "": it has not
	Status     history.Status    `json:"status"`         // the sum of all nodes

	complete bool // all partitions have said how they have ended
}

// Free is a partition that no node crawls, and the reason.
type Free struct {
	Partition int    `json:"partition"`
	Why       string `json:"why"`
}

// listenTime is how long those who ask listen for what nodes tell each second.
const listenTime = 2500 * time.Millisecond

// View returns how the crawl stands.
func (x *Crawl) View(ctx context.Context) (*View, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var told map[string]node.NodeStatus
	listening, enough := context.WithTimeout(ctx, listenTime)
	defer enough()
	err := node.Watch(listening, x.Engine, func(m map[string]node.NodeStatus) { told = m })
	if err != nil {
		return nil, err
	}
	return x.view(ctx, told)
}

// Follow calls fn about once a second with how the crawl stands, until it has ended or the context
// ends. Between two looks at the register it takes what nodes tell.
func (x *Crawl) Follow(ctx context.Context, fn func(*View)) (last *View, err error) {
	following, stop := context.WithCancel(ctx)
	defer stop()
	patience := 0
	err = node.Watch(following, x.Engine, func(told map[string]node.NodeStatus) {
		short, cancel := context.WithTimeout(following, askTime)
		defer cancel()
		v, err := x.view(short, told)
		if err != nil {
			return // it goes on when brokers answer again
		}
		fn(v)
		if v.Ended == "" {
			return
		}
		last = v
		if patience++; v.complete || patience > mostPatience {
			stop()
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return last, err
}

// mostPatience is how many seconds Follow waits for the last words of nodes.
const mostPatience = 10

// view puts together what nodes have told and what the register says.
func (x *Crawl) view(ctx context.Context, told map[string]node.NodeStatus) (*View, error) {
	s, err := node.Stand(ctx, x.Engine.Register)
	if err != nil {
		return nil, fmt.Errorf("read the register of %s: %w", x.Name, err)
	}
	v := &View{Name: x.Name, Partitions: x.Plan.Crawl.Partitions, Paused: s.Paused, Ended: s.Stop, Nodes: []node.NodeStatus{}}
	v.complete = s.Stop != "" && len(s.Done) == v.Partitions
	if s.Stop == "" {
		s.Done = nil
	}
	if v.complete {
		told = nil // it is old
	}
	v.add(told, s.Done)
	v.settle()
	if runs := running(told); s.Stop == "" && len(runs) < v.Partitions {
		survey, err := cluster.Look(ctx, x.Engine.Register)
		if err != nil {
			return nil, err
		}
		v.Free = free(&survey, told, runs, v.Partitions)
	}
	return v, nil
}

// running returns the partitions that nodes say they run.
func running(told map[string]node.NodeStatus) map[int]bool {
	runs := map[int]bool{}
	for _, n := range told {
		for _, p := range n.Partitions {
			runs[p] = true
		}
	}
	return runs
}

// add sums up what nodes have told and how partitions have ended. A node tells the sum of its
// partitions: if one of them has ended since, or another node has told of it later, that sum is left
// out, because the partition would count twice. Its other partitions are silent then, until the node
// tells again.
func (v *View) add(told map[string]node.NodeStatus, done map[int]*history.Status) {
	counted := map[int]bool{}
	var list []*history.Status
	for _, p := range slices.Sorted(maps.Keys(done)) {
		counted[p] = true
		list = append(list, done[p])
	}
	nodes := slices.SortedFunc(maps.Values(told), func(a, b node.NodeStatus) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Node, b.Node))
	})
	for i := range nodes {
		n := &nodes[i]
		if slices.ContainsFunc(n.Partitions, func(p int) bool { return counted[p] }) {
			continue
		}
		list = append(list, &n.Status)
		for _, p := range n.Partitions {
			counted[p] = true
		}
	}
	v.Silent = v.Partitions - len(counted)
	v.Status = *history.Merge(list)
	slices.SortFunc(nodes, func(a, b node.NodeStatus) int { return cmp.Compare(a.Node, b.Node) })
	v.Nodes = append(v.Nodes, nodes...)
	// A link counts where it was found, and as gathered where it leads: the share needs all partitions.
	s := &v.Status
	s.Fetchers, s.Memory = 0, 0
	for i := range nodes { // each has its own; that of partitions which have ended is free
		s.Fetchers += nodes[i].Status.Fetchers
		s.Memory += nodes[i].Status.Memory
	}
	if v.Silent > 0 {
		s.Links, s.Gathered = 0, 0
	} else {
		s.Gathered = min(1, s.Gathered) // nodes do not tell at the same moment
	}
}

// settle sets the state of the crawl.
func (v *View) settle() {
	s := &v.Status
	switch {
	case v.Ended == "finished":
		s.State, s.Why = history.StateFinished, v.Ended
	case v.Ended != "":
		s.State, s.Why = history.StatePaused, v.Ended
	case v.Paused:
		s.State, s.Why = history.StatePaused, "command"
	default:
		s.State, s.Why = history.StateRunning, ""
	}
}

// free lists the partitions that no node crawls.
func free(s *cluster.Survey, told map[string]node.NodeStatus, runs map[int]bool, n int) []Free {
	var list []Free
	for p := range n {
		if !runs[p] {
			list = append(list, Free{p, whyFree(s, told, p)})
		}
	}
	return list
}

// whyFree says why no node crawls a partition.
func whyFree(s *cluster.Survey, told map[string]node.NodeStatus, p int) string {
	o, had := s.Owners[p]
	_, speaks := told[o.Node]
	var alive, unable []string
	for _, name := range slices.Sorted(maps.Keys(s.Nodes)) {
		if m := s.Nodes[name]; m.Alive {
			alive = append(alive, name)
			if slices.Contains(m.Without, p) {
				unable = append(unable, name)
			}
		}
	}
	switch {
	case len(alive) == 0:
		return "no node runs"
	case len(unable) == len(alive):
		return "no node can: " + strings.Join(unable, ", ") + " cannot read it, or have no room for it"
	case o.Holds && speaks:
		return "node " + o.Node + " is reading its journal"
	case o.Holds:
		return "node " + o.Node + " does not answer; others take over when its lease has ended"
	case had && o.Node != "":
		return "node " + o.Node + " is gone; another one is about to take it"
	}
	return "a node is about to take it"
}
