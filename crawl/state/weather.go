package state

import (
	"bytes"
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/trouble"
)

// weather counts the failures of sites and pages, and decides what is tried again, and
// when, by the rules of package trouble. Sites and pages that answer are not in it.
type weather struct {
	s     *State
	sites map[graph.Site]down          // sites whose last request failed
	pages map[graph.Page]trouble.Count // failed attempts at a page
	files map[graph.Site]trouble.Count // failed attempts at the next sitemap file of a site
	open  map[graph.Site]failing       // sites of those pages and files
	named time.Duration                // when a look-up last found a name
}

// down counts the failures of a site in a row.
type down struct {
	N      int
	Since  time.Duration
	Class  event.Class
	Status uint16
	Note   string
	Cause  event.Cause
}

// failing counts the answers of a site since something of it failed.
type failing struct {
	Answers uint32
	Things  int // pages and files that failed and may be tried again
}

func newWeather(s *State) weather {
	return weather{
		s: s, sites: map[graph.Site]down{}, open: map[graph.Site]failing{},
		pages: map[graph.Page]trouble.Count{}, files: map[graph.Site]trouble.Count{},
	}
}

// mapBytes returns about how many bytes it takes.
func (w *weather) mapBytes() int64 {
	const site, small = 160, 32 // with notes, and their share of the tables
	return site*int64(len(w.sites)) + small*int64(len(w.pages)+len(w.files)+len(w.open))
}

// forecast sets the fields of an event that follow from its facts about trouble, before it
// is applied.
func (w *weather) forecast(r *journal.Record) {
	e := &r.Event
	e.Ours = r.Facts.Ours
	switch e.Kind {
	case event.Ruled, event.Listed, event.Done, event.Brought:
		k := trouble.Of(e.Class, int(r.Facts.Status))
		e.Pushed = k == trouble.Pushback
		e.Stale = k == trouble.Silence && !e.Ours
	case event.Retried:
		w.retried(e)
	}
}

// note records what an event means for its site, after it was applied.
func (w *weather) note(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Resolved:
		if e.Class.Failed() {
			w.failed(e.Site, r)
			return
		}
		w.named = max(w.named, e.End)
		if d, ok := w.sites[e.Site]; ok && d.Class == event.DNSError {
			delete(w.sites, e.Site)
		}
	case event.Ruled, event.Listed, event.Brought:
		if !w.s.IsForeign(e.Site) {
			w.ended(e.Site, r)
		}
	case event.Done:
		w.ended(w.s.Frontier.Site(e.Page), r)
	}
}

// ended records the end of a request to a site. A robots.txt proves nothing about the pages
// of its site.
func (w *weather) ended(s graph.Site, r *journal.Record) {
	switch {
	case trouble.Of(r.Event.Class, int(r.Facts.Status)) != trouble.None:
		w.failed(s, r)
	case r.Event.Kind != event.Ruled:
		delete(w.sites, s)
		if f, ok := w.open[s]; ok {
			f.Answers++
			w.open[s] = f
		}
	case w.open[s].Things == 0:
		delete(w.sites, s)
	}
}

// failed records a failure of a site, which counts unless it is ours.
func (w *weather) failed(s graph.Site, r *journal.Record) {
	d, e := w.sites[s], &r.Event
	if d.N == 0 {
		d.Since = e.End
	}
	if !e.Ours || d.N == 0 {
		d.N++
	}
	d.Class, d.Status, d.Note, d.Cause = e.Class, r.Facts.Status, r.Facts.Note, r.Facts.Cause
	w.sites[s] = d
}

// tried records an attempt at a page, or at the next sitemap file of a site.
func (w *weather) tried(r *journal.Record) {
	if e := &r.Event; e.Kind == event.Done {
		attempt(w, w.pages, e.Page, w.s.Frontier.Site(e.Page), r)
	} else {
		attempt(w, w.files, e.Site, e.Site, r)
	}
}

// attempt counts an attempt at something of a site, while it is to be tried again.
func attempt[K comparable](w *weather, counts map[K]trouble.Count, key K, site graph.Site, r *journal.Record) {
	c, was := counts[key]
	f := w.open[site]
	switch {
	case r.Event.Again:
		counts[key], _ = w.count(c, site, r)
		if !was {
			f.Things++
		}
	case was:
		delete(counts, key)
		f.Things--
	}
	if f.Things > 0 {
		w.open[site] = f
	} else {
		delete(w.open, site)
	}
}

// count records a failed attempt, and reports whether there is to be another.
func (w *weather) count(c trouble.Count, s graph.Site, r *journal.Record) (trouble.Count, bool) {
	return w.s.Setup.trouble.Fail(c, trouble.Of(r.Event.Class, int(r.Facts.Status)), w.open[s].Answers, r.Facts.Ours)
}

// retried records that pages get another chance, before the frontier does.
func (w *weather) retried(e *event.Event) {
	s := w.s
	for _, p := range e.Admit {
		site := s.Frontier.Site(p)
		switch s.Frontier.State(p) {
		case frontier.RefusedPage:
			s.Limits.admit(site)
		case frontier.Fetched: // what was fetched was not its own
			s.Gathered -= s.LinksIn(p)
			if s.Portal.leads() {
				s.Moved--
			}
			s.clear(p, fetched)
		}
		if s.Frontier.Closed(site) {
			delete(w.sites, site)
		}
	}
}

// Retry decides whether the page, the sitemap file or the requisite of a failed record is tried
// again, and when. ours reports whether we seem to be cut off.
func (w *weather) Retry(r *journal.Record, ours bool) {
	e := &r.Event
	if !trouble.Passes(e.Class) {
		return
	}
	site, c := e.Site, w.files[e.Site]
	switch e.Kind {
	case event.Done:
		site, c = w.s.Frontier.Site(e.Page), w.pages[e.Page]
	case event.Brought:
		p, _ := w.s.Requisites.First(e.Site)
		c = p.Tries
	}
	r.Facts.Ours = ours
	c, again := w.count(c, site, r)
	if e.Kind == event.Brought { // without evidence: the pages of its site wait for it
		again = ours || int(c.All) <= w.s.Setup.trouble.Retries
	}
	if again {
		wait := w.s.Setup.trouble.PageWait(c, uint32(e.Page), w.s.Frontier.Between(site))
		RetryAfter(r, max(wait, e.Retry), ours)
	}
}

// RetryAfter lets the request of a record be made again after a time.
func RetryAfter(r *journal.Record, wait time.Duration, ours bool) {
	r.Facts.Ours = ours
	r.Event.Again, r.Event.Due = true, After(r.Event.End, wait)
}

// After returns the instant a time after t, at most Never, and 0 if the time is 0.
func After(t, wait time.Duration) time.Duration {
	if wait <= 0 {
		return 0
	}
	return min(t, event.Never-wait) + wait
}

// A Lookup is the end of a look-up of the address of a site.
type Lookup struct {
	Host  string
	Addrs []netip.Addr // none if it failed
	TTL   time.Duration
	Again bool // the failure may pass
}

// staleTTL is the time for which an address is used that could not be renewed.
const staleTTL = 10 * time.Minute

// Resolve adds to the record of a look-up the addresses of the site, or when to try again.
// ours reports whether we seem to be cut off.
func (w *weather) Resolve(r *journal.Record, l *Lookup, ours bool) {
	e := &r.Event
	addrs, ttl, old := l.Addrs, l.TTL, w.s.AddressOf(e.Site)
	switch {
	case e.Class == event.OK:
		addrs = w.inTurn(e.Site, addrs)
	case old.IsValid(): // an old address is better than none (RFC 8767), and than a strange one
		e.Class, addrs, ttl = event.OK, []netip.Addr{old}, staleTTL
	default:
		if !w.nameless(e.Site, l, ours) {
			RetryAfter(r, w.s.Setup.trouble.NameWait(w.sites[e.Site].N, uint32(e.Site)), ours)
		}
		return
	}
	r.Facts.Addrs = addrs
	e.Address, e.Expiry = w.s.Addresses.Number(addrs[0]), After(e.End, ttl)
}

// inTurn moves the address to use to the front: the one that the site had, or the next one
// after it if that did not answer.
func (w *weather) inTurn(s graph.Site, addrs []netip.Addr) []netip.Addr {
	i := slices.Index(addrs, w.s.AddressOf(s))
	if i < 0 {
		return addrs
	}
	if d, ok := w.sites[s]; ok && trouble.Of(d.Class, int(d.Status)) == trouble.Silence {
		i = (i + 1) % len(addrs)
	}
	return slices.Concat(addrs[i:], addrs[:i])
}

// nameless reports whether a name that was not found is believed not to exist: it was
// looked up several times, and others were found meanwhile. An address in the place of a
// name is judged at once.
func (w *weather) nameless(s graph.Site, l *Lookup, ours bool) bool {
	if l.Again {
		return false
	}
	if _, err := netip.ParseAddr(strings.Trim(l.Host, "[]")); err == nil || l.Host == "localhost" {
		return true
	}
	d := w.sites[s]
	return d.N+1 >= trouble.NameTries && w.named > d.Since && !ours
}

// A SiteDown is a site that cannot be reached.
type SiteDown struct {
	Site     string    `json:"site"`
	Pages    int64     `json:"pages"`    // known pages of it
	Failures int       `json:"failures"` // in a row
	Since    time.Time `json:"since"`
	Next     time.Time `json:"next_try"`
	Why      string    `json:"why"`             // for people
	Cause    string    `json:"cause,omitempty"` // the same as a code: a name of event.Cause
}

// CountDown returns the number of sites that cannot be reached and have something left to
// request.
func (w *weather) CountDown() (n int64) {
	for id := range w.sites { // the order does not matter
		if w.isDown(id) {
			n++
		}
	}
	return n
}

func (w *weather) isDown(id graph.Site) bool {
	_, fails := w.open[id]
	return fails || w.s.Frontier.Wanting(id)
}

// ListDown returns sites that cannot be reached, those with most pages first.
func (w *weather) ListDown() (list []SiteDown) {
	f := w.s.Frontier
	for id, d := range w.sites { // sorted below
		if w.isDown(id) {
			list = append(list, SiteDown{string(w.s.Table.Name(id)), int64(f.SitePages(id)), d.N, w.s.Wall(d.Since), w.s.Wall(f.Instant(id)), d.why(), d.Cause.String()})
		}
	}
	slices.SortFunc(list, func(a, b SiteDown) int {
		return cmp.Or(-cmp.Compare(a.Pages, b.Pages), cmp.Compare(a.Site, b.Site))
	})
	return list[:min(len(list), MaxListed)]
}

// FirstTry returns the instant at which the first of the sites that cannot be reached is
// requested again, or false if there is none.
func (w *weather) FirstTry() (at time.Duration, ok bool) {
	at = event.Never
	for id := range w.sites { // the order does not matter
		if w.isDown(id) {
			at = min(at, w.s.Frontier.Instant(id))
		}
	}
	return at, at != event.Never
}

// WhyDown returns in a line why the last request to a site failed, if it did.
func (w *weather) WhyDown(id graph.Site) (why string, down bool) {
	d, down := w.sites[id]
	return d.why(), down
}

func (d *down) why() string {
	switch {
	case d.Status != 0:
		return "status " + strconv.Itoa(int(d.Status))
	case d.Note != "":
		return d.Note
	}
	return d.Class.String()
}

// A captive portal answers in the place of all sites: it sends every request to its own
// host, or sends the same page to everybody. Its answers prove nothing about the sites.
//
// Several equal answers in a row raise the suspicion of a portal. Then the robots.txt of a
// site that answered before is requested (see trouble.Outage). If that answer is a page, or
// leads to the same host, we are cut off until another answer arrives, and all answers
// since the first of the equal ones are discarded. If it is a proper answer, answers like
// those are believed from then on. But if it arrived late, the portal may just have gone,
// and they are discarded as well.

// portal holds the last answers that are equal.
type portal struct {
	Same  string       // what they have in common: see sameness
	Run   int          // how many there were in a row
	Pages []graph.Page // whose answers they were
	Rules []graph.Site // whose robots.txt was fetched meanwhile
	Last  time.Duration
}

// portalRun is the number of equal answers in a row that are suspect, portalPages the
// largest number of them that can be discarded, PortalPause the least time between two
// suspicions, PortalLate the time after the last of them from which on another answer
// proves nothing.
const (
	portalRun   = 5
	portalPages = 1000
	PortalPause = 5 * time.Minute
	PortalLate  = time.Minute
)

// What the answers of a portal have in common: the foreign host that they lead to, or their
// content.
const (
	leadsTo = "leads to "
	says    = "says "
)

// Suspected reports whether something seems to answer in the place of all sites.
func (p *portal) Suspected() bool { return p.Run >= portalRun }

// leads reports whether the last answers lead to one host.
func (p *portal) leads() bool { return strings.HasPrefix(p.Same, leadsTo) }

// Says reports whether the last answers had the content with a digest.
func (p *portal) Says(digest [16]byte) bool { return p.Same == says+string(digest[:]) }

// LeadsTo reports whether the last answers led to the host of a site, as an answer of the
// site home does.
func (p *portal) LeadsTo(home, site []byte) bool { return p.Same == away(home, site) }

// IsHost reports whether the last answers lead to a site. Its own answers prove nothing.
func (p *portal) IsHost(site []byte) bool { return p.Same == leadsTo+string(page.Host(site)) }

// note compares an answer that was recorded with those before.
func (p *portal) note(s *State, r *journal.Record) {
	e := &r.Event
	if e.Kind == event.Retried {
		p.Pages, p.Rules = nil, nil
	}
	if e.Class.Failed() || e.Again {
		return
	}
	same := ""
	switch e.Kind {
	case event.Ruled:
		if p.Run > 0 && len(p.Rules) < portalPages {
			p.Rules = append(p.Rules, e.For)
		}
		return
	case event.Listed:
	case event.Done:
		if p.IsHost(s.Table.Name(s.Frontier.Site(e.Page))) {
			return
		}
		same = sameness(s, r)
	default:
		return
	}
	if p.Same != same {
		*p = portal{Same: same, Pages: p.Pages[:0], Rules: p.Rules[:0]}
	}
	if same == "" {
		return
	}
	p.Run, p.Last = p.Run+1, e.End
	if len(p.Pages) < portalPages {
		p.Pages = append(p.Pages, e.Page)
	}
}

// sameness returns what a page has in common with those of a portal, "" for one that no
// portal gives.
func sameness(s *State, r *journal.Record) string {
	e := &r.Event
	switch {
	case r.Facts.Status == journal.NotModified:
		return ""
	case e.Class == event.Redirect && len(e.Links) == 1:
		return away(s.Table.Name(s.Frontier.Site(e.Page)), s.Table.Name(s.Frontier.Site(e.Links[0])))
	case e.Class == event.OK || e.Class == event.Duplicate:
		if d := r.Facts.Digest; d != [16]byte{} {
			return says + string(d[:])
		}
	}
	return ""
}

// away returns what redirects from the site home to the host of another site have in
// common, "" if both are of one domain.
func away(home, site []byte) string {
	from, to := page.Host(home), page.Host(site)
	if bytes.Equal(from, to) || page.Domain(from) == page.Domain(to) {
		return ""
	}
	return leadsTo + string(to)
}
