package terminal

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/frontier"
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
	s.DNS.Network, s.DNS.Cache = 7, 3
	return s
}

func TestPanel(t *testing.T) {
	s, c := someStats(), config.Default()
	c.Pages = 100_000
	want := `winnow: 12,345 of 100,000 pages, 123/s, 11m55s left
  43.2% of the links found lead to them, 1,234,567 pages known on 3,456 sites, 900 refused
  312 of 500 fetchers active; sites wait: politeness 2,900, address 12
  failed: 52 pages (dns 40, timeout 12)
  5 MiB received, 64 MiB memory of 1 GiB, 1m01s`
	if got := strings.Join(Panel(&s, &c), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	line := "12,345 of 100,000 pages, 123/s, 11m55s left; 43.2% of the links found lead to them; " +
		"312 of 500 fetchers; sites wait: politeness 2,900, address 12; failed: 52 pages (dns 40, timeout 12); " +
		"5 MiB received, 64 MiB memory of 1 GiB, 1m01s"
	if got := ProgressLine(&s, &c); got != line {
		t.Errorf("got\n%s\nwant\n%s", got, line)
	}
	s = history.Status{State: "stopping", Fetchers: 1}
	want = "winnow: 0 pages, 0.0/s, stopping\n  0.0% of the links found lead to them, 0 pages known on 0 sites, 0 refused\n" +
		"  0 of 1 fetchers active\n  0 B received, 0 B memory, 0s"
	c.Pages = 0
	if got := strings.Join(Panel(&s, &c), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
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
