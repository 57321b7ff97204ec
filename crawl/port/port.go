// Package port is what a partition of a crawl sees of the others: the permits of harvesters
// that all of them share, the decisions of the coordinator, and the bus that carries messages.
// Package crawl uses a [Port], package crawl/partition makes one for each partition.
//
// A nil Port is that of a crawl with one partition. All its methods may be called.
package port

import (
	"context"
	"errors"
	"net/netip"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/journal"
)

// A Port connects one partition with the others. It belongs to the loop of its crawl.
type Port struct {
	Self     int // the number of the partition, from 0 on
	Of       int // how many there are
	Identity layout.Identity
	// Owner returns the partition of the site with a name.
	Owner       func(site []byte) int
	Pool        Pool
	Coordinator Coordinator
	Bus         Bus
	// Addresses are those to which requests are made.
	Addresses Addresses
	Bodies    *fetch.Budget // of all bodies in memory
	Parsing   *gather.Places
	// Tenure is the right to crawl the partition, nil if no other process can have it.
	Tenure Tenure
	// Wake receives when there is a permit, a decision or a message. It has room for one.
	Wake <-chan struct{}
	// Weigh tells how many bytes the partition takes, and returns what the others take.
	Weigh func(bytes int64) (others int64)
	// Seeds are those of the run, of sites of this partition.
	Seeds []string
	// Notices brings URLs of sites of this partition that have changed; nil: there are none.
	Notices <-chan []string
	// Tell receives the status that the partition writes to its directory.
	Tell func(*history.Status)
}

// A Pool holds the permits of all partitions for harvesters.
type Pool interface {
	// Take takes a permit if one is free, or was kept for the partition. One that was kept may be
	// for a page that a board of the policy chooses; otherwise the board is -1.
	Take() (board int, ok bool)
	// Want asks for a permit, after Take found none. The next ones go to the partitions whose
	// best page has the highest value on the board that has the turn. Values and shares are by
	// board, as in exchange.Offer; the pool keeps a copy. The port is woken when there is one.
	Want(values, shares []float64)
	// Decline gives back the permits that were kept for the partition, and asks for none.
	Decline()
	// Give gives back permits that were taken.
	Give(n int)
}

// A Coordinator decides what concerns all partitions: when they stop.
type Coordinator interface {
	// Say tells how a partition stands. It is called before the partition waits.
	Say(Report)
	// Hear returns what the partition has to know.
	Hear() Decision
	// Sum returns what all partitions have.
	Sum() Sum
}

// Addresses keep the limits of IP addresses over all partitions. Harvesters call the methods.
type Addresses interface {
	// Acquire waits until a request may be made. It returns false if the context ends first.
	Acquire(ctx context.Context, addr netip.Addr) bool
	Release(addr netip.Addr)
}

// A Tenure is the right of this process to crawl a partition. Another one may take it, and has a copy
// of the journal for that.
type Tenure interface {
	// Owner returns the name of this machine and the epoch of the tenure, for the session.
	Owner() (node string, epoch uint64)
	// Commit adds a group to the copy while local writes it to the disk, and returns nil when both are
	// done. With session it is the first of a session. The bytes of the group are valid until local has
	// been called. After an error nothing is written any more.
	Commit(g journal.Group, session bool, local func() error) error
	// Gate returns an error if nothing may be sent to a site now.
	Gate() error
	// Lost is closed when the tenure is over, and everything that is under way is void.
	Lost() <-chan struct{}
}

// ErrLost is the error of a run whose tenure is over.
var ErrLost = errors.New("another machine has the partition, or may have it")

// A Bus carries packets between partitions. It may lose, delay, repeat and reorder them.
type Bus interface {
	Send(to int, p Packet)
	// Receive returns the packets that have arrived. Port.Wake tells when there are some.
	Receive() []Packet
}

// A Packet is a message of another partition (package exchange), or if it has no bytes the news
// that all messages up to a number were applied.
type Packet struct {
	From    int
	Bytes   []byte
	Applied uint64
}

// A Report tells how a partition stands.
type Report struct {
	Fetched  int64   // pages, in all sessions
	Known    int64   // pages that are its own
	SinceHot float64 // pages that it has read since its last hot one; NaN without a topic
	Bytes    int64   // received, in all sessions
	Stop     string  // why it stops; "": it does not
	// Idle is set if nothing is under way, everything is committed, and nothing can be requested
	// unless another partition sends something.
	Idle bool
	// Down is set if it is idle because only sites are left that cannot be reached, Hopeless if
	// that was so for the time of --patience.
	Down, Hopeless bool
	Brings         bool     // there are requisites to fetch
	Sent           uint64   // messages to others that were committed
	Applied        uint64   // messages of others that were applied and committed
	Work           uint64   // number of the next record of its journal
	Heard          Decision // the last one that it has obeyed
}

// A Sum is that of all partitions.
type Sum struct {
	Fetched, Known, Bytes int64
	SinceHot              float64 // pages read since the last hot one; NaN without a topic
}

// A Decision is that of the coordinator, for all partitions. Its numbers only grow.
type Decision struct {
	Stop   string // why all stop; "": they do not
	Relent int    // how often all were told to admit what gets its chance at the end
	Round  int    // how often all were asked how they stand
}

// NewSeeds takes seeds that were added to the crawl. It returns those that the partition adds: partition
// 0 adds all, and tells the others about theirs.
func (p *Port) NewSeeds(all []string) []string {
	p.Seeds = slices.DeleteFunc(slices.Clone(all), func(url string) bool {
		site, _ := page.Site([]byte(url))
		return p.Owner(site) != p.Self
	})
	if p.Self > 0 {
		return nil
	}
	return all
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

func (free) Take() (int, bool)   { return -1, true }
func (free) Want(_, _ []float64) {}
func (free) Decline()            {}
func (free) Give(int)            {}

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

// Holder returns the machine that crawls and the epoch of its tenure, for the session.
func (p *Port) Holder() (node string, epoch uint64) {
	if p == nil || p.Tenure == nil {
		return "", 0
	}
	return p.Tenure.Owner()
}

// Gate returns what is called before anything is sent to a site; nil: nothing is.
func (p *Port) Gate() func() error {
	if p == nil || p.Tenure == nil {
		return nil
	}
	return p.Tenure.Gate
}

// Lost returns a channel that is closed when everything that is under way is void; nil: it never is.
func (p *Port) Lost() <-chan struct{} {
	if p == nil || p.Tenure == nil {
		return nil
	}
	return p.Tenure.Lost()
}

// Commit writes a group to the disk, and to the copy of the journal if there is one.
func (p *Port) Commit(g journal.Group, session bool, local func() error) error {
	if p == nil || p.Tenure == nil {
		return local()
	}
	return p.Tenure.Commit(g, session, local)
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

// Places returns where pages are parsed: those of all partitions, or of a crawl with one.
func (p *Port) Places(own func() *gather.Places) *gather.Places {
	if p == nil {
		return own()
	}
	return p.Parsing
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
