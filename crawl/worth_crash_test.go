package crawl

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// Crawls with a score, imported values and rules, whose files are edited while they run, which
// visit pages again by the score, and crash: whatever is left, the snapshots are what the records
// make, and the crawl comes to its end.
func TestScoreCrashes(t *testing.T) {
	t.Parallel()
	for i := range lives(2, 1) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { scoreThroughCrashes(t, uint64(i)) })
		})
	}
}

// scoreTexts are expressions over the same terms, and one over others.
func scoreTexts() []string {
	return []string{
		importedScore,
		"0.5*q(location) + 0.5*q(pagerank) + 0*(imported ?? 1)",
		"q(pagerank) - q(location)/10",
		"0.3*q(sites_in) + 0.2*q(cash) + (imported ?? 0)/2000",
	}
}

func scoreThroughCrashes(t *testing.T, seed uint64) {
	w := newCrashWeb(t)
	w.o.Config.Requisites = false
	w.vary(seed)
	rng := rand.New(rand.NewPCG(seed, 6))
	files := w.writeScore(t, 150, scoreTexts()[0])
	c := &w.o.Config
	if seed%2 == 1 {
		c.Policy = "mix:opic+foresight" // the score weighs visits alone
	}
	c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 10 * time.Minute}, "default", config.Duration{Duration: 10 * time.Hour}
	reports, texts, crashes := 0, 3, 3
	if tortured() { // the journal is replayed for other terms, too
		texts, crashes = len(scoreTexts()), 6
	}
	w.o.Progress = func(*history.Status) {
		if reports++; reports%7 == 3 {
			writeFile(t, files.score, scoreTexts()[rng.IntN(texts)])
		}
		if reports%20 == 9 {
			writeFile(t, files.values, fmt.Sprintf("s1.example\t%d\ns2.example\t%d\n", rng.IntN(1000), rng.IntN(1000)))
		}
	}
	for range crashes {
		n := 40 + rng.IntN(400)
		if rng.IntN(3) == 0 {
			n = rng.IntN(40) // during recovery, or soon after
		}
		if !w.runUntil(t, n) {
			t.Fatal("the crawl ended before the disk did")
		}
		w.lose(t, rng)
		w.checkDisk(t)
		if rng.IntN(4) == 0 {
			w.deleteDerived()
		}
		time.Sleep(time.Duration(rng.Int64N(int64(time.Minute))))
	}
	w.root.Stop(-1)
	c.Duration = config.Duration{Duration: 25 * time.Minute}
	if sum := w.run(t); sum.Why != whyDuration {
		t.Errorf("it ended because of %s", sum.Why)
	}
	w.checkDisk(t)
	w.verify(t)
	if n := w.scored(t); n < 2 {
		t.Errorf("%d changes of the score are no test", n)
	}
}

// scored returns the number of changes of the score while the crawl ran.
func (w *crashWeb) scored(t *testing.T) (n int) {
	t.Helper()
	if _, err := journal.Read(w.root.Sub(layout.JournalDir), 0, func(r *journal.Record) error {
		if r.Event.Kind == event.Scored {
			n++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
