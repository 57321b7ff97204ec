package fetch

import (
	"context"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

// conn is the socket under a connection: it counts bytes and remembers when it was last
// heard of. It lies under TLS, so that silence is silence on the wire.
type conn struct {
	net.Conn
	addr    netip.Addr // connected to; invalid: the proxy
	plain   bool       // HTTP without TLS
	born    time.Time
	in, out atomic.Int64
	heard   atomic.Int64 // nanoseconds from born to the last byte
	busy    atomic.Bool  // an exchange goes on
	counted int64        // bytes that answers so far have accounted for
}

// Read reads. What comes over a plain connection between exchanges is nothing we asked
// for, and the end of it; net/http would say so on the standard logger.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n == 0 {
		return n, err
	}
	if c.plain && !c.busy.Load() {
		return 0, io.EOF
	}
	c.in.Add(int64(n))
	c.heard.Store(int64(time.Since(c.born)))
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.out.Add(int64(n))
	return n, err
}

// traffic is the number of bytes in both directions.
func (c *conn) traffic() int64 { return c.in.Load() + c.out.Load() }

func (c *conn) lastHeard() time.Time { return c.born.Add(time.Duration(c.heard.Load())) }

// usable reports whether the connection takes another request.
func (l *line) usable() bool { return l.http.Err() == nil && l.http.Available() > 0 }

// dial is called by the transport while connect waits for it. The name in addr is not
// looked at: the addresses were resolved before, and they are checked here, each at the
// moment of its use.
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
	nc, err := dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c.x.conn = &conn{Conn: nc, addr: ip, plain: c.x.plain, born: time.Now()}
	return c.x.conn, nil
}
