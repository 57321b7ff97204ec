package graph

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestStalePartial: what a killed process left is written over.
func TestStalePartial(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, ".g.wg.partial")
	if err := os.WriteFile(stale, bytes.Repeat([]byte("stale"), 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	g, _, err := importIn(dir, lists{"edges": "0 1\n"})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if edgesOf(t, g) != "0 1\n" || leftovers(t, dir, "edges", "g.wg") != nil {
		t.Errorf("%q, files %v", edgesOf(t, g), leftovers(t, dir))
	}
}

// TestTwoImports to the same name: the second is refused, the first continues.
func TestTwoImports(t *testing.T) {
	dir, in := t.TempDir(), lists{"edges": "0 1\n"}
	asked := false
	g, _, err := importIn(dir, in, func(o *ImportOptions) {
		o.Progress = func(string, int64, int64) error {
			asked = true
			_, _, err := importIn(dir, in)
			if err == nil || !strings.Contains(err.Error(), "another process") || !strings.Contains(err.Error(), o.Path) {
				t.Errorf("the second import: %v", err)
			}
			return nil
		}
	})
	if err != nil || !asked {
		t.Fatal(asked, err)
	}
	g.Close()
	if left := leftovers(t, dir, "edges", "g.wg"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestLockOfAnother: between opening and locking, the file got its final name, or
// went. It must not be taken for our own.
func TestLockOfAnother(t *testing.T) {
	for name, change := range map[string]func(name string) error{
		"finished":         func(name string) error { return os.Rename(name, name+".done") },
		"removed":          os.Remove,
		"removed and made": func(name string) error { return errors.Join(os.Remove(name), os.WriteFile(name, nil, 0o666)) },
	} {
		path := filepath.Join(t.TempDir(), "partial")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if ok, err := lockOpened(f, path); ok || err != nil {
			t.Errorf("%s: taken for ours: %v, %v", name, ok, err)
		}
		own, err := lockFile(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		own.Close()
	}
}

// TestManyWriters lets several write the same graph, over and over, some of them
// failing, while others open it: there is a whole graph under the name at all times.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g.wg")
	o := WriteOptions{Path: path, Threads: 1}
	if err := Write(context.Background(), sourceOf([][]Page{{0}}), o); err != nil {
		t.Fatal(err)
	}
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for w := range 3 {
		writers.Go(func() {
			for i := range rounds {
				src := sourceOf([][]Page{{0}})
				if i%4 == w {
					src.IDs = []uint32{1, 2} // an error
				}
				err := Write(context.Background(), src, o)
				if err != nil && !strings.Contains(err.Error(), "another process") && !strings.Contains(err.Error(), "original ids") {
					t.Errorf("write: %v", err)
				}
			}
		})
	}
	readers.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			g, err := Open(path)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			g.Close()
		}
	})
	writers.Wait()
	close(done)
	readers.Wait()
	if left := leftovers(t, dir, "g.wg"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}
