package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A stage names what a site needs before its next page.
type stage uint8

const (
	unresolved stage = iota // its address
	unruled                 // its robots.txt
	open                    // nothing
	closed                  // it is not requested until one of its pages is tried again
	moved                   // its robots.txt, which is fetched elsewhere: see hops
)

// firstStage returns the stage of a site of which nothing is known.
func (x *sites) firstStage() stage {
	if x.o.Resolve {
		return unresolved
	}
	return x.afterResolve()
}

// afterResolve returns the stage of a site whose address is known.
func (x *sites) afterResolve() stage {
	if x.o.Robots {
		return unruled
	}
	return open
}

// needs returns the task that s needs next. Its page is missing if it is Fetch.
func (x *sites) needs(now time.Duration, s graph.Site) event.Task {
	switch {
	case x.needsAddress(now, s):
		return event.Task{Kind: event.Resolve, Site: s}
	case x.in(s, unruled) || expired(x.robotsExpiry, now, s):
		return event.Task{Kind: event.Robots, Site: s, For: s}
	case x.requisites.wait(s):
		return event.Task{Kind: event.Requisite, Site: s}
	case x.needsSitemap(s):
		return event.Task{Kind: event.Sitemap, Site: s}
	}
	return event.Task{Kind: event.Fetch, Site: s}
}

// needsAddress reports whether the address of s is unknown or has expired.
func (x *sites) needsAddress(now time.Duration, s graph.Site) bool {
	return x.in(s, unresolved) || expired(x.addressExpiry, now, s)
}

// expired reports whether the instant of s in a column of expiries has come.
func expired(c narrow, now time.Duration, s graph.Site) bool {
	at := c.At(int(s))
	return at > 0 && at <= int64(now)
}

// expireAddress makes s need its address again.
func (x *sites) expireAddress(now time.Duration, s graph.Site) {
	x.addressExpiry.Set(int(s), max(1, int64(now)))
}

// resolve sets the address of s. If it replaces an expired one, the stage stays.
func (x *sites) resolve(now time.Duration, s graph.Site, e *event.Event) {
	x.addresses.set(now, s, e.Address)
	x.addressExpiry.Set(int(s), int64(e.Expiry))
	if x.in(s, unresolved) {
		x.setStage(s, x.afterResolve())
	}
}

// close closes a site. Its pages are left to the caller.
func (x *sites) close(s graph.Site) {
	x.endHop(s)
	x.setStage(s, closed)
	x.addFiles(s, -x.files(s))
	x.addRequisites(s, -x.requisites.at(s))
}

// reopen lets a closed site be requested again, for everything.
func (x *sites) reopen(s graph.Site) {
	x.robotsExpiry.Set(int(s), 0)
	x.setStage(s, x.firstStage())
}

// reviseAddress adapts s to whether this session resolves names. It may differ from the
// session before, as when a proxy is used no more.
func (x *sites) reviseAddress(now time.Duration, s graph.Site) {
	switch at := x.stage.At(int(s)); {
	case !x.o.Resolve:
		x.addressExpiry.Set(int(s), 0)
		if at == unresolved {
			x.setStage(s, x.afterResolve())
		}
	case x.addresses.address.At(int(s)) != 0 || at == closed:
	case at == unruled:
		x.setStage(s, unresolved)
	case at != unresolved:
		x.expireAddress(now, s)
	}
}

// Sitemap files are requested on the clock of their site. The driver keeps the list of
// them, the frontier only their number. While some are left, files and pages take turns,
// so that neither kind holds up the other. The last waiting page waits for the files,
// because a site without a page would not be offered.

// In the column of sitemaps the lower bits are the number of files. The highest bit is
// set if the last request to the site was for a sitemap.
const (
	lastSitemap = 1 << 15
	filesMask   = lastSitemap - 1
)

// files returns the number of sitemap files of s that are to be fetched.
func (x *sites) files(s graph.Site) int { return int(x.sitemaps.At(int(s)) & filesMask) }

// addFiles changes the number of files of s by n, within its bounds.
func (x *sites) addFiles(s graph.Site, n int) {
	now := x.files(s)
	then := min(max(0, now+n), filesMask)
	x.sitemaps.Set(int(s), x.sitemaps.At(int(s))&lastSitemap|uint16(then))
	x.filesLeft += then - now
}

// nameFiles adds the files that another site names. A closed site is not requested.
func (x *sites) nameFiles(e *event.Event) {
	if !x.in(e.Site, closed) {
		x.addFiles(e.Site, int(e.Files))
	}
}

// noteKind notes whether the present request to s is for a sitemap.
func (x *sites) noteKind(s graph.Site, k event.TaskKind) {
	n := uint16(x.files(s))
	if k == event.Sitemap {
		n |= lastSitemap
	}
	x.sitemaps.Set(int(s), n)
}

// needsSitemap reports whether the next request to s is for a sitemap.
func (x *sites) needsSitemap(s graph.Site) bool {
	return x.files(s) > 0 && (x.sitemaps.At(int(s))&lastSitemap == 0 || x.orders.len(s) == 1)
}
