package revisit

import (
	"context"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
)

// A Collection is what a virtual crawler keeps fresh. It fetched all pages when the log
// begins.
type Collection struct {
	Log    *Log
	Weight []float64 // by page; they sum to 1
	Place  []int     // by page: its directory; nil: all pages are in one
	Above  []int     // by directory: the one above it, which has a smaller number; -1 for none
	// Sources tell of changes.
	Sources []Source
}

// A Result is what an allocation achieved. Shares and means are weighted, and are those of
// the last two thirds of the log.
type Result struct {
	Requests  int     // visits, in the whole time
	Changed   int     // visits that found a change
	Staleness float64 // share of the pages whose copy is out of date
	Age       float64 // days since the first change that the copy of a page lacks, 0 for fresh ones
	// Curve is the share that is out of date in each hundredth of the whole time.
	Curve []float64
}

// CurvePoints is the number of points of a curve.
const CurvePoints = 100

// Run lets an allocation choose rate visits a day.
func (c *Collection) Run(ctx context.Context, a freshness.Allocation, rate float64) (*Result, error) {
	n := c.Log.Pages()
	every := time.Duration(min(float64(n)/rate*float64(day), math.MaxInt64/2))
	plan := freshness.New(freshness.Options{Allocation: a, Every: every, MaxPages: max(n, len(c.Above))})
	defer plan.Free()
	c.fetchAll(plan)
	k := newKeeper(c)
	gap := float64(day) / rate
	for i := 1; ; i++ {
		now := time.Duration(float64(i) * gap)
		if now > c.Log.Length {
			break
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.read(plan, now-time.Duration(gap), now)
		if p, ok := next(plan, now); ok {
			k.visit(now, p)
			plan.Visited(now, p, freshness.Visit{Digest: k.version(p)})
		}
	}
	return k.result(), nil
}

// next returns the page to visit now. If the rest of a round was visited for other reasons, it is
// one of the next round.
func next(plan *freshness.Plan, now time.Duration) (p graph.Page, ok bool) {
	for range 2 {
		for plan.Work(now, math.MaxInt) {
		}
		if p, ok = plan.Next(now); ok {
			break
		}
	}
	return p, ok
}

// fetchAll makes all pages known to a plan.
func (c *Collection) fetchAll(plan *freshness.Plan) {
	if len(c.Above) == 0 {
		plan.AddPlace(-1)
	}
	for _, above := range c.Above {
		plan.AddPlace(above)
	}
	for p := range c.Log.Pages() {
		place := 0
		if c.Place != nil {
			place = c.Place[p]
		}
		plan.Fetched(0, graph.Page(p), place, c.Weight[p], 0)
	}
}

// Clairvoyant lets the visits go to pages that are out of date, the heaviest first. No
// crawler can do that.
func (c *Collection) Clairvoyant(ctx context.Context, rate float64) (*Result, error) {
	k := newKeeper(c)
	feed := c.feed()
	waiting := newStale(c.Weight)
	gap := float64(day) / rate
	for i := 1; ; i++ {
		now := time.Duration(float64(i) * gap)
		if now > c.Log.Length {
			return k.result(), nil
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for len(feed) > 0 && feed[0].at <= now {
			waiting.add(feed[0].page)
			feed = feed[1:]
		}
		if p, ok := waiting.next(); ok {
			k.visit(now, p)
		}
	}
}
