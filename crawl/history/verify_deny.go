package history

import (
	"cmp"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Requests of any kind must not be for:
//
//   - what the deny list in force forbids: pages, sitemap files, places to which a
//     robots.txt moved; for a host that is denied as a whole, also its address and its own
//     robots.txt
//   - sitemap files that robots.txt, the scope or an exclude pattern forbids
//
// The journal has the deny list of each session and each edit of it. Of --rules it has only
// the path, so with such a file the kind of scope is not checked.

// aims holds what a verifier knows about where requests may go.
type aims struct {
	scope *gather.Scope
	noted bool // that a deny list is not in the journal
}

// setScope sets the scope of a session.
func (w *polite) setScope(r *journal.Record) {
	c := w.conf
	o, err := config.ScopeOptions(c)
	if c.Rules != "" {
		o.Kind = config.ScopeAny
	}
	if err == nil {
		w.aims.scope, err = gather.NewScope(o)
	}
	if err != nil {
		w.v.general(FindEvent, "the configuration of the session: %v", err)
		w.aims.scope = new(gather.Scope)
	}
	if c.Deny != "" && len(r.Facts.Deny) == 0 && !w.aims.noted {
		w.aims.noted = true
		w.v.notef("the deny list of session %d is not in the journal, so its requests were not checked against it", w.v.session+1)
	}
	w.setDeny(r)
}

// setDeny sets the deny list that a record has, if any.
func (w *polite) setDeny(r *journal.Record) {
	if len(r.Facts.Deny) == 0 {
		return
	}
	rules, err := state.UnpackDeny(r.Facts.Deny)
	if err != nil {
		w.v.general(FindEvent, "%v", err)
		return
	}
	w.aims.scope.SetDeny(rules)
}

// aimed checks the URL of a task.
func (w *polite) aimed(r *journal.Record) {
	e, name := &r.Event, w.v.state.Table.Name(r.Event.Site)
	url := ""
	switch {
	case e.Task.Kind == event.Fetch && int(e.Page) < w.v.state.Frontier.Pages():
		url = string(w.v.state.AppendURL(nil, e.Page))
	case e.Task.Kind == event.Robots && e.For != e.Site:
		h, _ := w.v.state.Robots.HopAt(e.For, e.Site)
		url = h.URL
	case e.Task.Kind == event.Sitemap:
		url = w.file(e.Site)
	case e.Task.Kind == event.Requisite:
		url = w.requisite(e)
	}
	if site, rest := page.Site([]byte(url)); w.aims.scope.DeniesSite(name) || url != "" && w.aims.scope.Denied(site, rest) != event.NoBar {
		w.v.found(FindDenied, e.Site, pageOf(e), "%v is handed out for %s, which the deny list forbids", e.Task.Kind, cmp.Or(url, string(name)))
	}
}

// file returns the sitemap file that is requested from a site. It checks it against
// robots.txt and scope.
func (w *polite) file(s graph.Site) string {
	files := w.v.state.Sitemaps.Files[s]
	if len(files) == 0 {
		w.v.found(FindEvent, s, graph.NoPage, "a sitemap file is requested, but none is known")
		return ""
	}
	site, rest := page.Site([]byte(files[0]))
	switch v := w.v.state.Robots.Of(s).Test(string(rest)); {
	case string(site) != string(w.v.state.Table.Name(s)):
		w.v.found(FindEvent, s, graph.NoPage, "the sitemap file %s is of another site", files[0])
	case w.conf.Robots && !v.Allowed:
		w.v.found(FindRobots, s, graph.NoPage, "robots.txt forbids the sitemap file %s in line %d: %s", files[0], v.Line, v.Rule)
	}
	if bar := w.aims.scope.JudgeFile(site, rest); bar != event.NoBar && bar != event.BarDenied {
		w.v.found(FindScope, s, graph.NoPage, "the sitemap file %s is requested, which %v forbids", files[0], bar)
	}
	return files[0]
}

// requisite returns the requisite that is requested. It checks it against robots.txt and the
// patterns of the scope.
func (w *polite) requisite(e *event.Event) string {
	p, url := w.v.state.RequisiteURL(e.Site)
	if p.Rest == "" || p.Number != e.Page {
		w.v.found(FindEvent, e.Site, graph.NoPage, "requisite %d is requested, but it is not the next one of the site", e.Page)
		return ""
	}
	if v := w.v.state.Robots.Of(e.Site).Test(p.Rest); w.conf.Robots && !v.Allowed {
		w.v.found(FindRobots, e.Site, graph.NoPage, "robots.txt forbids the requisite %s in line %d: %s", url, v.Line, v.Rule)
	}
	if bar := w.aims.scope.JudgeRequisite(w.v.state.Table.Name(e.Site), []byte(p.Rest)); bar != event.NoBar && bar != event.BarDenied {
		w.v.found(FindScope, e.Site, graph.NoPage, "the requisite %s is requested, which %v forbids", url, bar)
	}
	return url
}
