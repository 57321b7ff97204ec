package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/live"
)

// crawlEvent is an object of --json: how the crawl goes, and at the end how it went.
// The fields are those of `winnow status`.
type crawlEvent struct {
	Event string `json:"event"` // progress, end
	*history.Status
	Left      float64 `json:"seconds_left,omitempty"` // until the limit in force
	MemoryMax int64   `json:"memory_max,omitempty"`
}

func statsEvent(event string, s *history.Status) crawlEvent {
	return crawlEvent{event, s, s.Left.Seconds(), s.MemoryMax}
}

// printEnd prints the summary.
func (c *crawling) printEnd(sum *crawl.Summary) error {
	if c.u.asJSON {
		return c.u.json(statsEvent("end", &sum.Status))
	}
	s := &sum.Status
	t := show.NewList()
	t.Add("directory", "", c.dir)
	t.Add("state", "", s.State+": "+ends(sum, &c.config))
	addCounts(t, s)
	if n := inTraps(s); n > 0 {
		t.Add("skipped", show.Grouped(n), "of these as traps: winnow status lists them")
	}
	addDown(t, sum.Down, sum.Unreachable)
	addCaps(t, sum.Caps)
	t.Add("time", show.Duration(s.Ran), "of "+show.Duration(s.Now())+" since the crawl began")
	if err := t.Print(c.u.stdout); err != nil {
		return err
	}
	if next := resumeWith(sum, &c.config); next != "" {
		c.u.notef("to resume: %s", quoteArgs(append([]string{"winnow", "crawl", "--dir", c.dir}, strings.Fields(next)...)))
	}
	return nil
}

// ends describes why the run ended.
func ends(sum *crawl.Summary, c *config.Config) string {
	switch sum.Why {
	case "finished":
		return withinLimits(sum.Caps)
	case "pages":
		return "at --pages " + show.Grouped(c.Pages)
	case "duration":
		return "at --duration " + c.Duration.String()
	case "bytes":
		return "at --bytes " + c.Bytes.String()
	case "stopped":
		return "on request"
	case "unreachable":
		return "only unreachable sites are left; the next run tries them again"
	}
	return sum.Why
}

// resumeWith returns the flag that lets a crawl resume after a limit, "" if nothing is left
// to fetch.
func resumeWith(sum *crawl.Summary, c *config.Config) string {
	switch sum.Why {
	case "pages":
		return fmt.Sprintf("--pages %d", 2*c.Pages)
	case "duration":
		return "--duration " + config.Duration{Duration: 2 * c.Duration.Duration}.String()
	case "bytes":
		return "--bytes " + (2 * c.Bytes).String()
	case "stopped", "unreachable":
		return " "
	case "finished":
		return strings.Join(raiseAll(sum.Caps), " ")
	}
	return ""
}

// addDown names some of the unreachable sites.
func addDown(t *show.List, n int64, list []state.SiteDown) {
	const most = 5
	for i, d := range list[:min(len(list), most)] {
		name, number := "", ""
		if i == 0 {
			name, number = "unreachable", show.Grouped(n)
		}
		t.Add(name, number, fmt.Sprintf("%s: %s; next try %s", show.Line(d.Site), show.Line(d.Why), d.Next.Local().Format("15:04")))
	}
	if left := n - int64(min(len(list), most)); left > 0 {
		t.Add("", "", fmt.Sprintf("and %s more: winnow status --json", show.Grouped(left)))
	}
}

func total(m map[string]int64) (n int64) {
	for _, k := range m {
		n += k
	}
	return n
}

// inTraps returns the number of pages that were skipped as traps.
func inTraps(s *history.Status) (n int64) {
	for _, x := range live.Skipped(s) {
		n += x.Pages
	}
	return n
}

// crawlProgress shows how a crawl goes: on a terminal a panel of a few lines that is
// drawn again and again, elsewhere a line every ten seconds, with --json an object. It
// draws from a goroutine of its own, because a terminal may be stopped (Ctrl-S) and the
// loop of the crawl must never wait for it.
type crawlProgress struct {
	u *ui
	c *config.Config

	mu    sync.Mutex
	stats history.Status
	known bool // there are stats

	end func() // ends the showing; nil before start and with --quiet
}

func newCrawlProgress(u *ui, c *config.Config) *crawlProgress {
	return &crawlProgress{u: u, c: c}
}

// set keeps the status. The crawl calls it about once a second.
func (p *crawlProgress) set(s *history.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats, p.known = *s, true
}

// last returns the last status of the crawl, or false before the first.
func (p *crawlProgress) last() (history.Status, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats, p.known
}

func (p *crawlProgress) start() {
	screen := &p.u.screen
	if p.u.asJSON {
		screen = &show.Screen{} // as often as in a log
	}
	if !p.u.quiet {
		p.end = screen.Every(func(time.Duration) { p.show() })
	}
}

// stop ends the display. It may be called twice.
func (p *crawlProgress) stop() {
	if p.end != nil {
		p.end()
	}
}

func (p *crawlProgress) show() {
	s, ok := p.last()
	switch {
	case !ok:
	case p.u.asJSON:
		// If the reader has gone, printing the summary fails.
		_ = p.u.json(statsEvent("progress", &s))
	case p.u.screen.Terminal():
		p.u.screen.Draw(panel(&s, p.c)...)
	default:
		p.u.say("", "crawl: "+progressLine(&s, p.c))
	}
}

// say writes a message above the panel.
func (p *crawlProgress) say(kind, text string) {
	if kind == "" && (p.u.quiet || p.u.asJSON) {
		return
	}
	p.u.say(kind, text)
}

// panel returns the lines for a terminal.
func panel(s *history.Status, c *config.Config) []string {
	lines := []string{
		"winnow: " + pagesLine(s, c),
		fmt.Sprintf("  %s of the links found lead to them, %s known on %s, %s refused",
			gathered(s.Gathered), show.Counted(s.Known, "page"), show.Counted(s.Sites, "site"), show.Grouped(s.Refused)),
		fmt.Sprintf("  %s of %s fetchers active%s", show.Grouped(int64(s.Active)), show.Grouped(int64(s.Fetchers)), waitLine(s)),
	}
	if failed := failLine(s); failed != "" {
		lines = append(lines, "  failures: "+failed)
	}
	return append(lines, "  "+machineLine(s))
}

// progressLine returns the same in one line, for logs.
func progressLine(s *history.Status, c *config.Config) string {
	line := fmt.Sprintf("%s; %s of the links found lead to them; %d of %d fetchers%s", pagesLine(s, c), gathered(s.Gathered), s.Active, s.Fetchers, waitLine(s))
	if failed := failLine(s); failed != "" {
		line += "; failures: " + failed
	}
	return line + "; " + machineLine(s)
}

// pagesLine returns the pages, the rate and the time left.
func pagesLine(s *history.Status, c *config.Config) string {
	line := show.Grouped(s.Fetched - s.Redirects)
	if c.Pages > 0 {
		line += " of " + show.Grouped(c.Pages)
	}
	line += fmt.Sprintf(" pages, %s/s", show.Rate(s.Rate))
	switch {
	case s.State != "" && s.State != "running":
		line += ", " + s.State
	case s.Left > 0:
		line += ", " + show.Duration(s.Left) + " left"
	}
	return line
}

// waitLine describes why sites that have pages are not requested. Idle fetchers wait for
// these sites.
func waitLine(s *history.Status) string {
	var parts []string
	for _, w := range s.WaitingSites() {
		if w.Sites > 0 {
			parts = append(parts, show.Short(int64(w.Sites))+" "+w.Why)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; sites wait: " + strings.Join(parts, ", ")
}

// failLine returns the classes of failure, the most frequent first.
func failLine(s *history.Status) string {
	var failed []string
	for c := event.OK; c <= event.LastClass; c++ {
		if s.Outcomes[c.String()] > 0 && c.Failed() {
			failed = append(failed, c.String())
		}
	}
	slices.SortStableFunc(failed, func(a, b string) int { return cmp.Compare(s.Outcomes[b], s.Outcomes[a]) })
	var parts []string
	for _, name := range failed {
		parts = append(parts, show.Short(s.Outcomes[name])+" "+name)
	}
	return strings.Join(parts, ", ")
}

// machineLine returns the bytes received, the memory and the time of the crawl.
func machineLine(s *history.Status) string {
	line := fmt.Sprintf("%s received, %s memory", show.Bytes(s.Bytes), show.Bytes(s.Memory))
	if s.MemoryMax > 0 {
		line += " of " + show.Bytes(s.MemoryMax)
	}
	return line + ", " + show.Duration(s.Ran)
}

func gathered(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }
