package serve

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// A blackHole is an address that never takes a connection: its queue has no room, so the
// kernel leaves further attempts without an answer. Where queues cannot be kept that
// short, connections come about and nobody says anything.
type blackHole struct {
	l     net.Listener
	stuck []net.Conn // in the queue
}

// holeWait is how long an attempt takes that shows that the queue is full.
const holeWait = 50 * time.Millisecond

func newBlackHole(at netip.AddrPort) (*blackHole, error) {
	l, err := net.Listen("tcp", at.String())
	if err != nil {
		return nil, err
	}
	h := &blackHole{l: l}
	if !shortQueue(l) {
		return h, nil
	}
	for range 8 {
		ctx, stop := context.WithTimeout(context.Background(), holeWait)
		c, err := new(net.Dialer).DialContext(ctx, "tcp", at.String())
		stop()
		if err != nil {
			break
		}
		h.stuck = append(h.stuck, c)
	}
	return h, nil
}

func (h *blackHole) close() {
	for _, c := range h.stuck {
		c.Close() // nothing was sent that could be lost
	}
	h.l.Close()
}
