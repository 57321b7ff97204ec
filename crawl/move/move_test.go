package move

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// One machine begins a crawl, three nodes continue it, and one machine ends it. No page is lost, none
// is fetched twice, and nothing is wrong with the journals and the archive, nor with a copy that was
// made meanwhile.
func TestThereAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 6)
		if why := w.alone(7 * time.Second); why != "stopped" {
			t.Fatalf("the first part has ended: %s", why)
		}
		w.adopt()
		first := w.requests()
		wait := w.together("a", "b", "c")
		time.Sleep(18 * time.Second)
		g := w.gather("copy", false)
		if n := w.verify("copy"); n == 0 || len(g.Missing) == 0 {
			t.Errorf("the copy lacks %d files, and the gathering says %v: those of one machine are not on a node", n, g.Missing)
		}
		if g.Compared != 6 || len(g.Differ)+len(g.Unasked) > 0 {
			t.Errorf("the disks of nodes: %+v", g)
		}
		user := w.broker.Client("user", nil).Engine()
		if err := node.Move(t.Context(), user, "here"); err == nil {
			t.Error("a crawl was moved that runs")
		}
		if err := node.Command(t.Context(), user, "stop"); err != nil {
			t.Fatal(err)
		}
		wait()
		second := w.requests()
		for _, name := range []string{"a", "b", "c"} {
			o := w.options(name)
			stop, err := node.Serve(&o)
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
		}
		w.damage("a")
		if g = w.gather("copy", false); g.Compared == 0 || len(g.Differ) == 0 || g.Compared+len(g.Differ) != 6 {
			t.Errorf("a journal was damaged: %+v", g)
		}
		g = w.gather("", true)
		if len(g.Missing) > 0 || !g.Moved || g.Removed > 0 {
			t.Errorf("%+v", g)
		}
		if n := w.verify(""); n > 0 {
			t.Errorf("%d files are missing", n)
		}
		if err := node.Command(t.Context(), user, "resume"); err == nil {
			t.Error("a crawl was resumed that was moved")
		}
		if why := w.alone(time.Hour); why != "finished" {
			t.Errorf("the last part has ended: %s", why)
		}
		w.verify("")
		w.served()
		if n := w.requests(); first == 0 || second-first < 30 || n-second < 30 {
			t.Errorf("%d requests by one machine, %d by nodes, %d in all: the test shows little", first, second-first, n)
		}
		t.Logf("%d requests by one machine, %d by nodes, %d in all; %+v", first, second-first, w.requests(), g)
	})
}

// damage cuts the journals on the disk of a node.
func (w *world) damage(name string) {
	w.t.Helper()
	for i := range w.config.Partitions {
		d, err := w.open(name)(layout.PartitionName(i) + "/" + layout.JournalDir)
		if err != nil {
			w.t.Fatal(err)
		}
		list, err := d.List()
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range list {
			f, err := d.Open(e.Name, disk.Change)
			if err == nil {
				err = f.Truncate(e.Size / 2)
			}
			if err != nil {
				w.t.Fatal(err)
			}
			f.Close()
		}
	}
}
