package crawl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A storm is a week in which everything goes wrong in turn. What goes wrong when stands in
// storms.
type storm struct {
	*testWeb
	root   *disk.Memory
	began  time.Time
	portal pipeListener
	runs   map[string]int // by why they ended
}

// storms are hours of the week and what goes wrong then.
var storms = []struct {
	from, to float64
	what     string
}{
	{3, 7, "no network"}, {9, 12, "no such name"}, {14, 17, "private address"}, {19, 22, "portal redirects"}, {24, 27, "portal page"},
	{29, 33, "wrong clock"}, {36, 50, "half of the sites are down"}, {50, 60, "memory full"}, {62, 70, "broken"}, {72, 96, "rate limits"},
	{98, 100, "silence"}, {102, 103, "no network"}, {104, 105, "no such name"}, {106, 130, "half of the sites are down"},
}

// now is what goes wrong at this moment, "" nothing.
func (s *storm) now() string {
	h := time.Since(s.began).Hours()
	for _, x := range storms {
		if h >= x.from && h < x.to {
			return x.what
		}
	}
	return ""
}

// TestStorm lets a week go by in which there is no network, the resolver lies, a portal
// answers for everybody, the clock is wrong, half of the sites are down, servers break down
// or limit the rate, memory and disk are full, and the crawl is killed again and again. Whoever runs
// it starts it again when it ends. Afterwards every wanted page is there, once, and no rule
// was broken by the server's count.
func TestStorm(t *testing.T) {
	t.Parallel()
	long(t)
	synctest.Test(t, func(t *testing.T) {
		s := newStorm(t)
		for i := 0; time.Since(s.began) < 7*24*time.Hour; i++ {
			s.session(t, i)
			time.Sleep(20 * time.Minute)
		}
		s.root.Stop(-1)
		s.root.FailWrite(0, nil)
		sum := s.run(t)
		t.Logf("runs ended by %v; at the end %s with %d pages, %d failed by %v, %d refused by %v", s.runs, sum.Why, sum.Fetched, sum.Failed,
			sum.FailedBy, sum.Refused, sum.RefusedBy)
		if sum.Why != whyFinished {
			t.Errorf("after the storm the crawl ends by %s; %v", sum.Why, sum.Unreachable)
		}
		s.checkStorm(t)
		s.disk = memoryDisk{layout.JournalDir: s.root.Sub(layout.JournalDir), layout.URLDir: s.root.Sub(layout.URLDir), layout.SnapshotDir: s.root.Sub(layout.SnapshotDir), layout.ArchiveDir: s.root.Sub(layout.ArchiveDir)}
		for _, f := range s.verify(t).List {
			t.Errorf("verify: %+v", f)
		}
	})
}

func newStorm(t *testing.T) *storm {
	s := &storm{testWeb: newTestWeb(t, 1200, 40, answer.Options{HTTPS: 0.4}), root: disk.NewMemory(), began: time.Now(), portal: make(pipeListener), runs: map[string]int{}}
	server := &http.Server{Handler: http.HandlerFunc(s.answer)}
	go server.Serve(s.portal)
	t.Cleanup(func() { server.Close() })
	s.o.Config.Delay = config.Duration{Duration: 90 * time.Minute}
	s.o.Machine.Heap = func() Heap { // other goroutines have taken all there is
		if s.now() == "memory full" {
			return Heap{Live: int64(s.o.Config.MaxMemory)}
		}
		return Heap{}
	}
	s.o.Machine.Disk = func(name string) (disk.Dir, error) { return s.root.Sub(name), nil }
	resolve, dial := s.o.Machine.Resolve, s.o.Machine.Dial
	s.o.Machine.Resolve = func(ctx context.Context, host string) (fetch.Names, error) {
		switch s.now() {
		case "no network":
			return fetch.Names{}, fetch.ErrTemporary
		case "no such name":
			return fetch.Names{}, fetch.ErrNoName
		case "private address":
			return fetch.Names{Addrs: []netip.Addr{netip.MustParseAddr("169.254.1.1")}, TTL: time.Hour}, nil
		}
		n, err := resolve(ctx, host)
		if err != nil {
			err = fetch.ErrNoName // such as the portal's, which is gone
		}
		n.TTL = 30 * time.Minute
		return n, err
	}
	s.o.Machine.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		switch now := s.now(); {
		case now == "no network", now == "half of the sites are down" && strings.HasSuffix(host(addr), "2"):
			return nil, errors.New("network is unreachable")
		case now == "silence":
			<-ctx.Done()
			return nil, ctx.Err()
		case strings.HasPrefix(now, "portal"), now == "broken", now == "rate limits" && time.Now().Unix()%3 > 0:
			return s.portal.dial(ctx, network, addr)
		}
		return dial(ctx, network, addr)
	}
	c := s.o.Machine.TLS.Clone()
	c.Time = func() time.Time {
		if s.now() == "wrong clock" {
			return time.Now().AddDate(-50, 0, 0)
		}
		return time.Now()
	}
	s.o.Machine.TLS = c
	return s
}

// host is the address without its port.
func host(addr string) string {
	h, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return h
}

// answer is what stands in the way says: a portal, or a server in front of all sites.
func (s *storm) answer(rw http.ResponseWriter, r *http.Request) {
	switch s.now() {
	case "portal redirects":
		http.Redirect(rw, r, "http://portal.test/login", http.StatusFound)
	case "portal page":
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, "<title>Welcome</title><p>Please <a href=http://portal.test/login>log in</a>")
	case "rate limits":
		rw.WriteHeader(http.StatusTooManyRequests)
	default:
		rw.WriteHeader(http.StatusBadGateway)
	}
}

// session runs the crawl until it ends, is killed, or its disk is full.
func (s *storm) session(t *testing.T, i int) {
	t.Helper()
	s.root.Stop(-1)
	s.root.FailWrite(0, nil)
	switch i % 4 {
	case 1: // kill -9 or a power loss, after some hundred steps of the disk
		s.root.Stop(20 + 37*i%150)
	case 3: // a full disk
		s.root.FailWrite(10+13*i%60, syscall.ENOSPC)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 7*time.Hour)
	defer cancel()
	sum, err := Run(ctx, s.o)
	switch {
	case err == nil:
		s.runs[sum.Why]++
	case errors.Is(err, disk.ErrStopped):
		s.runs["killed"]++
		if i%8 == 1 {
			s.root = s.root.Kill()
		} else {
			s.root = s.root.Crash(uint64(i))
		}
	case errors.Is(err, syscall.ENOSPC):
		s.runs["full disk"]++
	default:
		t.Fatalf("session %d: %v", i, err)
	}
}

// checkStorm holds what the server saw against what a crawl has to do. What was not on disk
// when the crawl was killed, or its disk was full, is asked for again: a page of each of the
// 40 sites at most.
func (s *storm) checkStorm(t *testing.T) {
	t.Helper()
	c, repeats := &s.o.Config, 0
	demands := count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressDelay: c.IPDelay.Duration, AddressCap: c.IPCap}
	seen := s.server.Counter()
	found := append(seen.Check(demands), seen.CheckWanted(s.server.Wanted(answer.Limits{Sitemaps: true, MaxBody: int(c.MaxBody)}))...)
	for _, v := range found {
		if v.Kind == count.Repeated {
			repeats++
			continue
		}
		t.Error(v)
	}
	if s.runs[whyMemory] == 0 {
		t.Error("no run met a full memory")
	}
	crashes := s.runs["killed"] + s.runs["full disk"]
	if crashes < 5 || repeats > 40*crashes {
		t.Errorf("%d pages were asked for again after %d crashes", repeats, crashes)
	}
}
