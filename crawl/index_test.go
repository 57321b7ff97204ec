package crawl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/layout"
)

// A crawl that ended by itself has an index of each file, however large. One that somebody
// stopped leaves out what takes long, and says so; a file that cannot be read does not
// keep the others from theirs.
func TestIndexes(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, layout.ArchiveDir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		return archive.IndexName(path)
	}
	text := gzipped(warcRecord("response", "http://a.example/", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x"))
	bad := put("winnow-20260131235959-00000.warc.gz", text[:len(text)/2])
	good := put("winnow-20260131235959-00001.warc.gz", text)
	there := func(name string) bool { _, err := os.Stat(name); return err == nil }
	quick := &pace{}
	quick.hurry.Store(true)
	if n, err := writeIndexes(dir, int64(len(text)), quick); n != 0 || !errors.Is(err, errLater) {
		t.Errorf("in a hurry: %d, %v", n, err)
	}
	x, told := indexer{dir: dir, pace: &pace{}}, 0
	warn := func(string, ...any) { told++ }
	if x.finish(false, warn); !there(good) || there(bad) || told != 1 {
		t.Errorf("index of the good file: %t, of the bad one: %t, said %d times", there(good), there(bad), told)
	}
}

// warcRecord returns a record as other crawlers write them, uncompressed.
func warcRecord(kind, url, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
		"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\nContent-Type: application/http;msgtype=%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, url, kind, len(block), block)
}
