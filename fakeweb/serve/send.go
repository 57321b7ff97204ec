package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
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

// lastPiece is what every network takes at once: larger bodies are sent up to it before
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
