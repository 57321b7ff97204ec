package crawl

import (
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// maxOldURLs is the largest number of bytes of URLs in one record.
const maxOldURLs = 1 << 31

// recallOld makes the pages of the earlier crawl known that are in scope, after the seeds, if
// the policy wants that.
func (a *admission) recallOld(c *ceiling) error {
	if a.prior.Values == nil || !a.wantsOld() {
		return nil
	}
	r, left, size := a.begin(event.Seed, a.base), 0, 0
	r.Facts.Old = true
	err := a.prior.Each(func(url []byte) {
		site, rest := page.Site(url)
		if a.scope.Judge(site, rest) != event.NoBar {
			return
		}
		size += len(url)
		if c.look(a.state, false); size > maxOldURLs || c.full() || !a.state.Recall(r, url) {
			left++
		}
	})
	if err != nil {
		return err
	}
	if left > 0 {
		a.log.Warn("there is no room for all pages of the earlier crawl: the others must be found by links", "pages", left)
	}
	if len(r.Event.New) > 0 {
		a.record()
	}
	return nil
}

// wantsOld reports whether a policy wants the pages of the earlier crawl to be known from the
// start.
func (a *admission) wantsOld() bool {
	set := a.state.Setup
	return set.Policy.OldKnown() || set.SitePolicy != nil && set.SitePolicy.OldKnown()
}
