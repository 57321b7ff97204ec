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
)

// TestRotation: files end at a commit boundary only, each begins with its warcinfo, and
// every place leads to its record.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	w := open(t, Directory(dir), config(2000), Position{})
	places := map[string]Place{}
	for i := range 40 {
		url := fmt.Sprintf("https://example.org/%d", i)
		places[url] = w.Append(build(t, newBuilder(), page(url, "body of "+url)).Bytes)
		if i%3 == 2 {
			commit(t, w)
		}
	}
	commit(t, w)
	open := slices.Sorted(maps.Keys(contents(t, dir)))
	if n := len(open); n < 3 || !strings.HasSuffix(open[n-1], ".warc.gz.open") || strings.HasSuffix(open[n-2], ".open") {
		t.Fatalf("files %q", open)
	}
	if open[0] != "test-20260131235959-00000.warc.gz" {
		t.Errorf("first file %s", open[0])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(contents(t, dir)))
	for url, p := range places {
		checkPlace(t, filepath.Join(dir, names[p.File]), url, p)
	}
	for _, name := range names {
		r := mustRead(t, []byte(contents(t, dir)[name]))[0]
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
// can, and goes on: the directory must end as it does without a crash. (In memory: the
// real one would sync some thousand times.)
func TestRecoverEveryByte(t *testing.T) {
	b := newBuilder()
	first := build(t, b, page("https://example.org/1", "one")).Bytes
	second := build(t, b, page("https://example.org/2", "two")).Bytes
	disk := newVolatile()
	w := open(t, disk, config(0), Position{})
	w.Append(first)
	committed := commit(t, w)
	w.Append(second)
	tail := int(commit(t, w).Size - committed.Size)
	w.Close()
	const name = "test-20260131235959-00000.warc.gz"
	whole := disk.contents()[name]
	for n := range tail + 1 {
		disk := newVolatile()
		disk.put(name+".open", whole[:int(committed.Size)+n])
		disk.put("test-20260131235959-00001.warc.gz.open", whole[:n])
		disk.put("test-20260131235959-00000.cdxj", "stale")
		disk.put("other.txt", "not ours")
		for range 2 { // a crash right after the recovery: it may be repeated
			open(t, disk, config(0), committed)
			if got := disk.contents(); len(got) != 2 || got[name+".open"] != whole[:committed.Size] {
				t.Fatalf("cut at %d: recovered to %d files, %d bytes", n, len(got), len(got[name+".open"]))
			}
		}
		w := open(t, disk, config(0), committed)
		w.Append(second)
		commit(t, w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := disk.contents()
		if len(got) != 2 || got["other.txt"] != "not ours" || got[name] != whole {
			t.Fatalf("cut at %d: files %q", n, slices.Sorted(maps.Keys(got)))
		}
	}
}

// TestRecoverClosed: a crash after the last file was closed and before the next commit
// opens it again, on a real disk: what was not committed is cut, later files are deleted.
func TestRecoverClosed(t *testing.T) {
	dir := t.TempDir()
	w := open(t, Directory(dir), config(0), Position{})
	w.Append(build(t, newBuilder(), page("https://example.org/1", "one")).Bytes)
	at := commit(t, w)
	w.Append([]byte("not committed"))
	commit(t, w)
	w.Close()
	os.WriteFile(filepath.Join(dir, "test-20260131235959-00001.warc.gz.open"), []byte("later"), 0o644)
	w = open(t, Directory(dir), config(0), at)
	w.Append(build(t, newBuilder(), page("https://example.org/2", "two")).Bytes)
	commit(t, w)
	if got := slices.Sorted(maps.Keys(contents(t, dir))); len(got) != 1 || !strings.HasSuffix(got[0], ".open") {
		t.Errorf("files %q", got)
	}
	w.Close()
	all := mustRead(t, []byte(contents(t, dir)["test-20260131235959-00000.warc.gz"]))
	if len(all) != 7 {
		t.Errorf("%d records", len(all))
	}
}

// TestRecoverFull: a file that was full at its last commit is closed by the first group
// after recovery.
func TestRecoverFull(t *testing.T) {
	dir := t.TempDir()
	w := open(t, Directory(dir), config(10), Position{})
	w.Append([]byte("0123456789"))
	at := commit(t, w)
	w = open(t, Directory(dir), config(10), at)
	if p := w.Append([]byte("x")); p.File != 1 {
		t.Errorf("place %+v", p)
	}
	commit(t, w)
	names := slices.Sorted(maps.Keys(contents(t, dir)))
	if len(names) != 2 || strings.HasSuffix(names[0], ".open") || !strings.HasSuffix(names[1], "-00001.warc.gz.open") {
		t.Errorf("files %q", names)
	}
}

// TestRecoverEmptyGroup: an empty commit right after a file was full names the next file
// with no bytes.
func TestRecoverEmptyGroup(t *testing.T) {
	dir := t.TempDir()
	w := open(t, Directory(dir), config(10), Position{})
	w.Append([]byte("0123456789"))
	commit(t, w)
	at := commit(t, w)
	if at != (Position{1, 0}) {
		t.Fatalf("committed %+v", at)
	}
	w = open(t, Directory(dir), config(10), at)
	w.Append([]byte("x"))
	if at = commit(t, w); at.File != 1 {
		t.Errorf("committed %+v", at)
	}
	if names := slices.Sorted(maps.Keys(contents(t, dir))); len(names) != 2 || strings.HasSuffix(names[0], ".open") {
		t.Errorf("files %q", names)
	}
}

func TestRecoverDamage(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(Directory(dir), config(0), Position{0, 10}); !errors.Is(err, ErrMissing) {
		t.Errorf("no file: %v", err)
	}
	os.WriteFile(filepath.Join(dir, "test-20260131235959-00000.warc.gz.open"), []byte("short"), 0o644)
	if _, err := Open(Directory(dir), config(0), Position{0, 10}); !errors.Is(err, ErrMissing) {
		t.Errorf("short file: %v", err)
	}
	if got := contents(t, dir); len(got) != 1 {
		t.Errorf("damage was deleted: %q", got)
	}
	os.WriteFile(filepath.Join(dir, "test-20270131235959-00000.warc.gz"), []byte("another one"), 0o644)
	if _, err := Open(Directory(dir), config(0), Position{0, 5}); err == nil || !strings.Contains(err.Error(), "two files") {
		t.Errorf("two files: %v", err)
	}
	for _, prefix := range []string{"", "../x", "a/b", ".hidden", "a b"} {
		c := config(0)
		c.Prefix = prefix
		if _, err := Open(Directory(dir), c, Position{}); err == nil {
			t.Errorf("prefix %q accepted", prefix)
		}
	}
}

// TestDead: the first error of the disk is told once, and nothing is tried after it.
func TestDead(t *testing.T) {
	for fault := 1; ; fault++ {
		f := &faulty{Directory: Directory(t.TempDir()), left: fault, err: &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}}
		w, err := Open(f, config(500), Position{})
		var errs []error
		if err == nil {
			for range 3 {
				w.Append(build(t, newBuilder(), page("https://example.org/1", "one")).Bytes)
				errs = append(errs, w.Write(w.Take()), w.Sync())
			}
			errs = append(errs, w.Close())
		} else {
			errs = append(errs, err)
		}
		if errors.Join(errs...) == nil {
			if fault < 10 {
				t.Fatalf("only %d steps can fail", fault)
			}
			return
		}
		checkDead(t, fault, f, errs, err != nil)
	}
}

func checkDead(t *testing.T, fault int, f *faulty, errs []error, opening bool) {
	t.Helper()
	seen := false
	for _, err := range errs {
		switch {
		case err == nil && seen:
			t.Errorf("fault %d: a step succeeded after an error", fault)
		case err != nil && !seen:
			seen = true
			if !opening && !errors.Is(err, ErrFull) || errors.Is(err, ErrDead) {
				t.Errorf("fault %d: first error %v", fault, err)
			}
		case err != nil && !errors.Is(err, ErrDead):
			t.Errorf("fault %d: later error %v", fault, err)
		}
	}
	if f.after > 0 {
		t.Errorf("fault %d: %d operations after the error", fault, f.after)
	}
}

// faulty fails at the left-th operation that changes something, and counts those after.
type faulty struct {
	Directory
	left, after int
	err         error
}

func (f *faulty) step() error {
	if f.left--; f.left == 0 {
		return f.err
	}
	if f.left < 0 {
		f.after++
	}
	return nil
}

func (f *faulty) Open(name string, create bool) (File, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	g, err := f.Directory.Open(name, create)
	return &faultyFile{g, f}, err
}

func (f *faulty) Rename(from, to string) error {
	return errors.Join(f.step(), f.Directory.Rename(from, to))
}

func (f *faulty) Sync() error { return f.step() }

type faultyFile struct {
	File
	dir *faulty
}

func (f *faultyFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.dir.step(); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, at)
}

func (f *faultyFile) Sync() error { return f.dir.step() }

// TestOwnerAndCommitter runs the two sides at once (run with -race).
func TestOwnerAndCommitter(t *testing.T) {
	dir := t.TempDir()
	w := open(t, Directory(dir), config(5000), Position{})
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
	for _, data := range contents(t, dir) {
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
	f := &faulty{Directory: Directory(t.TempDir()), left: 1 << 30}
	w := open(t, f, config(0), Position{})
	before := f.left
	p := w.Append(bytes.Repeat([]byte("x"), 100))
	if q := w.Append([]byte("y")); q.Offset != p.Offset+p.Length || w.Size().Size != q.Offset+1 {
		t.Errorf("places %+v, %+v, size %+v", p, q, w.Size())
	}
	if f.left != before {
		t.Error("Append touched the disk")
	}
}
