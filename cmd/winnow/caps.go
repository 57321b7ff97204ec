package main

import (
	"fmt"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
)

// capFlag is the flag of a limit, by its key.
func capFlag(key string) string { return "--" + strings.ReplaceAll(key, "_", "-") }

// capName is a limit with its value.
func capName(x *state.Cap) string {
	if table, key, ok := strings.Cut(x.Key, "."); ok {
		return fmt.Sprintf("%s of a [[%s]]", key, table)
	}
	return capFlag(x.Key) + " " + x.Value
}

// capText says what a limit left out, without the number.
func capText(x *state.Cap) string {
	if x.Key == "" {
		return x.What + " beyond what is read of one site"
	}
	text := x.What + " by " + capName(x)
	if where := capWhere(x); where != "" {
		text += ": " + where
	}
	return text
}

// capWhere names the places of which most was left out.
func capWhere(x *state.Cap) string {
	var parts []string
	rest := x.Left
	for _, p := range x.Where {
		parts = append(parts, formatCount(p.Left)+" of "+p.Name)
		rest -= p.Left
	}
	if len(parts) > 0 && rest > 0 {
		parts = append(parts, formatCount(rest)+" elsewhere")
	}
	return strings.Join(parts, ", ")
}

// capRaise is the flag with which it would not have been left out, "" if there is none.
func capRaise(x *state.Cap) string {
	if x.Key == "" || x.Raise == "" {
		return ""
	}
	return capFlag(x.Key) + " " + x.Raise
}

// addCaps adds what limits left out to the figures of a crawl.
func addCaps(t *table, caps []state.Cap) {
	for i := range caps {
		x := &caps[i]
		text := capText(x)
		switch raise := capRaise(x); {
		case raise != "":
			text += "; raise it with " + raise
		case strings.HasSuffix(x.Key, "_pages"):
			text += "; a larger value brings them"
		}
		t.add("left out", formatCount(x.Left), text)
	}
}

// withinLimits says of a crawl that has finished whether that is all there is.
func withinLimits(caps []state.Cap) string {
	if len(caps) == 0 {
		return "there is nothing left to fetch"
	}
	return "there is nothing left to fetch within the limits"
}

// raiseAll is all flags with which nothing would have been left out.
func raiseAll(caps []state.Cap) (flags []string) {
	for i := range caps {
		if raise := capRaise(&caps[i]); raise != "" {
			flags = append(flags, strings.Fields(raise)...)
		}
	}
	return flags
}

// fetchedText says what the number of fetched pages means: what of it are redirects, and
// where the links lead that were found. What lies behind pages that did not come nobody
// knows.
func fetchedText(s *history.Status) string {
	var parts []string
	if s.Redirects > 0 {
		parts = append(parts, formatCount(s.Redirects)+" of them redirects")
	}
	if s.Links > 0 {
		parts = append(parts, fmt.Sprintf("%s of the %s found lead to them", gathered(s.Gathered), counted(s.Links, "link")))
	}
	if n := s.Failed + s.Refused; n > 0 && s.Links > 0 {
		parts = append(parts, fmt.Sprintf("what %s that did not come link to is not known", counted(n, "page")))
	}
	return strings.Join(parts, "; ")
}
