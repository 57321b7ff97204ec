package graph

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSizes has sizes of some pages, by the ids of the list, in a graph and in a part of it.
func TestSizes(t *testing.T) {
	sizes := filepath.Join(t.TempDir(), "sizes")
	if err := os.WriteFile(sizes, []byte("100\n\n300\n0\n4294967294\n600\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	with := func(o *ImportOptions) { o.Sizes = sizes }
	g, _ := mustImport(t, lists{"edges": "0 1\n1 2\n2 4\n4 5\n5 7\n", "nodes": "0\n1\n2\n4\n5\n7\n"}, with)
	var got []int64
	for p := range Page(g.Pages()) {
		got = append(got, g.Size(p))
	}
	if !g.HasSizes() || !slices.Equal(got, []int64{100, 0, 300, 4294967294, 600, 0}) || g.SizedPages() != 4 {
		t.Errorf("sizes %v of %d pages", got, g.SizedPages())
	}
	part := filepath.Join(t.TempDir(), "part.wg")
	if err := Write(context.Background(), g.Extract(func(p Page) bool { return p != 0 }).Source("part", ""), WriteOptions{Path: part}); err != nil {
		t.Fatal(err)
	}
	small, err := Open(part)
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	if small.Size(1) != 300 || small.Size(2) != 4294967294 || small.Checksum() == g.Checksum() {
		t.Errorf("sizes %d and %d in the part, checksums %s and %s", small.Size(1), small.Size(2), small.Checksum(), g.Checksum())
	}
	bare, _ := mustImport(t, lists{"edges": "0 1\n"})
	if bare.HasSizes() || bare.Size(1) != 0 {
		t.Error("a graph without sizes has some")
	}
	if err := os.WriteFile(sizes, []byte("100\nmany\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := importIn(t.TempDir(), lists{"edges": "0 1\n"}, with); err == nil {
		t.Error("a size that is no number was accepted")
	}
}

// A feed knows its origin, which follows what the user states.
func TestFeedOrigin(t *testing.T) {
	for _, c := range []struct{ stated, fed, want string }{{"", "", ""}, {"a", "", "a"}, {"", "b", "b"}, {"a", "b", "a; b"}} {
		o := &ImportOptions{Origin: c.stated, Feed: &Feed{Origin: c.fed}}
		if got := o.origin(); got != c.want {
			t.Errorf("origin %q, want %q", got, c.want)
		}
	}
}
