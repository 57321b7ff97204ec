// Package count records what the visitors of a synthetic web did, and checks it: whether
// they were polite, and whether they fetched what they should.
//
// A [Counter] sees what a server sees: every request with the instants of its start (the
// request was read) and its end (the last bytes of the answer are about to be handed to
// the network), and every connection. It keeps some 50 bytes a request. All statements
// about politeness are worked out from that record on demand.
//
// A visitor is not accused of what it cannot know: the rules of a robots.txt hold from the
// answer that contains them on, a visitor that saw a copy first may fetch what the copy
// leads to, a mirror may replace its site, and an answer that the visitor broke off ended
// when the server last knew the visitor to be there.
package count

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// A Counter is the record of a server. A visitor that has read an answer to its end finds
// it in the record. The record lives as long as the server, so that a crawler that is
// killed and started again is one visitor, and the gap in between is a gap.
type Counter struct {
	world *answer.World
	began time.Time
	sites []siteCount
	more  extraHosts

	conns     sync.Map // net.Conn to *connection
	addresses addressCounts
	lastID    atomic.Uint32
	others    atomic.Int64 // requests for hosts that do not exist
	asked     []atomic.Uint32
	nobody    atomic.Int64 // DNS queries for names that do not exist
	beside    atomic.Int64 // DNS queries for hosts that are no sites of the graph
}

// A Request is one line of the record. Instants are since the counter began.
type Request struct {
	Start     time.Duration `json:"start"`
	End       time.Duration `json:"end"`
	Page      graph.Page    `json:"page"` // the page, its original if it is a copy, or the page behind whose copy it is; graph.NoPage for others
	Kind      answer.Kind   `json:"kind"`
	Trap      answer.Trap   `json:"trap,omitzero"`  // in which it lies
	Rules     uint8         `json:"rules,omitzero"` // of a robots.txt: 1 after it changed
	Status    uint16        `json:"status"`         // 0: the connection was reset
	Full      bool          `json:"full"`           // all of the body was written
	Conn      uint32        `json:"conn"`           // number of the connection; 0: not known
	Bytes     int64         `json:"bytes"`          // of the body, as sent
	NotBefore time.Duration `json:"not_before,omitzero"`
	Part      string        `json:"part,omitzero"` // path of what pages need to be shown

	variant answer.Variant // of a copy
	early   bool           // the visitor ended it: End is not after that, but may be some time before
}

// siteCount is the record of one site.
type siteCount struct {
	mu       sync.Mutex
	log      []Request // in order of ends
	running  int
	open     []*connection // with a request to this site
	conns    int           // all of them
	mostOpen int
	overlaps []Overlap
	attempts map[graph.Page]uint32
	seen     []sighting    // of a changing web
	visits   uint32        // requests of any kind
	asked    int           // requests, robots.txt not counted
	storm    time.Duration // end of the storm, once it has begun
	ruled    time.Duration // end of the first answer of robots.txt with 200
}

// An Overlap is a connection that was used while others to its site were open.
type Overlap struct {
	At   time.Duration `json:"at"`
	Open int           `json:"open"` // connections at once
}

// connection is one of the transport.
type connection struct {
	id   uint32
	conn net.Conn

	mu     sync.Mutex
	sites  []graph.Site // requested over it
	closed bool
}

// New returns the counter of a world.
func New(w *answer.World) *Counter {
	n := w.Web().Sites()
	return &Counter{
		world: w, began: time.Now(),
		sites: make([]siteCount, n), asked: make([]atomic.Uint32, n),
		more: extraHosts{ids: map[string]graph.Site{}, from: graph.Site(n)},
	}
}

// Now returns the present instant of the counter.
func (c *Counter) Now() time.Duration { return time.Since(c.began) }

// Began returns the instant 0 of the counter.
func (c *Counter) Began() time.Time { return c.began }

// UnknownHost counts a request for a host that does not exist.
func (c *Counter) UnknownHost() { c.others.Add(1) }

// UnknownName counts a DNS query for a name that does not exist.
func (c *Counter) UnknownName() { c.nobody.Add(1) }

// OtherName counts a DNS query for a host that is no site of the graph.
func (c *Counter) OtherName() { c.beside.Add(1) }

// Query counts a DNS query for a site, and returns the number of earlier ones.
func (c *Counter) Query(id graph.Site) uint32 { return c.asked[id].Add(1) - 1 }

// Queries returns the number of DNS queries for the name of a site of the graph.
func (c *Counter) Queries(id graph.Site) int {
	if int(id) >= len(c.asked) {
		return 0
	}
	return int(c.asked[id].Load())
}

type connKey struct{}

func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connKey{}).(*connection)
	return c
}

// Conn returns the connection of a request to a server that the counter watches, else
// nil.
func Conn(ctx context.Context) net.Conn {
	if c := connectionOf(ctx); c != nil {
		return c.conn
	}
	return nil
}

// Watch makes a server report its connections to the counter.
func (c *Counter) Watch(srv *http.Server) {
	srv.ConnContext = func(ctx context.Context, nc net.Conn) context.Context {
		k := &connection{id: c.lastID.Add(1), conn: nc}
		c.conns.Store(nc, k)
		c.addresses.opened(nc, c.Now())
		return context.WithValue(ctx, connKey{}, k)
	}
	srv.ConnState = func(nc net.Conn, state http.ConnState) {
		if state == http.StateClosed || state == http.StateHijacked {
			if k, ok := c.conns.LoadAndDelete(nc); ok {
				c.close(k.(*connection))
				c.addresses.closed(nc)
			}
		}
	}
}

// close removes a connection from the sites that it requested.
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

// A Visit is a request that is being answered.
type Visit struct {
	answer.State
	c      *Counter
	site   *siteCount
	conn   uint32
	start  time.Duration
	last   [2]time.Duration // when the last two pieces of the answer were handed to the network
	sent   int64
	failed bool // not all of it could be written
	left   bool // it ended when the visitor left
	line   int  // in the record, once it has ended; -1 before
	sight  int  // in the record of a changing web
}

// Begin records the start of a request and counts its attempt.
func (c *Counter) Begin(r *http.Request, t *answer.Target) *Visit {
	id, s := c.enter(r.Host, &t.Host)
	v := &Visit{c: c, site: s, start: c.Now(), line: -1}
	v.last = [2]time.Duration{v.start, v.start}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
	v.Visit = s.visits
	s.visits++
	if k := connectionOf(r.Context()); k != nil {
		v.conn = k.id
		s.enter(k, id, v.start)
	}
	v.Changed = s.ruled > 0 && v.start-s.ruled >= c.world.Options().Robots.ChangeAfter
	if v.StormLeft = s.stormy(v.start, &t.Storm); v.StormLeft > 0 {
		return v
	}
	if t.Attempts {
		if s.attempts == nil {
			s.attempts = map[graph.Page]uint32{}
		}
		v.Attempt = s.attempts[t.Page]
		s.attempts[t.Page]++
	}
	return v
}

// stormy returns how long the storm of a site still lasts for a request, 0 outside of it.
func (s *siteCount) stormy(start time.Duration, storm *answer.Storm) time.Duration {
	if storm.After == 0 {
		return 0
	}
	if s.asked++; s.asked == storm.After {
		s.storm = start + storm.For
	}
	return max(0, s.storm-start)
}

// Piece is the number of bytes that a server should write at once. If the visitor leaves
// during a piece, none of the piece counts as sent over HTTP/2, even if some of it has
// arrived.
const Piece = 1 << 14

// Wrote records that n bytes of the answer were handed to the network, and whether that
// failed.
//
// An answer that the visitor ends counts up to the piece before the last one: the last
// may have been handed over when the visitor had left, and the end must not
// be after that.
func (v *Visit) Wrote(n int, err error) {
	v.sent += int64(n)
	if err != nil {
		v.failed = true
		return
	}
	v.last[0], v.last[1] = v.last[1], v.c.Now()
}

// UntilLeft records that the answer ends when the visitor leaves.
func (v *Visit) UntilLeft() { v.left = true }

// enter adds a connection to a site at its first request. A connection that the visitor has
// closed does not count, even if the server has not noticed it yet.
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

// End records the end of an answer whose last bytes will be handed to the network now,
// as if all of them arrived. Finish corrects that.
func (v *Visit) End(a *answer.Answer, full bool) {
	q := Request{
		Start: v.start, End: v.c.Now(), Page: a.Page, Kind: a.Kind, Trap: a.Trap, variant: a.Variant,
		Status: uint16(a.Status), Full: full, Conn: v.conn, Part: a.Part(),
	}
	if v.left {
		q.End, q.early = v.last[0], true
	}
	if full {
		q.Bytes = int64(len(a.Body) + a.Filler)
	}
	switch {
	case !a.RetryAt.IsZero():
		q.NotBefore = a.RetryAt.Sub(v.c.began.Round(0))
	case a.RetryAfter > 0:
		q.NotBefore = q.End + a.RetryAfter
	}
	s := v.site
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Kind == answer.KindRobots && a.Status == http.StatusOK {
		if s.ruled == 0 {
			s.ruled = max(1, q.End)
		}
		if a.Changed {
			q.Rules = 1
		}
	}
	v.line = len(s.log)
	s.log = append(s.log, q)
	v.see(a)
}

// Finish ends the visit. It corrects the record if the network did not take all of the
// answer.
func (v *Visit) Finish(a *answer.Answer) {
	if v.line < 0 {
		v.End(a, false)
	}
	s := v.site
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	q := &s.log[v.line]
	if v.failed || !q.Full {
		q.Full, q.Bytes = false, v.sent
		v.unsee()
	}
	if v.failed {
		q.End, q.early = min(q.End, v.last[0]), true
	}
}

// Requests returns the record of a site up to now, in order of starts. Requests that are
// still being answered are not in it.
func (c *Counter) Requests(id graph.Site) []Request {
	s := c.at(id)
	s.mu.Lock()
	log := slices.Clone(s.log)
	s.mu.Unlock()
	slices.SortStableFunc(log, func(a, b Request) int { return int(a.Start - b.Start) })
	return log
}

// Running returns the number of requests that are being answered.
func (c *Counter) Running() (n int) {
	for i := range c.Sites() {
		s := c.at(graph.Site(i))
		s.mu.Lock()
		n += s.running
		s.mu.Unlock()
	}
	return n
}

// Answered returns for each page the number of full answers with status 200.
func (c *Counter) Answered() []uint32 {
	n := make([]uint32, c.world.Web().Spec().Pages)
	for i := range c.sites {
		s := &c.sites[i]
		s.mu.Lock()
		for _, q := range s.log {
			if q.Kind == answer.KindPage && q.Status == http.StatusOK && q.Full {
				n[q.Page]++
			}
		}
		s.mu.Unlock()
	}
	return n
}
