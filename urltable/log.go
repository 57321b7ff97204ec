// Package urltable numbers the URLs of a growing crawl.
//
// A [Table] answers the seen-test: it maps the hash of a URL to a page id, and the name
// of a site to a site id. It lies in memory and takes about 14 bytes a page. Decision
// 0008 explains its layout.
//
// A [Key] computes the hashes, under the secret of the crawl.
//
// A [Log] maps a page id back to the URL. It is a file.
package urltable

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// A Log maps the ids of pages to their URLs, the other direction of a [Table]. It is a
// file to which URLs are appended in the order of their ids. They are front-coded in
// blocks, because the URLs of pages that are found together have much in common. A Log
// keeps in memory one offset for each block, and what it has not written yet.
//
// The file is derived from the journal. A block is written once, with a checksum and
// the id of its first page. OpenLog reads all blocks and cuts the file before the first
// incomplete one. The caller must append what is missing then: at most the last blocks,
// and nothing after Flush and a sync of the file.
//
// A Log has one owner and no lock.
type Log struct {
	// Buffer is the number of bytes to collect before a write; 0 means 256 KiB.
	Buffer int

	file     File
	index    graph.Set
	firsts   *graph.Column[graph.Page] // per block: its first page
	offsets  *graph.Column[uint64]     // per block: where it begins in the file
	pages    int
	maxPages int
	written  int64  // bytes in the file
	out      []byte // complete blocks that follow them, not written yet
	open     block  // the block to which URLs are appended
	read     []byte // the block that was read last
	readAt   int64  // where it begins; 0: none
	err      error  // of the first failed write; there are no writes after it
}

// A File is the file of a Log. *os.File implements it.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
}

// MaxRest is the length of the longest path and query that a Log accepts.
const MaxRest = 1 << 19

// logVersion is the format of the file.
//
//	1: magic, version, id of the crawl (16 bytes); then blocks: checksum (the low 32 bits
//	   of xxh3-64 of the rest of the block), first page, bytes of the body * 64 + pages - 1
//	   (4 bytes each), body. Numbers are little-endian. The body has per page, as uvarints:
//	   the bytes its rest shares with that of the page before * 2 + 1 if the site is
//	   another; then the difference of the sites (zigzag); the number of bytes that
//	   follow, and these. The page before the first of a block is that of site 0 with an
//	   empty rest.
const logVersion = 1

const (
	logMagic  = "WURL"
	logHeader = 24
	logBuffer = 256 << 10 // the default of Log.Buffer
)

// OpenLog opens the log in a file, or starts one if the file is empty. id is the id of
// the crawl: OpenLog refuses the log of another crawl. It cuts an incomplete end off;
// Pages returns how many pages are left.
func OpenLog(file File, id [16]byte, maxPages int) (*Log, error) {
	l := &Log{file: file, maxPages: maxPages}
	l.firsts = graph.NewColumnIn[graph.Page](&l.index, "url log blocks", maxPages)
	l.offsets = graph.NewColumnIn[uint64](&l.index, "url log places", maxPages)
	err := l.header(id)
	if err == nil {
		err = l.scan()
	}
	if err != nil {
		l.Free()
		return nil, fmt.Errorf("open URL log: %w", err)
	}
	l.open.begin(graph.Page(l.pages))
	return l, nil
}

// header checks the header of the file, or writes it to a new file.
func (l *Log) header(id [16]byte) error {
	want := binary.LittleEndian.AppendUint32([]byte(logMagic), logVersion)
	want = append(want, id[:]...)
	var b [logHeader]byte
	n, err := l.file.ReadAt(b[:], 0)
	switch version := binary.LittleEndian.Uint32(b[4:]); {
	case n < logHeader && !errors.Is(err, io.EOF):
		return err
	case b == [logHeader]byte{}, n < logHeader: // never written, or not synced
		return l.create(want)
	case string(b[:4]) != logMagic:
		return fmt.Errorf("not a URL log")
	case version != logVersion:
		return fmt.Errorf("version %d, this program reads %d", version, logVersion)
	case [16]byte(b[8:]) != id:
		return fmt.Errorf("it belongs to another crawl")
	}
	l.written = logHeader
	return nil
}

// create writes the header to an empty file.
func (l *Log) create(header []byte) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	l.written = logHeader
	_, err := l.file.WriteAt(header, 0)
	return err
}

// scan indexes all blocks and cuts the file after the last complete one.
func (l *Log) scan() error {
	r := bufio.NewReaderSize(io.NewSectionReader(l.file, l.written, math.MaxInt64-l.written), 1<<20)
	for {
		b, err := readBlock(r, l.read)
		if err != nil && !errors.Is(err, errBlock) {
			return err
		}
		if err != nil || blockFirst(b) != graph.Page(l.pages) || l.pages+blockCount(b) > l.maxPages {
			break
		}
		l.read = b
		l.note(graph.Page(l.pages), l.written)
		l.pages += blockCount(b)
		l.written += int64(len(b))
	}
	return l.file.Truncate(l.written)
}

// note adds a block to the index.
func (l *Log) note(first graph.Page, offset int64) {
	l.firsts.Append(first)
	l.offsets.Append(uint64(offset))
}

// Pages returns the number of URLs.
func (l *Log) Pages() int { return l.pages }

// Append adds the URL of the next page, which must be p: its site and the rest, path
// and query. A page whose URL is lost has graph.NoSite and no rest.
func (l *Log) Append(p graph.Page, site graph.Site, rest []byte) error {
	switch {
	case l.err != nil:
		return l.err
	case int(p) != l.pages:
		return fmt.Errorf("URL log: page %d added, the next one is %d", p, l.pages)
	case len(rest) > MaxRest:
		return fmt.Errorf("URL log: the URL of page %d has %d bytes, more than %d", p, len(rest), MaxRest)
	case l.pages == l.maxPages:
		return fmt.Errorf("URL log: page %d is one more than there is room for", p)
	}
	l.open.add(site, rest)
	l.pages++
	if l.open.count == blockPages {
		l.seal()
	}
	if len(l.out) >= cmp.Or(l.Buffer, logBuffer) {
		return l.write()
	}
	return nil
}

// seal ends the open block.
func (l *Log) seal() {
	l.note(l.open.first, l.written+int64(len(l.out)))
	l.out = append(l.out, l.open.seal()...)
	l.open.begin(graph.Page(l.pages))
}

// write writes the complete blocks.
func (l *Log) write() error {
	if _, err := l.file.WriteAt(l.out, l.written); err != nil {
		l.err = fmt.Errorf("write URL log: %w", err)
		return l.err
	}
	l.written += int64(len(l.out))
	l.out = l.out[:0]
	return nil
}

// Flush writes everything, if necessary with a shorter block at the end. It does not
// sync the file.
func (l *Log) Flush() error {
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

// Read appends the rest of the URL of page p to dst. It returns the site of p and dst.
func (l *Log) Read(p graph.Page, dst []byte) (site graph.Site, rest []byte, err error) {
	if int(p) >= l.pages {
		return graph.NoSite, dst, fmt.Errorf("URL log: page %d of %d", p, l.pages)
	}
	first, _, b, err := l.block(p)
	if err == nil {
		c := cursor{body: b, dst: dst, base: len(dst)}
		for range p - first + 1 {
			c.next()
		}
		site, rest, err = c.site, c.dst, c.err
	}
	if err != nil {
		return graph.NoSite, dst, fmt.Errorf("URL log: page %d: %w", p, err)
	}
	return site, rest, nil
}

// block returns the body of the block that holds page p, and the range of its pages:
// first to end-1.
func (l *Log) block(p graph.Page) (first, end graph.Page, body []byte, err error) {
	if p >= l.open.first {
		return l.open.first, graph.Page(l.pages), l.open.bytes[blockHeader:], nil
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

// fetch reads a block of the file into l.read, unless it is there already.
func (l *Log) fetch(from int64, size int) error {
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

// place returns the offset in the file where block k begins or will begin.
func (l *Log) place(k int) int64 {
	if k < l.offsets.Len() {
		return int64(l.offsets.At(k))
	}
	return l.written + int64(len(l.out))
}

// find returns the block of a page that is not in the open block. Most blocks have
// blockPages pages and none has more, so it is the first possible block or one soon
// after.
func (l *Log) find(p graph.Page) int {
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

// Each calls fn for the URLs of all pages from p on, in order. rest is valid during the
// call. fn must not use the log.
func (l *Log) Each(p graph.Page, fn func(p graph.Page, site graph.Site, rest []byte) error) error {
	for int(p) < l.pages {
		q, end, body, err := l.block(p)
		if err != nil {
			return fmt.Errorf("URL log: page %d: %w", p, err)
		}
		for c := (cursor{body: body}); q < end; q++ {
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

// Truncate removes all pages from n on. Pages before n that shared a block with them
// return to the open block and count as not written.
func (l *Log) Truncate(n int) error {
	if l.err != nil || n >= l.pages {
		return l.err
	}
	first, _, body, err := l.block(graph.Page(n))
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
	for c := (cursor{body: kept}); l.pages < n; {
		if c.next(); c.err != nil {
			return fmt.Errorf("cut URL log to %d pages: %w", n, c.err)
		}
		if err := l.Append(graph.Page(l.pages), c.site, c.dst); err != nil {
			return err
		}
	}
	return nil
}

// cutBlocks removes all blocks from the one that begins with page first on, unless that
// is the open block.
func (l *Log) cutBlocks(first graph.Page) error {
	if first == l.open.first {
		return nil
	}
	k := l.find(first)
	at := l.place(k)
	l.firsts.Truncate(k)
	l.offsets.Truncate(k)
	if at >= l.written {
		l.out = l.out[:at-l.written]
		return nil
	}
	l.readAt, l.written, l.out = 0, at, l.out[:0]
	return l.file.Truncate(at)
}

// Memory calls each with the name and the size of every column.
func (l *Log) Memory(each func(name string, bytes int64)) { l.index.Memory(each) }

// Bytes returns the memory in use.
func (l *Log) Bytes() int64 {
	return l.index.Bytes() + int64(cap(l.out)+cap(l.read)+cap(l.open.bytes))
}

// Size returns the number of bytes written and still to write.
func (l *Log) Size() int64 { return l.written + int64(len(l.out)+len(l.open.bytes)) }

// Free releases the memory. What was not flushed is lost. The file stays open.
func (l *Log) Free() { l.index.Free() }

// Close releases the memory and closes the file if it is an io.Closer.
func (l *Log) Close() error {
	l.Free()
	if c, ok := l.file.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
