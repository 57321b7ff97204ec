package archive

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// TestPowerLoss runs an archive on a disk that forgets, at every possible operation, any
// part of what was not synced, and recovers: what was committed is there, byte for byte.
func TestPowerLoss(t *testing.T) {
	b := newBuilder()
	var pages [][]byte
	for i := range 9 {
		pages = append(pages, build(t, b, page(fmt.Sprintf("https://example.org/%d", i), "text")).Bytes)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for stop := 1; ; stop++ {
		disk := newVolatile()
		disk.stop = stop
		at, finished := run(disk, pages, Position{}, 0)
		if finished {
			if stop < 40 {
				t.Fatalf("only %d operations", stop)
			}
			return
		}
		for range 3 { // the recovery is stopped as well, before it is let through
			disk.lose(rng)
			disk.stop = rng.IntN(4) + 1
			Open(disk, config(1500), at)
		}
		disk.lose(rng)
		disk.stop = 0
		if _, finished := run(disk, pages, at, disk.done); !finished {
			t.Fatalf("stop %d: not finished after recovery", stop)
		}
		checkDisk(t, stop, disk, pages)
	}
}

// run appends the pages from done on, one to a commit; disk.done is the journal. It stops
// at the first error.
func run(disk *volatile, pages [][]byte, at Position, done int) (Position, bool) {
	w, err := Open(disk, config(1500), at)
	if err != nil {
		return at, false
	}
	for i := done; i < len(pages); i++ {
		w.Append(pages[i])
		g := w.Take()
		if errors.Join(w.Write(g), w.Sync()) != nil {
			return at, false
		}
		at, disk.done = g.End(), i+1
	}
	return at, w.Close() == nil
}

func checkDisk(t *testing.T, stop int, disk *volatile, pages [][]byte) {
	t.Helper()
	entries, _ := disk.List()
	slices.SortFunc(entries, func(a, b Entry) int { // by number: the clock began anew
		m, _, _ := parseName("test", a.Name)
		n, _, _ := parseName("test", b.Name)
		return m - n
	})
	var all []byte
	for _, e := range entries {
		all = append(all, disk.lasting[e.Name].synced...)
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

// volatile is a disk with a cache: names last after Sync of the directory, bytes after
// Sync of the file. stop operations succeed, counted down; 0 is no limit.
type volatile struct {
	files, lasting map[string]*node
	stop, done     int
}

type node struct{ now, synced []byte }

func newVolatile() *volatile {
	return &volatile{files: map[string]*node{}, lasting: map[string]*node{}}
}

func (v *volatile) put(name, data string) { v.files[name] = &node{now: []byte(data)} }

// contents are all files by name, as they are read before anything is lost.
func (v *volatile) contents() map[string]string {
	all := map[string]string{}
	for name, n := range v.files {
		all[name] = string(n.now)
	}
	return all
}

var errPower = errors.New("power is gone")

func (v *volatile) step() error {
	if v.stop == 1 {
		return errPower
	}
	if v.stop > 1 {
		v.stop--
	}
	return nil
}

// lose forgets: names go back to what was synced, with or without what came after, and
// of unsynced bytes a random part is there, with zeroes for writes that were passed over.
func (v *volatile) lose(rng *rand.Rand) {
	if rng.IntN(2) == 0 {
		v.files = map[string]*node{}
		for name, n := range v.lasting {
			v.files[name] = n
		}
	}
	names := make([]string, 0, len(v.files))
	for name := range v.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		n := v.files[name]
		switch rng.IntN(3) {
		case 0:
			n.now = slices.Clone(n.synced)
		case 1:
			for i := len(n.synced); i < len(n.now); i++ {
				n.now[i] = 0
			}
		}
		n.synced = slices.Clone(n.now)
	}
	v.lasting = map[string]*node{}
	for name, n := range v.files {
		v.lasting[name] = n
	}
}

func (v *volatile) Open(name string, create bool) (File, error) {
	if err := v.step(); err != nil {
		return nil, err
	}
	n := v.files[name]
	if create && n != nil || !create && n == nil {
		return nil, fmt.Errorf("%s: %w", name, os.ErrExist)
	}
	if create {
		n = &node{}
		v.files[name] = n
	}
	return &volatileFile{n, v}, nil
}

func (v *volatile) List() ([]Entry, error) {
	var all []Entry
	for name, n := range v.files {
		all = append(all, Entry{name, int64(len(n.now))})
	}
	slices.SortFunc(all, func(a, b Entry) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all, nil
}

func (v *volatile) Rename(from, to string) error {
	if err := v.step(); err != nil {
		return err
	}
	v.files[to] = v.files[from]
	delete(v.files, from)
	return nil
}

func (v *volatile) Remove(name string) error {
	if err := v.step(); err != nil {
		return err
	}
	delete(v.files, name)
	return nil
}

func (v *volatile) Sync() error {
	if err := v.step(); err != nil {
		return err
	}
	v.lasting = map[string]*node{}
	for name, n := range v.files {
		v.lasting[name] = n
	}
	return nil
}

type volatileFile struct {
	n *node
	v *volatile
}

func (f *volatileFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.v.step(); err != nil {
		return 0, err
	}
	if grow := int(at) + len(b) - len(f.n.now); grow > 0 {
		f.n.now = append(f.n.now, make([]byte, grow)...)
	}
	return copy(f.n.now[at:], b), nil
}

func (f *volatileFile) Truncate(size int64) error {
	if err := f.v.step(); err != nil {
		return err
	}
	f.n.now = slices.Clone(f.n.now[:size])
	return nil
}

func (f *volatileFile) Sync() error {
	if err := f.v.step(); err != nil {
		return err
	}
	f.n.synced = slices.Clone(f.n.now)
	return nil
}

func (f *volatileFile) Close() error { return nil }
