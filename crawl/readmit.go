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

// A crawl that is resumed with a wider scope or larger limits requests pages that it knows
// and had refused: nothing has to be fetched again to find them. A narrower scope or a
// longer deny list bars waiting pages when they would be handed out.

// readmit admits the refused pages that the configuration in force would not bar. If it is
// that of the session before, those are pages that are no longer on the deny list, and
// pages that are near enough by now.
func (o *owner) readmit(scope *gather.Scope) {
	_, bars, _ := o.s.Frontier.Census()
	deep := o.s.Limits.Deep() && bars[event.BarDepth] > 0
	if !o.loosened && bars[event.BarDenied] == 0 && !deep {
		return
	}
	n := o.admitAll(o.base, func(p graph.Page, bar event.Bar) bool {
		return (o.loosened || bar == event.BarDenied || deep && bar == event.BarDepth) && o.admissible(scope, p)
	})
	if o.loosened {
		o.log.Info("the limits have changed", "pages_admitted", n)
	}
}

// admissible judges a refused page again.
func (o *owner) admissible(scope *gather.Scope, p graph.Page) bool {
	switch o.s.Frontier.Bar(p) {
	case event.BarScope, event.BarExcluded, event.BarDenied, event.BarDepth,
		event.BarSitePages, event.BarDomainPages, event.BarType:
	case event.BarNoNews, event.BarDuplicate, event.BarGrows, event.BarHosts, event.BarFarm:
		if o.c.Traps {
			return false
		}
	default:
		return false // its site or its links decided
	}
	url := o.s.AppendURL(nil, p)
	site, rest := page.Site(url)
	switch {
	case o.s.IsSeed(p):
		return scope.Denied(site, rest) == event.NoBar
	case scope.Judge(site, rest) != event.NoBar:
		return false
	case o.c.Types == config.TypesHTML && (!page.Extension(url).MayBePage() || o.s.Kinds.NoPage(o.s.Frontier.Site(p), rest)):
		return false
	}
	return o.s.Limits.Judge(o.s.Frontier.Site(p), rest, o.s.Depth(p)) == event.NoBar
}

// recallCut fetches pages again of which links were left out, when the reason is gone: a
// smaller max_links, or that they were duplicates.
func (o *owner) recallCut() error {
	was := config.Default()
	if len(o.before) == 0 || was.Read("the last session", o.before) != nil {
		return nil
	}
	var list []graph.Page
	for p, x := range o.s.Cut.Pages {
		if int(x.Kept) < o.c.MaxLinks && was.MaxLinks < o.c.MaxLinks {
			list = append(list, p)
		}
	}
	if was.Duplicates && !o.c.Duplicates {
		var err error
		if list, err = o.duplicates(list); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for _, kind := range []event.Kind{event.Admitted, event.Revisit} { // see recall
		r := o.begin(kind, o.base)
		r.Event.Admit = append(r.Event.Admit, list...)
		o.record()
	}
	o.log.Info("pages are fetched again for links that were left out", "pages", len(list))
	return nil
}

// duplicates appends to a list the pages that were duplicates when last fetched.
func (o *owner) duplicates(list []graph.Page) ([]graph.Page, error) {
	last := map[graph.Page]bool{}
	_, err := journal.Read(o.dir.Journal, 0, func(r *journal.Record) error {
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

// revisit lets all fetched pages be visited again when --recrawl is new. When each of them
// was fetched is no longer known, so they are due, in the order of the policy.
func (o *owner) revisit() {
	was := config.Default()
	if o.c.Recrawl.Duration == 0 || len(o.before) == 0 || was.Read("the last session", o.before) != nil || was.Recrawl.Duration > 0 {
		return
	}
	r := o.begin(event.Revisit, o.base)
	for p := range o.s.Frontier.Pages() {
		if o.s.Frontier.State(graph.Page(p)) == frontier.Fetched {
			r.Event.Admit = append(r.Event.Admit, graph.Page(p))
		}
	}
	o.recordAdmitted(r)
}
