package state

import (
	"bytes"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// traps passes the contents of the records to the guard against traps, and gets its
// verdicts about pages.
type traps struct {
	s     *State
	Guard *trap.Guard
	On    bool // the guard decides; false on replay, where the journal holds its decisions
}

func newTraps(s *State, secret [16]byte, pages, sites int) traps {
	t := traps{s: s, Guard: trap.New(secret, pages, sites)}
	t.Guard.Parent = s.Traps.parent
	t.Guard.Known = func(site graph.Site, rest []byte) bool {
		_, known := s.LookupIn(site, rest)
		return known
	}
	return t
}

// look returns what the guard needs to know of a page. It is valid until the next page is
// read.
func (t *traps) look(p graph.Page) (trap.Page, bool) {
	site, rest, ok := t.s.Read(p)
	return trap.Page{ID: p, Site: site, Rest: rest, Single: !t.s.has(p, read)}, ok
}

// parent returns the page that linked to another first.
func (t *traps) parent(p *trap.Page) (trap.Page, bool) {
	from := t.s.Frontier.From(p.ID)
	if from == graph.NoPage {
		return trap.Page{}, false
	}
	return t.look(from)
}

// judge returns the reason of the guard to skip a page that would be handed out, or NoBar.
// Seeds, pages of sitemaps and fetched pages are not judged.
func (t *traps) judge(p graph.Page) event.Bar {
	if !t.On || t.s.Frontier.Depth(p) == 0 || t.s.WasFetched(p) {
		return event.NoBar
	}
	x, ok := t.look(p)
	if !ok {
		return event.NoBar
	}
	return t.Guard.Judge(&x)
}

// KnowsWords reports whether the words of the page of a record are known on its site.
func (t *traps) KnowsWords(r *journal.Record) bool {
	p, f := r.Event.Page, t.s.Frontier
	if q, _, _ := t.s.Content.Like(r); q != graph.NoPage && f.Site(q) == f.Site(p) {
		return true
	}
	x, ok := t.look(p)
	return ok && t.Guard.KnowsWords(&x, r.Facts.Change, r.Facts.Terms)
}

// Doubts reports whether the page of a record seems to be in a trap, so that the pages that it
// makes known should go later.
func (t *traps) Doubts(r *journal.Record) bool {
	p := r.Event.Page
	if !t.On || r.Event.Class == event.Redirect || t.s.Frontier.Depth(p) == 0 || t.s.before(&r.Event) {
		return false
	}
	x, ok := t.look(p)
	if !ok {
		return false
	}
	n := t.news(r, &x)
	return t.Guard.Doubts(&x, &n)
}

// Release returns refused pages that have support by now. At the end of a crawl, when there
// are none, it returns some to try: what they bring decides about the rest. trial reports
// whether it did.
func (t *traps) Release(end bool) (pages []graph.Page, trial bool) {
	if !t.On {
		return nil, false
	}
	pages = t.Guard.Release(end, t.lookRefused)
	if trial = end && len(pages) == 0; trial {
		pages = t.Guard.Try(uint64(t.s.Requests[event.Fetch]), t.lookRefused, t.eachTrapped)
	}
	return pages, trial
}

// lookRefused does what look does, for refused pages. Others are not to be admitted.
func (t *traps) lookRefused(p graph.Page) (trap.Page, bool) {
	if t.s.Frontier.State(p) != frontier.RefusedPage {
		return trap.Page{}, false
	}
	return t.look(p)
}

// eachTrapped calls each with the pages that are refused as traps and that the guard does
// not hold: because of the shape of their URLs, or because there were too many.
func (t *traps) eachTrapped(each func(*trap.Page, event.Bar)) {
	f := t.s.Frontier
	for i := range f.Pages() {
		p := graph.Page(i)
		if !trap.IsTrap(f.Bar(p)) || t.Guard.Holding(p) {
			continue
		}
		if x, ok := t.lookRefused(p); ok {
			each(&x, f.Bar(p))
		}
	}
}

// note passes a record to the guard, after the frontier and before the record counts for
// anything else.
func (t *traps) note(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Seed:
		if r.Facts.Old {
			break
		}
		for _, site := range e.New {
			t.Guard.Seed(site)
		}
	case event.Took:
		t.noteTask(&e.Task)
	case event.Refused:
		t.noteRefusal(e)
	case event.Done, event.Rendered:
		t.noteDone(r)
	case event.Linked:
		t.noteTold(e)
	}
	t.noteBars(&r.Event, r.Facts.Trial)
}

// noteTask notes a request.
func (t *traps) noteTask(w *event.Task) {
	switch w.Kind {
	case event.Robots:
		if w.For == w.Site && t.s.Frontier.SitePages(w.Site) > 0 { // otherwise it is for requisites
			t.Guard.Approached(w.Site)
		}
	case event.Fetch:
		if x, ok := t.look(w.Page); ok {
			t.Guard.Requested(&x)
		}
	}
}

// noteRefusal notes a page that is skipped after all. It no longer counts towards the
// limits of its site.
func (t *traps) noteRefusal(e *event.Event) {
	if t.s.WasFetched(e.Page) {
		return
	}
	t.s.Limits.dismiss(t.s.Frontier.Site(e.Page))
	if !trap.IsTrap(e.Bar) {
		return
	}
	if x, ok := t.look(e.Page); ok {
		t.Guard.Refused(&x, e.Bar)
	}
}

// noteBars notes pages that were refused as soon as they were known, and pages that are
// admitted.
func (t *traps) noteBars(e *event.Event, trial bool) {
	for i, b := range e.Bars {
		if trap.IsTrap(b) {
			t.Guard.Barred(e.New[i], b, e.Page)
		}
	}
	if trial {
		return // see noteTrial
	}
	for _, p := range e.Admit {
		if x, ok := t.look(p); ok {
			t.Guard.Admitted(&x)
		}
	}
}

// noteTrial notes pages that are tried, before the frontier forgets why they were refused.
func (t *traps) noteTrial(r *journal.Record) {
	if r.Facts.Trial {
		t.Guard.Tried(r.Event.Admit, t.look, t.s.Frontier.Bar)
	}
}

// noteDone notes what a page brought, once.
func (t *traps) noteDone(r *journal.Record) {
	e, s := &r.Event, t.s
	if e.Again || e.Class.Failed() || r.Facts.Render || s.before(e) {
		return
	}
	home := s.Frontier.Site(e.Page)
	t.noteLinks(e, home)
	if e.Class == event.Redirect {
		s.set(e.Page, dull) // until its target is fetched
	}
	if e.Class != event.OK && e.Class != event.Duplicate {
		return
	}
	t.Guard.Brought(e.Page, len(e.New))
	if _, _, ok := s.Read(e.Page); !ok {
		return
	}
	s.Mirrors.note(r, home)
	t.noteNews(r)
	s.noteText(r)
}

// noteLinks notes the sites that a page links to, and those of which it made pages known.
func (t *traps) noteLinks(e *event.Event, home graph.Site) {
	last := graph.NoSite
	for _, p := range e.Links {
		if to := t.s.Frontier.Site(p); to != home && to != last {
			t.Guard.Linked(home, to)
			last = to
		}
	}
	for _, to := range e.New {
		t.Guard.MadeKnown(e.Page, home, to)
	}
}

// noteTold notes the pages to which other partitions have found links.
func (t *traps) noteTold(e *event.Event) {
	for i, p := range e.Links {
		switch g, site := &e.Gifts[i], t.s.Frontier.Site(p); {
		case g.Depth == 0:
			t.Guard.Seed(site)
		case g.Links > 0:
			t.Guard.LinkedFrom(site)
		}
	}
}

// noteNews notes whether a page brought news. If so, the pages that led to it were good.
func (t *traps) noteNews(r *journal.Record) {
	x, ok := t.look(r.Event.Page)
	if !ok {
		return
	}
	if !t.Guard.Fetched(&x, t.news(r, &x)) {
		t.s.set(x.ID, dull)
		return
	}
	t.credit(x.ID)
}

// news returns what the page of a record brought, as the guard counts it.
func (t *traps) news(r *journal.Record, x *trap.Page) trap.News {
	f := &r.Facts
	n := trap.News{
		Change: f.Change, Terms: f.Terms, Numbers: f.Numbers, Pictures: f.Pictures,
		Soft: saysNotFound(f.Title), Title: titleBeside(f.Title, x.Rest),
		Ends: !madeKnown(r, x, trap.Deeper), Turns: madeKnown(r, x, trap.Turns),
	}
	if p, same, exact := t.s.Content.Like(r); p != graph.NoPage {
		n.Same, n.Like = t.s.Frontier.Site(p) == x.Site, p
		n.Text, n.Exact = n.Same && same, n.Same && exact
		n.Elsewhere = !n.Same && same
	}
	return n
}

// credit counts the page that linked first to one with news as good, once, and so the one
// behind it: between a list and what is on it there may be a redirect.
func (t *traps) credit(p graph.Page) {
	for range 2 {
		p = t.s.Frontier.From(p)
		if p == graph.NoPage || !t.s.has(p, dull) {
			return
		}
		t.s.clear(p, dull)
		if x, ok := t.look(p); ok {
			t.Guard.Led(&x)
		}
	}
}

// madeKnown reports whether a page made a page of its site known that stands in a relation to it.
func madeKnown(r *journal.Record, x *trap.Page, is func(other, page []byte) bool) bool {
	for i, site := range r.Event.New {
		if site == x.Site && i < r.Facts.Names.Len() && is(r.Facts.Names.Rest(i), x.Rest) {
			return true
		}
	}
	return false
}

// titleBeside returns a hash of the words of a title, without numbers, that are not in path
// and query of the page: a title that repeats the URL proves nothing. It returns 0 if there
// are none.
func titleBeside(title string, rest []byte) uint64 {
	url := bytes.ToLower(rest)
	left := make([]byte, 0, 64)
	for _, word := range bytes.Fields(bytes.ToLower([]byte(title))) {
		if word = bytes.Trim(word, ".,:;!?()[]\"'|-"); len(word) > 0 && !bytes.Contains(url, word) {
			left = append(append(left, word...), ' ')
		}
	}
	return page.GistOf(nil, left).Change
}

// notFound lists phrases in the titles of missing pages of any status: in lower case, in
// the languages that most servers use.
var notFound = [][]byte{
	[]byte("not found"), []byte("404"), []byte("does not exist"), []byte("nicht gefunden"), []byte("introuvable"),
	[]byte("no encontrad"), []byte("non trovat"), []byte("não encontrad"), []byte("niet gevonden"),
	[]byte("не найден"), []byte("见つかりません"), []byte("見つかりません"), []byte("未找到"), []byte("找不到"),
}

// saysNotFound reports whether a title states that the page does not exist. Such a page
// counts as one that brought nothing new.
func saysNotFound(title string) bool {
	if title == "" {
		return false
	}
	t := bytes.ToLower([]byte(title))
	for _, words := range notFound {
		if bytes.Contains(t, words) {
			return true
		}
	}
	return false
}

// A site is a mirror of another when of at least mirrorPaths paths that were fetched from
// both four fifths have the same content.
const mirrorPaths = 20

// mirrors compares each site with one other: the first that had a page of the same path
// and the same content. It takes 6 bytes a site. The frontier knows which sites are
// mirrors: it discounts them.
type mirrors struct {
	s      *State
	other  *graph.Column[uint32] // by site: 1 + the site that it is compared with; 0: none
	common *graph.Column[uint8]  // by site: paths that the other had before, at most mostPaths
	equal  *graph.Column[uint8]  // of these, with the same content
	echoes *graph.Column[uint8]  // by site: paths at which another partition had the same content; at most mostPaths
	text   []byte                // scratch
}

// mostPaths is the largest number of paths of a site that are compared: by then it is
// decided.
const mostPaths = 1<<8 - 1

func newMirrors(s *State, max int) mirrors {
	return mirrors{
		s:      s,
		other:  graph.NewColumnIn[uint32](&s.Saved, "mirror other", max),
		common: graph.NewColumnIn[uint8](&s.Saved, "mirror common", max),
		equal:  graph.NewColumnIn[uint8](&s.Saved, "mirror equal", max),
		echoes: graph.NewColumnIn[uint8](&s.Saved, "mirror echoes", max),
	}
}

// otherOf returns 1 + the site that a site is compared with, 0 for none.
func (m *mirrors) otherOf(id graph.Site) uint32 {
	if int(id) >= m.other.Len() {
		return 0
	}
	return m.other.At(int(id))
}

// match lets two sites be compared.
func (m *mirrors) match(a, b graph.Site) {
	n := int(max(a, b)) + 1
	m.other.Grow(n)
	m.common.Grow(n)
	m.equal.Grow(n)
	m.other.Set(int(a), uint32(b)+1)
	m.other.Set(int(b), uint32(a)+1)
}

// note compares a page of a site that was fetched and whose content is not recorded yet.
func (m *mirrors) note(r *journal.Record, home graph.Site) {
	p := r.Event.Page
	first, _, repeated := m.s.Content.Original(r.Facts.Digest)
	if repeated = repeated && first != p; repeated {
		m.pair(home, p, first)
	}
	n := m.otherOf(home)
	if n == 0 {
		return
	}
	q, ok := m.samePath(p, graph.Site(n-1))
	if !ok || m.common.At(int(home)) == mostPaths {
		return
	}
	m.common.Slice()[home]++
	if repeated && first == q {
		m.equal.Slice()[home]++
	}
	m.decide(home, graph.Site(n-1))
}

// pair lets two sites be compared that have a page of the same path and content, if they
// are compared with no others.
func (m *mirrors) pair(home graph.Site, p, first graph.Page) {
	s := m.s
	there := s.Frontier.Site(first)
	if there == home || m.otherOf(home) != 0 || m.otherOf(there) != 0 {
		return
	}
	_, rest, ok := s.Read(first)
	m.text = append(m.text[:0], rest...)
	if _, rest, also := s.Read(p); ok && also && bytes.Equal(rest, m.text) {
		m.match(home, there)
	}
}

// samePath returns the page of a site with the path of p, if it was fetched.
func (m *mirrors) samePath(p graph.Page, site graph.Site) (graph.Page, bool) {
	_, rest, ok := m.s.Read(p)
	if !ok {
		return graph.NoPage, false
	}
	q, ok := m.s.LookupIn(site, rest)
	return q, ok && int(q) < m.s.in.Len() && m.s.WasFetched(q)
}

// decide discounts the site that became known later when two are the same. It is not left
// out: a fifth of its pages may be its own.
func (m *mirrors) decide(a, b graph.Site) {
	common := int(m.common.At(int(a))) + int(m.common.At(int(b)))
	equal := int(m.equal.At(int(a))) + int(m.equal.At(int(b)))
	if common >= mirrorPaths && 5*equal >= 4*common {
		m.s.Frontier.DiscountSite(max(a, b))
	}
}

// A MirrorOf is a site that is nearly the same as another.
type MirrorOf struct {
	Site string `json:"site"`
	Of   string `json:"of"`
}

// MaxListed is the largest number of traps, of mirrors and of unreachable sites that a
// status names.
const MaxListed = 20

// List returns the first mirrors that were found, and the number of all.
func (m *mirrors) List() (list []MirrorOf, n int64) {
	name := func(id graph.Site) string { return string(m.s.Table.Name(id)) }
	for i, of := range m.other.Slice() {
		if of == 0 || !m.s.Frontier.SiteDiscounted(graph.Site(i)) {
			continue
		}
		if n++; len(list) < MaxListed {
			list = append(list, MirrorOf{name(graph.Site(i)), name(graph.Site(of - 1))})
		}
	}
	return list, n
}
