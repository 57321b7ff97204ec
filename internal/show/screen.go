package show

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Screen shows messages and progress, usually on standard error. On a terminal
// progress is drawn in place, and any message erases it first. Its methods may be called
// from several goroutines.
type Screen struct {
	W io.Writer
	// Width returns the number of columns of the terminal; nil if W is not one.
	Width func() int
	// Paint, if not nil, colours a line that is drawn. It adds no columns.
	Paint func(line string) string

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
		text = clip(Line(text), s.Width()-1)
		if s.Paint != nil {
			text = s.Paint(text)
		}
		b.WriteString("\r" + text + "\x1b[K")
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
	start := time.Now()
	end := Repeat(interval, func() { show(time.Since(start)) })
	return sync.OnceFunc(func() {
		end()
		s.Erase()
	})
}

// Repeat calls do after each interval, from a goroutine of its own, until the function that it
// returns is called. That waits for a call under way, and may be called twice.
func Repeat(interval time.Duration, do func()) (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				do()
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-gone
	})
}

// UnitBytes is the unit of a progress that counts bytes: they are shown in MiB.
const UnitBytes = "bytes"

// A Progress shows how much of a long piece of work is done: on a terminal as one line
// that is redrawn, elsewhere as a plain line every ten seconds. Use:
//
//	p := show.NewProgress(screen, "import", size, show.UnitBytes)
//	defer p.Done()
//	... p.Set(n) ...
//
// Set costs one atomic operation and may be called from several goroutines; loops over
// links call it once in a few thousand.
type Progress struct {
	screen *Screen
	label  string
	total  int64 // 0: not known, so no share and no remaining time
	unit   string
	start  time.Time
	done   atomic.Int64
	note   atomic.Pointer[string] // shown instead of the amounts
	stop   func()
}

// NewProgress begins to show a progress on a screen; nil shows nothing.
func NewProgress(screen *Screen, label string, total int64, unit string) *Progress {
	p := &Progress{screen: screen, label: label, total: total, unit: unit, start: time.Now(), stop: func() {}}
	if screen != nil {
		p.stop = screen.Every(p.show)
	}
	return p
}

// Set sets how many units are done in all.
func (p *Progress) Set(n int64) { p.done.Store(n) }

// Note shows a text instead of amounts, for work that is not counted in units.
func (p *Progress) Note(text string) { p.note.Store(&text) }

// Done ends the progress and removes its line. It may be called twice.
func (p *Progress) Done() { p.stop() }

func (p *Progress) show(elapsed time.Duration) {
	switch {
	case !p.screen.Terminal():
		p.screen.Say("", p.line(elapsed))
	case elapsed >= progressDelay:
		p.screen.Draw("winnow: " + p.line(elapsed))
	}
}

// line returns the text after the given time. The rate is the mean since the start, so
// that the remaining time does not jump about.
func (p *Progress) line(elapsed time.Duration) string {
	if note := p.note.Load(); note != nil {
		return p.label + ": " + *note
	}
	done := p.done.Load()
	rate := float64(done) / elapsed.Seconds()
	if p.total <= 0 {
		return fmt.Sprintf("%s: %s, %s/s", p.label, p.amount(done, true), p.amount(int64(rate), false))
	}
	line := fmt.Sprintf("%s: %d%%, %s of %s, %s/s", p.label, 100*min(done, p.total)/p.total,
		p.amount(done, false), p.amount(p.total, true), p.amount(int64(rate), false))
	if rate > 0 && done < p.total {
		left := time.Duration(float64(p.total-done) / rate * float64(time.Second))
		line += ", " + Duration(left) + " left"
	}
	return line
}

func (p *Progress) amount(n int64, named bool) string {
	switch {
	case p.unit == UnitBytes:
		return Bytes(n)
	case named:
		return Short(n) + " " + p.unit
	}
	return Short(n)
}

// Stages shows the progress of work that has several stages, one after the other, each
// with a line of its own. Stages that overlap are shown once, in the order in which they
// began. The errors of its functions end the work when the context does.
type Stages struct {
	Context context.Context
	Screen  *Screen             // nil: nothing is shown
	Unit    func(string) string // unit of a stage; nil: all count pages
	seen    []string
	now     *Progress
}

// Set sets how much of a stage is done.
func (s *Stages) Set(stage string, done, total int64) error {
	if n := len(s.seen); n == 0 || s.seen[n-1] != stage {
		if slices.Contains(s.seen, stage) {
			return s.Context.Err()
		}
		s.Done()
		s.seen = append(s.seen, stage)
		unit := "pages"
		if s.Unit != nil {
			unit = s.Unit(stage)
		}
		s.now = NewProgress(s.Screen, stage, total, unit)
	}
	s.now.Set(done)
	return s.Context.Err()
}

// Of returns Set for one stage.
func (s *Stages) Of(stage string) func(done, total int64) error {
	return func(done, total int64) error { return s.Set(stage, done, total) }
}

// Sweeps returns a function that shows the sweeps of a solver. How many there will be is
// not known, but the error falls by about the same factor in each.
func (s *Stages) Sweeps(stage string, goal float64) func(sweep int, bound float64) error {
	var first float64
	return func(sweep int, bound float64) error {
		err := s.Set(stage, int64(sweep), 0)
		if first == 0 {
			first = bound
		}
		s.now.Note(sweepNote(sweep, first, bound, goal, time.Since(s.now.start)))
		return err
	}
}

// Notes returns a function that shows in words what a stage is doing.
func (s *Stages) Notes(stage string) func(what string) error {
	return func(what string) error {
		err := s.Set(stage, 0, 0)
		s.now.Note(what)
		return err
	}
}

// sweepNote describes how far the error has fallen from the first one to the goal, and
// estimates when it will be there.
func sweepNote(sweep int, first, bound, goal float64, elapsed time.Duration) string {
	note := fmt.Sprintf("sweep %d, error at most %.1e, goal %.1e", sweep, bound, goal)
	done, all := math.Log(first/bound), math.Log(first/goal)
	if !(done > 0 && all > done) {
		return note
	}
	left := time.Duration(float64(elapsed) * (all - done) / done)
	return note + ", " + Duration(left) + " left"
}

// Done removes the line of the last stage.
func (s *Stages) Done() {
	if s.now != nil {
		s.now.Done()
	}
}
