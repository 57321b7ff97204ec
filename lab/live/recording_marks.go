package live

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/sim"
)

// mostLate is the longest time after which a session hands out its first task when there is
// one.
const mostLate = time.Second

// A marker makes the marks of a Recording: sessions, and times in which the crawler was cut
// off from its network. The journal does not say when a crawler stopped. It handed out nothing
// after its last task.
type marker struct {
	out     *sim.Recording
	mark    *sim.Mark     // the last one; nil: none
	tasks   int           // handed out since then
	losses  uint32        // marks at which tasks were lost
	opening bool          // a later session has begun, and only acts of the driver followed
	idle    bool          // nothing was handed out in the session
	cut     bool          // we are cut off
	now     time.Duration // of the last record
}

// session ends the session before, and begins one.
func (m *marker) session(now time.Duration, c *config.Config) {
	next := sim.Mark{At: now, Tasks: sim.AnyTasks, Stopped: now - m.now, Pages: int(c.Pages)}
	if m.opening = m.mark != nil; m.opening {
		m.mark.Tasks = m.tasks
		m.out.Mark(sim.Mark{At: m.now, Lose: true})
		m.losses++
		next.Acts = []sim.Act{{Event: event.Event{Kind: event.Session}}}
	}
	m.mark, m.tasks, m.cut, m.idle = m.out.Mark(next), 0, false, true
}

// act adds an act of the driver: to the beginning of a session, or after the last answer.
func (m *marker) act(now time.Duration, a sim.Act) {
	if m.opening && now == m.mark.At {
		m.mark.Acts = append(m.mark.Acts, a)
		return
	}
	m.out.After(a)
}

// took counts a task that was handed out. busy reports whether others are under way. While we
// are cut off, one is handed out at a time, to see whether anything answers. A session hands
// out nothing before its beginning is on disk.
func (m *marker) took(now time.Duration, busy bool) {
	opens := m.idle && now-m.mark.At <= mostLate && now > m.mark.At
	switch m.opening, m.idle = false, false; {
	case opens:
		m.mark.Tasks = 0
		m.add(now, sim.AnyTasks)
	case m.cut && busy: // we are not
		m.cut, m.mark.Tasks = false, sim.AnyTasks
	case m.cut:
		m.add(now, 1)
	}
	m.tasks++
}

// ended looks whether we are cut off after the end of a task: the site was a witness (see
// trouble.Outage), and its failure is ours.
func (m *marker) ended(x *journal.Record, witness bool) {
	switch m.opening = false; {
	case m.cut && x.Facts.Status != 0:
		m.cut = false
		m.add(x.Now, sim.AnyTasks)
		m.mark.After = uint32(m.out.Answers())
	case !m.cut && x.Facts.Ours && witness:
		m.cut = true
		m.add(x.Now, 0)
		m.mark.After = uint32(m.out.Answers())
	}
}

// add adds a mark within a session.
func (m *marker) add(now time.Duration, tasks int) {
	pages := 0
	if m.mark != nil {
		pages = m.mark.Pages
	}
	m.mark, m.tasks = m.out.Mark(sim.Mark{At: now, Tasks: tasks, Pages: pages}), 0
}
