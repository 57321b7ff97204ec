package count

import (
	"crypto/tls"
	"net"

	"golang.org/x/sys/unix"
)

// established is the state TCP_ESTABLISHED of Linux.
const established = 1

// peerGone reports whether the other side has closed a connection. The kernel knows it
// as soon as that happened; net/http only when the goroutine that reads from the
// connection had its turn, by when the visitor may well have opened the next one.
func peerGone(c net.Conn) bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	switch c := c.(type) {
	case interface{ PeerGone() bool }:
		return c.PeerGone()
	case *net.TCPConn:
		return tcpGone(c)
	}
	return false
}

// tcpGone queries the kernel. A closed descriptor counts as gone.
func tcpGone(c *net.TCPConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	gone := true
	err = raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			gone = info.State != established
		}
	})
	return err != nil || gone
}
