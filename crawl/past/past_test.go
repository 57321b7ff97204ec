package past_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/past"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// write writes a file of a test.
func write(t *testing.T, text []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "old.tsv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the values at a path, a line each.
func read(t *testing.T, path string) (string, error) {
	t.Helper()
	v, err := past.Open(t.Context(), path, 1<<20)
	if err != nil {
		return "", err
	}
	defer v.Close()
	var b strings.Builder
	err = v.Each(func(url []byte, value float64) error {
		_, err := fmt.Fprintf(&b, "%s %g\n", url, value)
		return err
	})
	return b.String(), err
}

// URLs are in their normal form, as a crawl has them, and those that no crawl can have are
// left out. Compressed lists are read, too.
func TestList(t *testing.T) {
	text := "HTTP://A.example:80\t0.5\nftp://a.example/\t7\nhttps://b.example/x/../y#part\t2\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(text))
	z.Close()
	for _, list := range [][]byte{[]byte(text), packed.Bytes()} {
		got, err := read(t, write(t, list))
		if want := "http://a.example/ 0.5\nhttps://b.example/y 2\n"; got != want || err != nil {
			t.Errorf("values %q, %v, want %q", got, err, want)
		}
	}
}

// What is no list and no crawl is refused with a hint.
func TestRefused(t *testing.T) {
	for what, path := range map[string]string{
		"nothing":   filepath.Join(t.TempDir(), "none"),
		"directory": t.TempDir(),
		"ids":       write(t, []byte("17\t1\n")),
		"no value":  write(t, []byte("http://a.example/\n")),
		"no number": write(t, []byte("http://a.example/\tmuch\n")),
		"below 0":   write(t, []byte("http://a.example/\t-1\n")),
	} {
		var hinted *hint.Error
		if _, err := read(t, path); !errors.As(err, &hinted) || hinted.Hint == "" {
			t.Errorf("%s: error %v, want one with a hint", what, err)
		}
	}
}
