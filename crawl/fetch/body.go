package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/winnow-crawler/winnow/event"
)

const (
	firstRead   = 8 << 10  // room for a body of unknown length at first
	trustedRead = 64 << 10 // room at most for an announced one: a server may announce what it likes
)

// limit is how much of the body is wanted.
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
// what the status said about an error or a redirect.
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

// cutBy says what it was that ended a body with an error.
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
// say no good-bye in TLS then; without TLS it is never said.
func untilClose(resp *http.Response) bool {
	return resp.TLS != nil && resp.ProtoMajor == 1 && resp.ContentLength < 0 && resp.TransferEncoding == nil
}

// fill reads the body into the buffer of the request, one byte beyond the limit to know
// whether there is more. Room is taken from the budget before it is used.
func (x *exchange) fill(ctx context.Context, resp *http.Response, limit int64) (err error) {
	claim, buf, room := claim{b: x.c.o.Budget}, x.r.Buffer[:0], int64(0)
	defer func() { x.keep(&claim, buf[:min(int64(len(buf)), limit)]) }()
	for {
		if int64(len(buf)) == room {
			if room > limit {
				return errTooLong
			}
			more := min(nextRoom(room, resp.ContentLength), limit+1)
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

// nextRoom is how large a buffer grows. An announced length is believed more and more as
// the body comes; the one byte beyond it is for the end to be read into.
func nextRoom(room, length int64) int64 {
	switch {
	case length < 0:
		return max(firstRead, 2*room)
	case room == 0:
		return min(length, trustedRead) + 1
	}
	return max(min(length+1, 8*room), room+firstRead)
}

// keep makes a body the answer's. Room counts as held even where it is not filled: it is
// memory.
func (x *exchange) keep(c *claim, body []byte) {
	unused := int64(0)
	if len(body) == 0 {
		unused = c.bytes
	}
	x.a.Body, x.a.Held = body, c.end(unused)
}
