package frontier

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// postpone sets the instant before which s is not asked again: the largest of all
// delays after the end of the answer.
func (f *Frontier) postpone(now time.Duration, s graph.Site, e *event.Event) {
	d := f.size(s)
	t := f.download(s, e)
	if f.o.Factor > 0 {
		most := limit(f.o.FactorMax)
		d = max(d, time.Duration(min(float64(most), f.o.Factor*float64(t)))) // beyond most it may be no duration
	}
	if e.Stale && f.o.Resolve && f.stage.At(int(s)) != closed {
		f.names.Set(int(s), max(1, int64(now))) // it has expired
	}
	d = max(d, f.crawlDelay(s))
	if f.stage.At(int(s)) == unruled { // its robots.txt was asked for by another site: it has said this
		d = max(d, e.Delay)
	}
	d = max(d, f.pace(s, e, d), e.Retry, f.backOff(s, e), f.slowness(s, e))
	f.spare(now, s, later(e.End, d))
}

// download is the time that an answer took. One that failed counts as at least the
// median of the pages that came from s, so that quick errors do not make it quicker
// (W10).
func (f *Frontier) download(s graph.Site, e *event.Event) time.Duration {
	t := e.End - e.Start
	if e.Class.Failed() {
		return max(t, time.Duration(f.median.At(int(s))))
	}
	if e.Kind == event.Done {
		f.median.Set(int(s), int64(nearer(time.Duration(f.median.At(int(s))), t)))
	}
	return t
}

// nearer moves a running median m by a sixteenth towards t: where as many times lie
// above it as below, it stays. It costs 8 bytes, and one time that is far off moves it
// no further than any other. The first time is the median of itself.
func nearer(m, t time.Duration) time.Duration {
	step := m/16 + 1
	switch {
	case m == 0:
		return t
	case t > m:
		return min(t, m+step)
	}
	return max(t, m-step)
}

// slowness counts slow answers of s in a row and is the delay that they cause: none
// before SlowTimes, then SlowDelay, doubled with each (W17). A quick failure is no
// proof of anything.
func (f *Frontier) slowness(s graph.Site, e *event.Event) time.Duration {
	if f.o.Slow == 0 {
		return 0
	}
	n, t := f.slow.At(int(s)), e.End-e.Start
	f.times.note(t, e.Class)
	switch {
	case t > f.slowLimit():
		n = min(n, math.MaxUint8-1) + 1
	case !e.Class.Failed():
		n = 0
	}
	was := f.isSlow(s)
	f.slow.Set(int(s), n)
	if !f.isSlow(s) {
		if was {
			f.slowSites--
		}
		return 0
	}
	if !was {
		f.slowSites++
	}
	return doubled(f.o.SlowDelay, int(n)-f.o.SlowTimes, f.o.SlowMax)
}

// slowLimit is the time beyond which an answer is slow: Slow, or SlowFactor times what 95
// of 100 answers take, if that is longer.
func (f *Frontier) slowLimit() time.Duration {
	return max(f.o.Slow, time.Duration(min(float64(event.Never/2), f.o.SlowFactor*float64(f.times))))
}

// isSlow reports whether s is asked rarely.
func (f *Frontier) isSlow(s graph.Site) bool {
	return f.o.Slow > 0 && int(f.slow.At(int(s))) >= f.o.SlowTimes
}

// doubled is d, doubled n times, at most most, where 0 is no limit.
func doubled(d time.Duration, n int, most time.Duration) time.Duration {
	end := limit(most)
	if n < 32 && d < end>>n {
		return d << n
	}
	return end
}

// limit is the largest delay; without one, a century and more that still can be added
// to an instant.
func limit(most time.Duration) time.Duration {
	if most == 0 {
		return event.Never / 2
	}
	return most
}

// later is t + d, Never when that is beyond it.
func later(t, d time.Duration) time.Duration {
	if t > event.Never-d {
		return event.Never
	}
	return t + d
}

// Between returns about the time between two requests to s as things are, at most
// MaxBetween.
func (f *Frontier) Between(s graph.Site) time.Duration {
	d := max(f.size(s), f.crawlDelay(s), f.paces[s].Delay)
	if n := f.failures(s); n > 0 {
		d = max(d, doubled(f.o.BackOff, n, f.o.BackOffMax))
	}
	if f.isSlow(s) {
		d = max(d, doubled(f.o.SlowDelay, int(f.slow.At(int(s)))-f.o.SlowTimes, f.o.SlowMax))
	}
	return min(d, MaxBetween)
}

// MaxBetween bounds what Between returns.
const MaxBetween = 24 * time.Hour

// size is the delay of the options, which may depend on the size of the site.
func (f *Frontier) size(s graph.Site) time.Duration {
	if f.o.SiteDelay != nil {
		if d, ok := f.o.SiteDelay(s); ok {
			return d
		}
	}
	if int(f.sites.pages.At(int(s))) < f.o.SmallSite {
		return f.o.SmallDelay
	}
	return f.o.Delay
}

// In the column of failures the lower bits are the number of failures in a row, and the
// highest one tells that the server asked for the time that it is skipped (Retry-After).
const (
	asksTime     = 1 << 7
	failuresMask = asksTime - 1
)

// failures is the number of failures of s in a row.
func (f *Frontier) failures(s graph.Site) int { return int(f.fails.At(int(s)) & failuresMask) }

// countFailure counts a failure of s, unless the trouble is ours.
func (f *Frontier) countFailure(s graph.Site, e *event.Event) {
	if e.Ours {
		return
	}
	asks := f.fails.At(int(s)) & asksTime
	if e.Kind == event.Ruled || e.Kind == event.Listed || e.Kind == event.Done { // otherwise it was not asked
		if asks = 0; e.Retry > 0 {
			asks = asksTime
		}
	}
	f.fails.Set(int(s), uint8(min(f.failures(s)+1, failuresMask))|asks)
}

// backOff counts failures of the server in a row and is the delay they cause: doubled
// with each, and spread by up to a quarter so that sites that failed together do not
// come back together.
func (f *Frontier) backOff(s graph.Site, e *event.Event) time.Duration {
	if !passing(e.Class) {
		f.recover(s, e)
		return 0
	}
	n := f.failures(s)
	f.countFailure(s, e)
	if f.o.BackOff == 0 {
		return 0
	}
	if e.Ours {
		n = 0
	}
	d := doubled(f.o.BackOff, n, f.o.BackOffMax)
	spread := policy.Hash(f.o.Random, uint64(s), uint64(n)) % 1024
	return d + time.Duration(float64(d)*float64(spread)/4096)
}

// recover takes a proper answer of s. Only a page or a sitemap ends its trouble: servers
// often have a robots.txt when they have nothing else. It shows that somebody is there, so
// that s is tried more often, unless s has said that it is asked too often.
func (f *Frontier) recover(s graph.Site, e *event.Event) {
	switch n := f.failures(s); {
	case e.Kind != event.Ruled:
		f.fails.Set(int(s), 0)
		f.follow(s)
	case n > aliveFailures && f.paces[s].Streak == 0:
		f.fails.Set(int(s), aliveFailures)
	}
}

// aliveFailures is how many failures in a row count at most of a site whose robots.txt can
// be had.
const aliveFailures = 2

// passing reports whether a failure is of the kind that passes.
func passing(c event.Class) bool { return c >= event.ServerError && c <= event.Timeout }

// keeps reports whether the fetcher keeps s for another page: if the connection is good
// for it, fewer than c pages were asked for, one waits and is what the site needs
// next, and neither Crawl-delay nor Retry-After nor back-off is in force, nor is it slow.
func (f *Frontier) keeps(now time.Duration, s graph.Site, e *event.Event) bool {
	served := f.served.Slice()
	served[s] = min(served[s], math.MaxUint16-1) + 1
	if !e.Keep || int(served[s]) >= f.o.PerConnection || f.crawlDelay(s) > 0 || e.Retry > 0 || f.failures(s) > 0 || f.isSlow(s) {
		return false
	}
	if f.boards[0].active.Len(s) == 0 || f.needs(now, s).Kind != event.Fetch {
		return false
	}
	f.setPlace(s, kept)
	return true
}
