package count

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// addressCounts counts the open connections to each address, from the moment at which they
// are accepted. A connection that has served no request yet counts, and so does an idle one.
type addressCounts struct {
	mu  sync.Mutex
	all map[netip.Addr]*addressCount
}

type addressCount struct {
	open []net.Conn
	more []Overlap // more connections at once than ever before, ascending
}

// opened adds a connection. Those that the visitor has closed do not count, even if the
// server has not noticed it yet.
func (x *addressCounts) opened(c net.Conn, now time.Duration) {
	at, ok := localAddress(c)
	if !ok {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.all == nil {
		x.all = map[netip.Addr]*addressCount{}
	}
	y := x.all[at]
	if y == nil {
		y = new(addressCount)
		x.all[at] = y
	}
	y.open = slices.DeleteFunc(append(y.open, c), peerGone)
	if n := len(y.open); n > y.most() {
		y.more = append(y.more, Overlap{now, n})
	}
}

// closed removes a connection.
func (x *addressCounts) closed(c net.Conn) {
	at, ok := localAddress(c)
	if !ok {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	y := x.all[at]
	y.open = slices.DeleteFunc(y.open, func(o net.Conn) bool { return o == c })
}

// most returns the largest number of connections at once.
func (y *addressCount) most() int {
	if len(y.more) == 0 {
		return 0
	}
	return y.more[len(y.more)-1].Open
}

// most returns the largest number of connections at once to any address.
func (x *addressCounts) most() (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, y := range x.all {
		n = max(n, y.most())
	}
	return n
}

// check returns the instants at which an address had more than limit connections, and more
// than ever before.
func (x *addressCounts) check(limit int) (found []Violation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for at, y := range x.all {
		for _, o := range y.more {
			if o.Open > limit {
				found = append(found, Violation{Kind: AddressConnections, Site: graph.NoSite, Host: at.String(), Page: graph.NoPage, At: o.At, N: o.Open})
			}
		}
	}
	slices.SortFunc(found, func(a, b Violation) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Host, b.Host)) })
	return found
}

// localAddress returns the address that a connection leads to, and whether it is known.
func localAddress(c net.Conn) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(c.LocalAddr().String())
	return at.Addr().Unmap(), err == nil
}
