package sim

import (
	"cmp"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A step is the next thing that happens to a fetcher.
type step struct {
	at      time.Duration
	task    event.Task
	fetcher uint32
	body    bool   // its body begins to arrive
	whole   bool   // its body is there; with neither of both its task ends
	number  uint32 // of its answer in a recording; 0: it is not in one
	turn    uint32 // of the answer
}

// before orders steps: by instant, and those of the same instant as they were recorded, or by
// site and page.
func (a *step) before(b *step) bool {
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.number != b.number:
		return a.number-1 < b.number-1 // recorded ones first
	case a.task.Site != b.task.Site:
		return a.task.Site < b.task.Site
	}
	return a.task.Page < b.task.Page
}

// schedule is a heap of steps, the earliest first. There is at most one a fetcher.
type schedule []step

func (h *schedule) push(s step) {
	*h = append(*h, s)
	a := *h
	i := len(a) - 1
	for i > 0 && s.before(&a[(i-1)/2]) {
		a[i] = a[(i-1)/2]
		i = (i - 1) / 2
	}
	a[i] = s
}

func (h *schedule) pop() step {
	a := *h
	top, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	if len(a) == 0 {
		return top
	}
	i := 0
	for 2*i+1 < len(a) {
		j := 2*i + 1
		if j+1 < len(a) && a[j+1].before(&a[j]) {
			j++
		}
		if !a[j].before(&last) {
			break
		}
		a[i] = a[j]
		i = j
	}
	a[i] = last
	return top
}

// loop runs the crawl to its end.
func (c *crawl) loop() error {
	for turns := 1; ; turns++ {
		look := c.look()
		ask := min(c.handOut(), look)
		at, mark := min(c.nextStep(), c.player.nextAct()), c.player.nextMark()
		if min(at, mark) == event.Never && (ask == event.Never || c.player.ended()) {
			return nil
		}
		if c.over(min(ask, at, mark)) {
			return nil
		}
		if ask <= mark && (ask < at || ask == at && c.precedes(ask)) { // a mark follows what is handed out
			if c.now = ask; ask == at {
				c.act()
			}
			continue
		}
		late := mark < at
		at = min(at, mark)
		c.now = at
		turn := c.nextTurn()
		for c.nextStep() == at && c.nextTurn() == turn { // ends at one instant all count before the next hand-out
			c.advance()
		}
		if c.player != nil {
			c.act()
			c.pass(late)
		}
		if c.o.Progress != nil && turns%c.rhythm == 0 {
			if err := c.o.Progress(len(c.res.Order)); err != nil {
				return err
			}
		}
	}
}

// precedes reports whether the recorded crawl handed out tasks at an instant, which is yet to
// come, before the next step, which has the same instant.
func (c *crawl) precedes(at time.Duration) bool {
	return c.inStep && c.now < at && c.nextTurn() > c.turn
}

// handOut hands tasks to idle fetchers. It returns the instant at which to call it again,
// Never when all are busy or nothing more is to be handed out.
func (c *crawl) handOut() (ask time.Duration) {
	if c.inStep {
		if ask = c.repeatTurns(); c.inStep {
			c.note()
			return ask
		}
	}
	c.forget()
	ask = event.Never
	for len(c.idle) > 0 && c.mayHandOut() {
		c.limit()
		w, again, ok := c.f.Next(c.now)
		if c.o.Record != nil {
			c.recordRefusals()
		}
		if !ok {
			c.polled()
			ask = again
			break
		}
		c.hire(w)
	}
	c.note()
	return ask
}

// mayFetch reports whether a page may be handed out.
func (c *crawl) mayFetch() bool { return c.left > 0 && c.player.allows() && c.player.mayFetch() }

// mayHandOut reports whether a task may be handed out. The requisites of pages follow the last page.
func (c *crawl) mayHandOut() bool {
	return c.mayFetch() || c.o.Frontier.Requisites && c.player.allows() && c.f.Counts().Requisites > 0
}

// limit tells the frontier how many pages are left, if that is limited.
func (c *crawl) limit() {
	switch {
	case !c.mayFetch():
		c.f.Limit(0)
	case c.o.MaxPages > 0:
		c.f.Limit(c.left)
	default:
		c.f.Limit(-1)
	}
}

// hire lets an idle fetcher begin a task.
func (c *crawl) hire(w event.Task) {
	i := c.idle[len(c.idle)-1]
	c.idle = c.idle[:len(c.idle)-1]
	c.fetchers[i].requests = 0
	c.start(i, w)
}

// polled records a hand-out without a task, if it changed anything.
func (c *crawl) polled() {
	if !c.f.Polled() {
		return
	}
	if c.o.Record != nil {
		c.o.Record(c.now, &event.Event{Kind: event.Polled})
	}
}

// start begins a task.
func (c *crawl) start(i uint32, w event.Task) {
	if c.o.Record != nil {
		c.o.Record(c.now, &event.Event{Kind: event.Took, Task: w})
	}
	if w.Kind == event.Fetch {
		c.left--
	}
	c.res.Requests++
	f := &c.fetchers[i]
	*f = fetcher{task: w, crawl: c, start: c.now, requests: f.requests + 1, open: f.requests > 0}
	c.ask(f)
	if c.lines != nil && w.Kind != event.Resolve {
		f.open = c.lines.Begin(c.now, w.Site)
		c.lines.Closed()
	}
	if c.w.Times == nil {
		if w.Kind == event.Fetch && c.w.Size != nil {
			f.bytes = c.w.Size(c.page(w.Page))
		}
		c.ends.push(step{at: c.now, task: w, fetcher: i})
		return
	}
	if c.player != nil {
		c.startRecorded(i, f)
		return
	}
	before := c.phases(f)
	if c.line == nil || f.bytes == 0 {
		body := time.Duration(0)
		if f.bytes > 0 {
			body = TransferTime(float64(f.bytes), c.w.Times.Speed(c.site(w.Site)))
		}
		if c.cpu != nil {
			c.ends.push(step{at: c.now + before + body, task: w, fetcher: i, whole: true})
			return
		}
		c.ends.push(step{at: c.now + before + body + f.after, task: w, fetcher: i})
		return
	}
	c.ends.push(step{at: c.now + before, task: w, fetcher: i, body: true})
}

// phases sets the size of what a fetcher transfers and the time it takes afterwards,
// and returns the time before. Without kept connections one is made in an acquisition, and
// closed after the last page that it may serve.
func (c *crawl) phases(f *fetcher) (before time.Duration) {
	t, s := c.w.Times, c.site(f.task.Site)
	switch f.task.Kind {
	case event.Resolve:
		return t.Resolve(s, 0)
	case event.Robots:
		f.bytes = t.RobotsSize(s)
		before = t.FirstByte(s, graph.NoPage, 0)
		if !f.open {
			before += t.Connect(s, 0)
		}
		if c.lines == nil {
			f.after = t.Close(s, 0)
		}
		return before
	}
	p := c.page(f.task.Page)
	if !f.same {
		f.bytes = c.size(p)
	}
	n := c.tries[p]
	connect, answer := time.Duration(0), t.FirstByte(s, p, n)
	if !f.open {
		connect = t.Connect(s, uint32(p)^n*again)
	}
	if before, f.gaveUp = c.await(connect, answer); f.gaveUp {
		f.bytes = 0
		return before
	}
	if c.lines == nil && int(f.requests) >= c.o.Frontier.PerConnection {
		f.after = t.Close(s, uint32(p))
	}
	return before
}

// size returns the bytes of a page as the world knows them, else as the model draws them.
func (c *crawl) size(p graph.Page) int64 {
	if c.w.Size != nil {
		if n := c.w.Size(p); n > 0 {
			return n
		}
	}
	return c.w.Times.Size(p)
}

// again makes the connection of another attempt another one.
const again = 0x9e3779b9

// await returns how long a fetcher waits for a page of which the connection and the answer take so
// long, and whether it gives up.
func (c *crawl) await(connect, answer time.Duration) (before time.Duration, gaveUp bool) {
	limit := c.o.Patience
	switch {
	case c.visits != nil:
	case limit.Connect > 0 && connect > limit.Connect:
		return limit.Connect, true
	case limit.FirstByte > 0 && answer > limit.FirstByte:
		return connect + limit.FirstByte, true
	}
	return connect + answer, false
}

// giveUp ends an attempt without an answer.
func (c *crawl) giveUp(f *fetcher) {
	p := c.page(f.task.Page)
	c.event.Class, c.event.Again = event.Timeout, int(c.tries[p]) < c.o.Patience.Retries
	c.tries[p]++
	c.left++
	if c.res.Timeouts++; !c.event.Again {
		c.res.Lost++
	}
}

// nextStep returns the instant of the next step.
func (c *crawl) nextStep() time.Duration {
	at := event.Never
	if len(c.ends) > 0 {
		at = c.ends[0].at
	}
	for _, l := range []*Line{c.line, c.cpu} {
		if l == nil {
			continue
		}
		if t, _, ok := l.Next(); ok {
			at = min(at, t)
		}
	}
	return at
}

// nextTurn returns the recorded turn of the next step.
func (c *crawl) nextTurn() uint32 {
	if len(c.ends) == 0 {
		return 0
	}
	return c.ends[0].turn
}

// advance does the next step.
func (c *crawl) advance() {
	if c.line != nil {
		if t, i, ok := c.line.Next(); ok && (len(c.ends) == 0 || t <= c.ends[0].at) {
			if u, _, busy := c.working(); !busy || t <= u {
				c.line.End(t, i)
				c.process(t, i, &c.fetchers[i])
				return
			}
		}
	}
	if t, i, ok := c.working(); ok && (len(c.ends) == 0 || t <= c.ends[0].at) {
		c.cpu.End(t, i)
		f := &c.fetchers[i]
		c.ends.push(step{at: t + f.after, task: f.task, fetcher: i})
		return
	}
	s := c.ends.pop()
	f := &c.fetchers[s.fetcher]
	if s.body {
		c.line.Start(s.at, s.fetcher, f.bytes, f.crawl.speed(f))
		return
	}
	if s.whole {
		c.process(s.at, s.fetcher, f)
		return
	}
	f.crawl.end(s.fetcher, f)
}

// working returns when the first of the fetchers that use processors is ready, and which.
func (c *crawl) working() (at time.Duration, i uint32, ok bool) {
	if c.cpu == nil {
		return 0, 0, false
	}
	return c.cpu.Next()
}

// end ends the task of a fetcher: it applies its event, and takes the next page of the site
// or leaves the fetcher idle.
func (c *crawl) end(i uint32, f *fetcher) {
	w := f.task
	if c.player != nil {
		c.endRecorded(f)
	} else {
		c.endModelled(f)
	}
	c.apply()
	c.part.changed()
	if c.lines != nil && w.Kind != event.Resolve {
		c.lines.End(c.now, w.Site, c.rest(f))
		c.lines.Closed()
	}
	if c.player != nil {
		c.settle(f)
		c.player.cause(f.number)
		c.follow(f.number)
	}
	if w.Kind == event.Fetch && c.mayFetch() {
		w, ok := c.f.More(c.now, w.Site)
		if c.o.Record != nil {
			c.recordRefusals()
		}
		if ok {
			c.start(i, w)
			return
		}
	}
	c.idle = append(c.idle, i)
}

// endModelled makes the event of a task whose answer follows from the model.
func (c *crawl) endModelled(f *fetcher) {
	w := f.task
	c.event.Read.Reset()
	c.event = event.Event{Task: event.Task{Site: w.Site, Page: w.Page}, New: c.event.New[:0], Bars: c.event.Bars[:0], Links: c.event.Links[:0],
		Start: f.start, End: cmp.Or(f.arrived, c.now), Bytes: f.bytes, Read: c.event.Read}
	switch w.Kind {
	case event.Resolve:
		c.event.Kind, c.event.Address = event.Resolved, uint32(w.Site)+1
	case event.Robots:
		c.event.Kind, c.event.For = event.Ruled, w.For
	case event.Fetch:
		c.event.Kind = event.Done
		if f.gaveUp {
			c.giveUp(f)
			return
		}
		c.event.Keep = c.left > 0 && c.f.Continues(w.Site)
		c.arrive(f)
	}
}

// rest returns the time for which the connection of a task that has ended may stay open.
func (c *crawl) rest(f *fetcher) time.Duration {
	keeps := true
	if f.answer != nil {
		keeps = !f.answer.Closed
	} else {
		p := graph.NoPage
		if f.task.Kind == event.Fetch {
			p = c.page(f.task.Page)
		}
		keeps = c.w.Times.Keeps(c.site(f.task.Site), p)
	}
	if c.left == 0 || !keeps || f.gaveUp {
		return 0
	}
	return event.Never
}

// arrive records a fetched page, and fills in its links.
func (c *crawl) arrive(f *fetcher) {
	p := c.page(f.task.Page)
	if c.w.Read != nil && c.o.Frontier.Topic != nil {
		c.w.Read(p, &c.event.Read)
	}
	if again := c.come(f, p); again {
		c.event.Read.Hits = c.event.Read.Hits[:0]
		return // its links are known
	}
	c.fetched(p, f)
	for _, to := range c.w.Out.List(p) {
		if to != p || c.w.SelfLinks {
			c.event.Links = append(c.event.Links, c.discover(to))
		}
	}
	c.event.Near = c.w.Near != nil && c.w.Near(p)
	if c.w.Anchors != nil {
		c.event.Anchors = c.w.Anchors(c.event.Anchors[:0], p)
	}
	c.linked()
}

// fetched adds a page to the order.
func (c *crawl) fetched(p graph.Page, f *fetcher) {
	c.res.Order = append(c.res.Order, p)
	if c.w.Times != nil {
		c.res.Start = append(c.res.Start, c.event.Start-c.stopped)
		end := c.event.End
		if f.arrived > 0 {
			end = c.now // the page is there when it is processed
		}
		c.res.End = append(c.res.End, end-c.stopped)
		c.res.Bytes = append(c.res.Bytes, f.bytes)
	}
}

func (c *crawl) recordRefusals() {
	for _, p := range c.f.Refusals() {
		c.o.Record(c.now, &event.Event{Kind: event.Refused, Task: event.Task{Page: p}})
	}
}

// note records how many fetchers are active and why the others are not, if there is time.
func (c *crawl) note() {
	if c.res.Trace == nil {
		return
	}
	var idle Idle
	idle[c.why()] = len(c.idle)
	c.res.Trace.Change(c.now-c.stopped, len(c.fetchers)-len(c.idle), &idle)
}

// why returns what idle fetchers wait for: the first of these that holds.
func (c *crawl) why() Reason {
	n := c.counts()
	switch {
	case c.left == 0:
		return Limit
	case n.Pool > 0:
		return Batch
	case n.Polite > 0:
		return Polite
	case n.Parked > 0:
		return Address
	case n.Queued == 0:
		return Nothing
	}
	return Busy
}
