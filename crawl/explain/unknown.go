package explain

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/show"
)

// explainUnknown tells why a URL may be unknown.
func (x *explainer) explainUnknown() {
	for _, other := range page.Spellings(x.URL) {
		if form, err := page.ParseSeed(other); err == nil {
			if _, known := x.s.Lookup(form); known {
				x.Similar = form
				break
			}
		}
	}
	x.Sentence = "The crawl does not know it: no page that was fetched links to it, and no sitemap that was read lists it" + x.unseen() + "." + x.wouldBe()
}

// unseen tells where a link to the page may be that was not seen.
func (x *explainer) unseen() string {
	waiting, cut := x.f.Counts().Queued, int64(0)
	for _, c := range x.s.CapsOf(x.conf) {
		if c.Key == "max_links" {
			cut = c.Left
		}
	}
	switch {
	case waiting > 0 && cut > 0:
		return fmt.Sprintf("; %s wait, whose links are unknown, and %s were left out by max_links", show.Counted(waiting, "page"), show.Counted(cut, "link"))
	case waiting > 0:
		return fmt.Sprintf("; %s wait, whose links are unknown", show.Counted(waiting, "page"))
	case cut > 0:
		return fmt.Sprintf("; %s were left out by max_links", show.Counted(cut, "link"))
	}
	return ""
}

// wouldBe tells what would become of the page if it were found, as far as the URL decides it.
func (x *explainer) wouldBe() string {
	if bar := x.judge(x.URL, false); bar != event.NoBar {
		x.Why = bar.String()
		return fmt.Sprintf(" It would be skipped (%s): %s.", bar, bar.Meaning())
	}
	name, rest := page.Site([]byte(x.URL))
	site, known := x.siteOf(x.URL)
	if !known {
		return fmt.Sprintf(" No page of %s is known.", show.Line(string(name)))
	}
	if v := x.s.Robots.Of(site).Test(string(rest)); x.conf.Robots && !v.Allowed {
		x.Why = event.BarRobots.String()
		return fmt.Sprintf(" It would be skipped (%s): %s%s.", x.Why, event.BarRobots.Meaning(), ruleText(v.Rule))
	}
	return ""
}

// judge returns why the scope of the configuration excludes a URL, or NoBar. The scope does
// not apply to seeds, but the deny list does. Files of rules that cannot be read any more are
// left out.
func (x *explainer) judge(url string, seed bool) event.Bar {
	scope, err := config.NewScope(x.conf)
	if err != nil {
		return event.NoBar
	}
	site, rest := page.Site([]byte(url))
	if seed {
		return scope.Denied(site, rest)
	}
	return scope.Judge(site, rest)
}

// ruleText shows a rule of robots.txt in brackets.
func ruleText(rule string) string {
	if rule == "" {
		return ""
	}
	return " (Disallow: " + show.Line(rule) + ")"
}
