package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"testing"
)

// must gives the value of a call that does not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// put creates a file with these bytes.
func put(d Dir, name, data string) File {
	f := must(d.Open(name, Create))
	must(f.WriteAt([]byte(data), 0))
	return f
}

// contents are all files of a directory by name.
func contents(d Dir) map[string]string {
	all := map[string]string{}
	for _, e := range must(d.List()) {
		all[e.Name] = string(must(ReadFile(d, e.Name)))
	}
	return all
}

// TestDirs: what holds of the real directory holds of that in memory.
func TestDirs(t *testing.T) {
	for name, d := range map[string]Dir{"os": OS(t.TempDir()), "memory": NewMemory()} {
		t.Run(name, func(t *testing.T) { checkDir(t, d) })
	}
}

func checkDir(t *testing.T, d Dir) {
	f := put(d, "b", "hello")
	put(d, "a", "x").Close()
	if _, err := d.Open("b", Create); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created twice: %v", err)
	}
	for _, how := range []How{Change, Read} {
		if _, err := d.Open("c", how); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("opened what is not there: %v", err)
		}
	}
	checkFile(t, f)
	if got := must(d.List()); !slices.Equal(got, []Entry{{"a", 1}, {"b", 9}}) {
		t.Errorf("%v", got)
	}
	r := must(d.Open("b", Read))
	if _, err := r.WriteAt([]byte("x"), 0); err == nil {
		t.Error("wrote to a file that is open for reading")
	}
	if err := r.Truncate(0); err == nil {
		t.Error("cut a file that is open for reading")
	}
	if err := errors.Join(d.Rename("b", "a"), d.Remove("none"), d.Sync(), f.Sync(), r.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	if err := d.Rename("b", "c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("renamed what is not there: %v", err)
	}
	if got := contents(d); !reflect.DeepEqual(got, map[string]string{"a": "hell\x00\x00\x00\x00x"}) {
		t.Errorf("%q", got)
	}
	if err := errors.Join(d.Remove("a"), d.Remove("a")); err != nil || len(contents(d)) != 0 {
		t.Errorf("%q, %v", contents(d), err)
	}
	if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("wrote to a closed file: %v", err)
	}
}

// checkFile changes hello.
func checkFile(t *testing.T, f File) {
	t.Helper()
	if err := f.Truncate(4); err != nil {
		t.Error(err)
	}
	if n, err := f.WriteAt([]byte("x"), 8); n != 1 || err != nil { // leaves a hole
		t.Error(n, err)
	}
	if size := must(f.Size()); size != 9 {
		t.Errorf("size %d", size)
	}
	b := make([]byte, 4)
	if n, err := f.ReadAt(b, 2); n != 4 || err != nil || string(b) != "ll\x00\x00" {
		t.Errorf("%q, %d, %v", b, n, err)
	}
	if n, err := f.ReadAt(b, 7); n != 2 || err != io.EOF {
		t.Errorf("across the end: %d, %v", n, err)
	}
	if n, err := f.ReadAt(b, 9); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
}

// List of the real directory shows files only.
func TestListShowsFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(OS(dir), "file", "").Close()
	if got := must(OS(dir).List()); !slices.Equal(got, []Entry{{"file", 0}}) {
		t.Errorf("%v", got)
	}
	if _, err := OS(filepath.Join(dir, "none")).List(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

func TestErrFull(t *testing.T) {
	for err, want := range map[error]bool{
		&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}: true,
		fmt.Errorf("quota: %w", syscall.EDQUOT):                    true,
		syscall.EIO:                                                false,
		io.EOF:                                                     false,
	} {
		if ErrFull(err) != want {
			t.Errorf("%v", err)
		}
	}
	if ErrFull(nil) {
		t.Error("no error")
	}
}
