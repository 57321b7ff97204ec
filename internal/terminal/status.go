package terminal

import (
	"time"

	"fmt"
	"io"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/render"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// A terminal of 80 columns has room for the names, the numbers and this many characters of
// text beside them.
const textWidth = 52

// downShown is the number of unreachable sites that are listed.
const downShown = 5

// PrintStatus writes the status as text. It fits a terminal of 80 columns and 20 lines.
func PrintStatus(w io.Writer, dir string, s *history.Status, c *config.Config) error {
	t := show.NewList()
	addState(t, dir, s, c)
	addCounts(t, s, textWidth)
	addTime(t, s, textWidth)
	addDown(t, s, 1)
	addCapsBriefly(t, s.Caps)
	addSkipped(t, s, textWidth)
	if s.Mirrored > 0 {
		t.Add("mirrors", show.Grouped(s.Mirrored), "sites nearly the same as another; fetched later")
	}
	addSample(t, s)
	if x := s.Largest; x != nil && s.Known-s.RefusedBy[event.BarScope.String()] > x.Pages {
		share := fmt.Sprintf("%.1f %%, %s: ", 100*x.Share, verdictWord(x))
		t.Add("largest site", show.Grouped(x.Pages), share+show.Clip(x.Site, textWidth-len(share)))
	}
	t.Add("more", "", Command("winnow", "status", "-v", dir))
	return t.Print(w)
}

// AddTotals adds what PrintStatus shows besides the state: for crawls whose state is described
// elsewhere.
func AddTotals(t *show.List, s *history.Status) {
	addCounts(t, s, textWidth)
	addTime(t, s, textWidth)
	addDown(t, s, 1)
	addCapsBriefly(t, s.Caps)
	addSkipped(t, s, textWidth)
	addSample(t, s)
}

// addSample says whether the policy works on a sample of the links, and what else it has to tell.
func addSample(t *show.List, s *history.Status) {
	if s.Sample > 1 {
		t.Add("sample", "", fmt.Sprintf("the policy sees the links of 1 page in %d", s.Sample))
	}
	for _, note := range s.Notes {
		t.Add("note", "", note)
	}
}

// addState adds the directory, the state, and how to resume.
func addState(t *show.List, dir string, s *history.Status, c *config.Config) {
	t.Add("directory", "", dir)
	t.Add("state", "", wording.StateText(s, c))
	if next := ResumeCommand(dir, s, c); next != "" {
		t.Add("to resume", "", next)
	}
}

// addTime adds the time and, while the crawl runs, what it does at the moment.
func addTime(t *show.List, s *history.Status, width int) {
	addWork(t, s)
	if s.State != history.StateRunning {
		return
	}
	t.Add("fetchers", show.Grouped(int64(s.Active)), fmt.Sprintf("of %d active, %s pages/s", s.Fetchers, show.Rate(s.Rate)))
	if len(s.Waits) > 0 {
		t.Add("sites wait", "", "for "+show.Fitted(s.Waits, width-len("for ")))
	}
}

// addWork adds how long the crawl has run, and when its pages came.
func addWork(t *show.List, s *history.Status) {
	if s.Worked == 0 { // a status that an older version left
		t.Add("time", show.Duration(s.Now()), "since the crawl began")
		return
	}
	text := "work"
	if since := show.Duration(s.Now()); since != show.Duration(s.Ran) {
		text += " in " + since
	}
	if s.Fetched > 0 {
		text += fmt.Sprintf("; half the pages by %s, mean %s", show.Duration(seconds(s.Median)), show.Duration(seconds(s.Mean)))
	}
	t.Add("time", show.Duration(s.Ran), text)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// addCounts adds the numbers of pages by state, of attempts and of requests. Texts have at
// most width characters, any number if width is 0.
func addCounts(t *show.List, s *history.Status, width int) {
	t.Add("known", show.Grouped(s.Known), show.Plural(s.Known, "page")+" on "+show.Counted(s.Sites, "site"))
	t.Add("waiting", show.Grouped(s.Waiting), show.Percent(s.Waiting, s.Known))
	t.Add("fetched", show.Grouped(s.Fetched), fetchedText(s, width == 0))
	if x := s.Topic; x != nil {
		t.Add("hot", show.Grouped(x.Hot), fmt.Sprintf("%.1f %% of the %s read are about the topic", 100*x.Harvest, show.Counted(x.Read, "page")))
	}
	t.Add("failed", show.Grouped(s.Failed), show.Fitted(s.FailedBy, width))
	t.Add("skipped", show.Grouped(s.Refused), show.Fitted(s.RefusedBy, width))
	t.Add("attempts", show.Grouped(show.Total(s.Outcomes)), show.Fitted(s.Outcomes, width))
	t.Add("requests", show.Grouped(s.Requests), show.Bytes(s.Bytes)+" received")
	if n := s.NotModified + s.Unchanged; n > 0 {
		t.Add("unchanged", show.Grouped(n), sparedText(&s.Spared, width == 0))
	}
	if s.Withheld > 0 {
		t.Add("not stored", show.Grouped(s.Withheld), withheldText(width == 0))
	}
	addRequisites(t, s, width)
	if x := s.Rendering; x != nil {
		t.Add("rendered", show.Grouped(x.Rendered), renderText(x))
	}
	if s.Kept+s.Dropped > 0 {
		t.Add("kept", show.Grouped(s.Kept), "pages in the archive, "+show.Grouped(s.Dropped)+" dropped")
	}
	if s.Remote != nil {
		text := wording.Remote(s.Remote)
		t.Add("sent", text[0], strings.Join(text[1:], "; "))
	}
}

// renderText describes what a browser has shown.
func renderText(x *render.Tally) string {
	text := "pages by a browser, in " + show.Grouped(x.Passes) + " passes"
	if x.Failed > 0 {
		text += "; " + show.Grouped(x.Failed) + " could not be"
	}
	if x.Waiting > 0 {
		text += "; " + show.Grouped(x.Waiting) + " waiting"
	}
	return text
}

// addRequisites adds the numbers of what pages need to be shown.
func addRequisites(t *show.List, s *history.Status, width int) {
	x := s.Requisites
	if x == nil {
		return
	}
	by := map[string]int64{}
	for name, n := range map[string]int64{"waiting": x.Left(), "failed": x.Failed, "skipped": x.Refused, "left out": x.Crowded + x.LeftOut} {
		if n > 0 {
			by[name] = n
		}
	}
	text := "fetched, " + show.Bytes(x.Bytes)
	if len(by) > 0 {
		text += "; " + show.Fitted(by, max(0, width-len(text)-len("; ")))
	}
	t.Add("requisites", show.Grouped(x.Fetched), text)
}

// withheldText explains why fetched pages are not stored.
func withheldText(long bool) string {
	if long {
		return "of the fetched pages ask for that (noindex or noarchive); --keep-noarchive stores such pages"
	}
	return "noindex or noarchive; --keep-noarchive stores them"
}

// sparedText explains what visits of pages that had not changed saved.
func sparedText(s *state.Spared, long bool) string {
	by304, by200 := "", ""
	if long {
		by304, by200 = " in "+show.Grouped(s.NotModified)+" answers 304", " of "+show.Grouped(s.Unchanged)+" pages that were sent again"
	}
	return show.Bytes(s.NotTransferred) + " not transferred" + by304 + ", " + show.Bytes(s.NotStored) + " not stored" + by200
}

// addSkipped adds the number of pages that were skipped as traps.
func addSkipped(t *show.List, s *history.Status, width int) {
	by := map[string]int64{}
	for _, x := range wording.Skipped(s) {
		by[x.Bar.String()] = x.Pages
	}
	if len(by) > 0 {
		t.Add("traps", show.Grouped(show.Total(by)), "of them: "+show.Fitted(by, width-len("of them: ")))
	}
}

// addDown names some of the unreachable sites.
func addDown(t *show.List, s *history.Status, most int) {
	list := s.Unreachable[:min(len(s.Unreachable), most)]
	for i, d := range list {
		name, number := "", ""
		if i == 0 {
			name, number = "unreachable", show.Grouped(s.Down)
		}
		next := fmt.Sprintf("; next try %s", d.Next.Local().Format("15:04"))
		text := show.Line(d.Site) + ": " + show.Line(d.Why)
		if most == 1 {
			text = show.Clip(text, textWidth-len(next))
		}
		t.Add(name, number, text+next)
	}
	if left := s.Down - int64(len(list)); left > 0 && most > 1 {
		t.Add("", "", fmt.Sprintf("and %s more: winnow status --json", show.Grouped(left)))
	}
}

// verdictWord returns the trap verdict on a site in a few words.
func verdictWord(x *history.SiteShare) string {
	switch x.Verdict {
	case "trap":
		return "a trap"
	case "partly":
		return "partly a trap"
	}
	return "not a trap"
}

// verdictText returns the trap verdict on a site with the number of pages that it cost.
func verdictText(x *history.SiteShare) string {
	if x.Trapped == 0 {
		return verdictWord(x)
	}
	return fmt.Sprintf("%s, %s of its pages are skipped", verdictWord(x), show.Grouped(x.Trapped))
}

// addCapsBriefly adds what the first limits left out. winnow status -v lists the others.
func addCapsBriefly(t *show.List, caps []state.Cap) {
	for i := range caps[:min(len(caps), 2)] {
		x := &caps[i]
		text := x.What
		if x.Key != "" {
			text += " by " + wording.CapName(x)
		}
		t.Add("left out", show.Grouped(x.Left), show.Clip(text, textWidth))
	}
}

// fetchedText explains the number of fetched pages: how many are redirects, and where the
// links in them lead. The links of pages that were not fetched are unknown.
func fetchedText(s *history.Status, long bool) string {
	var parts []string
	if s.Redirects > 0 {
		parts = append(parts, show.Counted(s.Redirects, "redirect"))
	}
	switch {
	case s.Links > 0 && long:
		parts = append(parts, fmt.Sprintf("%s of the %s found lead to them", gathered(s.Gathered), show.Counted(s.Links, "link")))
	case s.Links > 0:
		parts = append(parts, gathered(s.Gathered)+" of links lead to them")
	}
	if n := s.Failed + s.Refused; n > 0 && s.Links > 0 && long {
		parts = append(parts, fmt.Sprintf("the links of %s that were not fetched are unknown", show.Counted(n, "page")))
	}
	return strings.Join(parts, "; ")
}

func gathered(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }
