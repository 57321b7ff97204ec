package serve

import (
	"net"

	"golang.org/x/sys/unix"
)

// shortQueue makes the queue of a listener as short as it gets: calling listen again
// changes its length.
func shortQueue(l net.Listener) bool {
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return false
	}
	short := false
	err = raw.Control(func(fd uintptr) { short = unix.Listen(int(fd), 0) == nil })
	return err == nil && short
}
