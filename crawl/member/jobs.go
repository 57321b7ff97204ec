package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// jobs are the crawls of a cluster, as a node sees them.
type jobs struct {
	mu      sync.Mutex
	list    map[string]*job
	running sync.WaitGroup
	fail    context.CancelCauseFunc
}

// A job is a crawl that a node takes part in until it has ended, and again when it is resumed.
type job struct {
	name  string
	news  chan struct{} // its entry has changed
	turn  int           // of its entry
	state string        // see Beat.Crawls
	told  *node.NodeStatus
	leave context.CancelFunc
}

// Run takes part in all crawls until the context ends. Then it hands over all partitions.
func (n *Node) Run(ctx context.Context) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	n.jobs.list, n.jobs.fail = map[string]*job{}, fail
	var beating sync.WaitGroup
	quiet := make(chan struct{})
	beating.Go(func() { n.beat(quiet) })
	for ctx.Err() == nil {
		_ = n.cluster.register.Watch(ctx, func(v cluster.Value) {
			if name, e, ok := parseEntry(&v); ok {
				n.see(ctx, name, e)
			}
		})
		pause(ctx, time.Second)
	}
	n.jobs.running.Wait()
	close(quiet)
	beating.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// see notes the entry of a crawl.
func (n *Node) see(ctx context.Context, name string, e entry) {
	n.jobs.mu.Lock()
	defer n.jobs.mu.Unlock()
	j := n.jobs.list[name]
	if e.Removed {
		if j != nil {
			j.leave()
			delete(n.jobs.list, name)
		}
		return
	}
	if j == nil {
		ctx, leave := context.WithCancel(ctx)
		j = &job{name: name, news: make(chan struct{}, 1), turn: e.Turn, state: PartRuns, leave: leave}
		n.jobs.list[name] = j
		n.jobs.running.Go(func() { n.work(ctx, j) })
		return
	}
	if e.Turn > j.turn {
		j.turn = e.Turn
		select {
		case j.news <- struct{}{}:
		default:
		}
	}
}

// retryTime is the time after which a node that could not take part in a crawl tries again. It is
// short: the copy of the register that this node reads may not have the crawl yet.
const retryTime = 2 * time.Second

// work takes part in a crawl, until the context ends.
func (n *Node) work(ctx context.Context, j *job) {
	said := ""
	for ctx.Err() == nil {
		turn := n.set(j, PartRuns)
		sum, err := n.crawl(ctx, j)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, cluster.ErrName):
			n.jobs.fail(&hint.Error{Text: "crawl " + j.name, Hint: "give each node a name and a directory of its own; after the loss of a directory wait 40 s", Err: err})
			return
		case err != nil:
			if text := explain(err); text != said {
				said = text
				n.o.Log.Error("this node cannot take part in the crawl "+j.name, "why", text)
			}
			n.set(j, PartFailed+said)
			n.wait(ctx, j, turn, retryTime)
		case sum.Why == node.WhyChanged:
			n.wait(ctx, j, turn, retryTime)
		default:
			n.set(j, PartEnded)
			if sum.Why != said {
				said = sum.Why
				n.o.Log.Log(ctx, crawl.LevelNote, "the crawl "+j.name+" has ended", "why", sum.Why, "pages here", sum.Status.Fetched)
			}
			hide := n.serve(ctx, j.name)
			n.wait(ctx, j, turn, 0)
			hide()
		}
	}
}

// explain puts an error and its hint into one line.
func explain(err error) string {
	text := err.Error()
	if errors.Is(err, cluster.ErrTerms) {
		text += "; use that version of winnow on all nodes, or stop the crawl: winnow cluster stop"
	}
	var h *hint.Error
	if errors.As(err, &h) && h.Hint != "" {
		text += "; " + h.Hint
	}
	return text
}

// set notes how the node takes part. It returns the turn of the crawl.
func (n *Node) set(j *job, state string) int {
	n.jobs.mu.Lock()
	defer n.jobs.mu.Unlock()
	j.state, j.told = state, nil
	return j.turn
}

// wait waits until a crawl is resumed after a turn, or for some time if that is not 0.
func (n *Node) wait(ctx context.Context, j *job, turn int, d time.Duration) {
	var late <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		late = t.C
	}
	for {
		n.jobs.mu.Lock()
		again := j.turn > turn
		n.jobs.mu.Unlock()
		if again {
			return
		}
		select {
		case <-j.news:
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

// options returns how the node takes part in a crawl.
func (n *Node) options(x *Crawl) node.Options {
	o := node.Options{
		Dir: filepath.Join(n.o.Dir, crawlsDir, x.Name), Name: n.o.Name, ID: n.file.ID, Address: n.o.address(), Version: n.o.Version,
		Engine: x.Engine, Plan: x.Plan, Run: n.o.Run, Beyond: n.memory.beyond(x.Name),
	}
	o.Run.Progress = n.memory.progress(x.Name, n.o.Run.Progress)
	o.Run.Log = n.o.Log.With("crawl", x.Name)
	return o
}

// serve lets others read what the node has of a crawl that has ended, until stop is called.
func (n *Node) serve(ctx context.Context, name string) (stop func()) {
	x, err := n.cluster.Open(ctx, name)
	if err == nil {
		o := n.options(x)
		stop, err = node.Serve(&o)
	}
	if err != nil {
		n.o.Log.Warn("others cannot read what this node has of the crawl "+name, "error", err)
		return func() {}
	}
	return stop
}

// crawl takes part in a crawl until it has ended.
func (n *Node) crawl(ctx context.Context, j *job) (*node.Summary, error) {
	x, err := n.cluster.Open(ctx, j.name)
	if err != nil {
		return nil, err
	}
	o := n.options(x)
	o.Told = func(s *node.NodeStatus) {
		n.jobs.mu.Lock()
		defer n.jobs.mu.Unlock()
		j.told = s
	}
	if err := setAside(o.Dir, x.Plan.Crawl.Crawl); err != nil {
		return nil, fmt.Errorf("crawl %s: %w", j.name, err)
	}
	o.Run.Log.Log(ctx, crawl.LevelNote, "takes part in a crawl", "partitions", x.Plan.Crawl.Partitions)
	sum, err := node.Run(ctx, o)
	n.memory.forget(j.name)
	if err != nil {
		return nil, fmt.Errorf("crawl %s: %w", j.name, err)
	}
	return sum, nil
}

// beat tells each second how the node is.
func (n *Node) beat(quiet <-chan struct{}) {
	ticker := time.NewTicker(beatTime)
	defer ticker.Stop()
	off := false
	for {
		select {
		case <-quiet:
			return
		case <-ticker.C:
		}
		b := Beat{Node: n.o.Name, ID: n.file.ID, Address: n.o.address(), Version: n.o.Version, Broker: n.broker != nil, Crawls: map[string]string{}}
		n.states(&b)
		b.BrokerOff = n.broker != nil && !n.broker.Serves()
		if b.BrokerOff != off {
			if off = b.BrokerOff; off {
				n.o.Log.Warn("the broker of this node has switched itself off, most likely because its disk is full; the others go on. Make room and start the node again", "directory", filepath.Join(n.o.Dir, brokerDir))
			}
		}
		if data, err := json.Marshal(b); err == nil {
			_ = n.cluster.bus.Publish(nodesSubject, data)
		}
	}
}

// states notes how the node takes part in each crawl.
func (n *Node) states(b *Beat) {
	n.jobs.mu.Lock()
	defer n.jobs.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(n.jobs.list)) {
		j := n.jobs.list[name]
		b.Crawls[name] = j.state
		if j.told != nil {
			b.count(j.told)
		}
	}
}
