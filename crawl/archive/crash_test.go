package archive

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// TestPowerLoss runs an archive on a disk that stops at every possible operation and
// forgets any part of what was not synced, and recovers: what was committed is there,
// byte for byte (M19).
func TestPowerLoss(t *testing.T) {
	b := newBuilder()
	var pages [][]byte
	for i := range 9 {
		pages = append(pages, build(t, b, page(fmt.Sprintf("https://example.org/%d", i), "text")).Bytes)
	}
	for stop := 0; ; stop++ {
		for random := range uint64(4) {
			c := crashing{Memory: disk.NewMemory()}
			c.Stop(stop)
			if c.run(pages) {
				if stop < 40 {
					t.Fatalf("only %d operations", stop)
				}
				return
			}
			for n := range 3 { // the recovery is stopped as well, before it is let through
				c.Memory = c.Crash(random<<8 + uint64(n))
				c.Stop(int(random)%2*4 + n)
				Open(c, config(1500), c.at)
			}
			c.Memory = c.Crash(random)
			if !c.run(pages) {
				t.Fatalf("stop %d: not finished after recovery", stop)
			}
			c.check(t, stop, pages)
		}
	}
}

// crashing is a disk with what the journal would know: so many pages are committed, up to
// that position.
type crashing struct {
	*disk.Memory
	done int
	at   Position
}

// run appends the pages that are not committed, one to a commit. It stops at the first
// error.
func (c *crashing) run(pages [][]byte) bool {
	w, err := Open(c, config(1500), c.at)
	if err != nil {
		return false
	}
	for c.done < len(pages) {
		w.Append(pages[c.done])
		g := w.Take()
		if errors.Join(w.Write(g), w.Sync()) != nil {
			return false
		}
		c.at = g.End()
		c.done++
	}
	return w.Close() == nil
}

// check looks at what a power loss after the end would leave.
func (c *crashing) check(t *testing.T, stop int, pages [][]byte) {
	t.Helper()
	files := contents(t, c.Crash(uint64(stop)))
	var all []byte
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { // by number: the clock began anew
		m, _, _ := parseName("test", a)
		n, _, _ := parseName("test", b)
		return m - n
	})
	for _, name := range names {
		all = append(all, files[name]...)
	}
	n := 0
	for _, r := range mustRead(t, all) {
		if r.Type == "response" {
			if want := fmt.Sprintf("https://example.org/%d", n); r.URL != want {
				t.Fatalf("stop %d: %s, want %s", stop, r.URL, want)
			}
			n++
		}
	}
	if n != len(pages) {
		t.Fatalf("stop %d: %d of %d pages", stop, n, len(pages))
	}
}

// put makes a file.
func put(t testing.TB, d disk.Dir, name, data string) {
	t.Helper()
	f, err := d.Open(name, disk.Create)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(data), 0); err != nil {
		t.Fatal(err)
	}
}
