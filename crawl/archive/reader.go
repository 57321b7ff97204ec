package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/gzip"
)

// An Error reports an error in a WARC file, with its place.
type Error struct {
	File   string
	Offset int64 // of the record, in the file
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: record at %d: %v", e.File, e.Offset, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// ErrFormat is wrapped where the bytes are not a WARC record.
var ErrFormat = errors.New("not a WARC record")

func formatf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// Reader reads the records of a WARC file in order: of gzip members or plain, of this
// writer or of others. It is strict, holds one header and one buffer of a block at a
// time, and stops at the first error.
type Reader struct {
	name    string
	counter counter
	in      *bufio.Reader // of the file
	gz      *gzip.Reader  // nil before the first member
	plain   *bufio.Reader // of the current member
	body    io.LimitedReader
	head    *bufio.Reader // of the HTTP message in the block; see Record.Response
	line    []byte
	record  *Record
	err     error
}

// counter counts the bytes that the buffer has read from the file.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// NewReader returns a Reader that reads r from its beginning. Errors mention name.
func NewReader(r io.Reader, name string) *Reader { return newReader(r, name, 0) }

// NewReaderAt returns a Reader that begins at an offset at which a record begins, as found
// in the journal or an index.
func NewReaderAt(r io.ReaderAt, offset int64, name string) *Reader {
	return newReader(io.NewSectionReader(r, offset, 1<<62-offset), name, offset)
}

func newReader(r io.Reader, name string, offset int64) *Reader {
	z := &Reader{name: name, counter: counter{r, offset}}
	z.in = bufio.NewReaderSize(&z.counter, 1<<16)
	return z
}

// seek lets the reader continue with another part of the file, which begins at an offset.
func (r *Reader) seek(in io.Reader, offset int64) {
	r.counter, r.record, r.err = counter{in, offset}, nil, nil
	r.in.Reset(&r.counter)
}

// offset returns the place in the file of the next byte that is not used yet.
func (r *Reader) offset() int64 { return r.counter.n - int64(r.in.Buffered()) }

// Next returns the next record, after skipping the rest of the one before; io.EOF at
// the end of the file. The record is valid until the next call.
func (r *Reader) Next() (*Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	if r.record != nil {
		if err := r.record.Skip(); err != nil {
			return nil, err
		}
	}
	at := r.offset()
	start, err := r.in.Peek(2)
	if len(start) == 0 && err == io.EOF {
		r.err = io.EOF
		return nil, io.EOF
	}
	var fields []Field
	if r.record != nil {
		fields = r.record.Fields[:0]
	}
	r.record = &Record{Offset: at, Fields: fields, from: r}
	if err := r.open(start); err != nil {
		return nil, r.fail(err)
	}
	return r.record, nil
}

// fail ends the reading.
func (r *Reader) fail(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	r.err = &Error{r.name, r.record.Offset, err}
	return r.err
}

// open reads the header of a record.
func (r *Reader) open(start []byte) error {
	zipped := bytes.Equal(start, []byte{0x1f, 0x8b})
	if zipped {
		if err := r.member(); err != nil {
			return err
		}
	}
	from := r.in
	if zipped {
		from = r.plain
	}
	r.record.zipped = zipped
	if err := r.record.readHeader(from); err != nil {
		return err
	}
	r.body = io.LimitedReader{R: from, N: r.record.length}
	return nil
}

// member begins a gzip member. The decompressor reads bytes from a bufio.Reader one by one
// and none beyond the member, so offset is right after it.
func (r *Reader) member() error {
	if r.gz == nil {
		gz, err := gzip.NewReader(r.in)
		if err != nil {
			return err
		}
		r.gz, r.plain = gz, bufio.NewReaderSize(nil, 1<<12)
	} else if err := r.gz.Reset(r.in); err != nil {
		return err
	}
	r.gz.Multistream(false)
	r.plain.Reset(r.gz)
	return nil
}

// finish reads what follows a block: two line ends, and the end of the member.
func (r *Reader) finish() error {
	from := r.in
	if r.record.zipped {
		from = r.plain
	}
	var end [4]byte
	if _, err := io.ReadFull(from, end[:]); err != nil {
		return fmt.Errorf("after the block: %w", unexpected(err))
	}
	if string(end[:]) != "\r\n\r\n" {
		return formatf("%q after the block, want two line ends", end)
	}
	if !r.record.zipped {
		return nil
	}
	switch _, err := from.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return formatf("the gzip member continues after the record")
	default:
		return unexpected(err)
	}
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Verify reads the whole record and compares its block, and the payload of a response,
// with the digests of the header. It skips digests of unknown algorithms. It must be
// called before anything of the block is read.
func (r *Record) Verify() error {
	want, block := labelled(r.Get("WARC-Block-Digest"))
	wantPayload, payload := labelled(r.Get("WARC-Payload-Digest"))
	if r.Type != "response" {
		payload = nil // that of a revisit is elsewhere
	}
	if err := r.hash(block, payload); err != nil {
		return err
	}
	if err := r.compare("block", want, block); err != nil {
		return err
	}
	return r.compare("payload", wantPayload, payload)
}

// labelled returns the digest and a hash to compute it, or nil.
func labelled(s string) (Digest, hash.Hash) {
	d, err := ParseDigest(s)
	if err != nil {
		return d, nil
	}
	return d, d.algorithm.new()
}

// hash reads the block into the hashes that are there.
func (r *Record) hash(block, payload hash.Hash) error {
	var from io.Reader = onlyReader{r}
	if block != nil {
		from = io.TeeReader(r, block)
	}
	if payload == nil {
		_, err := io.Copy(io.Discard, from)
		return err
	}
	return r.split(from, payload)
}

// split reads the head of the response from a block on its way through a hash.
func (r *Record) split(from io.Reader, payload hash.Hash) error {
	_, body, err := readHead(r, from)
	if err != nil {
		return err
	}
	_, err = io.Copy(payload, onlyReader{body})
	return err
}

func (r *Record) compare(what string, want Digest, h hash.Hash) error {
	if h == nil {
		return nil
	}
	if got := digestOf(want.algorithm, h); got != want {
		return &Error{r.from.name, r.Offset, fmt.Errorf("the %s has digest %s, the header says %s", what, got, want)}
	}
	return nil
}
