package graph

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/zeebo/xxh3"
)

// blockPages is the largest number of pages in a block of a URLLog. With 16, 32, 64 and
// 128 the URLs of apache-sites, in the order in which a breadth-first crawl finds them,
// take 28.2, 25.9, 24.8 and 24.2 bytes, and twice the pages take longer to read.
const blockPages = 64

const blockHeader = 12

// maxBody is more than the longest body: three numbers and the rest of each page.
const maxBody = blockPages * (MaxURLRest + 3*binary.MaxVarintLen32)

var errBlock = errors.New("a damaged block of URLs")

// A urlBlock is pages on their way into a URLLog.
type urlBlock struct {
	first Page
	count int
	site  Site   // of the last page
	last  []byte // its rest
	bytes []byte // header and body
}

// begin empties a block; page first is the next one.
func (b *urlBlock) begin(first Page) {
	b.first, b.count, b.site, b.last = first, 0, 0, b.last[:0]
	b.bytes = append(b.bytes[:0], make([]byte, blockHeader)...)
}

func (b *urlBlock) add(site Site, rest []byte) {
	shared := commonPrefix(b.last, rest)
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
func (b *urlBlock) seal() []byte {
	size := uint32(len(b.bytes) - blockHeader)
	binary.LittleEndian.PutUint32(b.bytes[4:], uint32(b.first))
	binary.LittleEndian.PutUint32(b.bytes[8:], size*blockPages+uint32(b.count-1))
	binary.LittleEndian.PutUint32(b.bytes, blockSum(b.bytes))
	return b.bytes
}

func blockSum(b []byte) uint32 { return uint32(xxh3.Hash(b[4:])) }

func blockFirst(b []byte) Page { return Page(binary.LittleEndian.Uint32(b[4:])) }

func blockCount(b []byte) int { return int(binary.LittleEndian.Uint32(b[8:])%blockPages) + 1 }

// blockWhole says whether the bytes are those of one block.
func blockWhole(b []byte) bool {
	return len(b) >= blockHeader && len(b)-blockHeader == bodySize(b) &&
		binary.LittleEndian.Uint32(b) == blockSum(b)
}

// bodySize is the number of bytes of the body, by the header.
func bodySize(b []byte) int { return int(binary.LittleEndian.Uint32(b[8:]) / blockPages) }

// readBlock reads the next block into b. What is not a block is errBlock, also when
// there is nothing left.
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

// atEnd turns the end of the file into a block that is not whole.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errBlock
	}
	return err
}

// A urlCursor goes through the pages of a block: next sets site and dst, whose bytes from
// base on are the rest.
type urlCursor struct {
	body []byte
	dst  []byte
	base int
	site Site
	err  error
}

func (c *urlCursor) next() {
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
	if size > uint64(len(b)) || shared>>1 > uint64(len(c.dst)-c.base) || site != int64(Site(site)) {
		c.fail()
		return
	}
	c.dst = append(c.dst[:c.base+int(shared>>1)], b[:size]...)
	c.site, c.body = Site(site), b[size:]
}

// fail ends the block.
func (c *urlCursor) fail() { c.err, c.body = errBlock, nil }
