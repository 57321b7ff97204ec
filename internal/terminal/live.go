package terminal

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// PrintSummary writes the status of a crawl that has ended.
func PrintSummary(w io.Writer, dir string, s *history.Status, c *config.Config) error {
	t := show.NewList()
	t.Add("directory", "", dir)
	t.Add("state", "", wording.StateText(s, c))
	addCounts(t, s, textWidth)
	addSkipped(t, s, textWidth)
	addDown(t, s, downShown)
	addCaps(t, s.Caps)
	addWork(t, s)
	return t.Print(w)
}

// A View shows a running crawl: how far it is, how fast, how long it takes, why it is not
// faster, what failed, and what is requested at the moment.
type View struct {
	Dir    string
	Config *config.Config
	ASCII  bool // no other characters can be shown
}

// leastWidth is the narrowest window that the view is made for.
const leastWidth = 40

// Lines returns the view as at most height lines of at most width columns. If there are too
// many, the last ones are left out.
func (v *View) Lines(s *history.Status, width, height int) []string {
	width = max(width, leastWidth)
	lines := []string{v.fit(width, "  ", v.header(s)...)}
	lines = append(lines, v.course(s, width)...)
	held := wording.Holds(s)
	if len(held) == 0 {
		held = []string{"nothing"}
	}
	lines = append(lines, v.wrapped(width, "held by", held)...)
	if s.Failed > 0 || s.LastFailure != nil {
		lines = append(lines, v.labelled(width, "failed", append([]string{show.Grouped(s.Failed)}, counts(s.FailedBy)...)))
	}
	if f := s.LastFailure; f != nil {
		lines = append(lines, v.labelled(width, "last", []string{shortURL(f.URL) + ": " + f.Text()}))
	}
	if s.Refused > 0 {
		lines = append(lines, v.labelled(width, "skipped", append([]string{show.Grouped(s.Refused)}, counts(s.RefusedBy)...)))
	}
	if s.Withheld > 0 {
		lines = append(lines, v.labelled(width, "not stored", []string{show.Grouped(s.Withheld), withheldText(false)}))
	}
	if s.Remote != nil {
		lines = append(lines, v.labelled(width, "sent", wording.Remote(s.Remote)))
	}
	if len(s.Fetching) > 0 {
		lines = append(lines, v.now(s, width))
	}
	lines = append(lines, v.labelled(width, "in all", machineItems(s)))
	return lines[:min(len(lines), max(height, 1))]
}

// header names the crawl, its state and its main settings.
func (v *View) header(s *history.Status) []string {
	scope := v.Config.Scope
	if v.Config.List {
		scope = "list"
	}
	return []string{v.Dir, cmp.Or(s.State, history.StateRunning) + " " + show.Duration(s.Ran), v.Config.Policy, "scope " + scope}
}

// course shows how far the crawl is: in one line with a bar if the window is wide enough, else
// in two.
func (v *View) course(s *history.Status, width int) []string {
	done, waiting := "fetched  "+show.Grouped(s.Fetched), "waiting  "+show.Grouped(s.Waiting)
	pace, left := []string{show.Rate(s.Rate) + "/s"}, timeLeft(s)
	if n := v.Config.Pages; n > 0 {
		pace = append(pace, fmt.Sprintf("%s of %s", show.Grouped(s.Fetched-s.Redirects), show.Counted(n, "page")))
	}
	const least, most = 8, 30
	right := strings.TrimSpace(strings.Replace(waiting, "  ", " ", 1) + "  " + strings.Join(pace, "  ") + "  " + left)
	if room := width - utf8.RuneCountInString(done+"    "+right); room >= least {
		return []string{done + "  " + v.bar(s, min(room, most)) + "  " + right}
	}
	second := []string{waiting}
	if left != "" {
		second = append(second, left)
	}
	return []string{v.fit(width, "  ", append([]string{done}, pace...)...), v.fit(width, "  ", second...)}
}

// bar draws the share of the pages that is done: of the limit if there is one, else of the
// pages that were not given up.
func (v *View) bar(s *history.Status, columns int) string {
	done, all := s.Fetched, s.Fetched+s.Waiting
	if n := v.Config.Pages; n > 0 {
		done, all = s.Fetched-s.Redirects, n
	}
	full := 0
	if all > 0 {
		full = int(min(done, all) * int64(columns) / all)
	}
	if v.ASCII {
		return strings.Repeat("#", full) + strings.Repeat("-", columns-full)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", columns-full)
}

// timeLeft returns the time until the limit in force. Without one it says how long the pages
// that wait take at the present rate, "" if that is unknown.
func timeLeft(s *history.Status) string {
	switch {
	case s.State != "" && s.State != history.StateRunning:
		return ""
	case s.Left > 0:
		return show.Duration(s.Left) + " left"
	case s.Rate > 0 && s.Waiting > 0:
		seconds := min(float64(s.Waiting)/s.Rate, 1e8)
		return "~" + show.Duration(time.Duration(seconds*1e9)) + " at this rate"
	}
	return ""
}

// now lists what is requested, as many URLs as there is room for.
func (v *View) now(s *history.Status, width int) string {
	var urls []string
	for _, url := range s.Fetching {
		urls = append(urls, show.Clip(shortURL(url), max(width/2, leastWidth-10)))
	}
	return v.labelledBy(width, "now", "  ", urls)
}

// machineItems lists what the crawl took so far.
func machineItems(s *history.Status) []string {
	memory := show.Bytes(s.Memory) + " memory"
	if s.MemoryMax > 0 {
		memory = show.Bytes(s.Memory) + " of " + show.Bytes(s.MemoryMax) + " memory"
	}
	return []string{
		show.Counted(s.Known, "page") + " known", show.Counted(s.Sites, "site"), fmt.Sprintf("%d of %d fetchers busy", s.Active, s.Fetchers),
		show.Bytes(s.Bytes) + " received", memory, gathered(s.Gathered) + " of links lead to fetched pages",
	}
}

// counts lists numbers by name, the largest first.
func counts(by map[string]int64) (items []string) {
	for _, name := range show.ByValue(by) {
		items = append(items, name+" "+show.Grouped(by[name]))
	}
	return items
}

// shortURL returns a URL without its scheme.
func shortURL(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	return strings.TrimSuffix(rest, "/")
}

// labelled returns a line with a name and as many items as there is room for.
func (v *View) labelled(width int, name string, items []string) string {
	dot := " · "
	if v.ASCII {
		dot = ", "
	}
	return v.labelledBy(width, name, dot, items)
}

// wrapped does what labelled does, in two lines if one has no room for all items.
func (v *View) wrapped(width int, name string, items []string) []string {
	first := v.labelled(width, name, items)
	for n := len(items); n > 0; n-- {
		line := v.labelled(width, name, items[:n])
		if !strings.HasSuffix(line, v.more()) {
			first, items = line, items[n:]
			break
		}
	}
	if len(items) == 0 || strings.HasSuffix(first, v.more()) {
		return []string{first}
	}
	return []string{first, v.labelled(width, "", items)}
}

// more stands for what there is no room for.
func (v *View) more() string {
	if v.ASCII {
		return "..."
	}
	return "…"
}

func (v *View) labelledBy(width int, name, between string, items []string) string {
	label := fmt.Sprintf("%-9s", name)
	return label + v.fit(width-len(label), between, items...)
}

// fit joins items, as many as fit a number of columns. The first is cut if it is too long.
func (v *View) fit(width int, between string, items ...string) string {
	more, line := v.more(), ""
	for i, item := range items {
		next := item
		if i > 0 {
			next = line + between + item
		}
		room := width
		if i < len(items)-1 {
			room -= utf8.RuneCountInString(between + more)
		}
		if utf8.RuneCountInString(next) > room {
			switch {
			case i == 0 && v.ASCII:
				return string([]rune(item)[:min(width, utf8.RuneCountInString(item))])
			case i == 0:
				return show.Clip(item, width)
			}
			return line + between + more
		}
		line = next
	}
	return line
}
