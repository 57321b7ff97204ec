package roster

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// at is an instant at which all clocks agree.
func at(d time.Duration) Instant { return Instant{d, d, d} }

func TestLease(t *testing.T) {
	var l Lease
	if l.Holds(at(0)) {
		t.Error("a lease holds that was never given")
	}
	sent := at(10 * time.Second)
	if !l.Renew(sent, at(12*time.Second)) {
		t.Fatal("a new lease does not hold")
	}
	if left := l.Left(at(12 * time.Second)); left != 25*time.Second {
		t.Errorf("%v left, want 25s: it counts from the sending", left)
	}
	if !l.Holds(at(37*time.Second-1)) || l.Holds(at(37*time.Second)) {
		t.Error("it does not end after 27 s")
	}
	if l.Renew(at(36*time.Second), at(38*time.Second)) || l.Holds(at(36*time.Second)) {
		t.Error("a lapsed lease came back")
	}
}

// An acknowledgement that arrives after the end of the lease does not bring it back, though the
// renewal was sent before.
func TestLeaseLate(t *testing.T) {
	var l Lease
	l.Renew(at(0), at(0))
	if l.Renew(at(26*time.Second), at(28*time.Second)) {
		t.Error("it came back")
	}
}

func TestLeaseClocks(t *testing.T) {
	for _, x := range []Instant{{27 * time.Second, 0, 0}, {0, 27 * time.Second, 0}, {0, -1, 27 * time.Second}} {
		var l Lease
		l.Renew(at(0), at(0))
		if l.Holds(x) {
			t.Errorf("it holds at %+v", x)
		}
	}
}

func TestEpoch(t *testing.T) {
	if e := Epoch(7, Instant{Wall: 5 * time.Second}); e != 5000 {
		t.Errorf("%d, want the calendar", e)
	}
	if e := Epoch(9000, Instant{Wall: 5 * time.Second}); e != 9001 {
		t.Errorf("%d, want the next number", e)
	}
	if e := Epoch(3, Instant{Wall: -time.Hour}); e != 4 {
		t.Errorf("%d before 1970", e)
	}
}

func TestDeaths(t *testing.T) {
	r := New("a", 4)
	r.SeeNode("a", 1, Node{Incarnation: 1}, at(0))
	r.SeeNode("b", 2, Node{Incarnation: 5}, at(0))
	if list := r.Deaths(at(33 * time.Second)); list != nil {
		t.Errorf("buried too early: %v", list)
	}
	if list := r.Deaths(Instant{33 * time.Second, time.Hour, time.Hour}); list != nil {
		t.Errorf("the calendar buried %v", list)
	}
	if list := r.Deaths(at(33*time.Second + 1)); !slices.Equal(list, []Death{{"b", 2, 5}}) {
		t.Errorf("deaths %v", list)
	}
	r.SeeNode("b", 2, Node{Incarnation: 5}, at(30*time.Second)) // the same again
	if list := r.Deaths(at(34 * time.Second)); len(list) != 1 {
		t.Error("a key that was read again counts as changed")
	}
	r.SeeNode("b", 3, Node{Incarnation: 5}, at(30*time.Second))
	if list := r.Deaths(at(34 * time.Second)); list != nil {
		t.Errorf("buried though it renewed: %v", list)
	}
}

func TestClaims(t *testing.T) {
	r := New("a", 2)
	r.SeePart(0, 3, Part{"b", 5, 10}, at(0))
	if r.Claims(1) != nil {
		t.Error("it takes partitions before its own key was seen")
	}
	r.SeeNode("a", 1, Node{Incarnation: 1}, at(0))
	r.SeeNode("b", 2, Node{Incarnation: 5, Without: []int{0, 1}}, at(0)) // so all is for a
	if list := r.Claims(1); !slices.Equal(list, []int{1}) {
		t.Errorf("claims %v, want 1: 0 has an owner", list)
	}
	if r.Claims(2) != nil {
		t.Error("another incarnation takes partitions")
	}
	r.SeeNode("b", 4, Node{Incarnation: 5, Gone: true}, at(0))
	if list := r.Claims(1); !slices.Equal(list, []int{0, 1}) {
		t.Errorf("claims %v after the burial", list)
	}
	r.SeePart(0, 5, Part{"b", 6, 11}, at(0))
	if list := r.Claims(1); !slices.Equal(list, []int{1}) {
		t.Errorf("claims %v: the burial was of an earlier incarnation", list)
	}
	r.SeeNode("b", 6, Node{Incarnation: 7}, at(0))
	if list := r.Claims(1); !slices.Equal(list, []int{0, 1}) && r.Named(0) == "a" {
		t.Errorf("claims %v: the owner has a later incarnation", list)
	}
}

// The owner of a partition may have lost its key.
func TestOwnerWithoutKey(t *testing.T) {
	r := New("a", 1)
	r.SeeNode("a", 1, Node{Incarnation: 1}, at(0))
	r.SeePart(0, 3, Part{"b", 5, 10}, at(0))
	if r.Claims(1) != nil {
		t.Error("taken at once")
	}
	if list := r.Deaths(at(TTL + Margin + 1)); !slices.Equal(list, []Death{{"b", 0, 5}}) {
		t.Errorf("deaths %v", list)
	}
}

// When a node goes, only its partitions change hands; when it comes, it only takes.
func TestNamedStable(t *testing.T) {
	r := New("a", 64)
	for i := range 5 {
		r.SeeNode(fmt.Sprint("node", i), 1, Node{Incarnation: 1}, at(0))
	}
	count := map[string]int{}
	before := make([]string, 64)
	for p := range before {
		before[p] = r.Named(p)
		count[before[p]]++
	}
	if len(count) != 5 {
		t.Errorf("not all nodes get partitions: %v", count)
	}
	r.SeeNode("node2", 2, Node{Incarnation: 1, Gone: true}, at(0))
	for p, was := range before {
		if now := r.Named(p); now != was && was != "node2" || now == "node2" {
			t.Errorf("%d goes from %s to %s", p, was, now)
		}
	}
}

func TestGive(t *testing.T) {
	r := New("a", 1)
	r.SeeNode("a", 1, Node{Incarnation: 1, Without: []int{0}}, at(0))
	r.SeePart(0, 2, Part{"a", 1, 9}, at(0))
	if r.Give(1, at(time.Hour)) != -1 {
		t.Error("given to nobody")
	}
	r.SeeNode("b", 3, Node{Incarnation: 1}, at(time.Second))
	if p := r.Give(1, at(Patience)); p != -1 {
		t.Error("given too early")
	}
	if p := r.Give(1, at(Patience+time.Second)); p != 0 {
		t.Error("not given")
	}
	if p := r.Give(2, at(Patience+time.Second)); p != -1 {
		t.Error("given by another incarnation")
	}
}

// A register that has lost its tail names an earlier owner.
func TestForgotten(t *testing.T) {
	a, b := New("a", 1), New("b", 1)
	for _, r := range []*Roster{a, b} {
		r.SeeNode("a", 1, Node{Incarnation: 1}, at(0))
		r.SeeNode("b", 2, Node{Incarnation: 1}, at(0))
		r.SeePart(0, 3, Part{"a", 1, 10}, at(0))
		r.SeePart(0, 4, Part{"b", 1, 11}, at(0))
		r.SeePart(0, 3, Part{"a", 1, 10}, at(0))
	}
	if a.Claims(1) != nil || len(a.Forgotten(1)) > 0 {
		t.Error("the earlier owner takes it back")
	}
	if list := b.Forgotten(1); !slices.Equal(b.Claims(1), []int{0}) || list[0] != 3 {
		t.Errorf("the owner does not know: %v", list)
	}
	b.SeePart(0, 4, Part{"b", 1, 11}, at(0))
	if len(b.Forgotten(1)) > 0 {
		t.Error("the register knows again")
	}
}

// What a copy of the register says that is behind does not count, unless the register says it of
// itself: it has lost its tail.
func TestReadBehind(t *testing.T) {
	r := New("a", 1)
	r.SeeNode("a", 1, Node{Incarnation: 1}, at(0))
	r.SeeNode("b", 5, Node{Incarnation: 1, Gone: true}, at(0))
	r.SeePart(0, 8, Part{Node: "b", Incarnation: 1, Epoch: 7}, at(0))
	r.ReadNode("b", 4, Node{Incarnation: 1}, at(1))
	if list := r.Claims(1); len(list) != 1 {
		t.Errorf("claims after an old value of a node: %v", list)
	}
	r.SeePart(0, 9, Part{Epoch: 7}, at(0)) // it was let go
	if r.ReadPart(0, 8, Part{Node: "b", Incarnation: 1, Epoch: 7}, at(1)) {
		t.Error("an old value of a partition counts")
	}
	if list := r.Claims(1); len(list) != 1 {
		t.Errorf("claims: %v", list)
	}
	r.SeeNode("b", 4, Node{Incarnation: 1}, at(1))
	r.SeePart(0, 8, Part{Node: "b", Incarnation: 1, Epoch: 7}, at(1))
	if list := r.Claims(1); len(list) != 0 {
		t.Errorf("claims after the register has lost its tail: %v", list)
	}
}
