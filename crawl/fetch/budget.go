package fetch

import (
	"context"
	"slices"
	"sync"
)

// Budget bounds the bytes of bodies in memory, from the moment they are read until the
// caller gives them back: the credit pool between the network and the disk. It is safe
// for many goroutines.
//
// Ten thousand fetchers may hold ten thousand bodies, each within its own limit. A body
// that does not fit waits its turn, and with it, through the windows of TCP, its server;
// that is not the server's fault, and the time-outs stand still. When all bytes are held
// by bodies that still arrive, waiting would be for ever: then one of them, the first in
// line, may go beyond the size until it has ended. So at most size and one body are held
// at once.
type Budget struct {
	mu      sync.Mutex
	size    int64
	held    int64    // taken and not given back
	reading int64    // the part of held that belongs to bodies still arriving
	wait    []*claim // first come, first served
	over    *claim   // the one that may go beyond the size; nil: none
}

// claim is one body on its way. Its fields belong to the lock of the budget.
type claim struct {
	b     *Budget // nil: no bound
	bytes int64   // held for it
	want  int64   // more that it waits for
	ready chan struct{}
}

// NewBudget makes a budget of so many bytes.
func NewBudget(size int64) *Budget { return &Budget{size: size} }

// Held is the number of bytes taken and not given back.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Give gives bytes back: Answer.Held, once the body is on disk or dropped. A nil budget
// takes them, too.
func (b *Budget) Give(n int64) {
	if b == nil || n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held-b.reading < n {
		panic("fetch: more bytes given back than were taken")
	}
	b.held -= n
	b.serve()
}

// take waits until n more bytes are held for the claim.
func (c *claim) take(ctx context.Context, n int64) error {
	if c.b == nil {
		return nil
	}
	c.b.mu.Lock()
	if c.b.over == c {
		c.b.hand(c, n)
		c.b.mu.Unlock()
		return nil
	}
	c.want, c.ready = n, make(chan struct{})
	c.b.wait = append(c.b.wait, c)
	c.b.serve()
	c.b.mu.Unlock()
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
		return c.leave(ctx)
	}
}

// leave gives up waiting, unless the bytes have come in the meantime.
func (c *claim) leave(ctx context.Context) error {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	if i := slices.Index(c.b.wait, c); i >= 0 {
		c.b.wait = slices.Delete(c.b.wait, i, i+1)
		c.b.serve()
		return context.Cause(ctx)
	}
	return nil
}

// end says that the body has come, or comes no further: its bytes stay held until they
// are given back. n of them are not needed after all.
func (c *claim) end(unused int64) (held int64) {
	if c.b == nil {
		return 0
	}
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	c.b.reading -= c.bytes
	c.b.held -= unused
	if c.b.over == c {
		c.b.over = nil
	}
	c.b.serve()
	return c.bytes - unused
}

// serve hands out bytes from the head of the line on, as far as they go.
func (b *Budget) serve() {
	for len(b.wait) > 0 {
		c := b.wait[0]
		if b.held+c.want > b.size {
			if b.over != nil || b.held > b.reading {
				return // somebody will end or give back
			}
			b.over = c
		}
		b.wait = slices.Delete(b.wait, 0, 1)
		b.hand(c, c.want)
		close(c.ready)
	}
}

func (b *Budget) hand(c *claim, n int64) {
	b.held, b.reading, c.bytes = b.held+n, b.reading+n, c.bytes+n
}
