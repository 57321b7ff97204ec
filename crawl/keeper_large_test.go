package crawl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// Where a group would bring many more answers than a file should have, all files but one never
// have more than a quarter more answers than pages may be kept: not when files are synced, nor before one is
// removed (P3).
func TestKeeperLargeGroups(t *testing.T) {
	for _, room := range []int64{4, 24} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestWeb(t, 300, 75, answer.Options{})
			w.server.SetAddresses(75)
			c := &w.o.Config
			c.KeepPages, c.Commit, c.Fetchers, c.Sync = room, config.Seconds(60), 100, false
			root := disk.NewMemory()
			d := &loadedDir{limit: room + max(1, room/4)}
			w.o.Machine.Disk = func(name string) (disk.Dir, error) {
				if name != layout.ArchiveDir {
					return root.Sub(name), nil
				}
				d.Dir = root.Sub(name)
				return d, nil
			}
			sum, err := Run(t.Context(), w.o)
			if err != nil {
				t.Fatal(err)
			}
			if sum.Fetched < 200 || d.removed < 3 || d.least < room {
				t.Fatalf("%d pages, %d files removed, %d answers at most beside the largest file: that is no test", sum.Fetched, d.removed, d.least)
			}
			if d.bad != "" {
				t.Error(d.bad)
			}
		})
	}
}

// A loadedDir counts the answers in the WARC files of a directory.
type loadedDir struct {
	disk.Dir
	limit   int64
	least   int64 // the most answers beside the file with most of them
	removed int
	bad     string
}

func (d *loadedDir) Remove(name string) error {
	d.count("before the removal of " + name)
	if strings.HasSuffix(name, ".warc.gz") {
		d.removed++
	}
	return d.Dir.Remove(name)
}

func (d *loadedDir) Open(name string, how disk.How) (disk.File, error) {
	f, err := d.Dir.Open(name, how)
	if err == nil && how != disk.Read && strings.Contains(name, ".warc.gz") {
		f = &loadedFile{f, d}
	}
	return f, err
}

type loadedFile struct {
	disk.File
	dir *loadedDir
}

func (f *loadedFile) Sync() error {
	f.dir.count("before a sync")
	return f.File.Sync()
}

func (d *loadedDir) count(when string) {
	list, _ := d.List()
	var in []int64
	sum, most := int64(0), int64(0)
	for _, e := range list {
		if !strings.Contains(e.Name, ".warc.gz") {
			continue
		}
		n := int64(0)
		if b, err := disk.ReadFile(d.Dir, e.Name); err == nil {
			n = countAnswers(b)
		}
		in, sum, most = append(in, n), sum+n, max(most, n)
	}
	d.least = max(d.least, sum-most)
	if sum-most > d.limit && d.bad == "" {
		d.bad = fmt.Sprintf("%s files have %v answers; all but one may have %d", when, in, d.limit)
	}
}

// countAnswers counts the responses in a WARC file, which may lack its end.
func countAnswers(b []byte) (n int64) {
	r := bufio.NewReader(bytes.NewReader(b))
	z, err := gzip.NewReader(r)
	for err == nil {
		z.Multistream(false)
		text, _ := io.ReadAll(z)
		if head, _, _ := bytes.Cut(text, []byte("\r\n\r\n")); bytes.Contains(head, []byte("WARC-Type: response")) || bytes.Contains(head, []byte("WARC-Type: revisit")) {
			n++
		}
		err = z.Reset(r)
	}
	return n
}
