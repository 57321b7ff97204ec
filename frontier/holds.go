package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// With Options.Hold a site is not requested again before the record of its last answer
// is on disk, which the driver reports by Settle. So a crash loses at most one answer of
// a site.
//
// Holds are no part of the state: they are not saved, and a session ends them. A replay
// with the same calls of Settle makes the same decisions as the crawl. A replay without
// holds ends with the same pages and sites, since a Took forces what was taken. But its
// sites are free a moment earlier, which Differs counts, and in batch modes batches may
// be chosen at other moments.

// unsettle counts the end of a task at s that must be settled.
func (x *sites) unsettle(s graph.Site) {
	if x.o.Hold {
		x.unsettled[s]++
	}
}

// settle notes that the record of an end is on disk. After the last one s continues.
func (x *sites) settle(now time.Duration, s graph.Site) {
	n := x.unsettled[s]
	if n > 1 {
		x.unsettled[s] = n - 1
		return
	}
	delete(x.unsettled, s)
	if n == 1 && x.place.At(int(s)) == held {
		x.await(now, s)
	}
}

// unheld calls fn with held sites moved to where they would be without holds.
func (x *sites) unheld(fn func()) {
	var list []graph.Site
	for s := range x.unsettled {
		if x.place.At(int(s)) == held {
			x.place.Set(int(s), x.placeAt(x.now, s))
			list = append(list, s)
		}
	}
	fn()
	for _, s := range list {
		x.place.Set(int(s), held)
	}
}
