package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
)

// A sending is an answer on its way.
type sending struct {
	*answer.Answer
	visit *count.Visit
	sleep func(ctx context.Context, d time.Duration)
}

// send waits as long as the site takes, and writes the answer.
func (a *sending) send(w http.ResponseWriter, r *http.Request) {
	if d := a.Delay(); d > 0 {
		a.sleep(r.Context(), d)
	}
	switch a.Manner {
	case answer.SendReset:
		if c := count.Conn(r.Context()); c != nil {
			hardClose(c)
		}
		panic(http.ErrAbortHandler) // net/http closes the connection, or resets the stream
	case answer.SendNothing, answer.SendHalfHeader, answer.SendFields:
		a.withhold(w, r)
	}
	a.Header(w.Header())
	w.WriteHeader(a.Status)
	switch {
	case r.Method == http.MethodHead || a.Status == http.StatusNotModified:
		a.visit.End(a.Answer, false)
	case a.Manner == answer.SendDrip:
		a.drip(w, r)
	case a.Manner == answer.SendHalfBody || a.Manner == answer.SendLess:
		a.cutOff(w)
	default:
		a.write(w, r)
	}
}

// hardClose makes the end of the connection a reset where the transport has such a thing.
func hardClose(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
}

// lastPiece is the size that every network takes at once: larger bodies are sent up to it before
// the answer counts as ended.
const lastPiece = 1 << 16

// write sends the body: at once, or its first half, and after the time that a body of
// its size takes the rest.
func (a *sending) write(w http.ResponseWriter, r *http.Request) {
	head, d := max(0, len(a.Body)-lastPiece), a.BodyTime()
	switch {
	case a.Filler > 0:
		head = len(a.Body) - a.Tail
	case a.Endless:
		head = len(a.Body)
	case d > 0:
		head = max(head, len(a.Body)/2)
	}
	part := func(b []byte) bool { return a.part(w, b) }
	ok := part(a.Body[:head])
	if ok && d > 0 {
		ok = http.NewResponseController(w).Flush() == nil
		a.sleep(r.Context(), d)
	}
	if ok && a.Fill(part) {
		a.visit.End(a.Answer, true)
		part(a.Body[head:])
	}
}

// part writes some bytes and reports whether they could be written.
func (a *sending) part(w http.ResponseWriter, b []byte) bool {
	for len(b) > 0 {
		n, err := w.Write(b[:min(len(b), count.Piece)])
		a.visit.Wrote(n, err)
		if err != nil {
			return false
		}
		b = b[n:]
	}
	return true
}

// withhold sends no answer that a client can use: silence, half a header, a header
// without end. It does not return.
func (a *sending) withhold(w http.ResponseWriter, r *http.Request) {
	switch a.Manner {
	case answer.SendNothing:
		<-r.Context().Done()
		a.visit.UntilLeft()
	case answer.SendHalfHeader:
		if c := wire(r); c != nil {
			c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Le"))
		}
	case answer.SendFields:
		a.fields(w, r)
	}
	panic(http.ErrAbortHandler)
}

// wire returns the connection below a request, nil where it is not its own (HTTP/2) or not
// known.
func wire(r *http.Request) net.Conn {
	if r.ProtoMajor == 1 {
		return count.Conn(r.Context())
	}
	return nil
}

// headerLines is a piece of a header without end.
var headerLines = []byte(strings.Repeat("X-And-So-On: for ever and a day, and the day after, and all days to come\r\n", 64))

// fields sends header fields until the visitor leaves. HTTP/2 sends headers as a whole, so
// there it is a long one.
func (a *sending) fields(w http.ResponseWriter, r *http.Request) {
	c := wire(r)
	if c == nil {
		for i := range 8000 {
			w.Header().Set("X-And-So-On-"+strconv.Itoa(i), "for ever and a day, and the day after")
		}
		w.WriteHeader(http.StatusOK)
		http.NewResponseController(w).Flush() // whether anybody takes it does not matter
		return
	}
	a.visit.UntilLeft()
	_, err := c.Write([]byte("HTTP/1.1 200 OK\r\n"))
	a.visit.Wrote(0, err)
	for err == nil {
		var n int
		n, err = c.Write(headerLines)
		a.visit.Wrote(n, err)
	}
}

// drip sends a byte now and then, until the visitor leaves.
func (a *sending) drip(w http.ResponseWriter, r *http.Request) {
	ctx, flush := r.Context(), http.NewResponseController(w)
	a.visit.UntilLeft()
	for n := 0; a.part(w, a.Body[n%len(a.Body):][:1]) && flush.Flush() == nil; n++ {
		a.sleep(ctx, a.Every)
		if ctx.Err() != nil {
			break
		}
	}
	panic(http.ErrAbortHandler)
}

// cutOff sends less of a body than was promised and ends the connection.
func (a *sending) cutOff(w http.ResponseWriter) {
	body := a.Body
	if a.Manner == answer.SendHalfBody {
		body = body[:len(body)/2]
	}
	a.part(w, body)
	a.visit.End(a.Answer, false)
	http.NewResponseController(w).Flush() // whether anybody takes it does not matter
	panic(http.ErrAbortHandler)
}

// A blackHole is an address that never takes a connection: its queue has no room, so the
// kernel leaves further attempts without an answer. Where queues cannot be kept that
// short, connections are made and nothing is sent.
type blackHole struct {
	l     net.Listener
	stuck []net.Conn // in the queue
}

// holeWait is the time after which an attempt shows that the queue is full.
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
