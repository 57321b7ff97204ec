package archive

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/internal/disk"
)

func TestSURT(t *testing.T) {
	for url, want := range map[string]string{
		"https://www.example.org/a":          "org,example)/a",
		"http://www12.Example.org:80/A?b&a":  "org,example)/a?a&b",
		"https://example.org:443":            "org,example)/",
		"http://example.org:443/":            "org,example:443)/",
		"http://www.org/":                    "org,www)/",
		"http://wwwx.example.org/":           "org,example,wwwx)/",
		"http://127.0.0.1:8080/x":            "1,0,0,127:8080)/x",
		"http://[2001:db8::1]:81/x":          "[2001:db8::1]:81)/x",
		"http://example.org?q":               "org,example)/?q",
		"http://example.org/a?":              "org,example)/a",
		"http://u:p@example.org/a#f":         "org,example)/a",
		"http://example.org/a b\r\nc":        "org,example)/a%20b%0d%0ac",
		"dns:example.org":                    "dns:example.org",
		"http://example.org/?c=3&a=1&b=2&a=": "org,example)/?a=&a=1&b=2&c=3",
	} {
		if got := surt(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// TestIndex: sorted, one line for each page, and each leads to its record.
func TestIndex(t *testing.T) {
	data, err := os.ReadFile("testdata/sample.warc") // plain: its offsets do not change with the compressor
	if err != nil {
		t.Fatal(err)
	}
	lines, err := Index(NewReader(bytes.NewReader(data), "x"), "x.warc")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/sample.cdxj")
	if *update {
		err = os.WriteFile("testdata/sample.cdxj", lines, 0o644)
		want = lines
	}
	if err != nil || !bytes.Equal(lines, want) {
		t.Errorf("%v\n%s\nwant\n%s", err, lines, want)
	}
	split := strings.SplitAfter(string(lines), "\n")
	if !slices.IsSorted(split[:len(split)-1]) || len(split) != 6 {
		t.Errorf("%d lines", len(split)-1)
	}
}

func TestWriteIndex(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a-20260131235959-00000.warc.gz")
	if err := os.WriteFile(name, sample(t), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteIndex(name); err != nil {
		t.Fatal(err)
	}
	got := contents(t, disk.OS(dir))
	if len(got) != 2 || !strings.Contains(got["a-20260131235959-00000.cdxj"], `"filename":"a-20260131235959-00000.warc.gz"`) {
		t.Errorf("%q", got)
	}
	os.WriteFile(name, sample(t)[:1000], 0o644)
	if err := WriteIndex(name); err == nil || !strings.Contains(err.Error(), "record at 960") {
		t.Errorf("cut file: %v", err)
	}
}

// FuzzIndex: whatever a file and its URLs hold, each line is a key, a time and an object.
func FuzzIndex(f *testing.F) {
	plain, _ := os.ReadFile("testdata/sample.warc")
	f.Add(plain[:1500]) // small: the fuzzer shortens what it finds
	f.Add([]byte("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: x\r\nWARC-Target-URI: <http://\xff b/?&>\r\nWARC-Date: 2026\r\nContent-Length: 0\r\n\r\n\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := Index(NewReader(bytes.NewReader(data), "x"), "x")
		if err != nil {
			return
		}
		again, _ := Index(NewReader(bytes.NewReader(data), "x"), "x")
		if !bytes.Equal(lines, again) {
			t.Fatal("not deterministic")
		}
		for line := range bytes.Lines(lines) {
			part := bytes.SplitN(line, []byte(" "), 3)
			if len(part) != 3 || len(part[0]) == 0 || len(part[1]) != 14 || !digits(string(part[1])) || !json.Valid(part[2]) {
				t.Fatalf("line %q", line)
			}
		}
	})
}

// The place of a line is found without reading the rest of it, if the line is whole.
func TestLinePlace(t *testing.T) {
	entry := appendEntry(nil, `http://a.example/?x=,"length":"7","offset":"8","filename":"y"}`, time.Unix(0, 0), 200, "text/html", "sha1:X")
	line := AppendLine(nil, entry, 12345, 678, "winnow-20260131235959-00000.warc.gz")
	want, err := ParseLine(line)
	if err != nil {
		t.Fatal(err)
	}
	if offset, length, ok := LinePlace(line); !ok || offset != want.Offset || length != want.Length || offset != 12345 || length != 678 {
		t.Errorf("%s: %d, %d, %t", line, offset, length, ok)
	}
	for n := range line {
		if _, _, ok := LinePlace(line[:n]); ok {
			t.Errorf("%q is whole", line[:n])
		}
	}
}
