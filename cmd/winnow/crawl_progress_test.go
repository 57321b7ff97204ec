package main

import (
	"io"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/console"
)

// screen is the least of a terminal: it knows the sequences that the panel uses.
type screen struct {
	lines    [][]rune
	row, col int
	t        *testing.T
}

func (s *screen) Write(b []byte) (int, error) {
	for text := string(b); text != ""; {
		text = s.step(text)
	}
	return len(b), nil
}

// step obeys what a text begins with and returns the rest.
func (s *screen) step(text string) string {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, nil)
	}
	if rest, ok := strings.CutPrefix(text, "\x1b[K"); ok {
		s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
		return rest
	}
	if rest, ok := strings.CutPrefix(text, "\x1b[J"); ok {
		s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
		s.lines = s.lines[:s.row+1]
		return rest
	}
	if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
		if rest[1] != 'A' {
			s.t.Fatalf("unknown sequence %q", text)
		}
		s.row -= int(rest[0] - '0')
		return rest[2:]
	}
	r := []rune(text)
	switch r[0] {
	case '\r':
		s.col = 0
	case '\n':
		s.row, s.col = s.row+1, 0
	default:
		line := s.lines[s.row]
		s.lines[s.row] = append(line[:min(s.col, len(line))], append([]rune{r[0]}, line[min(s.col+1, len(line)):]...)...)
		s.col++
	}
	return string(r[1:])
}

func (s *screen) String() string {
	var lines []string
	for _, l := range s.lines {
		lines = append(lines, string(l))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// TestDrawPanel: panels replace each other, messages stay above them, and at the end
// nothing of a panel is left.
func TestDrawPanel(t *testing.T) {
	screen := &screen{t: t}
	u := console.New(nil, io.Discard, screen)
	u.Screen.Width = func() int { return 12 }
	c := config.Default()
	p := watchCrawl(u, "a.crawl", &c)
	u.Screen.Draw("one", "a second line that is too long", "three")
	if got, want := screen.String(), "one\na second li\nthree"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	u.Screen.Draw("1", "2")
	if got, want := screen.String(), "1\n2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Say("warning", "x")
	p.Say("", "y")
	u.Screen.Draw("A", "B", "C")
	if got, want := screen.String(), "winnow: warning: x\nwinnow: y\nA\nB\nC"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Stop()
	u.Screen.Erase()
	if got, want := screen.String(), "winnow: warning: x\nwinnow: y"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
