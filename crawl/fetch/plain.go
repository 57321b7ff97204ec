package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"syscall"
	"time"
)

// talk is the HTTP/1.1 of connections without TLS and without a proxy. The goroutine of the
// fetcher writes the request and reads the answer. net/http would use two more goroutines for
// each connection, which hold memory while it is idle. Requests are written and answers
// parsed by net/http.
type talk struct {
	out  bytes.Buffer
	head headReader
	in   *bufio.Reader // of head; nil between exchanges
}

// headReader reads from a connection until a limit for headers is reached.
type headReader struct {
	from io.Reader
	left int64
}

var errLongHead = errors.New("the header of the answer is longer than the limit")

func (h *headReader) Read(b []byte) (int, error) {
	if h.left <= 0 {
		return 0, errLongHead
	}
	n, err := h.from.Read(b[:min(int64(len(b)), h.left)])
	h.left -= int64(n)
	return n, err
}

// talk sends a request over the connection of the client and reads the answer up to its
// body. hush ends it. If the exchange was ended before there was a connection to close, talk
// sends nothing.
func (x *exchange) talk(ctx context.Context, q *http.Request) (*http.Response, error) {
	t, l := &x.c.talk, x.c.line
	if err := cmp.Or(x.caller.Err(), x.cause(ctx)); err != nil {
		return nil, err
	}
	t.out.Reset()
	if err := q.Write(&t.out); err != nil {
		return nil, err
	}
	t.head = headReader{l.conn, x.c.lim.header}
	t.in = x.c.o.Buffers.reader(&t.head)
	_, unsent := l.Write(t.out.Bytes())
	if _, err := t.in.Peek(1); err != nil { // a server may answer before it has read the request
		return nil, errors.Join(unsent, err)
	}
	x.firstByte()
	for {
		resp, err := http.ReadResponse(t.in, q)
		if err != nil || resp.StatusCode >= 200 || resp.StatusCode < 100 || resp.StatusCode == http.StatusSwitchingProtocols {
			t.head.left = math.MaxInt64
			return resp, err
		}
	}
}

// over reports whether the connection cannot be used again after an answer that was read to
// its end.
func (t *talk) over(resp *http.Response) bool {
	return resp.Close || resp.ProtoMajor != 1 || t.in.Buffered() > 0
}

// hush ends an exchange. Nothing of it stays with the client.
func (x *exchange) hush() {
	t := &x.c.talk
	x.c.o.Buffers.giveReader(t.in)
	t.in, t.head.from = nil, nil
}

// quiet reports whether a connection at rest is open and the server has sent nothing.
func (c *conn) quiet() bool {
	var b [1]byte
	if s, ok := c.Conn.(syscall.Conn); ok {
		raw, err := s.SyscallConn()
		if err != nil {
			return false
		}
		var peeked error
		err = raw.Read(func(fd uintptr) bool {
			_, _, peeked = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
			return true
		})
		return err == nil && (peeked == syscall.EAGAIN || peeked == syscall.EWOULDBLOCK)
	}
	// A connection in memory reports its end rather than a deadline. A socket that a Dial of
	// its own hides would not.
	if c.SetReadDeadline(time.Unix(1, 0)) != nil {
		return false
	}
	_, err := c.Conn.Read(b[:])
	return errors.Is(err, os.ErrDeadlineExceeded) && c.SetReadDeadline(time.Time{}) == nil
}
