package state

import (
	"bytes"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/naming"
	"github.com/winnow-crawler/winnow/crawl/number"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// robotsFiles holds the rules of all sites, and where and when to request a robots.txt that
// moved or is unavailable.
type robotsFiles struct {
	names    *naming.Names
	rules    *graph.Column[uint32] // by site: number of its rules
	texts    number.Rules
	hops     map[graph.Site]hop     // sites whose robots.txt moved
	failures map[graph.Site]noRules // sites whose robots.txt is unavailable
}

// A hop is the place to which the robots.txt of a site has moved.
type hop struct {
	URL string
	N   int // redirects followed so far
}

// noRules counts the failures of a robots.txt in a row.
type noRules struct {
	N     int
	Since time.Duration
}

func newRobotsFiles(n *naming.Names) robotsFiles {
	return robotsFiles{names: n, texts: number.NewRules(), hops: map[graph.Site]hop{}, failures: map[graph.Site]noRules{}}
}

// mapBytes returns about how many bytes the maps take.
func (x *robotsFiles) mapBytes() int64 {
	const hop, small = 96, 32 // with their share of the tables
	return hop*int64(len(x.hops)) + small*int64(len(x.failures))
}

// Of returns the rules of the robots.txt of a site for us.
func (x *robotsFiles) Of(id graph.Site) robots.Rules { return x.texts.At(x.rules.At(int(id))) }

// set sets the rules of a site.
func (x *robotsFiles) set(id graph.Site, r robots.Rules) {
	n := x.texts.Use(r)
	x.texts.Drop(x.rules.At(int(id)))
	x.rules.Set(int(id), n)
}

// HopAt returns where the robots.txt of a site has moved to, if that is at the site that is
// requested. If it is elsewhere, that site was given up, and the frontier requests the
// robots.txt of the site itself again.
func (x *robotsFiles) HopAt(of, asked graph.Site) (h hop, ok bool) {
	if h, ok = x.hops[of]; !ok {
		return hop{}, false
	}
	if at, _ := page.Site([]byte(h.URL)); !bytes.Equal(at, x.names.Table.Name(asked)) {
		return hop{}, false
	}
	return h, true
}

// note records the end of a request for a robots.txt.
func (x *robotsFiles) note(r *journal.Record) {
	e := &r.Event
	id := e.For
	switch {
	case e.Hop:
		h, _ := x.HopAt(id, e.Site)
		x.hops[id] = hop{r.Facts.Hop, h.N + 1}
		return
	case e.Again:
		f := x.failures[id]
		if f.N == 0 {
			f.Since = e.End
		}
		f.N++
		x.failures[id] = f
	default:
		delete(x.failures, id) // it has rules, or is given up
	}
	if !e.Again && !e.Class.Failed() {
		rules, err := robots.Decode(r.Facts.Rules)
		if err != nil { // the record has a checksum, so it was written so
			x.names.Fail(fmt.Errorf("rules of %s in record %d: %w", x.names.Table.Name(id), r.Seq, err))
		}
		x.set(id, rules)
	}
	delete(x.hops, id)
}

// Judge returns what a response to the request for the robots.txt of a site means, and
// after what time to request it again.
func (x *robotsFiles) Judge(l robots.Limits, q robots.Response, id graph.Site, now time.Duration) (robots.Class, time.Duration) {
	f := x.failures[id]
	if q.Failures = f.N; f.N > 0 {
		q.Down = now - f.Since
	}
	class, again := l.Judge(q)
	if q.Status == 0 && class == robots.Unreachable {
		again /= silent
	}
	return class, again
}

// silent is the factor by which a server that gave no answer is tried again sooner than one
// that answered with an error. That costs no server anything, and most of them are gone.
const silent = 10
