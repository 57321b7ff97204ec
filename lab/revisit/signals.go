package revisit

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// A Source tells of changes, true or not, as sitemaps and feeds do.
type Source struct {
	Kind  freshness.Source
	Every time.Duration // between two readings
	// Says reports whether it says at some instant that a page has changed since another.
	Says func(p graph.Page, since, now time.Duration) bool
}

// Honest returns a source that tells of a share of the changes of a log. It is read daily.
func Honest(l *Log, share float64) Source {
	return Source{freshness.Sitemap, day, func(p graph.Page, since, now time.Duration) bool {
		list := l.Changes[p]
		i, _ := slices.BinarySearch(list, now+1)
		return i > 0 && list[i-1] > since && chosen(share, uint64(p), uint64(i))
	}}
}

// Random returns a source that names a share of all pages whenever it is read, each time others.
func Random(share float64) Source {
	return Source{freshness.Sitemap, day, func(p graph.Page, _, now time.Duration) bool {
		return chosen(share, uint64(p), uint64(now))
	}}
}

// chosen reports whether something is among a share of all.
func chosen(share float64, of ...uint64) bool {
	return float64(policy.Hash(0x51e, of...)>>11)/(1<<53) < share
}

// read lets the sources tell a plan what they say at an instant, if they are to be read between
// then and an earlier one.
func (c *Collection) read(plan *freshness.Plan, before, now time.Duration) {
	for _, s := range c.Sources {
		if before/s.Every == now/s.Every {
			continue
		}
		for p := range graph.Page(c.Log.Pages()) {
			if s.Says(p, plan.Seen(p), now) {
				plan.Signal(p, s.Kind)
			}
		}
	}
}
