package crawl

import (
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// countedDir counts the files of a directory that are open.
type countedDir struct {
	disk.Dir
	open *atomic.Int64
}

func (d countedDir) Open(name string, how disk.How) (disk.File, error) {
	f, err := d.Dir.Open(name, how)
	if err != nil {
		return nil, err
	}
	d.open.Add(1)
	return countedFile{f, d.open}, nil
}

type countedFile struct {
	disk.File
	open *atomic.Int64
}

func (f countedFile) Close() error {
	err := f.File.Close()
	if err == nil {
		f.open.Add(-1)
	}
	return err
}

// However a run ends, it leaves no file open: one program may make many.
func TestFilesClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 10, answer.Options{})
		var open atomic.Int64
		w.o.Machine.Disk = func(name string) (disk.Dir, error) {
			d, err := w.disk.open(name)
			return countedDir{d, &open}, err
		}
		w.o.Machine.Sizes = Sizes{Replay: 1, Journal: 20_000} // snapshots and files all the time
		run := func(what string, fails bool) {
			t.Helper()
			if _, err := Run(t.Context(), w.o); (err != nil) != fails {
				t.Errorf("%s: %v", what, err)
			}
			if n := open.Swap(0); n != 0 {
				t.Errorf("%s: %d files are open", what, n)
			}
		}
		w.o.Config.Pages = 50
		run("a run", false)
		seeds := w.o.Seeds
		w.o.Seeds = []string{"http://another.example/"}
		run("other seeds", true)
		w.o.Seeds = seeds
		w.o.Config.CAFile, w.o.Machine.TLS = "no-such-file.pem", nil
		run("no such file of authorities", true)
		w.o.Config.CAFile, w.o.Machine.TLS = "", w.server.ClientTLS()
		for i, part := range []string{layout.ArchiveDir, layout.JournalDir, layout.SnapshotDir, layout.URLDir} {
			w.o.Config.Pages = int64(100 + 50*i)
			w.disk[part].FailWrite(2, syscall.EIO)
			_, err := Run(t.Context(), w.o)
			if n := open.Swap(0); n != 0 {
				t.Errorf("failed writes to %s (%v): %d files are open", part, err, n)
			}
		}
		w.o.Config.Pages = 0
		run("the end", false)
	})
}
