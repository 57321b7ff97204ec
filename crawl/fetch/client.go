package fetch

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// Client makes the requests of one fetcher, one at a time, over at most one connection.
// It is not safe for several goroutines.
type Client struct {
	o         *Options
	lim       limits
	transport *http.Transport // makes connections; its own pool stays empty
	clock     func() time.Duration
	conns     *atomic.Uint32
	line      *line     // the connection; nil: none
	x         *exchange // the one that goes on, for dial
}

// line is an open connection with what is known about it.
type line struct {
	*conn
	http  *http.ClientConn
	http2 bool
	site  string // scheme and host with port that it leads to
	n     uint32 // its number
	used  bool   // an exchange has ended well on it
}

// NewClient makes a client. It starts no goroutine until it has a connection.
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

// windowHTTP2 is how much of a body a server may send ahead of its reader in HTTP/2, where
// no kernel buffer bounds it. The default of net/http, 4 MiB a stream, is too much for
// ten thousand connections (W8).
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
	if c.o.Proxy != nil {
		t.Proxy = http.ProxyURL(c.o.Proxy)
		t.ProxyConnectHeader = http.Header{"User-Agent": {c.o.UserAgent}}
	}
	return t
}

// Close closes the connection, if there is one, and returns when that is done. The client
// may be used again.
func (c *Client) Close() {
	if c.line != nil {
		c.line.http.Close() // says good-bye in TLS
		c.line.conn.Close() // HTTP/2 may leave it to a goroutine
		c.line = nil
	}
}

// Do makes a request and waits for all of its answer. It never fails: what goes wrong is
// in the Answer. On return there is either a kept connection, good for another request to
// the same site, or none.
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
