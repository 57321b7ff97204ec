package disk

import (
	"fmt"
	"io"
)

// ReadFile gives the bytes of a whole file.
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
