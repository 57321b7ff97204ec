package fetch

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"
)

// FuzzInflateStream is the first half of FuzzInflate with readers that are used again:
// many times the streams in the same time. They are those of the standard library: when
// a reader of klauspost/compress is used again, codes of the stream before it stay where
// those of a damaged one leave gaps, and it takes for whole what is not (the file
// stale-codes in testdata; found by this target). The output stands behind other bytes,
// which no distance may reach and no copy may change.
func FuzzInflateStream(f *testing.F) {
	for _, data := range kinds() {
		data = data[:min(len(data), 300)]
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 9} {
			body := gzipped(f, data, level)
			f.Add(body[10 : len(body)-8])
		}
	}
	var z inflater
	in := new(bytes.Reader)
	r := flate.NewReader(in)
	room := make([]byte, 0, 1<<17)
	f.Fuzz(func(t *testing.T, stream []byte) {
		const limit = 1 << 16
		in.Reset(stream)
		if err := r.(flate.Resetter).Reset(in, nil); err != nil {
			t.Fatal(err)
		}
		out := bytes.NewBuffer(room[:0])
		n, err := io.CopyN(out, r, limit+1)
		want, clean := out.Bytes(), err == io.EOF && in.Len() == 0 && n <= limit
		body := append([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}, stream...)
		body = binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(want))
		body = binary.LittleEndian.AppendUint32(body, uint32(len(want)))
		got, ok := z.member([]byte("before"), body, limit)
		if ok != clean || string(got[:6]) != "before" || ok && !bytes.Equal(got[6:], want) {
			t.Fatalf("%d bytes, %v; the reader has %d, %v, %d bytes left", len(got)-6, ok, len(want), err, in.Len())
		}
	})
}
