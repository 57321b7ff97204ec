package count

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// Demands holds the rules of politeness that a visitor must obey, as the server sees them.
// Instants of the server lie outside those of the visitor (an answer ends here before it
// ends there, a request starts there before it starts here), so a visitor that keeps its
// delays is never accused.
type Demands struct {
	Delay         time.Duration // from the end of an answer to the next request to the site
	PerConnection int           // requests that may follow each other without delay; 0 means 1
	AddressDelay  time.Duration // the same for an IP address
	AddressCap    int           // requests, and open connections, at a time to an IP address; 0: any number
	Repeats       bool          // a page may be answered in full more than once (a recrawl)
}

// Kinds of violations.
const (
	TooSoon       = "gap"           // Delay was not kept
	CrawlDelay    = "crawl-delay"   // the Crawl-delay of robots.txt was not kept
	RetryAfter    = "retry-after"   // a Retry-After was not kept
	TwoAtOnce     = "two-at-once"   // two requests at a time to a site
	Connections   = "connections"   // two connections at a time to a site
	Forbidden     = "forbidden"     // a page that robots.txt forbids
	BeforeRobots  = "before-robots" // anything else than robots.txt before that was answered
	AddressGap    = "address-gap"   // AddressDelay was not kept
	AddressAtOnce = "address-cap"   // more than AddressCap requests at a time to an IP address
	// more than AddressCap connections at a time to an IP address, idle ones included
	AddressConnections = "address-connections"
	Repeated           = "repeated"     // a second full answer for a page
	Missing            = "missing"      // a wanted page without a full answer
	Unwanted           = "unwanted"     // a page outside the limits of the crawl was requested
	ThroughCopy        = "through-copy" // a page that only a copy links to, though the visitor had the original before
)

// robotsRead is the number of bytes of a robots.txt that a visitor must read: it may hang
// up after that (RFC 9309, 2.5).
const robotsRead = 500 << 10

// A Violation is one rule broken once.
type Violation struct {
	Kind string        `json:"kind"`
	Site graph.Site    `json:"site"`
	Host string        `json:"host,omitzero"` // of hosts that are no sites of the graph
	Page graph.Page    `json:"page"`          // graph.NoPage if it is about no page
	At   time.Duration `json:"at"`            // since the counter began
	Got  time.Duration `json:"got,omitzero"`
	Want time.Duration `json:"want,omitzero"`
	N    int           `json:"n,omitzero"` // how many at once, or how often
}

func (v Violation) String() string {
	text := fmt.Sprintf("%v: site %d: %s", v.At, v.Site, v.Kind)
	if v.Host != "" {
		text = fmt.Sprintf("%v: %s: %s", v.At, v.Host, v.Kind)
	}
	if v.Page != graph.NoPage {
		text += fmt.Sprintf(" page %d", v.Page)
	}
	if v.Want != 0 {
		text += fmt.Sprintf(" %v, want %v", v.Got, v.Want)
	}
	if v.N != 0 {
		text += fmt.Sprintf(" (%d)", v.N)
	}
	return text
}

// Check compares the record up to now with demands, and returns the violations by site
// and instant, those of addresses last.
func (c *Counter) Check(d Demands) []Violation {
	known := c.robotsKnown()
	byAddress := map[netip.Addr][]located{}
	var found []Violation
	for i := range known {
		id := graph.Site(i)
		log := c.Requests(id)
		if len(log) == 0 {
			continue
		}
		ch := newChecker(c, id, d, known)
		ch.run(log)
		found = append(found, ch.found...)
		if d.AddressDelay > 0 || d.AddressCap > 0 {
			a := c.address(id)
			for _, q := range log {
				byAddress[a] = append(byAddress[a], located{q, id})
			}
		}
	}
	addresses := make([]netip.Addr, 0, len(byAddress))
	for a := range byAddress {
		addresses = append(addresses, a)
	}
	slices.SortFunc(addresses, netip.Addr.Compare)
	for _, a := range addresses {
		found = append(found, checkAddress(byAddress[a], d)...)
	}
	if d.AddressCap > 0 {
		found = append(found, c.addresses.check(d.AddressCap)...)
	}
	return found
}

// never is an instant that does not come.
const never = time.Duration(1<<63 - 1)

// robotsKnown returns for each site the instant from which a visitor knew the rules: its
// robots.txt was answered for good. One that moved is known when its target is, too.
func (c *Counter) robotsKnown() []time.Duration {
	own := make([]time.Duration, c.Sites())
	moved := make([]time.Duration, len(own))
	for i := range own {
		own[i], moved[i] = never, never
		for _, q := range c.Requests(graph.Site(i)) {
			switch {
			case q.Kind != answer.KindRobots:
			case q.Status/100 == 3:
				moved[i] = min(moved[i], q.End)
			case q.Status/100 == 2 && (q.Full || q.Bytes > robotsRead-Piece) || q.Status/100 == 4 && q.Status != http.StatusTooManyRequests:
				own[i] = min(own[i], q.End)
			}
		}
	}
	known := slices.Clone(own)
	for i, at := range moved {
		if at < never {
			known[i] = max(at, own[c.world.SiteTruth(graph.Site(i)).RobotsOf])
		}
	}
	return known
}

// checker walks the record of a site.
type checker struct {
	c     *Counter
	id    graph.Site
	host  string // its name, if it is no site of the graph
	d     Demands
	delay time.Duration // Crawl-delay
	known time.Duration // instant from which the rules were known
	found []Violation

	ended     time.Duration // end of the answers so far
	notBefore time.Duration // Retry-After in force
	row       int           // requests since the last delay
	changed   time.Duration // instant from which the visitor knew that robots.txt had changed
	full      map[graph.Page]int
}

func newChecker(c *Counter, id graph.Site, d Demands, known []time.Duration) *checker {
	d.PerConnection = max(1, d.PerConnection)
	ch := &checker{c: c, id: id, d: d, known: known[id], changed: never, full: map[graph.Page]int{}}
	if int(id) >= len(c.sites) {
		ch.host = c.Name(id)
		return ch
	}
	ch.delay = c.world.SiteTruth(id).CrawlDelay
	return ch
}

func (ch *checker) report(kind string, q *Request, got, want time.Duration, n int) {
	ch.found = append(ch.found, Violation{kind, ch.id, ch.host, q.Page, q.Start, got, want, n})
}

func (ch *checker) run(log []Request) {
	for i := range log {
		q := &log[i]
		if i > 0 {
			ch.gap(q)
		} else {
			ch.row = 1
		}
		ch.rules(q)
		ch.repeats(q)
		ch.ended = max(ch.ended, q.End)
		ch.notBefore = max(ch.notBefore, q.NotBefore)
	}
	s := ch.c.at(ch.id)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.overlaps {
		ch.found = append(ch.found, Violation{Kind: Connections, Site: ch.id, Host: ch.host, Page: graph.NoPage, At: o.At, N: o.Open})
	}
}

// gap looks at the time since the answer before. Requests in a row are free of the
// delay, up to PerConnection, but not of Crawl-delay and Retry-After.
func (ch *checker) gap(q *Request) {
	gap := q.Start - ch.ended
	if gap < 0 {
		ch.report(TwoAtOnce, q, gap, 0, 0)
	}
	if q.Start < ch.notBefore {
		ch.report(RetryAfter, q, gap, ch.notBefore-ch.ended, 0)
	}
	if ch.delay > 0 && ch.known <= ch.ended && gap < ch.delay {
		ch.report(CrawlDelay, q, gap, ch.delay, 0)
	}
	switch {
	case gap < 0: // already reported
	case gap >= ch.d.Delay:
		ch.row = 1
	case ch.row < ch.d.PerConnection:
		ch.row++
	default:
		ch.row++
		ch.report(TooSoon, q, gap, ch.d.Delay, 0)
	}
}

// rules checks a request against robots.txt, as far as the visitor can know it: the last
// version that was served.
func (ch *checker) rules(q *Request) {
	switch {
	case q.Kind == answer.KindRobots:
		if q.Rules > 0 && q.Full {
			ch.changed = min(ch.changed, q.End)
		}
	case q.Start < ch.known:
		ch.report(BeforeRobots, q, 0, 0, 0)
	case ch.forbidden(q):
		ch.report(Forbidden, q, 0, 0, 0)
	}
}

// forbidden reports whether a request is for a page that robots.txt forbids.
func (ch *checker) forbidden(q *Request) bool {
	if q.Kind != answer.KindPage && q.Kind != answer.KindMoved {
		return false
	}
	e := ch.c.world.Truth(q.Page)
	return e.Forbidden || ch.changed <= q.Start && e.Later
}

func (ch *checker) repeats(q *Request) {
	if q.Kind != answer.KindPage || q.Status != http.StatusOK || !q.Full {
		return
	}
	ch.full[q.Page]++
	if n := ch.full[q.Page]; n > 1 && !ch.d.Repeats {
		ch.report(Repeated, q, 0, 0, n)
	}
}

// located is a request with its site.
type located struct {
	Request
	site graph.Site
}

// checkAddress looks at the requests to one address. AddressDelay runs from each end: with
// a cap above 1, others may be running, and one that ended when another began may have been
// running, too. So may one that the visitor ended, whose end is known to be no later only.
func checkAddress(all []located, d Demands) (found []Violation) {
	slices.SortFunc(all, func(a, b located) int { return cmp.Compare(a.Start, b.Start) })
	var running []located
	ended := -never // when the last of the others ended
	for _, q := range all {
		running = slices.DeleteFunc(running, func(r located) bool {
			if r.End > q.Start || r.End == q.Start && d.AddressCap > 1 {
				return false
			}
			if !r.early || d.AddressCap == 1 {
				ended = max(ended, r.End)
			}
			return true
		})
		running = append(running, q)
		if d.AddressCap > 0 && len(running) > d.AddressCap {
			found = append(found, Violation{Kind: AddressAtOnce, Site: q.site, Page: q.Page, At: q.Start, N: len(running)})
		}
		if ended != -never && q.Start-ended < d.AddressDelay {
			found = append(found, Violation{Kind: AddressGap, Site: q.site, Page: q.Page, At: q.Start, Got: q.Start - ended, Want: d.AddressDelay})
		}
	}
	return found
}

// CheckWanted compares the pages answered in full with those that a crawl has to fetch:
// each of w.Pages exactly once, and no request for a page that is in none of the sets. On
// a hostile web, a page on the mirror of its site or under a session id will do. Nobody
// may request what only a copy leads to, if the original had been answered before the
// request for the copy. The Summary counts what else copies and traps cost.
func (c *Counter) CheckWanted(w *answer.Wanted) (found []Violation) {
	full, h := c.Answered(), c.holdings()
	about := func(kind string, p graph.Page, n int) {
		found = append(found, Violation{Kind: kind, Site: c.world.Web().SiteOf(p), Page: p, N: n})
	}
	for _, p := range w.Pages {
		switch n := int(full[p]); {
		case n == 0 && !h.instead[p]:
			about(Missing, p, 0)
		case n > 1:
			about(Repeated, p, n)
		}
	}
	for i := range c.sites {
		for _, q := range c.Requests(graph.Site(i)) {
			switch {
			case q.Kind == answer.KindPage && w.Depth[q.Page] < 0:
				found = append(found, Violation{Kind: Unwanted, Site: graph.Site(i), Page: q.Page, At: q.Start})
			case q.Kind == answer.KindHidden && !w.Behind && h.throughCopy(q.Page) && c.world.Options().Changes.Clock == nil:
				found = append(found, Violation{Kind: ThroughCopy, Site: graph.Site(i), Page: q.Page, At: q.Start})
			}
		}
	}
	return found
}

// holdings records which pages with several URLs a visitor has, full answers only.
type holdings struct {
	instead map[graph.Page]bool          // it has the page from a mirror or under a session id
	had     map[graph.Page]time.Duration // end of the first answer with the exact content, /copy/ not counted
	slash   map[graph.Page]time.Duration // start of the first request for the copy below /copy/
}

// holdings reads the record.
func (c *Counter) holdings() *holdings {
	h := &holdings{map[graph.Page]bool{}, map[graph.Page]time.Duration{}, map[graph.Page]time.Duration{}}
	for i := range c.Sites() {
		for _, q := range c.Requests(graph.Site(i)) {
			if q.Page != graph.NoPage && q.Kind != answer.KindHidden && q.Full && q.Status == http.StatusOK {
				h.add(c, &q)
			}
		}
	}
	return h
}

func (h *holdings) add(c *Counter, q *Request) {
	switch q.variant {
	case answer.CopySlash:
		earliest(h.slash, q.Page, q.Start)
		return
	case answer.CopyNear:
		return
	case answer.CopyMirror:
		h.instead[q.Page] = true
		if slices.ContainsFunc(c.world.Copies(q.Page), func(c answer.Copy) bool { return c.Odd }) {
			return
		}
	}
	if q.Trap.BySession() || q.Kind == answer.KindMoved {
		h.instead[q.Page] = true
	}
	earliest(h.had, q.Page, q.End)
}

func earliest(m map[graph.Page]time.Duration, p graph.Page, at time.Duration) {
	if old, ok := m[p]; !ok || at < old {
		m[p] = at
	}
}

// throughCopy reports whether a visitor that requests a page behind the copy of page p
// below /copy/ could know that it is one: it had the content before it requested the copy.
func (h *holdings) throughCopy(p graph.Page) bool {
	slash, asked := h.slash[p]
	had, ok := h.had[p]
	return !asked || ok && had <= slash
}
