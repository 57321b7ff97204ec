package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/winnow-crawler/winnow/internal/extsort"
)

// Nothing half-written is left behind, whatever happens when.

// someLists are large enough that every stage tells its progress, and with little
// memory that links are sorted on disk.
func someLists(links int) lists {
	var edges, urls, sites strings.Builder
	const pages = 9000
	r := rand.New(rand.NewPCG(5, 5))
	for range links {
		fmt.Fprintf(&edges, "%d %d\n", r.IntN(pages), r.IntN(pages))
	}
	for p := range pages {
		fmt.Fprintf(&urls, "http://s%d.example/%d\n", p%7, p)
		fmt.Fprintf(&sites, "s%d\n", p%11)
	}
	return lists{"edges": edges.String(), "urls": urls.String(), "sites": sites.String()}
}

// little memory: both sorts spill.
const little = baseMemory + 9000*pageMemory + 2*minSortMemory

// failed runs an import that must end with an error, in a directory that has a
// graph of that name already, and compares the directory before and after.
func failed(t *testing.T, in lists, change func(*ImportOptions)) error {
	t.Helper()
	dir := t.TempDir()
	o, err := in.options(dir)
	if err != nil {
		t.Fatal(err)
	}
	before := []byte("an older graph")
	if err := os.WriteFile(o.Path, before, 0o666); err != nil {
		t.Fatal(err)
	}
	change(&o)
	if _, err = Import(context.Background(), o); err == nil {
		t.Fatal("imported")
	}
	if left := leftovers(t, dir, "edges", "urls", "sites", "fetched", "g.wg"); left != nil {
		t.Errorf("left behind: %v (error %v)", left, err)
	}
	if after, rerr := os.ReadFile(o.Path); rerr != nil || !bytes.Equal(before, after) {
		t.Errorf("the older graph has %d bytes, %v", len(after), rerr)
	}
	return err
}

// TestInterrupted ends an import in every stage, by the error of a callback and by
// its context.
func TestInterrupted(t *testing.T) {
	in, ours := someLists(150_000), errors.New("enough")
	for _, stage := range []string{StageRead, StageForward, StageBackward, StageSites, StageURLs} {
		err := failed(t, in, func(o *ImportOptions) {
			o.MaxMemory = little
			o.Progress = func(s string, done, total int64) error {
				if s == stage {
					return ours
				}
				return nil
			}
		})
		if err != ours { // without a file and a line that had no part in it
			t.Errorf("%s: %v", stage, err)
		}
		dir := t.TempDir()
		o, err := in.options(dir)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(s string, done, total int64) error {
			if s == stage {
				cancel()
			}
			return nil
		}
		if _, err = Import(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", stage, err)
		}
		if left := leftovers(t, dir, "edges", "urls", "sites"); left != nil {
			t.Errorf("%s, cancelled: left behind: %v", stage, left)
		}
		cancel()
	}
}

// TestCancelledEarly has a context that ended before anything was read.
func TestCancelledEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, in := range map[string]lists{
		"lists": someLists(150_000),
		"small": {"edges": "1 0\n"},
		"empty": {"edges": ""},
		"nodes": {"edges": "0 1\n", "nodes": "0\n1\n"},
	} {
		dir := t.TempDir()
		o, err := in.options(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Import(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if left := leftovers(t, dir, "edges", "urls", "sites", "nodes"); left != nil {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}

// TestBadLineLate: the last line of a list that is sorted on disk is bad.
func TestBadLineLate(t *testing.T) {
	in := someLists(150_000)
	in["edges"] += "1 oops\n"
	err := failed(t, in, func(o *ImportOptions) { o.MaxMemory = little })
	if !strings.Contains(err.Error(), "edges:150001:") {
		t.Errorf("error %v", err)
	}
}

// fullDisk takes n bytes, then there is no space left.
type fullDisk struct {
	bytes.Buffer
	n int
}

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, syscall.ENOSPC
	}
	return f.Buffer.Write(b)
}
func (f *fullDisk) ReadAt(b []byte, at int64) (int, error) { return copy(b, f.Bytes()[at:]), nil }
func (f *fullDisk) Close() error                           { return nil }

// TestDiskFullSorting fills the disk while links are sorted, by source and by
// target.
func TestDiskFullSorting(t *testing.T) {
	in := someLists(150_000)
	for _, which := range []int{1, 2} {
		made := 0
		err := failed(t, in, func(o *ImportOptions) {
			o.MaxMemory = little
			o.createTemp = func(string) (extsort.File, error) {
				if made++; made == which {
					return &fullDisk{n: 100_000}, nil
				}
				return &fullDisk{n: 1 << 30}, nil
			}
		})
		if made != which || !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "write sort run") {
			t.Errorf("sort %d: %d files made, error %v", which, made, err)
		}
	}
	err := failed(t, in, func(o *ImportOptions) {
		o.MaxMemory, o.TempDir = little, filepath.Join(filepath.Dir(o.Path), "absent")
	})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "absent") {
		t.Errorf("no directory for sorting: %v", err)
	}
}

// TestDiskFullWriting lets every single write to the graph file fail.
func TestDiskFullWriting(t *testing.T) {
	in := someLists(250_000)
	writes := 0
	g, _ := mustImport(t, in, func(o *ImportOptions) {
		o.writeAt = func(f *os.File, b []byte, at int64) (int, error) { writes++; return f.WriteAt(b, at) }
	})
	if g.h.size < blockSize || writes < 5 {
		t.Fatalf("%d bytes in %d writes are no test", g.h.size, writes)
	}
	for k := range writes {
		n := 0
		var path string
		err := failed(t, in, func(o *ImportOptions) {
			path = o.Path
			o.writeAt = func(f *os.File, b []byte, at int64) (int, error) {
				if n++; n > k {
					m, _ := f.WriteAt(b[:len(b)/2], at) // as a disk does that fills up
					return m, syscall.ENOSPC
				}
				return f.WriteAt(b, at)
			}
		})
		if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), fmt.Sprintf("write graph %q", path)) {
			t.Errorf("write %d: %v", k, err)
		}
	}
}

// TestDiskFullInEncoders fails a write of many, with the encoders at work.
func TestDiskFullInEncoders(t *testing.T) {
	links := make([][]Page, 40*batchPages)
	for p := range links {
		links[p] = []Page{Page(uint64(p) * 2654435761 % uint64(len(links)))}
	}
	for _, k := range []int{0, 1, 2} {
		dir, n := t.TempDir(), 0
		err := Write(context.Background(), sourceOf(links), WriteOptions{Path: filepath.Join(dir, "g.wg"),
			writeAt: func(f *os.File, b []byte, at int64) (int, error) {
				if n++; n > k {
					return 0, syscall.ENOSPC
				}
				return f.WriteAt(b, at)
			}})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), dir) {
			t.Errorf("write %d: %v", k, err)
		}
		if left := leftovers(t, dir); left != nil {
			t.Errorf("write %d: left behind: %v", k, left)
		}
	}
}

// TestBadOutput has outputs that cannot be. None of the lists is read for that.
func TestBadOutput(t *testing.T) {
	dir := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"a directory":  func(path string) error { return os.Mkdir(path, 0o777) },
		"a pipe":       func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"a linked one": func(path string) error { return os.Symlink(dir, path) },
		"a link under the temporary name": func(path string) error {
			return os.Symlink(dir, filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial"))
		},
	} {
		path := filepath.Join(dir, name)
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		_, err := Import(context.Background(), ImportOptions{Edges: "/nowhere", WriteOptions: WriteOptions{Path: path}})
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v does not name it", name, err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "absent", "g.wg"), filepath.Join(file, "g.wg"), ""} {
		_, err := Import(context.Background(), ImportOptions{Edges: "/nowhere", WriteOptions: WriteOptions{Path: path}})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", path)) {
			t.Errorf("output %q: %v", path, err)
		}
	}
	if left := leftovers(t, dir, "a directory", "a pipe", "a linked one", ".a link under the temporary name.partial", "file"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestReadOnlyDirectory is for users who are not root: to root all doors are open.
func TestReadOnlyDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "g.wg")
	if err := Write(context.Background(), sourceOf(nil), WriteOptions{Path: path}); !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

// TestRenameFails: a directory takes the place of the output while it is written.
func TestRenameFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g.wg")
	err := Write(context.Background(), sourceOf([][]Page{{0}}), WriteOptions{Path: path, Progress: func(stage string, _, _ int64) error {
		if stage == StageBackward {
			return os.MkdirAll(filepath.Join(path, "occupied"), 0o777)
		}
		return nil
	}})
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if left := leftovers(t, dir, "g.wg"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestPanickingSource: even then nothing is left.
func TestPanickingSource(t *testing.T) {
	dir := t.TempDir()
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
		if left := leftovers(t, dir); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}()
	src := Source{Pages: 1, Lists: func(func(Page, []Page) error) error { panic("a source that fails") }}
	_ = Write(context.Background(), src, WriteOptions{Path: filepath.Join(dir, "g.wg")})
}

// TestListChanges: a list that is read twice is another one the second time.
func TestListChanges(t *testing.T) {
	for _, name := range []string{"urls", "sites"} {
		err := failed(t, someLists(150_000), func(o *ImportOptions) {
			o.Progress = func(stage string, _, _ int64) error {
				if stage == StageForward {
					return os.WriteFile(filepath.Join(filepath.Dir(o.Path), name), []byte("short\n"), 0o666)
				}
				return nil
			}
		})
		if !strings.Contains(err.Error(), name+" ") || !strings.Contains(err.Error(), "shorter") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
