package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
)

// What the largest site is held against (X38): the largest server of Cho et al. 1998,
// section 5.2.
const (
	paperKnown  = 784_592
	paperServer = 352_944
)

// barMeaning says what a reason of a refusal means, for --help, the report and the status.
func barMeaning(b event.Bar) string {
	switch b {
	case event.BarRobots:
		return "robots.txt forbids it"
	case event.BarScope:
		return "it lies outside the scope of the crawl"
	case event.BarDepth:
		return "it is too many links away from a seed"
	case event.BarSitePages:
		return "its site has as many pages as it may"
	case event.BarDomainPages:
		return "its registered domain has as many pages as it may"
	case event.BarExcluded:
		return "a pattern or a rule of the options excludes it"
	case event.BarDenied:
		return "its host is on the deny list"
	case event.BarType:
		return "its name says that it is no HTML"
	case event.BarNoFollow:
		return "only nofollow links lead to it"
	case event.BarLength:
		return "its URL is too long"
	case event.BarLost:
		return "the record that made it known is damaged"
	}
	return trapMeaning(b)
}

// trapMeaning is barMeaning for traps.
func trapMeaning(b event.Bar) string {
	switch b {
	case event.BarTrap:
		return "its URL has the shape of a trap: segments or parameters that repeat, or too many of them"
	case event.BarNoNews:
		return "pages like it brought nothing new: what others had before, or \"not found\""
	case event.BarDuplicate:
		return "it came already with another value of a parameter that changes nothing"
	case event.BarGrows:
		return "every page there leads one level deeper, and none is an end"
	case event.BarHosts:
		return "its host is one of many names below a domain that nobody else links to"
	case event.BarFarm:
		return "its domain can be reached through one other domain only, with many more"
	}
	return ""
}

// addLargest adds the site with most known pages, and what is thought of it (X38).
func addLargest(t *table, x *history.SiteShare) {
	if x == nil {
		return
	}
	t.add("largest site", formatCount(x.Pages), fmt.Sprintf("%.1f %% of the known pages are on %s: %s", 100*x.Share, x.Site, verdictText(x)))
	t.add("", "", fmt.Sprintf("(Cho et al. 1998, section 5.2: %s of %s known URLs, %.1f %%, on one server)",
		formatCount(paperServer), formatCount(paperKnown), 100*float64(paperServer)/paperKnown))
}

// verdictText is the trap verdict on a site.
func verdictText(x *history.SiteShare) string {
	switch x.Verdict {
	case "trap":
		return fmt.Sprintf("a trap, %s of its pages are left alone", formatCount(x.Trapped))
	case "partly":
		return fmt.Sprintf("partly a trap, %s of its pages are left alone", formatCount(x.Trapped))
	}
	return "no trap"
}

// addLeft adds what is held and what is mirrored to the figures of a status.
func addLeft(t *table, s *history.Status) {
	if s.Held > 0 {
		t.add("held", formatCount(s.Held), "refused pages that are admitted if something speaks for them")
	}
	if s.Mirrored > 0 {
		t.add("mirrors", formatCount(s.Mirrored), "of the sites nearly the same as another; their pages come later")
	}
}

// trapsShown is how many places of a reason are named in a text.
const trapsShown = 5

// A leftAlone is what was left alone for one reason.
type leftAlone struct {
	bar    event.Bar
	pages  int64
	places []history.Trap // those that met most pages; a status has some of all reasons
}

// leftAloneBy sorts the traps of a status by reason, the largest first.
func leftAloneBy(s *history.Status) (list []leftAlone) {
	for b := range event.Bar(event.Bars()) {
		x := leftAlone{bar: b, pages: s.RefusedBy[b.String()]}
		for _, t := range s.Traps {
			if t.Reason == b.String() {
				x.places = append(x.places, t)
			}
		}
		if trap.IsTrap(b) && x.pages > 0 {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b leftAlone) int { return cmp.Compare(b.pages, a.pages) })
	return list
}

// printTraps lists the places that are left alone, and the mirrors.
func printTraps(u *ui, s *history.Status) error {
	if list := leftAloneBy(s); len(list) > 0 {
		u.printf("\n")
		t := newTable("left alone", "pages", "why, and where most")
		for _, x := range list {
			t.add(x.bar, formatCount(x.pages), trapMeaning(x.bar))
			for _, p := range x.places[:min(len(x.places), trapsShown)] {
				t.add("", formatCount(p.Pages), "  "+p.Site+p.Pattern)
			}
		}
		if err := t.print(u.stdout); err != nil {
			return err
		}
	}
	if len(s.Mirrors) == 0 {
		return nil
	}
	u.printf("\n")
	t := newTable("mirror", "of")
	for _, m := range s.Mirrors {
		t.add(m.Site, m.Of)
	}
	return t.print(u.stdout)
}
