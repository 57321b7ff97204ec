package urltable

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/graph"
)

// blockPages is the largest number of pages in a block of a Log. With 16, 32, 64 and
// 128 the URLs of apache-sites, in the order in which a breadth-first crawl finds them,
// take 28.2, 25.9, 24.8 and 24.2 bytes, and twice the pages take longer to read.
const blockPages = 64

const blockHeader = 12

// maxBody is an upper bound of the size of a body: three numbers and the rest of each
// page.
const maxBody = blockPages * (MaxRest + 3*binary.MaxVarintLen32)

var errBlock = errors.New("a damaged block of URLs")

// A block collects pages for a Log.
type block struct {
	first graph.Page
	count int
	site  graph.Site // of the last page
	last  []byte     // its rest
	bytes []byte     // header and body
}

// begin empties the block. Its first page will be first.
func (b *block) begin(first graph.Page) {
	b.first, b.count, b.site, b.last = first, 0, 0, b.last[:0]
	b.bytes = append(b.bytes[:0], make([]byte, blockHeader)...)
}

func (b *block) add(site graph.Site, rest []byte) {
	shared := graph.CommonPrefix(b.last, rest)
	if site == b.site {
		b.bytes = binary.AppendUvarint(b.bytes, uint64(shared)<<1)
	} else {
		b.bytes = binary.AppendUvarint(b.bytes, uint64(shared)<<1|1)
		b.bytes = binary.AppendVarint(b.bytes, int64(site)-int64(b.site))
	}
	b.bytes = binary.AppendUvarint(b.bytes, uint64(len(rest)-shared))
	b.bytes = append(b.bytes, rest[shared:]...)
	b.site, b.last = site, append(b.last[:shared], rest[shared:]...)
	b.count++
}

// seal completes the header and returns the bytes of the block.
func (b *block) seal() []byte {
	size := uint32(len(b.bytes) - blockHeader)
	binary.LittleEndian.PutUint32(b.bytes[4:], uint32(b.first))
	binary.LittleEndian.PutUint32(b.bytes[8:], size*blockPages+uint32(b.count-1))
	binary.LittleEndian.PutUint32(b.bytes, blockSum(b.bytes))
	return b.bytes
}

func blockSum(b []byte) uint32 { return uint32(xxh3.Hash(b[4:])) }

func blockFirst(b []byte) graph.Page { return graph.Page(binary.LittleEndian.Uint32(b[4:])) }

func blockCount(b []byte) int { return int(binary.LittleEndian.Uint32(b[8:])%blockPages) + 1 }

// blockWhole reports whether b is one undamaged block.
func blockWhole(b []byte) bool {
	return len(b) >= blockHeader && len(b)-blockHeader == bodySize(b) &&
		binary.LittleEndian.Uint32(b) == blockSum(b)
}

// bodySize returns the number of bytes of the body according to the header.
func bodySize(b []byte) int { return int(binary.LittleEndian.Uint32(b[8:]) / blockPages) }

// readBlock reads the next block into b. It returns errBlock if there is none, or if it
// is damaged.
func readBlock(r io.Reader, b []byte) ([]byte, error) {
	b = append(b[:0], make([]byte, blockHeader)...)
	if _, err := io.ReadFull(r, b); err != nil {
		return b, atEnd(err)
	}
	if bodySize(b) > maxBody {
		return b, errBlock
	}
	b = append(b, make([]byte, bodySize(b))...)
	if _, err := io.ReadFull(r, b[blockHeader:]); err != nil {
		return b, atEnd(err)
	}
	if !blockWhole(b) {
		return b, errBlock
	}
	return b, nil
}

// atEnd returns errBlock in place of an end of the file.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errBlock
	}
	return err
}

// A cursor iterates over the pages of a block: next sets site and dst, whose bytes from
// base on are the rest.
type cursor struct {
	body []byte
	dst  []byte
	base int
	site graph.Site
	err  error
}

func (c *cursor) next() {
	shared, b := uvarint(c.body)
	site := int64(c.site)
	if shared&1 == 1 {
		d, n := binary.Varint(b)
		if n <= 0 {
			c.fail()
			return
		}
		site, b = site+d, b[n:]
	}
	size, b := uvarint(b)
	if size > uint64(len(b)) || shared>>1 > uint64(len(c.dst)-c.base) || site != int64(graph.Site(site)) {
		c.fail()
		return
	}
	c.dst = append(c.dst[:c.base+int(shared>>1)], b[:size]...)
	c.site, c.body = graph.Site(site), b[size:]
}

// fail ends the iteration.
func (c *cursor) fail() { c.err, c.body = errBlock, nil }

// uvarint reads a number. It returns one that is too large for any use if b holds none.
func uvarint(b []byte) (uint64, []byte) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 1<<64 - 1, nil
	}
	return v, b[n:]
}
