package journal

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// cursor goes through the groups of one file.
type cursor struct {
	file disk.File
	name string
	at   int64 // where the next group should begin
	end  int64
	salt uint32
	room []byte // for heads and the bytes that are searched
	body []byte
}

// searched is how many bytes are looked at a time for the next head.
const searched = 1 << 16

// found is a group with a valid head.
type found struct {
	head
	gap int64 // where the search for it began
	at  int64 // where it begins
}

func (f *found) end() int64 { return f.at + headSize + int64(f.length) }

// next gives the next group and goes behind it; !ok at the end. Bytes that are no group
// are passed over: they lie between gap and at.
func (c *cursor) next() (f found, ok bool, err error) {
	f.gap = c.at
	for f.at = c.at; f.at+headSize <= c.end; f.at++ {
		if f.head, ok, err = c.headAt(f.at); ok || err != nil {
			break
		}
		if f.at, err = c.search(f.at + 1); err != nil {
			return f, false, err
		}
		f.at--
	}
	if ok {
		c.at = f.end()
	}
	return f, ok, err
}

// headAt reads the head of a group that lies in the file whole.
func (c *cursor) headAt(at int64) (h head, ok bool, err error) {
	b, err := c.read(at, headSize)
	if err != nil {
		return h, false, err
	}
	h, ok = decodeHead(b, c.salt)
	return h, ok && at+headSize+int64(h.length) <= c.end, nil
}

// search gives the next place from at on where a head may begin, or the end.
func (c *cursor) search(at int64) (int64, error) {
	for at < c.end {
		b, err := c.read(at, min(searched, c.end-at))
		if err != nil {
			return at, err
		}
		if i := bytes.Index(b, []byte(groupMagic)); i >= 0 {
			return at + int64(i), nil
		}
		if len(b) < searched {
			break
		}
		at += int64(len(b) - len(groupMagic) + 1)
	}
	return c.end, nil
}

// read reads n bytes. A file that ends before has shrunk while it was read.
func (c *cursor) read(at, n int64) ([]byte, error) {
	c.room = slices.Grow(c.room[:0], int(n))[:n]
	return c.room, c.fill(c.room, at)
}

func (c *cursor) fill(b []byte, at int64) error {
	n, err := c.file.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("journal: read %s at %d: %w", c.name, at, err)
}

// records reads the records of a group, and says whether they are as they were written.
func (c *cursor) records(f *found) (b []byte, whole bool, err error) {
	c.body = slices.Grow(c.body[:0], int(f.length))[:f.length]
	if err := c.fill(c.body, f.at+headSize); err != nil {
		return nil, false, err
	}
	return c.body, crc(c.salt, c.body) == f.sum, nil
}
