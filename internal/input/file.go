// Package input reads the text files that users hand to winnow: edge lists, id
// lists, URL lists and value lists, plain or compressed with gzip or zstd, which
// is detected by their content, not by their names.
//
// Three things matter here. An error names file and line, so that a user with 200 M lines
// can find the bad one. Memory stays small for any file: a line may have 1 MiB, a zstd
// window 128 MiB, and everything else is a buffer of fixed size. And edge lists, the
// largest files, are parsed where they lie in that buffer: no string and no allocation per
// line.
//
// All forms accept LF and CRLF, a UTF-8 byte order mark at the start, and a last
// line without an end.
package input

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// MaxLine is the longest line accepted, in bytes without its line feed.
	MaxLine = 1 << 20

	readBuffer = 64 << 10  // raw bytes, before decompression
	lineBuffer = 128 << 10 // text; grows towards MaxLine only when a line needs it
	maxWindow  = 128 << 20 // of zstd, as zstd's own tool allows by default
)

// A File is a text file being read, once, from start to end, by one goroutine.
// Consumed, Size and Fraction may be called from others.
type File struct {
	name   string
	format string // "gzip", "zstd" or "" for plain text
	raw    source
	text   io.Reader // decompressed
	zstd   *zstd.Decoder
	closer io.Closer // nil for standard input
	size   int64

	buf      []byte // one byte more than is ever read, for the line feed a last line lacks
	pos, end int    // the unread text is buf[pos:end]
	err      error  // why text gives no more; io.EOF at a proper end
	line     int
}

// source counts the bytes that come from the operating system and remembers its
// errors, which a decompressor would pass on as if the data were at fault.
type source struct {
	r    io.Reader
	read atomic.Int64
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.read.Add(int64(n))
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// Open opens the file at path, or standard input for "-".
func Open(path string) (*File, error) {
	if path == "-" {
		return open("standard input", os.Stdin, nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: path, Msg: "open: " + cause(err).Error(), Err: err}
	}
	in, err := open(path, f, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return in, nil
}

func open(name string, f *os.File, closer io.Closer) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, &Error{File: name, Msg: "open: " + cause(err).Error(), Err: err}
	}
	if info.IsDir() {
		return nil, &Error{File: name, Msg: "is a directory"}
	}
	in, err := New(name, f, remaining(f, info))
	if err != nil {
		return nil, err
	}
	in.closer = closer
	return in, nil
}

// remaining returns the number of bytes still to be read, or -1 for a pipe or
// terminal. Standard input may be a file that another process has begun to read.
func remaining(f *os.File, info fs.FileInfo) int64 {
	if !info.Mode().IsRegular() {
		return -1
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return -1
	}
	return max(info.Size()-at, 0)
}

// cause strips the path that package os adds to its errors: ours name the file.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// New returns a File that reads r. Errors contain name. size is the length of r in bytes,
// before decompression, or -1 if that is not known. Closing the File does not close r.
func New(name string, r io.Reader, size int64) (*File, error) {
	f := &File{name: name, size: size, buf: make([]byte, lineBuffer+1)}
	f.raw.r = r
	br := bufio.NewReaderSize(&f.raw, readBuffer)
	if err := f.detect(br); err != nil {
		return nil, err
	}
	if err := f.skipMark(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// magic begins a file that is not plain text.
type magic struct{ bytes, format string }

// refused returns common formats that cannot be read.
func refused() []magic {
	return []magic{
		{"\xfd7zXZ\x00", "compressed with xz"},
		{"\x04\x22\x4d\x18", "compressed with lz4"},
		{"PK\x03\x04", "a zip archive"},
		{"\xff\xfe", "UTF-16 text"},
		{"\xfe\xff", "UTF-16 text"},
	}
}

// detect recognises the format of br by its first bytes and sets f.text.
func (f *File) detect(br *bufio.Reader) error {
	head, _ := br.Peek(10) // an error comes again when we read on
	for _, m := range refused() {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return f.refuse(m.format)
		}
	}
	switch {
	case len(head) == 10 && string(head[:3]) == "BZh" && string(head[4:]) == "1AY&SY":
		return f.refuse("compressed with bzip2")
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return f.gunzip(br)
	case isZstd(head):
		return f.unzstd(br)
	}
	f.text = br
	return nil
}

func (f *File) refuse(format string) error {
	return &Error{File: f.name, Msg: "is " + format + "; winnow reads plain text, gzip and zstd"}
}

// isZstd knows a zstd frame and a skippable frame (0x184D2A50 to 5F), with which
// some tools begin.
func isZstd(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	return string(head[:4]) == "\x28\xb5\x2f\xfd" ||
		head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18"
}

func (f *File) gunzip(br *bufio.Reader) error {
	f.format = "gzip"
	z, err := gzip.NewReader(br)
	if err != nil {
		return f.broken(err)
	}
	f.text = z // several members in one file are read on as one text
	return nil
}

// unzstd uses the decoder in its synchronous form: no goroutines, and the window
// plus two blocks as its only large buffer.
func (f *File) unzstd(br *bufio.Reader) error {
	f.format = "zstd"
	z, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return f.broken(err)
	}
	f.zstd, f.text = z, z
	return nil
}

// skipMark skips a byte order mark. An error is kept until the text before it is used up;
// if there is none the file cannot be opened.
func (f *File) skipMark() error {
	for f.end < 3 && f.err == nil {
		f.fill()
	}
	if f.end == 0 && f.err != io.EOF {
		return f.broken(f.err)
	}
	if bytes.HasPrefix(f.buf[:f.end], []byte("\xef\xbb\xbf")) {
		f.pos = 3
	}
	return nil
}

// broken returns the error for a text that ends too early, at the line that could not be
// read to its end.
func (f *File) broken(err error) error {
	e := &Error{File: f.name, Line: f.line + 1, Err: err}
	switch {
	case f.raw.err != nil:
		e.Err = f.raw.err
		e.Msg = "read: " + cause(f.raw.err).Error()
	case f.format == "":
		e.Msg = "read: " + err.Error()
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		e.Msg = "the " + f.format + " data ends too early"
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		e.Msg = "the zstd data needs a window of more than 128 MiB, or is damaged"
	case errors.Is(err, zstd.ErrUnknownDictionary):
		e.Msg = "the zstd data needs a dictionary"
	default:
		e.Msg = "the " + f.format + " data is damaged: " + err.Error()
	}
	return e
}

// Name returns the path, or "standard input".
func (f *File) Name() string { return f.name }

// Size returns the number of bytes of the file as it is stored, compressed or not; -1
// if that is not known.
func (f *File) Size() int64 { return f.size }

// Consumed returns how many of these bytes have been read.
func (f *File) Consumed() int64 { return f.raw.read.Load() }

// Close ends the reading. A file opened by path is closed.
func (f *File) Close() error {
	if f.zstd != nil {
		f.zstd.Close()
	}
	if f.closer == nil {
		return nil
	}
	if err := f.closer.Close(); err != nil {
		return &Error{File: f.name, Msg: "close: " + cause(err).Error(), Err: err}
	}
	return nil
}
