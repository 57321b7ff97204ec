package fetch

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// A body that nobody wants is not read: of five megabytes next to nothing comes over the
// line. A short one is, and the connection is kept.
func TestUnwanted(t *testing.T) {
	for _, start := range []func(t *testing.T, h http.HandlerFunc) (*server, *Client){
		func(t *testing.T, h http.HandlerFunc) (*server, *Client) {
			return startServer(t, h, plain), client(t, Options{})
		},
		func(t *testing.T, h http.HandlerFunc) (*server, *Client) {
			s := startServer(t, h, http2)
			return s, client(t, Options{TLS: s.trust(), HTTP2: true})
		},
	} {
		s, c := start(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/javascript")
			if r.URL.Path == "/short" {
				w.Header().Set("Content-Length", "4")
				io.WriteString(w, "x();")
				return
			}
			io.WriteString(w, strings.Repeat("x();\n", 1<<20))
		})
		ask := func(path string, wants bool) *Answer {
			return c.Do(context.Background(), &Request{URL: s.at(path), Addrs: here, Wants: func(h http.Header) bool {
				return wants || h.Get("Content-Type") != "application/javascript"
			}})
		}
		if a := ask("/long", false); a.Class != event.OK || a.Cut != CutUnwanted || len(a.Body) > 0 || a.Keep || a.Bytes > 2<<20 {
			t.Errorf("%v, cut %q, %d bytes of %d, keep %t", a.Class, a.Cut, len(a.Body), a.Bytes, a.Keep)
		}
		if a := ask("/short", false); a.Class != event.OK || a.Cut != CutNot || len(a.Body) != 4 || !a.Keep {
			t.Errorf("short: %v, cut %q, %d bytes, keep %t", a.Class, a.Cut, len(a.Body), a.Keep)
		}
		if a := ask("/long", true); a.Class != event.OK || a.Cut != CutNot || len(a.Body) != 5<<20 {
			t.Errorf("wanted: %v, cut %q, %d bytes", a.Class, a.Cut, len(a.Body))
		}
	}
}
