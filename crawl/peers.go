package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
)

// A desk exchanges messages with other partitions: package exchange describes how. It is nil if
// there is one partition.
type desk struct {
	windows  *exchange.Port
	schedule exchange.Schedule
	slips    []slip
}

// A slip is a message that was made or applied by a record which may not be on disk yet.
type slip struct {
	part    int
	number  uint64
	applied bool  // it is a message of the other partition
	commit  int64 // the number of the commit that has its record
}

const (
	// resendAfter is the time after which a message is sent again that was not acknowledged.
	resendAfter = 2 * time.Second
	// entriesMost is the largest number of pages in a message.
	entriesMost = 4096
	// usualURL is a usual length of a URL, for the size of messages.
	usualURL = 64
)

// newDesk continues where the journal ends: messages that were not acknowledged are sent again.
func newDesk(s *session) *desk {
	if s.port == nil {
		return nil
	}
	d := &desk{windows: exchange.NewPort(s.port.Self, s.port.Of, resendAfter), schedule: exchange.InTime()}
	for i := range s.port.Of {
		_, acked, applied := s.state.Frontier.Messages(i)
		d.windows.Restore(i, acked, applied)
	}
	for _, x := range s.state.Letters {
		d.windows.Put(x.Part, x.Number, x.Bytes)
		d.windows.Release(x.Part, x.Number)
	}
	return d
}

// owes reports whether there is something to tell other partitions.
func (d *desk) owes(s *state.State) bool {
	_, of := s.Self()
	for i := range of {
		if s.Frontier.Pending(i) > 0 {
			return true
		}
	}
	return false
}

// converse takes the packets of other partitions, makes messages for them when it is time, and
// sends those whose records are on disk.
func (l *loop) converse(now time.Duration) {
	d := l.desk
	if d == nil {
		return
	}
	for _, p := range l.port.Bus.Receive() {
		l.receive(now, &p)
	}
	l.tell(now)
	for len(d.slips) > 0 && d.slips[0].commit <= l.commits {
		x := d.slips[0]
		if d.slips = d.slips[1:]; x.applied {
			d.windows.Settle(x.part, x.number)
		} else {
			d.windows.Release(x.part, x.number)
		}
	}
	d.windows.Due(now, func(part int, _ uint64, bytes []byte) {
		l.port.Bus.Send(part, port.Packet{From: l.port.Self, Bytes: bytes})
	}, func(part int, number uint64) {
		l.port.Bus.Send(part, port.Packet{From: l.port.Self, Applied: number})
	})
}

// receive takes a packet. A message for which there is no memory comes again.
func (l *loop) receive(now time.Duration, p *port.Packet) {
	d := l.desk
	if p.Bytes == nil {
		d.windows.Acked(p.From, p.Applied)
		return
	}
	m, err := exchange.Decode(p.Bytes)
	if err != nil || l.limits.ceiling.full() || d.windows.Receive(p.From, m.Number) != exchange.Apply {
		return
	}
	l.state.Link(l.begin(event.Linked, now), m)
	l.record()
	l.note(p.From, m.Number, true)
	l.admission.admitNearer(now)
}

// note remembers a message until the record that was just written is on disk.
func (l *loop) note(part int, number uint64, applied bool) {
	commit := l.commits + 1
	if l.busy {
		commit++
	}
	l.desk.slips = append(l.desk.slips, slip{part, number, applied, commit})
}

// tell makes messages: when it is time, for a partition about which there is much to tell, and
// when nothing is under way.
func (l *loop) tell(now time.Duration) {
	d, f := l.desk, l.state.Frontier
	if l.limits.stopped() {
		return
	}
	due := d.schedule.Due(int64(l.state.Active(now))) || l.crew.busy() == 0
	many := exchange.Full / exchange.EntryBytes(usualURL, f.Amounts())
	for i := range l.port.Of {
		n := f.Pending(i)
		if n == 0 || !due && n < many || !d.windows.Room(i) {
			continue
		}
		r := l.begin(event.Sent, now)
		e := &r.Event
		e.Part, e.Message, e.Acked, e.Most = uint16(i), d.windows.Next(i), d.windows.Acknowledged(i), entriesMost
		l.record()
		x := l.state.Letters[len(l.state.Letters)-1]
		d.windows.Put(i, x.Number, x.Bytes)
		l.note(i, x.Number, false)
	}
}

// alarm returns when there is something to send again, or to tell.
func (d *desk) alarm(now time.Duration, s *state.State) time.Duration {
	at := event.Never
	if d == nil {
		return at
	}
	if again, ok := d.windows.Wake(); ok {
		at = max(again, now+time.Millisecond)
	}
	if d.owes(s) {
		at = min(at, now+max(time.Millisecond, time.Duration(d.schedule.Next())-s.Active(now)))
	}
	return at
}

// hear obeys what all partitions are told: to stop, or to admit what gets its chance at the end of
// a crawl.
func (l *loop) hear(now time.Duration) error {
	if l.port == nil {
		return nil
	}
	w := l.port.Council.Hear()
	if w.Stop != "" {
		l.limits.stop(now, w.Stop)
	}
	relent := w.Relent > l.heard.Relent && !l.limits.stopped()
	if l.heard = w; !relent {
		return nil
	}
	more, err := l.admission.last(now)
	if more {
		l.weather.quiet = 0
	}
	return err
}

// say tells the other partitions how this one stands. It reports whether the session ends: it was
// told to stop, and nothing is under way.
func (l *loop) say(ask time.Duration) (end bool) {
	rests := l.crew.busy() == 0 && l.committed()
	down := l.weather.quiet != 0
	if !down {
		l.hopeless = false
	}
	sent, applied := l.desk.windows.Counters()
	r := port.Report{
		Sent: sent, Applied: applied,
		Fetched: l.fetched, Bytes: l.state.Bytes, Work: l.state.Next, Heard: l.heard,
		Idle: rests && (ask == event.Never || down) && !l.crew.short && !l.weather.outage.On() && !l.starves() && !l.desk.owes(l.state),
		Down: down, Hopeless: l.hopeless, Brings: l.config.Requisites && l.state.Requisites.Left() > 0,
	}
	if why := l.limits.stopping; why != whyReload && why != whyCommand {
		r.Stop = why
	}
	if r.Idle { // what it may fetch and does not need is for others
		l.limits.allowed = l.fetched
	}
	l.port.Council.Say(r)
	return rests && l.limits.stopped()
}

// starves reports whether there are pages to fetch, and other partitions have all that may still
// be fetched.
func (l *loop) starves() bool {
	return l.config.Pages > 0 && l.limits.used() >= l.limits.allowed && l.state.Frontier.Counts().Queued > 0
}
