package crawl

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// An inbox receives what harvesters and the committer have finished.
type inbox struct {
	results <-chan *task
	groups  <-chan *group
	timer   *time.Timer
	tasks   []*task
	group   *group // the committer has one at a time
	reload  <-chan struct{}
	reloads bool // the user demands that files are read again
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
	case <-done:
		return true
	case <-alarm:
	}
	return false
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

// takeGroup returns the group that has been committed, nil if none has.
func (in *inbox) takeGroup() *group {
	g := in.group
	if in.group = nil; g == nil && len(in.groups) > 0 {
		g = <-in.groups
	}
	return g
}
