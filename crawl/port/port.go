// Package port is what a partition of a crawl sees of the others: the permits of harvesters
// that all of them share, the words of the coordinator, and the bus that carries messages.
// Package crawl uses a [Port], package crawl/partition makes one for each partition.
//
// A nil Port is that of a crawl with one partition. All its methods may be called.
package port

import (
	"context"
	"net/netip"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/journal"
)

// A Port connects one partition with the others. It belongs to the loop of its crawl.
type Port struct {
	Self     int // the number of the partition, from 0 on
	Of       int // how many there are
	Identity layout.Identity
	// Owner returns the partition of the site with a name.
	Owner   func(site []byte) int
	Pool    Pool
	Council Council
	Bus     Bus
	// Addresses are those to which requests are made.
	Addresses Addresses
	Bodies    *fetch.Budget // of all bodies in memory
	// Wake receives when there is a permit, a word or a message. It has room for one.
	Wake <-chan struct{}
	// Weigh tells how many bytes the partition takes, and returns what the others take.
	Weigh func(bytes int64) (others int64)
	// Tell receives the status that the partition writes to its directory.
	Tell func(*history.Status)
}

// A Pool holds the permits of all partitions for harvesters.
type Pool interface {
	// Take takes a permit if one is free, or was kept for the partition.
	Take() bool
	// Want asks for a permit, after Take found none. The next ones go to the partitions whose
	// best page has the highest value. The port is woken when there is one.
	Want(value float64)
	// Decline gives back the permits that were kept for the partition, and asks for none.
	Decline()
	// Give gives back permits that were taken.
	Give(n int)
}

// A Council decides what concerns all partitions: when they stop, and which of them may fetch
// how many pages of a common limit.
type Council interface {
	// Say tells how a partition stands. It is called before the partition waits.
	Say(Report)
	// Hear returns what the partition has to know.
	Hear() Word
	// Allow returns how many pages the partition may have fetched in all, given how many it has
	// fetched and is fetching. If these are as many, it asks for more.
	Allow(used int64) int64
	// Sum returns the pages that all partitions have fetched, those that they know, and the bytes
	// that they have received.
	Sum() (fetched, known, bytes int64)
}

// Addresses keep the limits of IP addresses over all partitions. Harvesters call the methods.
type Addresses interface {
	// Acquire waits until a request may be made. It returns false if the context ends first.
	Acquire(ctx context.Context, addr netip.Addr) bool
	Release(addr netip.Addr)
}

// A Bus carries packets between partitions. It may lose, delay, repeat and reorder them.
type Bus interface {
	Send(to int, p Packet)
	// Receive returns the packets that have arrived. Port.Wake tells when there are some.
	Receive() []Packet
}

// A Packet is a message of another partition (package exchange), or if it has no bytes the word
// that all messages up to a number were applied.
type Packet struct {
	From    int
	Bytes   []byte
	Applied uint64
}

// A Report tells how a partition stands.
type Report struct {
	Fetched int64  // pages, in all sessions
	Known   int64  // pages that are its own
	Bytes   int64  // received, in all sessions
	Stop    string // why it stops; "": it does not
	// Idle is set if nothing is under way, everything is committed, and nothing can be requested
	// unless another partition sends something.
	Idle bool
	// Down is set if it is idle because only sites are left that cannot be reached, Hopeless if
	// that was so for the time of --patience.
	Down, Hopeless bool
	Brings         bool   // there are requisites to fetch
	Sent           uint64 // messages to others that were committed
	Applied        uint64 // messages of others that were applied and committed
	Work           uint64 // number of the next record of its journal
	Heard          Word   // the last word that it has obeyed
}

// A Word is what the council has decided. Its numbers only grow.
type Word struct {
	Stop   string // why all stop; "": they do not
	Relent int    // how often all were told to admit what gets its chance at the end
	Round  int    // how often all were asked how they stand
}

// Permits returns the pool, which grants everything to a crawl with one partition.
func (p *Port) Permits() Pool {
	if p == nil {
		return free{}
	}
	return p.Pool
}

// free is a pool without a limit.
type free struct{}

func (free) Take() bool   { return true }
func (free) Want(float64) {}
func (free) Decline()     {}
func (free) Give(int)     {}

// Name returns the name of the directory of the partition, "" if there is one partition.
func (p *Port) Name() string {
	if p == nil {
		return ""
	}
	return layout.PartitionName(p.Self)
}

// Woken returns the channel Wake, nil for a crawl with one partition.
func (p *Port) Woken() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.Wake
}

// Beside tells how many bytes the partition takes, and returns what the others take.
func (p *Port) Beside(bytes int64) int64 {
	if p == nil {
		return 0
	}
	return p.Weigh(bytes)
}

// Told receives the status that the partition writes to its directory.
func (p *Port) Told(s *history.Status) {
	if p != nil {
		p.Tell(s)
	}
}

// Share returns the part of one partition in something that all share.
func (p *Port) Share(n int64) int {
	if p == nil {
		return int(n)
	}
	return int(n / int64(p.Of))
}

// Part returns the part of one partition in a number of which all parts are the sum.
func (p *Port) Part(n int64) int64 {
	if p == nil {
		return n
	}
	part := n / int64(p.Of)
	if int64(p.Self) < n%int64(p.Of) {
		part++
	}
	return part
}

// NewIdentity returns the identity of a new crawl, which all partitions share.
func (p *Port) NewIdentity() layout.Identity {
	if p == nil {
		return layout.NewIdentity()
	}
	return p.Identity
}

// Header returns the header of the journal of a crawl.
func (p *Port) Header(id layout.Identity) journal.Header {
	if p == nil {
		return journal.Header{Crawl: id.Crawl, Partitions: 1}
	}
	return journal.Header{Crawl: id.Crawl, Partition: uint32(p.Self), Partitions: uint32(p.Of)}
}

// Enter waits until a request to the first of some addresses may be made. It returns false if the
// context ends first.
func (p *Port) Enter(ctx context.Context, addrs []netip.Addr) bool {
	return p == nil || len(addrs) == 0 || p.Addresses.Acquire(ctx, addrs[0])
}

// Leave ends a request that Enter has allowed.
func (p *Port) Leave(addrs []netip.Addr) {
	if p != nil && len(addrs) > 0 {
		p.Addresses.Release(addrs[0])
	}
}
