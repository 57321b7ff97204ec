package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// Client makes the requests of one fetcher, one at a time, over at most one connection.
// It is not safe for several goroutines.
type Client struct {
	o         *Options
	lim       limits
	transport *http.Transport // makes connections; its own pool stays empty
	clock     func() time.Duration
	conns     *atomic.Uint32
	line      *Line // the connection; nil: none
	talk      talk
	x         *exchange // the current one, for dial
}

// A Line is an open connection with what is known about it. At rest it may be handed from
// one client to another.
type Line struct {
	*conn
	http  *http.ClientConn // nil: without TLS and proxy, see talk
	http2 bool
	// secured describes TLS where net/http does not know of it: see dialTLS.
	secured *tls.ConnectionState
	over    bool   // the last answer ended it
	site    string // scheme and host with port that it leads to
	n       uint32 // its number
	used    bool   // an exchange has ended well on it
	rest    time.Duration
}

// NewClient returns a new client. It starts no goroutine until it has a connection.
func NewClient(o *Options) *Client {
	c := &Client{o: o, lim: o.limits(), clock: o.Clock, conns: o.Conns}
	if c.clock == nil {
		began := time.Now()
		c.clock = func() time.Duration { return time.Since(began) }
	}
	if c.conns == nil {
		c.conns = new(atomic.Uint32)
	}
	c.transport = c.newTransport()
	return c
}

// windowHTTP2 is the number of bytes that a server may send ahead of the reader in HTTP/2,
// where no kernel buffer bounds it. The default of net/http, 4 MiB a stream, is too much
// for ten thousand connections.
const windowHTTP2 = 256 << 10

func (c *Client) newTransport() *http.Transport {
	t := &http.Transport{
		DialContext:            c.dial,
		DisableCompression:     true,
		MaxResponseHeaderBytes: c.lim.header,
		WriteBufferSize:        1 << 10, // a request
		Protocols:              new(http.Protocols),
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: windowHTTP2, MaxReceiveBufferPerConnection: windowHTTP2,
		},
	}
	t.Protocols.SetHTTP1(true)
	t.Protocols.SetHTTP2(c.o.HTTP2)
	if c.o.TLS != nil {
		t.TLSClientConfig = c.o.TLS.Clone()
	}
	t.DialTLSContext = c.dialTLS
	t.Proxy = c.proxyOf
	return t
}

// proxyOf returns the proxy that net/http uses for a request. The tunnels of TLS are ours.
func (c *Client) proxyOf(q *http.Request) (*url.URL, error) {
	if c.o.Proxy == nil || q.URL.Scheme == "https" {
		return nil, nil
	}
	return c.o.Proxy, nil
}

// Close closes the connection, if there is one, and returns when that is done. The client
// may be used again.
func (c *Client) Close() {
	if c.line != nil {
		if c.line.http != nil {
			c.line.http.Close() // closes TLS properly
		}
		c.line.conn.Close() // HTTP/2 may leave it to a goroutine
		c.line = nil
	}
}

// Attach gives the client a connection that another one has detached, or nil. The client
// must have none.
func (c *Client) Attach(l *Line) { c.line = l }

// Detach takes the connection, if there is one, from the client.
func (c *Client) Detach() *Line {
	l := c.line
	c.line = nil
	return l
}

// Do sends a request and waits for the whole answer. It returns no error: the Answer
// describes failures. On return there is either a kept connection, good for another request
// to the same site, or none.
func (c *Client) Do(ctx context.Context, r *Request) *Answer {
	x := &exchange{c: c, r: r, a: &Answer{Start: c.clock()}}
	c.x = x
	x.run(ctx)
	if !x.a.Keep {
		c.Close()
	}
	c.x = nil
	x.a.End = c.clock()
	x.phases()
	return x.a
}

// conn is the socket under a connection: it counts bytes and remembers when data last
// arrived. It lies under TLS, so that silence is silence on the wire.
type conn struct {
	net.Conn
	addr    netip.Addr // connected to; invalid: the proxy
	plain   bool       // HTTP without TLS
	born    time.Time
	in, out atomic.Int64
	heard   atomic.Int64 // nanoseconds from born to the last byte
	busy    atomic.Bool  // an exchange is under way
	tap     headTap      // sees what is read, after TLS
	counted int64        // bytes that answers so far have accounted for
	gate    func() error // of Options
}

// Read reads. Data that arrives on a plain connection to a proxy between exchanges was not
// requested and ends the connection; net/http would report it on the standard logger.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n == 0 {
		return n, err
	}
	if c.plain && !c.busy.Load() {
		return 0, io.EOF
	}
	if c.plain {
		c.tap.feed(b[:n])
	}
	c.in.Add(int64(n))
	c.heard.Store(int64(time.Since(c.born)))
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	if c.gate != nil {
		if err := c.gate(); err != nil {
			return 0, err
		}
	}
	n, err := c.Conn.Write(b)
	c.out.Add(int64(n))
	return n, err
}

// traffic returns the number of bytes in both directions.
func (c *conn) traffic() int64 { return c.in.Load() + c.out.Load() }

func (c *conn) lastHeard() time.Time { return c.born.Add(time.Duration(c.heard.Load())) }

// Usable reports whether the connection can serve another request. It cannot if the server
// has closed it.
func (l *Line) Usable() bool { return l.open() && (l.http != nil || l.quiet()) }

// open reports whether the connection was usable at the end of the last exchange.
func (l *Line) open() bool {
	if l.http == nil {
		return !l.over
	}
	return l.http.Err() == nil && l.http.Available() > 0
}

// Rest returns the time for which the server keeps the connection open without a request,
// as far as it has said so; at least 1 ns, and 0 for nil.
func (l *Line) Rest() time.Duration {
	if l == nil {
		return 0
	}
	return l.rest
}

// Cut closes the socket of a connection at rest, at once and without a word to the server.
func (l *Line) Cut() { l.conn.Close() }

// dial connects. The transport calls it while connect waits. It ignores the name in addr:
// the addresses were resolved before. It checks each address at the moment of its use.
func (c *Client) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if c.o.Proxy != nil {
		return c.open(ctx, network, addr, netip.Addr{})
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	err = errNoAddress
	for _, ip := range c.x.r.Addrs {
		ip = ip.Unmap()
		if err = c.guard(ip); err != nil {
			continue
		}
		var nc net.Conn
		if nc, err = c.open(ctx, network, net.JoinHostPort(ip.String(), port), ip); err == nil {
			return nc, nil
		}
	}
	return nil, err
}

func (c *Client) open(ctx context.Context, network, addr string, ip netip.Addr) (net.Conn, error) {
	dial := c.o.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	if gate := c.o.Gate; gate != nil {
		if err := gate(); err != nil {
			return nil, err
		}
	}
	nc, err := dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c.x.conn = &conn{Conn: nc, addr: ip, plain: c.x.plain, born: time.Now(), gate: c.o.Gate}
	c.x.conn.busy.Store(c.o.Proxy != nil && socks(c.o.Proxy)) // it answers before the first request
	return c.x.conn, nil
}

// exchange is one request on its way.
type exchange struct {
	c *Client
	r *Request
	a *Answer
	watch
	plain  bool  // HTTP without TLS
	direct bool  // and without a proxy
	conn   *conn // dialled by this exchange; nil: none
	tls    bool  // TLS has begun
	http2  bool  // TLS has settled on it
	// secured describes TLS if the client has made it itself.
	secured *tls.ConnectionState
}

// run makes the exchange within its time-outs.
func (x *exchange) run(ctx context.Context) {
	ctx, stop := x.begin(ctx)
	defer stop()
	q, err := x.newRequest()
	if err == nil {
		x.direct = q.URL.Scheme == "http" && x.c.o.Proxy == nil
		if !x.direct {
			ctx = x.trace(ctx)
		}
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
	defer x.hush()
	l.tap.begin(x.c.lim.header)
	resp, err := x.send(ctx, q)
	if err == nil && resp.StatusCode < 100 {
		err = fmt.Errorf("status %03d is none", resp.StatusCode)
	}
	if err != nil {
		x.fail(ctx, err)
		return
	}
	x.a.Head = l.tap.take()
	l.complete(resp)
	x.read(ctx, resp)
	l.busy.Store(false)
	l.over = x.direct && x.c.talk.over(resp)
	x.a.Keep = !x.r.Last && x.a.Cut == CutNot && x.a.Status != http.StatusSwitchingProtocols && l.open()
	l.used, l.rest = true, keepAlive(x.a.Header)
}

// trace makes net/http report what the exchange has reached.
func (x *exchange) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeStart:    func() { x.tls = true },
		TLSHandshakeDone:     func(s tls.ConnectionState, _ error) { x.http2 = s.NegotiatedProtocol == "h2" },
		GotFirstResponseByte: x.firstByte,
	})
}

// send sends the request and returns the answer, its body unread.
func (x *exchange) send(ctx context.Context, q *http.Request) (*http.Response, error) {
	if x.direct {
		return x.talk(ctx, q)
	}
	return x.c.line.http.RoundTrip(q.WithContext(ctx))
}

// connect makes sure that there is a connection to the site of the request. A kept one
// that has died is replaced before anything is written to it; later is too late, because
// the server may have seen the request.
func (x *exchange) connect(ctx context.Context, q *http.Request) error {
	c, to := x.c, hostPort(q.URL)
	site := q.URL.Scheme + "://" + to
	x.plain = q.URL.Scheme == "http"
	if c.line != nil && (c.line.site != site || !c.line.Usable()) {
		c.Close()
	}
	if c.line == nil {
		h, err := x.open(ctx, q.URL.Scheme, to)
		if err != nil {
			if x.conn != nil {
				x.conn.Close()
			}
			return err
		}
		c.line = &Line{conn: x.conn, http: h, http2: x.http2, secured: x.secured, site: site, n: c.conns.Add(1)}
	}
	x.a.Address, x.a.Conn, x.a.Reused = c.line.addr, c.line.n, c.line.used
	return nil
}

// open connects. It returns nil if net/http has no part in the connection.
func (x *exchange) open(ctx context.Context, scheme, to string) (*http.ClientConn, error) {
	if x.direct {
		_, err := x.c.dial(ctx, "tcp", to)
		return nil, err
	}
	return x.c.transport.NewClientConn(ctx, scheme, to)
}

// read reads the answer, the body up to its limit, and classifies it.
func (x *exchange) read(ctx context.Context, resp *http.Response) {
	if !x.direct { // else Close would read what is left
		defer resp.Body.Close()
	}
	a := x.a
	a.Status, a.Header = resp.StatusCode, resp.Header
	_, a.Reason, _ = strings.Cut(resp.Status, " ")
	a.Proto = protocols(resp, x.c.line.http2)
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

// protocols returns the protocols of an answer by their names in WARC-Protocol.
func protocols(resp *http.Response, http2 bool) []string {
	p := []string{"h2"}
	if !http2 {
		p[0] = strings.ToLower(resp.Proto)
	}
	if resp.TLS != nil {
		version := strings.ReplaceAll(strings.ToLower(tls.VersionName(resp.TLS.Version)), " ", "/")
		p = append(p, version)
	}
	return p
}
