package fakeweb

import (
	"bytes"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// press compresses bodies, at the fastest level of each coding. Writers are kept for
// use by other answers.
type press struct {
	gzip, brotli sync.Pool
	zstd         *zstd.Encoder // EncodeAll is safe for concurrent use
}

func newPress() (*press, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	p := &press{zstd: z}
	p.gzip.New = func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is right
		return w
	}
	p.brotli.New = func() any { return brotli.NewWriterLevel(nil, 1) }
	return p, nil
}

// append compresses body to the end of dst.
func (p *press) append(dst []byte, coding string, body []byte) []byte {
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

// coding is the content coding of an answer: of those that the options offer and the
// client accepts, the one that the site prefers; "" for none.
func (r *rules) coding(s *site, accept string) string {
	n := uint64(len(r.opt.Encodings))
	if n == 0 || accept == "" {
		return ""
	}
	first := r.draw(s, streamEncoding, 0) % n
	for i := range n {
		if e := r.opt.Encodings[(first+i)%n]; accepts(accept, e) {
			return e
		}
	}
	return ""
}

// accepts reads an Accept-Encoding: a coding counts unless its weight is 0.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			q, _ := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			return q == "" || strings.Trim(q, "0.") != ""
		}
	}
	return false
}
