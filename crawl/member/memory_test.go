package member

import (
	"testing"

	"github.com/winnow-crawler/winnow/crawl/history"
)

// The crawls of a node count what the others take, until those have ended.
func TestMemoryOfCrawls(t *testing.T) {
	var m memory
	one, two := m.beyond("one"), m.beyond("two")
	if n := one(100); n != 0 {
		t.Errorf("others take %d", n)
	}
	if n := two(30); n != 100 {
		t.Errorf("others take %d", n)
	}
	if n := one(110); n != 30 {
		t.Errorf("others take %d", n)
	}
	got := int64(0)
	see := func(s *history.Status) { got = s.OffHeap }
	m.progress("one", see)(&history.Status{OffHeap: 5})
	if m.progress("two", see)(&history.Status{OffHeap: 7}); got != 12 {
		t.Errorf("the columns of all take %d", got)
	}
	m.forget("one")
	m.progress("two", see)(&history.Status{OffHeap: 7})
	if n := two(30); n != 0 || got != 7 {
		t.Errorf("others take %d, the columns of all %d", n, got)
	}
	if m.progress("two", nil) != nil {
		t.Error("nobody wants to know")
	}
}
