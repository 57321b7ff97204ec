package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Validators of pages that change at each visit take no more and more memory, and where
// there is no room for more there are none.
func TestValidators(t *testing.T) {
	var set graph.Set
	defer set.Free()
	v := newValidators(&set, 10)
	for visit := range 1000 {
		f := journal.Facts{ETag: fmt.Sprintf("%04d", visit), Modified: "Sun, 15 Nov 2026 10:00:00 GMT"}
		v.note(3, &f)
		if etag, modified := v.Of(3); etag != f.ETag || modified != f.Modified {
			t.Fatalf("visit %d: %q and %q are kept", visit, etag, modified)
		}
	}
	if n := v.texts.Len(); n != 35 {
		t.Errorf("%d bytes are taken", n)
	}
	long := journal.Facts{ETag: strings.Repeat("x", 1100)}
	v.note(4, &long)
	v.note(5, &long) // 1,280 bytes are all there is
	v.note(3, &long)
	for p, want := range []string{3: "", 4: long.ETag, 5: ""} {
		if etag, _ := v.Of(graph.Page(p)); etag != want {
			t.Errorf("page %d has a validator of %d bytes, want %d", p, len(etag), len(want))
		}
	}
}
