package remote

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc64"
	"io"
)

// Sums are the checksums of a file that a store may report.
type Sums struct {
	Size   int64
	SHA256 string   // hexadecimal
	CRC64  string   // CRC-64/NVME of all bytes, in base64
	Part   int64    // bytes of a part
	Parts  [][]byte // MD5 of each part
}

const (
	leastPart = 16 << 20
	mostParts = 9000 // stores allow 10,000
)

// partSize returns the size of the parts in which a file is sent.
func partSize(size int64) int64 {
	part := int64(leastPart)
	for size/part >= mostParts {
		part *= 2
	}
	return part
}

// nvme is the polynomial of CRC-64/NVME, reversed.
const nvme = 0x9a6c9329ac4bc9b5

// SumFile reads a file and returns its sums.
func SumFile(ctx context.Context, f io.ReaderAt, size int64) (*Sums, error) {
	s := &Sums{Size: size, Part: partSize(size)}
	all, crc := sha256.New(), crc64.New(crc64.MakeTable(nvme))
	for at := int64(0); at < size || at == 0; at += s.Part {
		part := md5.New()
		n, err := copyCtx(ctx, io.MultiWriter(all, crc, part), io.NewSectionReader(f, at, min(s.Part, size-at)))
		if err == nil && n != min(s.Part, size-at) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		s.Parts = append(s.Parts, part.Sum(nil))
	}
	s.SHA256 = hexOf(all)
	s.CRC64 = base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, crc.Sum64()))
	return s, nil
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// copyCtx copies until the end of r or of the context.
func copyCtx(ctx context.Context, w io.Writer, r io.Reader) (n int64, err error) {
	for err == nil {
		var k int64
		if k, err = io.CopyN(w, r, 1<<20); err == nil {
			err = ctx.Err()
		}
		n += k
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// etag returns what most stores report as the ETag of the object.
func (s *Sums) etag() string {
	if len(s.Parts) == 1 {
		return hex.EncodeToString(s.Parts[0])
	}
	all := md5.New()
	for _, p := range s.Parts {
		all.Write(p)
	}
	return fmt.Sprintf("%s-%d", hexOf(all), len(s.Parts))
}

// An Object is what a store reports about one.
type Object struct {
	Size  int64
	ETag  string
	CRC64 string // of all bytes, in base64; empty: the store has none
}

// A verdict says whether an object has the bytes of a file.
type verdict string

const (
	differs verdict = ""
	unknown verdict = "read" // only reading it tells
	byCRC   verdict = "crc64nvme"
	byETag  verdict = "etag"
)

// judge compares what a store reports with the sums of a file. An ETag that differs says nothing:
// some stores compute it otherwise.
func (s *Sums) judge(o *Object) verdict {
	switch {
	case o.Size != s.Size:
		return differs
	case o.CRC64 == s.CRC64:
		return byCRC
	case o.CRC64 != "":
		return differs
	case o.ETag == s.etag():
		return byETag
	}
	return unknown
}

// holds reports whether an object is still the one that was recorded.
func (r *Record) holds(o *Object) bool {
	return o.Size == r.Size && o.ETag == r.ETag && (o.CRC64 == "" || o.CRC64 == r.CRC64)
}
