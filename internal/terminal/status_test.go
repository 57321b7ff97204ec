package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/wording"
)

func TestCapText(t *testing.T) {
	for want, x := range map[string]state.Cap{
		"pages by --site-pages 25000: 1,204 of http://big.example, 3 elsewhere": {Key: "site_pages", Value: "25000", What: "pages", Left: 1207, Where: []state.CapPlace{{Name: "http://big.example", Left: 1204}}},
		"links by --max-links 50000":                      {Key: "max_links", Value: "50000", What: "links", Left: 9},
		"sitemap entries beyond what is read of one site": {What: "sitemap entries", Left: 9},
	} {
		if got := capText(&x); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Each pause has its reason and a command that continues the crawl, with flags that exist.
func TestPauseReason(t *testing.T) {
	c := config.Default()
	c.Pages, c.Bytes, c.Duration, c.MaxMemory = 120, 1<<20, config.Seconds(60), 1<<30
	at := history.Status{State: "paused", Fetched: 130, Redirects: 10, Bytes: 2 << 20, Seconds: 61}
	seen := map[string]bool{}
	for why, flags := range map[string]string{
		"pages": " --pages 240", "duration": " --duration 2m", "bytes": " --bytes 2MiB", "memory": " --max-memory 2GiB",
		"disk": "", "unreachable": "", "retry": "", "stopped": "", "": "",
	} {
		s := at
		if s.Why = why; flags == "" {
			s.Fetched = 50
		}
		reason, next := wording.PauseReason(&s, &c), ResumeCommand("a.crawl", &s, &c)
		if reason == "" || reason == why || seen[reason] || !strings.HasPrefix(next, "winnow crawl --dir a.crawl"+flags) || flags == "" && next != "winnow crawl --dir a.crawl" {
			t.Errorf("%s: %q, %q", why, reason, next)
		}
		seen[reason] = true
	}
	s := history.Status{State: "paused", Why: history.WhyCluster}
	if reason, next := wording.PauseReason(&s, &c), ResumeCommand("a.crawl", &s, &c); !strings.Contains(reason, "cluster") || next != "" {
		t.Errorf("a copy: %q, %q", reason, next)
	}
	for _, name := range []string{"running", "finished"} {
		if next := ResumeCommand("a.crawl", &history.Status{State: name}, &c); next != "" {
			t.Errorf("%s: %q", name, next)
		}
	}
}

// A crawl with as many pages as --pages allows needs more, whatever stopped it, and more than it
// has if the limit was lowered.
func TestPauseBelow(t *testing.T) {
	c := config.Default()
	c.Pages = 10
	for _, why := range []string{"pages", "retry", "stopped"} {
		s := history.Status{State: "paused", Why: why, Fetched: 32, Redirects: 1}
		if got := ResumeCommand("a.crawl", &s, &c); got != "winnow crawl --dir a.crawl --pages 62" {
			t.Errorf("%s: %q", why, got)
		}
	}
}

// A limit that was raised since the pause is no reason to raise it again.
func TestPauseRaised(t *testing.T) {
	c := config.Default()
	c.Pages = 500
	s := history.Status{State: "paused", Why: "pages", Fetched: 120}
	if got := wording.StateText(&s, &c); got != "paused: reached --pages" {
		t.Errorf("%q", got)
	}
	if got := ResumeCommand("a.crawl", &s, &c); got != "winnow crawl --dir a.crawl" {
		t.Errorf("%q", got)
	}
}

// fullStatus is one in which every line of the status has its longest text.
func fullStatus(name string) *history.Status {
	s := &history.Status{
		State: name, Why: "pages", Known: 123_456_789, Waiting: 100_000_000, Fetched: 12_345_678, Redirects: 1_234_567, Failed: 1_000_000,
		Refused: 9_000_000, Sites: 1_234_567, Requests: 20_000_000, Bytes: 1 << 40, Links: 1 << 40, Gathered: 0.5, Seconds: 1e6, Worked: 9e5, Ran: 9e14, Mean: 4e5, Median: 3e5,
		Active: 500, Fetchers: 500, Rate: 1234, Down: 12, Mirrored: 40, Held: 1200, Memory: 1 << 30,
		Spared:   state.Spared{NotModified: 123_456_789, NotTransferred: 1023 << 30, Unchanged: 123_456_789, NotStored: 1023 << 30},
		FailedBy: map[string]int64{}, RefusedBy: map[string]int64{}, Outcomes: map[string]int64{}, Columns: map[string]int64{},
		Waits:   map[string]int{"politeness": 123_456, "unreachable": 12, "address": 1200, "retry": 1, "commit": 2, "twin": 3, "robots-elsewhere": 4, "sitemap-files": 5, "slow": 6},
		Largest: &history.SiteShare{Site: "http://" + strings.Repeat("long.", 20) + "example", Pages: 12_345_678, Share: 0.1, Verdict: "partly", Trapped: 1_234_567},
	}
	for c := event.OK; c <= event.LastClass; c++ {
		s.FailedBy[c.String()], s.Outcomes[c.String()] = 100_000+int64(c), 2_000_000
	}
	for b := event.NoBar + 1; int(b) < event.Bars(); b++ {
		s.RefusedBy[b.String()] = 300_000 + int64(b)
	}
	for i := range 40 {
		s.Columns[fmt.Sprint("column ", i)] = 1 << 20
		s.Unreachable = append(s.Unreachable, state.SiteDown{Site: "http://d.example", Why: strings.Repeat("connection refused ", 6), Next: time.Now()})
		s.Mirrors = append(s.Mirrors, state.MirrorOf{Site: "http://m.example", Of: "http://a.example"})
	}
	for _, key := range []string{"site_pages", "domain_pages", "max_links", "max_depth"} {
		s.Caps = append(s.Caps, state.Cap{Key: key, Value: "25000", Raise: "50000", What: "pages", Left: 1_234_567})
	}
	return s
}

// TestStatusFits: the status fits a terminal of 80 columns and 20 lines, whatever happened;
// -v has the rest.
func TestStatusFits(t *testing.T) {
	c := config.Default()
	for _, name := range []string{"running", "finished", "paused", "paused:duration", "paused:bytes", "paused:stopped", "paused:disk", "paused:memory", "paused:unreachable", "paused:retry", "paused:"} {
		var short, long bytes.Buffer
		s := fullStatus(name)
		if short, why, ok := strings.Cut(name, ":"); ok {
			s.State, s.Why = short, why
		}
		if err := errors.Join(PrintStatus(&short, "a.crawl", s, &c), PrintDetails(&long, "a.crawl", s, &c)); err != nil {
			t.Fatal(err)
		}
		rows := 0
		for line := range strings.Lines(short.String()) {
			columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
			rows += 1 + (columns-1)/80
			if columns > 80 && !strings.HasPrefix(line, "to resume ") {
				t.Errorf("%d columns: %s", columns, line)
			}
		}
		if rows > 20 {
			t.Errorf("%s: %d lines:\n%s", name, rows, short.String())
		}
		for _, word := range []string{"bytes a page", "column 0", "m.example"} {
			if strings.Contains(short.String(), word) || !strings.Contains(long.String(), word) {
				t.Errorf("%s: %q belongs to -v only:\n%s", name, word, short.String())
			}
		}
	}
}

// The status says what visits of unchanged pages saved, if there were any.
func TestSparedText(t *testing.T) {
	c := config.Default()
	for want, spared := range map[string]state.Spared{
		"": {},
		"6  3 KiB not transferred, 5 KiB not stored": {NotModified: 2, NotTransferred: 3 << 10, Unchanged: 4, NotStored: 5 << 10},
	} {
		var out bytes.Buffer
		s := history.Status{State: "finished", Spared: spared}
		if err := PrintStatus(&out, "a.crawl", &s, &c); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.Contains(text, "unchanged") != (want != "") || !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Failures are pages, also those of sites that were given up without an attempt at them: the
// live view, the end of a crawl and the status have the same numbers.
func TestFailuresAgree(t *testing.T) {
	s := history.Status{State: "running", Known: 1100, Failed: 1073, FailedBy: map[string]int64{"dns": 1072, "http-error": 1}, Outcomes: map[string]int64{"http-error": 3}}
	c := config.Default()
	var out bytes.Buffer
	if err := PrintStatus(&out, "a.crawl", &s, &c); err != nil {
		t.Fatal(err)
	}
	view, plain := View{Config: &c}, Plain{Config: &c}
	for where, text := range map[string]string{"view": strings.Join(view.Lines(&s, 80, 24), "\n"), "log": plain.numbers(&s), "status": out.String()} {
		if !strings.Contains(text, "1,073") || !strings.Contains(text, "dns 1,072") || !strings.Contains(text, "http-error 1") {
			t.Errorf("%s: %s", where, text)
		}
	}
}

// TestStatusTraps: what is skipped is listed by reason, the largest first, also a reason of
// which no place is listed; and the facts of the paper stand beside the largest site (X38).
func TestStatusTraps(t *testing.T) {
	s := &history.Status{
		State: "paused", Known: 400, Refused: 190, Held: 1200, Mirrored: 1,
		RefusedBy: map[string]int64{"farm": 150, "grows": 30, "hosts": 3, "robots": 7},
		Mirrors:   []state.MirrorOf{{Site: "http://m.example", Of: "http://a.example"}},
		Largest:   &history.SiteShare{Site: "http://a.example", Pages: 100, Share: 0.25, Verdict: "partly", Trapped: 20},
	}
	for i := range trapsShown + 2 {
		s.Traps = append(s.Traps, history.Trap{Reason: "farm", Site: fmt.Sprintf("http://f%d.example", i), Pages: int64(20 - i)})
	}
	s.Traps = append(s.Traps, history.Trap{Reason: "grows", Site: "http://a.example", Pattern: "/shop/", Pages: 9})
	var out bytes.Buffer
	if err := PrintDetails(&out, "a.crawl", s, new(config.Default())); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"held          1,200  ",
		"largest site    100  25.0 % ", " http://a.example: partly a trap, 20 ",
		"352,944 of 784,592 ", " 45.0 %", "robots       7  robots.txt forbids it\n", "trap   pages  ", "farm     150  ", "    http://f4.example\n",
		"grows     30  ", "           9    http://a.example/shop/\n", "hosts      3  ", "http://m.example  http://a.example\n",
	}
	rest := out.String()
	for _, w := range want {
		_, after, found := strings.Cut(rest, w)
		if !found {
			t.Fatalf("no %q in\n%s", w, rest)
		}
		rest = after
	}
	if strings.Contains(out.String(), "http://f5.example") || strings.Contains(rest, "robots") {
		t.Errorf("more than is to be shown:\n%s", out.String())
	}
	s.Largest.Verdict, s.Largest.Trapped = "none", 0
	if v := verdictText(s.Largest); v != "not a trap" {
		t.Errorf("%q", v)
	}
}
