package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// relentEvery is the number of tasks after which held pages are judged again.
const relentEvery = 256

// relent admits pages that were refused as traps and now have support. At the end of a
// crawl it also tries others.
func (a *admission) relent(now time.Duration, end bool) (some bool) {
	pages, trial := a.state.Traps.Release(end)
	r := a.begin(event.Admitted, now)
	r.Facts.Trial = trial
	for _, p := range pages {
		a.state.Admit(r, p)
	}
	if len(pages) > 0 {
		a.record()
	}
	return len(pages) > 0
}
