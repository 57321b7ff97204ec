package explain

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
)

// A Clock tells what a waiting page waits for, besides the pages before it.
type Clock struct {
	Place   string     `json:"place"`                  // of its site: see frontier.Clock
	Next    *time.Time `json:"next_request,omitempty"` // its site is not requested before; missing: now
	Needs   string     `json:"needs"`                  // what is requested next: resolve, robots, sitemap, fetch
	Between float64    `json:"seconds_between_requests"`
	By      string     `json:"by"` // what that depends on: see frontier.DelayBy

	Failures    int        `json:"failures,omitempty"`             // of the site, in a row
	Demanded    bool       `json:"retry_after,omitempty"`          // the server demanded the present pause
	Unreachable string     `json:"unreachable,omitempty"`          // why the last request to the site failed
	Address     *time.Time `json:"address_next_request,omitempty"` // its IP address is not requested before
	AddressFull bool       `json:"address_full,omitempty"`         // its IP address has as many requests as it may
	Retry       *time.Time `json:"retry,omitempty"`                // the page itself is not requested before

	PagesLeft   *int64   `json:"pages_left,omitempty"`   // until --pages ends the crawl
	SecondsLeft *float64 `json:"seconds_left,omitempty"` // until --duration does

	// Least is the time after which the page is requested at the earliest, from now on or
	// from the moment at which the crawl is resumed, if neither the order nor the site
	// changes.
	Least float64 `json:"least_wait_seconds"`
}

// addClock adds what the page waits for.
func (x *explainer) addClock() {
	x.clock = x.f.Clock(x.now, x.site)
	k := &x.clock
	x.Clock = &Clock{
		Place: k.Place, Needs: k.Needs.String(), Between: k.Between.Seconds(), By: x.f.DelayBy(x.site),
		Failures: k.Failures, Demanded: k.Demanded, AddressFull: k.AddressFull,
		Next: x.ahead(k.At), Address: x.ahead(k.AddressAt),
	}
	if why, down := x.s.Weather.WhyDown(x.site); down {
		x.Clock.Unreachable = why
	}
	if at, _, ok := x.f.Due(x.p); ok {
		x.Clock.Retry = x.ahead(at)
	}
	x.Clock.Least = x.least().Seconds()
	x.addBudget()
}

// addBudget adds what is left until a limit ends the crawl. Redirects do not count as pages.
func (x *explainer) addBudget() {
	if most := x.conf.Pages; most > 0 {
		states, _, _ := x.f.Census()
		left := max(0, most-states[frontier.Fetched]-states[frontier.Reacquired]+x.s.Moved)
		x.Clock.PagesLeft = &left
	}
	if most := x.conf.Duration.Duration; most > 0 {
		at := x.s.Now
		if x.running() {
			at = x.now
		}
		left := max(0, (most - x.s.Active(at)).Seconds())
		x.Clock.SecondsLeft = &left
	}
}

// ahead returns the time of day of an instant, or nil if it has come. In a crawl that does
// not run no instant comes.
func (x *explainer) ahead(at time.Duration) *time.Time {
	if at <= x.now || at == event.Never {
		return nil
	}
	t := x.s.Wall(at)
	return &t
}

// before returns how many pages of its site go before the page at least, whichever board
// chooses. A page that waits for an instant of its own is in no queue.
func (x *explainer) before() int {
	if len(x.positions) == 0 {
		return 0
	}
	return frontier.Least(x.positions)
}

// least returns Clock.Least. A site that cannot be reached may answer again at its next
// attempt, so the pages before do not count there.
func (x *explainer) least() time.Duration {
	k, between := &x.clock, x.clock.Between
	wait := max(0, k.At-x.now, k.AddressAt-x.now)
	if at, _, ok := x.f.Due(x.p); ok {
		wait = max(wait, at-x.now)
	}
	if !x.running() { // a session begins with the full delay of each site, and without back-off
		between = max(k.Delay, k.CrawlDelay, k.Learned, k.Slow)
		wait = max(k.Delay, k.CrawlDelay)
		if k.Demanded {
			wait = max(wait, k.At-x.now)
		}
	}
	if x.Clock.Unreachable != "" {
		return wait
	}
	return wait + time.Duration(x.before()/max(1, k.Batch))*between
}
