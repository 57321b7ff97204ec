package fetch

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// When the gate is closed no connection is opened, and nothing is written to one that is open.
func TestGate(t *testing.T) {
	s := startServer(t, func(http.ResponseWriter, *http.Request) {}, plain)
	shut := errors.New("shut")
	for _, passes := range []int{0, 1} { // before the connection, before the request
		left := passes
		a := get(client(t, Options{FirstByte: 100 * time.Millisecond, Gate: func() error {
			if left--; left < 0 {
				return shut
			}
			return nil
		}}), s.at("/"))
		if a.Status != 0 || int(s.conns.Load()) != passes || s.requests.Load() != 0 {
			t.Errorf("a gate that lets %d pass: status %d, %d connections, %d requests", passes, a.Status, s.conns.Load(), s.requests.Load())
		}
	}
}
