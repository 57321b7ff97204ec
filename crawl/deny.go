package crawl

import (
	"maps"
	"os"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

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

// denyEvery is how often to look at the file.
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
		if a.state.FileBar(rules, url) != event.NoBar {
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
