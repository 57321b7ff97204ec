package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// shown gives what a progress shows on standard error over 25 seconds of virtual
// time, in which 1,000 units are done each second, at its middle.
func shown(t *testing.T, setup func(u *ui), total int64, unit string) string {
	t.Helper()
	var stderr bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		u := newUI(nil, nil, &stderr)
		setup(u)
		p := newProgress(u, "import", total, unit)
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
	got := shown(t, func(*ui) {}, 50_000, "links")
	want := "winnow: import: 20%, 10k of 50k links, 1k/s, 40s left\n" +
		"winnow: import: 40%, 20k of 50k links, 1k/s, 30s left\n"
	if got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestProgressTerminal: one line, drawn four times a second from the first second
// on, cut to the width of the window, and gone in the end.
func TestProgressTerminal(t *testing.T) {
	onTerminal := func(width int) func(*ui) {
		return func(u *ui) { u.terminal, u.width = true, func() int { return width } }
	}
	lines := strings.Split(shown(t, onTerminal(80), 3<<20, unitBytes), "\r\x1b[K")
	const drawings = 25*4 + 2 - 3 // 25.5 seconds, none before the first second
	if len(lines) != 1+drawings+1 || lines[0] != "" || lines[len(lines)-1] != "" {
		t.Fatalf("%d parts, %q first, %q last", len(lines), lines[0], lines[len(lines)-1])
	}
	if want := "winnow: import: 0%, 0.98 KiB of 3 MiB, 0.98 KiB/s, 52m25s left"; lines[1] != want {
		t.Errorf("%q, want %q", lines[1], want)
	}
	for _, line := range strings.Split(shown(t, onTerminal(20), 0, "pages"), "\r\x1b[K") {
		if len(line) > 19 || !strings.HasPrefix("winnow: import: 1k pages, 1k/s", line[:min(len(line), 15)]) {
			t.Errorf("line %q in a window of 20 columns", line)
		}
	}
}

func TestProgressSilent(t *testing.T) {
	for name, setup := range map[string]func(*ui){
		"quiet": func(u *ui) { u.quiet = true },
		"json":  func(u *ui) { u.asJSON, u.terminal = true, true },
	} {
		if got := shown(t, setup, 0, "pages"); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestProgressAndMessages: a message erases the line before it is written.
func TestProgressAndMessages(t *testing.T) {
	var stderr bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		u := newUI(nil, nil, &stderr)
		u.terminal, u.width = true, func() int { return 80 }
		p := newProgress(u, "sort", 0, "links")
		time.Sleep(1100 * time.Millisecond)
		u.notef("two runs")
		p.Done()
	})
	if got, want := stderr.String(), "\r\x1b[Kwinnow: sort: 0 links, 0/s\r\x1b[Kwinnow: two runs\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestProgressLine(t *testing.T) {
	p := &progress{label: "scan", total: 400, unit: "pages"}
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
