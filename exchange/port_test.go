package exchange

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// packet is something on the bus: a message, an acknowledgement, or a report.
type packet struct {
	from, to int
	number   uint64
	bytes    []byte // nil: an acknowledgement
	at       time.Duration
}

// record is one of the journal of a peer: it made a message, or applied one.
type record struct {
	part   int
	number uint64
	bytes  []byte
	linked bool
}

// peer is a partition that fetches pages by tokens: a token that arrives is a page to be fetched,
// which may make others for other partitions.
type peer struct {
	port    *Port
	journal []record // committed
	open    []record // not yet
	// The fold of both.
	waiting int            // tokens to be fetched
	fetched int            // tokens that were
	tokens  []int          // made for other partitions and not told
	seen    map[string]int // messages by how often they were applied
}

// cluster is a crawl over a bus that delays, repeats, reorders and drops, with peers that crash.
type cluster struct {
	t     *testing.T
	r     *rand.Rand
	now   time.Duration
	peers []*peer
	bus   []packet
	made  int // tokens that may still be made
	ended bool
}

func newCluster(t *testing.T, seed uint64) *cluster {
	r := rand.New(rand.NewPCG(seed, 7))
	c := &cluster{t: t, r: r, made: 300}
	n := 2 + r.IntN(5)
	for i := range n {
		c.peers = append(c.peers, c.born(i, n, nil))
	}
	c.peers[0].waiting = 1
	return c
}

// born returns a peer that has replayed a journal.
func (c *cluster) born(self, of int, journal []record) *peer {
	p := &peer{port: NewPort(self, of, 300), journal: journal, tokens: make([]int, of), seen: map[string]int{}}
	acked, applied := make([]uint64, of), make([]uint64, of)
	if self == 0 {
		p.waiting = 1
	}
	for _, r := range journal {
		p.fold(r)
		if r.linked {
			applied[r.part] = r.number
		}
	}
	for part := range of {
		p.port.Restore(part, acked[part], applied[part])
	}
	for _, r := range journal { // messages are made again
		if r.bytes != nil && !r.linked {
			p.port.Put(r.part, r.number, r.bytes)
			p.port.Release(r.part, r.number)
		}
	}
	return p
}

// fold applies a record to the state.
func (p *peer) fold(r record) {
	switch {
	case r.linked:
		m, err := Decode(r.bytes)
		if err != nil {
			panic(err)
		}
		p.waiting += int(m.Entries[0].Links)
		p.seen[fmt.Sprint(r.part, " ", r.number)]++
	case r.bytes != nil:
		p.tokens[r.part] = 0
	default:
		p.waiting--
		p.fetched++
		for part := range p.tokens {
			p.tokens[part] += int(r.number>>(8*part)) & 255
		}
	}
}

func (p *peer) do(r record) {
	p.open = append(p.open, r)
	p.fold(r)
}

// fetch uses a token, which makes some for others.
func (c *cluster) fetch(i int) {
	p := c.peers[i]
	if p.waiting == 0 {
		return
	}
	made := uint64(0)
	for range c.r.IntN(4) {
		if to := c.r.IntN(len(c.peers)); to != i && c.made > 0 {
			made += 1 << (8 * to)
			c.made--
		}
	}
	p.do(record{number: made})
}

// send makes messages of the tokens for others.
func (c *cluster) send(i int) {
	p := c.peers[i]
	for to, n := range p.tokens {
		if n > 0 && p.port.Room(to) {
			m := Message{From: uint16(i), To: uint16(to), Number: p.port.Next(to), Entries: []Entry{{Links: uint32(n)}}}
			b := m.Append(nil)
			p.port.Put(to, m.Number, b)
			p.do(record{part: to, number: m.Number, bytes: b})
		}
	}
}

// commit makes the open records durable: messages leave, and applied ones are acknowledged.
func (c *cluster) commit(i int) {
	p := c.peers[i]
	for _, r := range p.open {
		if p.journal = append(p.journal, r); r.linked {
			p.port.Settle(r.part, r.number)
		} else if r.bytes != nil {
			p.port.Release(r.part, r.number)
		}
	}
	p.open = nil
	p.port.Due(c.now, func(part int, number uint64, bytes []byte) {
		c.post(packet{i, part, number, bytes, 0})
	}, func(part int, number uint64) { c.post(packet{i, part, number, nil, 0}) })
}

// post gives a packet to the bus, which may lose it or deliver it twice, sooner or later.
func (c *cluster) post(k packet) {
	for range []int{0, 1, 1, 1, 1, 1, 2}[c.r.IntN(7)] {
		k.at = c.now + time.Duration(c.r.IntN(120))
		c.bus = append(c.bus, k)
	}
}

// deliver delivers the packets whose time has come, the last one first.
func (c *cluster) deliver() {
	later := c.bus[:0:0]
	for i := len(c.bus) - 1; i >= 0; i-- {
		k := c.bus[i]
		if k.at > c.now {
			later = append(later, k)
			continue
		}
		p := c.peers[k.to]
		if k.bytes == nil {
			p.port.Acked(k.from, k.number)
		} else if p.port.Receive(k.from, k.number) == Apply {
			if c.ended {
				c.t.Fatal("a message is applied after the end")
			}
			p.do(record{part: k.from, number: k.number, bytes: k.bytes, linked: true})
		}
	}
	c.bus = later
}

// crash loses what is not committed, tokens made by lost fetches included.
func (c *cluster) crash(i int) {
	c.peers[i] = c.born(i, len(c.peers), c.peers[i].journal)
}

func (c *cluster) report(i int) Report {
	p := c.peers[i]
	r := Report{Idle: p.waiting == 0 && len(p.open) == 0}
	for _, n := range p.tokens {
		r.Idle = r.Idle && n == 0
	}
	r.Sent, r.Applied = p.port.Counters()
	return r
}

// step does something.
func (c *cluster) step() {
	c.now++
	i := c.r.IntN(len(c.peers))
	switch k := c.r.IntN(100); {
	case k < 25:
		c.fetch(i)
	case k < 45:
		c.send(i)
	case k < 65:
		c.commit(i)
	case k < 75:
		c.deliver()
	case k == 75 && c.r.IntN(5) == 0:
		c.crash(i)
	}
}

// run runs until the end is declared. Reports are collected one by one while all goes on.
func (c *cluster) run() {
	var end End
	var reports []Report
	for range 60_000 {
		c.step()
		if c.r.IntN(3) > 0 {
			continue
		}
		if reports = append(reports, c.report(len(reports))); len(reports) == len(c.peers) {
			if c.ended = end.Round(reports); c.ended {
				return
			}
			reports = reports[:0]
		}
	}
	c.t.Fatal("the end is never declared")
}

// check sees that every message that is in the journal of its sender was applied once.
func (c *cluster) check() {
	fetched, links := 0, 1
	for i, p := range c.peers {
		if r := c.report(i); !r.Idle {
			c.t.Errorf("partition %d is not idle at the end", i)
		}
		fetched += p.fetched
		for _, r := range p.journal {
			if r.linked || r.bytes == nil {
				continue
			}
			m, _ := Decode(r.bytes)
			links += int(m.Entries[0].Links)
			if n := c.peers[r.part].seen[fmt.Sprint(i, " ", r.number)]; n != 1 {
				c.t.Errorf("message %d from %d to %d was applied %d times", r.number, i, r.part, n)
			}
		}
	}
	if fetched != links {
		c.t.Errorf("%d pages were fetched of %d", fetched, links)
	}
}

// TestExactlyOnce: over a bus that delays, repeats, reorders and drops, with partitions that crash,
// every message has its effect once, and the end is declared when nothing is under way.
func TestExactlyOnce(t *testing.T) {
	for seed := range uint64(40) {
		c := newCluster(t, seed)
		c.run()
		c.check()
		for range 300 { // whatever is still on the bus changes nothing
			c.now++
			c.deliver()
			c.commit(c.r.IntN(len(c.peers)))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestWindow: what is not acknowledged is bounded, and does not leave before its record is on disk.
func TestWindow(t *testing.T) {
	p := NewPort(0, 2, 10)
	sent := func(now time.Duration) (list []uint64) {
		p.Due(now, func(_ int, n uint64, _ []byte) { list = append(list, n) }, func(int, uint64) {})
		return list
	}
	for p.Room(1) {
		p.Put(1, p.Next(1), []byte("x"))
	}
	if n := p.Next(1); n != Window+1 || p.Room(0) {
		t.Errorf("%d messages fit", n-1)
	}
	if list := sent(0); len(list) > 0 {
		t.Errorf("%v leave before they are on disk", list)
	}
	p.Release(1, 3)
	if list := sent(0); fmt.Sprint(list) != "[1 2 3]" {
		t.Errorf("%v leave", list)
	}
	if at, ok := p.Wake(); at != 10 || !ok || len(sent(9)) > 0 {
		t.Errorf("wakes at %v", at)
	}
	p.Acked(1, 2)
	if list := sent(10); fmt.Sprint(list) != "[3]" || !p.Room(1) || p.Acknowledged(1) != 2 {
		t.Errorf("%v are sent again", list)
	}
	p.Acked(1, 9) // more than was sent
	if p.Acknowledged(1) != 3 {
		t.Errorf("message %d is acknowledged", p.Acknowledged(1))
	}
	if v := []Verdict{p.Receive(1, 2), p.Receive(1, 1), p.Receive(1, 1), p.Receive(1, 2)}; fmt.Sprint(v) != fmt.Sprint([]Verdict{Ahead, Apply, Again, Apply}) {
		t.Errorf("verdicts %v", v)
	}
}

// TestSchedule: intervals grow with the time so far, within limits.
func TestSchedule(t *testing.T) {
	s, n := InTime(), 0
	for now := time.Duration(0); now < time.Hour; now += 50 * time.Millisecond {
		if s.Due(int64(now)) {
			n++
			if next := time.Duration(s.Next()) - now; next < 200*time.Millisecond || next > 10*time.Second || next != max(200*time.Millisecond, min(now/100, 10*time.Second)) {
				t.Fatalf("after %v the next one follows in %v", now, next)
			}
		}
	}
	if n < 500 || n > 900 {
		t.Errorf("%d messages in an hour", n)
	}
	pages, n := InPages(), 0
	for i := range int64(100_000) {
		if pages.Due(i) {
			n++
		}
	}
	if n < 700 || n > 1200 {
		t.Errorf("%d messages in 100,000 pages", n)
	}
}

// TestPurse: partitions that ask, fetch and give back at random, with messages that take their time,
// never fetch more than there is, and use up all of it. Some pages were fetched before there was a
// limit.
func TestPurse(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		const limit = 500
		n := 1 + r.IntN(64)
		p, fetched := NewPurse(n), int64(0)
		has, grants := make([]int64, n), make([][]int64, n) // messages of the coordinator under way
		asks := make([][]func(), n)                         // and to it
		tell := func(part int, back int64, more bool) {
			asks[part] = append(asks[part], func() { p.Tell(part, back, limit, more) })
		}
		for i := range n {
			before := r.Int64N(3)
			fetched += before
			tell(i, -before, true)
		}
		for fetched < limit {
			part := r.IntN(n)
			switch k := r.IntN(10); {
			case k < 3 && len(asks[part]) > 0:
				asks[part][0]()
				asks[part] = asks[part][1:]
			case k < 6 && len(grants[part]) > 0:
				has[part] += grants[part][0]
				grants[part] = grants[part][1:]
			case k == 6:
				tell(part, has[part], r.IntN(2) == 0)
				has[part] = 0
			case has[part] > 0:
				has[part]--
				fetched++
			case k == 7:
				tell(part, 0, true)
			}
			if to, pages := p.Next(limit); pages > 0 {
				p.Grant(to, pages)
				grants[to] = append(grants[to], pages)
			}
			sum := fetched
			for i := range n {
				for sum += has[i]; len(asks[i]) > 100; asks[i] = asks[i][1:] { // no memory of many questions
					asks[i][0]()
				}
			}
			if sum > limit {
				t.Fatalf("seed %d: %d pages of %d", seed, sum, limit)
			}
		}
	}
}
