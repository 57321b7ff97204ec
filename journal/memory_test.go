package journal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

func small() *Memory {
	var m Memory
	m.Append(0, &event.Event{Kind: event.Seed, New: []graph.Site{0, 1}})
	m.Append(3, &event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Page: 0}})
	m.Append(8, &event.Event{Kind: event.Done, Task: event.Task{Page: 0}, New: []graph.Site{1, 2}, Links: []graph.Page{1, 2, 3}})
	m.Append(9, &event.Event{Kind: event.Done, Task: event.Task{Page: 1}, New: []graph.Site{2}})
	return &m
}

func TestMemory(t *testing.T) {
	m := small()
	var kinds []event.Kind
	var at []time.Duration
	pages := 0
	err := m.Each(func(seq uint64, now time.Duration, e *event.Event) error {
		if int(seq) != len(kinds) {
			t.Errorf("record %d has number %d", len(kinds), seq)
		}
		kinds, at, pages = append(kinds, e.Kind), append(at, now), pages+len(e.New)
		return nil
	})
	if err != nil || len(kinds) != m.Len() || kinds[2] != event.Done || at[3] != 9 || pages != 5 {
		t.Errorf("%v %v, %d pages, %v", kinds, at, pages, err)
	}
	stop := errors.New("stop")
	if err := m.Each(func(uint64, time.Duration, *event.Event) error { return stop }); err != stop {
		t.Errorf("the error of the caller came back as %v", err)
	}
	var empty Memory
	if err := empty.Each(nil); err != nil || len(empty.Bytes()) != 0 {
		t.Errorf("empty journal: %v", err)
	}
}

// A journal with a hole, a foreign start or a torn end says so, with the place.
func TestEachRefuses(t *testing.T) {
	whole := small().Bytes()
	var ends []int
	var r Record
	for at := header; at < len(whole); {
		n, err := Decode(whole[at:], &r)
		if err != nil {
			t.Fatal(err)
		}
		at += n
		ends = append(ends, at)
	}
	jump := Encode(bytes.Clone(whole), &Record{Seq: 4, First: 7, Event: event.Event{Kind: event.Seed, New: []graph.Site{0}}})
	for _, c := range []struct {
		name, want string
		b          []byte
	}{
		{"nothing", `does not begin with "WJNL"`, nil},
		{"another file", `does not begin with "WJNL"`, []byte("WCOL\x01\x00\x00\x00")},
		{"another version", "version 3", append([]byte("WJNL\x03\x00\x00\x00"), whole[header:]...)},
		{"a record is gone", "record 1 at byte", append(bytes.Clone(whole[:ends[0]]), whole[ends[1]:]...)},
		{"pages are gone", "its first page is 7, but 5 are known", jump},
		{"the end is gone", "record 3 at byte", whole[:len(whole)-1]},
	} {
		err := Each(c.b, func(uint64, time.Duration, *event.Event) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
