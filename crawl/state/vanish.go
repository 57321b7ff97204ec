package state

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Pages vanish one by one, and sites fail as a whole: some answer 404 for an hour to every
// request. So pages that are not found while no other page of their site is found are visited
// again as soon as one is. From the fourth on they do not count as gone.

// An outage is a time in which no page of a site was found. Snapshots hold it as it is.
type outage struct {
	Since time.Duration
	Pages []graph.Page // that were not found
	Over  bool         // a page was found, and Pages are visited again
}

// Numbers of outages.
const (
	outageLasts = 24 * time.Hour // afterwards pages that are not found are gone
	outageFew   = 3              // pages that count as gone
	outagePages = 256            // pages that are kept for a site
	mostOutages = 4096           // sites
)

// vanished counts a visit of a page that was not found. That a page is still gone says nothing about
// its site.
func (v *revisits) vanished(e *event.Event) {
	if v.IsGone(e.Page) {
		v.Visited(e.End, e.Page, freshness.Visit{Gone: true})
		return
	}
	site := v.s.Frontier.Site(e.Page)
	o, ok := v.outages[site]
	old := ok && e.End-o.Since > outageLasts
	switch {
	case old && !o.Over: // it does not end
	case !ok || old:
		if ok || v.roomForOutage(e.End) {
			v.outages[site] = outage{Since: e.End, Pages: []graph.Page{e.Page}}
		}
	case !o.Over && len(o.Pages) < outagePages:
		o.Pages = append(o.Pages, e.Page)
		v.outages[site] = o
	}
	if !old && len(o.Pages) > outageFew {
		v.Missed(e.End, e.Page)
		return
	}
	v.Visited(e.End, e.Page, freshness.Visit{Gone: true})
}

// unfound notes a page that was never fetched and not found. It may be there when its site is back,
// if that is out, and if another page has moved there.
func (v *revisits) unfound(r *journal.Record) {
	e := &r.Event
	if s := r.Facts.Status; e.Class != event.HTTPError || s != statusNotFound && s != statusGone {
		return
	}
	site := v.s.Frontier.Site(e.Page)
	o, out := v.outages[site]
	_, heir := v.heirs[e.Page]
	switch {
	case out && !o.Over && e.End-o.Since <= outageLasts && len(o.Pages) < outagePages:
		o.Pages = append(o.Pages, e.Page)
		v.outages[site] = o
	case !out && heir && v.roomForOutage(e.End):
		v.outages[site] = outage{Since: e.End, Pages: []graph.Page{e.Page}}
	}
}

// roomForOutage reports whether there is room for another outage. It forgets old ones.
func (v *revisits) roomForOutage(now time.Duration) bool {
	if len(v.outages) < mostOutages {
		return true
	}
	for s, o := range v.outages {
		if now-o.Since > outageLasts {
			delete(v.outages, s)
		}
	}
	return len(v.outages) < mostOutages
}

// found notes that a page of a site was found. If others were not, they are visited again at
// once, and count as gone if they are still not found: that is not tried twice in a day.
func (v *revisits) found(now time.Duration, site graph.Site) {
	o, ok := v.outages[site]
	if !ok || o.Over {
		return
	}
	for _, p := range o.Pages {
		v.Soon(now, p)
	}
	v.outages[site] = outage{Since: o.Since, Over: true}
}

// A page that moves for good leaves what it was worth to its new URL: the rate of its changes,
// and its weight. The old URL is visited ever more rarely, like a page that is gone.

// The statuses of moves for good, and of pages that are not there.
const (
	movedPermanently  = 301
	permanentRedirect = 308
	statusNotFound    = 404
	statusGone        = 410
)

// maxHeirs is the number of pages that have the weight of another one.
const maxHeirs = 1 << 16

// Moves returns where the page of a record has moved to for good, if it was a page at its last
// visit.
func (v *revisits) Moves(r *journal.Record) (to graph.Page, ok bool) {
	e := &r.Event
	if v == nil || !forGood(r) || len(e.Links) != 1 || !v.Knows(e.Page) || !v.HasContent(e.Page) {
		return graph.NoPage, false
	}
	return e.Links[0], true
}

// forGood reports whether the page of a record redirects for good.
func forGood(r *journal.Record) bool {
	s := r.Facts.Status
	return r.Event.Class == event.Redirect && (s == movedPermanently || s == permanentRedirect)
}

// moved carries over what a page was worth.
func (v *revisits) moved(from, to graph.Page) {
	v.Inherit(from, to)
	if _, ok := v.heirs[to]; !ok && len(v.heirs) < maxHeirs {
		v.heirs[to] = from
	}
}

// worth returns the weight of a page, with that of the page that moved to it.
func (v *revisits) worth(p graph.Page) float64 {
	w := v.weight(p)
	if from, ok := v.heirs[p]; ok {
		w += v.weight(from)
	}
	return w
}
