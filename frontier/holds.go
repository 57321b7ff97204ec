package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// With Options.Hold a site whose work has ended is not asked again before the driver
// has the record of it on disk, which it says by Settle. So a crash forgets at most one
// answer of a site: the next request to it is made after the record of the last.
//
// Holds are no part of the state: they are not saved, and a session ends them. A replay
// that settles where the crawl did decides what the crawl decided. One without holds
// comes to the same pages and sites too, since a Took forces what was taken, but sites
// are free a moment earlier, which Differs counts; only in batch modes may batches be
// chosen at other moments then.

// unsettle counts another end of a work at s that must be settled.
func (f *Frontier) unsettle(s graph.Site) {
	if f.o.Hold {
		f.unsettled[s]++
	}
}

// Settle says that the record of the end of a work at s (Ruled, Listed, Done) is safe; if
// that brought the rules of another site (Ruled with For), Settle is due for it too. It
// is to be called once for each, in any order; after a session for those that came since,
// and calls for others do nothing. When none is left the site goes on.
func (f *Frontier) Settle(now time.Duration, s graph.Site) {
	switch n := f.unsettled[s]; n {
	case 0:
		return
	case 1:
		delete(f.unsettled, s)
	default:
		f.unsettled[s] = n - 1
		return
	}
	if f.place.At(int(s)) == held {
		f.await(now, s)
	}
}

// letGo ends the acquisition of s.
func (f *Frontier) letGo(now time.Duration, s graph.Site) {
	f.await(now, s)
	f.unblock(now, s)
}

// unheld calls fn with the places in which sites would be without holds.
func (f *Frontier) unheld(fn func()) {
	var list []graph.Site
	for s := range f.unsettled {
		if f.place.At(int(s)) == held {
			f.place.Set(int(s), f.placeAt(f.now, s))
			list = append(list, s)
		}
	}
	fn()
	for _, s := range list {
		f.place.Set(int(s), held)
	}
}
