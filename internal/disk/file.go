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
