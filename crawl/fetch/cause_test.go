package fetch

import (
	"context"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// The cause of a failure comes from the error of the system, not from its words.
func TestCause(t *testing.T) {
	for _, test := range []struct {
		addr, port string
		err        error
		want       event.Cause
	}{
		{"93.184.216.34", "", syscall.ECONNREFUSED, event.CauseRefused},
		{"93.184.216.34", "", syscall.ENETUNREACH, event.CauseOffline},
		{"93.184.216.34", "", syscall.EHOSTUNREACH, event.CauseOffline},
		{"93.184.216.34", "", syscall.ECONNRESET, event.NoCause},
		{"93.184.216.34", ":1", nil, event.CausePrivate},
		{"10.0.0.1", "", nil, event.CausePrivate},
	} {
		c := NewClient(&Options{Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", test.err)}
		}})
		a := c.Do(t.Context(), &Request{URL: "http://a.example" + test.port + "/", Addrs: []netip.Addr{netip.MustParseAddr(test.addr)}})
		c.Close()
		if a.Cause != test.want {
			t.Errorf("%s%s, %v: %q, want %q (%s)", test.addr, test.port, test.err, a.Cause, test.want, a.Note)
		}
	}
}
