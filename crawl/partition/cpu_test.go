package partition

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// TestCPU writes CPU profiles of a crawl with one partition and with four to the directory that
// WINNOW_PROFILES names. Time in loop.run is that of the owners, by the label partition.
func TestCPU(t *testing.T) {
	dir := os.Getenv("WINNOW_PROFILES")
	if dir == "" {
		t.Skip("WINNOW_PROFILES names no directory")
	}
	for _, n := range []int{1, 4} {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("partitions-%d.prof", n)))
		if err != nil {
			t.Fatal(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil { // its goroutine is not one of the bubble
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			w := newTestWeb(t, fakeweb.Spec{Pages: 3000, Sites: 300, Links: 45_000, Seed: 7}, answer.Options{})
			c := &w.o.Config
			c.Partitions, c.Delay, c.DelayFactor = n, config.Seconds(1), 0
			sum := w.run(t)
			t.Logf("%d partitions: %d pages, %d foreign, %.0f s", n, sum.Fetched, sum.Foreign, sum.Seconds)
		})
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
