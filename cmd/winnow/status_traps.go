package main

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/live"
)

// addLargest adds the site with most known pages and its verdict.
func addLargest(t *show.List, x *history.SiteShare) {
	if x == nil {
		return
	}
	t.Add("largest site", show.Grouped(x.Pages), fmt.Sprintf("%.1f %% of the known pages are on %s: %s", 100*x.Share, x.Site, verdictText(x)))
	t.Add("", "", fmt.Sprintf("(Cho et al. 1998, section 5.2: %s of %s known URLs, %.1f %%, on one server)",
		show.Grouped(live.ChoServer), show.Grouped(live.ChoKnown), 100*float64(live.ChoServer)/live.ChoKnown))
}

// verdictText returns the trap verdict on a site.
func verdictText(x *history.SiteShare) string {
	switch x.Verdict {
	case "trap":
		return fmt.Sprintf("a trap, %s of its pages are skipped", show.Grouped(x.Trapped))
	case "partly":
		return fmt.Sprintf("partly a trap, %s of its pages are skipped", show.Grouped(x.Trapped))
	}
	return "not a trap"
}

// addLeft adds held pages and mirrors.
func addLeft(t *show.List, s *history.Status) {
	if s.Held > 0 {
		t.Add("held", show.Grouped(s.Held), "refused pages that are admitted if there is evidence that they are wanted")
	}
	if s.Mirrored > 0 {
		t.Add("mirrors", show.Grouped(s.Mirrored), "sites that are nearly the same as another; their pages are fetched later")
	}
}

// trapsShown is the number of places listed for a reason.
const trapsShown = 5

// printTraps lists the places that were skipped as traps, and the mirrors.
func printTraps(u *ui, s *history.Status) error {
	if list := live.Skipped(s); len(list) > 0 {
		u.printf("\n")
		t := show.NewList("skipped", "pages", "why, and where most")
		for _, x := range list {
			t.Add(x.Bar, show.Grouped(x.Pages), x.Bar.Meaning())
			for _, p := range x.Places[:min(len(x.Places), trapsShown)] {
				t.Add("", show.Grouped(p.Pages), "  "+p.Site+p.Pattern)
			}
		}
		if err := t.Print(u.stdout); err != nil {
			return err
		}
	}
	if len(s.Mirrors) == 0 {
		return nil
	}
	u.printf("\n")
	t := show.NewList("mirror", "of")
	for _, m := range s.Mirrors {
		t.Add(m.Site, m.Of)
	}
	return t.Print(u.stdout)
}
