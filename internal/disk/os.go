package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// OS returns a directory of the operating system. It need not exist before the first call.
func OS(path string) Dir { return directory(path) }

type directory string

func (d directory) Open(name string, how How) (File, error) {
	flag := os.O_RDWR
	switch how {
	case Create:
		flag |= os.O_CREATE | os.O_EXCL
	case Read:
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(filepath.Join(string(d), name), flag|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

// List skips files that disappear meanwhile: another process may remove derived files.
func (d directory) List() ([]Entry, error) {
	found, err := os.ReadDir(string(d)) // sorted by name
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, f := range found {
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			all = append(all, Entry{f.Name(), info.Size()})
		}
	}
	return all, nil
}

func (d directory) Rename(from, to string) error {
	return os.Rename(filepath.Join(string(d), from), filepath.Join(string(d), to))
}

func (d directory) Remove(name string) error {
	err := os.Remove(filepath.Join(string(d), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Sync syncs the directory. It does nothing on Windows, which cannot do that.
func (d directory) Sync() error {
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

// file is a file of the operating system.
type file struct{ *os.File }

// Sync syncs the file. If the system can, it leaves out what a reader does not need, such
// as the time of the last change: that saves one write to the log of the file system.
func (f file) Sync() error { return datasync(f.File) }

func (f file) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ReadFile returns the bytes of a whole file.
func ReadFile(d Dir, name string) ([]byte, error) {
	f, err := d.Open(name, Read)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	if n, err := f.ReadAt(b, 0); n < len(b) && err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", name, err)
	} else {
		return b[:n], nil
	}
}

// ErrFull reports whether err is about a disk or a quota without room: not damage, and
// over when there is room again.
func ErrFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Replace writes a file completely or not at all: under a temporary name, which it then
// renames. A file that was left under that name is removed, and a link is not followed. With
// sync the file is on disk when Replace returns.
func Replace(d Dir, name, temp string, sync bool, write func(File) error) error {
	if err := d.Remove(temp); err != nil {
		return err
	}
	f, err := d.Open(temp, Create)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil && sync {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = d.Rename(temp, name)
	}
	if err == nil && sync {
		err = d.Sync()
	}
	return err
}
