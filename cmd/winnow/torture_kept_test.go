package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/archive"
)

// TestTortureKept kills a crawl that keeps few pages, whose commits bring many more answers than
// a file should have. After each kill all WARC files but one have at most 1.25 times as many
// answers, and verify finds nothing.
func TestTortureKept(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seconds, and many more under the race detector; package crawl has crashes of its own there")
	}
	const room = 40
	v := newVictim(t, 500)
	v.args = append(v.args, "--keep-pages", "40", "--commit", "1s")
	rng := rand.New(rand.NewPCG(8, 3))
	kills, most := 0, 0
	for range 8 {
		if !v.runAndKill(t, lifetime(rng)+lifetime(rng)) {
			break
		}
		kills++
		v.checkKilled(t)
		most = max(most, v.checkRoom(t, room))
	}
	v.finish(t)
	v.checkKilled(t)
	most = max(most, v.checkRoom(t, room))
	if kills < 3 || most < room/2 {
		t.Errorf("%d kills, files had up to %d answers: that is no test", kills, most)
	}
}

// checkRoom checks how many answers the WARC files have, and returns how many all but one have.
func (v *victim) checkRoom(t *testing.T, room int) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(v.dir, "warc", "*.warc.gz*"))
	if err != nil {
		t.Fatal(err)
	}
	var in []int
	sum, most := 0, 0
	for _, name := range files {
		n := countAnswers(t, name)
		in, sum, most = append(in, n), sum+n, max(most, n)
	}
	if sum-most > room+room/4 {
		t.Errorf("room for %d pages, but files have %v answers", room, in)
	}
	return sum - most
}

// countAnswers counts the responses in a WARC file, whose end may be missing.
func countAnswers(t *testing.T, name string) (n int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := archive.NewReader(f, name); ; {
		rec, err := r.Next()
		if err != nil {
			return n
		}
		if rec.Type == "response" || rec.Type == "revisit" {
			n++
		}
	}
}
