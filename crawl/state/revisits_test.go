package state

import (
	"fmt"
	"testing"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/policy/group"
)

// More directories than there is room for are those above them, or the first of all.
func TestDirectoriesFull(t *testing.T) {
	const room = 5
	v := &revisits{Plan: freshness.New(freshness.Options{MaxPages: room}), dirs: group.NewTable("test", room), room: room}
	defer v.Plan.Free()
	defer v.dirs.Free()
	deep := v.directory(0, []byte("/a/b"))
	if deep != 2 || v.directory(0, []byte("/a/b")) != deep {
		t.Errorf("directory %d, want 2", deep)
	}
	for i := range 100 {
		if n := v.directory(0, fmt.Appendf(nil, "/a/b/%d/x", i)); n >= room || n < deep {
			t.Fatalf("directory %d is number %d", i, n)
		}
	}
	if n := v.directory(7, nil); n != 0 {
		t.Errorf("another site is number %d", n)
	}
}
