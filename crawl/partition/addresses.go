package partition

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// A ledger keeps the limits of IP addresses over all partitions. Each partition keeps them by
// itself, among its own sites. Where sites of several partitions share an address, a request also
// waits here until the others leave room: no more than ip_cap requests at a time, and ip_delay from
// the end of a response to the next request.
type ledger struct {
	mu    sync.Mutex
	delay time.Duration
	most  int // requests at a time; 0: any number
	at    map[netip.Addr]*account
	from  time.Time // no request is made before
	sweep int       // size of the map at which addresses are forgotten that are free
}

// An account is an address in use.
type account struct {
	active int
	free   time.Time     // when the next request may be made
	change chan struct{} // closed when a request ends
}

// newLedger returns a ledger with the limits of each address. In a crawl that is resumed, all
// addresses wait for their delay: requests to them may have been made just before.
func newLedger(delay time.Duration, most int, resumed bool) *ledger {
	l := &ledger{delay: delay, most: most, at: map[netip.Addr]*account{}, sweep: 1 << 12}
	if resumed {
		l.from = time.Now().Add(delay)
	}
	return l
}

// setDelay changes the delay of all addresses.
func (l *ledger) setDelay(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = d
}

// Acquire waits until a request to an address may be made. It returns false if the context ends
// first.
func (l *ledger) Acquire(ctx context.Context, addr netip.Addr) bool {
	for {
		wait, change := l.try(addr)
		if change == nil {
			return true
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-change:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// longWait is longer than any request takes.
const longWait = 24 * time.Hour

// try begins a request if that is allowed. Otherwise it returns how long to wait at most, and a
// channel that is closed when it may be tried again.
func (l *ledger) try(addr netip.Addr) (wait time.Duration, change <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.at[addr]
	if a == nil {
		l.clean()
		a = &account{free: l.from, change: make(chan struct{})}
		l.at[addr] = a
	}
	wait = time.Until(a.free)
	switch {
	case l.most > 0 && a.active >= l.most:
		return longWait, a.change
	case wait > 0:
		return wait, a.change
	}
	a.active++
	return 0, nil
}

// Release ends a request that Acquire has allowed.
func (l *ledger) Release(addr netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.at[addr]
	a.active--
	a.free = time.Now().Add(l.delay)
	close(a.change)
	a.change = make(chan struct{})
}

// clean forgets addresses that are free, now and then.
func (l *ledger) clean() {
	if len(l.at) < l.sweep {
		return
	}
	now := time.Now()
	for addr, a := range l.at {
		if a.active == 0 && a.free.Before(now) {
			delete(l.at, addr)
		}
	}
	l.sweep = max(1<<12, 2*len(l.at))
}
