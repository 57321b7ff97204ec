package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// How often progress is shown. Work that takes less than a second shows none on a
// terminal; a log file gets a line now and then.
const (
	progressDelay    = time.Second
	progressTerminal = 250 * time.Millisecond
	progressPlain    = 10 * time.Second
)

// unitBytes is the unit of a progress that counts bytes: they are shown in MiB.
const unitBytes = "bytes"

// progress shows how far a long piece of work has come: on a terminal one line
// that is drawn again and again, elsewhere a plain line every ten seconds, and
// nothing with --quiet or --json. Use:
//
//	p := newProgress(u, "import", size, unitBytes)
//	defer p.Done()
//	... p.Set(n) ...
//
// Set costs one atomic operation and may be called from several goroutines; loops
// over links call it once in a few thousand.
type progress struct {
	u     *ui
	label string
	total int64 // 0: not known, no share and no remaining time
	unit  string
	start time.Time
	done  atomic.Int64
	note  atomic.Pointer[string] // what stands for the amounts, where these say nothing

	stop sync.Once
	quit chan struct{} // nil when nothing is shown
	gone chan struct{}
}

func newProgress(u *ui, label string, total int64, unit string) *progress {
	p := &progress{u: u, label: label, total: total, unit: unit, start: time.Now()}
	if !u.quiet && !u.asJSON {
		p.quit, p.gone = make(chan struct{}), make(chan struct{})
		go p.loop()
	}
	return p
}

// Set says how many units are done in all.
func (p *progress) Set(n int64) { p.done.Store(n) }

// Note shows a text instead of amounts: for work that is not counted in units.
func (p *progress) Note(text string) { p.note.Store(&text) }

// Done ends the showing and removes the line. It may be called twice.
func (p *progress) Done() {
	if p.quit == nil {
		return
	}
	p.stop.Do(func() {
		close(p.quit)
		<-p.gone
		p.u.undraw()
	})
}

// loop draws until Done.
func (p *progress) loop() {
	defer close(p.gone)
	every := progressPlain
	if p.u.terminal {
		every = progressTerminal
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-ticker.C:
			p.show(time.Since(p.start))
		}
	}
}

func (p *progress) show(elapsed time.Duration) {
	switch {
	case !p.u.terminal:
		p.u.say("", p.line(elapsed))
	case elapsed >= progressDelay:
		p.u.draw("winnow: " + p.line(elapsed))
	}
}

// line is what is shown after the given time. The rate is the mean since the start,
// so the remaining time does not jump about.
func (p *progress) line(elapsed time.Duration) string {
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
		line += ", " + formatDuration(left) + " left"
	}
	return line
}

func (p *progress) amount(n int64, named bool) string {
	switch {
	case p.unit == unitBytes:
		return formatBytes(n)
	case named:
		return formatShort(n) + " " + p.unit
	}
	return formatShort(n)
}
