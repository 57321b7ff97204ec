package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// TestPlainFile reads the golden file, which is not compressed, with the same result.
func TestPlainFile(t *testing.T) {
	plain, err := os.ReadFile("testdata/sample.warc")
	if err != nil {
		t.Fatal(err)
	}
	a, b := mustRead(t, plain), mustRead(t, sample(t))
	if len(a) != len(b) {
		t.Fatalf("%d and %d records", len(a), len(b))
	}
	var at int64
	for i := range a {
		if a[i].ID != b[i].ID || !bytes.Equal(a[i].block, b[i].block) || fmt.Sprint(a[i].Fields) != fmt.Sprint(b[i].Fields) {
			t.Errorf("record %d differs", i)
		}
		if a[i].Offset != at {
			t.Errorf("record %d at %d, want %d", i, a[i].Offset, at)
		}
		at += a[i].Length
	}
	if at != int64(len(plain)) {
		t.Errorf("ends at %d of %d", at, len(plain))
	}
}

// TestOffsets: every record can be read from its offset alone, and its length ends it.
func TestOffsets(t *testing.T) {
	data := sample(t)
	for _, want := range mustRead(t, data) {
		r, err := NewReaderAt(bytes.NewReader(data[:want.Offset+want.Length]), want.Offset, "x").Next()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Verify(); err != nil || r.ID != want.ID || r.Length != want.Length {
			t.Errorf("at %d: %v, id %s, length %d", want.Offset, err, r.ID, r.Length)
		}
	}
}

// TestCutFile: a file that ends inside a record is an error with the offset of that
// record, at whatever byte; one that ends between records is shorter and no error.
func TestCutFile(t *testing.T) {
	plain, _ := os.ReadFile("testdata/sample.warc")
	for _, data := range [][]byte{sample(t), plain} {
		starts := map[int64]bool{}
		first := mustRead(t, data)[:4] // warcinfo, response, request, and where they end
		for _, r := range first {
			starts[r.Offset] = true
		}
		data = data[:first[3].Offset]
		for n := range data {
			all, err := readAll(bytes.NewReader(data[:n]))
			if starts[int64(n)] {
				if err != nil {
					t.Fatalf("cut at %d, between records: %v", n, err)
				}
				continue
			}
			var where *Error
			if !errors.As(err, &where) || where.File != "test.warc.gz" {
				t.Fatalf("cut at %d: %v after %d records", n, err, len(all))
			}
			if !starts[where.Offset] || where.Offset > int64(n) {
				t.Fatalf("cut at %d: error at %d", n, where.Offset)
			}
		}
	}
}

func zip(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

// TestMalformed lists what a strict reader does not let pass.
func TestMalformed(t *testing.T) {
	good := "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
	if _, err := readAll(strings.NewReader(good + zip(good) + good)); err != nil {
		t.Fatalf("the good record: %v", err)
	}
	folded := strings.Replace(good, "WARC-Type: resource", "WARC-Type:\r\n\tresource\r\nX-Other:", 1)
	if all, err := readAll(strings.NewReader(folded)); err != nil || all[0].Type != "resource" {
		t.Fatalf("the folded record: %v", err)
	}
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not there", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, data := range map[string]string{
		"other magic":        edit("WARC/1.1", "WARD/1.1"),
		"version":            edit("WARC/1.1", "WARC/11"),
		"line ends":          strings.ReplaceAll(good, "\r\n", "\n"),
		"lone CR":            edit("resource", "res\rource"),
		"NUL":                edit("resource", "res\x00ource"),
		"no type":            edit("WARC-Type", "X-Type"),
		"no id":              edit("WARC-Record-ID", "X-ID"),
		"no date":            edit("WARC-Date", "X-Date"),
		"bad date":           edit("2026-01-01T", "2026-13-01T"),
		"local date":         edit("00:00:00Z", "00:00:00+01:00"),
		"no length":          edit("Content-Length", "X-Length"),
		"negative length":    edit("Length: 3", "Length: -3"),
		"huge length":        edit("Length: 3", "Length: 99999999999999999999"),
		"long length":        edit("Length: 3", "Length: 999999999999999999"),
		"two lengths":        edit("Content-Length: 3", "Content-Length: 3\r\ncontent-length: 3"),
		"short length":       edit("Length: 3", "Length: 2"),
		"field without name": edit("WARC-Type", ": x\r\nWARC-Type"),
		"space in name":      edit("WARC-Type:", "WARC-Type :"),
		"fold at the start":  edit("WARC-Type", " x\r\nWARC-Type"),
		"endless header":     edit("resource", strings.Repeat("x", maxHeader)),
		"endless fields":     edit("resource", "resource\r\n"+strings.Repeat("x:\r\n", maxHeader/4)),
		"garbage between":    good + "garbage" + good,
		"one line end":       good[:len(good)-2] + good,
		"zeroes at the end":  good + "\x00\x00\x00",
		"two in a member":    zip(good + good),
		"half in a member":   zip(good[:50]) + zip(good[50:]),
		"bad checksum":       zip(good)[:len(zip(good))-8] + "12345678",
		"gzip of nothing":    zip(""),
	} {
		_, err := readAll(strings.NewReader(data))
		var where *Error
		if !errors.As(err, &where) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestVerify finds one changed byte of a block.
func TestVerify(t *testing.T) {
	plain, _ := os.ReadFile("testdata/sample.warc")
	for _, change := range []string{"<html>hello", "GET /a", "via: https"} {
		bad := bytes.Replace(plain, []byte(change), bytes.ToUpper([]byte(change)), 1)
		var found []string
		z := NewReader(bytes.NewReader(bad), "plain.warc")
		for {
			r, err := z.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Verify(); err != nil {
				found = append(found, err.Error())
			}
		}
		if len(found) != 1 || !strings.Contains(found[0], "plain.warc: record at ") {
			t.Errorf("%s: %q", change, found)
		}
	}
}

// TestResponse: heads as servers write them, chunks as some writers keep them.
func TestResponse(t *testing.T) {
	for _, c := range []struct{ block, body, media string }{
		{"HTTP/1.1 200 OK\r\nContent-Type: Text/HTML;charset=x\r\n\r\nbody", "body", "text/html"},
		{"HTTP/1.1 200\nContent-Type: a/b\n\nbody", "body", "a/b"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", "body", ""},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nbody not chunked", "body not chunked", ""},
		{"HTTP/1.1 200 OK\r\n: no name\r\nno colon\r\n\r\n", "", ""},
		{"HTTP/1.1 200 OK", "", ""},
	} {
		data := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2026\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(c.block), c.block)
		z := NewReader(strings.NewReader(data+data), "x")
		r, err := z.Next()
		if err != nil {
			t.Fatal(err)
		}
		h, body, err := r.Response()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(body)
		if err != nil || string(got) != c.body || h.Status != 200 || h.Media() != c.media {
			t.Errorf("%q: %q, %d, %s, %v", c.block, got, h.Status, h.Media(), err)
		}
		if r, err := z.Next(); err != nil || r.Offset != int64(len(data)) {
			t.Errorf("%q: next record: %v", c.block, err)
		}
	}
	for _, line := range []string{"", "HTTP/1.1", "200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000", "HTTP/1.1 -20"} {
		if n, _ := status([]byte(line)); n != 0 {
			t.Errorf("status of %q is %d", line, n)
		}
	}
}

// TestLongHead: a head without end is an error, not memory.
func TestLongHead(t *testing.T) {
	data := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2026\r\nContent-Length: %d\r\n\r\n", 1<<40)
	endless := io.MultiReader(strings.NewReader(data), endlessX{})
	r, err := NewReader(endless, "x").Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Response(); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

type endlessX struct{}

func (endlessX) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzReader: no input makes the reader panic, hang or say more than there is.
func FuzzReader(f *testing.F) {
	plain, _ := os.ReadFile("testdata/sample.warc")
	f.Add(plain[:1500])    // small: the fuzzer shortens what it finds
	f.Add(sample(f)[:824]) // two records
	f.Add([]byte(zip("WARC/1.0\r\n\r\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := readAll(bytes.NewReader(data))
		var where *Error
		if err != nil && !errors.As(err, &where) {
			t.Fatalf("error without a place: %v", err)
		}
		var at int64
		for _, r := range all {
			if r.Offset != at || r.Length <= 0 || int64(len(r.block)) != r.Size() {
				t.Fatalf("record at %d of %d bytes, block %d", r.Offset, r.Length, len(r.block))
			}
			at += r.Length
		}
		if err == nil && at != int64(len(data)) || at > int64(len(data)) {
			t.Fatalf("read %d of %d bytes", at, len(data))
		}
		verifyAll(data)
	})
}

// verifyAll must not panic.
func verifyAll(data []byte) {
	z := NewReader(bytes.NewReader(data), "x")
	for {
		r, err := z.Next()
		if err != nil || r.Verify() != nil {
			return
		}
	}
}
