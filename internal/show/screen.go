package show

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// A Screen shows messages and progress, usually on standard error. On a terminal
// progress is drawn in place, and any message erases it first. Its methods may be called
// from several goroutines.
type Screen struct {
	W io.Writer
	// Width returns the number of columns of the terminal; nil if W is not one.
	Width func() int

	mu    sync.Mutex
	drawn bool
}

// Terminal reports whether lines can be drawn in place.
func (s *Screen) Terminal() bool { return s.Width != nil }

// Say writes one message on a line of its own. The kind, such as error or hint, is put
// before it unless it is empty.
func (s *Screen) Say(kind, text string) {
	if kind != "" {
		kind += ": "
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	fmt.Fprintf(s.W, "winnow: %s%s\n", kind, Line(text))
}

// Draw puts lines on the terminal in place of those drawn before. The cursor stays at the
// beginning of the first, so that everything below it can be erased.
func (s *Screen) Draw(lines ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for i, text := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("\r" + clip(Line(text), s.Width()-1) + "\x1b[K")
	}
	b.WriteString("\x1b[J") // what a longer panel left
	if up := len(lines) - 1; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	b.WriteByte('\r')
	io.WriteString(s.W, b.String())
	s.drawn = true
}

// Erase removes the lines that were drawn.
func (s *Screen) Erase() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// erase implements Erase for callers that hold mu.
func (s *Screen) erase() {
	if s.drawn {
		io.WriteString(s.W, "\r\x1b[J")
		s.drawn = false
	}
}

// clip cuts a line to a number of columns.
func clip(line string, columns int) string {
	runes := []rune(line)
	return string(runes[:min(len(runes), max(columns, 0))])
}

// How often progress is shown: on a terminal several times a second, but not before the
// first second is over; in a log file a line now and then.
const (
	progressDelay    = time.Second
	progressTerminal = 250 * time.Millisecond
	progressPlain    = 10 * time.Second
)

// Every calls show again and again, as often as progress is to be shown on s, from a
// goroutine of its own: a terminal may be stopped (Ctrl-S), and nothing else must wait for
// it. The function that it returns ends that and erases what was drawn. It may be called
// twice.
func (s *Screen) Every(show func(elapsed time.Duration)) (stop func()) {
	interval := progressPlain
	if s.Terminal() {
		interval = progressTerminal
	}
	quit, gone, start := make(chan struct{}), make(chan struct{}), time.Now()
	go func() {
		defer close(gone)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				show(time.Since(start))
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-gone
		s.Erase()
	})
}
