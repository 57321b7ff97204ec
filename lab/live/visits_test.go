package live

import (
	"math"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// By hand: a page is fetched after an hour, unchanged after two, changed after four.
func TestFreshAt(t *testing.T) {
	const hour = time.Hour
	list := []visit{{0, false, hour}, {0, false, 2 * hour}, {0, true, 4 * hour}}
	rate := math.Ln2 / hour.Seconds() // half of all copies are out of date after an hour
	for _, c := range []struct {
		at   time.Duration
		rate float64
		want float64
	}{
		{hour / 2, rate, 0},        // there is no copy
		{3 * hour / 2, rate, 1},    // the next visit finds no change
		{3 * hour, rate, 1.0 / 3},  // of the changes within two hours, (1/2 - 1/4) / (1 - 1/4) come in the second
		{3 * hour, 1e-20, 1.0 / 2}, // rare changes are as likely at any time
		{5 * hour, rate, 1.0 / 2},  // nothing is known of what follows
	} {
		if got := freshAt(list, c.rate, c.at); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("after %v it is %v, want %v", c.at, got, c.want)
		}
	}
	if e := evidence(list); e.Changes != 1 || e.Changed != 7200 || e.Unchanged != 3600 {
		t.Errorf("%+v", e)
	}
}

// The report of a crawl that visits pages again has volume, quality and freshness over time, and
// other shares; that of another crawl has neither.
func TestTradeoff(t *testing.T) {
	again := replaySetting{web: answer.Mixed(), set: with(func(c *config.Config) {
		c.Recrawl, c.Balance, c.Duration = config.Seconds(60), "quality=80,freshness=20", config.Seconds(90)
	})}
	r := mustRead(t, again.crawl(t), "random")
	sections := r.tradeoff()
	if len(sections) != 2 || len(sections[0].Chart.Series) != 4 || len(r.sweep) != len(sweepShares()) {
		t.Fatalf("%d sections, %d shares", len(sections), len(r.sweep))
	}
	c := r.copies
	if c.again() == 0 || c.first != int64(len(r.Real.Result.Order)) || c.again() != r.w.Trail.Revisits+c.missed {
		t.Errorf("%d first visits and %d others; the trail has %d and %d", c.first, c.again(), len(r.Real.Result.Order), r.w.Trail.Revisits)
	}
	for _, s := range sections[0].Chart.Series {
		last := 0.0
		for i, y := range s.Y {
			if y < 0 || y > 1+1e-9 || s.Name != "freshness of the copies" && y < last-1e-9 {
				t.Errorf("%s is %v at point %d", s.Name, y, i)
			}
			last = y
		}
	}
	if v := r.Summary().Freshness; v == nil || *v <= 0 || *v > 1 {
		t.Errorf("freshness %v", v)
	}
	for i, run := range r.sweep[1:] {
		if run.Kept.First > r.sweep[i].Kept.First {
			t.Errorf("with more visits %d new pages, before %d", run.Kept.First, r.sweep[i].Kept.First)
		}
	}
	once := replaySetting{set: under("opic")}
	if s := mustRead(t, once.crawl(t), NoPolicy).tradeoff(); s != nil {
		t.Errorf("%d sections without visits", len(s))
	}
}
