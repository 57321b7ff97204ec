package member

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/winnow-crawler/winnow/fakeweb"
)

// A NATS server that is not ours takes the place of brokers, by a user and a password.
func TestExternal(t *testing.T) {
	t.Parallel()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), SyncAlways: true, NoSigs: true, NoLog: true, Username: "me", Password: "pass",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	place := func(user string) Place {
		p, err := ParsePlace(fmt.Sprintf("nats://%s:pass@%s", user, s.Addr()))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	_, err = Connect(t.Context(), place("other"))
	hinted(t, err, "refuses the user", "other:xxxxx@")
	_, err = Connect(t.Context(), place("me"))
	hinted(t, err, "no node has joined")
	w := newWorld(t, fakeweb.Spec{Pages: 60, Sites: 6, Links: 400, Seed: 7})
	p, o := place("me"), w.options("a", filepath.Join(t.TempDir(), "a"))
	o.Join = &p
	w.start(o)
	var c *Cluster
	for range 100 {
		if c, err = Connect(t.Context(), p); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const delay = 20 * time.Millisecond
	x, err := c.Create(t.Context(), "one", w.plan(2, delay))
	if err != nil {
		t.Fatal(err)
	}
	if v := w.follow(x); v.Ended != "finished" || v.Status.Fetched != 60 {
		t.Errorf("%s, %d pages", v.Ended, v.Status.Fetched)
	}
	w.check(x, delay)
	if err := w.stops["a"](); err != nil {
		t.Error(err)
	}
}

// Brokers are the first of an odd number of nodes, and a node finds itself among its peers.
func TestSeats(t *testing.T) {
	all := []string{"a:1", "b", "c:3", "[::1]:4", "e:5", "f:6"}
	for _, x := range []struct {
		listen        string
		peers         []string
		brokers, self int
	}{
		{"a:1", nil, 1, 0}, {"a:1", all[:2], 1, 0}, {"b:7420", all[:2], 1, -1}, {"c:3", all[:3], 3, 2}, {"[::1]:4", all[:4], 3, -1},
		{"e:5", all[:5], 5, 4}, {"f:6", all, 5, -1},
	} {
		s, err := seats(x.listen, x.peers)
		if err != nil || len(s.brokers) != x.brokers || s.self != x.self {
			t.Errorf("%s of %v: %+v, %v", x.listen, x.peers, s, err)
		}
	}
	_, err := seats("x:1", all)
	hinted(t, err, "not among --peers")
	for _, bad := range []string{"", "a:0", "a:65535", "a:x", "a b", "nats://", "http://a:1", "nats://a,b"} {
		if _, err := ParsePlace(bad); err == nil {
			t.Errorf("%q is a place", bad)
		}
	}
	for _, bad := range []string{"", "a.b", "a/b", "..", "ä", "a b"} {
		hinted(t, checkName("crawl", bad), "cannot be the name")
	}
}
