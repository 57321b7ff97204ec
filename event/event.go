// Package event holds the words that the parts of a crawl share: the tasks that are handed
// out, the events that are recorded, how an attempt ended (Class), and why a page is not
// fetched (Bar).
//
// A Task describes what a fetcher does. An Event describes what happened, with everything
// that was decided about it. The frontier is a fold of events, the journal stores them, the
// crawler and the simulator make them. Journals contain the numbers of all constants: new
// ones come last.
package event

import (
	"fmt"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// TaskKind is a kind of task.
type TaskKind uint8

// The kinds. Journals contain their numbers, so new ones come last.
const (
	Resolve TaskKind = iota // look up the address of the site: no clock, no server of its own
	Robots                  // fetch its robots.txt
	Fetch                   // fetch a page
	Sitemap                 // fetch one of its sitemap files; the driver keeps the list of them
	// Requisite: fetch something that a page needs to be shown, such as a picture. The driver keeps
	// the list of them, and Page is its number there.
	Requisite
)

var taskNames = [...]string{"resolve", "robots", "fetch", "sitemap", "requisite"}

func (k TaskKind) String() string { return taskNames[k] }

// A Task describes what a fetcher does. Site is acquired until the task is done.
type Task struct {
	Kind  TaskKind
	Site  graph.Site
	Page  graph.Page // of Fetch; the number of a Requisite
	Board uint8      // the board that chose it
	// For is, of Robots, the site whose rules are requested. It is Site itself unless
	// its robots.txt moved to Site.
	For graph.Site
}

// A Kind is a kind of event.
type Kind uint8

// The events. State is the fold of them: the same events give the same state.
const (
	// Seed: the pages New became known, without a link to them.
	Seed Kind = iota
	// Took: Work was handed out. Next and More do it themselves; on replay it is
	// applied, and forces what was decided then.
	Took
	// Refused: Page was about to be handed out, but a rule of its site forbids it.
	// Next and More do it themselves, as with Took.
	Refused
	// Polled: Next returned no task, but chose a batch. See frontier.Frontier.Polled.
	Polled
	// Resolved: the address of Site is known, or (Class) could not be found.
	Resolved
	// Ruled: the robots.txt of For was requested at Site; Delay and Expiry are
	// those of its rules. With Hop it redirects to the site To instead.
	Ruled
	// Done: an attempt at Page ended at End with Class.
	Done
	// Session: the crawler was started again. Tasks that had been handed out are void.
	Session
	// Listed: a sitemap file of Site was fetched, and made the pages New known: without
	// a link to them, but they are no seeds. If it failed, and not Again, the file is
	// left out.
	Listed
	// Admitted: the pages Admit, which were refused, are to be fetched after all.
	Admitted
	// Revisit: the pages Admit, which were fetched, are to be visited again. Those that wait for
	// it already, and others, are left out.
	Revisit
	// Retried: the pages Admit, which failed or were refused, or which got the content
	// of a portal, get another chance, and so do their sites that were closed.
	Retried
	// Probed: the robots.txt of Site is due out of turn, to see whether
	// anything answers.
	Probed
	// Withdrawn: Files of the sitemap files of Site must not be requested any more, or
	// (Hop) its robots.txt must not be requested where it moved to. That counts as a
	// failure of its robots.txt, which is requested again.
	Withdrawn
	// Denied: the list of hosts that are never requested has changed. The driver knows it;
	// the frontier calls Options.Forbid.
	Denied
	// Named: Files of the sitemap files of Site became known, which another site or a seed
	// names. A site without a waiting page is not requested, so New and Admit may have a
	// page of it.
	Named
	// Scored: what pages are worth is computed otherwise from now on. The driver knows how, and
	// calls frontier.Frontier.SetScore.
	Scored
	// Dropped: the pages Admit are not kept any more, to make room for others. They stay
	// fetched, and their links known.
	Dropped
	// Moved: the answers of the pages Admit were copied to another place in the archive, or
	// nothing that is kept is left in one of its files. The driver knows where.
	Moved
	// Needed: requisites became known. Needs has the site of each; those with a bar are not to
	// be fetched. They are no pages: they have numbers of their own. Page is graph.NoPage if it is one
	// of another partition.
	Needed
	// Brought: an attempt at a requisite of Site ended at End with Class. With Again it is tried
	// again after the others of the site.
	Brought
	// Unneeded: Files of the requisites of Site must not be requested any more, because of Bar.
	Unneeded
	// Judged: Page, which was fetched before the topic of the crawl was known, is an example of it.
	// Links and Read are what its stored copy has; Links are those that are known.
	Judged
	// Rendered: a browser has shown Page, which was fetched, or (Class) could not. New, Links and
	// Read are what it shows. With Again it needs requisites for that, and will be shown again.
	Rendered
	// Sent: message Message to the partition Part was made of what is to be told about its pages.
	Sent
	// Linked: message Message of the partition Part was applied. Links are the pages that it
	// names, Gifts and Amounts what it says about them; those not known before are in New.
	Linked
	// Asked: another partition asks for the robots.txt of one of its sites, which is the first of
	// Needs and moved to the second. With Bar it is not requested.
	Asked
	// Wanted: the partition gives Pages of the pages back that it may fetch, and (Again) asks for
	// others. Limit is that of all partitions together, as it knows it.
	Wanted
	// Granted: the partition Part may fetch Pages more. Only partition 0 decides that.
	Granted
)

var kindNames = [...]string{"seed", "took", "refused", "polled", "resolved", "ruled", "done", "session", "listed", "admitted", "revisit",
	"retried", "probed", "withdrawn", "denied", "named", "scored", "dropped", "moved", "needed", "brought", "unneeded", "judged", "rendered", "sent", "linked", "asked", "wanted", "granted"}

func (k Kind) String() string { return kindNames[k] }

// Reads reports whether an event of the kind tells what a page contains.
func (k Kind) Reads() bool { return k == Done || k == Rendered }

// An Event is something that happened, with all that was decided about it: ids,
// verdicts, places. Fields that the kind does not name are zero.
type Event struct {
	Kind Kind
	// Task is, of Took, the task that was handed out. Other events use some of its fields:
	// Site (Resolved, Ruled, Listed, Probed, Withdrawn, Named, Brought, Unneeded), For (Ruled),
	// Page (Refused, Done, Judged, Rendered; Needed: the page that needs them; Brought: the number).
	Task
	Bar Bar // Refused, Unneeded: why; NoBar means by robots.txt

	// New are the sites of the pages that became known by this event (Seed, Done,
	// Listed, Named, Rendered, Linked), in the order of their ids, which continue those known. A site whose id is
	// the number of known sites is new.
	New []graph.Site
	// Bars has the reason why each page of New, or requisite of Needs, is not to be fetched, NoBar
	// for those that are. Nil: all are.
	Bars []Bar
	// Admit are pages that were refused and are to be fetched after all (Seed, Done,
	// Listed, Named, Linked, Admitted), or the pages of Retried and Revisit. Those that are not refused are
	// left out.
	Admit []graph.Page
	Links []graph.Page // Done, Judged, Rendered, Linked: distinct, known (New included), without the page itself
	// Anchors are those of Links (Done, Rendered). Empty if nothing is known of them, else as many as
	// Links.
	Anchors []Anchor
	// Read is what the page has to do with the topic of the crawl (Done, Judged, Rendered).
	Read Reading

	// Needs are the sites of the requisites that became known (Needed; Asked: two), in the order of their
	// numbers, which continue those known. A site whose id is the number of known sites is new.
	Needs []graph.Site
	First graph.Page // Needed: the number of the first of them, 0 if there are none

	// Hints are what a sitemap file says about pages that wait, New included (Listed).
	Hints []Hint

	Class Class // Resolved, Ruled, Listed, Done, Brought, Rendered
	// Again sends the page, or the task of the site, back to be tried not before Due
	// (Resolved, Ruled, Listed, Done); a sitemap file is tried again in its turn, and a
	// site that has rules already keeps them until Due. A Due without Again is
	// the instant at which a fetched page is due again (Done); 0 is never.
	Again bool
	Due   time.Duration
	Start time.Duration // of the request
	End   time.Duration // of the answer, as the fetcher stamped it
	Bytes int64
	Keep  bool // Done: the connection may serve the next request
	// Later: a browser will show the page, and policies hear of it by Rendered (Done).
	Later bool
	// Fresh: the page was fetched for the first time (Rendered).
	Fresh bool
	// Near: the page is a near duplicate, or seems to be in a trap (Done). The pages New are
	// discounted until a page that is neither links to them: see discounts.
	Near bool
	// Urgent: the pages of a Revisit go before all others. The driver knows it.
	Urgent bool
	// Ours: the trouble is on our side, so a failure does not count against the site.
	Ours bool
	// Stale: nothing answered at the address of the site, which is to be looked up again
	// (Ruled, Listed, Done).
	Stale bool
	// Pushed: the server reports too many requests (Ruled, Listed, Done).
	Pushed bool

	Hop   bool       // Ruled: the robots.txt of For moved to the site To; Withdrawn
	To    graph.Site // Ruled with Hop; the number of known sites adds one
	Files uint32     // Ruled, Listed: sitemap files that became known of For, of Site; Withdrawn, Named; requisites of Unneeded

	Address uint32        // Resolved: dense number of the IP address
	Delay   time.Duration // Ruled: Crawl-delay
	Expiry  time.Duration // Resolved, Ruled: when the address, the robots.txt is to be requested again; 0 never
	Retry   time.Duration // Done, Ruled, Listed: Retry-After, from End on

	Exchange // Sent, Linked, Wanted, Granted
}

// Never is an instant that does not come.
const Never = time.Duration(math.MaxInt64)

// A Bar is the reason why a page is not to be fetched: the verdict of the driver, or of robots.txt.
// A barred page is known, has an id, and counts for what links to it; it is never
// handed out unless it is admitted later. Journals contain the numbers, so new ones
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
	BarType            // its name shows that it is not HTML
	BarNoFollow        // only nofollow links to it
	BarTrap            // its URL has the shape of a trap
	BarLength          // its URL is too long
	BarDuplicate       // it is known under another URL
	BarLost            // the record that made it known is lost
	BarNoNews          // places like its own bring nothing new
	BarGrows           // it lies in a place where every page leads deeper
	BarHosts           // its host is one of many below a domain that only the domain links to
	BarFarm            // its domain is one of many that can be reached through one other only
	BarForeign         // another partition of the crawl fetches it
	bars
)

// MaxBar is the largest bar that there is room for.
const MaxBar = Bar(31)

var barNames = [bars]string{"none", "robots", "scope", "depth", "site-pages", "domain-pages",
	"excluded", "denied", "type", "nofollow", "trap", "length", "duplicate", "lost",
	"no-news", "grows", "hosts", "farm", "foreign"}

// Bars returns the number of bars that have names.
func Bars() int { return int(bars) }

func (b Bar) String() string {
	if b < bars {
		return barNames[b]
	}
	return fmt.Sprintf("bar %d", uint8(b))
}

// A Class describes how an attempt ended.
type Class uint8

// The classes. A failed page is data, never an error.
const (
	OK Class = iota
	Redirect
	Duplicate
	NotHTML
	TooLarge
	HTTPError   // 4xx: the fault of the link
	ServerError // 5xx and 429: the fault of the server, which is skipped for a while
	DNSError
	ConnectError
	TLSError
	Timeout
	RobotsRefused
	Trap
	Crashed // our own fault: reading the answer made the program panic
	Gone    // 404 or 410 for a page that was fetched before
	classes
)

// LastClass is the class with the highest number.
const LastClass = classes - 1

var classNames = [classes]string{"ok", "redirect", "duplicate", "not-html", "too-large", "http-error", "server-error", "dns", "connect", "tls", "timeout", "robots", "trap", "parser-crash", "gone"}

func (c Class) String() string { return classNames[c] }

// Failed reports whether a page of this class brought nothing.
func (c Class) Failed() bool { return c >= TooLarge }

// An Outcome describes the end of an attempt to a policy, except for the links.
type Outcome struct {
	Class Class
	Again bool          // the page goes back to its queue and will be tried again
	Took  time.Duration // from request to the end of the answer
	Bytes int64
	// First is the first page that became known by this event: those from First on did.
	First graph.Page
	// Anchors are those of the links. Empty if nothing is known of them, else as many as the
	// links. They are valid during the call.
	Anchors []Anchor
	Dull    bool // the page is a near duplicate, or seems to be in a trap
	// Read is what the page has to do with the topic of the crawl, valid during the call, and
	// Similarity how near it is to the topic, from 0 to 1, by what was known then. Hot reports
	// whether it is about the topic. All are zero without a topic, and for pages that failed.
	Read       *Reading
	Similarity float64
	Hot        bool
	// Late: the page was fetched before; only what it has to do with the topic is new.
	Late bool
}

// meanings explain the reasons of refusals.
var meanings = map[Bar]string{
	BarRobots:      "robots.txt forbids it",
	BarScope:       "it is outside the scope of the crawl",
	BarDepth:       "it is too many links away from a seed",
	BarSitePages:   "its site has reached --site-pages",
	BarDomainPages: "its registered domain has reached --domain-pages",
	BarExcluded:    "a pattern or a rule excludes it",
	BarDenied:      "its host is on the deny list",
	BarType:        "its name shows that it is not HTML",
	BarNoFollow:    "only nofollow links lead to it",
	BarLength:      "its URL is too long",
	BarLost:        "the record that made it known is damaged",
	BarTrap:        "its URL looks like a trap: repeated or too many segments or parameters",
	BarNoNews:      "similar pages brought nothing new: known content, or \"not found\"",
	BarDuplicate:   "it was already fetched with another value of a parameter that changes nothing",
	BarGrows:       "every page in that place leads one level deeper, without end",
	BarHosts:       "its host is one of many below a domain, and no other site links to it",
	BarFarm:        "its domain is one of many that are linked from a single other domain only",
	BarForeign:     "another partition of the crawl fetches it",
}

// Meaning explains the reason in a clause about the page.
func (b Bar) Meaning() string { return meanings[b] }

// FailureOrBar returns the class of failures or the reason of refusals that has a name.
func FailureOrBar(name string) (class Class, bar Bar, ok bool) {
	for k := TooLarge; k <= LastClass; k++ {
		if k.String() == name {
			return k, 0, true
		}
	}
	for b := BarRobots; int(b) < Bars(); b++ {
		if b.String() == name {
			return 0, b, true
		}
	}
	return 0, 0, false
}
