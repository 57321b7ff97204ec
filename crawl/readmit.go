package crawl

import (
	"maps"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A crawl that is resumed with a wider scope or larger limits requests known pages that it
// had refused: nothing has to be fetched again to find them. A narrower scope
// or a longer deny list bars pages that wait when they would be handed out.

// readmit admits the refused pages that the configuration in force would not bar. Where
// it is that of the session before, those are pages that a deny list named for a while,
// and pages that are now near enough.
func (a *admission) readmit(scope *gather.Scope) {
	_, bars, _ := a.state.Frontier.Census()
	deep := a.state.Limits.Deep() && bars[event.BarDepth] > 0
	if !a.loosened && bars[event.BarDenied] == 0 && !deep {
		return
	}
	n := a.admitAll(a.base, func(p graph.Page, bar event.Bar) bool {
		return (a.loosened || bar == event.BarDenied || deep && bar == event.BarDepth) && a.admissible(scope, p)
	})
	if a.loosened {
		a.log.Info("the limits have changed", "pages_admitted", n)
	}
}

// admissible judges a refused page again.
func (a *admission) admissible(scope *gather.Scope, p graph.Page) bool {
	switch a.state.Frontier.Bar(p) {
	case event.BarScope, event.BarExcluded, event.BarDenied, event.BarDepth,
		event.BarSitePages, event.BarDomainPages, event.BarType:
	case event.BarNoNews, event.BarDuplicate, event.BarGrows, event.BarHosts, event.BarFarm:
		if a.config.Traps {
			return false
		}
	default:
		return false // a verdict of its site or of its links
	}
	url := a.state.AppendURL(nil, p)
	site, rest := page.Site(url)
	switch {
	case a.state.IsSeed(p):
		return scope.Denied(site, rest) == event.NoBar
	case scope.Judge(site, rest) != event.NoBar:
		return false
	case a.config.Types == config.TypesHTML && (!page.Extension(url).MayBePage() || a.state.Kinds.NoPage(a.state.Frontier.Site(p), rest)):
		return false
	}
	return a.state.Limits.Judge(a.state.Frontier.Site(p), rest, a.state.Depth(p)) == event.NoBar
}

// recallCut fetches pages again whose links were cut, if the reason no longer applies: a
// smaller max_links, or the page was a duplicate.
func (a *admission) recallCut() error {
	if a.was == nil {
		return nil
	}
	var list []graph.Page
	for p, x := range a.state.Cut.Pages {
		if int(x.Kept) < a.config.MaxLinks && a.was.MaxLinks < a.config.MaxLinks {
			list = append(list, p)
		}
	}
	if a.was.Duplicates && !a.config.Duplicates {
		var err error
		if list, err = a.duplicates(list); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for _, kind := range []event.Kind{event.Admitted, event.Revisit} { // see recall
		r := a.begin(kind, a.base)
		r.Event.Admit = append(r.Event.Admit, list...)
		a.record()
	}
	a.log.Info("pages are fetched again for links that were left out", "pages", len(list))
	return nil
}

// duplicates adds the pages to a list that were duplicates at their last fetch.
func (a *admission) duplicates(list []graph.Page) ([]graph.Page, error) {
	last := map[graph.Page]bool{}
	_, err := journal.Read(a.dir.Journal, 0, func(r *journal.Record) error {
		if e := &r.Event; e.Kind == event.Done && !e.Class.Failed() && !e.Again {
			if e.Class == event.Duplicate {
				last[e.Page] = true
			} else {
				delete(last, e.Page)
			}
		}
		return nil
	})
	return slices.AppendSeq(list, maps.Keys(last)), err
}

// revisit lets all fetched pages be visited again when --recrawl is new. The times of their
// fetches are no longer known, so all are due, in the order of the policy.
func (a *admission) revisit() {
	if a.config.Recrawl.Duration == 0 || a.was == nil || a.was.Recrawl.Duration > 0 {
		return
	}
	r := a.begin(event.Revisit, a.base)
	for p := range a.state.Frontier.Pages() {
		if a.state.Frontier.State(graph.Page(p)) == frontier.Fetched {
			r.Event.Admit = append(r.Event.Admit, graph.Page(p))
		}
	}
	if len(r.Event.Admit) > 0 {
		a.record()
	}
}
