package crawl

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// The links of a page that repeats its canonical page are left out where the pages without
// its own parameters are known: /b?s=1 for /b. Some of those may fail for good. At the end
// of a crawl one such page is fetched again for each, and its links are followed then.

// revive lets pages be fetched again whose links were left out in favour of pages that
// failed. It reads the journal, and does so once for each page.
func (a *admission) revive(now time.Duration) (some bool, err error) {
	states, _, _ := a.state.Frontier.Census()
	if a.state.Plain == 0 || states[frontier.Failed] == 0 {
		return false, nil
	}
	first := map[graph.Page]graph.Page{} // by failed page: the first that left out links in its favour
	repeats := map[graph.Page]bool{}     // whether these were duplicates at their last fetch
	_, err = journal.Read(a.dir.Journal, 0, func(r *journal.Record) error {
		e := &r.Event
		if !e.Kind.Reads() || e.Class.Failed() || e.Again {
			return nil
		}
		for _, q := range r.Facts.Plain {
			if _, known := first[q]; !known && a.state.Frontier.State(q) == frontier.Failed {
				first[q], repeats[e.Page] = e.Page, true
			}
		}
		if _, ok := repeats[e.Page]; ok {
			repeats[e.Page] = e.Class == event.Duplicate
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("look for links that were left out: %w", err)
	}
	var list []graph.Page
	for _, p := range slices.Sorted(maps.Keys(repeats)) {
		if repeats[p] && !a.revived[p] {
			list = append(list, p)
		}
	}
	for _, p := range list {
		a.revived[p] = true
	}
	a.recall(now, list)
	return len(list) > 0, nil
}

// recall lets fetched pages be fetched again, even if they are unchanged.
func (a *admission) recall(now time.Duration, list []graph.Page) {
	if len(list) == 0 {
		return
	}
	for _, kind := range []event.Kind{event.Admitted, event.Revisit} { // see state.recall
		r := a.begin(kind, now)
		r.Event.Admit = append(r.Event.Admit, list...)
		a.record()
	}
	a.log.Info("pages are fetched again for links that were left out", "pages", len(list))
}
