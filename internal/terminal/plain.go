package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// Plain tells how a crawl goes where there is no terminal: what changes when it changes, and a
// heartbeat a minute. While nothing happens heartbeats become rarer.
type Plain struct {
	Config *config.Config

	begun   bool
	seen    history.Status // at the last call
	beat    time.Time      // of the last heartbeat
	shown   [4]int64       // what the last heartbeat said: see progress
	silence time.Duration  // between that one and the next
}

const (
	heartbeat   = time.Minute
	mostSilence = time.Hour
)

// Lines returns what there is to say at an instant. It is called about once a second.
func (p *Plain) Lines(s *history.Status, now time.Time) (lines []string) {
	if !p.begun {
		p.begun, p.seen, p.beat, p.silence = true, *s, now, heartbeat
		if p.shown = progress(s); s.LastFailure != nil {
			p.seen.FailedBy = nil // else they failed in earlier runs
		}
	}
	lines = append(p.failures(s), p.reach(s)...)
	if since := now.Sub(p.beat); since >= p.silence || since >= heartbeat && progress(s) != p.shown {
		lines = append(lines, p.pulse(s))
		p.beat = now
	}
	p.seen = *s
	return lines
}

// failures announces the first failure of each class, with an example if it is the last one.
func (p *Plain) failures(s *history.Status) (lines []string) {
	for _, class := range slices.Sorted(maps.Keys(s.FailedBy)) {
		if p.seen.FailedBy[class] > 0 {
			continue
		}
		line := fmt.Sprintf("first failure of class %s", class)
		if f := s.LastFailure; f != nil && f.Class == class {
			line += ": " + f.URL + ": " + f.Text()
		}
		lines = append(lines, line)
	}
	return lines
}

// reach announces that sites cannot be reached, and that all can be again.
func (p *Plain) reach(s *history.Status) []string {
	switch was := p.seen.Down; {
	case s.Down > 0 && was == 0:
		return []string{show.Counted(s.Down, "site") + " cannot be reached" + wording.NextTry(s)}
	case s.Down == 0 && was > 0:
		return []string{"no site is unreachable any more"}
	}
	return nil
}

// progress returns the numbers that change when something happens.
func progress(s *history.Status) [4]int64 {
	return [4]int64{s.Known, s.Fetched, s.Failed, s.Refused}
}

// pulse returns a heartbeat, and sets the time until the next.
func (p *Plain) pulse(s *history.Status) string {
	held := ""
	if list := wording.Holds(s); len(list) > 0 {
		held = "; held by " + strings.Join(list, ", ")
	}
	if now := progress(s); now != p.shown {
		p.shown, p.silence = now, heartbeat
		return p.numbers(s) + held
	}
	since := p.silence
	p.silence = min(2*p.silence, mostSilence)
	return "nothing new for " + show.Duration(since) + held
}

// numbers returns how far the crawl is, and how fast.
func (p *Plain) numbers(s *history.Status) string {
	parts := []string{fmt.Sprintf("%s fetched", show.Grouped(s.Fetched)), show.Grouped(s.Waiting) + " waiting"}
	if n := p.Config.Pages; n > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s", show.Grouped(s.Fetched-s.Redirects), show.Counted(n, "page")))
	}
	if s.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%s failed (%s)", show.Grouped(s.Failed), show.ByNumber(s.FailedBy)))
	}
	if s.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%s skipped (%s)", show.Grouped(s.Refused), show.ByNumber(s.RefusedBy)))
	}
	if s.Withheld > 0 {
		parts = append(parts, fmt.Sprintf("%s not stored (noindex, noarchive)", show.Grouped(s.Withheld)))
	}
	if x := s.Remote; x != nil {
		parts = append(parts, fmt.Sprintf("%s sent, %s waiting", show.Counted(x.Files, "WARC file"), show.Grouped(x.Waiting)))
	}
	parts = append(parts, show.Rate(s.Rate)+"/s")
	if left := timeLeft(s); left != "" {
		parts = append(parts, left)
	}
	return strings.Join(parts, ", ")
}
