package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// A headTap copies the head of an answer as the server sent it, on its way to net/http, which
// keeps neither the order of the fields nor the case of their names. With TLS or a proxy a
// goroutine of net/http reads the connection, so there is a lock.
type headTap struct {
	mu   sync.Mutex
	left int64 // bytes that may still be copied; 0: it does not copy
	head []byte
	done bool
}

// begin makes the tap wait for the next head, of at most so many bytes.
func (t *headTap) begin(most int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left, t.head, t.done = most, nil, false
}

// feed takes bytes that were read.
func (t *headTap) feed(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left <= 0 || t.done {
		return
	}
	if n := int64(len(b)); n > t.left {
		b = b[:t.left]
	}
	t.left -= int64(len(b))
	before := len(t.head)
	t.head = append(t.head, b...)
	for from := max(before-3, 0); ; from = 0 {
		end := endOfHead(t.head, from)
		if end < 0 {
			return
		}
		if informational(t.head) {
			t.head = t.head[end:]
			continue
		}
		t.head, t.done = t.head[:end:end], true
		return
	}
}

// take returns the head, nil if it was not whole, and forgets it.
func (t *headTap) take() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	head := t.head
	if !t.done {
		head = nil
	}
	t.left, t.head, t.done = 0, nil, false
	return bytes.Clone(head)
}

// endOfHead returns where the head that begins with b ends, after its empty line; -1 if b has not
// all of it. What is before from has been looked at.
func endOfHead(b []byte, from int) int {
	for {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return -1
		}
		from += i + 1
		switch rest := b[from:]; {
		case len(rest) > 0 && rest[0] == '\n':
			return from + 1
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			return from + 2
		}
	}
}

// informational reports whether a head is followed by another one.
func informational(head []byte) bool {
	_, rest, _ := bytes.Cut(head, []byte(" "))
	return len(rest) > 2 && rest[0] == '1' && !bytes.HasPrefix(rest, []byte("101"))
}

// dialTLS connects with TLS, directly or through a proxy. Over HTTP/1 the tap of the connection sees
// what is read.
func (c *Client) dialTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	way := c.dial
	switch {
	case c.o.Proxy == nil:
	case socks(c.o.Proxy):
		way = c.forward
	default:
		way = c.tunnel
	}
	plain, err := way(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	conf := &tls.Config{}
	if c.transport.TLSClientConfig != nil {
		conf = c.transport.TLSClientConfig.Clone()
	}
	if conf.ServerName == "" {
		conf.ServerName, _, _ = net.SplitHostPort(addr)
	}
	x := c.x
	x.tls = true
	secure := tls.Client(plain, conf)
	if err := secure.HandshakeContext(ctx); err != nil {
		plain.Close()
		return nil, err
	}
	state := secure.ConnectionState()
	if x.secured = &state; state.NegotiatedProtocol == "h2" {
		x.http2 = true
		return secure, nil
	}
	return &tappedConn{secure, &x.conn.tap}, nil
}

// A tappedConn is a connection whose data a tap sees. It hides that it has TLS from net/http,
// which asks only for the sake of HTTP/2.
type tappedConn struct {
	net.Conn
	tap *headTap
}

func (c *tappedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.tap.feed(b[:n])
	return n, err
}

// complete adds to an answer what net/http could not see.
func (l *Line) complete(resp *http.Response) {
	if resp.TLS == nil {
		resp.TLS = l.secured
	}
}
