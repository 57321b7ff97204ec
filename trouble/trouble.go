// Package trouble decides what failures mean: which outcomes are answers, and which are
// weather that passes; what is tried again, and when; and whether it is we who are cut off.
//
// The rules, in short:
//
//   - A failure that may pass is weather: no address, no connection, no TLS, no answer in
//     time, 5xx, 429. Weather is tried again, each time later, and never taken for the will
//     of a site.
//   - A page is given up only on evidence: its failures count only if its site answered
//     something else in between. Where nothing answers, it is the site that fails.
//   - A site is never given up while a crawl runs, with one exception: a name that does not
//     exist, asked for several times, when the resolver has answered for others.
//   - Before we believe that we are cut off, we ask a site that answered before.
//
// The package is passive: it has no clock and keeps no list of pages or sites.
package trouble

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/policy"
)

// Kind is what a failure tells.
type Kind uint8

// The kinds.
const (
	None      Kind = iota // it is an answer, whatever it says
	Silence               // nothing answered: no address, no connection, no TLS, no end in time
	Breakdown             // the server said that it cannot answer: 5xx
	Pushback              // the server said that it is asked too often: 429, 503
)

var kindNames = [...]string{"none", "silence", "breakdown", "pushback"}

func (k Kind) String() string { return kindNames[k] }

// Of returns what an attempt tells that ended with a class and a status, 0 for none.
func Of(c event.Class, status int) Kind {
	switch {
	case c < event.ServerError || c > event.Timeout:
		return None
	case c != event.ServerError:
		return Silence
	case status == 429 || status == 503:
		return Pushback
	}
	return Breakdown
}

// Passes reports whether a failure of a class may pass by itself.
func Passes(c event.Class) bool { return Of(c, 0) != None }

// Rules say how often and when something is tried again.
type Rules struct {
	Retries int           // tries after the first, of those that count
	Delay   time.Duration // until the first of them
	Random  uint64        // seed of the spread
}

// A Count is the failures of one page, or of one file, so far.
type Count struct {
	N       uint8  // those that count
	All     uint8  // those that do not, too
	Answers uint32 // of its site, when the last one counted
}

// proof is how many other answers of its site make a failure of a page the page's own. One
// that is turned down because the site is asked too often proves little.
func proof(k Kind) uint32 {
	if k == Pushback {
		return 10
	}
	return 1
}

// Fail counts another failure. answers is how many answers its site has given so far, of
// whatever page; where none came since the last failure, this one does not count, and
// neither does one that is our fault. It reports whether to try again.
func (r *Rules) Fail(c Count, k Kind, answers uint32, ours bool) (now Count, again bool) {
	c.All = min(c.All, 200) + 1
	if c.N == 0 || !ours && answers-c.Answers >= proof(k) {
		c.N, c.Answers = min(c.N, 200)+1, answers
	}
	return c, ours || int(c.N) <= r.Retries
}

// PageWait returns the time until a page that failed is tried again: Delay, and three times
// as long with each failure, spread by up to a quarter. Other pages of its site have their
// turn meanwhile: it is more than twice the time between two requests to the site.
func (r *Rules) PageWait(c Count, page uint32, between time.Duration) time.Duration {
	d := r.Delay
	for range min(max(c.All, 1)-1, 6) {
		d *= 3
	}
	return r.spread(max(d, 2*between+time.Second), uint64(page), uint64(c.All))
}

// MaxWait is the longest time between two tries.
const MaxWait = 24 * time.Hour

// NameWait returns the time until the name of a site is asked for again that could not be
// had n times before: three times Delay, doubled with each.
func (r *Rules) NameWait(n int, site uint32) time.Duration {
	d := 3 * r.Delay
	for range n {
		if d >= MaxWait {
			break
		}
		d *= 2
	}
	return r.spread(min(d, MaxWait), uint64(site), uint64(n))
}

// spread adds up to a quarter, so that what failed together does not come back together.
func (r *Rules) spread(d time.Duration, id, n uint64) time.Duration {
	return d + time.Duration(float64(d)*float64(policy.Hash(r.Random, id, n)%1024)/4096)
}

// Doubt reports whether it is time, after n failures of a site in a row, to see whether
// anything answers there: by asking for its robots.txt.
func Doubt(n int) bool { return n >= 4 && n&(n-1) == 0 }

// NameTries is how often a name must be said not to exist before that is believed, if the
// resolver has answered for others meanwhile.
const NameTries = 4
