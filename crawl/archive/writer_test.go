package archive

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// TestRotation: files end at a commit boundary only, each begins with its warcinfo, and
// every place leads to its record.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	w := open(t, disk.OS(dir), config(2000), Position{})
	places := map[string]Place{}
	for i := range 40 {
		url := fmt.Sprintf("https://example.org/%d", i)
		places[url] = w.Append(build(t, newBuilder(), page(url, "body of "+url)).Bytes)
		if i%3 == 2 {
			commit(t, w)
		}
	}
	commit(t, w)
	open := slices.Sorted(maps.Keys(contents(t, disk.OS(dir))))
	if n := len(open); n < 3 || !strings.HasSuffix(open[n-1], ".warc.gz.open") || strings.HasSuffix(open[n-2], ".open") {
		t.Fatalf("files %q", open)
	}
	if open[0] != "test-20260131235959-00000.warc.gz" {
		t.Errorf("first file %s", open[0])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(contents(t, disk.OS(dir))))
	for url, p := range places {
		checkPlace(t, filepath.Join(dir, names[p.File]), url, p)
	}
	for _, name := range names {
		r := mustRead(t, []byte(contents(t, disk.OS(dir))[name]))[0]
		if r.Type != "warcinfo" || r.Get("WARC-Filename") != name {
			t.Errorf("%s begins with %s %s", name, r.Type, r.Get("WARC-Filename"))
		}
	}
}

func checkPlace(t *testing.T, name, url string, p Place) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := NewReaderAt(f, p.Offset, name).Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Verify(); err != nil || r.URL != url || r.Type != "response" || r.Length >= p.Length || r.Offset != p.Offset {
		t.Errorf("%+v: %s %s of %d bytes at %d, %v", p, r.Type, r.URL, r.Length, r.Offset, err)
	}
}

// TestRecoverEveryByte cuts the files of a crawl at every byte after a commit, as kill -9
// can, and continues: the directory must end as it does without a crash. (In memory: the
// real one would sync some thousand times.)
func TestRecoverEveryByte(t *testing.T) {
	b := newBuilder()
	first := build(t, b, page("https://example.org/1", "one")).Bytes
	second := build(t, b, page("https://example.org/2", "two")).Bytes
	d := disk.NewMemory()
	w := open(t, d, config(0), Position{})
	w.Append(first)
	committed := commit(t, w)
	w.Append(second)
	tail := int(commit(t, w).Size - committed.Size)
	w.Close()
	const name = "test-20260131235959-00000.warc.gz"
	whole := contents(t, d)[name]
	for n := range tail + 1 {
		d := disk.NewMemory()
		put(t, d, name+".open", whole[:int(committed.Size)+n])
		put(t, d, "test-20260131235959-00001.warc.gz.open", whole[:n])
		put(t, d, "test-20260131235959-00000.cdxj", "stale")
		put(t, d, "other.txt", "not ours")
		for range 2 { // a crash right after the recovery: it may be repeated
			open(t, d, config(0), committed)
			if got := contents(t, d); len(got) != 2 || got[name+".open"] != whole[:committed.Size] {
				t.Fatalf("cut at %d: recovered to %d files, %d bytes", n, len(got), len(got[name+".open"]))
			}
		}
		w := open(t, d, config(0), committed)
		w.Append(second)
		commit(t, w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := contents(t, d)
		if len(got) != 2 || got["other.txt"] != "not ours" || got[name] != whole {
			t.Fatalf("cut at %d: files %q", n, slices.Sorted(maps.Keys(got)))
		}
	}
}

// TestRecoverFull: a file that was full at its last commit is closed by the first group
// after recovery.
func TestRecoverFull(t *testing.T) {
	dir := t.TempDir()
	w := open(t, disk.OS(dir), config(10), Position{})
	w.Append([]byte("0123456789"))
	at := commit(t, w)
	w = open(t, disk.OS(dir), config(10), at)
	if p := w.Append([]byte("x")); p.File != 1 {
		t.Errorf("place %+v", p)
	}
	commit(t, w)
	names := slices.Sorted(maps.Keys(contents(t, disk.OS(dir))))
	if len(names) != 2 || strings.HasSuffix(names[0], ".open") || !strings.HasSuffix(names[1], "-00001.warc.gz.open") {
		t.Errorf("files %q", names)
	}
}

// TestRecoverEmptyGroup: an empty commit right after a file was full names the next file
// with no bytes.
func TestRecoverEmptyGroup(t *testing.T) {
	dir := t.TempDir()
	w := open(t, disk.OS(dir), config(10), Position{})
	w.Append([]byte("0123456789"))
	commit(t, w)
	at := commit(t, w)
	if at != (Position{1, 0}) {
		t.Fatalf("committed %+v", at)
	}
	w = open(t, disk.OS(dir), config(10), at)
	w.Append([]byte("x"))
	if at = commit(t, w); at.File != 1 {
		t.Errorf("committed %+v", at)
	}
	if names := slices.Sorted(maps.Keys(contents(t, disk.OS(dir)))); len(names) != 2 || strings.HasSuffix(names[0], ".open") {
		t.Errorf("files %q", names)
	}
}

func TestRecoverDamage(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "test-20260131235959-00000.warc.gz.open"), []byte("short"), 0o644)
	os.WriteFile(filepath.Join(dir, "test-20270131235959-00000.warc.gz"), []byte("another one"), 0o644)
	if _, err := Open(disk.OS(dir), config(0), Position{0, 5}); err == nil || !strings.Contains(err.Error(), "two files") {
		t.Errorf("two files: %v", err)
	}
	for _, prefix := range []string{"", "../x", "a/b", ".hidden", "a b"} {
		c := config(0)
		c.Prefix = prefix
		if _, err := Open(disk.OS(dir), c, Position{}); err == nil {
			t.Errorf("prefix %q accepted", prefix)
		}
	}
}

// TestDead: the first error of the disk is told once, and nothing is tried after it.
func TestDead(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for name, fail := range map[string]func(d *disk.Memory, n int){
		"step":  func(d *disk.Memory, n int) { d.FailStep(n, full) },
		"write": func(d *disk.Memory, n int) { d.FailWrite(n, full) },
		"sync":  func(d *disk.Memory, n int) { d.FailSync(n, full) },
		"room":  func(d *disk.Memory, n int) { d.Limit(int64(300*n), full) },
	} {
		for n := 1; ; n++ {
			d := disk.NewMemory()
			fail(d, n)
			if !checkDead(t, fmt.Sprintf("%s %d", name, n), d) {
				if n < 4 {
					t.Errorf("%s: only %d can fail", name, n)
				}
				break
			}
		}
	}
}

// checkDead writes until an error comes, if any does.
func checkDead(t *testing.T, name string, d *disk.Memory) (failed bool) {
	t.Helper()
	w, err := Open(d, config(500), Position{})
	if err != nil {
		return true // it was the recovery: there is no writer
	}
	var steps []func() error
	for range 3 {
		steps = append(steps, func() error {
			w.Append(build(t, newBuilder(), page("https://example.org/1", "one")).Bytes)
			return w.Write(w.Take())
		}, w.Sync)
	}
	after := 0
	for _, step := range append(steps, w.Close) {
		err := step()
		switch {
		case err == nil && failed:
			t.Errorf("%s: a step succeeded after an error", name)
		case err != nil && !failed:
			failed, after = true, d.Steps()
			if !errors.Is(err, ErrFull) || errors.Is(err, ErrDead) {
				t.Errorf("%s: first error %v", name, err)
			}
		case err != nil && !errors.Is(err, ErrDead):
			t.Errorf("%s: later error %v", name, err)
		}
	}
	if failed && d.Steps() != after {
		t.Errorf("%s: %d operations after the error", name, d.Steps()-after)
	}
	return failed
}

// TestOwnerAndCommitter runs the two sides at once (run with -race).
func TestOwnerAndCommitter(t *testing.T) {
	dir := t.TempDir()
	w := open(t, disk.OS(dir), config(5000), Position{})
	groups, done := make(chan Group, 1), make(chan error)
	go func() {
		var err error
		for g := range groups {
			err = errors.Join(err, w.Write(g), w.Sync())
		}
		done <- errors.Join(err, w.Close())
	}()
	for i := range 100 {
		w.Append(build(t, newBuilder(), page(fmt.Sprintf("https://example.org/%d", i), "x")).Bytes)
		if i%5 == 0 {
			groups <- w.Take()
		}
	}
	groups <- w.Take()
	close(groups)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, data := range contents(t, disk.OS(dir)) {
		for _, r := range mustRead(t, []byte(data)) {
			if r.Type == "response" {
				n++
			}
		}
	}
	if n != 100 {
		t.Errorf("%d responses", n)
	}
}

func TestAppendIsPure(t *testing.T) {
	d := disk.NewMemory()
	w := open(t, d, config(0), Position{})
	before := d.Steps()
	p := w.Append(bytes.Repeat([]byte("x"), 100))
	if q := w.Append([]byte("y")); q.Offset != p.Offset+p.Length || w.Size().Size != q.Offset+1 {
		t.Errorf("places %+v, %+v, size %+v", p, q, w.Size())
	}
	if d.Steps() != before {
		t.Error("Append touched the disk")
	}
}
