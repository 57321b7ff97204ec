//go:build !linux

package count

import (
	"crypto/tls"
	"net"
)

// peerGone reports whether the other side has closed a connection, as far as is known
// without a query to the kernel: only in memory. A visitor that opens its next connection
// right after closing one may look as if it had two.
func peerGone(c net.Conn) bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	m, ok := c.(interface{ PeerGone() bool })
	return ok && m.PeerGone()
}
