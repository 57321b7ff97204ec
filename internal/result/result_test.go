package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// writeResult writes text to a result and commits it.
func writeResult(stdout io.Writer, name, text string) error {
	r, err := Create(name, stdout)
	if err != nil {
		return err
	}
	defer r.Discard()
	fmt.Fprint(r, text)
	return r.Commit()
}

// names lists a directory.
func names(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}

func TestResultFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "ranks")
	for _, text := range []string{"first", strings.Repeat("second ", 1<<15)} {
		if err := writeResult(nil, name, text); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%d bytes, %v; want %d", len(got), err, len(text))
		}
	}
	if got := names(t, dir); got != "ranks" {
		t.Errorf("left behind: %s", got)
	}
}

// TestResultDiscarded: a verb that fails half-way leaves what was there before.
func TestResultDiscarded(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "ranks")
	if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(r, strings.Repeat("x", 1<<20))
	if got := names(t, dir); got == "ranks" {
		t.Error("written under its own name")
	}
	r.Discard()
	if got, _ := os.ReadFile(name); names(t, dir) != "ranks" || string(got) != "old" {
		t.Errorf("%s holding %q", names(t, dir), got)
	}
}

func TestResultStdout(t *testing.T) {
	for _, name := range []string{"", "-"} {
		var out bytes.Buffer
		if err := writeResult(&out, name, "ranks"); err != nil || out.String() != "ranks" {
			t.Errorf("-o %q: %q, %v", name, &out, err)
		}
	}
	if err := writeResult(fullDisk{}, "-", "ranks"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("full disk: %v", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestResultErrors(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		dir:                                "directory",
		filepath.Join(dir, "no", "ranks"):  "no such file or directory",
		filepath.Join(dir, "ranks") + "\n": "", // an odd name is a name
	} {
		err := writeResult(nil, name, "x")
		if (err == nil) != (want == "") || err != nil && !(strings.Contains(err.Error(), name+": ") && strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// TestResultThroughLink: a link stays a link, and the file it leads to is replaced.
func TestResultThroughLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "ranks-1"), filepath.Join(dir, "ranks")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := writeResult(nil, link, "new"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	got, _ := os.ReadFile(file)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || string(got) != "new" {
		t.Errorf("%v, %v, file %q", info.Mode(), err, got)
	}
}

// TestResultDevice: what is no file is written to, never replaced by one.
func TestResultDevice(t *testing.T) {
	if err := writeResult(nil, os.DevNull, "x"); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%v, %v", info, err)
	}
	if _, err := os.Stat("/dev/full"); err == nil { // Linux
		err := writeResult(nil, "/dev/full", "x")
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full: ") {
			t.Error(err)
		}
	}
}

// TestCommitAll: files that belong together get their names together, or none does.
func TestCommitAll(t *testing.T) {
	dir := t.TempDir()
	create := func() (files []*File) {
		for _, name := range []string{"a", "b", "c"} {
			f, err := Create(filepath.Join(dir, name), nil)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(f, name)
			t.Cleanup(f.Discard)
			files = append(files, f)
		}
		return files
	}
	if err := CommitAll(create()); err != nil || names(t, dir) != "a b c" {
		t.Errorf("%v, %s", err, names(t, dir))
	}
	files := create()
	fmt.Fprint(files[0], " again")
	files[2].file.Close() // the last one cannot be written any more
	if err := CommitAll(files); err == nil || !strings.HasPrefix(err.Error(), "write "+filepath.Join(dir, "c")) {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "a")); string(got) != "a" {
		t.Errorf("a holds %q", got)
	}
	files = create()
	os.Remove(filepath.Join(dir, "b"))
	if err := os.MkdirAll(filepath.Join(dir, "b", "full"), 0o777); err != nil { // takes the name meanwhile
		t.Fatal(err)
	}
	err := CommitAll(files)
	for _, f := range files {
		f.Discard()
	}
	if _, gone := os.Stat(filepath.Join(dir, "a")); err == nil || gone == nil {
		t.Errorf("%v; a stands without b", err)
	}
}
