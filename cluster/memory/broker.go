// Package memory is an engine for package cluster within one process: it is for tests, with faults
// that are drawn from a seed. It works in a bubble of testing/synctest, where time is virtual.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
)

// Faults are what goes wrong. The zero value has none.
type Faults struct {
	Delay  time.Duration // of each way, at most
	Lost   float64       // share of requests, of answers and of messages that are lost
	Late   float64       // share of requests that arrive when the caller has given up, up to a minute later
	Repeat float64       // share of requests and messages that arrive twice
	Stall  float64       // share of the deliveries of a watch that come very late
	Stale  float64       // share of the gets that a copy of the register answers that is up to some seconds behind
	Slow   time.Duration // a quarter of the messages takes longer, up to this
	Shared bool          // all logs share their sequence numbers, as parts of one
}

// patience is how long a caller waits.
const patience = 4 * time.Second

// behind is by how much a copy of the register may be behind.
const behind = 5 * time.Second

// long is how late something may come: when the lease of who has sent it has lapsed.
const long = time.Minute

// ErrUnknown is returned for what was not answered.
var ErrUnknown = errors.New("there was no answer")

// A Broker holds logs, a register and subscriptions.
type Broker struct {
	mu      sync.Mutex
	faults  Faults
	rng     *rand.Rand
	logs    map[int]*log
	last    uint64 // number of an entry, if logs share them
	keys    map[string]cluster.Value
	puts    []replaced    // by each put
	changed chan struct{} // closed at the next put
	losses  int
	parted  map[string]parted
	inboxes map[string]map[*inbox]bool
}

// parted tells which ways between a node and the broker are cut.
type parted struct{ out, in bool }

// replaced is the value that a put has replaced, and when.
type replaced struct {
	cluster.Value
	at time.Time
}

type log struct {
	seqs []uint64
	data [][]byte
}

type inbox struct {
	*Client
	fn func([]byte)
}

// New returns an empty broker.
func New(seed uint64, f Faults) *Broker {
	return &Broker{
		faults: f, rng: rand.New(rand.NewPCG(seed, 1)), logs: map[int]*log{}, keys: map[string]cluster.Value{},
		changed: make(chan struct{}), parted: map[string]parted{}, inboxes: map[string]map[*inbox]bool{},
	}
}

// Part cuts the ways from a node to the broker and back, or joins them.
func (b *Broker) Part(node string, out, in bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parted[node] = parted{out, in}
}

// SetFaults changes what goes wrong from now on.
func (b *Broker) SetFaults(f Faults) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.Shared = b.faults.Shared
	b.faults = f
}

// LosePower makes each log and the register lose up to so many of their last writes, though they
// were acknowledged, and ends all watches. A broker that syncs loses none.
func (b *Broker) LosePower(most int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = 0
	for _, p := range slices.Sorted(maps.Keys(b.logs)) {
		l := b.logs[p]
		n := max(0, len(l.seqs)-b.rng.IntN(most+1))
		l.seqs, l.data = l.seqs[:n], l.data[:n]
		b.last = max(b.last, l.end())
	}
	for range min(b.rng.IntN(most+1), len(b.puts)) {
		was := b.puts[len(b.puts)-1]
		b.puts = b.puts[:len(b.puts)-1]
		if b.keys[was.Key] = was.Value; was.Revision == 0 {
			delete(b.keys, was.Key)
		}
	}
	b.losses++
	b.stir()
}

// Damage changes a bit of the last entry of a log.
func (b *Broker) Damage(partition int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.logs[partition]
	last := bytes.Clone(l.data[len(l.data)-1])
	last[len(last)/2] ^= 1
	l.data[len(l.data)-1] = last
}

// stir wakes those who watch.
func (b *Broker) stir() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// was returns the value that a key had some time ago.
func (b *Broker) was(key string, ago time.Duration) cluster.Value {
	v := b.keys[key]
	for i := len(b.puts) - 1; i >= 0 && time.Since(b.puts[i].at) < ago; i-- {
		if b.puts[i].Key == key {
			v = b.puts[i].Value
		}
	}
	return v
}

func (b *Broker) log(p int) *log {
	l := b.logs[p]
	if l == nil {
		l = &log{}
		b.logs[p] = l
	}
	return l
}

func (l *log) end() uint64 {
	if len(l.seqs) == 0 {
		return 0
	}
	return l.seqs[len(l.seqs)-1]
}

// A trip is what happens to one request.
type trip struct {
	there, back time.Duration
	lost, mute  bool
	times       int
}

func (b *Broker) draw() trip {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := &b.faults
	t := trip{times: 1}
	if f.Delay > 0 {
		t.there, t.back = time.Duration(b.rng.Int64N(int64(f.Delay))), time.Duration(b.rng.Int64N(int64(f.Delay)))
	}
	t.lost, t.mute = b.rng.Float64() < f.Lost, b.rng.Float64() < f.Lost
	if b.rng.Float64() < f.Late {
		t.there += patience + time.Duration(b.rng.Int64N(int64(long)))
	}
	if b.rng.Float64() < f.Repeat {
		t.times = 2
	}
	return t
}

// slow returns how much longer a message takes.
func (b *Broker) slow() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.faults.Slow == 0 || b.rng.IntN(4) > 0 {
		return 0
	}
	return time.Duration(b.rng.Int64N(int64(b.faults.Slow)))
}

// stall returns how long a watch waits.
func (b *Broker) stall() time.Duration {
	d := b.draw().there
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rng.Float64() < b.faults.Stall {
		d += time.Duration(b.rng.Int64N(int64(long)))
	}
	return d
}

// A Client is the broker as one node sees it.
type Client struct {
	broker *Broker
	node   string
	hook   func() error
}

// Client returns the broker as a node sees it; one without a name meets no faults. If hook is not nil, it is called before and after
// each call: tests stop a node there.
func (b *Broker) Client(node string, hook func() error) *Client {
	if hook == nil {
		hook = func() error { return nil }
	}
	return &Client{b, node, hook}
}

// Engine returns the engine of the node.
func (c *Client) Engine() cluster.Engine {
	return cluster.Engine{Log: func(p int) cluster.Log { return clientLog{c, p} }, Register: register{c}, Bus: bus{c}}
}

// draw returns what happens to a request of the node.
func (c *Client) draw() trip {
	if c.node == "" {
		return trip{times: 1}
	}
	return c.broker.draw()
}

// stall returns how long a watch of the node waits.
func (c *Client) stall() time.Duration {
	if c.node == "" {
		return 0
	}
	return c.broker.stall()
}

// answer is what a call returns.
type answer[T any] struct {
	value T
	err   error
}

// call makes a request, which the broker may get late, twice or not at all.
func call[T any](ctx context.Context, c *Client, do func(*Broker) (T, error)) (T, error) {
	var none T
	if err := c.hook(); err != nil {
		return none, err
	}
	done := make(chan answer[T], 1)
	go func() {
		t := c.draw()
		time.Sleep(t.there)
		c.broker.mu.Lock()
		if t.lost || c.broker.parted[c.node].out {
			c.broker.mu.Unlock()
			return
		}
		value, err := do(c.broker)
		for range t.times - 1 {
			_, _ = do(c.broker)
		}
		c.broker.mu.Unlock()
		time.Sleep(t.back)
		c.broker.mu.Lock()
		defer c.broker.mu.Unlock()
		if !t.mute && !c.broker.parted[c.node].in {
			done <- answer[T]{value, err}
		}
	}()
	var a answer[T]
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case a = <-done:
	case <-timer.C:
		a.err = ErrUnknown
	case <-ctx.Done():
		a.err = fmt.Errorf("%w: %w", ErrUnknown, ctx.Err())
	}
	if err := c.hook(); err != nil {
		return none, err
	}
	return a.value, a.err
}

type clientLog struct {
	*Client
	partition int
}

func (l clientLog) Append(ctx context.Context, last uint64, data []byte) (uint64, error) {
	data = bytes.Clone(data)
	return call(ctx, l.Client, func(b *Broker) (uint64, error) {
		x := b.log(l.partition)
		if x.end() != last {
			return 0, fmt.Errorf("log of partition %d ends at %d, not %d: %w", l.partition, x.end(), last, cluster.ErrRefused)
		}
		seq := last + 1
		if b.faults.Shared {
			seq = b.last + 1
		}
		b.last = max(b.last, seq)
		x.seqs, x.data = append(x.seqs, seq), append(x.data, data)
		return seq, nil
	})
}

func (l clientLog) Last(ctx context.Context) (uint64, error) {
	return call(ctx, l.Client, func(b *Broker) (uint64, error) { return b.log(l.partition).end(), nil })
}

func (l clientLog) Read(ctx context.Context, after uint64, most int, fn func(uint64, []byte) error) error {
	found, err := call(ctx, l.Client, func(b *Broker) (log, error) {
		x := b.log(l.partition)
		i, _ := slices.BinarySearch(x.seqs, after+1)
		to := len(x.seqs)
		if most > 0 {
			to = min(to, i+most)
		}
		return log{slices.Clone(x.seqs[i:to]), slices.Clone(x.data[i:to])}, nil
	})
	for i, seq := range found.seqs {
		if err == nil {
			err = fn(seq, bytes.Clone(found.data[i]))
		}
	}
	return err
}

type register struct{ *Client }

func (r register) Get(ctx context.Context, key string) (cluster.Value, error) {
	return call(ctx, r.Client, func(b *Broker) (cluster.Value, error) {
		v := b.keys[key]
		if r.node != "" && b.rng.Float64() < b.faults.Stale {
			v = b.was(key, time.Duration(b.rng.Int64N(int64(behind))))
		}
		v.Key = key
		return v, nil
	})
}

func (r register) Put(ctx context.Context, key string, revision uint64, data []byte) (uint64, error) {
	data = bytes.Clone(data)
	return call(ctx, r.Client, func(b *Broker) (uint64, error) {
		was := b.keys[key]
		if was.Revision != revision {
			return 0, fmt.Errorf("key %s has revision %d, not %d: %w", key, was.Revision, revision, cluster.ErrRefused)
		}
		was.Key = key
		b.puts = append(b.puts, replaced{was, time.Now()})
		b.keys[key] = cluster.Value{Key: key, Revision: uint64(len(b.puts)), Data: data}
		b.stir()
		return uint64(len(b.puts)), nil
	})
}

// Watch also ends when the broker has lost its power, or when the node was parted from it for long.
func (r register) Watch(ctx context.Context, fn func(cluster.Value)) error {
	b := r.broker
	seen, losses, first := uint64(0), -1, true
	for cut := 0; ; {
		if err := r.hook(); err != nil {
			return err
		}
		b.mu.Lock()
		changed, away := b.changed, b.parted[r.node] != parted{}
		if losses < 0 {
			losses = b.losses
		}
		lost := losses != b.losses
		var list []cluster.Value
		for _, v := range b.keys {
			if v.Revision > seen {
				list = append(list, v)
			}
		}
		b.mu.Unlock()
		if away {
			if cut++; cut > 20 {
				return ErrUnknown
			}
			time.Sleep(time.Second)
			continue
		}
		cut = 0
		if lost {
			return ErrUnknown
		}
		slices.SortFunc(list, func(x, y cluster.Value) int { return cmp.Compare(x.Revision, y.Revision) })
		time.Sleep(r.stall())
		if err := r.hook(); err != nil {
			return err
		}
		for _, v := range list {
			seen = v.Revision
			fn(v)
		}
		if first {
			first = false
			fn(cluster.Value{})
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type bus struct{ *Client }

func (c bus) Publish(subject string, data []byte) error {
	if err := c.hook(); err != nil {
		return err
	}
	b := c.broker
	b.mu.Lock()
	boxes := slices.Collect(maps.Keys(b.inboxes[subject]))
	b.mu.Unlock()
	for _, box := range boxes {
		t := b.draw()
		t.there += b.slow()
		for range t.times {
			if t.lost {
				break
			}
			time.AfterFunc(t.there, func() { c.deliver(box, subject, data) })
			t.there += t.back
		}
	}
	return nil
}

// deliver delivers a message, unless one of the nodes is parted from the broker. A node that is
// stopped gets it when it goes on.
func (c bus) deliver(box *inbox, subject string, data []byte) {
	b := c.broker
	b.mu.Lock()
	parted := b.parted[c.node].out || b.parted[box.node].in
	b.mu.Unlock()
	if parted || box.hook() != nil {
		return
	}
	b.mu.Lock()
	ok := b.inboxes[subject][box]
	b.mu.Unlock()
	if ok {
		box.fn(bytes.Clone(data))
	}
}

func (c bus) Subscribe(subject string, fn func([]byte)) (stop func(), err error) {
	if err := c.hook(); err != nil {
		return nil, err
	}
	b := c.broker
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inboxes[subject] == nil {
		b.inboxes[subject] = map[*inbox]bool{}
	}
	box := &inbox{c.Client, fn}
	b.inboxes[subject][box] = true
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.inboxes[subject], box)
	}, nil
}
