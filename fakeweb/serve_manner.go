package fakeweb

import (
	"net"
	"net/http"
	"strconv"
	"strings"
)

// withhold sends no answer that a client can use: silence, half a header, a header
// without end. It does not return.
func (a *answer) withhold(w http.ResponseWriter, r *http.Request) {
	switch a.manner {
	case hangs:
		<-r.Context().Done()
		a.left = true
	case cutsHeader:
		if c := wire(r); c != nil {
			c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Le"))
		}
	case endlessHeader:
		a.fields(w, r)
	}
	panic(http.ErrAbortHandler)
}

// wire is the connection below a request, nil where it is not its own (HTTP/2) or not
// known.
func wire(r *http.Request) net.Conn {
	if c := connOf(r.Context()); c != nil && r.ProtoMajor == 1 {
		return c.conn
	}
	return nil
}

// headerLines is a piece of a header without end.
var headerLines = []byte(strings.Repeat("X-And-So-On: for ever and a day, and the day after, and all days to come\r\n", 64))

// fields sends header fields until the visitor leaves. HTTP/2 sends headers as a whole, so
// there it is a long one.
func (a *answer) fields(w http.ResponseWriter, r *http.Request) {
	c := wire(r)
	if c == nil {
		for i := range 8000 {
			w.Header().Set("X-And-So-On-"+strconv.Itoa(i), "for ever and a day, and the day after")
		}
		w.WriteHeader(http.StatusOK)
		http.NewResponseController(w).Flush() // whether anybody takes it does not matter
		return
	}
	a.left = true
	_, err := c.Write([]byte("HTTP/1.1 200 OK\r\n"))
	for err == nil {
		a.alive()
		var n int
		n, err = c.Write(headerLines)
		a.sent += int64(n)
	}
}

// drip sends a byte now and then, until the visitor leaves.
func (a *answer) drip(w http.ResponseWriter, r *http.Request) {
	ctx, rules, flush := r.Context(), &a.s.rules, http.NewResponseController(w)
	a.left = true
	for n := 0; ; n++ {
		if !a.part(w, fillerText[n%len(fillerText):][:1]) || flush.Flush() != nil {
			break
		}
		rules.opt.Sleep(ctx, rules.opt.DripEvery)
		if ctx.Err() != nil {
			break
		}
	}
	panic(http.ErrAbortHandler)
}

// cutOff sends less of a body than was promised and ends the connection.
func (a *answer) cutOff(w http.ResponseWriter) {
	body := a.body
	if a.manner == cutsBody {
		body = body[:len(body)/2]
	}
	a.part(w, body)
	a.s.count.end(a, false)
	http.NewResponseController(w).Flush() // whether anybody takes it does not matter
	panic(http.ErrAbortHandler)
}

// crowd writes the links of a crowded page.
func (a *answer) crowd(w http.ResponseWriter) bool {
	const piece = 2000
	for n := 0; n < a.s.rules.opt.CrowdLinks; n += piece {
		a.composer.spare = appendCrowdLinks(a.composer.spare[:0], n, min(n+piece, a.s.rules.opt.CrowdLinks))
		if !a.part(w, a.composer.spare) {
			return false
		}
	}
	return true
}

// breakCoding makes sure that the content coding cannot be undone: there is none, or a part
// is missing, or bytes in the middle are wrong.
func (a *answer) breakCoding() {
	half := len(a.body) / 2
	switch how := a.s.rules.draw(&a.of, streamCoding, uint64(a.j)) % 3; {
	case a.coding == "":
		a.coding = "gzip"
	case how == 0:
		a.body = a.body[:half]
	case how == 1 && a.coding == "gzip":
		for i := range min(16, half) {
			a.body[half+i] ^= 0x5a
		}
	default:
		a.body = append(a.body[:0], "these bytes were never compressed"...)
	}
}
