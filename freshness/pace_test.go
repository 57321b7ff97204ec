package freshness

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// newPaced returns a pacer over pages of weight 1 that were fetched at once.
func newPaced(t *testing.T, pages int, d Division) *Pacer {
	t.Helper()
	a, err := Choose("marginal")
	if err != nil {
		t.Fatal(err)
	}
	p := New(Options{Allocation: a, Every: time.Duration(pages) * time.Hour, MaxPages: pages, Batch: 10})
	t.Cleanup(p.Free)
	p.AddPlace(-1)
	for i := range pages {
		p.Fetched(0, graph.Page(i), 0, 1, 0)
	}
	v := NewPacer(p, d, 0)
	return &v
}

// A hundred pages in a hundred hours: a visit an hour, and the next look is when it is due.
func TestPace(t *testing.T) {
	v := newPaced(t, 100, Division{})
	if list, again := v.Look(1, Traffic{}); len(list) != 0 || again < time.Hour || again > time.Hour+2*time.Second {
		t.Errorf("at the beginning: %v, again at %v", list, again)
	}
	if list, _ := v.Look(3*time.Hour+time.Minute, Traffic{New: 7}); len(list) != 3 {
		t.Errorf("%d visits in three hours", len(list))
	}
	if list, _ := v.Look(20*time.Hour, Traffic{Again: paceMost}); len(list) != 0 {
		t.Errorf("%d visits although a thousand wait", len(list))
	}
}

// A quarter of the hand-outs while new pages wait, otherwise the pace.
func TestPaceShare(t *testing.T) {
	v := newPaced(t, 100, Division{Shared: true, Share: 0.25})
	v.Look(1, Traffic{})
	if list, _ := v.Look(time.Minute, Traffic{Taken: 8, New: 1}); len(list) != 2 {
		t.Errorf("%d visits after eight hand-outs", len(list))
	}
	if list, _ := v.Look(time.Hour+2*time.Minute, Traffic{Taken: 8}); len(list) != 1 {
		t.Errorf("%d visits in an hour without new pages", len(list))
	}
}

// A share of 0 is none: no visits while new pages wait, otherwise the pace.
func TestPaceNoShare(t *testing.T) {
	v := newPaced(t, 100, Division{Shared: true})
	v.Look(1, Traffic{})
	for i := range int64(50) {
		if list, _ := v.Look(time.Duration(i)*time.Hour, Traffic{Taken: i, New: 1}); len(list) != 0 {
			t.Fatalf("%d visits after %d hand-outs", len(list), i)
		}
	}
	if list, _ := v.Look(52*time.Hour, Traffic{Taken: 49}); len(list) != 3 {
		t.Errorf("%d visits in three hours without new pages", len(list))
	}
}

// New pages that wait on sites that cannot be reached do not keep visits from their pace.
func TestPaceDry(t *testing.T) {
	v := newPaced(t, 100, Division{Shared: true, Share: 0.25})
	visits := 0
	for i := range 200 {
		list, _ := v.Look(time.Duration(i)*time.Minute, Traffic{Taken: min(int64(i)/2, 20), New: 3})
		visits += len(list)
	}
	if visits < 6 || visits > 8 { // a quarter of twenty hand-outs, then one an hour for two hours
		t.Errorf("%d visits", visits)
	}
}

// What gains more is handed out. All pages have the same rate, so a copy gains at most its
// weight by its rate, and a new page gains as much.
func TestPaceCompete(t *testing.T) {
	v := newPaced(t, 100, Division{Compete: true})
	late := 10000 * time.Hour // the copies are certainly out of date
	v.Look(late-1, Traffic{New: 1})
	visits := 0
	for i := range 100 { // hand-outs in a minute
		list, _ := v.Look(late+time.Duration(i)*time.Minute/100, Traffic{Taken: int64(i), New: 1})
		visits += len(list)
	}
	if visits != 0 {
		t.Errorf("%d visits of pages that gain no more than new ones", visits)
	}
	for i := range 101 { // a hand-out an hour
		list, _ := v.Look(late+time.Duration(i+1)*time.Hour, Traffic{Taken: int64(100 + i), New: 1})
		visits += len(list)
	}
	if visits != 5 { // a twentieth of the pace, which is one an hour
		t.Errorf("%d visits to learn", visits)
	}
	v.Plan.SetWeight(5, 50)
	v.Plan.round.left = 0 // the next round is due
	list, _ := v.Look(late+102*time.Hour, Traffic{Taken: 201, New: 1})
	if len(list) == 0 || list[0] != 5 {
		t.Errorf("visits of %v, want the page that gains more first", list)
	}
}
