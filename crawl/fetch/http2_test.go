package fetch

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// TestHTTP2Limits: the limits hold over HTTP/2, too.
func TestHTTP2Limits(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			io.WriteString(w, long+long)
		case "/announced":
			w.Header().Set("Content-Length", "2097152")
			io.WriteString(w, long+long)
		case "/cut":
			io.WriteString(w, "abc")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/header":
			w.Header().Set("A", long[:200<<10])
		default:
			io.WriteString(w, long)
		}
	}, http2)
	c := client(t, Options{HTTP2: true, TLS: s.trust(), MaxBody: 1 << 20})
	for _, test := range []struct {
		path  string
		class event.Class
		body  int
		cut   Cut
		keep  bool
	}{
		{"/fits", event.OK, 1 << 20, CutNot, true},
		{"/fits", event.OK, 1 << 20, CutNot, true},
		{"/long", event.TooLarge, 1 << 20, CutLength, false},
		{"/announced", event.TooLarge, 0, CutLength, false},
		{"/cut", event.ConnectError, 3, CutDisconnect, false},
		{"/header", event.ConnectError, 0, CutNot, false},
	} {
		a := get(c, s.at(test.path))
		if a.Class != test.class || len(a.Body) != test.body || a.Cut != test.cut || a.Keep != test.keep {
			t.Errorf("%s: %v, %d bytes, %q, keep %v: %s", test.path, a.Class, len(a.Body), a.Cut, a.Keep, a.Note)
		}
	}
	if n := s.conns.Load(); n != 4 {
		t.Errorf("%d connections", n)
	}
}
