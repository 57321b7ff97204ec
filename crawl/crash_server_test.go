package crawl

import (
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
)

// checkServer holds what the server saw, over all crashes, against what a crawl has to
// do. A page may be answered a second time if there was a crash in between; a Retry-After
// or Crawl-delay of which the crash left no record cannot be kept.
func (w *crashWeb) checkServer(t *testing.T) {
	t.Helper()
	c := &w.o.Config
	counter := w.server.Counter()
	demands := count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressCap: c.IPCap, Repeats: true}
	if c.PerConnection == 1 { // requests over one connection follow each other at once
		demands.AddressDelay = c.IPDelay.Duration
	}
	found := counter.Check(demands)
	found = append(found, counter.CheckWanted(w.server.Wanted(w.limits()))...)
	for _, v := range found {
		if v.Kind != count.Repeated && !w.excused(v) {
			t.Error(v)
		}
	}
	for id := range counter.Sites() {
		w.checkRepeats(t, counter.Requests(graph.Site(id)))
	}
}

func (w *crashWeb) excused(v count.Violation) bool {
	site := w.web.SiteName(v.Site)
	before := v.At - v.Got // end of the answer before
	until := before + v.Want
	for _, q := range w.server.Counter().Requests(v.Site) {
		if v.Kind == count.RetryAfter && q.NotBefore == until {
			before = q.End // the answer that asked to wait
			break
		}
	}
	k := w.crashBetween(before, v.At)
	if k == nil {
		return false
	}
	switch v.Kind {
	case count.CrawlDelay:
		return !k.ruled[site]
	case count.RetryAfter:
		return k.ends[site] < before
	}
	return false
}

// crashBetween is a crash from one instant to another, nil if there was none.
func (w *crashWeb) crashBetween(from, to time.Duration) *crash {
	for i := range w.crashes {
		if k := &w.crashes[i]; from <= k.at && k.at <= to {
			return k
		}
	}
	return nil
}

// checkRepeats finds pages of a site that were answered twice without a crash in between.
func (w *crashWeb) checkRepeats(t *testing.T, log []count.Request) {
	t.Helper()
	last := map[graph.Page]time.Duration{}
	slices.SortFunc(log, func(a, b count.Request) int { return int(a.Start - b.Start) })
	for _, q := range log {
		if q.Kind != answer.KindPage || q.Status != 200 || !q.Full {
			continue
		}
		if end, ok := last[q.Page]; ok && w.crashBetween(end, q.Start) == nil {
			t.Errorf("%v: page %d was answered twice, and there was no crash in between", q.Start, q.Page)
		}
		last[q.Page] = q.End
	}
}
