package crawl

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/trouble"
)

// What failures mean is decided in package trouble. Here stands what the crawl keeps of
// them, which is a fold of the records, and what the owner does about them.

// weather is what sites and pages have failed at. Sites and pages that answer are not in it.
type weather struct {
	down      map[graph.Site]down          // whose last answer failed
	tries     map[graph.Page]trouble.Count // failed attempts at a page
	fileTries map[graph.Site]trouble.Count // failed attempts at the sitemap file that is next
	failing   map[graph.Site]failing       // sites of those
	named     time.Duration                // when a name was last found that was asked for
	portal    portal
}

// down is the failures of a site in a row.
type down struct {
	N      int
	Since  time.Duration
	Class  event.Class
	Status uint16
	Note   string
}

// failing is what a site has answered since something of it failed.
type failing struct {
	Answers uint32
	Things  int // pages and files that failed and may be tried again
}

func newWeather() weather {
	return weather{
		down:      map[graph.Site]down{},
		tries:     map[graph.Page]trouble.Count{},
		fileTries: map[graph.Site]trouble.Count{},
		failing:   map[graph.Site]failing{},
	}
}

// mapBytes is about what it takes.
func (w *weather) mapBytes() int64 {
	const site, small = 160, 32 // with notes, and their share of the tables
	return site*int64(len(w.down)) + small*int64(len(w.tries)+len(w.fileTries)+len(w.failing))
}

// answered notes a proper answer of a site.
func (w *weather) answered(s graph.Site) {
	delete(w.down, s)
	if f, ok := w.failing[s]; ok {
		f.Answers++
		w.failing[s] = f
	}
}

// failed notes a failure of a site, which counts unless it is ours.
func (w *weather) failed(s graph.Site, r *journal.Record) {
	d, e := w.down[s], &r.Event
	if d.N == 0 {
		d.Since = e.End
	}
	if !e.Ours || d.N == 0 {
		d.N++
	}
	d.Class, d.Status, d.Note = e.Class, r.Facts.Status, r.Facts.Note
	w.down[s] = d
}

// ended notes the end of a work at a site. A robots.txt proves nothing about the pages of
// its site.
func (w *weather) ended(s graph.Site, r *journal.Record) {
	switch {
	case trouble.Of(r.Event.Class, int(r.Facts.Status)) != trouble.None:
		w.failed(s, r)
	case r.Event.Kind != event.Ruled:
		w.answered(s)
	case w.failing[s].Things == 0:
		delete(w.down, s)
	}
}

// count counts an attempt at a page, or at a file, of a site. Rules are the same on replay.
func (w *weather) count(rules *trouble.Rules, c trouble.Count, s graph.Site, r *journal.Record) (trouble.Count, bool) {
	return rules.Fail(c, trouble.Of(r.Event.Class, int(r.Facts.Status)), w.failing[s].Answers, r.Facts.Ours)
}

// hold and drop keep count of what failed at a site and may be tried again.
func (w *weather) hold(s graph.Site, fresh bool) {
	if fresh {
		f := w.failing[s]
		f.Things++
		w.failing[s] = f
	}
}

func (w *weather) drop(s graph.Site, was bool) {
	if !was {
		return
	}
	f := w.failing[s]
	if f.Things--; f.Things > 0 {
		w.failing[s] = f
	} else {
		delete(w.failing, s)
	}
}

// tried notes an attempt at a page: whether it is to be tried again.
func (s *state) tried(r *journal.Record) {
	e := &r.Event
	site := s.f.Site(e.Page)
	c, was := s.tries[e.Page]
	if !e.Again {
		delete(s.tries, e.Page)
		s.drop(site, was)
		return
	}
	s.tries[e.Page], _ = s.count(&s.set.trouble, c, site, r)
	s.hold(site, !was)
}

// triedFile is tried for the sitemap file that is next at a site.
func (s *state) triedFile(r *journal.Record) {
	e := &r.Event
	c, was := s.fileTries[e.Site]
	if !e.Again {
		delete(s.fileTries, e.Site)
		s.drop(e.Site, was)
		return
	}
	s.fileTries[e.Site], _ = s.count(&s.set.trouble, c, e.Site, r)
	s.hold(e.Site, !was)
}

// again reports whether a page or file that failed with a record is to be tried again, and
// when.
func (o *owner) again(r *journal.Record, c trouble.Count, s graph.Site) (due time.Duration, ok bool) {
	e := &r.Event
	r.Facts.Ours = o.outage.On()
	c, ok = o.s.count(&o.s.set.trouble, c, s, r)
	if !ok {
		return 0, false
	}
	return later(e.End, max(o.s.set.trouble.PageWait(c, uint32(e.Page), o.s.f.Between(s)), e.Retry)), true
}

// noteWeather tells the outage of an attempt that ended. That a name was found says
// nothing: it may come out of a cache, or from a resolver that lies.
func (o *owner) noteWeather(now time.Duration, t *task) {
	if t.answer == nil && t.class == event.OK || o.s.ofPortal(t.work.Site) {
		return
	}
	answered := t.answer != nil && t.answer.Status != 0
	if answered {
		like, none := o.atPortal(now, t)
		switch {
		case none:
			answered = false
			silence(t)
		case like:
			return // whoever is asked will tell
		case t.work.Kind != event.Robots && !trouble.Passes(t.answer.Class): // a robots.txt may be all that a site has
			o.quiet = 0
		}
	}
	if o.outage.Note(now, t.work.Site, answered) {
		o.takeBack(now)
		o.log.Warn("nothing can be reached any more, not even sites that answered before; the crawl waits until one of them does")
	}
}

// doubt lets the robots.txt of a site be asked for that fails and fails, to see whether
// anybody is there.
func (o *owner) doubt(now time.Duration, s graph.Site) {
	if o.outage.On() || !trouble.Doubt(o.s.f.Failures(s)) || !o.mayAsk(s) {
		return
	}
	r := o.begin(event.Probed, now)
	r.Event.Site = s
	o.record()
}

// mayAsk reports whether a site may be asked for its robots.txt out of turn.
func (o *owner) mayAsk(s graph.Site) bool {
	return o.s.f.CanProbe(s) && !o.scope.DeniesSite(o.s.seen.Name(s))
}

// askWitness asks a site that answered before, when there is a doubt whether we are cut
// off: for its robots.txt, on its clock.
func (o *owner) askWitness(now time.Duration) {
	if o.stopping != "" {
		return
	}
	s, ok := o.outage.Ask(now, o.mayAsk)
	if !ok {
		return
	}
	r := o.begin(event.Probed, now)
	r.Event.Site = s
	o.record()
	o.witness, o.witnessAsked = s, now
}

// witnessPatience is how long a witness is waited for that cannot be asked.
const witnessPatience = 10 * time.Minute

// mayProbe reports whether, while we seem to be cut off, the next work is a question to a
// witness: nothing else is under way, and its instant has come.
func (o *owner) mayProbe(now time.Duration) bool {
	if now-o.witnessAsked > witnessPatience {
		o.outage.Forget()
	}
	return len(o.idle) == len(o.crew) && o.outage.Asked() && o.s.f.Instant(o.witness) <= now
}

// probeAt is the instant at which the owner has to look after the outage.
func (o *owner) probeAt(now time.Duration) time.Duration {
	switch {
	case o.stopping != "":
		return event.Never
	case o.outage.On() && o.outage.Asked() && len(o.idle) == len(o.crew):
		return max(o.s.f.Instant(o.witness), now+time.Second) // it may be held a moment longer
	}
	return o.outage.Wake()
}

// hopeEvery is how often the owner looks whether anything is left that answers.
const hopeEvery = 10 * time.Second

// firstPatience is how long a crawl tries that has never had an answer.
const firstPatience = 5 * time.Minute

// losePatience ends the run when for the time of --patience nothing was left but sites
// that cannot be reached.
func (o *owner) losePatience(now time.Duration) {
	if o.stopping != "" || now < o.hopeAt {
		return
	}
	o.hopeAt = now + min(hopeEvery, o.patience()/8)
	switch {
	case !o.outage.On() && o.s.f.Hopeful(), o.s.f.Counts().Queued+o.s.f.Counts().Due == 0:
		o.quiet = 0
	case o.quiet == 0:
		o.quiet = max(now, 1)
	case now-o.quiet >= o.patience():
		o.stop(now, whyUnreachable)
	}
}

// patience is that of the configuration, or less if nothing ever answered.
func (o *owner) patience() time.Duration {
	if p := o.c.Patience.Duration; o.fetched > 0 || p < firstPatience {
		return p
	}
	return firstPatience
}

// nameless reports whether a name that was not found is believed not to exist: it was
// asked for several times, and the resolver found others meanwhile. An address in the
// place of a name is judged at once.
func (o *owner) nameless(t *task) bool {
	if t.again {
		return false
	}
	if _, err := netip.ParseAddr(strings.Trim(t.host, "[]")); err == nil || t.host == "localhost" {
		return true
	}
	d := o.s.down[t.work.Site]
	return d.N+1 >= trouble.NameTries && o.s.named > d.Since && !o.outage.On()
}

// inTurn puts the address first that is to be asked: the one that the site had, or the
// next one after it if that did not answer.
func (o *owner) inTurn(s graph.Site, addrs []netip.Addr) []netip.Addr {
	i := slices.Index(addrs, o.s.addressOf(s))
	if i < 0 {
		return addrs
	}
	if d, ok := o.s.down[s]; ok && trouble.Of(d.Class, int(d.Status)) == trouble.Silence {
		i = (i + 1) % len(addrs)
	}
	return slices.Concat(addrs[i:], addrs[:i])
}

// A Chance says what gets another chance.
type Chance struct {
	Site  string // scheme, host and port, or a host; "": all
	Class string // a class of failures or a reason of refusals; "": all failures
}

// check finds a class that there is not.
func (c *Chance) check() error {
	if c == nil || c.Class == "" {
		return nil
	}
	if _, _, ok := c.means(); !ok {
		return &Error{Text: fmt.Sprintf("there is no class of failures and no reason of refusals %q", c.Class),
			Hint: "winnow pages DIR --state failed, or --state refused, lists them in its second column"}
	}
	return nil
}

// means is the class or the bar that a chance is for.
func (c *Chance) means() (class event.Class, bar event.Bar, ok bool) {
	for k := event.TooLarge; k <= event.LastClass; k++ {
		if k.String() == c.Class {
			return k, 0, true
		}
	}
	for b := event.BarRobots; int(b) < event.Bars(); b++ {
		if b.String() == c.Class {
			return 0, b, true
		}
	}
	return 0, 0, false
}

// chance reports whether a page gets the chance that was asked for.
func (o *owner) chance(p graph.Page) bool {
	c, f := o.o.Chance, o.s.f
	if c.Site != "" {
		if name := o.s.seen.Name(f.Site(p)); string(name) != c.Site && string(page.Host(name)) != c.Site {
			return false
		}
	}
	class, bar, named := c.means()
	switch f.State(p) {
	case frontier.Failed:
		return !named || class == f.FailedBy(p)
	case frontier.RefusedPage:
		return named && bar == f.Bar(p)
	}
	return false
}

// retrySession gives everything another chance that failed in sessions before and may have
// passed, seeds whatever was wrong with them, and pages that were too large for a smaller
// --max-body.
func (o *owner) retrySession() {
	seeds := map[graph.Page]bool{}
	for _, url := range o.c.Seeds {
		site, rest := page.Site([]byte(url))
		if p, ok := o.s.seen.LookupPage(o.s.key.Page(o.s.key.Site(site), rest)); ok {
			seeds[p] = true
		}
	}
	was := config.Default()
	larger := was.Read("the last session", o.before) == nil && was.MaxBody < o.c.MaxBody
	o.retry(func(p graph.Page) bool {
		f := o.s.f
		switch f.State(p) {
		case frontier.Failed:
			class := f.FailedBy(p)
			return seeds[p] || trouble.Passes(class) || larger && class == event.TooLarge
		case frontier.RefusedPage: // before trouble was weather a site without robots.txt was closed
			return f.Bar(p) == event.BarRobots && f.Closed(f.Site(p))
		}
		return false
	})
}

// retry gives the pages another chance that are wanted, and counts them.
func (o *owner) retry(want func(graph.Page) bool) (n int) {
	r := o.begin(event.Retried, o.base)
	for i := range o.s.f.Pages() {
		if p := graph.Page(i); want(p) {
			r.Event.Admit = append(r.Event.Admit, p)
		}
	}
	if n = len(r.Event.Admit); n > 0 {
		o.record()
	}
	return n
}

// retried takes over that pages get another chance, before the frontier hears of it.
func (s *state) retried(e *event.Event) {
	in := s.in.Slice()
	for _, p := range e.Admit {
		site := s.f.Site(p)
		switch s.f.State(p) {
		case frontier.RefusedPage:
			s.sites.admit(site)
		case frontier.Fetched: // what came was not its own
			s.gathered -= int64(in[p] & linksIn)
			if strings.HasPrefix(s.portal.Same, leads) {
				s.moved--
			}
			in[p] &^= came
		}
		if s.f.Closed(site) {
			delete(s.down, site)
		}
	}
}

// A SiteDown is a site that cannot be reached.
type SiteDown struct {
	Site     string    `json:"site"`
	Pages    int64     `json:"pages"`    // known pages of it
	Failures int       `json:"failures"` // in a row
	Since    time.Time `json:"since"`
	Next     time.Time `json:"next_try"`
	Why      string    `json:"why"`
}

// countDown counts the sites that cannot be reached and have something left to ask for.
func (s *state) countDown() (n int64) {
	for id := range s.down { // it is counted
		if s.isDown(id) {
			n++
		}
	}
	return n
}

func (s *state) isDown(id graph.Site) bool {
	_, fails := s.failing[id]
	return fails || s.f.Wanting(id)
}

// downList names sites that cannot be reached, those with most pages first.
func (s *state) downList() (list []SiteDown) {
	for id, d := range s.down { // sorted below
		if !s.isDown(id) {
			continue
		}
		list = append(list, SiteDown{string(s.seen.Name(id)), int64(s.f.SitePages(id)), d.N, s.wall(d.Since), s.wall(s.f.Instant(id)), d.why()})
	}
	slices.SortFunc(list, func(a, b SiteDown) int {
		return cmp.Or(-cmp.Compare(a.Pages, b.Pages), cmp.Compare(a.Site, b.Site))
	})
	return list[:min(len(list), maxListed)]
}

// wall is the time of day at an instant of the crawl.
func (s *state) wall(t time.Duration) time.Time {
	return time.Unix(0, s.began).Add(t).Truncate(time.Second)
}

// why says in a line why a site cannot be reached.
func (d *down) why() string {
	switch {
	case d.Status != 0:
		return "status " + strconv.Itoa(int(d.Status))
	case d.Note != "":
		return d.Note
	}
	return d.Class.String()
}

// forecast adds to an event what its facts say of trouble, before it is applied.
func (s *state) forecast(r *journal.Record) {
	e := &r.Event
	e.Ours = r.Facts.Ours
	switch e.Kind {
	case event.Ruled, event.Listed, event.Done:
		k := trouble.Of(e.Class, int(r.Facts.Status))
		e.Pushed = k == trouble.Pushback
		e.Stale = k == trouble.Silence && !e.Ours
	case event.Retried:
		s.retried(e)
	}
}

// rain notes what an event says of the site that was asked, after it was applied.
func (s *state) rain(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Resolved:
		if e.Class.Failed() {
			s.failed(e.Site, r)
			return
		}
		s.named = max(s.named, e.End)
		if d, ok := s.down[e.Site]; ok && d.Class == event.DNSError {
			delete(s.down, e.Site)
		}
	case event.Ruled, event.Listed:
		s.weather.ended(e.Site, r)
		s.portal.note(s, r)
	case event.Done:
		s.weather.ended(s.f.Site(e.Page), r)
		s.portal.note(s, r)
	case event.Retried:
		s.portal.Pages, s.portal.Rules = nil, nil
	}
}
