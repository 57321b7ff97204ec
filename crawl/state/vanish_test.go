package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// revisited returns a state with a site of which all pages were fetched.
func revisited(t *testing.T, pages int) *State {
	c := config.Default()
	c.Recrawl, c.Revisit = config.Duration{Duration: 100 * time.Hour}, "default"
	s := newStateBy(t, &c)
	f := &folded{t: t, s: s}
	r := f.begin(event.Seed)
	for i := range pages {
		s.Seed(r, fmt.Sprintf("http://a.example/%d", i))
	}
	f.apply()
	for p := range graph.Page(pages) {
		s.Revisits.Fetched(0, p, s.Revisits.place(p), 1, 7)
	}
	return s
}

// Of the pages of a site that answers 404 to everything, three count as gone. After a day all do,
// and while it lasts it is not tried twice whether they are back.
func TestVanished(t *testing.T) {
	const pages = 20
	s := revisited(t, pages)
	v := s.Revisits
	gone := func() (n int) {
		for p := range graph.Page(pages) {
			if v.IsGone(p) {
				n++
			}
		}
		return n
	}
	miss := func(at time.Duration, from, to graph.Page) {
		for p := from; p < to; p++ {
			v.vanished(&event.Event{Task: event.Task{Page: p}, End: at + time.Duration(p)*time.Second})
		}
	}
	miss(time.Hour, 0, 10)
	if n := gone(); n != outageFew {
		t.Errorf("%d pages count as gone in an outage, want %d", n, outageFew)
	}
	v.found(2*time.Hour, 0)
	for p := range graph.Page(10) {
		if next, ok := v.Next(2 * time.Hour); !ok || next != p {
			t.Errorf("page %d is visited after the outage, want %d", next, p)
		}
	}
	miss(3*time.Hour, 0, 10)
	if n := gone(); n != 10 {
		t.Errorf("%d pages count as gone that were not found again, want 10", n)
	}
	v.found(4*time.Hour, 0)
	if p, ok := v.Next(4 * time.Hour); ok {
		t.Errorf("page %d is visited once more on the same day", p)
	}
	miss(40*time.Hour, 10, 15)
	miss(80*time.Hour, 15, pages)
	if n := gone(); n != 10+outageFew+5 {
		t.Errorf("%d pages count as gone after two days, want %d", n, 10+outageFew+5)
	}
}
