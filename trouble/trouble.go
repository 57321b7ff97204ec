// Package trouble decides what failures mean: which of them may pass, what is tried again
// and when, and whether we are cut off from the network.
//
// The rules, in short:
//
//   - A failure may pass if there is no address, no connection, no TLS, no answer in time, or
//     a status 5xx or 429. What failed so is tried again, each time later, and never taken
//     for the will of a site.
//   - A page is given up only on evidence: its failures count only if its site answered
//     another request in between. If nothing answers, the site fails and not the page.
//   - A site is never given up while a crawl runs, with one exception: a name that does not
//     exist, looked up several times, if the resolver has found others.
//   - Before we believe that we are cut off, we request a site that answered before.
//
// The package is passive: it has no clock and keeps no list of pages or sites.
package trouble

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/policy"
)

// A Kind is a kind of failure.
type Kind uint8

// The kinds.
const (
	None      Kind = iota // no failure: an answer of any status
	Silence               // no answer: no address, no connection, no TLS, no end in time
	Breakdown             // the server cannot answer: 5xx
	Pushback              // the server gets too many requests: 429, 503
)

// Of returns the kind of failure of an attempt that ended with a class and a status, which
// is 0 without an answer.
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

// Rules define how often and when something is tried again.
type Rules struct {
	Retries int           // number of tries after the first, of those that count
	Delay   time.Duration // before the first of them
	Random  uint64        // seed of the spread
}

// A Count counts the failures of one page, or of one file.
type Count struct {
	N       uint8  // those that count
	All     uint8  // all of them
	Answers uint32 // answers of its site when the last failure counted
}

// proof returns how many other answers of its site prove that a failure is the fault of the
// page. A failure because the site gets too many requests proves little.
func proof(k Kind) uint32 {
	if k == Pushback {
		return 10
	}
	return 1
}

// Fail counts another failure, and reports whether to try again. answers is how many answers
// its site has given so far, for any page. A failure does not count if there was no answer
// since the last one, nor if it is our fault.
func (r *Rules) Fail(c Count, k Kind, answers uint32, ours bool) (now Count, again bool) {
	c.All = min(c.All, 200) + 1
	if !ours && (c.N == 0 || answers-c.Answers >= proof(k)) {
		c.N, c.Answers = min(c.N, 200)+1, answers
	}
	return c, ours || int(c.N) <= r.Retries
}

// PageWait returns the time until a page that failed is tried again: Delay, three times as
// long with each failure, and up to a quarter more. It is more than twice the time between
// two requests to the site, so that other pages have their turn meanwhile.
func (r *Rules) PageWait(c Count, page uint32, between time.Duration) time.Duration {
	d := r.Delay
	for range min(max(c.All, 1)-1, 6) {
		d *= 3
	}
	return r.spread(max(d, 2*between+time.Second), uint64(page), uint64(c.All))
}

// MaxWait is the longest time between two tries.
const MaxWait = 24 * time.Hour

// NameWait returns the time until the name of a site is looked up again, after n failures
// before: three times Delay, doubled with each failure.
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

// spread adds up to a quarter, so that what failed together is not tried again together.
func (r *Rules) spread(d time.Duration, id, n uint64) time.Duration {
	return d + time.Duration(float64(d)*float64(policy.Hash(r.Random, id, n)%1024)/4096)
}

// Doubt reports whether it is time, after n failures of a site in a row, to request its
// robots.txt, to see whether anything answers there.
func Doubt(n int) bool { return n >= 4 && n&(n-1) == 0 }

// NameTries is the number of look-ups that must report that a name does not exist before we
// believe it. The resolver must have found other names meanwhile.
const NameTries = 4
