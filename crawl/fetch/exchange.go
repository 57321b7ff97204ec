package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strings"

	"github.com/winnow-crawler/winnow/event"
)

// exchange is one request on its way.
type exchange struct {
	c *Client
	r *Request
	a *Answer
	watch
	plain bool  // HTTP without TLS
	conn  *conn // dialled by this exchange; nil: none
	tls   bool  // TLS has begun
	http2 bool  // TLS has settled on it
}

// run makes the exchange within its time-outs.
func (x *exchange) run(ctx context.Context) {
	ctx, stop := x.begin(ctx)
	defer stop()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeStart:    func() { x.tls = true },
		TLSHandshakeDone:     func(s tls.ConnectionState, _ error) { x.http2 = s.NegotiatedProtocol == "h2" },
		GotFirstResponseByte: x.firstByte,
	})
	q, err := x.newRequest(ctx)
	if err == nil {
		err = x.connect(ctx, q)
	}
	if err != nil {
		x.fail(ctx, err)
		return
	}
	l := x.c.line
	l.busy.Store(true)
	x.connected(l.conn)
	defer func() { a, n := x.a, l.traffic(); a.Bytes, l.counted = n-l.counted, n }()
	x.a.Request = sent(q, l.http2)
	resp, err := l.http.RoundTrip(q)
	if err == nil && resp.StatusCode < 100 {
		err = fmt.Errorf("status %03d is none", resp.StatusCode)
	}
	if err != nil {
		x.fail(ctx, err)
		return
	}
	x.read(ctx, resp)
	l.busy.Store(false)
	x.a.Keep = !x.r.Last && x.a.Cut == CutNot && x.a.Status != http.StatusSwitchingProtocols && l.usable()
	l.used = true
}

// connect makes sure that there is a connection to the site of the request. A kept one
// that has died is replaced before anything is written to it; later is too late, because
// the server may have seen the request.
func (x *exchange) connect(ctx context.Context, q *http.Request) error {
	c, site := x.c, q.URL.Scheme+"://"+hostPort(q.URL)
	x.plain = q.URL.Scheme == "http"
	if c.line != nil && (c.line.site != site || !c.line.usable()) {
		c.Close()
	}
	if c.line == nil {
		h, err := c.transport.NewClientConn(ctx, q.URL.Scheme, hostPort(q.URL))
		if err != nil {
			if x.conn != nil {
				x.conn.Close()
			}
			return err
		}
		c.line = &line{conn: x.conn, http: h, http2: x.http2, site: site, n: c.conns.Add(1)}
	}
	x.a.Address, x.a.Conn, x.a.Reused = c.line.addr, c.line.n, c.line.used
	return nil
}

// read takes the answer, the body up to its limit, and judges it.
func (x *exchange) read(ctx context.Context, resp *http.Response) {
	defer resp.Body.Close()
	a := x.a
	a.Status, a.Header = resp.StatusCode, resp.Header
	_, a.Reason, _ = strings.Cut(resp.Status, " ")
	a.Proto = protocols(resp)
	if len(resp.TransferEncoding) > 0 { // net/http has taken it out
		a.Header["Transfer-Encoding"] = resp.TransferEncoding
	}
	a.RetryAfter = retryAfter(a.Header)
	if a.Status >= 300 && a.Status < 400 {
		a.Location = a.Header.Get("Location")
	}
	a.Class, a.Note = judge(a)
	if a.Status != http.StatusSwitchingProtocols {
		x.readBody(ctx, resp)
	}
	if a.Class == event.OK && len(a.Body) == 0 && a.Status > 200 && a.Status < 300 {
		a.Class, a.Note = event.NotHTML, "nothing in it" // 204, 205 and their like
	}
}

// protocols are those of an answer as WARC-Protocol names them.
func protocols(resp *http.Response) []string {
	p := []string{"h2"}
	if resp.ProtoMajor < 2 {
		p[0] = strings.ToLower(resp.Proto)
	}
	if resp.TLS != nil {
		version := strings.ReplaceAll(strings.ToLower(tls.VersionName(resp.TLS.Version)), " ", "/")
		p = append(p, version)
	}
	return p
}
