package main

import (
	"fmt"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/live"
)

// capText describes what a limit left out, without the number.
func capText(x *state.Cap) string {
	if x.Key == "" {
		return x.What + " beyond what is read of one site"
	}
	text := x.What + " by " + live.CapName(x)
	if where := live.CapWhere(x); where != "" {
		text += ": " + where
	}
	return text
}

// addCaps adds what limits left out to the figures of a crawl.
func addCaps(t *show.List, caps []state.Cap) {
	for i := range caps {
		x := &caps[i]
		text := capText(x)
		switch raise := live.CapRaise(x); {
		case raise != "":
			text += "; raise it with " + raise
		case strings.HasSuffix(x.Key, "_pages"):
			text += "; a larger value includes them"
		}
		t.Add("left out", show.Grouped(x.Left), text)
	}
}

// withinLimits describes the end of a finished crawl, and mentions limits that left pages out.
func withinLimits(caps []state.Cap) string {
	if len(caps) == 0 {
		return "there is nothing left to fetch"
	}
	return "there is nothing left to fetch within the limits"
}

// raiseAll returns the flags with which limits would have left nothing out.
func raiseAll(caps []state.Cap) (flags []string) {
	for i := range caps {
		if raise := live.CapRaise(&caps[i]); raise != "" {
			flags = append(flags, strings.Fields(raise)...)
		}
	}
	return flags
}

// fetchedText explains the number of fetched pages: how many are redirects, and where the
// links in them lead. The links of pages that were not fetched are unknown.
func fetchedText(s *history.Status) string {
	var parts []string
	if s.Redirects > 0 {
		parts = append(parts, show.Grouped(s.Redirects)+" of them redirects")
	}
	if s.Links > 0 {
		parts = append(parts, fmt.Sprintf("%s of the %s found lead to them", gathered(s.Gathered), show.Counted(s.Links, "link")))
	}
	if n := s.Failed + s.Refused; n > 0 && s.Links > 0 {
		parts = append(parts, fmt.Sprintf("what %s that did not come link to is not known", show.Counted(n, "page")))
	}
	return strings.Join(parts, "; ")
}
