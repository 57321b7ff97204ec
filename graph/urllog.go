package graph

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A URLLog is the other direction of [Seen]: page id to URL, for a crawl that grows.
// It is a file to which URLs are added in the order of their ids, front-coded in
// blocks, because pages that are found together have much of their URLs in common.
// In memory is one place per block, and what has not been written yet.
//
// It is derived from the journal. A block is written once and never again, with a
// checksum and the id of its first page; opening reads all of them and cuts the file
// before the first that is not whole. What is missing then, at most the last blocks,
// is to be added again; after Flush and a sync of the file it is nothing.
//
// A URLLog has one owner and no lock.
type URLLog struct {
	// Buffer is how many bytes are gathered before they are written; 0 is the constant.
	Buffer int

	file     URLFile
	firsts   *Column[Page]   // per block: its first page
	offsets  *Column[uint64] // per block: where it begins in the file
	pages    int
	maxPages int
	written  int64    // bytes in the file
	out      []byte   // whole blocks that follow them, not written yet
	open     urlBlock // the block to which URLs are added
	read     []byte   // the block that was read last
	readAt   int64    // where it begins; 0: none
	err      error    // of the first failed write: none is tried after it
}

// URLFile is what a URLLog needs of its file; an *os.File has it.
type URLFile interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
}

// MaxURLRest is the length of the longest path and query that a URLLog takes.
const MaxURLRest = 1 << 19

// urlLogVersion is the format of the file.
//
//	1: magic, version, id of the crawl (16 bytes); then blocks: checksum (the low 32 bits
//	   of xxh3-64 of the rest of the block), first page, bytes of the body * 64 + pages - 1
//	   (4 bytes each), body. Numbers are little-endian. The body has per page, as uvarints:
//	   the bytes its rest shares with that of the page before * 2 + 1 if the site is
//	   another; then the difference of the sites (zigzag); the number of bytes that
//	   follow, and these. The page before the first of a block is that of site 0 with an
//	   empty rest.
const urlLogVersion = 1

const (
	urlLogMagic  = "WURL"
	urlLogHeader = 24
	urlLogBuffer = 256 << 10 // bytes gathered before they are written
)

// OpenURLLog opens the log in a file, or begins one if it is empty. id is that of the
// crawl: a log of another is refused. What is not whole at its end is cut off; Pages
// says how many are left.
func OpenURLLog(file URLFile, id [16]byte, maxPages int) (*URLLog, error) {
	l := &URLLog{
		file:     file,
		maxPages: maxPages,
		firsts:   NewColumn[Page]("url log blocks", maxPages),
		offsets:  NewColumn[uint64]("url log places", maxPages),
	}
	err := l.header(id)
	if err == nil {
		err = l.scan()
	}
	if err != nil {
		l.Free()
		return nil, fmt.Errorf("open URL log: %w", err)
	}
	l.open.begin(Page(l.pages))
	return l, nil
}

// header reads the head of the file, or writes it if that has not happened.
func (l *URLLog) header(id [16]byte) error {
	want := binary.LittleEndian.AppendUint32([]byte(urlLogMagic), urlLogVersion)
	want = append(want, id[:]...)
	var b [urlLogHeader]byte
	n, err := l.file.ReadAt(b[:], 0)
	switch version := binary.LittleEndian.Uint32(b[4:]); {
	case n < urlLogHeader && !errors.Is(err, io.EOF):
		return err
	case b == [urlLogHeader]byte{}, n < urlLogHeader: // never written, or not synced
		return l.create(want)
	case string(b[:4]) != urlLogMagic:
		return fmt.Errorf("not a URL log")
	case version != urlLogVersion:
		return fmt.Errorf("version %d, this program reads %d", version, urlLogVersion)
	case [16]byte(b[8:]) != id:
		return fmt.Errorf("it belongs to another crawl")
	}
	l.written = urlLogHeader
	return nil
}

// create begins the file.
func (l *URLLog) create(header []byte) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	l.written = urlLogHeader
	_, err := l.file.WriteAt(header, 0)
	return err
}

// scan finds all blocks and cuts the file behind the last one that is whole.
func (l *URLLog) scan() error {
	r := bufio.NewReaderSize(io.NewSectionReader(l.file, l.written, math.MaxInt64-l.written), 1<<20)
	for {
		b, err := readBlock(r, l.read)
		if err != nil && !errors.Is(err, errBlock) {
			return err
		}
		if err != nil || blockFirst(b) != Page(l.pages) || l.pages+blockCount(b) > l.maxPages {
			break
		}
		l.read = b
		l.note(Page(l.pages), l.written)
		l.pages += blockCount(b)
		l.written += int64(len(b))
	}
	return l.file.Truncate(l.written)
}

// note enters a block in the index.
func (l *URLLog) note(first Page, offset int64) {
	l.firsts.Append(first)
	l.offsets.Append(uint64(offset))
}

// Pages is the number of URLs.
func (l *URLLog) Pages() int { return l.pages }

// Append adds the URL of the next page, which is p: its site and the rest, path and
// query. A page whose URL is lost has NoSite and no rest.
func (l *URLLog) Append(p Page, site Site, rest []byte) error {
	switch {
	case l.err != nil:
		return l.err
	case int(p) != l.pages:
		return fmt.Errorf("URL log: page %d added, the next one is %d", p, l.pages)
	case len(rest) > MaxURLRest:
		return fmt.Errorf("URL log: the URL of page %d has %d bytes, more than %d", p, len(rest), MaxURLRest)
	case l.pages == l.maxPages:
		return fmt.Errorf("URL log: page %d is one more than there is room for", p)
	}
	l.open.add(site, rest)
	l.pages++
	if l.open.count == blockPages {
		l.seal()
	}
	if len(l.out) >= cmp.Or(l.Buffer, urlLogBuffer) {
		return l.write()
	}
	return nil
}

// seal ends the open block.
func (l *URLLog) seal() {
	l.note(l.open.first, l.written+int64(len(l.out)))
	l.out = append(l.out, l.open.seal()...)
	l.open.begin(Page(l.pages))
}

// write writes what has been gathered.
func (l *URLLog) write() error {
	if _, err := l.file.WriteAt(l.out, l.written); err != nil {
		l.err = fmt.Errorf("write URL log: %w", err)
		return l.err
	}
	l.written += int64(len(l.out))
	l.out = l.out[:0]
	return nil
}

// Flush writes everything, with a shorter block at the end if need be. It does not
// sync the file.
func (l *URLLog) Flush() error {
	if l.err != nil {
		return l.err
	}
	if l.open.count > 0 {
		l.seal()
	}
	if len(l.out) == 0 {
		return nil
	}
	return l.write()
}

// Read adds the rest of the URL of page p to dst and returns it with the page's site.
func (l *URLLog) Read(p Page, dst []byte) (site Site, rest []byte, err error) {
	if int(p) >= l.pages {
		return NoSite, dst, fmt.Errorf("URL log: page %d of %d", p, l.pages)
	}
	first, _, b, err := l.block(p)
	if err == nil {
		c := urlCursor{body: b, dst: dst, base: len(dst)}
		for range p - first + 1 {
			c.next()
		}
		site, rest, err = c.site, c.dst, c.err
	}
	if err != nil {
		return NoSite, dst, fmt.Errorf("URL log: page %d: %w", p, err)
	}
	return site, rest, nil
}

// block returns the body of the block in which page p lies, and the pages in it: from
// first to before end.
func (l *URLLog) block(p Page) (first, end Page, body []byte, err error) {
	if p >= l.open.first {
		return l.open.first, Page(l.pages), l.open.bytes[blockHeader:], nil
	}
	k := l.find(p)
	first, end = l.firsts.At(k), l.open.first
	if k+1 < l.firsts.Len() {
		end = l.firsts.At(k + 1)
	}
	from, to := l.place(k), l.place(k+1)
	if from >= l.written {
		return first, end, l.out[from-l.written+blockHeader : to-l.written], nil
	}
	if err := l.fetch(from, int(to-from)); err != nil {
		return 0, 0, nil, err
	}
	return first, end, l.read[blockHeader:], nil
}

// fetch reads a block from the file, unless it was the last one read.
func (l *URLLog) fetch(from int64, size int) error {
	if l.readAt == from {
		return nil
	}
	l.readAt = 0
	l.read = append(l.read[:0], make([]byte, size)...)
	if _, err := l.file.ReadAt(l.read, from); err != nil {
		return err
	}
	if !blockWhole(l.read) {
		return errBlock
	}
	l.readAt = from
	return nil
}

// place is where block k begins in the file, or will begin.
func (l *URLLog) place(k int) int64 {
	if k < l.offsets.Len() {
		return int64(l.offsets.At(k))
	}
	return l.written + int64(len(l.out))
}

// find returns the block of a page that is not in the open one. Blocks have at most
// blockPages pages and hardly ever fewer, so it is the first one that is possible, or
// one soon after.
func (l *URLLog) find(p Page) int {
	firsts := l.firsts.Slice()
	lo, step := int(p)/blockPages, 1
	for lo+step < len(firsts) && firsts[lo+step] <= p {
		lo, step = lo+step, 2*step
	}
	hi := min(lo+step, len(firsts)) // firsts[lo] <= p < firsts[hi]
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; firsts[mid] <= p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Each calls fn for the URLs of all pages from p on, in order. rest is valid during
// the call, in which the log must not be used.
func (l *URLLog) Each(p Page, fn func(p Page, site Site, rest []byte) error) error {
	for int(p) < l.pages {
		q, end, body, err := l.block(p)
		if err != nil {
			return fmt.Errorf("URL log: page %d: %w", p, err)
		}
		for c := (urlCursor{body: body}); q < end; q++ {
			if c.next(); c.err != nil {
				return fmt.Errorf("URL log: page %d: %w", q, c.err)
			}
			if q < p {
				continue
			}
			if err := fn(q, c.site, c.dst); err != nil {
				return err
			}
		}
		p = end
	}
	return nil
}

// Truncate forgets all pages from n on. Those before n that shared a block with them
// are gathered again and count as not written.
func (l *URLLog) Truncate(n int) error {
	if l.err != nil || n >= l.pages {
		return l.err
	}
	first, _, body, err := l.block(Page(n))
	if err != nil {
		return fmt.Errorf("cut URL log to %d pages: %w", n, err)
	}
	kept := append([]byte(nil), body...)
	if err := l.cutBlocks(first); err != nil {
		l.err = fmt.Errorf("cut URL log to %d pages: %w", n, err)
		return l.err
	}
	l.pages = int(first)
	l.open.begin(first)
	for c := (urlCursor{body: kept}); l.pages < n; {
		if c.next(); c.err != nil {
			return fmt.Errorf("cut URL log to %d pages: %w", n, c.err)
		}
		if err := l.Append(Page(l.pages), c.site, c.dst); err != nil {
			return err
		}
	}
	return nil
}

// cutBlocks forgets the blocks from the one that begins with a page on, if that is
// not the open one.
func (l *URLLog) cutBlocks(first Page) error {
	if first == l.open.first {
		return nil
	}
	k := l.find(first)
	at := l.place(k)
	cut(l.firsts, k)
	cut(l.offsets, k)
	if at >= l.written {
		l.out = l.out[:at-l.written]
		return nil
	}
	l.readAt, l.written, l.out = 0, at, l.out[:0]
	return l.file.Truncate(at)
}

// Columns hands out every column.
func (l *URLLog) Columns(each func(AnyColumn)) {
	each(l.firsts)
	each(l.offsets)
}

// Bytes is the memory taken.
func (l *URLLog) Bytes() int64 {
	return l.firsts.Bytes() + l.offsets.Bytes() + int64(cap(l.out)+cap(l.read)+cap(l.open.bytes))
}

// Size is the number of bytes written and to be written.
func (l *URLLog) Size() int64 { return l.written + int64(len(l.out)+len(l.open.bytes)) }

// Free gives the memory back. What was not flushed is lost; the file stays open.
func (l *URLLog) Free() { l.Columns(AnyColumn.Free) }

// Close is Free, and closes the file if it can be closed.
func (l *URLLog) Close() error {
	l.Free()
	if c, ok := l.file.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
