package crawl

import (
	"bytes"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// A crawl that is resumed with a wider scope or larger limits asks for pages that it
// knows and had refused: nothing has to be fetched again to find them. A narrower scope
// or a longer deny list bars pages that wait when they would be handed out.

// readmit admits the refused pages that the configuration in force would not bar.
func (o *owner) readmit(scope *gather.Scope) {
	if !o.loosened {
		return
	}
	r := o.begin(frontier.Admitted, o.base)
	for p := range o.s.f.Pages() {
		id := graph.Page(p)
		if o.s.f.State(id) != frontier.RefusedPage || !o.admissible(scope, id) {
			continue
		}
		r.Event.Admit = append(r.Event.Admit, id)
		o.s.sites.admit(o.s.f.Site(id))
	}
	n := len(r.Event.Admit)
	if n > 0 {
		o.record()
	}
	o.log.Info("the limits have changed", "pages_admitted", n)
}

// admissible judges a refused page again.
func (o *owner) admissible(scope *gather.Scope, p graph.Page) bool {
	switch o.s.f.Bar(p) {
	case frontier.BarScope, frontier.BarExcluded, frontier.BarDenied, frontier.BarDepth,
		frontier.BarSitePages, frontier.BarDomainPages, frontier.BarType:
	case frontier.BarNoNews, frontier.BarDuplicate, frontier.BarGrows, frontier.BarHosts, frontier.BarFarm:
		if o.c.Traps {
			return false
		}
	default:
		return false // a verdict of its site or of its links
	}
	url := o.s.appendURL(nil, p)
	site, rest := page.Site(url)
	if scope.Judge(site, rest) != frontier.NoBar || o.c.Types == TypesHTML && !page.Extension(url).MayBePage() {
		return false
	}
	return o.s.bar(&o.limits, o.s.f.Site(p), rest, o.s.f.Depth(p)) == frontier.NoBar
}

// loosens tells whether what decides about URLs differs from the session before.
func loosens(before []byte, now *Config) bool {
	if len(before) == 0 {
		return false
	}
	was := Default()
	if err := was.Read("the last session", before); err != nil {
		return true
	}
	a, b := was.limitsOnly(), now.limitsOnly()
	x, errX := a.Marshal()
	y, errY := b.Marshal()
	return errX != nil || errY != nil || !bytes.Equal(x, y)
}

// limitsOnly is a configuration with nothing but what decides about URLs.
func (c *Config) limitsOnly() Config {
	d := Default()
	d.Seeds, d.Scope, d.Include, d.Exclude, d.Rules, d.Deny = c.Seeds, c.Scope, c.Include, c.Exclude, c.Rules, c.Deny
	d.MaxDepth, d.MaxDepthDynamic, d.SitePages, d.DomainPages, d.Types, d.Site = c.MaxDepth, c.MaxDepthDynamic, c.SitePages, c.DomainPages, c.Types, c.Site
	d.Traps = c.Traps
	return d
}

// revisit lets all pages that came be visited again when --recrawl is new: when each of
// them came is not known any more, so they are due, in the order of the policy.
func (o *owner) revisit() {
	was := Default()
	if o.c.Recrawl.Duration == 0 || len(o.before) == 0 || was.Read("the last session", o.before) != nil || was.Recrawl.Duration > 0 {
		return
	}
	r := o.begin(frontier.Revisit, o.base)
	for p := range o.s.f.Pages() {
		if o.s.f.State(graph.Page(p)) == frontier.Fetched {
			r.Event.Admit = append(r.Event.Admit, graph.Page(p))
		}
	}
	if len(r.Event.Admit) > 0 {
		o.record()
	}
}
