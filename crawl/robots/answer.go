package robots

import "time"

// A Class is the meaning of an answer to a request for a robots.txt (RFC 9309, 2.3.1).
type Class uint8

const (
	// Found: Parse the body and obey it.
	Found Class = iota
	// Unchanged: the stored copy is still valid, by a conditional request.
	Unchanged
	// Moved: request the target of the redirect. The rules found there apply to the site
	// of the first request, not to the site of the target.
	Moved
	// Unavailable: the site has no robots.txt. Everything is allowed: Rules{}.
	Unavailable
	// Unreachable: the site may have one, but it is unavailable. Nothing is allowed,
	// DisallowAll(), until a later attempt; pages wait for it, they are not refused.
	Unreachable
)

var classNames = [...]string{"found", "unchanged", "moved", "unavailable", "unreachable"}

func (c Class) String() string { return classNames[c] }

// Limits holds the numbers that RFC 9309 leaves to the crawler. A zero field means its
// default.
type Limits struct {
	Redirects int           // hops that are followed; 5, and fewer would break the RFC
	Keep      time.Duration // how long an answer holds; 24 h, and more would break the RFC
	GiveUp    time.Duration // after so long without an answer Unreachable is Unavailable; 30 days. Negative: never
	Retry     time.Duration // first wait after Unreachable, doubled by each further failure up to Keep; 5 min
}

// A Response is the outcome of a request for a robots.txt.
type Response struct {
	Status     int           // of the last answer; 0: none (time-out, DNS, connection, TLS, body cut off)
	Hops       int           // redirects followed so far, this one not counted
	Astray     bool          // a redirect without a usable target: no Location, a loop, no HTTP
	Failures   int           // attempts in a row that were Unreachable, this one not counted
	Down       time.Duration // since the first of them; 0 for the first
	RetryAfter time.Duration // requested by the server; 0: none
}

// Judge classifies a response and returns when to request the robots.txt again: 0 for
// Moved, where that is at once.
func (l Limits) Judge(r Response) (c Class, again time.Duration) {
	l = l.withDefaults()
	c = l.class(r)
	switch c {
	case Moved:
		return c, 0
	case Unreachable:
		return c, l.retry(r)
	}
	return c, l.Keep
}

func (l Limits) withDefaults() Limits {
	if l.Redirects == 0 {
		l.Redirects = 5
	}
	if l.Keep == 0 {
		l.Keep = 24 * time.Hour
	}
	if l.GiveUp == 0 {
		l.GiveUp = 30 * 24 * time.Hour
	}
	if l.Retry == 0 {
		l.Retry = 5 * time.Minute
	}
	return l
}

// class returns the class of a status. 429 is "come back later", not "there is none",
// so it is a server error; so is a status that HTTP does not know.
func (l Limits) class(r Response) Class {
	switch s := r.Status; {
	case s/100 == 2:
		return Found
	case s == 304:
		return Unchanged
	case s/100 == 3:
		return l.redirect(r)
	case s/100 == 4 && s != 429:
		return Unavailable
	case l.GiveUp > 0 && r.Down >= l.GiveUp:
		return Unavailable
	}
	return Unreachable
}

// redirect decides on a 3xx. 300, 305 and 306 have no target that a client may follow by
// itself.
func (l Limits) redirect(r Response) Class {
	switch r.Status {
	case 301, 302, 303, 307, 308:
		if !r.Astray && r.Hops < l.Redirects {
			return Moved
		}
	}
	return Unavailable
}

// retry returns the wait after Unreachable: min(Keep, max(Retry * 2^failures, Retry-After)).
func (l Limits) retry(r Response) time.Duration {
	wait := l.Retry
	for range r.Failures {
		if wait >= l.Keep {
			break
		}
		wait *= 2
	}
	return min(max(wait, r.RetryAfter), l.Keep)
}
