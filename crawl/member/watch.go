package member

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A Sight is a cluster at one moment.
type Sight struct {
	Nodes    []Heard   // by name
	Crawls   []Watched // by name
	Answered time.Time // when brokers last answered
	Err      error     // why they do not answer now; nil: they do
}

// Heard is what a node has told last.
type Heard struct {
	Beat
	At time.Time
}

// Watched is a crawl of a cluster and how it stands.
type Watched struct {
	Name string
	Plan *node.Plan // nil: it was not read yet
	View *View      // the last; nil: there is none yet

	entry entry
	leave context.CancelFunc
}

// Times of those who watch a cluster: between two looks, after which they say that brokers do not
// answer, between two looks at a crawl that has ended, and after which a node that says nothing is
// forgotten.
const (
	sightEvery  = time.Second
	sightTime   = 5 * time.Second
	endedEvery  = 10 * time.Second
	forgetAfter = 24 * time.Hour
)

// Watch calls fn about once a second with how the cluster is, until the context ends. It goes on
// while brokers do not answer.
func (c *Cluster) Watch(ctx context.Context, fn func(*Sight)) error {
	w := &watch{cluster: c, heard: map[string]Heard{}, crawls: map[string]*Watched{}, answered: time.Now()}
	stop, err := c.bus.Subscribe(nodesSubject, w.hear)
	if err != nil {
		return err
	}
	defer stop()
	defer w.running.Wait()
	w.running.Go(func() {
		for ctx.Err() == nil {
			w.ask(ctx)
			pause(ctx, sightEvery)
		}
	})
	for {
		if pause(ctx, sightEvery); ctx.Err() != nil {
			return nil
		}
		fn(w.sight())
	}
}

// A watch gathers what a cluster tells.
type watch struct {
	cluster *Cluster
	running sync.WaitGroup

	mu       sync.Mutex
	heard    map[string]Heard
	crawls   map[string]*Watched
	answered time.Time
	err      error
}

func (w *watch) hear(data []byte) {
	var b Beat
	if json.Unmarshal(data, &b) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard[b.Node] = Heard{b, time.Now()}
}

// sight returns what is known.
func (w *watch) sight() *Sight {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.heard, func(_ string, h Heard) bool { return time.Since(h.At) > forgetAfter })
	s := &Sight{Answered: w.answered, Err: w.err}
	s.Nodes = slices.SortedFunc(maps.Values(w.heard), func(a, b Heard) int { return cmp.Compare(a.Node, b.Node) })
	for _, name := range slices.Sorted(maps.Keys(w.crawls)) {
		s.Crawls = append(s.Crawls, *w.crawls[name])
	}
	return s
}

// ask asks for the list of crawls, and begins to follow those that are new, resumed or changed.
func (w *watch) ask(ctx context.Context) {
	short, cancel := context.WithTimeout(ctx, sightTime)
	defer cancel()
	all, err := w.cluster.entries(short)
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err = w.cluster.explain(err); err != nil {
		return
	}
	w.answered = time.Now()
	for name, x := range w.crawls {
		if e, ok := all[name]; !ok || !e.Made.Equal(x.entry.Made) {
			x.leave()
			delete(w.crawls, name)
		} else if e.Turn != x.entry.Turn {
			x.leave()
			w.begin(ctx, Watched{Name: name, View: x.View, Plan: x.Plan, entry: e})
		}
	}
	for name, e := range all {
		if w.crawls[name] == nil {
			w.begin(ctx, Watched{Name: name, entry: e})
		}
	}
}

// begin begins to follow a crawl.
func (w *watch) begin(ctx context.Context, x Watched) {
	ctx, x.leave = context.WithCancel(ctx)
	w.crawls[x.Name] = &x
	w.running.Go(func() { w.follow(ctx, &x) })
}

// explain says why brokers do not answer.
func (c *Cluster) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case !c.conn.IsConnected():
		return &hint.Error{Text: "no node answers at " + c.place, Hint: "start the nodes, or check the network", Err: err}
	}
	return &hint.Error{Text: "most of the brokers at " + c.place + " must run", Hint: "start the nodes that are down", Err: err}
}

// follow keeps up with a crawl, until the context ends.
func (w *watch) follow(ctx context.Context, to *Watched) {
	x := w.open(ctx, to.Name)
	if x == nil {
		return
	}
	var last *View
	var at time.Time
	_ = node.Watch(ctx, x.Engine, func(told map[string]node.NodeStatus) {
		if last != nil && last.complete && len(told) == 0 && time.Since(at) < endedEvery {
			return
		}
		short, cancel := context.WithTimeout(ctx, sightTime)
		defer cancel()
		v, err := x.view(short, told)
		if err != nil {
			return // it goes on when brokers answer again
		}
		last, at = v, time.Now()
		w.mu.Lock()
		defer w.mu.Unlock()
		to.Plan, to.View = x.Plan, v
	})
}

// open opens a crawl. It returns nil if the context ends first.
func (w *watch) open(ctx context.Context, name string) *Crawl {
	for ctx.Err() == nil {
		short, cancel := context.WithTimeout(ctx, sightTime)
		x, err := w.cluster.Open(short, name)
		cancel()
		if err == nil {
			return x
		}
		pause(ctx, sightEvery)
	}
	return nil
}
