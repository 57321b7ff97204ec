package exchange

import "time"

// Window is the largest number of messages of a pair that are not acknowledged.
const Window = 4

// A Port holds what one partition sends to the others and receives from them.
type Port struct {
	Resend time.Duration // after that time a message that is not acknowledged is sent again
	self   int
	pairs  []pair
}

// pair is what a partition has of another.
type pair struct {
	out      []outgoing // made and not acknowledged, in the order of their numbers
	sent     uint64     // number of the last one made
	released uint64     // and of the last one whose record is on disk
	acked    uint64     // and of the last one that the other has applied
	applied  uint64     // number of the last message of the other that was applied
	settled  uint64     // and of the last one whose record is on disk
	confirm  bool       // the other is to be told about settled
}

// outgoing is a message on its way.
type outgoing struct {
	number uint64
	bytes  []byte
	again  time.Duration // when to send it again
	left   bool          // it was sent
}

// NewPort returns the port of one of so many partitions.
func NewPort(self, partitions int, resend time.Duration) *Port {
	return &Port{Resend: resend, self: self, pairs: make([]pair, partitions)}
}

// Restore sets what the journal says about a partition, as frontier.Frontier.Messages returns it.
// The messages after acked are to be Put and released again.
func (p *Port) Restore(part int, acked, applied uint64) {
	p.pairs[part] = pair{sent: acked, released: acked, acked: acked, applied: applied, settled: applied, confirm: applied > 0}
}

// Room reports whether another message to a partition may be made.
func (p *Port) Room(part int) bool { return part != p.self && len(p.pairs[part].out) < Window }

// Next returns the number of the next message to a partition.
func (p *Port) Next(part int) uint64 { return p.pairs[part].sent + 1 }

// Acknowledged returns the number of the last message that a partition is known to have applied:
// event.Exchange.Acked.
func (p *Port) Acknowledged(part int) uint64 { return p.pairs[part].acked }

// Put adds a message that was made. It must not leave before it is released.
func (p *Port) Put(part int, number uint64, bytes []byte) {
	x := &p.pairs[part]
	x.sent = number
	if number > x.acked {
		x.out = append(x.out, outgoing{number: number, bytes: bytes})
	}
}

// Release lets messages leave up to a number: their records are on disk.
func (p *Port) Release(part int, number uint64) {
	x := &p.pairs[part]
	x.released = max(x.released, number)
}

// Acked forgets the messages up to a number: the other partition has applied them.
func (p *Port) Acked(part int, number uint64) {
	x := &p.pairs[part]
	x.acked = max(x.acked, min(number, x.released))
	for len(x.out) > 0 && x.out[0].number <= x.acked {
		x.out = x.out[1:]
	}
}

// A Verdict says what to do with a message that arrived.
type Verdict uint8

// The verdicts.
const (
	Apply Verdict = iota // it is the next one
	Again                // it was applied before: it is to be acknowledged again
	Ahead                // one before it is missing: it will come again
)

// Receive judges a message of a partition. If it is to be applied, the caller does so.
func (p *Port) Receive(part int, number uint64) Verdict {
	x := &p.pairs[part]
	switch {
	case number <= x.applied:
		x.confirm = x.confirm || number <= x.settled
		return Again
	case number > x.applied+1:
		return Ahead
	}
	x.applied = number
	return Apply
}

// Settle lets messages be acknowledged up to a number: that they were applied is on disk.
func (p *Port) Settle(part int, number uint64) {
	x := &p.pairs[part]
	if number > x.settled {
		x.settled, x.confirm = number, true
	}
}

// Due calls send for the messages that are to leave at now, and confirm for what is to be
// acknowledged.
func (p *Port) Due(now time.Duration, send func(part int, number uint64, bytes []byte), confirm func(part int, number uint64)) {
	for part := range p.pairs {
		x := &p.pairs[part]
		if x.confirm {
			x.confirm = false
			confirm(part, x.settled)
		}
		for i := range x.out {
			if o := &x.out[i]; o.number <= x.released && (!o.left || o.again <= now) {
				o.left, o.again = true, now+p.Resend
				send(part, o.number, o.bytes)
			}
		}
	}
}

// Wake returns when a message is to be sent again if nothing else happens, and whether one is.
func (p *Port) Wake() (at time.Duration, ok bool) {
	for i := range p.pairs {
		for _, o := range p.pairs[i].out {
			if o.left && (!ok || o.again < at) {
				at, ok = o.again, true
			}
		}
	}
	return at, ok
}

// Counters returns how many messages were made, and how many were applied and are on disk.
func (p *Port) Counters() (sent, applied uint64) {
	for i := range p.pairs {
		sent += p.pairs[i].sent
		applied += p.pairs[i].settled
	}
	return sent, applied
}
