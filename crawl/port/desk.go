package port

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
)

// A Desk exchanges messages with other partitions: package exchange describes how. It is nil if
// there is one partition.
type Desk struct {
	port     *Port
	state    *state.State
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

// NewDesk continues where the journal ends: messages that were not acknowledged are sent again.
func NewDesk(p *Port, s *state.State) *Desk {
	if p == nil {
		return nil
	}
	d := &Desk{port: p, state: s, windows: exchange.NewPort(p.Self, p.Of, resendAfter), schedule: exchange.InTime()}
	for i := range p.Of {
		_, acked, applied := s.Frontier.Messages(i)
		d.windows.Restore(i, acked, applied)
	}
	for _, x := range s.Letters {
		d.windows.Put(x.Part, x.Number, x.Bytes)
		d.windows.Release(x.Part, x.Number)
	}
	return d
}

// Owes reports whether there is something to tell other partitions.
func (d *Desk) Owes() bool {
	for i := range d.port.Of {
		if d.state.Pending(i) > 0 {
			return true
		}
	}
	return false
}

// Counters returns how many messages were made, and how many were applied and are on disk.
func (d *Desk) Counters() (sent, applied uint64) { return d.windows.Counters() }

// Receive takes the packets that have arrived. It calls apply for the messages that are to be
// applied. Those for which there is no room come again.
func (d *Desk) Receive(room func() bool, apply func(m *exchange.Message)) {
	for _, p := range d.port.Bus.Receive() {
		if p.Bytes == nil {
			d.windows.Acked(p.From, p.Applied)
			continue
		}
		m, err := exchange.Decode(p.Bytes)
		if err == nil && room() && d.windows.Receive(p.From, m.Number) == exchange.Apply {
			apply(m)
		}
	}
}

// Tell calls make for the messages that are to be made: when it is time, for a partition about
// which there is much to tell, and when the partition is idle. make records the event Sent.
func (d *Desk) Tell(now time.Duration, idle bool, make func(event.Exchange)) {
	f := d.state.Frontier
	due := d.schedule.Due(int64(d.state.Active(now))) || idle
	many := exchange.Full / exchange.EntryBytes(usualURL, f.Amounts())
	for i := range d.port.Of {
		n := d.state.Pending(i)
		if n == 0 || !due && n < many && !d.state.Mail.Urgent(i) || !d.windows.Room(i) {
			continue
		}
		make(event.Exchange{Part: uint16(i), Message: d.windows.Next(i), Acked: d.windows.Acknowledged(i), Most: entriesMost})
		x := d.state.Letters[len(d.state.Letters)-1]
		d.windows.Put(i, x.Number, x.Bytes)
	}
}

// Note remembers a message until a commit has the record that was just written.
func (d *Desk) Note(x *event.Exchange, applied bool, commit int64) {
	d.slips = append(d.slips, slip{int(x.Part), x.Message, applied, commit})
}

// Send sends the messages whose records are on disk, and acknowledges those that were applied by
// records on disk. commits is the number of commits so far.
func (d *Desk) Send(now time.Duration, commits int64) {
	for len(d.slips) > 0 && d.slips[0].commit <= commits {
		x := d.slips[0]
		if d.slips = d.slips[1:]; x.applied {
			d.windows.Settle(x.part, x.number)
		} else {
			d.windows.Release(x.part, x.number)
		}
	}
	d.windows.Due(now, func(part int, _ uint64, bytes []byte) {
		d.port.Bus.Send(part, Packet{From: d.port.Self, Bytes: bytes})
	}, func(part int, number uint64) {
		d.port.Bus.Send(part, Packet{From: d.port.Self, Applied: number})
	})
}

// Alarm returns when there is something to send again, or to tell.
func (d *Desk) Alarm(now time.Duration) time.Duration {
	at := event.Never
	if d == nil {
		return at
	}
	if again, ok := d.windows.Wake(); ok {
		at = max(again, now+time.Millisecond)
	}
	if d.Owes() {
		at = min(at, now+max(time.Millisecond, time.Duration(d.schedule.Next())-d.state.Active(now)))
	}
	return at
}
