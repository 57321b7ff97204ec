package terminal

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// someStats are those of a crawl in full swing.
func someStats() history.Status {
	s := history.Status{
		Seconds: 7200, Ran: 61 * time.Second, State: "running",
		Known: 1_234_567, Waiting: 1_221_270, Acquired: 300, Fetched: 12_345, Failed: 52, Refused: 900, Sites: 3_456,
		Requests: 15_801, Bytes: 5 << 20, Rate: 123.4, Gathered: 0.4321, Active: 312, Fetchers: 500,
		Memory: 64 << 20, MemoryMax: 1 << 30, Left: 715 * time.Second,
		Counts: frontier.Counts{Polite: 2_900, Parked: 12},
	}
	s.Outcomes = map[string]int64{"ok": 12_345, "timeout": 12, "dns": 40}
	s.FailedBy, s.Waits = map[string]int64{"timeout": 12, "dns": 40}, map[string]int{"politeness": 2_900, "address": 12}
	s.RefusedBy = map[string]int64{"robots": 900}
	s.Delays, s.Wanting = map[string]int{"crawl-delay": 9, "delay": 2_889, "slow": 2}, 3_000
	next := time.Date(2026, 11, 3, 15, 4, 5, 0, time.Local)
	s.Down, s.NextTry = 3, &next
	s.Fetching = []string{"http://s31.example/d4/p8.html", "https://s54.example/a/rather/long/path/to/a/page.html", "http://s1.example/"}
	s.LastFailure = &history.Failure{URL: "http://s30.example/gone.html", Class: "http-error", Status: 404}
	s.DNS.Network, s.DNS.Cache = 7, 3
	return s
}

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%v: got\n%s\nwant\n%s", err, got, want)
	}
}

// The view fits windows of any width, and says the main things first.
func TestView(t *testing.T) {
	c := config.Default()
	limited := c
	limited.Pages = 100_000
	for name, conf := range map[string]*config.Config{"view": &c, "limit": &limited} {
		for _, width := range []int{100, 60, 40} {
			s := someStats()
			if conf.Pages == 0 {
				s.Left = 0
			}
			v := View{Dir: "a.example.crawl", Config: conf}
			lines := v.Lines(&s, width, 24)
			for _, line := range lines {
				if n := utf8.RuneCountInString(line); n > width {
					t.Errorf("%d columns in a window of %d: %s", n, width, line)
				}
			}
			golden(t, fmt.Sprintf("%s-%d.txt", name, width), strings.Join(lines, "\n")+"\n")
			if low := v.Lines(&s, width, 3); len(low) != 3 {
				t.Errorf("%d lines in a window of 3", len(low))
			}
			v.ASCII = true
			for _, line := range v.Lines(&s, width, 24) {
				if strings.ContainsFunc(line, func(r rune) bool { return r > 126 }) || len(line) > width {
					t.Errorf("not ASCII, or too long: %s", line)
				}
			}
		}
	}
	v := View{Dir: "a.crawl", Config: &c}
	s := history.Status{State: "stopping", Fetchers: 1}
	golden(t, "stopping.txt", strings.Join(v.Lines(&s, 80, 24), "\n")+"\n")
}

// What holds a crawl back is named by its words, whatever it is.
func TestHolds(t *testing.T) {
	next := time.Date(2026, 11, 3, 15, 4, 5, 0, time.Local)
	for want, s := range map[string]history.Status{
		"":                       {Fetchers: 4, Active: 1, Wanting: 9},
		"all 4 fetchers busy":    {Fetchers: 4, Active: 4, Wanting: 9},
		"no site has pages left": {Fetchers: 4},
		"only 1 site with pages": {Fetchers: 4, Active: 1, Wanting: 1},
		"Crawl-delay 9 sites, slow answers 2, --delay 1": {Fetchers: 4, Wanting: 12, Delays: map[string]int{"crawl-delay": 9, "slow": 2, "delay": 1}},
		"same IP address 1 site":                         {Fetchers: 1, Wanting: 2, Waits: map[string]int{"address": 1, "politeness": 5}},
		"unreachable 2 (next try 15:04:05)":              {Fetchers: 1, Wanting: 2, Down: 2, NextTry: &next},
		"better pages elsewhere 3 sites":                 {Fetchers: 1, Wanting: 20, Waits: map[string]int{"better": 3}},
	} {
		if got := strings.Join(wording.Holds(&s), ", "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, why := range []string{"retry-after", "failures", "delay", "crawl-delay", "too-often", "slow"} { // those of frontier.DelayBy
		if wording.HoldName(why) == "" {
			t.Errorf("%s has no name", why)
		}
	}
}

// Without a terminal changes are told once, and a heartbeat a minute; while nothing happens
// they become rarer.
func TestPlain(t *testing.T) {
	c := config.Default()
	p := Plain{Config: &c}
	now := time.Date(2026, 11, 3, 15, 0, 0, 0, time.UTC)
	s := history.Status{State: "running", Known: 10, Waiting: 9, Fetched: 1, Fetchers: 2, Active: 1, Wanting: 5, Rate: 1}
	var log []string
	step := func(seconds int, change func()) {
		for range seconds {
			now = now.Add(time.Second)
			for _, line := range p.Lines(&s, now) {
				log = append(log, now.Format("15:04:05 ")+line)
			}
		}
		change()
	}
	step(10, func() {
		s.Failed, s.FailedBy = 1, map[string]int64{"http-error": 1}
		s.LastFailure = &history.Failure{URL: "http://a.example/x", Class: "http-error", Status: 404}
	})
	step(20, func() { s.Failed, s.FailedBy = 2, map[string]int64{"http-error": 2} })
	step(40, func() { s.Down, s.Fetched, s.Waiting = 1, 2, 8 })
	step(60, func() { s.Rate = 0 })
	step(1000, func() { s.Down, s.Fetched = 0, 3 })
	step(2000, func() {})
	golden(t, "plain.txt", strings.Join(log, "\n")+"\n")
}

// TestLog: what the crawler logs becomes messages of ours.
func TestLog(t *testing.T) {
	var got bytes.Buffer
	show := func(kind, text string) { got.WriteString(kind + ":" + text + "\n") }
	log := slog.New(&Log{Show: show, Least: slog.LevelInfo})
	log.Debug("hidden")
	log.Info("restored", "pages", 7, "took", 3*time.Millisecond)
	log.With("dir", "a b").WithGroup("g").Warn("two\nlines", "error", errors.New("no"), "empty", "")
	want := ":restored pages=7 took=3ms\nwarning:two lines dir=\"a b\" g.error=no g.empty=\"\"\n"
	if got.String() != want {
		t.Errorf("%q, want %q", got.String(), want)
	}
}
