package node

import (
	"net/netip"
	"slices"
	"time"
)

// A claim is a node's demand for the right to an address. No two are the same: incarnations of a node
// never come back.
type claim struct {
	Node        string
	Incarnation uint64
	Number      uint64
}

// A home knows which node has the right to each address that belongs to a partition. It is that of
// the partition's owner, and is passive.
//
// A home that begins asks all nodes what they hold, and grants nothing before all that live have
// answered. Who has answered takes no grant of an earlier home any more.
type home struct {
	part   int
	epoch  uint64
	gate   func() error // whether the owner still is the owner
	delay  time.Duration
	asked  bool              // the nodes in the register are known
	silent map[string]uint64 // nodes that have not answered, with their incarnations
	from   time.Time         // nothing is granted before
	at     map[netip.Addr]*grant
}

// A grant is an address that somebody has or wants.
type grant struct {
	to    claim     // its node is "" if nobody has it
	free  time.Time // no request is made before
	queue []claim
	told  time.Time // when the holder was last told that it has it
}

func newHome(part int, epoch uint64, delay time.Duration, gate func() error) *home {
	return &home{part: part, epoch: epoch, gate: gate, delay: delay, silent: map[string]uint64{}, at: map[netip.Addr]*grant{}}
}

// meet tells the home which nodes there are. They have to answer.
func (x *home) meet(nodes map[string]uint64) {
	x.asked = true
	for name, incarnation := range nodes {
		x.silent[name] = incarnation
	}
}

// ready reports whether the home may grant. over reports whether an incarnation is over.
func (x *home) ready(now time.Time, over func(node string, incarnation uint64) bool) bool {
	if !x.asked {
		return false
	}
	for name, incarnation := range x.silent {
		if !over(name, incarnation) {
			return false
		}
		delete(x.silent, name)
	}
	if x.from.IsZero() {
		x.from = now.Add(x.delay) // one that was given back just before
	}
	return true
}

// holds takes the answer of a node: what it holds.
func (x *home) holds(node string, list []holding) {
	if _, waits := x.silent[node]; !waits {
		return
	}
	delete(x.silent, node)
	for _, y := range list {
		x.grant(y.Addr).to = y.Claim
	}
}

func (x *home) grant(a netip.Addr) *grant {
	g := x.at[a]
	if g == nil {
		g = &grant{free: x.from}
		x.at[a] = g
	}
	return g
}

// ask takes the demand of a node, which it repeats until it is granted.
func (x *home) ask(a netip.Addr, c claim, now time.Time, over func(string, uint64) bool) []message {
	if over(c.Node, c.Incarnation) {
		return nil // it was late
	}
	g := x.grant(a)
	if h := g.to; h.Node != "" && (over(h.Node, h.Incarnation) || h.Node == c.Node && h.less(c)) { // who asks again has it no more
		g.leave(now.Add(x.delay))
	}
	switch {
	case g.to == c:
		return []message{x.granted(a, g, now)} // it was lost
	case g.to.Node == c.Node:
		return nil // an old one
	}
	g.wait(c)
	g.queue = slices.DeleteFunc(g.queue, func(c claim) bool { return over(c.Node, c.Incarnation) })
	return x.next(a, g, now)
}

// less reports whether a claim is older than another one of the same node.
func (c claim) less(d claim) bool {
	return c.Incarnation < d.Incarnation || c.Incarnation == d.Incarnation && c.Number < d.Number
}

// leave notes that nobody has an address, and when it may be used again.
func (g *grant) leave(free time.Time) { g.to, g.free = claim{}, free }

// wait lets a claim wait for its turn. A later one of the same node takes the place of an earlier one.
func (g *grant) wait(c claim) {
	i := slices.IndexFunc(g.queue, func(d claim) bool { return d.Node == c.Node })
	switch {
	case i < 0:
		g.queue = append(g.queue, c)
	case g.queue[i].less(c):
		g.queue[i] = c
	}
}

// back takes an address back.
func (x *home) back(a netip.Addr, c claim, now time.Time) []message {
	g := x.at[a]
	if g == nil || g.to != c {
		return nil
	}
	g.leave(now.Add(x.delay))
	return x.next(a, g, now)
}

// next grants an address to the one that has waited longest, or tells its holder that others wait.
func (x *home) next(a netip.Addr, g *grant, now time.Time) []message {
	switch {
	case len(g.queue) == 0:
		return nil
	case g.to.Node == "":
		g.to, g.queue = g.queue[0], g.queue[1:]
	case now.Sub(g.told) < askEvery:
		return nil
	}
	g.told = now
	return []message{x.granted(a, g, now)}
}

// granted tells a node that it has an address. If others wait, it is to give it back.
func (x *home) granted(a netip.Addr, g *grant, now time.Time) message {
	return message{
		Kind: kindGrant, Part: x.part, Epoch: x.epoch, To: g.to.Node, Addr: a, Claim: g.to,
		Wait: max(0, g.free.Sub(now)), Recall: len(g.queue) > 0,
	}
}

// clean forgets addresses that nobody has.
func (x *home) clean(now time.Time) {
	for a, g := range x.at {
		if g.to.Node == "" && len(g.queue) == 0 && g.free.Before(now) {
			delete(x.at, a)
		}
	}
}
