package node

import (
	"net/netip"
	"testing"
	"time"
)

// A home grants an address to one node at a time, in the order in which they asked, and after the delay.
func TestHome(t *testing.T) {
	t.Parallel()
	addr := netip.MustParseAddr("192.0.2.1")
	now := time.Unix(1000, 0)
	dead := map[string]bool{}
	over := func(node string, _ uint64) bool { return dead[node] }
	x := newHome(3, 7, time.Second, nil)
	if x.ready(now, over) {
		t.Fatal("it grants before it knows the nodes")
	}
	x.meet(map[string]uint64{"a": 1, "b": 1, "c": 1})
	held := claim{"a", 1, 4}
	x.holds("a", []holding{{addr, held}})
	x.holds("b", nil)
	if x.ready(now, over) {
		t.Fatal("it grants before all nodes have answered")
	}
	if dead["c"] = true; !x.ready(now, over) {
		t.Fatal("it waits for a node that is dead")
	}
	ask := func(c claim) []message {
		now = now.Add(askEvery)
		return x.ask(addr, c, now, over)
	}
	b := claim{"b", 1, 1}
	if m := ask(b); len(m) != 1 || m[0].Claim != held || !m[0].Recall {
		t.Fatalf("the holder is not asked for it: %+v", m)
	}
	if m := ask(claim{"c", 1, 1}); m != nil {
		t.Fatalf("a late demand of a dead node: %+v", m)
	}
	d := claim{"d", 1, 1}
	ask(d)
	if m := x.back(addr, held, now); len(m) != 1 || m[0].Claim != b || m[0].Wait != time.Second || !m[0].Recall {
		t.Fatalf("the next one does not get it: %+v", m)
	}
	if m := x.back(addr, held, now); m != nil {
		t.Fatalf("it was given back twice: %+v", m)
	}
	if m := ask(claim{"b", 1, 2}); len(m) != 1 || m[0].Claim != d {
		t.Fatalf("who asks again has it no more: %+v", m)
	}
	dead["d"] = true
	if m := ask(claim{"b", 1, 2}); len(m) != 1 || m[0].To != "b" || m[0].Wait != time.Second || m[0].Recall {
		t.Fatalf("that of a dead node is not free: %+v", m)
	}
	if m := ask(claim{"b", 1, 1}); m != nil {
		t.Fatalf("an old demand: %+v", m)
	}
}
