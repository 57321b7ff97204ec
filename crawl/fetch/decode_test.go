package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// pack applies one coding, with the standard library where it has it.
func pack(t testing.TB, coding string, data []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriterLevel(&b, 4)
	case "zstd":
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// prose is text that packs about as well as a page.
func prose(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < n {
		b.WriteString([]string{"<p>", "crawl ", "page ", "site ", "link ", "the ", "of ", "frontier ", "</p>\n"}[rnd.IntN(9)])
	}
	return b.Bytes()[:n]
}

func TestDecode(t *testing.T) {
	var d Decoder
	text := prose(100_000)
	gz, br, zs := pack(t, "gzip", text), pack(t, "br", text), pack(t, "zstd", text)
	for name, test := range map[string]struct {
		body     []byte
		encoding string
	}{
		"none":              {text, ""},
		"identity":          {text, "identity"},
		"gzip":              {gz, "gzip"},
		"x-gzip":            {gz, " X-GZip "},
		"br":                {br, "br"},
		"zstd":              {zs, "zstd"},
		"deflate":           {pack(t, "deflate", text), "deflate"},
		"raw deflate":       {pack(t, "raw", text), "deflate"},
		"gzip members":      {append(pack(t, "gzip", text[:60_000]), pack(t, "gzip", text[60_000:])...), "gzip"},
		"zstd frames":       {append(pack(t, "zstd", text[:60_000]), pack(t, "zstd", text[60_000:])...), "zstd"},
		"padding":           {append(bytes.Clone(gz), 0, 0, 0), "gzip"},
		"rubbish behind":    {append(bytes.Clone(gz), "<!-- -->"...), "gzip"},
		"stacked":           {pack(t, "br", gz), "gzip, br"},
		"stacked thrice":    {pack(t, "zstd", pack(t, "br", gz)), "gzip,br,identity,zstd"},
		"said but not done": {text, "gzip"},
	} {
		for range 2 { // a reader is used again
			got, err := d.Decode([]byte("before"), test.body, test.encoding, 1<<20)
			if err != nil || string(got) != "before"+string(text) {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
		if got, err := d.Decode(nil, nil, test.encoding, 1<<20); err != nil || len(got) != 0 {
			t.Errorf("%s of nothing: %d bytes, %v", name, len(got), err)
		}
		if got, err := d.Decode(nil, test.body, test.encoding, 100_000); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s, just not too large: %d bytes, %v", name, len(got), err)
		}
		if got, err := d.Decode(nil, test.body, test.encoding, 99_999); !errors.Is(err, ErrTooLarge) && name[:2] != "st" || len(got) > 99_999 {
			t.Errorf("%s, too large: %d bytes, %v", name, len(got), err)
		}
	}
}

// TestDecodeCut: a cut or damaged stream gives what there was, and an error.
func TestDecodeCut(t *testing.T) {
	var d Decoder
	text := prose(300_000)
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		whole := pack(t, coding, text)
		for _, n := range []int{1, 5, len(whole) / 2, len(whole) - 1} {
			got, err := d.Decode(nil, whole[:n], coding, 2<<20)
			if n == 1 && coding == "gzip" {
				continue // one byte is no head: it counts as plain
			}
			if err == nil || !bytes.HasPrefix(text, got) {
				t.Errorf("%s cut to %d: %d bytes, %v", coding, n, len(got), err)
			}
			if n == len(whole)/2 && len(got) < len(text)/4 {
				t.Errorf("%s cut to a half gives %d of %d bytes", coding, len(got), len(text))
			}
		}
		if got, err := d.Decode(nil, whole, coding, 2<<20); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s after the cut ones: %d bytes, %v", coding, len(got), err)
		}
	}
}

func TestDecodeBombs(t *testing.T) {
	var d Decoder
	zeros := make([]byte, 6<<20)
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		bomb := pack(t, coding, zeros)
		got, err := d.Decode(nil, bomb, coding, 100<<20)
		if !errors.Is(err, ErrBomb) || len(got) > 5<<20 {
			t.Errorf("%s: %d bytes of %d, %v", coding, len(got), len(bomb), err)
		}
		// In a box it is one, too, whichever of the limits sees it first.
		if got, err := d.Decode(nil, pack(t, "gzip", bomb), coding+", gzip", 100<<20); !errors.Is(err, ErrBomb) || len(got) > 5<<20 {
			t.Errorf("%s in gzip: %d bytes, %v", coding, len(got), err)
		}
		// Small ones are none.
		if got, err := d.Decode(nil, pack(t, coding, zeros[:1<<20]), coding, 10<<20); err != nil || len(got) != 1<<20 {
			t.Errorf("%s, a small one: %d bytes, %v", coding, len(got), err)
		}
	}
	for _, coding := range []string{"compress", "gzip, exi", "gzip,gzip,gzip,gzip", "br;q=1"} {
		if got, err := d.Decode([]byte("a"), []byte("b"), coding, 10); !errors.Is(err, ErrCoding) || string(got) != "a" {
			t.Errorf("%s: %q, %v", coding, got, err)
		}
	}
}

// TestDecodeWindow: zstd may not ask for more memory than the Web allows (RFC 9659).
func TestDecodeWindow(t *testing.T) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(64<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	text := prose(10 << 20)
	w.Write(text[:1<<20])
	w.Flush()
	w.Write(text[1<<20:])
	w.Close()
	var d Decoder
	if got, err := d.Decode(nil, b.Bytes(), "zstd", 100<<20); err == nil || len(got) != 0 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestDecoderShared: one is enough for all.
func TestDecoderShared(t *testing.T) {
	var d Decoder
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := []byte(strings.Repeat(string(rune('a'+i)), 10_000+i))
			for _, coding := range []string{"gzip", "deflate", "br", "zstd", "gzip", "zstd"} {
				if got, err := d.Decode(nil, pack(t, coding, text), coding, 1<<20); err != nil || !bytes.Equal(got, text) {
					t.Errorf("%s: %d bytes, %v", coding, len(got), err)
				}
			}
		})
	}
	all.Wait()
}

// FuzzDecode: whatever comes, the limits hold.
func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "raw", "br", "zstd"} {
		f.Add(pack(f, coding, prose(2000)), coding)
	}
	f.Add([]byte{0x1f, 0x8b}, "gzip, br")
	var d Decoder
	f.Fuzz(func(t *testing.T, body []byte, encoding string) {
		const limit = 64 << 10
		got, err := d.Decode([]byte("x"), body, encoding, limit)
		if len(got) < 1 || len(got) > 1+limit || got[0] != 'x' {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	text := prose(30_000)
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		b.Run(coding, func(b *testing.B) {
			var d Decoder
			body, dst := pack(b, coding, text), []byte(nil)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				dst, _ = d.Decode(dst[:0], body, coding, 10<<20)
			}
		})
	}
}
