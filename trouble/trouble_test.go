package trouble

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		class  event.Class
		status int
		want   Kind
	}{
		{event.OK, 200, None}, {event.Redirect, 301, None}, {event.HTTPError, 404, None}, {event.TooLarge, 200, None},
		{event.ServerError, 500, Breakdown}, {event.ServerError, 502, Breakdown}, {event.ServerError, 503, Pushback}, {event.ServerError, 429, Pushback},
		{event.DNSError, 0, Silence}, {event.ConnectError, 0, Silence}, {event.TLSError, 0, Silence}, {event.Timeout, 0, Silence},
		{event.RobotsRefused, 0, None}, {event.Trap, 0, None},
	} {
		if got := Of(c.class, c.status); got != c.want {
			t.Errorf("%v with status %d is %v, want %v", c.class, c.status, got, c.want)
		}
	}
}

// A page is given up after its retries, if its site answered in between, and only then.
func TestFail(t *testing.T) {
	r := &Rules{Retries: 2, Delay: 10 * time.Second}
	var c Count
	again := true
	if c, again = r.Fail(c, Silence, 7, true); !again || c.N != 0 {
		t.Errorf("the first failure is our fault and counts: %+v %v", c, again)
	}
	for i := range 50 { // nothing answers
		if c, again = r.Fail(c, Silence, 7, false); !again {
			t.Fatalf("given up at failure %d though its site is silent", i+1)
		}
	}
	for i := range 50 { // we are cut off
		if c, again = r.Fail(c, Silence, uint32(8+i), true); !again {
			t.Fatalf("given up at failure %d though it is our fault", i+1)
		}
	}
	if c, again = r.Fail(c, Breakdown, 58, false); !again || c.N != 2 {
		t.Errorf("after the second failure that counts: %+v %v", c, again)
	}
	if c, again = r.Fail(c, Breakdown, 58, false); !again || c.N != 2 {
		t.Errorf("nothing answered since: %+v %v", c, again)
	}
	if c, again = r.Fail(c, Pushback, 60, false); !again || c.N != 2 {
		t.Errorf("two answers prove nothing of a page that is turned down: %+v %v", c, again)
	}
	if c, again = r.Fail(c, Breakdown, 59, false); again || c.N != 3 {
		t.Errorf("after the third failure that counts: %+v %v", c, again)
	}
}

func TestWaits(t *testing.T) {
	r := &Rules{Delay: 10 * time.Second}
	last := time.Duration(0)
	for n := uint8(1); n < 5; n++ {
		d := r.PageWait(Count{All: n}, 3, 0)
		if d < last*2 || d < 10*time.Second {
			t.Errorf("wait %v after %v", d, last)
		}
		last = d
	}
	if d := r.PageWait(Count{All: 1}, 3, 10*time.Minute); d <= 20*time.Minute {
		t.Errorf("wait %v where requests are ten minutes apart: no other page has its turn", d)
	}
	for n := range 100 {
		if d := r.NameWait(n, 5); d < 30*time.Second || d > MaxWait*5/4 {
			t.Errorf("name: wait %v after %d failures", d, n)
		}
	}
}

func all(graph.Site) bool { return true }

// An outage is believed only when a site that answered before does not answer either.
func TestOutage(t *testing.T) {
	var x Outage
	now := time.Duration(0)
	fail := func(n int) {
		for i := range n {
			now += time.Second
			if x.Note(now, graph.Site(100+i), false) {
				t.Fatal("cut off, and nobody was asked")
			}
		}
	}
	fail(50)
	if _, ok := x.Witness(now, all); ok || x.On() {
		t.Fatal("nothing ever answered: there is nobody to ask")
	}
	x.Note(now, 7, true)
	fail(doubtAfter - 1)
	if _, ok := x.Witness(now, all); ok {
		t.Fatal("a doubt after too few failures")
	}
	fail(1)
	s, ok := x.Witness(now, all)
	if !ok || s != 7 {
		t.Fatalf("asked %d %v, want site 7", s, ok)
	}
	x.Note(now, 7, true) // it answers: the others are down
	fail(50)
	if _, ok := x.Witness(now, all); ok || x.On() {
		t.Fatal("another doubt at once")
	}
	now += doubtPause
	if s, ok = x.Witness(now, all); !ok || s != 7 {
		t.Fatalf("asked %d %v after a while, want site 7", s, ok)
	}
	if !x.Note(now, 7, false) || !x.On() {
		t.Fatal("it does not answer, and we are not cut off")
	}
	asked := 0
	for end := now + time.Hour; now < end; now += time.Second {
		if _, ok := x.Witness(now, all); ok {
			asked++
			x.Note(now, 7, false)
		}
	}
	if !x.On() || asked < 10 || asked > 30 {
		t.Errorf("asked %d times in an hour, cut off: %v", asked, x.On())
	}
	if x.Note(now, 300, true); x.On() {
		t.Error("something answered, and we are cut off still")
	}
}

// Errors of TLS at many sites in a row are a reason to ask.
func TestCaseTLSClass(t *testing.T) {
	if !Passes(event.TLSError) {
		t.Error("an error of TLS is final")
	}
	var x Outage
	x.Note(0, 1, true)
	for i := range 100 {
		x.Note(time.Duration(i)*time.Second, graph.Site(i+2), Of(event.TLSError, 0) == None)
	}
	if _, ok := x.Witness(100*time.Second, all); !ok {
		t.Error("100 errors of TLS at 100 sites in a row raise no doubt")
	}
}

// Witnesses that cannot be requested are skipped, and the three that answered last count.
func TestWitnesses(t *testing.T) {
	var x Outage
	for s := range graph.Site(6) {
		x.Note(0, s, true)
	}
	for range doubtAfter {
		x.Note(0, 50, false)
	}
	if s, ok := x.Witness(0, func(s graph.Site) bool { return s < 4 }); !ok || s != 3 {
		t.Errorf("asked %d %v, want site 3", s, ok)
	}
	x.Forget()
	if s, ok := x.Witness(0, func(s graph.Site) bool { return s < 3 }); ok {
		t.Errorf("asked %d, which did not answer last", s)
	}
}
