package serve

import (
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
)

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
