//go:build !linux

package serve

import "net"

// shortQueue reports failure: the length of the queue cannot be set reliably elsewhere.
func shortQueue(net.Listener) bool { return false }
