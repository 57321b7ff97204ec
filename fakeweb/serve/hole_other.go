//go:build !linux

package serve

import "net"

// shortQueue cannot be relied on elsewhere.
func shortQueue(net.Listener) bool { return false }
