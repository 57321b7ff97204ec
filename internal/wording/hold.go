package wording

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
)

// holdNames are the words for the reasons of history.Status.Delays, and for some of Waits.
var holdNames = map[string]string{
	"crawl-delay": "Crawl-delay", "delay": "--delay", "retry-after": "Retry-After", "too-often": "too many requests",
	"slow": "slow answers", "failures": "pause after failures", "address": "same IP address", "robots-elsewhere": "robots.txt elsewhere",
	"twin": "http and https share a server", "commit": "disk", "better": "better pages elsewhere",
}

// fewSites is the largest number of sites with pages that is named as a reason: requests to one
// site follow each other, so few sites are slow.
const fewSites = 10

// HoldName returns the words for a reason why a site waits: one of history.Status.Delays, or of some
// of Waits; "" for others.
func HoldName(why string) string { return holdNames[why] }

// Holds lists why the crawl is not faster. Numbers are those of sites, the largest first.
func Holds(s *history.Status) (items []string) {
	by := map[string]int{}
	for why, n := range s.Delays {
		by[holdNames[why]] += n
	}
	for _, why := range []string{"address", "robots-elsewhere", "twin", "commit", "better"} {
		if n := s.Waits[why]; n > 0 {
			by[holdNames[why]] = n
		}
	}
	if s.Active >= s.Fetchers && s.Fetchers > 0 {
		items = append(items, "all "+show.Counted(int64(s.Fetchers), "fetcher")+" busy")
	}
	for i, name := range show.ByValue(by) {
		item := name + " " + show.Grouped(by[name])
		if i == 0 {
			item = name + " " + show.Counted(int64(by[name]), "site")
		}
		items = append(items, item)
	}
	if s.Down > 0 {
		items = append(items, "unreachable "+show.Grouped(s.Down)+NextTry(s))
	}
	switch {
	case s.Wanting == 0 && s.Active == 0 && s.Down == 0:
		items = append(items, "no site has pages left")
	case s.Wanting > 0 && s.Wanting <= fewSites && s.Wanting < s.Fetchers:
		items = append(items, "only "+show.Counted(int64(s.Wanting), "site")+" with pages")
	}
	return items
}

// NextTry says when the first unreachable site is requested again.
func NextTry(s *history.Status) string {
	if s.NextTry == nil || s.NextTry.Before(s.Measured) { // it is due
		return ""
	}
	return " (next try " + s.NextTry.Local().Format("15:04:05") + ")"
}

// HandoutReason says why a page is requested when it is.
func HandoutReason(x *explain.Handout) string {
	why := x.By
	if name := holdNames[x.By]; name != "" {
		why = name
		if x.By != "address" && x.By != "better" {
			why += " " + show.Duration(time.Duration(x.Between*1e9))
		}
	}
	if x.First {
		why += ", after robots.txt"
	}
	if x.Again {
		why += ", again"
	}
	if x.Board != "" {
		why += " (" + x.Board + ")"
	}
	return why
}
