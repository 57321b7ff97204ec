package node

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/port"
)

// Rights to addresses keep the limits of IP addresses over all nodes. Only the node that has the
// right to an address requests from it; within a process the partitions share a ledger. A node asks
// the home of the address for the right, and keeps it until another one wants it, or until it has not
// used it for a while. So an address that one node uses costs it two messages.
//
// The home of an address is the node that owns one of the partitions, by a hash of the address. The
// rights of a node are over with its lease: who cannot be asked for a right back is buried, and then
// it is free.
//
// Messages may be lost, repeated, late and out of order. Nodes repeat their demands, and every demand
// has its own number: a grant counts once, for the one that still waits for it.
type rights struct {
	name  string
	parts int
	delay time.Duration
	bus   cluster.Bus
	// census takes what the register says about nodes from now on, until it has said everything.
	census func(context.Context) (map[string]uint64, error)
	// over reports whether an incarnation of a node is over for good.
	over  func(node string, incarnation uint64) bool
	begun chan struct{} // a home has begun

	mu     sync.Mutex
	life   uint64 // incarnation of this node
	last   uint64 // number of a claim
	at     map[netip.Addr]*right
	floors map[int]uint64 // by partition: the epoch of the latest home that has asked what this node holds
	homes  map[int]*home  // by partition
}

// A right is an address that this node requests from, or wants to.
type right struct {
	claim    claim     // the last one
	asked    time.Time // when it was last sent; zero: it is over
	held     bool
	recalled bool // others wait for it
	served   bool // a request was made since it came
	users    int  // requests under way, or waiting for others of this node
	waiting  int
	from     time.Time     // no request is made before
	used     time.Time     // when it came, or the last request ended
	change   chan struct{} // closed when somebody may go on
}

// A message is one about an address.
type message struct {
	Kind   messageKind
	Part   int    // the partition to which the address belongs
	Epoch  uint64 // of its home
	To     string // a node; "": the home
	From   string // of an answer
	Addr   netip.Addr
	Claim  claim
	Wait   time.Duration // of a grant: for how long no request may be made
	Recall bool          // of a grant: others wait
	Holds  []holding     // of an answer
}

type messageKind uint8

const (
	kindAsk   messageKind = iota + 1 // a node wants an address
	kindGrant                        // it has it
	kindBack                         // it has given it back, or does not have it
	kindCount                        // a home asks what a node holds
	kindHolds                        // and is told
)

// A holding is a right that a node has.
type holding struct {
	Addr  netip.Addr
	Claim claim
}

const (
	// askEvery is the time after which a demand is repeated.
	askEvery = time.Second
	// keepFor is the time after which a right is given back that was not used.
	keepFor = time.Minute
)

func newRights(name string, parts int, delay time.Duration, bus cluster.Bus) *rights {
	return &rights{
		name: name, parts: parts, delay: delay, bus: bus, begun: make(chan struct{}, 1),
		at: map[netip.Addr]*right{}, floors: map[int]uint64{}, homes: map[int]*home{},
	}
}

// homeSubject returns the subject of letters to the home of a partition, addressSubject that of those
// to a node.
func homeSubject(part int) string       { return fmt.Sprintf("h.%d", part) }
func addressSubject(node string) string { return "a." + node }

// part returns the partition to which an address belongs.
func (r *rights) part(a netip.Addr) int {
	b := a.As16()
	return int(xxh3.Hash(b[:]) % uint64(r.parts))
}

// An entrance is what the partitions pass before each request, in one life of the node.
type entrance struct {
	rights *rights
	life   uint64
	ledger port.Addresses // of this process
}

// Acquire implements port.Addresses.
func (d entrance) Acquire(ctx context.Context, addr netip.Addr) bool {
	if !d.rights.enter(ctx, d.life, addr) {
		return false
	}
	if !d.ledger.Acquire(ctx, addr) {
		d.rights.leave(d.life, addr)
		return false
	}
	return true
}

// Release implements port.Addresses.
func (d entrance) Release(addr netip.Addr) {
	d.ledger.Release(addr)
	d.rights.leave(d.life, addr)
}

// begin begins a life of the node. Nothing of an earlier one counts: it is over.
func (r *rights) begin(life uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if life > r.life {
		r.life = life
		clear(r.at)
	}
}

// enter waits until the node has the right to an address. It returns false if the context, or the life
// of the node, ends first.
func (r *rights) enter(ctx context.Context, life uint64, addr netip.Addr) bool {
	x := r.join(life, addr)
	for x != nil {
		wait, change, out := r.try(life, addr, x)
		r.send(out)
		if change == nil {
			return wait == 0
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			r.quit(life, addr)
			return false
		case <-change:
		case <-timer.C:
		}
		timer.Stop()
	}
	return false
}

// join begins to wait for an address.
func (r *rights) join(life uint64, addr netip.Addr) *right {
	r.mu.Lock()
	defer r.mu.Unlock()
	if life != r.life {
		return nil
	}
	x := r.at[addr]
	if x == nil {
		x = &right{change: make(chan struct{})}
		r.at[addr] = x
	}
	x.waiting++
	return x
}

// try begins a request if the node has the right. Otherwise it returns how long to wait at most, and a
// channel that is closed when it may be tried again. Without a channel the wait is 0 if it has begun.
func (r *rights) try(life uint64, addr netip.Addr, x *right) (wait time.Duration, change <-chan struct{}, out []message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	switch {
	case life != r.life:
		return -1, nil, nil
	case x.held && !(x.recalled && x.served):
		if wait := x.from.Sub(now); wait > 0 {
			return wait, x.change, nil
		}
		x.waiting--
		x.users++
		x.served = true
		return 0, nil, nil
	case !x.held && now.Sub(x.asked) >= askEvery:
		if x.asked.IsZero() {
			r.last++
			x.claim = claim{r.name, life, r.last}
		}
		x.asked = now
		out = []message{{Kind: kindAsk, Part: r.part(addr), Addr: addr, Claim: x.claim}}
	}
	return askEvery, x.change, out
}

// leave ends a request.
func (r *rights) leave(life uint64, addr netip.Addr) {
	r.end(life, addr, func(x *right) {
		x.users--
		x.used = time.Now()
	})
}

// quit ends the waiting for an address.
func (r *rights) quit(life uint64, addr netip.Addr) {
	r.end(life, addr, func(x *right) { x.waiting-- })
}

// end notes that somebody does not need an address any more. It is given back if others wait.
func (r *rights) end(life uint64, addr netip.Addr, note func(*right)) {
	var out []message
	r.mu.Lock()
	if x := r.at[addr]; life == r.life && x != nil {
		note(x)
		out = r.giveBack(addr, x)
	}
	r.mu.Unlock()
	r.send(out)
}

// giveBack gives an address back if others wait for it, and it was used or is not needed.
func (r *rights) giveBack(addr netip.Addr, x *right) []message {
	if !x.held || !x.recalled || x.users > 0 || !x.served && x.waiting > 0 {
		return nil
	}
	x.held, x.asked = false, time.Time{}
	close(x.change) // those who wait ask again
	x.change = make(chan struct{})
	return []message{r.backOf(addr, x.claim)}
}

func (r *rights) backOf(addr netip.Addr, c claim) message {
	return message{Kind: kindBack, Part: r.part(addr), Addr: addr, Claim: c}
}

// granted takes a grant. One that nobody waits for goes back.
func (r *rights) granted(m *message) []message {
	x := r.at[m.Addr]
	switch {
	case x == nil || x.claim != m.Claim || x.asked.IsZero():
		return []message{r.backOf(m.Addr, m.Claim)}
	case m.Epoch < r.floors[m.Part]:
		return nil // a later home does not know of it
	case !x.held:
		now := time.Now()
		x.held, x.recalled, x.served, x.from, x.used = true, false, false, now.Add(m.Wait), now
		close(x.change)
		x.change = make(chan struct{})
	}
	x.recalled = x.recalled || m.Recall
	return r.giveBack(m.Addr, x)
}

// counted answers a home that asks what this node holds.
func (r *rights) counted(m *message) []message {
	if m.Epoch < r.floors[m.Part] {
		return nil
	}
	r.floors[m.Part] = m.Epoch
	y := message{Kind: kindHolds, Part: m.Part, Epoch: m.Epoch, From: r.name}
	for a, x := range r.at {
		if x.held && r.part(a) == m.Part {
			y.Holds = append(y.Holds, holding{a, x.claim})
		}
	}
	return []message{y}
}

// send sends letters: directly to those who are here.
func (r *rights) send(list []message) {
	for len(list) > 0 {
		m := list[0]
		list = list[1:]
		switch {
		case m.To == r.name:
			list = append(list, r.toNode(&m)...)
		case m.To != "":
			_ = r.bus.Publish(addressSubject(m.To), encode(m))
		case r.home(m.Part) != nil:
			list = append(list, r.toHome(&m)...)
		default:
			_ = r.bus.Publish(homeSubject(m.Part), encode(m))
		}
	}
}

// take takes a message from elsewhere.
func (r *rights) take(data []byte) {
	var m message
	switch {
	case !decode(data, &m):
	case m.To == r.name:
		r.send(r.toNode(&m))
	case m.To == "":
		r.send(r.toHome(&m))
	}
}

// toNode takes a message to this node.
func (r *rights) toNode(m *message) []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch m.Kind {
	case kindGrant:
		return r.granted(m)
	case kindCount:
		return r.counted(m)
	}
	return nil
}

func (r *rights) home(part int) *home {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.homes[part]
}

// toHome takes a message to a home, as long as its owner is the owner.
func (r *rights) toHome(m *message) []message {
	x := r.home(m.Part)
	if x == nil || x.gate() != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	switch {
	case r.homes[m.Part] != x:
	case m.Kind == kindHolds && m.Epoch == x.epoch:
		x.holds(m.From, m.Holds)
	case m.Kind == kindBack:
		return x.back(m.Addr, m.Claim, now)
	case m.Kind == kindAsk && x.ready(now, r.over):
		return x.ask(m.Addr, m.Claim, now, r.over)
	}
	return nil
}

// open begins the home of a partition that this node owns. It ends with close.
func (r *rights) open(part int, epoch uint64, gate func() error) (close func(), err error) {
	x := newHome(part, epoch, r.delay, gate)
	r.mu.Lock()
	r.homes[part] = x
	r.mu.Unlock()
	stop, err := r.bus.Subscribe(homeSubject(part), r.take)
	if err != nil {
		stop = func() {}
	}
	select {
	case r.begun <- struct{}{}:
	default:
	}
	return func() {
		stop()
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.homes[part] == x {
			delete(r.homes, part)
		}
	}, err
}

// run lets homes begin, until the context ends, and gives back what is not used.
func (r *rights) run(ctx context.Context) {
	ticker := time.NewTicker(askEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.begun:
		case <-ticker.C:
			r.clean()
		}
		r.meet(ctx)
		r.send(r.questions())
	}
}

// meet lets new homes know which nodes there are: all that the register has, after the home has begun.
func (r *rights) meet(ctx context.Context) {
	var list []*home
	r.mu.Lock()
	for _, x := range r.homes {
		if !x.asked {
			list = append(list, x)
		}
	}
	r.mu.Unlock()
	if len(list) == 0 {
		return
	}
	nodes, err := r.census(ctx)
	if err != nil {
		return // it is tried again
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range list {
		x.meet(nodes)
	}
}

// questions returns those to nodes that have not told what they hold.
func (r *rights) questions() (out []message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, x := range r.homes {
		if x.ready(now, r.over) {
			continue
		}
		for name := range x.silent {
			out = append(out, message{Kind: kindCount, Part: x.part, Epoch: x.epoch, To: name})
		}
	}
	return out
}

// clean gives back what was not used for a while, and forgets what nobody needs.
func (r *rights) clean() {
	var out []message
	r.mu.Lock()
	now := time.Now()
	for a, x := range r.at {
		if x.users > 0 || x.waiting > 0 || now.Sub(x.used) < keepFor || now.Sub(x.asked) < keepFor {
			continue
		}
		if x.held {
			out = append(out, r.backOf(a, x.claim))
		}
		delete(r.at, a)
	}
	for _, x := range r.homes {
		x.clean(now)
	}
	r.mu.Unlock()
	r.send(out)
}
