package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
)

// crawlProgress shows how a crawl goes: on a terminal a panel of a few lines that is
// drawn again and again, elsewhere a line every ten seconds, with --json an object. It
// draws from a goroutine of its own, because a terminal may be stopped (Ctrl-S) and the
// owner of the crawl must never wait for it.
type crawlProgress struct {
	u *ui
	c *config.Config

	mu    sync.Mutex
	stats history.Status
	known bool // there are stats

	stopped sync.Once
	quit    chan struct{} // nil when nothing is shown
	gone    chan struct{}
}

func newCrawlProgress(u *ui, c *config.Config) *crawlProgress {
	return &crawlProgress{u: u, c: c}
}

// set is called by the crawl about once a second.
func (p *crawlProgress) set(s *history.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats, p.known = *s, true
}

// last is what the crawl said last; false before it said anything.
func (p *crawlProgress) last() (history.Status, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats, p.known
}

func (p *crawlProgress) start() {
	if p.u.quiet {
		return
	}
	every := progressPlain
	if p.u.terminal && !p.u.asJSON {
		every = 2 * progressTerminal
	}
	p.quit, p.gone = make(chan struct{}), make(chan struct{})
	go p.loop(every)
}

func (p *crawlProgress) loop(every time.Duration) {
	defer close(p.gone)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-ticker.C:
			p.show()
		}
	}
}

// stop ends the showing. It may be called twice.
func (p *crawlProgress) stop() {
	p.stopped.Do(func() {
		if p.quit != nil {
			close(p.quit)
			<-p.gone
		}
		p.u.erasePanel()
	})
}

func (p *crawlProgress) show() {
	s, ok := p.last()
	switch {
	case !ok:
	case p.u.asJSON:
		// A reader that went away is found out by the summary.
		_ = p.u.json(statsEvent("progress", &s))
	case p.u.terminal:
		p.u.drawPanel(panel(&s, p.c))
	default:
		p.u.say("", "crawl: "+progressLine(&s, p.c))
	}
}

// say writes a message above the panel.
func (p *crawlProgress) say(kind, text string) {
	if kind == "" && (p.u.quiet || p.u.asJSON) {
		return
	}
	p.u.erasePanel()
	p.u.say(kind, text)
}

// panel is the lines for a terminal.
func panel(s *history.Status, c *config.Config) []string {
	lines := []string{
		"winnow: " + pagesLine(s, c),
		fmt.Sprintf("  %s of the links found lead to them, %s known on %s, %s refused",
			gathered(s.Gathered), counted(s.Known, "page"), counted(s.Sites, "site"), formatCount(s.Refused)),
		fmt.Sprintf("  %s of %s fetchers at work%s", formatCount(int64(s.Active)), formatCount(int64(s.Fetchers)), waitLine(s)),
	}
	if failed := failLine(s); failed != "" {
		lines = append(lines, "  failures: "+failed)
	}
	return append(lines, "  "+machineLine(s))
}

// progressLine is the same in one line, for logs.
func progressLine(s *history.Status, c *config.Config) string {
	line := fmt.Sprintf("%s; %s of the links found lead to them; %d of %d fetchers%s", pagesLine(s, c), gathered(s.Gathered), s.Active, s.Fetchers, waitLine(s))
	if failed := failLine(s); failed != "" {
		line += "; failures: " + failed
	}
	return line + "; " + machineLine(s)
}

// pagesLine is what most look at: pages, rate, time that is left.
func pagesLine(s *history.Status, c *config.Config) string {
	line := formatCount(s.Fetched - s.Redirects)
	if c.Pages > 0 {
		line += " of " + formatCount(c.Pages)
	}
	line += fmt.Sprintf(" pages, %s/s", formatRate(s.Rate))
	switch {
	case s.State != "" && s.State != "running":
		line += ", " + s.State
	case s.Left > 0:
		line += ", " + formatDuration(s.Left) + " left"
	}
	return line
}

// waitLine says why sites that have pages are not asked: they are what the fetchers that
// do nothing wait for (P21).
func waitLine(s *history.Status) string {
	var parts []string
	for _, w := range waits(s) {
		if w.sites > 0 {
			parts = append(parts, formatShort(int64(w.sites))+" "+w.why)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; sites wait: " + strings.Join(parts, ", ")
}

// wait is a number of sites with the reason why they are not asked.
type wait struct {
	why   string
	sites int
}

func waits(s *history.Status) []wait {
	n := &s.Counts
	return []wait{
		{"politeness", n.Polite}, {"address", n.Parked}, {"slow", n.Slow},
		{"commit", n.Held}, {"twin", n.Blocked}, {"robots-elsewhere", n.Hops},
	}
}

// failLine has the classes of failure, the most frequent first.
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
		parts = append(parts, formatShort(s.Outcomes[name])+" "+name)
	}
	return strings.Join(parts, ", ")
}

// machineLine is what the crawl costs.
func machineLine(s *history.Status) string {
	line := fmt.Sprintf("%s received, %s memory", formatBytes(s.Bytes), formatBytes(s.Memory))
	if s.MemoryMax > 0 {
		line += " of " + formatBytes(s.MemoryMax)
	}
	return line + ", " + formatDuration(s.Ran)
}

func gathered(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// formatRate has a digit behind the point where there are few pages a second.
func formatRate(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return formatShort(int64(rate + 0.5))
}

// drawPanel puts lines on the terminal in place of those before. The cursor stays at the
// beginning of the first, so that everything below it is the panel.
func (u *ui) drawPanel(lines []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var b strings.Builder
	for i, text := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("\r" + clip(line(text), u.width()-1) + "\x1b[K")
	}
	b.WriteString("\x1b[J") // what a longer panel left
	if up := len(lines) - 1; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	b.WriteByte('\r')
	fmt.Fprint(u.stderr, b.String())
	u.drawn = true
}

// erasePanel removes all of it; a message can follow.
func (u *ui) erasePanel() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.drawn {
		fmt.Fprint(u.stderr, "\r\x1b[J")
		u.drawn = false
	}
}

// clip cuts a line to a number of columns.
func clip(line string, columns int) string {
	runes := []rune(line)
	return string(runes[:min(len(runes), max(columns, 0))])
}
