package input

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gz(t testing.TB, s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zst(t testing.TB, s string) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll([]byte(s), nil)
}

// written opens data as a file of that name in a temporary directory. Errors name
// the path as it was given: the directory is cut off again by errorOf.
func written(t testing.TB, name string, data []byte) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err == nil {
		t.Cleanup(func() { f.Close() })
	}
	return f, err
}

// numbered is n lines "i i+1".
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %d\n", i, i+1)
	}
	return b.String()
}

// sum reads an edge list; it returns the number of links and a checksum.
func sum(f *File) (links int, xor uint64, err error) {
	err = Edges(f, func(src, dst uint32) error {
		links++
		xor = xor*31 + uint64(src)<<32 + uint64(dst)
		return nil
	})
	return links, xor, err
}

func TestOpenKnowsTheFormatByContent(t *testing.T) {
	const n = 50000 // several buffers
	plain := numbered(n)
	half := strings.LastIndexByte(plain[:len(plain)/2], '\n') - 3 // in the middle of a line
	skippable := binary.LittleEndian.AppendUint32([]byte("\x53\x2a\x4d\x18"), 3)
	_, want, err := sum(text(t, plain))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"plain", []byte(plain)},
		{"with mark.txt", []byte("\ufeff" + plain)},
		{"plain.gz", gz(t, plain)}, // the name does not matter
		{"gzip.txt", gz(t, plain)},
		{"gzip with mark", gz(t, "\ufeff"+plain)},
		{"two members", append(gz(t, plain[:half]), gz(t, plain[half:])...)},
		{"zstd.txt", zst(t, plain)},
		{"two frames", append(zst(t, plain[:half]), zst(t, plain[half:])...)},
		{"skippable frame", append(append(skippable, "abc"...), zst(t, plain)...)},
	} {
		f, err := written(t, c.name, c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		links, got, err := sum(f)
		if links != n || got != want || err != nil {
			t.Errorf("%s: %d links, checksum %x, %v; want %d, %x", c.name, links, got, err, n, want)
		}
		if f.Size() != int64(len(c.data)) || f.Consumed() != f.Size() || f.line != n {
			t.Errorf("%s: size %d, consumed %d, line %d", c.name, f.Size(), f.Consumed(), f.line)
		}
	}
}

func TestEmptyFiles(t *testing.T) {
	for name, data := range map[string][]byte{"plain": nil, "gzip": gz(t, ""), "zstd": zst(t, "")} {
		f, err := written(t, name, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n, _, err := sum(f); n != 0 || err != nil || f.Size() != int64(len(data)) || f.Consumed() != f.Size() {
			t.Errorf("%s: %d links, %v, %d of %d bytes", name, n, err, f.Consumed(), f.Size())
		}
	}
}

// A file that is cut short is an error at the line that is not whole, after all
// whole lines before it, wherever it is cut. Every cut inside a frame is found.
func TestTruncated(t *testing.T) {
	plain := numbered(300)
	for format, data := range map[string][]byte{"gzip": gz(t, plain), "zstd": zst(t, plain)} {
		for cut := 4; cut < len(data); cut++ {
			links := 0
			f, err := New("links", bytes.NewReader(data[:cut]), int64(cut))
			if err == nil {
				links, _, err = sum(f)
			}
			want := fmt.Sprintf("^links:%d: .*%s.*too early$", links+1, format)
			if !matches(err, want) {
				t.Fatalf("%s cut at %d of %d: got %v; want %s", format, cut, len(data), err, want)
			}
		}
	}
}

// A flipped bit is an error or, in the parts of a header that carry no meaning
// for us (time, system), nothing: never other links. Links before the damage may
// be delivered wrong, since the checksum stands at the end; the error follows.
func TestDamaged(t *testing.T) {
	plain := numbered(60)
	_, want, _ := sum(text(t, plain))
	for format, data := range map[string][]byte{"gzip": gz(t, plain), "zstd": zst(t, plain)} {
		for i := range data {
			for bit := range 8 {
				bad := bytes.Clone(data)
				bad[i] ^= 1 << bit
				f, err := New("links", bytes.NewReader(bad), -1)
				if err != nil {
					continue
				}
				if _, got, err := sum(f); err == nil && got != want {
					t.Errorf("%s: bit %d of byte %d: other links and no error", format, bit, i)
				}
			}
		}
	}
}

func TestDamagedSaysSo(t *testing.T) {
	data := gz(t, numbered(3))
	data[len(data)-5] ^= 1 // in the checksum
	f, err := New("links.gz", bytes.NewReader(data), -1)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = sum(f)
	if !matches(err, `^links\.gz:4: .*gzip.*damaged`) || !errors.Is(err, gzip.ErrChecksum) {
		t.Error(err)
	}
	tail := append(gz(t, numbered(3)), "tail"...)
	f, err = New("links.gz", bytes.NewReader(tail), -1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = sum(f); !matches(err, `^links\.gz:4: .*gzip.*too early$`) {
		t.Error(err)
	}
}

// zstdHeader is a frame header that requests a window of 2^log bytes.
func zstdHeader(log byte) []byte {
	return []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, (log - 10) << 3, 0x01, 0x00, 0x00}
}

func TestZstdWindow(t *testing.T) {
	if f, err := New("w", bytes.NewReader(zstdHeader(27)), -1); err != nil {
		t.Errorf("128 MiB are allowed: %v", err)
	} else {
		f.Close()
	}
	huge := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0} // one segment of 4 GiB
	for _, data := range [][]byte{zstdHeader(28), zstdHeader(41), huge} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := New("w", bytes.NewReader(data), -1)
		runtime.ReadMemStats(&after)
		if !matches(err, `^w:1: .*zstd.* 128 MiB`) {
			t.Errorf("% x: %v", data, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
			t.Errorf("% x: %d bytes allocated", data, n)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, data, want string }{
		{"a.xz", "\xfd7zXZ\x00abc", `^a\.xz: .*compressed.* xz; .*gzip.*zstd$`},
		{"a.bz2", "BZh91AY&SYabc", `^a\.bz2: .*compressed.* bzip2; .*gzip.*zstd$`},
		{"a.lz4", "\x04\x22\x4d\x18", `^a\.lz4: .*compressed.* lz4; .*gzip.*zstd$`},
		{"a.zip", "PK\x03\x04", `^a\.zip: .*zip archive; .*gzip.*zstd$`},
		{"le.txt", "\xff\xfe1\x00", `^le\.txt: .*UTF-16.*gzip.*zstd$`},
		{"be.txt", "\xfe\xff\x001", `^be\.txt: .*UTF-16.*gzip.*zstd$`},
		{"short.gz", "\x1f\x8b\x08", `^short\.gz:1: .*gzip.*too early$`},
		{"bad.gz", "\x1f\x8bhello, world", `^bad\.gz:1: .*gzip.*damaged.*header$`},
		{"dict.zst", "\x28\xb5\x2f\xfd\x01\x00\x07\x01\x00\x00", `^dict\.zst:1: .*zstd.*dictionary$`},
		{"\x1b[2J.gz", "\x1f\x8b\x08", `^"\\x1b\[2J\.gz":1: .*gzip.*too early$`},
	} {
		_, err := New(c.name, strings.NewReader(c.data), -1)
		if !matches(err, c.want) {
			t.Errorf("%s: got %v; want %s", c.name, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), filepath.Join(dir, "none")+": ") {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Open(dir); !matches(err, regexp.QuoteMeta(dir)+": .*directory$") {
		t.Errorf("directory: %v", err)
	}
}

// An error of the disk is not called damage of the data, whoever passes it on.
func TestReadErrors(t *testing.T) {
	broken := errors.New("input/output error")
	plain := numbered(200000)
	for name, data := range map[string][]byte{"plain": []byte(plain), "gzip": gz(t, plain), "zstd": zst(t, plain)} {
		r := io.MultiReader(bytes.NewReader(data[:len(data)*3/4]), iotest.ErrReader(broken))
		f, err := New("links", r, -1)
		if err != nil {
			t.Fatal(err)
		}
		links, _, err := sum(f)
		want := fmt.Sprintf("^links:%d: read: input/output error$", links+1)
		if links == 0 || !matches(err, want) || !errors.Is(err, broken) {
			t.Errorf("%s: after %d links: %v", name, links, err)
		}
		if _, err := New("links", iotest.ErrReader(broken), -1); !matches(err, "^links:1: read: input/output error$") {
			t.Errorf("at once: %v", err)
		}
	}
}

// Readers may give a byte at a time, or the last bytes together with the end.
func TestOddReaders(t *testing.T) {
	plain := strings.TrimSuffix(numbered(3000), "\n")
	for name, r := range map[string]io.Reader{
		"byte by byte":  iotest.OneByteReader(strings.NewReader(plain)),
		"data with EOF": iotest.DataErrReader(strings.NewReader(plain)),
		"gzip by byte":  iotest.OneByteReader(bytes.NewReader(gz(t, plain))),
		"zstd by byte":  iotest.OneByteReader(bytes.NewReader(zst(t, plain))),
	} {
		f, err := New("f", r, -1)
		if err != nil {
			t.Fatal(err)
		}
		if n, _, err := sum(f); n != 3000 || err != nil || f.Size() != -1 {
			t.Errorf("%s: %d links, %v", name, n, err)
		}
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestReaderWithoutProgress(t *testing.T) {
	if _, err := New("f", silent{}, -1); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

func TestStandardInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte("9 9\n1 2\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.Seek(4, io.SeekStart); err != nil { // somebody has read a line
		t.Fatal(err)
	}
	defer func(f *os.File) { os.Stdin = f }(os.Stdin)
	os.Stdin = in
	f, err := Open("-")
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := sum(f)
	if n != 1 || !matches(err, `^standard input:2: source "x" .*number$`) || f.Size() != 6 {
		t.Errorf("%d links, %v, size %d", n, err, f.Size())
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := in.Stat(); err != nil {
		t.Errorf("standard input was closed: %v", err)
	}
}

// FuzzOpen: whatever the bytes, plain or after a gzip or zstd header, reading ends
// without a panic and memory stays bounded.
func FuzzOpen(f *testing.F) {
	f.Add(gz(f, "1 2\n"), byte(0))
	f.Add(zst(f, "1 2\n"), byte(0))
	f.Add([]byte("\x08\x00abc"), byte(1))
	f.Add([]byte("\x00\x58abc"), byte(2))
	f.Fuzz(func(t *testing.T, data []byte, kind byte) {
		head := []string{"", "\x1f\x8b", "\x28\xb5\x2f\xfd"}[kind%3]
		in, err := New("f", io.MultiReader(strings.NewReader(head), bytes.NewReader(data)), -1)
		if err != nil {
			return
		}
		defer in.Close()
		lines := 0
		_ = Lines(in, func(int, []byte) error {
			if lines++; lines > 1<<20 {
				return io.ErrShortBuffer // a bomb: it would continue, in the same memory
			}
			return nil
		})
		if len(in.buf) > MaxLine+2 {
			t.Errorf("a buffer of %d bytes", len(in.buf))
		}
	})
}
