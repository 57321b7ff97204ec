package fetch

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A phase is a stage of an exchange.
type phase int

const (
	connecting phase = iota
	waiting          // for the first byte
	reading
)

// watch ends an exchange that takes too long. One timer serves all phases: if it fires too
// early, because the exchange has reached another phase, it is set again.
type watch struct {
	mu     sync.Mutex
	lim    *limits
	timer  *time.Timer
	caller context.Context
	cancel context.CancelCauseFunc // of the exchange; nil: it is over
	phase  phase
	began  [3]time.Time     // by phase
	stamp  [3]time.Duration // the same by Options.Clock
	wire   *conn            // from waiting on
	paused time.Time        // zero: it is not
	missed bool             // the timer went off in a pause
}

// A timeout is the reason why an exchange was ended.
type timeout struct {
	what  string
	after time.Duration
}

func (t *timeout) Error() string { return fmt.Sprintf("%s within %v", t.what, t.after) }

// begin starts the watch. The context ends with it.
func (x *exchange) begin(caller context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(caller)
	w := &x.watch
	w.lim, w.cancel, w.caller = &x.c.lim, cancel, caller
	if x.r.Times != (Times{}) {
		w.lim = x.c.lim.with(x.r.Times)
	}
	w.began[connecting], w.stamp[connecting] = time.Now(), x.a.Start
	w.timer = time.AfterFunc(min(w.lim.connect, w.lim.total), w.fire)
	undo := context.AfterFunc(caller, w.hangUp)
	return ctx, func() {
		undo()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.timer.Stop()
		w.cancel = nil
		cancel(nil)
	}
}

// connected begins the wait for the first byte. Over a connection that was open before, the
// phase of connecting takes exactly no time: the record of the exchange tells so.
func (x *exchange) connected(c *conn) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.wire = c
	x.enter(waiting, min(x.lim.firstByte, x.lim.total))
	if x.a.Reused {
		x.stamp[waiting] = x.stamp[connecting]
	}
}

// firstByte begins the reading of the answer. With TLS or a proxy, a goroutine of net/http
// calls it.
func (x *exchange) firstByte() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.phase == waiting && x.cancel != nil {
		x.enter(reading, min(x.lim.stall, x.lim.total))
	}
}

func (x *exchange) enter(p phase, d time.Duration) {
	x.phase, x.began[p], x.stamp[p] = p, time.Now(), x.c.clock()
	x.timer.Reset(d)
}

// hangUp closes the socket when the caller wants no more. The context alone would leave
// it to net/http, which closes TLS in order first: that takes time if the server does
// not listen, and if it does, its answer may still arrive.
func (w *watch) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil && w.wire != nil {
		w.wire.Close()
	}
}

// fire ends the exchange if its time is up. The socket is closed first, as in hangUp.
func (w *watch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel == nil {
		return
	}
	if !w.paused.IsZero() {
		w.missed = true
		return
	}
	now := time.Now()
	due, why := w.due()
	if now.Before(due) {
		w.timer.Reset(due.Sub(now))
		return
	}
	if w.wire != nil {
		w.wire.Close()
	}
	w.cancel(why)
}

// unanswered reports whether the request was sent and no byte of an answer has arrived.
func (w *watch) unanswered() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.phase == waiting
}

// cause returns the reason why the exchange was ended, nil if it was not. A caller that
// sees the socket closed by fire waits here until fire has set the cause.
func (w *watch) cause(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return context.Cause(ctx)
}

// pause stops the clock of a body while it waits for room of our own.
func (w *watch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused = time.Now()
}

func (w *watch) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.began[connecting] = w.began[connecting].Add(now.Sub(w.paused))
	w.began[reading], w.paused = now, time.Time{}
	if w.missed {
		w.missed = false
		due, _ := w.due()
		w.timer.Reset(due.Sub(now))
	}
}

// due returns the instant at which the exchange is to end if nothing happens, and the
// reason.
func (w *watch) due() (time.Time, error) {
	from, why := w.began[w.phase], timeout{"no connection", w.lim.connect}
	switch w.phase {
	case waiting:
		why = timeout{"no answer", w.lim.firstByte}
	case reading:
		why = timeout{"no byte", w.lim.stall}
		if t := w.wire.lastHeard(); t.After(from) {
			from = t
		}
	}
	due := from.Add(why.after)
	if total := w.began[connecting].Add(w.lim.total); total.Before(due) {
		due, why = total, timeout{"not finished", w.lim.total}
	}
	return due, &why
}

// phases computes how long each phase took, when the end is known.
func (x *exchange) phases() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for p := connecting; p <= x.phase; p++ {
		end := x.a.End
		if p < x.phase {
			end = x.stamp[p+1]
		}
		x.a.Phases[p] = end - x.stamp[p]
	}
}
