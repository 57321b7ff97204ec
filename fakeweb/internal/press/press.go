// Package press compresses what a synthetic web sends.
package press

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Press compresses bodies, at the fastest level of each coding. Writers are kept for
// use by other answers.
type Press struct {
	gzip, brotli sync.Pool
	zstd         *zstd.Encoder // EncodeAll is safe for concurrent use

	bombing sync.Mutex
	bombs   map[string][]byte // by coding, made when they are requested
}

const bombHead = "<!DOCTYPE html>\n<title>Small</title>\n<p>"

// Bomb returns a page of a size in bytes, all but the first of them zero, in a coding.
func (p *Press) Bomb(coding string, size int) []byte {
	p.bombing.Lock()
	defer p.bombing.Unlock()
	if b, ok := p.bombs[coding]; ok {
		return b
	}
	var out bytes.Buffer
	w := p.writer(coding, &out)
	io.WriteString(w, bombHead)
	for left, zeros := size-len(bombHead), make([]byte, 1<<20); left > 0; left -= len(zeros) {
		w.Write(zeros[:min(left, len(zeros))])
	}
	w.Close() // a bytes.Buffer does not fail
	if p.bombs == nil {
		p.bombs = map[string][]byte{}
	}
	p.bombs[coding] = out.Bytes()
	return out.Bytes()
}

// writer returns a writer that compresses the bytes written to it.
func (p *Press) writer(coding string, out io.Writer) io.WriteCloser {
	switch coding {
	case "br":
		return brotli.NewWriterLevel(out, 1)
	case "zstd":
		w, _ := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)) // the options are right
		return w
	}
	w, _ := gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is right
	return w
}

// New returns a press.
func New() (*Press, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	p := &Press{zstd: z}
	p.gzip.New = func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is right
		return w
	}
	p.brotli.New = func() any { return brotli.NewWriterLevel(nil, 1) }
	return p, nil
}

// Append compresses body to the end of dst.
func (p *Press) Append(dst []byte, coding string, body []byte) []byte {
	out := bytes.NewBuffer(dst)
	switch coding {
	case "gzip":
		w := p.gzip.Get().(*gzip.Writer)
		w.Reset(out)
		w.Write(body)
		w.Close() // a bytes.Buffer does not fail
		p.gzip.Put(w)
	case "br":
		w := p.brotli.Get().(*brotli.Writer)
		w.Reset(out)
		w.Write(body)
		w.Close()
		p.brotli.Put(w)
	case "zstd":
		return p.zstd.EncodeAll(body, dst)
	}
	return out.Bytes()
}

// Accepts reads an Accept-Encoding: a coding counts unless its weight is 0.
func Accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			q, _ := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			return q == "" || strings.Trim(q, "0.") != ""
		}
	}
	return false
}
