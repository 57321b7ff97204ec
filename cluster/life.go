package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
)

const (
	// callTime is how long a call of the engine may take.
	callTime = 5 * time.Second
	// settling is how long a node that has joined waits for others before it takes partitions, so that
	// nodes that begin together need not hand over most of them afterwards.
	settling = 5 * time.Second
	// stepTime is the time between two looks at the roster if nothing changes.
	stepTime = time.Second
	// handing is how long a node waits for another one to take what it has handed over before it hands
	// over the next partition.
	handing = 30 * time.Second
	// watching is the time after which a watch is begun again: an engine that has lost its tail may not
	// tell.
	watching = 2 * time.Minute
)

// A life is one incarnation of a node, from its first renewal to the end of its lease.
type life struct {
	node    *Node
	ctx     context.Context // ends with the lease
	lapse   context.CancelFunc
	running sync.WaitGroup
	wake    chan struct{}

	mu       sync.Mutex
	lease    roster.Lease
	roster   *roster.Roster
	value    nodeValue
	revision uint64 // of the key of the node
	began    roster.Instant
	tenants  map[int]*tenant
	burying  map[string]bool
	rests    map[int]roster.Instant // when a partition was served last
	unable   map[int]roster.Instant // when there was no room for a partition
	failures map[int]int            // how often a partition has failed in a row
	handed   int                    // the partition that was handed over last, -1: none
	handedAt roster.Instant
	leaving  bool
}

// newLife returns an incarnation that was not announced yet.
func newLife(n *Node, incarnation uint64) *life {
	l := &life{
		node: n, roster: roster.New(n.Name, len(n.Partitions)), wake: make(chan struct{}, 1),
		value:   nodeValue{Incarnation: incarnation, State: alive, ID: n.ID, Address: n.Address, Version: n.Version},
		tenants: map[int]*tenant{}, burying: map[string]bool{}, rests: map[int]roster.Instant{}, unable: map[int]roster.Instant{}, failures: map[int]int{}, handed: -1,
	}
	l.ctx, l.lapse = context.WithCancel(context.Background())
	return l
}

// begin announces the incarnation, and reports whether it was accepted.
func (l *life) begin(ctx context.Context, revision uint64) bool {
	l.revision, l.began = revision, l.node.now()
	for ctx.Err() == nil {
		switch ok, refused := l.beat(); {
		case ok:
			return true
		case refused:
			return false
		}
		l.pause(retryDelay)
		if l.began.Monotonic+(roster.TTL) < l.node.now().Monotonic {
			return false
		}
	}
	return false
}

// beat renews the lease. If it does not know what has become of a renewal, it asks; refused means
// that this incarnation is over.
func (l *life) beat() (ok, refused bool) {
	sent := l.node.now()
	l.mu.Lock()
	l.value.Beat++
	l.value.Wall = sent.Wall.Milliseconds()
	value, revision := l.value, l.revision
	l.mu.Unlock()
	revision, err := l.put(nodeKey(l.node.Name), revision, value)
	if err != nil {
		return false, l.doubt(&value, errors.Is(err, ErrRefused))
	}
	return l.renewed(sent, revision)
}

// renewed notes a renewal that was acknowledged.
func (l *life) renewed(sent roster.Instant, revision uint64) (ok, refused bool) {
	now := l.node.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revision = revision
	ok = l.lease.Renew(sent, now)
	return ok, !ok
}

// doubt reads the key of the node after a renewal that was not acknowledged. It reports whether
// the key is not that of this incarnation. The lease is not extended: another renewal does that.
func (l *life) doubt(sent *nodeValue, refused bool) (over bool) {
	ctx, cancel := l.call()
	defer cancel()
	v, err := l.node.Engine.Register.Get(ctx, nodeKey(l.node.Name))
	var is nodeValue
	if err != nil || v.Revision > 0 && json.Unmarshal(v.Data, &is) != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if is.Incarnation == sent.Incarnation && is.State == alive && is.ID == sent.ID {
		l.revision = v.Revision
		return false
	}
	return refused
}

// put writes a value to the register.
func (l *life) put(key string, revision uint64, value any) (uint64, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return 0, err
	}
	ctx, cancel := l.call()
	defer cancel()
	return l.node.Engine.Register.Put(ctx, key, revision, data)
}

// call returns the context of a call of the engine.
func (l *life) call() (context.Context, context.CancelFunc) {
	return context.WithTimeout(l.ctx, callTime)
}

// pause waits, or until the lease ends.
func (l *life) pause(d time.Duration) { sleep(l.ctx, d) }

// holds reports whether the lease holds.
func (l *life) holds() bool {
	return l.left() > 0
}

// left returns for how long the lease holds. When it has lapsed, everything ends.
func (l *life) left() time.Duration {
	now := l.node.now()
	l.mu.Lock()
	d := l.lease.Left(now)
	l.mu.Unlock()
	if d == 0 {
		l.lapse()
	}
	return d
}

// run lives until the lease lapses, or until the context ends: then it reports true.
func (l *life) run(ctx context.Context) (done bool) {
	l.running.Go(l.renew)
	l.running.Go(l.expire)
	l.running.Go(l.watch)
	ticker := time.NewTicker(stepTime)
	defer ticker.Stop()
	stop := ctx.Done()
	for l.ctx.Err() == nil && !done {
		l.step()
		select {
		case <-l.wake:
		case <-ticker.C:
		case <-stop:
			stop = nil
			l.leave()
		case <-l.ctx.Done():
		}
		done = stop == nil && l.empty()
	}
	switch {
	case done:
		l.resign()
	case stop == nil:
		l.node.log().Warn("the lease of this node has lapsed while it was leaving; what was under way is requested again", "node", l.node.Name)
	}
	l.lapse()
	l.mu.Lock()
	l.lease.End()
	for _, t := range l.tenants {
		t.end()
	}
	l.mu.Unlock()
	l.running.Wait()
	return done || stop == nil
}

// renew renews the lease until it has lapsed.
func (l *life) renew() {
	for l.ctx.Err() == nil {
		ok, refused := l.beat()
		switch {
		case refused:
			l.lapse()
		case ok:
			l.pause(roster.Beat)
		default:
			l.pause(retryDelay)
		}
	}
}

// expire ends everything when the lease has lapsed, also if nobody asks.
func (l *life) expire() {
	for d := l.left(); d > 0 && l.ctx.Err() == nil; d = l.left() {
		l.pause(d)
	}
}

// watch keeps the roster up to date.
func (l *life) watch() {
	for l.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(l.ctx, watching)
		if err := l.node.Engine.Register.Watch(ctx, l.see); ctx.Err() == nil {
			l.node.log().Info("the watch of the register has ended", "node", l.node.Name, "error", err)
			l.pause(retryDelay)
		}
		cancel()
	}
}

// see notes a value of the register.
func (l *life) see(v Value) {
	kind, name, _ := strings.Cut(v.Key, ".")
	now := l.node.now()
	l.mu.Lock()
	switch kind {
	case "node":
		l.seeNode(name, v, now)
	case "part":
		var x partValue
		p, err := strconv.Atoi(name)
		if err == nil && p < len(l.node.Partitions) && json.Unmarshal(v.Data, &x) == nil {
			l.roster.SeePart(p, v.Revision, x.part(), now)
		}
	}
	l.mu.Unlock()
	l.stir()
}

func (l *life) seeNode(name string, v Value, now roster.Instant) {
	var x nodeValue
	if json.Unmarshal(v.Data, &x) != nil {
		return
	}
	if name == l.node.Name && (x.Incarnation > l.value.Incarnation || x.Incarnation == l.value.Incarnation && x.State != alive) && !l.leaving {
		l.lapse() // it was buried
	}
	l.roster.SeeNode(name, v.Revision, x.node(), now)
}

// stir lets the loop look at the roster.
func (l *life) stir() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// step does what the roster demands.
func (l *life) step() {
	if !l.holds() {
		return
	}
	now := l.node.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recover(now)
	for _, d := range l.roster.Deaths(now) {
		if !l.burying[d.Name] {
			l.burying[d.Name] = true
			l.running.Go(func() { l.bury(d) })
		}
	}
	for p, revision := range l.roster.Forgotten(l.value.Incarnation) {
		if t := l.tenants[p]; t != nil && t.remind(revision) {
			l.node.log().Warn("the register has forgotten who owns a partition", "partition", p)
		}
	}
	if l.leaving || now.Monotonic-l.began.Monotonic < settling {
		return
	}
	for _, p := range l.roster.Claims(l.value.Incarnation) {
		if failed, rests := l.rests[p]; l.tenants[p] == nil && (!rests || now.Monotonic-failed.Monotonic > restTime) {
			l.settle(p)
		}
	}
	l.handOver(now)
}

// bury marks the key of a node that does not renew it, unless it has changed.
func (l *life) bury(d roster.Death) {
	key := nodeKey(d.Name)
	_, err := l.put(key, d.Revision, nodeValue{Incarnation: d.Incarnation, State: dead})
	if err == nil {
		l.node.log().Warn("a node did not renew its lease; its partitions are free", "node", d.Name)
	}
	if errors.Is(err, ErrRefused) { // it lives, or another was faster, or the register has forgotten it
		ctx, cancel := l.call()
		v, err := l.node.Engine.Register.Get(ctx, key)
		cancel()
		if err == nil {
			l.reread(d, v)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.burying, d.Name)
}

// reread notes the key of a node that could not be buried.
func (l *life) reread(d roster.Death, v Value) {
	now := l.node.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	var x nodeValue
	switch {
	case v.Revision == 0:
		l.roster.SeeNode(d.Name, 0, roster.Node{Incarnation: d.Incarnation}, now)
	case json.Unmarshal(v.Data, &x) == nil:
		l.roster.ReadNode(d.Name, v.Revision, x.node(), now)
	}
}

// handOver stops a partition that another node should own, one at a time.
func (l *life) handOver(now roster.Instant) {
	if l.handed >= 0 {
		if l.tenants[l.handed] != nil || !l.roster.Owned(l.handed) && now.Monotonic-l.handedAt.Monotonic < handing {
			return
		}
		l.handed = -1
	}
	p := l.roster.Give(l.value.Incarnation, now)
	if t := l.tenants[p]; p >= 0 && t != nil {
		l.handed, l.handedAt = p, now
		t.finish()
	}
}

// leave hands over all partitions.
func (l *life) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaving = true
	for _, t := range l.tenants {
		t.finish()
	}
}

func (l *life) empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.tenants) == 0
}

// resign tells others that the node has left. Another renewal may be under way.
func (l *life) resign() {
	for range 5 {
		l.mu.Lock()
		value, revision := l.value, l.revision
		l.mu.Unlock()
		value.State = left
		_, err := l.put(nodeKey(l.node.Name), revision, value)
		if err == nil {
			return
		}
		l.node.log().Info("cannot say that this node leaves; it will be buried", "node", l.node.Name, "error", err)
		l.pause(retryDelay)
		value.State = alive
		l.doubt(&value, false)
	}
}
