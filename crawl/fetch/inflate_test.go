package fetch

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// gzipped packs data in one member by a level of the encoder.
func gzipped(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// kinds of data that lead to all kinds of codes: few and many symbols, short and long
// distances, runs, noise.
func kinds() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise, skewed, far := make([]byte, 70_000), make([]byte, 70_000), make([]byte, 0, 200_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
		skewed[i] = byte(r.ExpFloat64() * r.ExpFloat64() * 12) // long codes for what is rare
	}
	for len(far) < 190_000 {
		far = append(far, noise[:300]...)
		far = append(far, skewed[r.IntN(30_000):][:r.IntN(30_000)]...)
	}
	return map[string][]byte{
		"empty": nil, "one": []byte("a"), "run": bytes.Repeat([]byte("a"), 100_000), "pair": bytes.Repeat([]byte("ab"), 300),
		"period 7": bytes.Repeat([]byte("abcdefg"), 999), "period 8": bytes.Repeat([]byte("abcdefgh"), 999),
		"prose": prose(60_000), "noise": noise, "skewed": skewed, "far": far, "few": prose(30),
	}
}

// TestInflate: what an encoder packs at any level comes out again, behind what was there,
// and what is in order needs no other reader.
func TestInflate(t *testing.T) {
	var z inflater
	for name, data := range kinds() {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			body := gzipped(t, data, level)
			got, ok := z.member([]byte("before"), body, int64(len(data)))
			want := append([]byte("before"), data...)
			if bomb := isBomb(int64(len(data)), int64(len(body))); ok == bomb || ok && !bytes.Equal(got, want) {
				t.Errorf("%s, level %d: %d bytes, %v", name, level, len(got), ok)
			}
			if len(data) > 0 {
				if _, ok := z.member(nil, body, int64(len(data)-1)); ok {
					t.Errorf("%s, level %d: beyond the limit", name, level)
				}
			}
		}
	}
}

// TestInflateNotInOrder: cut at any place, with any bit turned over, or with more behind
// it, a stream is left to the readers, unless it means the same all the same.
func TestInflateNotInOrder(t *testing.T) {
	var z inflater
	data := prose(3000)
	body := gzipped(t, data, 6)
	for n := range len(body) {
		if _, ok := z.member(nil, body[:n], 1<<20); ok {
			t.Errorf("cut at %d of %d", n, len(body))
		}
	}
	for i := range 8 * len(body) {
		bad := bytes.Clone(body)
		bad[i/8] ^= 1 << (i % 8)
		if got, ok := z.member(nil, bad, 1<<20); ok && !bytes.Equal(got, data) {
			t.Errorf("bit %d turned over", i)
		}
	}
	if _, ok := z.member(nil, append(bytes.Clone(body), body...), 1<<20); ok {
		t.Error("two members")
	}
}

// FuzzInflate compares with the reader of the library: what is taken as being in order is
// the same there, and what the reader finds in order is taken.
func FuzzInflate(f *testing.F) {
	for _, data := range kinds() {
		data = data[:min(len(data), 2000)]
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 9} {
			body := gzipped(f, data, level)
			f.Add(body[10:len(body)-8], data)
		}
	}
	f.Add([]byte{3, 0}, []byte(nil))
	var z inflater
	f.Fuzz(func(t *testing.T, stream, text []byte) {
		in := bytes.NewReader(stream)
		want, err := io.ReadAll(io.LimitReader(flate.NewReader(in), 1<<20))
		body := append([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}, stream...)
		body = binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(want))
		body = binary.LittleEndian.AppendUint32(body, uint32(len(want)))
		got, ok := z.member(nil, body, 1<<20)
		if clean := err == nil && in.Len() == 0 && len(want) < 1<<20; ok && (!clean || !bytes.Equal(got, want)) || !ok && clean && !isBomb(int64(len(want)), int64(len(body))) {
			t.Errorf("%d bytes, %v; the reader has %d, %v, %d bytes left", len(got), ok, len(want), err, in.Len())
		}
		if got, ok := z.member(nil, gzipped(t, text, 5), int64(len(text))); !ok && len(text) < 1<<20 || ok && !bytes.Equal(got, text) {
			t.Errorf("%d bytes of text give %d, %v", len(text), len(got), ok)
		}
	})
}
