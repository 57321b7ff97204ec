package crawl

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// An admission decides which known pages are fetched: it adds seeds, admits pages that were
// refused, and withdraws what is now forbidden. Every decision is a record.
type admission struct {
	*session
	was      *config.Config // of the session before; nil: it is not known
	loosened bool           // the limits differ from those of the session before
	revived  map[graph.Page]bool
}

// last admits pages that get their chance at the end of a crawl, when nothing else is left:
// those that were refused as traps, those that a limit kept out, and those whose links were
// left out. It reports whether there were some.
func (a *admission) last(now time.Duration) (some bool, err error) {
	if a.relent(now, true) || a.refill(now) {
		return true, nil
	}
	return a.revive(now)
}

// refill admits pages that a limit of their site or domain kept out, when others that had
// been counted were not fetched after all: forbidden or in a trap, for example. It is for the
// end of a crawl, and looks at every page.
func (a *admission) refill(now time.Duration) (some bool) {
	_, bars, _ := a.state.Frontier.Census()
	if !a.state.Limits.Freed || bars[event.BarSitePages]+bars[event.BarDomainPages] == 0 {
		return false
	}
	a.state.Limits.Freed = false
	return a.admitAll(now, func(p graph.Page, bar event.Bar) bool {
		capped := bar == event.BarSitePages || bar == event.BarDomainPages || bar == event.BarDepth
		return capped && !a.state.Limits.NoRoom(a.state.Frontier.Site(p)) && a.fits(p) && a.state.Barred(p) == event.NoBar
	}) > 0
}

// fits reports whether the limits allow a request for a page.
func (a *admission) fits(p graph.Page) bool {
	site, rest, ok := a.state.Read(p)
	return ok && a.state.Limits.Judge(site, rest, a.state.Depth(p)) == event.NoBar
}

// admitAll admits the refused pages that a function accepts, and returns their number.
func (a *admission) admitAll(now time.Duration, wants func(graph.Page, event.Bar) bool) int {
	r := a.begin(event.Admitted, now)
	for i := range a.state.Frontier.Pages() {
		if p := graph.Page(i); a.state.Frontier.State(p) == frontier.RefusedPage && wants(p, a.state.Frontier.Bar(p)) {
			a.state.Admit(r, p)
		}
	}
	n := len(r.Event.Admit)
	if n > 0 {
		a.record()
	}
	return n
}

// admitNearer admits the pages that were refused for their depth and turned out to be
// nearer. It is called after each record that may cause this, so that both are in the
// same group of the journal.
func (a *admission) admitNearer(now time.Duration) {
	list := a.state.Frontier.Nearer()
	if len(list) == 0 {
		return
	}
	r := a.begin(event.Admitted, now)
	slices.Sort(list)
	for _, p := range slices.Compact(list) {
		if a.state.Frontier.Bar(p) == event.BarDepth && a.fits(p) {
			a.state.Admit(r, p)
		}
	}
	if len(r.Event.Admit) > 0 {
		a.record()
	}
}

// checkSeeds returns an error for seeds that are not of the crawl, before anything is
// changed.
func checkSeeds(o *RunOptions, s *state.State) error {
	if o.AddSeeds || len(s.LastConfig) == 0 {
		return nil
	}
	was := lastConfig(s)
	for _, url := range o.Seeds {
		if (was == nil || !slices.Contains(was.Seeds, url)) && !isSeed(s, url) {
			return &hint.Error{
				Text: fmt.Sprintf("%s is a crawl with other seeds: %s is not one of them", o.Dir, url),
				Hint: "give --add-seeds to add it, another --dir for a new crawl, or no seeds to resume",
			}
		}
	}
	return nil
}

// lastConfig returns the configuration of the session before, nil if it is not known.
func lastConfig(s *state.State) *config.Config {
	c := config.Default()
	if len(s.LastConfig) == 0 || c.Read("the last session", s.LastConfig) != nil {
		return nil
	}
	return &c
}

// isSeed reports whether a URL is a seed of this crawl. A page found by a link is none.
func isSeed(s *state.State, url string) bool {
	p, known := s.Lookup(url)
	return known && int(p) < s.Frontier.Pages() && s.IsSeed(p)
}

// seed makes the seeds known that are not.
func (a *admission) seed(c *ceiling) error {
	r := a.begin(event.Seed, a.base)
	for _, url := range a.options.Seeds {
		c.look(a.state, false)
		_, known := a.state.Lookup(url)
		if !known && c.needed > c.most || !a.state.Seed(r, url) {
			return &hint.Error{Text: "there is no room for " + url, Hint: fmt.Sprintf("give the crawl more memory: --max-memory %dM", 2*c.most>>20)}
		}
	}
	if len(r.Event.New) > 0 || len(r.Event.Admit) > 0 {
		a.record()
		a.admitNearer(a.base)
	}
	return nil
}

// A crawl that is resumed with a wider scope or larger limits requests pages that it knows
// and had refused: nothing has to be fetched again to find them. A narrower scope or a
// longer deny list bars pages that wait when they would be handed out.

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
	case a.config.SitemapOnly && a.state.Frontier.Bar(p) == event.BarScope:
		return false // no sitemap lists it
	case a.state.IsSeed(p):
		return scope.Denied(site, rest) == event.NoBar
	case scope.Judge(site, rest) != event.NoBar:
		return false
	case a.overrides.HTMLOnly(site) && (!page.Extension(url).MayBePage() || a.state.Kinds.NoPage(a.state.Frontier.Site(p), rest)):
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
	slices.Sort(list)
	a.recall(a.base, slices.Compact(list))
	return nil
}

// duplicates adds the pages to a list that were duplicates at their last fetch.
func (a *admission) duplicates(list []graph.Page) ([]graph.Page, error) {
	last := map[graph.Page]bool{}
	_, err := journal.Read(a.dir.Journal, 0, func(r *journal.Record) error {
		if e := &r.Event; e.Kind.Reads() && !e.Class.Failed() && !e.Again {
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
	if a.config.Recrawl.Duration == 0 || a.state.Revisits != nil || a.was == nil || a.was.Recrawl.Duration > 0 && !a.was.Planned() {
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

// findSitemaps requests the robots.txt of known sites again where sitemaps count that did not
// in the session before: robots.txt names them.
func (a *admission) findSitemaps() {
	if a.was == nil || !a.config.ReadsSitemaps() || a.was.ReadsSitemaps() && (a.was.SitemapOnly || !a.config.SitemapOnly) {
		return
	}
	for i := range a.state.Frontier.Sites() {
		s := graph.Site(i)
		bar := a.scope.JudgeFile(a.state.Table.Name(s), []byte("/robots.txt"))
		if bar == event.NoBar && !a.state.Sitemaps.Named(s) && a.state.Frontier.CanProbe(s) {
			a.recordSite(event.Probed, a.base, s)
		}
	}
}

// nameSeeds names the sitemap files that are seeds, where only sitemaps count. Without
// robots.txt other sites may have one at the usual place.
func (a *admission) nameSeeds() {
	if !a.config.SitemapOnly {
		return
	}
	seeds := a.options.Seeds
	if a.port != nil {
		seeds = a.port.Seeds // each partition reads its own
	}
	for _, url := range seeds {
		switch site, _ := page.Site([]byte(url)); {
		case looksLikeSitemap(url):
			a.nameFile(a.base, url)
		case !a.config.Robots:
			a.nameFile(a.base, string(site)+"/sitemap.xml")
		}
	}
}

// looksLikeSitemap reports whether a URL ends as sitemap files do.
func looksLikeSitemap(url string) bool {
	file, _, _ := strings.Cut(url, "?")
	return slices.Contains([]string{".xml", ".gz", ".txt"}, strings.ToLower(path.Ext(file)))
}

// nameFile records a sitemap file that another site names, or a seed.
func (a *admission) nameFile(now time.Duration, url string) {
	if a.state.Sitemaps.Name(a.begin(event.Named, now), url) {
		a.record()
	}
}

// nameFeed records a feed that a page names.
func (a *admission) nameFeed(now time.Duration, url string) {
	if a.state.Sitemaps.NameFeed(a.begin(event.Named, now), url) {
		a.record()
	}
}

// relentEvery is the number of tasks after which held pages are judged again.
const relentEvery = 256

// relent admits pages that were refused as traps and now have support. At the end of a
// crawl it also tries others.
func (a *admission) relent(now time.Duration, end bool) (some bool) {
	pages, trial := a.state.Traps.Release(end)
	r := a.begin(event.Admitted, now)
	r.Facts.Trial = trial
	for _, p := range pages {
		a.state.Admit(r, p)
	}
	if len(pages) > 0 {
		a.record()
	}
	return len(pages) > 0
}

// The deny list, the scope and robots.txt hold for every request. A page is judged before
// it is handed out, and before anything is requested on its behalf. A sitemap file and a
// robots.txt that moved have no page: they are judged when they become known, and again
// whenever one of the three changes. What is forbidden by then is withdrawn, by a record.

// A denyList is the file of --deny. It is read again while a crawl runs, so that a host can
// be added without a restart.
type denyList struct {
	path  string
	scope *gather.Scope
	text  string        // of the list in force
	at    time.Duration // when to look again
	stamp time.Time
	size  int64
}

// denyEvery is the time between two looks at the file.
const denyEvery = 5 * time.Second

// look reads the file again if it has changed, and reports whether the list has changed. A
// file that cannot be read changes nothing.
func (d *denyList) look(now time.Duration, warn func(string, ...any)) (changed bool) {
	if d.path == "" || now < d.at {
		return false
	}
	d.at = now + denyEvery
	info, err := os.Stat(d.path)
	if err == nil && info.ModTime().Equal(d.stamp) && info.Size() == d.size {
		return false
	}
	var rules *gather.Rules
	if err == nil {
		rules, err = config.ReadRules(d.path, gather.ParseDeny)
	}
	if err != nil {
		warn("the deny list cannot be read and stays as it was", "error", err)
		return false
	}
	d.stamp, d.size = info.ModTime(), info.Size()
	text := rules.DenyText()
	if text == d.text {
		return false
	}
	d.text = text
	d.scope.SetDeny(rules)
	return true
}

// changeDeny records a deny list that was edited while the crawl runs.
func (a *admission) changeDeny(now time.Duration) {
	r := a.begin(event.Denied, now)
	r.Facts.Deny = state.PackDeny(a.scope.DenyList())
	a.record()
	a.withdraw(now)
}

// withdraw withdraws everything that is now forbidden.
func (a *admission) withdraw(now time.Duration) {
	for _, id := range slices.Sorted(maps.Keys(a.state.Sitemaps.Files)) {
		a.withdrawFiles(now, id)
	}
	for _, id := range a.state.Requisites.Sites() {
		a.withdrawRequisites(now, id)
	}
	var gone []graph.Site
	a.state.Frontier.Hops(func(of, at graph.Site) {
		if h, ok := a.state.Robots.HopAt(of, at); !a.underWay.hops[of] && (a.scope.DeniesSite(a.state.Table.Name(at)) || ok && a.state.DeniedHop(h.URL)) {
			gone = append(gone, of)
		}
	})
	for _, id := range gone {
		r := a.begin(event.Withdrawn, now)
		r.Event.Site, r.Event.Hop = id, true
		a.record()
	}
}

// withdrawFiles withdraws the sitemap files of a site that are now forbidden, except one
// that is being requested.
func (a *admission) withdrawFiles(now time.Duration, id graph.Site) {
	files, rules := a.state.Sitemaps.Files[id], a.state.Robots.Of(id)
	if a.underWay.files[id] && len(files) > 0 {
		files = files[1:]
	}
	var gone []string
	for _, url := range files {
		if a.state.Sitemaps.Bar(rules, url) != event.NoBar {
			gone = append(gone, url)
		}
	}
	if len(gone) == 0 {
		return
	}
	r := a.begin(event.Withdrawn, now)
	r.Event.Site, r.Event.Files, r.Facts.Files = id, uint32(len(gone)), gone
	a.record()
}

// withdrawRequisites withdraws the requisites of a site that are now forbidden, except one that is
// being requested.
func (a *admission) withdrawRequisites(now time.Duration, id graph.Site) {
	parts := a.state.Requisites.Waiting(id)
	if a.underWay.parts[id] && len(parts) > 0 {
		parts = parts[1:]
	}
	gone := map[event.Bar][]graph.Page{}
	for _, p := range parts {
		if bar := a.state.RequisiteBar(id, []byte(p.Rest)); bar != event.NoBar {
			gone[bar] = append(gone[bar], p.Number)
		}
	}
	for _, bar := range slices.Sorted(maps.Keys(gone)) {
		r := a.begin(event.Unneeded, now)
		r.Event.Site, r.Event.Bar, r.Event.Files, r.Facts.Parts = id, bar, uint32(len(gone[bar])), gone[bar]
		a.record()
	}
}
