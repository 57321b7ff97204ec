package frontier

import (
	"fmt"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// exchange holds what a partition of a crawl is to tell the others about their pages. It is nil if
// the crawl is not cut into partitions: see Options.Partitions.
//
// A page of another partition is foreign: it is known here, with the bar foreign, and counts for
// what links to it. Links to it are gathered, and so is what policies hand on with them, until a
// message takes them away (Sent). The partition of the page applies the message (Linked). Pages
// wait for a message in one list for each partition, in the order in which there was first
// something to tell. What a message has follows from the events before it, so a replay makes it
// again.
type exchange struct {
	self     int
	policies []policy.Exchanger
	teachers []policy.Teacher
	width    int                   // amounts of a page
	owner    *graph.Column[uint16] // by site: its partition
	next     *graph.Column[uint32] // by page: the next one of its list plus 2, 1 at the end of it, 0 in none
	links    *graph.Column[uint32] // by page: links to it since the last message; see toldBit
	pairs    *graph.Column[uint64] // by partition: see pairFirst
	drained  []Drained             // of the last message
	amounts  []float64             // the same
	lessons  []float32             // the same
	depths   []uint16              // scratch: of the new pages of a message
	place    []uint32              // scratch: their places in it
	told     []graph.Site          // see Frontier.Told
}

// toldBit is set in exchange.links if a message has named the page.
const toldBit = 1 << 31

// The numbers that exchange.pairs has of each partition.
const (
	pairFirst   = iota // first page of its list plus 2, 0 if there is none
	pairLast           // last page of it
	pairPages          // pages of it
	pairSent           // number of the last message to it
	pairAcked          // and of the last one that it is known to have applied
	pairApplied        // number of the last message from it that was applied
	pairNumbers
)

// A Drained page is one about which a message tells.
type Drained struct {
	Page graph.Page
	event.Gift
	First bool // no message has named it before
}

func newExchange(set *graph.Set, o *Options) *exchange {
	if o.Partitions == 0 {
		return nil
	}
	x := &exchange{self: o.Self}
	x.owner = graph.NewColumnIn[uint16](set, "site partitions", o.MaxSites)
	x.next = graph.NewColumnIn[uint32](set, "exchange lists", o.MaxPages)
	x.links = graph.NewColumnIn[uint32](set, "exchange links", o.MaxPages)
	x.pairs = graph.NewColumnIn[uint64](set, "exchange pairs", pairNumbers*o.Partitions)
	x.pairs.Grow(pairNumbers * o.Partitions)
	return x
}

// adopt notes a policy that has something to hand on.
func (x *exchange) adopt(p policy.Policy) {
	if e, ok := p.(policy.Exchanger); x != nil && ok {
		x.policies = append(x.policies, e)
		x.width += e.Amounts()
	}
	if t, ok := p.(policy.Teacher); x != nil && ok && len(x.teachers) == 0 {
		x.teachers = append(x.teachers, t)
	}
}

// addSite makes the next site known as one of a partition.
func (x *exchange) addSite(part int) {
	if x != nil {
		x.owner.Append(uint16(part))
	}
}

// foreign reports whether s is a site of another partition.
func (x *exchange) foreign(s graph.Site) bool { return x != nil && int(x.owner.At(int(s))) != x.self }

// pair returns the numbers of a partition.
func (x *exchange) pair(part int) []uint64 {
	return x.pairs.Slice()[part*pairNumbers:][:pairNumbers]
}

// note adds links to p, which is foreign and of a partition. p waits for the next message.
func (x *exchange) note(p graph.Page, part int, links uint32) {
	x.next.Grow(int(p) + 1)
	x.links.Grow(int(p) + 1)
	at := &x.links.Slice()[p]
	*at = *at&toldBit | min(*at&^toldBit+links, toldBit-1)
	if x.next.At(int(p)) != 0 {
		return
	}
	x.next.Set(int(p), 1)
	pair := x.pair(part)
	if pair[pairFirst] == 0 {
		pair[pairFirst] = uint64(p) + 2
	} else {
		x.next.Set(int(pair[pairLast]), uint32(p)+2)
	}
	pair[pairLast] = uint64(p)
	pair[pairPages]++
}

// take takes the first page off the list of a partition.
func (x *exchange) take(pair []uint64) (p graph.Page, d Drained) {
	p = graph.Page(pair[pairFirst] - 2)
	if pair[pairFirst] = uint64(x.next.At(int(p))); pair[pairFirst] == 1 {
		pair[pairFirst] = 0
	}
	pair[pairPages]--
	x.next.Set(int(p), 0)
	links := x.links.At(int(p))
	x.links.Set(int(p), toldBit)
	return p, Drained{Page: p, Gift: event.Gift{Links: links &^ toldBit}, First: links&toldBit == 0}
}

// give appends what the policies hand on to p.
func (x *exchange) give(p graph.Page) {
	n := len(x.amounts)
	x.amounts = append(x.amounts, make([]float64, x.width)...)
	for _, e := range x.policies {
		e.Give(p, x.amounts[n:][:e.Amounts()])
		n += e.Amounts()
	}
}

// receive lets the policies of p, a page of this partition, have what others handed on.
func (x *exchange) receive(p graph.Page, links uint32, amounts []float64) {
	for _, e := range x.policies {
		e.Take(p, int(links), amounts[:e.Amounts()])
		amounts = amounts[e.Amounts():]
	}
}

// note notes something to tell about p if it is foreign.
func (x *pages) note(p graph.Page, links uint32) {
	if x.exchange != nil && x.bar(p) == event.BarForeign {
		x.exchange.note(p, int(x.exchange.owner.At(int(x.orders.site(p)))), links)
	}
}

// noteLinks notes the links of a fetched page to foreign ones. Those of a second visit do not
// count, but policies may hand something on with them.
func (x *pages) noteLinks(e *event.Event, first bool) {
	if x.exchange == nil {
		return
	}
	links := uint32(0)
	if first && !e.Again && !e.Class.Failed() {
		links = 1
	}
	for _, p := range e.Links {
		x.note(p, links)
	}
}

// sent makes a message.
func (f *Frontier) sent(e *event.Event) {
	x := f.pages.exchange
	x.drained, x.amounts = x.drained[:0], x.amounts[:0]
	pair := x.pair(int(e.Part))
	for pair[pairFirst] != 0 && len(x.drained) < int(e.Most) {
		p, d := x.take(pair)
		d.Depth, d.Near = f.pages.depth.At(int(p)), bit(f.orders.nears, uint32(p))
		x.drained = append(x.drained, d)
		x.give(p)
	}
	x.lessons = x.lessons[:0]
	for _, t := range x.teachers {
		x.lessons = t.Teach(int(e.Part), x.lessons)
	}
	pair[pairSent], pair[pairAcked] = e.Message, e.Acked
}

// linked applies a message.
func (f *Frontier) linked(now time.Duration, e *event.Event) {
	x, first, sites := f.pages.exchange, graph.Page(f.Pages()), f.Sites()
	x.depths, x.place = x.depths[:0], x.place[:0]
	for range e.New {
		x.depths, x.place = append(x.depths, MaxDepth), append(x.place, 0)
	}
	for i, p := range e.Links {
		switch {
		case p >= first && e.Gifts[i].Near:
			f.orders.discountNew(int(p), 1)
			fallthrough
		case p >= first:
			x.depths[p-first], x.place[p-first] = e.Gifts[i].Depth, uint32(i)+1
		case !e.Gifts[i].Near:
			f.orders.liftNear(e.Links[i : i+1])
		}
	}
	f.pages.knowAt(e)
	f.sites.told(now, sites)
	for i, p := range e.Links {
		if f.o.Depths {
			f.pages.bringNearer(p, e.Gifts[i].Depth)
		}
		x.receive(p, e.Gifts[i].Links, e.Amounts[i*x.width:])
	}
	for _, t := range x.teachers {
		if len(e.Lessons) > 0 {
			t.Learn(int(e.Part), e.Lessons)
		}
	}
	x.pair(int(e.Part))[pairApplied] = e.Message
}

// foretell lets the policies know what others hand on with a page that is not known yet: the one at
// a place in the message, from 1 on.
func (x *exchange) foretell(e *event.Event, place int) {
	if place == 0 {
		return
	}
	amounts := e.Amounts[(place-1)*x.width:]
	for _, p := range x.policies {
		if t, ok := p.(policy.Foreteller); ok {
			t.Foretell(amounts[:p.Amounts()])
		}
		amounts = amounts[p.Amounts():]
	}
}

// knowAt makes the new pages of a message known, each with its depth, and admits others.
func (x *pages) knowAt(e *event.Event) {
	for i, s := range e.New {
		bar := event.NoBar
		if len(e.Bars) > 0 {
			bar = e.Bars[i]
		}
		x.exchange.foretell(e, int(x.exchange.place[i]))
		x.add(s, graph.NoPage, x.exchange.depths[i], bar)
	}
	x.admit(e.Admit, MaxDepth)
}

// Pending returns the number of pages of a partition about which there is something to tell; one more
// if there is something to learn from.
func (f *Frontier) Pending(part int) int {
	x := f.pages.exchange
	if x == nil || part == x.self {
		return 0
	}
	n := int(x.pair(part)[pairPages])
	for _, t := range x.teachers {
		if t.Teaches(part) {
			n++
		}
	}
	return n
}

// Lessons returns what others are to learn from by the message that the last event Sent made. They
// are valid until the next event.
func (f *Frontier) Lessons() []float32 { return f.pages.exchange.lessons }

// Drained returns what the message has that the last event Sent made: its pages, and
// Frontier.Amounts numbers for each, as in event.Exchange. Both are valid until the next event.
func (f *Frontier) Drained() (list []Drained, amounts []float64) {
	return f.pages.exchange.drained, f.pages.exchange.amounts
}

// Amounts returns how many numbers the policies hand on with a page.
func (f *Frontier) Amounts() int {
	if f.pages.exchange == nil {
		return 0
	}
	return f.pages.exchange.width
}

// Messages returns the numbers of the last message to a partition, of the last one of these that it
// is known to have applied, and of the last message from it that was applied here.
func (f *Frontier) Messages(part int) (sent, acked, applied uint64) {
	pair := f.pages.exchange.pair(part)
	return pair[pairSent], pair[pairAcked], pair[pairApplied]
}

// Partition returns the partition of a site, 0 if there is one only.
func (f *Frontier) Partition(s graph.Site) int {
	if f.pages.exchange == nil {
		return 0
	}
	return int(f.pages.exchange.owner.At(int(s)))
}

// Foreign reports whether p is a page of another partition.
func (f *Frontier) Foreign(p graph.Page) bool { return f.pages.exchange.foreign(f.Site(p)) }

// Best appends to values, for each board that has turns, the value of the best page that it could
// hand out, -Inf if it has none. Values are on a scale that all partitions share, as far as the
// policy knows one. Nothing is appended if nothing can be handed out. Requests without a page, such
// as a robots.txt that moved, go first. Like Next it may change the state: see Polled.
func (f *Frontier) Best(now time.Duration, values []float64) []float64 {
	return f.tasks.best(now, values)
}

// Shares returns the shares of the turns that the boards have by the policy, which may be nil. They
// are valid until the next event.
func (f *Frontier) Shares() []float64 {
	if s, ok := f.policies.all[0].(policy.Sharer); ok && f.orders.sitesBy < 0 {
		return s.Shares()
	}
	return nil
}

// NextOn does what Next does, but lets a board choose the page, whoever has the turn; below 0 it is
// Next.
func (f *Frontier) NextOn(now time.Duration, board int) (w event.Task, ask time.Duration, ok bool) {
	if f.tasks.turns() > 1 {
		f.orders.lead = max(0, board+1)
	}
	w, ask, ok = f.Next(now)
	f.orders.lead = 0
	return w, ask, ok
}

// best implements Frontier.Best.
func (x *dispatcher) best(now time.Duration, values []float64) []float64 {
	woke := x.pages.wake(now)
	w, ok := x.candidate(now)
	if x.polled = x.polled || woke; x.polled {
		x.sites.now = now // as the event Polled does
	}
	if !ok {
		return values
	}
	boards := x.turns()
	_, some := x.orders.first(w.Board, w.Site)
	for b := range boards {
		values = append(values, math.Inf(-1))
		if !some {
			values[len(values)-1] = math.Inf(1)
		} else if p, ok := x.top(b, w); ok {
			values[len(values)-1] = x.level(p, b)
		}
	}
	return values
}

// turns returns the number of boards that have turns over all partitions.
func (x *dispatcher) turns() int {
	if _, ok := x.policies.all[0].(policy.Sharer); ok && x.orders.sitesBy < 0 {
		return len(x.orders.boards)
	}
	return 1
}

// top returns the best page of a board, or the one of the task that is next if others choose the
// sites.
func (x *dispatcher) top(board int, next event.Task) (p graph.Page, ok bool) {
	if x.orders.sitesBy >= 0 {
		return x.orders.first(next.Board, next.Site)
	}
	s, ok := x.orders.boards[board].active.Best()
	if !ok {
		return 0, false
	}
	return x.orders.first(uint8(board), s)
}

// level returns what p, which waits, is worth on a board compared with the pages of other
// partitions.
func (x *dispatcher) level(p graph.Page, board int) float64 {
	if l, ok := x.policies.all[0].(policy.Leveler); ok {
		return l.Level(p, board)
	}
	return x.orders.boards[board].active.Value(p)
}

// asked lets a robots.txt be fetched for another partition.
func (x *sites) asked(now time.Duration, e *event.Event) {
	sites := x.len()
	for _, s := range e.Needs {
		if int(s) == x.len() {
			x.add()
		}
	}
	x.told(now, sites)
	if e.Bar == event.NoBar {
		x.endHop(e.Needs[0])
		x.move(now, e.Needs[0], e.Needs[1])
	}
}

// told holds the sites of this partition that a message has made known, from a number on, until its
// record is on disk. If that is lost, the message comes again, perhaps at once, and nothing else
// shows that the site was requested before.
func (x *sites) told(now time.Duration, from int) {
	list := x.exchange.told[:0]
	for i := from; i < x.len(); i++ {
		if s := graph.Site(i); !x.exchange.foreign(s) {
			list = append(list, s)
			x.unsettle(s)
			x.reoffer(now, s)
		}
	}
	x.exchange.told = list
}

// Told returns the sites that the last event Linked or Asked, or Needed without a page, has made known. With Options.Hold
// Settle is due for them when its record is on disk. They are valid until the next event.
func (f *Frontier) Told() []graph.Site {
	if x := f.pages.exchange; x != nil {
		return x.told
	}
	return nil
}

// asked checks that the robots.txt is one of another partition.
func (c *checker) asked() error {
	e, x := c.e, c.f.sites.exchange
	if x == nil || len(e.Needs) != 2 {
		return fmt.Errorf("no partition asks for a robots.txt")
	}
	if s := e.Needs[0]; int(s) < c.f.Sites() && !x.foreign(s) || int(e.Needs[1]) < c.f.Sites() && x.foreign(e.Needs[1]) {
		return fmt.Errorf("the robots.txt of site %d did not move to this partition", s)
	}
	return c.sites(e.Needs)
}

// Asks returns the site of another partition to which the robots.txt of s has moved, if it waits for
// that partition.
func (f *Frontier) Asks(s graph.Site) (t graph.Site, ok bool) {
	t, ok = f.sites.hops.target[s]
	return t, ok && f.sites.exchange.foreign(t)
}

// exchangeOf checks what both events of the exchange have.
func (c *checker) exchangeOf() error {
	f, e := c.f, c.e
	switch x := f.pages.exchange; {
	case x == nil:
		return fmt.Errorf("the crawl has one partition")
	case int(e.Part) >= f.o.Partitions || int(e.Part) == x.self:
		return fmt.Errorf("partition %d has no messages for partition %d of %d", e.Part, x.self, f.o.Partitions)
	case e.Kind == event.Sent && e.Message <= x.pair(int(e.Part))[pairSent],
		e.Kind == event.Linked && e.Message <= x.pair(int(e.Part))[pairApplied]:
		return fmt.Errorf("there was a message %d of partition %d before", e.Message, e.Part)
	case e.Acked >= e.Message:
		return fmt.Errorf("message %d is applied before it is made", e.Acked)
	}
	return nil
}

// parts checks that new pages of known sites are foreign if their sites are, and only then.
func (c *checker) parts() error {
	for i, s := range c.e.New {
		bar := event.NoBar
		if len(c.e.Bars) > 0 {
			bar = c.e.Bars[i]
		}
		if int(s) >= c.f.Sites() || bar != event.NoBar && bar != event.BarForeign {
			continue
		}
		if c.f.pages.exchange.foreign(s) != (bar == event.BarForeign) {
			return fmt.Errorf("a new page of site %d, which is of partition %d, has the bar %v", s, c.f.Partition(s), bar)
		}
	}
	return nil
}

// linked checks a message that is applied.
func (c *checker) linked() error {
	f, e := c.f, c.e
	if err := c.exchangeOf(); err != nil {
		return err
	}
	if len(e.Gifts) != len(e.Links) || len(e.Amounts) != f.Amounts()*len(e.Links) {
		return fmt.Errorf("%d gifts and %d amounts for %d pages", len(e.Gifts), len(e.Amounts), len(e.Links))
	}
	for _, v := range e.Amounts {
		if v-v != 0 {
			return fmt.Errorf("the amount %v is not finite", v)
		}
	}
	if err := c.new(); err != nil {
		return err
	}
	if err := c.known(e.Links); err != nil {
		return err
	}
	for _, p := range e.Links {
		if int(p) < f.Pages() && f.Foreign(p) {
			return fmt.Errorf("page %d is of partition %d", p, f.Partition(f.Site(p)))
		}
	}
	return nil
}
