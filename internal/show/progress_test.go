package show

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// shown gives what a progress shows on standard error over 25 seconds of virtual
// time, in which 1,000 units are done each second, at its middle.
func shown(t *testing.T, screen *Screen, total int64, unit string) string {
	t.Helper()
	var stderr bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		if screen != nil {
			screen.W = &stderr
		}
		p := NewProgress(screen, "import", total, unit)
		defer p.Done()
		time.Sleep(500 * time.Millisecond)
		for second := range int64(25) {
			p.Set(1000 * (second + 1))
			time.Sleep(time.Second)
		}
		p.Done()
	})
	return stderr.String()
}

// TestProgressPlain: away from a terminal, a line every ten seconds.
func TestProgressPlain(t *testing.T) {
	got := shown(t, &Screen{}, 50_000, "links")
	want := "winnow: import: 20%, 10k of 50k links, 1k/s, 40s left\n" +
		"winnow: import: 40%, 20k of 50k links, 1k/s, 30s left\n"
	if got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestProgressTerminal: one line, drawn four times a second from the first second
// on, cut to the width of the window, and gone in the end.
func TestProgressTerminal(t *testing.T) {
	onTerminal := func(width int) *Screen { return &Screen{Width: func() int { return width }} }
	lines := strings.Split(shown(t, onTerminal(80), 3<<20, UnitBytes), "\x1b[K\x1b[J\r")
	const drawings = 25*4 + 2 - 3 // 25.5 seconds, none before the first second
	if len(lines) != drawings+1 || lines[drawings] != "\r\x1b[J" {
		t.Fatalf("%d parts, %q first, %q last", len(lines), lines[0], lines[len(lines)-1])
	}
	if want := "\rwinnow: import: 0%, 0.98 KiB of 3 MiB, 0.98 KiB/s, 52m25s left"; lines[0] != want {
		t.Errorf("%q, want %q", lines[0], want)
	}
	lines = strings.Split(shown(t, onTerminal(20), 0, "pages"), "\x1b[K\x1b[J\r")
	for _, line := range lines[:len(lines)-1] {
		if len(line) > 20 || !strings.HasPrefix("\rwinnow: import: 1k pages, 1k/s", line[:min(len(line), 15)]) {
			t.Errorf("line %q in a window of 20 columns", line)
		}
	}
}

func TestProgressSilent(t *testing.T) {
	if got := shown(t, nil, 0, "pages"); got != "" {
		t.Errorf("%q", got)
	}
}

// TestProgressAndMessages: a message erases the line before it is written.
func TestProgressAndMessages(t *testing.T) {
	var stderr bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		screen := &Screen{W: &stderr, Width: func() int { return 80 }}
		p := NewProgress(screen, "sort", 0, "links")
		time.Sleep(1100 * time.Millisecond)
		screen.Say("", "two runs")
		p.Done()
	})
	if got, want := stderr.String(), "\rwinnow: sort: 0 links, 0/s\x1b[K\x1b[J\r\r\x1b[Jwinnow: two runs\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestProgressLine(t *testing.T) {
	p := &Progress{label: "scan", total: 400, unit: "pages"}
	for _, test := range []struct {
		done    int64
		elapsed time.Duration
		want    string
	}{
		{0, time.Second, "scan: 0%, 0 of 400 pages, 0/s"}, // no rate, no guess
		{100, 10 * time.Second, "scan: 25%, 100 of 400 pages, 10/s, 30s left"},
		{399, 10 * time.Second, "scan: 99%, 399 of 400 pages, 39/s, 25ms left"},
		{400, 10 * time.Second, "scan: 100%, 400 of 400 pages, 40/s"},
		{500, 10 * time.Second, "scan: 100%, 500 of 400 pages, 50/s"},
	} {
		p.Set(test.done)
		if got := p.line(test.elapsed); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
func TestSweepNote(t *testing.T) {
	for _, c := range []struct {
		first, bound float64
		want         string
	}{
		{1, 1, "sweep 7, error at most 1.0e+00, goal 1.0e-09"},
		{1, 1e-3, "sweep 7, error at most 1.0e-03, goal 1.0e-09, 20s left"},
		{1, 1e-10, "sweep 7, error at most 1.0e-10, goal 1.0e-09"},
	} {
		if got := sweepNote(7, c.first, c.bound, 1e-9, 10*time.Second); got != c.want {
			t.Errorf("from %g to %g: %q, want %q", c.first, c.bound, got, c.want)
		}
	}
}
