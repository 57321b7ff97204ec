package archive

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Files is the directory of an archive. The crash tests put one in its place that loses
// what was not synced.
type Files interface {
	// Open opens a file of the directory for writing; with create it must not exist,
	// without it must.
	Open(name string, create bool) (File, error)
	// List gives all files of the directory, in the order of their names.
	List() ([]Entry, error)
	// Rename replaces what has the new name.
	Rename(from, to string) error
	// Remove of a file that is not there is no error: recovery repeats its steps.
	Remove(name string) error
	// Sync makes creations, renames and removals last.
	Sync() error
}

// File is one open file. *os.File is one.
type File interface {
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// Entry is one file of a directory.
type Entry struct {
	Name string
	Size int64
}

// Directory is a Files of the operating system.
type Directory string

// Open is of Files.
func (d Directory) Open(name string, create bool) (File, error) {
	flag := os.O_RDWR
	if create {
		flag |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(filepath.Join(string(d), name), flag, 0o644)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

// List is of Files.
func (d Directory) List() ([]Entry, error) {
	found, err := os.ReadDir(string(d))
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, f := range found {
		info, err := f.Info()
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			all = append(all, Entry{f.Name(), info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Rename is of Files.
func (d Directory) Rename(from, to string) error {
	return os.Rename(filepath.Join(string(d), from), filepath.Join(string(d), to))
}

// Remove is of Files.
func (d Directory) Remove(name string) error {
	err := os.Remove(filepath.Join(string(d), name))
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// Sync is of Files. Windows has no such thing as syncing a directory.
func (d Directory) Sync() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(string(d))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}
