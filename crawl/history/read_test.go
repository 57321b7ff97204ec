package history_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A countingDir counts the bytes that are read of its files.
type countingDir struct {
	disk.Dir
	read map[string]int64
}

func (d countingDir) Open(name string, how disk.How) (disk.File, error) {
	f, err := d.Dir.Open(name, how)
	return countingFile{f, name, d.read}, err
}

type countingFile struct {
	disk.File
	name string
	read map[string]int64
}

func (f countingFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(b, at)
	f.read[f.name] += int64(n)
	return n, err
}

// Nobody reads the journal more often than necessary. The status of a crawl that has a
// snapshot needs no more than the end, its pages one reading, and a report two: one for
// visits and times, one for the links.
func TestReadingsOfJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 12, answer.Options{})
		w.o.Machine.Sizes.Journal = 20_000
		w.run(t, 0)
		for _, test := range []struct {
			name     string
			read     func(*history.Crawl) error
			readings float64
		}{
			{"status", func(c *history.Crawl) error { _, err := c.Status(); return err }, 0},
			{"pages", func(c *history.Crawl) error {
				return c.Pages(&history.PageFilter{}, func(*history.PageInfo) error { return nil })
			}, 1},
			{"report", report, 2},
		} {
			if n := w.readings(t, test.read); n > test.readings+0.2 || n < test.readings-0.2 {
				t.Errorf("%s: the journal was read %.2f times, want %v", test.name, n, test.readings)
			}
		}
	})
}

// report reads what winnow report reads.
func report(c *history.Crawl) error {
	if _, err := c.Trail(); err != nil {
		return err
	}
	feed, err := c.Feed()
	if err == nil {
		err = feed.Links(func(_, _ graph.Page) error { return nil }, func(_, _ int64) error { return nil })
	}
	if err == nil {
		err = feed.URLs(func([]byte) error { return nil })
	}
	for _, read := range []func() error{
		func() error { _, err := c.Status(); return err },
		func() error { _, err := c.SiteNames(); return err },
		func() error { _, err := c.Config(); return err },
		func() error { _, err := c.Sessions(); return err },
		func() error { _, err := c.Trail(); return err },
	} {
		if err == nil {
			err = read()
		}
	}
	return err
}

// readings returns how many times something reads the journal but for its last file, which
// every reader looks at to find the end.
func (w *testWeb) readings(t *testing.T, read func(*history.Crawl) error) float64 {
	t.Helper()
	p, err := layout.Open(w.open)
	if err != nil {
		t.Fatal(err)
	}
	files, err := p.Journal.List()
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	count := countingDir{p.Journal, map[string]int64{}}
	p.Journal = count
	c, err := history.OpenParts(t.Context(), "memory", p)
	if err == nil {
		defer c.Close()
		err = read(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(files, func(a, b disk.Entry) int { return strings.Compare(a.Name, b.Name) })
	var got, size int64
	for _, f := range files[:len(files)-1] {
		got, size = got+count.read[f.Name], size+f.Size
	}
	return float64(got) / float64(size)
}
