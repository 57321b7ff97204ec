package crawl

import (
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// crashed makes an answer whose reading panicked one that failed. Nothing of it is
// stored: what its author wants to be stored is not known. It is called by the deferred
// function that recovered.
func (t *task) crashed(x any) {
	note := fmt.Sprintf("parser crashed: %.200v", x)
	t.found = gather.Found{Class: event.Crashed, Status: t.answer.Status, Note: note}
	t.answer.Class, t.answer.Note = event.Crashed, note
	t.rules, t.sitemaps, t.hop = robots.Rules{}, nil, ""
	t.stack = panicked()
}

// stackLines is how many calls are told of a panic.
const stackLines = 6

// panicked tells where a panic came from, the innermost call first.
func panicked() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	var calls []string
	inside := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			inside = true
		case inside && !strings.HasPrefix(f.Function, "runtime."):
			calls = append(calls, fmt.Sprintf("%s:%d", path.Base(f.Function), f.Line))
		}
		if !more || len(calls) == stackLines {
			return strings.Join(calls, " < ")
		}
	}
}

// maxTold is how many crashes a session tells of.
const maxTold = 20

// tellCrash logs an answer that could not be read. It is a fault of ours, and those who
// can fix it need the URL.
func (o *owner) tellCrash(t *task) {
	if t.answer == nil || t.answer.Class != event.Crashed {
		return
	}
	if o.crashes++; o.crashes > maxTold {
		return // it is in the journal, and counted in the status
	}
	o.log.Error("the parser crashed on an answer: it counts as failed, and the crawl goes on; please report the URL and what follows",
		"url", t.url, "why", t.answer.Note, "stack", t.stack)
}
