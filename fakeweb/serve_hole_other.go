//go:build !linux

package fakeweb

import "net"

// shortQueue cannot be relied on elsewhere.
func shortQueue(net.Listener) bool { return false }
