package sim

import (
	"errors"
	"math"
	"math/bits"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// errParts reports a crawl that cannot be cut.
var errParts = errors.New("sim: a crawl that visits pages again, forgets or drops some, stops by a condition, keeps a record or repeats one cannot be cut into partitions")

// A part is one partition of a crawl.
type part struct {
	all   *parts
	self  int
	stale bool          // its offer must be asked for again
	ask   time.Duration // if there is none: when to ask again
}

// parts is a crawl that is cut into partitions by site. Each has a frontier and a policy of its own.
// They share the fetchers: the partition whose best page has the highest value is served, on the
// board that has the turn. What they
// have to tell each other is told whenever a hundredth of the time, or without a model of time of
// the pages, has passed that the crawl has taken so far, and when nothing else is left to do.
type parts struct {
	*pool
	of       []*crawl
	owner    []uint16 // by site of the world
	turns    exchange.Turns
	offers   []exchange.Offer // by partition: what it could fetch now
	schedule exchange.Schedule
	last     time.Duration // the last instant at which fetchers were served
}

// runParts runs a crawl of several partitions.
func runParts(w *World, o *Options) (*Result, error) {
	if o.Revisits != nil || o.Remember > 0 || o.KeepPages > 0 || o.Stop != nil || o.Record != nil || o.InStep || w.Recorded != nil && w.Times != nil {
		return nil, errParts
	}
	x := &parts{pool: &pool{}, schedule: exchange.InPages(), offers: make([]exchange.Offer, o.Partitions)}
	if w.Times != nil {
		x.schedule = exchange.InTime()
	}
	x.divide(w, o.Partitions)
	defer x.free()
	for i := range o.Partitions {
		c, err := newCrawl(w, o, x.pool, &part{all: x, self: i, stale: true})
		if err != nil {
			return nil, err
		}
		x.of = append(x.of, c)
	}
	x.of[0].seed()
	x.tell()
	if err := x.loop(o.Progress); err != nil {
		return nil, err
	}
	return x.result(), nil
}

// divide gives each site of the world to a partition.
func (x *parts) divide(w *World, of int) {
	x.owner = make([]uint16, w.sites())
	for s := range x.owner {
		if w.Partition != nil {
			x.owner[s] = uint16(w.Partition(graph.Site(s), of))
			continue
		}
		hi, _ := bits.Mul64(policy.Hash(0, uint64(s)), uint64(of))
		x.owner[s] = uint16(hi)
	}
}

func (x *parts) free() {
	for _, c := range x.of {
		c.free()
	}
}

// options sets what a frontier must know of its partition.
func (p *part) options(c *crawl, o *frontier.Options) {
	if p == nil {
		return
	}
	o.Partitions, o.Self = c.o.Partitions, p.self
	o.Owner = func(s graph.Site) int { return int(p.all.owner[c.site(s)]) }
}

// changed notes that the best page may be another one.
func (p *part) changed() {
	if p != nil {
		p.stale = true
	}
}

// bar returns that of a new page of a site of the world.
func (p *part) bar(s graph.Site) event.Bar {
	if int(p.all.owner[s]) == p.self {
		return event.NoBar
	}
	return event.BarForeign
}

// counts returns the numbers of what waits, in all partitions.
func (c *crawl) counts() frontier.Counts {
	if c.part == nil {
		return c.f.Counts()
	}
	var sum frontier.Counts
	for _, c := range c.part.all.of {
		n := c.f.Counts()
		sum.Queued += n.Queued
		sum.Polite += n.Polite
		sum.Parked += n.Parked
		sum.Pool += n.Pool
	}
	return sum
}

// loop runs the crawl to its end.
func (x *parts) loop(progress func(int) error) error {
	first := x.of[0]
	for turns := 1; ; turns++ {
		ask := x.handOut()
		at := first.nextStep()
		switch next := time.Duration(x.schedule.Next()); {
		case min(at, ask) == event.Never && !x.tell():
			return nil
		case first.over(min(ask, at)):
			return nil
		case min(at, ask) == event.Never:
			continue
		case first.w.Times != nil && next < min(at, ask) && x.pending():
			x.now = next
		case ask < at:
			x.now = ask
		default:
			x.now = at
			for first.nextStep() == at { // ends at one instant all count before the next hand-out
				first.advance()
			}
		}
		if x.schedule.Due(x.clock()) {
			x.tell()
		}
		if progress != nil && turns%x.rhythm == 0 {
			if err := progress(len(x.res.Order)); err != nil {
				return err
			}
		}
	}
}

// clock returns what the schedule counts.
func (x *parts) clock() int64 {
	if x.of[0].w.Times != nil {
		return int64(x.now)
	}
	return int64(len(x.res.Order))
}

// handOut hands tasks to idle fetchers. It returns the instant at which to call it again, Never when
// all are busy or nothing more is to be handed out.
func (x *parts) handOut() (ask time.Duration) {
	for len(x.idle) > 0 && x.left > 0 {
		c, board, some := x.choose()
		if !some {
			break
		}
		if len(x.of) == 1 {
			c.limit()
			board = -1
		}
		w, again, ok := c.f.NextOn(x.now, board)
		c.part.stale = true
		c.f.Polled()
		if ok {
			c.hire(w)
		} else {
			x.offers[c.part.self].Values = nil
			c.part.stale, c.part.ask = again <= x.now, again
		}
	}
	x.of[0].note()
	if len(x.idle) == 0 || x.left == 0 {
		return event.Never
	}
	ask = event.Never
	for i, c := range x.of {
		if len(x.offers[i].Values) == 0 {
			ask = min(ask, c.part.ask)
		}
	}
	return ask
}

// choose returns the partition that is served, and the board that chooses its page; none if nothing
// may be fetched now.
func (x *parts) choose() (c *crawl, board int, ok bool) {
	late := x.now > x.last
	x.last = x.now
	for i, c := range x.of {
		if c.part.stale || late {
			c.refresh(&x.offers[i])
		}
	}
	i, board, ok := x.turns.Next(x.offers)
	return x.of[i], board, ok
}

// refresh asks a partition for what it could fetch.
func (c *crawl) refresh(o *exchange.Offer) {
	p := c.part
	o.Values = c.f.Best(c.now, o.Values[:0])
	o.Shares = append(o.Shares[:0], c.f.Shares()...)
	p.stale, p.ask = false, event.Never
	if len(o.Values) == 0 {
		_, p.ask, _ = c.f.Next(c.now)
	}
	c.f.Polled()
}

// pending reports whether a partition has something to tell.
func (x *parts) pending() bool {
	for _, c := range x.of {
		for to := range x.of {
			if c.f.Pending(to) > 0 {
				return true
			}
		}
	}
	return false
}

// tell lets all partitions tell each other what they have gathered, and reports whether they had
// anything to tell.
func (x *parts) tell() (any bool) {
	for from, c := range x.of {
		for to, other := range x.of {
			if c.f.Pending(to) > 0 {
				x.send(c, from, other, to)
				any = true
			}
		}
	}
	return any
}

// send makes a message and applies it.
func (x *parts) send(c *crawl, from int, other *crawl, to int) {
	sent, _, _ := c.f.Messages(to)
	c.f.Apply(x.now, &event.Event{Kind: event.Sent, Exchange: event.Exchange{Part: uint16(to), Message: sent + 1, Acked: sent, Most: math.MaxUint32}})
	list, amounts := c.f.Drained()
	e := &other.event
	*e = event.Event{Kind: event.Linked, New: e.New[:0], Bars: e.Bars[:0], Links: e.Links[:0],
		Exchange: event.Exchange{Part: uint16(from), Message: sent + 1, Gifts: e.Gifts[:0], Amounts: append(e.Amounts[:0], amounts...), Lessons: append(e.Lessons[:0], c.f.Lessons()...)}}
	for _, d := range list {
		e.Links = append(e.Links, other.discover(c.page(d.Page)))
		e.Gifts = append(e.Gifts, d.Gift)
	}
	other.apply()
	c.part.stale, other.part.stale = true, true
	x.res.Messages++
	x.res.Told += len(list)
	x.res.Said += int64(len(list)*exchange.EntryBytes(0, c.f.Amounts()) + 4*len(e.Lessons))
}

func (x *parts) result() *Result {
	x.res.Took = x.now - x.stopped
	for _, c := range x.of {
		for s := range c.f.Sites() {
			if c.f.Partition(graph.Site(s)) == c.part.self {
				x.res.Sites++
			}
		}
		_, bars, _ := c.f.Census()
		x.res.Known += c.f.Pages() - int(bars[event.BarForeign])
		x.res.Foreign += int(bars[event.BarForeign])
		x.res.Memory += c.f.Bytes()
	}
	x.res.Notes = x.of[0].f.Notes()
	x.of[0].note()
	return &x.res
}
