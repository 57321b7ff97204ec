package fakeweb

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// A Counter is what a server can see of those who ask it: every request with the
// instants of its start (the request was read) and its end (the last bytes of the answer
// are about to be handed to the network), and every connection. A visitor that has read
// an answer to its end finds it in the record. It lives with the server, so a crawler that is
// killed and started again is one visitor to it, and the gap in between is a gap.
//
// It keeps some 50 bytes a request. Whatever is said about politeness is worked out from
// that record when it is asked for (Check).
type Counter struct {
	s     *Server
	began time.Time
	sites []siteCount
	more  extraHosts

	conns  sync.Map // net.Conn to *connection
	lastID atomic.Uint32
	others atomic.Int64 // requests for hosts that do not exist
	asked  []atomic.Uint32
	nobody atomic.Int64 // DNS queries for names that do not exist
	beside atomic.Int64 // DNS queries for hosts that are no sites of the graph
}

// A Request is one line of the record. Instants are since the counter began.
type Request struct {
	Start     time.Duration `json:"start"`
	End       time.Duration `json:"end"`
	Page      graph.Page    `json:"page"` // the page, or that of which it is a copy or behind whose copy it lies; graph.NoPage for others
	Kind      Kind          `json:"kind"`
	Trap      Trap          `json:"trap,omitzero"`  // in which it lies
	Rules     uint8         `json:"rules,omitzero"` // of a robots.txt: 1 after it changed
	Status    uint16        `json:"status"`         // 0: the connection was reset
	Full      bool          `json:"full"`           // all of the body was written
	Conn      uint32        `json:"conn"`           // number of the connection; 0: not known
	Bytes     int64         `json:"bytes"`          // of the body, as sent
	NotBefore time.Duration `json:"not_before,omitzero"`

	variant variant // of a copy
}

// siteCount is the record of one site.
type siteCount struct {
	mu       sync.Mutex
	log      []Request // in order of ends
	running  int
	open     []*connection // that asked this site for something
	conns    int           // all of them
	mostOpen int
	overlaps []Overlap
	attempts map[graph.Page]uint32
	asked    int           // requests, robots.txt not counted
	storm    time.Duration // end of the storm, once it has begun
	ruled    time.Duration // end of the first answer of robots.txt with 200
}

// An Overlap is a connection that asked a site while others to it were open.
type Overlap struct {
	At   time.Duration `json:"at"`
	Open int           `json:"open"` // connections at once
}

// connection is one of the transport.
type connection struct {
	id   uint32
	conn net.Conn

	mu     sync.Mutex
	sites  []graph.Site // asked over it
	closed bool
}

func newCounter(s *Server) *Counter {
	return &Counter{
		s: s, began: time.Now(),
		sites: make([]siteCount, s.web.Sites()), asked: make([]atomic.Uint32, s.web.Sites()),
		more: extraHosts{ids: map[string]graph.Site{}, from: graph.Site(s.web.Sites())},
	}
}

// Now is the present instant of the counter.
func (c *Counter) Now() time.Duration { return time.Since(c.began) }

// Began is the instant 0 of the counter.
func (c *Counter) Began() time.Time { return c.began }

func (c *Counter) strange() { c.others.Add(1) }

type connKey struct{}

func connOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connKey{}).(*connection)
	return c
}

// watch makes a server tell the counter of its connections.
func (c *Counter) watch(srv *http.Server) {
	srv.ConnContext = func(ctx context.Context, nc net.Conn) context.Context {
		k := &connection{id: c.lastID.Add(1), conn: nc}
		c.conns.Store(nc, k)
		return context.WithValue(ctx, connKey{}, k)
	}
	srv.ConnState = func(nc net.Conn, state http.ConnState) {
		if state == http.StateClosed || state == http.StateHijacked {
			if k, ok := c.conns.LoadAndDelete(nc); ok {
				c.close(k.(*connection))
			}
		}
	}
}

// close takes a connection off the books of the sites it asked.
func (c *Counter) close(k *connection) {
	k.mu.Lock()
	k.closed = true
	sites := k.sites
	k.mu.Unlock()
	for _, id := range sites {
		s := c.at(id)
		s.mu.Lock()
		s.open = slices.DeleteFunc(s.open, func(o *connection) bool { return o == k })
		s.mu.Unlock()
	}
}

// visit is a request that is being answered.
type visit struct {
	conn  uint32
	start time.Duration
	last  [2]time.Duration // when the last two pieces of the answer were handed to the network
	line  int              // in the record, once it has ended; -1 before
}

// begin notes the start of a request and counts its attempt.
func (c *Counter) begin(r *http.Request, a *answer) {
	a.visit = visit{start: c.Now(), line: -1}
	a.visit.last = [2]time.Duration{a.visit.start, a.visit.start}
	s := a.count
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
	if k := connOf(r.Context()); k != nil {
		a.visit.conn = k.id
		s.enter(k, a.id, a.visit.start)
	}
	a.changed = s.ruled > 0 && a.visit.start-s.ruled >= c.s.rules.opt.Robots.ChangeAfter
	if a.stormLeft = s.stormy(a, c.s.rules.storm(&a.site)); a.stormLeft > 0 {
		return
	}
	if c.s.rules.countsAttempts(a) {
		if s.attempts == nil {
			s.attempts = map[graph.Page]uint32{}
		}
		a.attempt = s.attempts[a.page]
		s.attempts[a.page]++
	}
}

// stormy is how long the storm of a site still lasts for a request, 0 outside of it.
func (s *siteCount) stormy(a *answer, storm Storm) time.Duration {
	if storm.After == 0 || a.role != roleSite || a.kind == KindRobots {
		return 0
	}
	if s.asked++; s.asked == storm.After {
		s.storm = a.visit.start + storm.For
	}
	return max(0, s.storm-a.visit.start)
}

// countsAttempts tells whether the answer depends on how often it was asked for.
func (r *rules) countsAttempts(a *answer) bool {
	switch {
	case a.kind == KindRobots || r.opt.Times.FirstByte != nil:
		return true
	case a.kind == KindPage || a.trap.bySession():
		return r.failures(r.class(&a.of, a.j)) != 0
	}
	return false
}

// enter puts a connection on the books of a site when it asks it for the first time.
// A connection that the visitor has closed does not count, though we may not have got
// round to noticing that.
func (s *siteCount) enter(k *connection, id graph.Site, now time.Duration) {
	if slices.Contains(s.open, k) {
		return
	}
	k.mu.Lock()
	k.sites = append(k.sites, id)
	closed := k.closed
	k.mu.Unlock()
	s.conns++
	if closed {
		return
	}
	s.open = append(s.open, k)
	if len(s.open) == 1 {
		s.mostOpen = max(s.mostOpen, 1)
		return
	}
	alive := 1
	for _, o := range s.open[:len(s.open)-1] {
		if !peerGone(o.conn) {
			alive++
		}
	}
	s.mostOpen = max(s.mostOpen, alive)
	if alive > 1 {
		s.overlaps = append(s.overlaps, Overlap{now, alive})
	}
}

// end notes the end of an answer whose last bytes will be handed to the network now: as
// if they all got there. finish knows better.
func (c *Counter) end(a *answer, full bool) {
	q := Request{
		Start: a.visit.start, End: c.Now(), Page: a.page, Kind: a.kind, Trap: a.trap, variant: a.variant,
		Status: uint16(a.status), Full: full, Conn: a.visit.conn,
	}
	if a.left {
		q.End = a.visit.last[0]
	}
	if full {
		q.Bytes = int64(len(a.body) + a.filler)
	}
	switch {
	case !a.waitUntil.IsZero():
		q.NotBefore = a.waitUntil.Sub(c.began.Round(0))
	case a.wait > 0:
		q.NotBefore = q.End + a.wait
	}
	s := a.count
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.kind == KindRobots && a.status == http.StatusOK {
		if s.ruled == 0 {
			s.ruled = max(1, q.End)
		}
		if a.changed {
			q.Rules = 1
		}
	}
	a.visit.line = len(s.log)
	s.log = append(s.log, q)
}

// finish sets right what the network did not take.
func (c *Counter) finish(a *answer) {
	if a.visit.line < 0 {
		c.end(a, false)
	}
	s := a.count
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	q := &s.log[a.visit.line]
	if a.failed || !q.Full {
		q.Full, q.Bytes = false, a.sent
	}
	if a.failed {
		q.End = min(q.End, a.visit.last[0])
	}
}

// Requests is the record of a site up to now, in order of starts. Requests that are
// still being answered are not in it.
func (c *Counter) Requests(id graph.Site) []Request {
	s := c.at(id)
	s.mu.Lock()
	log := slices.Clone(s.log)
	s.mu.Unlock()
	slices.SortStableFunc(log, func(a, b Request) int { return int(a.Start - b.Start) })
	return log
}

// Running is the number of requests that are being answered.
func (c *Counter) Running() (n int) {
	for i := range c.Sites() {
		s := c.at(graph.Site(i))
		s.mu.Lock()
		n += s.running
		s.mu.Unlock()
	}
	return n
}

// Answered is by page the number of full answers with status 200.
func (c *Counter) Answered() []uint32 {
	n := make([]uint32, c.s.web.spec.Pages)
	for i := range c.sites {
		s := &c.sites[i]
		s.mu.Lock()
		for _, q := range s.log {
			if q.Kind == KindPage && q.Status == http.StatusOK && q.Full {
				n[q.Page]++
			}
		}
		s.mu.Unlock()
	}
	return n
}
