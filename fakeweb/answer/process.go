package answer

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/internal/poisson"
	"github.com/winnow-crawler/winnow/graph"
)

// Streams of the changing web. Renumbering them changes every changing web.
const (
	streamDirRate  = iota + 160 // interval of a directory
	streamPageRate              // of a page, relative to that of its directory
	streamBurst                 // bursts of a directory
	streamEpoch                 // number of changes in an epoch
	streamPoint                 // where in the epoch
	streamJoin                  // whether a page takes part in a burst
	streamNews                  // the sentence that differs between versions
	streamNoise
	streamHonesty // validators of a site
	streamDates
	streamFeed
	streamFate
	streamOutage
	streamPriority
)

// ChangeInterval returns the mean time between two changes of page p: the true rate is 1
// over it. It is 0 when nothing changes.
func (w *World) ChangeInterval(p graph.Page) time.Duration {
	if w.rules.opt.Changes.Clock == nil {
		return 0
	}
	site, j := w.web.Locate(p)
	return w.rules.interval(&site, j)
}

// Rate returns the mean number of changes of page p in a day.
func (w *World) Rate(p graph.Page) float64 {
	d := w.ChangeInterval(p)
	if d == 0 {
		return 0
	}
	return float64(24*time.Hour) / float64(d)
}

// Version returns the number of changes of page p up to an instant of Changes.Clock, and
// the instant of the last one, 0 if there was none.
func (w *World) Version(p graph.Page, at time.Duration) (version uint32, since time.Duration) {
	site, j := w.web.Locate(p)
	return w.rules.version(&site, j, at)
}

// Changes returns the instants after from up to to at which page p changes, ascending.
func (w *World) Changes(p graph.Page, from, to time.Duration) (at []time.Duration) {
	site, j := w.web.Locate(p)
	r := &w.rules
	if r.opt.Changes.Median == 0 {
		r.walk(&site, j, to, func(t time.Duration) {
			if t > from {
				at = append(at, t)
			}
		})
		return at
	}
	own, bursts := r.processes(&site, j)
	at = bursts.Between(own.Between(nil, from, to), from, to)
	slices.Sort(at)
	return at
}

// instant returns the present instant of the clock, 0 without one.
func (r *dice) instant() time.Duration {
	if clock := r.opt.Changes.Clock; clock != nil {
		return clock()
	}
	return 0
}

// interval returns the mean time between two changes of page j.
func (r *pageRules) interval(s *fakeweb.Site, j uint32) time.Duration {
	c := &r.opt.Changes
	if c.Median == 0 {
		return time.Duration(r.intervals.At(r.draw(s, streamRate, uint64(j))))
	}
	x := float64(c.PageSpread * draw.Normal(r.draw(s, streamPageRate, uint64(j))))
	return time.Duration(max(1, min(r.dirInterval(s, j)*r.exp.At(x), 1<<61)))
}

// dirInterval returns the mean interval of a page of the directory of page j whose own
// factor is 1. The home page is a directory of its own.
func (r *pageRules) dirInterval(s *fakeweb.Site, j uint32) float64 {
	c, d := &r.opt.Changes, uint64(0)
	if dir, _ := s.Place(j); dir >= 0 {
		d = uint64(dir) + 1
	}
	return float64(c.Median) * r.exp.At(float64(c.Spread*draw.Normal(r.draw(s, streamDirRate, d))))
}

// version returns the number of changes of page j up to an instant, and the last of them.
func (r *pageRules) version(s *fakeweb.Site, j uint32, at time.Duration) (n uint32, since time.Duration) {
	if r.opt.Changes.Median == 0 {
		r.walk(s, j, at, func(t time.Duration) { n, since = n+1, t })
		return n, since
	}
	own, bursts := r.processes(s, j)
	n, since = own.Until(at)
	m, last := bursts.Until(at)
	return n + m, max(since, last)
}

// walk calls fn with the changes of a Poisson process up to an instant: the gaps between
// them are exponential, -ln(u) times their mean.
func (r *pageRules) walk(s *fakeweb.Site, j uint32, at time.Duration, fn func(time.Duration)) {
	mean := float64(r.interval(s, j))
	seed := r.draw(s, streamChange, uint64(j))
	next := time.Duration(0)
	for n := uint64(0); ; n++ {
		gap := time.Duration(min(mean*draw.MinusLog(draw.Unit(draw.Hash(seed, streamChange, n))), 1<<62))
		if gap > at-next {
			return
		}
		next += gap
		fn(next)
	}
}

// burstPages is the share of the pages of a directory that change in a burst, if all of
// them change at the rate of the directory.
const burstPages = 0.5

// processes returns the changes that page j makes by itself, and those that it makes
// together with others of its directory. Both rates sum up to that of the page: the
// directory has bursts at the rate Bursts/burstPages times its own, and the page takes part
// in each with probability burstPages times its rate over that of the directory.
func (r *pageRules) processes(s *fakeweb.Site, j uint32) (own, bursts poisson.Process) {
	share, rate := r.opt.Changes.Bursts, 1/float64(r.interval(s, j))
	if share > 0 {
		dirRate := 1 / r.dirInterval(s, j)
		burstRate := dirRate * share / burstPages
		join := min(1, burstPages*rate/dirRate)
		d, _ := s.Place(j)
		bursts = r.poisson.Process(r.draw(s, streamBurst, uint64(d+1)), burstRate)
		bursts.Thin(r.draw(s, streamJoin, uint64(j))|1, join)
		rate -= float64(burstRate * join)
	}
	return r.poisson.Process(r.draw(s, streamChange, uint64(j)), rate), bursts
}

// dated returns the version of page j at an instant, and its date. Pages that have not
// changed have dates in the three years before the web began.
func (r *pageRules) dated(s *fakeweb.Site, j uint32, at time.Duration) (version uint32, date time.Time) {
	var since time.Duration
	if r.opt.Changes.Clock != nil {
		version, since = r.version(s, j, at)
	}
	if version == 0 {
		age := draw.Below(r.draw(s, streamValidators, uint64(j)+1), 3*365*24*3600)
		return 0, r.date(-time.Duration(age) * time.Second)
	}
	return version, r.date(since)
}

// date returns the date of an instant.
func (r *dice) date(at time.Duration) time.Time { return r.opt.Changes.Began.Add(at) }
