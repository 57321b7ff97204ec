package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/trouble"
)

// sentence returns why the page was not fetched yet, or what happened to it.
func (x *explainer) sentence() string {
	switch x.State {
	case Fetched:
		return x.fetched()
	case Failed:
		return x.failed()
	case Refused:
		return x.refused()
	case Lost:
		return "Its record in the journal is damaged: only its number is known."
	case Requested:
		if x.running() {
			return fmt.Sprintf("It is being requested, for %s.", show.Duration(x.now-x.story.since))
		}
		return "It was being requested when the crawl ended, and is requested again when the crawl is resumed."
	}
	if x.running() {
		return "It waits: " + x.waits() + "."
	}
	return fmt.Sprintf("It waits, and the crawl is %s: %s. When it is resumed: %s.", x.Crawl, x.Reason, x.waits())
}

// ago returns how long ago the state began.
func (x *explainer) ago() string { return show.Duration(x.now-x.story.since) + " ago" }

// fetched describes a fetched page.
func (x *explainer) fetched() string {
	text := "It was fetched " + x.ago()
	switch {
	case x.To != "":
		text += fmt.Sprintf(", and redirects to %s, which is %s", show.Line(x.To), stateOf(x.f, x.story.target))
	case x.Like != "" && x.lastClass() == event.Duplicate:
		text += ", and is a duplicate of " + show.Line(x.Like)
	case x.Like != "":
		text += ", and has nearly the content of " + show.Line(x.Like)
	}
	if at, _, ok := x.f.Due(x.p); ok && at > x.now {
		text += ". It is due again in " + show.Duration(at-x.now)
	} else if len(x.positions) > 0 {
		text += ". It waits to be fetched again: " + x.queued()
	}
	return text + "." + x.notStored() + x.dropped() + x.shown()
}

// shown says whether a browser has shown the page.
func (x *explainer) shown() string {
	switch {
	case x.Rendered == "":
		return ""
	case strings.HasPrefix(x.Rendered, "waiting"):
		return " Its links are not known yet: a browser is to show it (--render)."
	case strings.HasPrefix(x.Rendered, "no: "):
		return " A browser could not show it (" + strings.TrimPrefix(x.Rendered, "no: ") + "): its links are those of its HTML."
	}
	return " A browser has shown it: " + strings.TrimPrefix(x.Rendered, "yes, ") + "."
}

// notStored tells that the author of a page wants no copy of it.
func (x *explainer) notStored() string {
	if x.Withheld == "" {
		return ""
	}
	return fmt.Sprintf(" It is not stored, because it asks for that (%s); a crawl with --keep-noarchive stores such pages.", x.Withheld)
}

// dropped describes why a page is not in the archive any more, and what would bring it back.
func (x *explainer) dropped() string {
	d := x.Dropped
	if d == nil {
		return ""
	}
	text := fmt.Sprintf(" It was dropped %s ago, because --keep-pages %s had no room for it. Its value is %.4g now",
		show.Duration(x.now-x.story.dropped), show.Grouped(int(x.conf.KeepPages)), d.Value)
	if d.Least != nil {
		text += fmt.Sprintf(", and the lowest of those that are kept is %.4g", *d.Least)
	}
	if d.Least != nil && d.Value > *d.Least { // links were found later
		return text + ": another visit (--recrawl) brings it back; a larger --keep-pages alone does not."
	}
	return text + ". Another visit (--recrawl) brings it back if it is worth more then; a larger --keep-pages alone does not."
}

// lastClass returns how the last attempt ended.
func (x *explainer) lastClass() event.Class {
	if n := len(x.story.visits); n > 0 {
		return x.story.visits[n-1].class
	}
	return event.OK
}

// failed describes a failed page.
func (x *explainer) failed() string {
	text := fmt.Sprintf("It failed %s: %s", x.ago(), x.Why)
	if x.f.FailedBy(x.p) == event.Gone {
		text = fmt.Sprintf("It was fetched before and is gone (%s)", x.ago())
	}
	if n := len(x.story.visits); n == 0 {
		text += ", because its site cannot be reached"
	} else {
		last := &x.story.visits[n-1]
		if last.status != 0 {
			text += fmt.Sprintf(", status %d", last.status)
		}
		if last.note != "" {
			text += ", " + show.Line(last.note)
		}
	}
	if trouble.Passes(x.f.FailedBy(x.p)) || x.s.IsSeed(x.p) {
		return text + ". The next run of the crawl tries it again."
	}
	return text + ". It is not tried again, unless winnow retry gives it another chance."
}

// refused describes a refused page.
func (x *explainer) refused() string {
	bar := x.f.Bar(x.p)
	text := fmt.Sprintf("It was skipped %s (%s): %s", x.ago(), bar, bar.Meaning())
	if bar == event.BarRobots {
		text += ruleText(x.Rule)
	}
	if trap.IsTrap(bar) && bar != event.BarTrap { // those are held
		text += ". It is admitted if there is evidence that it is wanted"
	}
	return text + "."
}

// waits describes in a clause what a waiting page waits for.
func (x *explainer) waits() string {
	if bar := x.willBeRefused(); bar != event.NoBar {
		text := fmt.Sprintf("it will be skipped when its turn comes (%s): %s", bar, bar.Meaning())
		if bar == event.BarRobots {
			text += ruleText(x.Rule)
		}
		return text
	}
	at, yields, due := x.f.Due(x.p)
	switch {
	case due && yields:
		return fmt.Sprintf("its last attempt failed (%s), and the other pages of its site go first, because the site fails", x.lastClass())
	case due && x.running() && at > x.now:
		return fmt.Sprintf("its last attempt failed (%s), and the next one is in %s or later", x.lastClass(), show.Duration(at-x.now))
	case due:
		return fmt.Sprintf("its last attempt failed (%s), and it is tried again", x.lastClass())
	}
	return x.queued()
}

// queued describes what a page in the queues waits for: the pages before it, and its site.
func (x *explainer) queued() string {
	k, n := &x.clock, x.before()
	text := "it is the next page of its site"
	if n > 0 {
		text = counted(n, "page of its site comes before it", "pages of its site come before it")
	}
	switch {
	case x.Clock.Unreachable != "":
		return text + fmt.Sprintf(", and the site cannot be reached (%s)", show.Line(x.Clock.Unreachable)) + x.nextTry()
	case k.Place == "moved":
		text += ", and the robots.txt of the site is at another site, from where it is fetched first"
	case k.Place == "closed":
		text += ", and the site is not requested any more"
	case x.f.BelowFloor(x.s.PagesLeft(), x.site):
		return text + fmt.Sprintf(", and its site is left idle: of all pages that wait, none of its own is among the best, and the crawl has %s left (--pages, --wait-for-better)", show.Counted(int64(x.s.PagesLeft()), "page"))
	case n > 0:
		text += fmt.Sprintf(", and the site is requested every %s", show.Duration(k.Between)) + reasonOf(x.Clock.By)
		if k.Batch > 1 {
			text += fmt.Sprintf(" for %d pages at most", k.Batch)
		}
	case k.Needs == event.Resolve || k.Needs == event.Robots:
		text += ", and first its address and its robots.txt are needed"
	}
	return text + x.so()
}

// counted returns a number with the words for one or for several.
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return show.Grouped(n) + " " + several
}

// nextTry tells when a site that cannot be reached is requested again.
func (x *explainer) nextTry() string {
	if wait := x.clock.At - x.now; x.running() && wait > 0 {
		return "; the next attempt is in " + show.Duration(wait)
	}
	return "; it is tried again"
}

// reasonOf tells in brackets why a site is requested so rarely, unless it is usual.
func reasonOf(by string) string {
	switch by {
	case "crawl-delay":
		return " (its Crawl-delay)"
	case "too-often":
		return " (it answers that requests come too often)"
	case "slow":
		return " (it is slow)"
	case "failures":
		return " (it fails)"
	}
	return ""
}

// so returns when the page is requested at the earliest, and who may go before it.
func (x *explainer) so() string {
	switch least := x.least(); {
	case least < time.Second && x.running():
		return x.others()
	case least < time.Second:
		return ""
	case x.running():
		return fmt.Sprintf(", so not before %s from now if nothing changes", show.Duration(least)) + x.budget()
	default:
		return fmt.Sprintf(", so not before %s have passed if nothing changes", show.Duration(least))
	}
}

// budget returns the end of a sentence if a limit is likely to end the crawl before the page is
// requested.
func (x *explainer) budget() string {
	if left := x.Clock.PagesLeft; left != nil && len(x.positions) > 0 && int64(x.overall()) >= *left {
		return fmt.Sprintf("; but the crawl stops after %s more (--pages)", show.Counted(*left, "page"))
	}
	if left := x.Clock.SecondsLeft; left != nil && x.Clock.Least > *left {
		return fmt.Sprintf("; but the crawl stops in %s (--duration)", show.Duration(time.Duration(*left*1e9)))
	}
	return ""
}

// overall returns how many pages go before this one at least, whichever board chooses: -1 if
// that is unknown.
func (x *explainer) overall() int {
	n := x.positions[0].Overall
	for _, pos := range x.positions {
		n = min(n, pos.Overall)
	}
	return n
}

// others describes what holds up a page whose site may be requested now.
func (x *explainer) others() string {
	k := &x.clock
	switch {
	case k.Place == "acquired" || k.Place == "blocked":
		return ", and another request to the site is under way"
	case k.AddressFull:
		return ", and the IP address of the site has as many requests under way as it may"
	case len(x.positions) == 0 || x.before() > 0:
		return ""
	case x.positions[0].Overall == frontier.Uncounted:
		return "; its site may be requested now, unless pages of other sites go before it"
	case x.positions[0].Overall < 0:
		return ", and " + counted(x.positions[0].Sites, "site goes before its own", "sites go before its own")
	}
	n := x.overall()
	if n == 0 {
		return ", and it goes before all others: it is requested as soon as a fetcher is free"
	}
	return "; its site may be requested now, but " + counted(n, "page of another site goes before it", "pages of other sites go before it")
}
