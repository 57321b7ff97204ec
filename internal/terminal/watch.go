package terminal

import (
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
)

// A Watch shows how a crawl goes: on a terminal a View that is drawn again and again, elsewhere
// the lines of Plain, or objects. It draws from a goroutine of its own, because a terminal may
// be stopped (Ctrl-S), and the loop of the crawl must never wait for it. Its methods may be
// called from several goroutines.
type Watch struct {
	Screen *show.Screen // standard error
	Height func() int   // of the window, if Screen is a terminal
	View   View
	Object func(*history.Status) // called now and then instead of everything else, if not nil
	Quiet  bool                  // only warnings are shown

	mu     sync.Mutex
	status history.Status
	known  bool // there is a status

	stop func() // ends the goroutine; nil before Start and if nothing is shown
}

// How often a Watch looks at the status: the crawl sets it about once a second.
const (
	drawEvery   = 250 * time.Millisecond
	lookEvery   = time.Second
	objectEvery = 10 * time.Second
)

// Set keeps the status.
func (w *Watch) Set(s *history.Status) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status, w.known = *s, true
}

// Last returns the last status, or false before the first.
func (w *Watch) Last() (history.Status, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status, w.known
}

// Start begins to show the crawl.
func (w *Watch) Start() {
	switch plain := (&Plain{Config: w.View.Config}); {
	case w.Object != nil:
		w.stop = w.every(objectEvery, func(s *history.Status) { w.Object(s) })
	case w.Quiet:
	case w.Screen.Terminal():
		w.stop = w.every(drawEvery, func(s *history.Status) {
			w.Screen.Draw(w.View.Lines(s, w.Screen.Width()-1, w.Height()-1)...)
		})
	default:
		w.stop = w.every(lookEvery, func(s *history.Status) {
			for _, line := range plain.Lines(s, time.Now()) {
				w.Say("", line)
			}
		})
	}
}

// every calls fn with the status again and again until the function that it returns is called.
func (w *Watch) every(interval time.Duration, fn func(*history.Status)) (stop func()) {
	return show.Repeat(interval, func() {
		if s, ok := w.Last(); ok {
			fn(&s)
		}
	})
}

// Stop ends the showing and erases what was drawn. It may be called twice.
func (w *Watch) Stop() {
	if w.stop != nil {
		w.stop()
		w.Screen.Erase()
	}
}

// Say writes a message: above the view, or with the time if there is no terminal.
func (w *Watch) Say(kind, text string) {
	switch {
	case kind == "" && (w.Quiet || w.Object != nil):
		return
	case !w.Screen.Terminal():
		text = time.Now().Format(time.RFC3339) + " " + text
	}
	w.Screen.Say(kind, text)
}

// Paint colours the name that begins a line of a View.
func Paint(line string) string {
	for _, p := range []struct{ name, code string }{
		{"fetched", "32"}, {"waiting", "36"}, {"held by", "33"}, {"failed", "31"}, {"last", "31"}, {"skipped", "2"}, {"now", "36"}, {"in all", "2"},
	} {
		if rest, ok := strings.CutPrefix(line, p.name+" "); ok {
			return "\x1b[" + p.code + "m" + p.name + "\x1b[0m " + rest
		}
	}
	return line
}
