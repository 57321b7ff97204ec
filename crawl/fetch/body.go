package fetch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/winnow-crawler/winnow/event"
)

const (
	firstRead   = 8 << 10  // room for a body of unknown length at first
	trustedRead = 64 << 10 // room at most for an announced one: a server may announce what it likes
)

// limit returns the number of bytes to read of the body.
func (x *exchange) limit() int64 {
	n := x.c.lim.body
	if x.r.MaxBody > 0 {
		n = x.r.MaxBody
	}
	if x.a.Class != event.OK {
		n = min(n, errorBody)
	}
	return n
}

// readBody reads the body up to its limit. A body that breaks off spoils a page, but not
// the status of an error or a redirect.
func (x *exchange) readBody(ctx context.Context, resp *http.Response) {
	a, limit, err := x.a, x.limit(), errTooLong
	if x.unwanted(resp) {
		a.Cut = CutUnwanted
		return
	}
	if resp.ContentLength <= limit || x.r.Prefix {
		err = x.fill(ctx, resp, limit)
	}
	a.Cut = x.cutBy(ctx, resp, err)
	switch {
	case a.Class != event.OK || a.Cut == CutNot:
	case a.Cut == CutLength:
		a.Class = event.TooLarge
	default:
		x.fail(ctx, err)
	}
}

// unwanted reports whether a body is not worth reading.
func (x *exchange) unwanted(resp *http.Response) bool {
	if x.a.Class != event.OK || x.r.Wants == nil || x.r.Wants(x.a.Header) {
		return false
	}
	return resp.ContentLength < 0 || resp.ContentLength > shortBody
}

var errTooLong = errors.New("longer than the limit")

// cutBy returns the reason why a body ended with an error.
func (x *exchange) cutBy(ctx context.Context, resp *http.Response, err error) Cut {
	var late *timeout
	switch {
	case err == nil || err == io.ErrUnexpectedEOF && untilClose(resp):
		return CutNot
	case err == errTooLong:
		return CutLength
	case errors.As(x.cause(ctx), &late):
		return CutTime
	}
	return CutDisconnect
}

// untilClose reports whether the end of the connection is the end of the body. Many servers
// then close TLS without a closing alert; without TLS there is none.
func untilClose(resp *http.Response) bool {
	return resp.TLS != nil && resp.ProtoMajor == 1 && resp.ContentLength < 0 && resp.TransferEncoding == nil
}

// fill reads the body into a buffer, one byte beyond the limit to know
// whether there is more. Room is taken from the budget before it is used.
func (x *exchange) fill(ctx context.Context, resp *http.Response, limit int64) (err error) {
	claim, buf, room := claim{b: x.c.o.Budget}, x.c.o.Buffers.take(resp.ContentLength), int64(0)
	defer func() { x.keep(&claim, buf[:min(int64(len(buf)), limit)]) }()
	for {
		if int64(len(buf)) == room {
			if room > limit {
				return errTooLong
			}
			more := min(max(nextRoom(room, resp.ContentLength), int64(cap(buf))), limit+1)
			x.pause()
			err := claim.take(ctx, more-room)
			if x.resume(); err != nil {
				return err
			}
			room, buf = more, slices.Grow(buf, int(more-room))
		}
		n, err := resp.Body.Read(buf[len(buf):room])
		buf = buf[:len(buf)+n]
		switch err {
		case nil:
		case io.EOF:
			if int64(len(buf)) > limit {
				return errTooLong
			}
			return nil
		default:
			return err
		}
	}
}

// nextRoom returns how large a buffer grows. An announced length is trusted more and more
// while the body arrives; the one byte beyond it is for reading the end.
func nextRoom(room, length int64) int64 {
	switch {
	case length < 0:
		return max(firstRead, 2*room)
	case room == 0:
		return min(length, trustedRead) + 1
	}
	return max(min(length+1, 8*room), room+firstRead)
}

// keep moves a body to the answer. Unused room counts as held, too: it is memory.
func (x *exchange) keep(c *claim, body []byte) {
	unused := int64(0)
	if len(body) == 0 {
		unused = c.bytes
	}
	x.a.Body, x.a.Held = body, c.end(unused)
}

// Buffers keeps memory that was used for reading, for the next answers. It is safe for many
// goroutines, and the garbage collector takes what is not used for a while. With a nil
// Buffers all memory is new.
type Buffers struct {
	spare   sync.Pool // *[]byte, for bodies
	readers sync.Pool // *bufio.Reader
}

// take returns an empty buffer for a body whose length is announced, or negative; nil if
// there is none, or if it would be too large.
func (b *Buffers) take(length int64) []byte {
	if b != nil && (length < 0 || length >= leastSpare) {
		if x, ok := b.spare.Get().(*[]byte); ok {
			return *x
		}
	}
	return nil
}

// Bounds of the buffers that are kept, in bytes. A smaller body has memory of its own.
const leastSpare, mostSpare = firstRead / 2, trustedRead + firstRead

// Give returns the memory of a body, which nothing may refer to any more.
func (b *Buffers) Give(body []byte) {
	if b == nil || cap(body) < leastSpare || cap(body) > mostSpare {
		return
	}
	body = body[:0]
	b.spare.Put(&body)
}

// reader returns a buffered reader of r.
func (b *Buffers) reader(r io.Reader) *bufio.Reader {
	if b != nil {
		if x, ok := b.readers.Get().(*bufio.Reader); ok {
			x.Reset(r)
			return x
		}
	}
	return bufio.NewReader(r)
}

// giveReader takes a reader back; nil is none.
func (b *Buffers) giveReader(x *bufio.Reader) {
	if b != nil && x != nil {
		x.Reset(nil)
		b.readers.Put(x)
	}
}

// Budget bounds the bytes of bodies in memory, from the moment they are read until the
// caller returns them: the credit pool between the network and the disk. It is safe for
// many goroutines.
//
// Ten thousand fetchers may hold ten thousand bodies, each within its own limit. A body
// that does not fit waits its turn, and with it, through the windows of TCP, its server;
// that is not the server's fault, and the time-outs pause. If bodies that still arrive hold
// all bytes, waiting would never end. Then one of them, the first in line, may exceed the
// size until it has ended. So at most size and one body are held at once.
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

// NewBudget returns a new budget of size bytes.
func NewBudget(size int64) *Budget { return &Budget{size: size} }

// Give returns bytes to the budget: Answer.Held, once the body is on disk or dropped. A nil
// budget ignores them.
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

// leave stops waiting, unless the bytes were granted in the meantime.
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

// end ends the claim when the body is complete or breaks off. The bytes of the body stay
// held until Give is called; unused ones are returned at once.
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

// serve grants bytes in the order of the line, as far as there are any.
func (b *Budget) serve() {
	for len(b.wait) > 0 {
		c := b.wait[0]
		if b.held+c.want > b.size {
			if b.over != nil || b.held > b.reading {
				return // another claim will end or give bytes back
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
