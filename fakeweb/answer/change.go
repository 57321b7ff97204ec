package answer

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// webBegan is the date of the first version of pages that change, and the instant 0 of
// Changes.Clock.
var webBegan = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// ChangeInterval returns the mean time between two changes of page p: the true rate is 1
// over it. It is 0 when nothing changes.
func (w *World) ChangeInterval(p graph.Page) time.Duration {
	if w.rules.opt.Changes.Clock == nil {
		return 0
	}
	site, j := w.web.Locate(p)
	return w.rules.interval(&site, j)
}

// Version returns the number of changes of page p up to an instant of Changes.Clock, and
// the instant of the last one, 0 if there was none.
func (w *World) Version(p graph.Page, at time.Duration) (version uint32, since time.Duration) {
	site, j := w.web.Locate(p)
	return w.rules.version(&site, j, at)
}

func (r *pageRules) interval(s *fakeweb.Site, j uint32) time.Duration {
	return time.Duration(r.intervals.at(r.draw(s, streamRate, uint64(j))))
}

// version walks the changes of a Poisson process: the gaps between them are
// exponential, -ln(u) times their mean. Its time is proportional to the number of changes.
func (r *pageRules) version(s *fakeweb.Site, j uint32, at time.Duration) (n uint32, since time.Duration) {
	mean := float64(r.interval(s, j))
	seed := r.draw(s, streamChange, uint64(j))
	for next := time.Duration(0); ; n++ {
		gap := time.Duration(min(mean*minusLog(unit(draw.Hash(seed, streamChange, uint64(n)))), 1<<62))
		if gap > at-next {
			return n, since
		}
		next += gap
		since = next
	}
}

// now returns the version of page j to serve, and its date. Pages that do not change have
// dates in the three years before webBegan.
func (r *pageRules) now(s *fakeweb.Site, j uint32) (version uint32, date time.Time) {
	var since time.Duration
	if clock := r.opt.Changes.Clock; clock != nil {
		version, since = r.version(s, j, clock())
	}
	if version == 0 {
		age := draw.Below(r.draw(s, streamValidators, uint64(j)+1), 3*365*24*3600)
		return 0, webBegan.Add(-time.Duration(age) * time.Second)
	}
	return version, webBegan.Add(since)
}

// minusLog returns -ln(u) for 0 < u < 1, from sums, products and quotients alone and none of
// them fused, so that a page changes at the same nanosecond on every machine: with
// u = m 2^e and 1/2 <= m < 1, ln m = 2 artanh((m-1)/(m+1)), whose series needs 24 terms
// at most for a relative error of 1e-15.
func minusLog(u float64) float64 {
	m, e := math.Frexp(u)
	x := (m - 1) / (m + 1)
	x2 := float64(x * x)
	sum := 0.0
	for k := 47; k >= 1; k -= 2 {
		sum = float64(sum*x2) + 1/float64(k)
	}
	return -(float64(2*float64(x*sum)) + float64(float64(e)*math.Ln2))
}
