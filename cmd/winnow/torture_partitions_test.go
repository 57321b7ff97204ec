package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
)

// TestTorturePartitions kills a crawl with four partitions, as TestTorture does one without. In
// the end it has the pages of a crawl with one that nobody killed.
func TestTorturePartitions(t *testing.T) {
	kills, err := strconv.Atoi(os.Getenv("WINNOW_TORTURE"))
	if err != nil {
		t.Skip("make torture runs it")
	}
	pages := 150 * kills
	options := []string{"--policy", "opic", "--ip-cap", "1", "--keep-alive", "0"}
	whole := newVictim(t, pages)
	whole.args = append(unscored(whole.args), options...)
	whole.finish(t)
	v := newVictim(t, pages)
	v.args = append(append(unscored(v.args), options...), "--partitions", "4")
	rng := rand.New(rand.NewPCG(4, 19))
	for range kills {
		if !v.runAndKill(t, 2*lifetime(rng)) {
			break
		}
		if _, err := os.Stat(filepath.Join(v.dir, layout.PartitionsFile)); err == nil && v.committed() {
			runWinnow(t, "verify", v.dir)
		}
	}
	t.Logf("killed %d times, %d times before anything was asked for", len(v.kills), v.early)
	if 2*len(v.kills) < kills {
		t.Errorf("the crawl ended after %d of %d kills: too small a web", len(v.kills), kills)
	}
	v.finish(t)
	runWinnow(t, "verify", v.dir)
	c := v.server.Counter()
	found := c.Check(webcount.Demands{Delay: tortureDelay, AddressDelay: tortureIPDelay, AddressCap: 1})
	for _, x := range append(found, c.CheckWanted(v.server.Wanted(answer.Limits{Sitemaps: true}))...) {
		if x.Kind != webcount.Repeated && (x.Kind != webcount.RetryAfter || !v.killedBetween(asksToWait(c, x), x.At)) {
			t.Error(x)
		}
	}
	v.samePages(t, whole)
}

// unscored returns arguments without the file of the score, which is read again while a crawl runs.
func unscored(args []string) []string {
	i := slices.Index(args, "--score-file")
	return slices.Delete(slices.Clone(args), i, i+2)
}

// committed reports whether all partitions have committed something.
func (v *victim) committed() bool {
	for i := range 4 {
		files, _ := filepath.Glob(filepath.Join(layout.PartitionDir(v.dir, i), "journal", "0000", "*"))
		if size := fileSizes(files); size < 1000 {
			return false
		}
	}
	return true
}

func fileSizes(files []string) (n int64) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			n += info.Size()
		}
	}
	return n
}
