package crawl

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// A socksServer is a SOCKS5 proxy in memory, with user and password (RFC 1928, RFC 1929).
type socksServer struct {
	dial func(ctx context.Context, network, addr string) (net.Conn, error)
	gone string // a host that cannot be reached

	mu      sync.Mutex
	logins  []string
	targets map[string]int // connections so far
	open    map[string]int
	most    int // connections to one target at a time
}

func (s *socksServer) serve(c net.Conn) {
	defer c.Close()
	target, ok := s.greet(c)
	if !ok {
		return
	}
	s.count(target, 1)
	defer s.count(target, -1)
	to, err := s.dial(context.Background(), "tcp", target)
	if err != nil {
		return
	}
	go func() { io.Copy(to, c); to.Close() }()
	io.Copy(c, to)
}

// greet reads login and target, and accepts both.
func (s *socksServer) greet(c net.Conn) (target string, ok bool) {
	read := func(n int) []byte {
		b := make([]byte, n)
		io.ReadFull(c, b)
		return b
	}
	read(int(read(2)[1])) // methods
	c.Write([]byte{5, 2}) // user and password
	user := read(int(read(2)[1]))
	password := read(int(read(1)[0]))
	c.Write([]byte{1, 0})
	head := read(4)
	if head[3] != 3 { // not a name
		c.Write([]byte{5, 8, 0, 1, 0, 0, 0, 0, 0, 0})
		return "", false
	}
	host := string(read(int(read(1)[0])))
	target = net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(read(2)))))
	s.mu.Lock()
	s.logins = append(s.logins, string(user)+":"+string(password))
	s.mu.Unlock()
	if host == s.gone {
		c.Write([]byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0})
		return "", false
	}
	c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	return target, true
}

func (s *socksServer) count(target string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[target] += n
	s.targets[target] += max(n, 0)
	s.most = max(s.most, s.open[target])
}

// Through a SOCKS5 proxy names go to the proxy, which gets the login, and requests are as
// polite as without it.
func TestSocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines, times := map[string]bool{}, map[string][]time.Time{}
		var mu sync.Mutex
		hosts := map[string]http.HandlerFunc{}
		for _, name := range []string{"a.example", "b.example"} {
			hosts[name] = func(rw http.ResponseWriter, r *http.Request) {
				mu.Lock()
				times[name] = append(times[name], time.Now())
				lines[r.RequestURI] = true
				mu.Unlock()
				ownPage("/1", "/2", "/a|b", "http://b.example/", "http://gone.example/")(rw, r)
			}
		}
		w := newHandWeb(t, hosts, "http://a.example/")
		s := &socksServer{dial: w.o.Machine.Dial, gone: "gone.example", targets: map[string]int{}, open: map[string]int{}}
		w.o.Machine.Dial = func(_ context.Context, _, addr string) (net.Conn, error) {
			if addr != "socks.example:1080" {
				t.Errorf("connected to %s", addr)
			}
			a, b := net.Pipe()
			go s.serve(b)
			return a, nil
		}
		w.o.Config.Proxy, w.o.Config.Scope = "socks5://me:s3cret@socks.example:1080", "any"
		w.o.Config.Patience.Duration = time.Minute
		sum := w.run(t)
		if sum.Fetched != 8 || sum.Why != "unreachable" || len(sum.Unreachable) != 1 || !strings.Contains(sum.Unreachable[0].Why, "socks") {
			t.Errorf("fetched %d, %s, unreachable %+v, failed %v", sum.Fetched, sum.Why, sum.Unreachable, sum.FailedBy)
		}
		if s.targets["a.example:80"] == 0 || s.targets["b.example:80"] == 0 || s.most != 1 || s.logins[0] != "me:s3cret" {
			t.Errorf("connections %v, at most %d at a time, logins %q", s.targets, s.most, s.logins[:1])
		}
		for host, list := range times {
			for i := 1; i < len(list); i++ {
				if gap := list[i].Sub(list[i-1]); gap < 2*time.Second {
					t.Errorf("%s: %v between two requests", host, gap)
				}
			}
		}
		if !lines["/"] || !lines["/a|b"] || len(lines) != 5 {
			t.Errorf("servers received %v", lines)
		}
		if sum.FailedBy[event.DNSError.String()] > 0 {
			t.Error("a name was looked up")
		}
		clean(t, w.verify(t))
	})
}
