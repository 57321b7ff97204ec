package crawl

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/crawl/render/offline"
	"github.com/winnow-crawler/winnow/event"
)

// An inbox receives what harvesters and the committer have finished.
type inbox struct {
	results <-chan *task
	groups  <-chan *group
	notices <-chan []string // nil: there are none
	timer   *time.Timer
	tasks   []*task
	group   *group // the committer has one at a time
	reload  <-chan struct{}
	wake    <-chan struct{}       // of the port; nil: there is one partition
	lost    <-chan struct{}       // of the port; nil: no other process can have the partition
	void    bool                  // it was received
	reloads bool                  // the user demands that files are read again
	urls    []string              // of notices
	orders  <-chan *control.Order // nil: none are taken
	order   *control.Order        // nil: there is none
	renders <-chan *offline.Job   // nil: no page is shown
	render  *offline.Job          // nil: there is none
}

// wait returns when something has arrived, at the given instant, or, with true, when the
// crawl is to stop. It does not matter which of them ends the wait: everything that is
// there is taken afterwards.
func (in *inbox) wait(done <-chan struct{}, now, at time.Duration) (stop bool) {
	var alarm <-chan time.Time
	if at != event.Never {
		in.timer.Reset(max(0, at-now))
		alarm = in.timer.C
	}
	select {
	case t := <-in.results:
		in.tasks = append(in.tasks, t)
	case in.group = <-in.groups:
	case <-in.reload:
		in.reloads = true
	case <-in.wake:
	case <-in.lost:
		in.void = true
	case urls := <-in.notices:
		in.urls = append(in.urls, urls...)
	case in.order = <-in.orders:
	case in.render = <-in.renders:
	case <-done:
		return true
	case <-alarm:
	}
	return false
}

// isLost reports whether another process has the partition, or may have it.
func (in *inbox) isLost() bool {
	select {
	case <-in.lost:
		return true
	default:
		return in.void
	}
}

// takeTasks returns the tasks that have ended, in the order of (end, site, page). The list
// is valid until the next wait.
func (in *inbox) takeTasks() []*task {
	for len(in.results) > 0 {
		in.tasks = append(in.tasks, <-in.results)
	}
	list := in.tasks
	in.tasks = list[:0]
	slices.SortFunc(list, (*task).before)
	return list
}

// noticeMost is the number of URLs that are taken in a turn, and not many more.
const noticeMost = 1000

// takeNotices returns URLs of notices. The list is valid until the next wait.
func (in *inbox) takeNotices() []string {
	for len(in.notices) > 0 && len(in.urls) < noticeMost {
		in.urls = append(in.urls, <-in.notices...)
	}
	list := in.urls
	in.urls = list[:0]
	return list
}

// takeGroup returns the group that has been committed, nil if none has.
func (in *inbox) takeGroup() *group {
	g := in.group
	if in.group = nil; g == nil && len(in.groups) > 0 {
		g = <-in.groups
	}
	return g
}
