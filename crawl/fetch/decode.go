package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// Errors of Decode. It returns the decoded bytes with each of them.
var (
	ErrTooLarge = errors.New("larger than the limit when decoded")
	ErrBomb     = errors.New("grows too much when decoded")
	ErrCoding   = errors.New("unknown content coding")
)

const (
	maxCodings = 3 // stacked on each other
	// A body that has grown beyond bombFloor and by more than bombRatio is a bomb. Real
	// pages stay far below; gzip can reach 1,032, brotli and zstd much more.
	bombFloor = 1 << 20
	bombRatio = 200
	// maxWindow is the window that a decoder of zstd on the Web must support (RFC 9659).
	maxWindow = 8 << 20
)

// A Decoder undoes content codings. The zero value is ready to use. It is safe for concurrent
// use and keeps as many readers as run at a time, so one is enough for a whole crawl.
type Decoder struct {
	gzips, zlibs, flates, brotlis, zstds sync.Pool
	inflaters                            sync.Pool
	buffers                              sync.Pool // *[]byte, between stacked codings
}

// Decode undoes the codings of a Content-Encoding header (gzip, deflate, br, zstd, up to
// three of them) and appends the result to dst. It appends at most max bytes. For a stream
// that is cut, damaged or too large it returns the bytes so far with an error.
func (d *Decoder) Decode(dst, body []byte, encoding string, max int64) ([]byte, error) {
	names, err := codingsOf(encoding)
	if err != nil {
		return dst, err
	}
	if len(names) == 0 {
		return appendUpTo(dst, body, max)
	}
	// The last one named was applied last.
	for len(names) > 1 {
		buf := d.buffer()
		defer d.buffers.Put(buf)
		var cut error
		*buf, cut = d.undo((*buf)[:0], body, names[len(names)-1], max)
		body, names, err = *buf, names[:len(names)-1], errors.Join(err, cut)
	}
	dst, last := d.undo(dst, body, names[0], max)
	if err == nil {
		err = last
	}
	return dst, err
}

// codingsOf splits a header. It ignores codings that change nothing.
func codingsOf(encoding string) (names []string, err error) {
	for name := range strings.SplitSeq(encoding, ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "", "identity", "none", "utf-8": // the last two are no codings, but servers send them
		case "gzip", "x-gzip":
			names = append(names, "gzip")
		case "br", "zstd", "deflate":
			names = append(names, name)
		default:
			return nil, fmt.Errorf("%w %.40q", ErrCoding, name)
		}
	}
	if len(names) > maxCodings {
		return nil, fmt.Errorf("%w: %d stacked on each other", ErrCoding, len(names))
	}
	return names, nil
}

func appendUpTo(dst, body []byte, max int64) ([]byte, error) {
	if int64(len(body)) > max {
		return append(dst, body[:max]...), ErrTooLarge
	}
	return append(dst, body...), nil
}

func (d *Decoder) buffer() *[]byte {
	if b, ok := d.buffers.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// undo undoes one coding.
func (d *Decoder) undo(dst, body []byte, name string, max int64) ([]byte, error) {
	if len(body) == 0 {
		return dst, nil
	}
	out := sink{dst: dst, from: len(dst), max: max, in: int64(len(body))}
	var err error
	switch name {
	case "gzip":
		err = d.gunzip(&out, body)
	case "deflate":
		err = d.inflate(&out, body)
	case "br":
		err = d.unbrotli(&out, body)
	case "zstd":
		err = d.unzstd(&out, body)
	}
	if err != nil && err != ErrTooLarge && err != ErrBomb {
		err = fmt.Errorf("decode %s: %w", name, err)
	}
	return out.dst, err
}

// sink collects the output of a reader, within limits.
type sink struct {
	dst  []byte
	from int   // length before
	max  int64 // bytes that may come
	in   int64 // bytes that they are made of
}

// readAll reads to the end. It looks at the ratio as it goes, so that a bomb is not
// unpacked to find that it is one.
func (s *sink) readAll(r io.Reader) error {
	for {
		got := int64(len(s.dst) - s.from)
		if got > s.max {
			s.dst = s.dst[:s.from+int(s.max)]
			return ErrTooLarge
		}
		if isBomb(got, s.in) {
			return ErrBomb
		}
		if len(s.dst) == cap(s.dst) {
			s.dst = slices.Grow(s.dst, int(max(4*min(s.in, 64<<10), 512, got)))
		}
		room := min(int64(cap(s.dst)-len(s.dst)), s.max+1-got)
		n, err := r.Read(s.dst[len(s.dst) : len(s.dst)+int(room)])
		s.dst = s.dst[:len(s.dst)+n]
		if err != nil && int64(len(s.dst)-s.from) <= s.max {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// isBomb reports whether out decoded bytes are too many for in coded ones.
func isBomb(out, in int64) bool { return out > bombFloor && out/bombRatio > in }

// gunzip undoes gzip, member after member. What follows the last member and is none is
// padding, and a body without any member was never packed: servers behind servers forget to
// remove the header.
func (d *Decoder) gunzip(out *sink, body []byte) error {
	if d.gunzipOne(out, body) {
		return nil
	}
	in := bytes.NewReader(body)
	z, ok := d.gzips.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	defer d.gzips.Put(z)
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return out.readAll(in)
	}
	for first := true; first || in.Len() > 0; first = false {
		if err := z.Reset(in); err != nil {
			if first {
				return cutShort(err)
			}
			return nil
		}
		z.Multistream(false)
		if err := out.readAll(z); err != nil {
			return err
		}
	}
	return nil
}

// gunzipOne undoes the usual case.
func (d *Decoder) gunzipOne(out *sink, body []byte) (ok bool) {
	z, had := d.inflaters.Get().(*inflater)
	if !had {
		z = new(inflater)
	}
	defer d.inflaters.Put(z)
	out.dst, ok = z.member(out.dst, body, out.max)
	return ok
}

// cutShort makes the end of a stream inside its head an unexpected one.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// inflate undoes deflate, which is zlib by the standard and raw deflate by old servers.
// The head of zlib is a multiple of 31 with method 8.
func (d *Decoder) inflate(out *sink, body []byte) error {
	in := bytes.NewReader(body)
	if len(body) < 2 || body[0]&0x0f != 8 || (uint(body[0])<<8|uint(body[1]))%31 != 0 {
		return d.inflateRaw(out, in)
	}
	z, ok := d.zlibs.Get().(io.ReadCloser)
	if !ok {
		var err error
		if z, err = zlib.NewReader(in); err != nil {
			return cutShort(err)
		}
	} else if err := z.(zlib.Resetter).Reset(in, nil); err != nil {
		return cutShort(err)
	}
	defer d.zlibs.Put(z)
	return out.readAll(z)
}

func (d *Decoder) inflateRaw(out *sink, in *bytes.Reader) error {
	z, ok := d.flates.Get().(io.ReadCloser)
	if !ok {
		z = flate.NewReader(in)
	} else if err := z.(flate.Resetter).Reset(in, nil); err != nil {
		return err
	}
	defer d.flates.Put(z)
	return out.readAll(z)
}

func (d *Decoder) unbrotli(out *sink, body []byte) error {
	in := bytes.NewReader(body)
	z, ok := d.brotlis.Get().(*brotli.Reader)
	if !ok {
		z = brotli.NewReader(in)
	} else if err := z.Reset(in); err != nil {
		return err
	}
	defer d.brotlis.Put(z)
	return out.readAll(z)
}

func (d *Decoder) unzstd(out *sink, body []byte) error {
	in := bytes.NewReader(body)
	z, ok := d.zstds.Get().(*zstd.Decoder)
	if !ok {
		var err error
		z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
	}
	defer d.zstds.Put(z)
	if err := z.Reset(in); err != nil {
		return cutShort(err)
	}
	return out.readAll(z)
}
