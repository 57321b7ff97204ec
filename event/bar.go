package event

import "fmt"

// Bar is why a page is not to be fetched: the verdict of the driver, or of robots.txt.
// A barred page is known, has an id, and counts for what links to it; it is never
// handed out unless it is admitted later. The numbers stand in journals, so new ones
// come last. There is room for 32: a bar shares a byte with the state of its page.
type Bar uint8

// The bars.
const (
	NoBar          Bar = iota
	BarRobots          // robots.txt of its site
	BarScope           // outside the scope of the crawl
	BarDepth           // too many links away from a seed
	BarSitePages       // its site has as many pages as it may
	BarDomainPages     // so has its domain
	BarExcluded        // a pattern of the options
	BarDenied          // the deny list
	BarType            // its name says that it is no HTML
	BarNoFollow        // only nofollow links to it
	BarTrap            // its URL has the shape of a trap
	BarLength          // its URL is too long
	BarDuplicate       // it is known under another URL
	BarLost            // the record that made it known is lost
	BarNoNews          // places like its own bring nothing new
	BarGrows           // it lies in a place where every page leads deeper
	BarHosts           // its host is one of many below a domain that only the domain links to
	BarFarm            // its domain is one of many that can be reached through one other only
	bars
)

// MaxBar is the largest bar that there is room for.
const MaxBar = Bar(31)

var barNames = [bars]string{"none", "robots", "scope", "depth", "site-pages", "domain-pages",
	"excluded", "denied", "type", "nofollow", "trap", "length", "duplicate", "lost",
	"no-news", "grows", "hosts", "farm"}

// Bars is the number of bars that have names.
func Bars() int { return int(bars) }

func (b Bar) String() string {
	if b < bars {
		return barNames[b]
	}
	return fmt.Sprintf("bar %d", uint8(b))
}
