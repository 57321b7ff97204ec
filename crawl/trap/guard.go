package trap

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// A Page is a page as the guard sees it.
type Page struct {
	ID     graph.Page
	Site   graph.Site
	Rest   []byte // path and query
	Single bool   // at most one link to it is known
}

// News is what a page brought that came.
type News struct {
	Exact     bool // a page of the site had the same content before
	Same      bool // the same, or nearly
	Elsewhere bool // a page of another site had the same content before
	Soft      bool // it says that it was not found
	Ends      bool // it brought no page that lies deeper, see Deeper
}

// A Guard knows what came of the places of a crawl. It has one owner.
type Guard struct {
	// Parent, if not nil, is asked for the page that linked to a page first; it may make the
	// text of the page invalid.
	Parent func(*Page) (Page, bool)

	domains
	key    graph.URLKey
	groups groups
	places places
	params params
	held   held
	marks  marks
	crowds map[graph.Page]bool // pages that brought very many others
	text   []byte              // scratch: a group
}

// New makes a guard of a crawl that knows nothing. The secret keys its tables, so that
// nobody can fill one part of them.
func New(secret [16]byte, maxPages, maxSites int) *Guard {
	g := &Guard{
		domains: newDomains(maxSites),
		groups:  newGroups("group", secret, maxPages), places: newPlaces(secret, maxPages), params: newParams(secret, maxPages),
		held: newHeld(), marks: newMarks(maxSites), crowds: map[graph.Page]bool{},
	}
	g.key = g.groups.seen.Key()
	return g
}

// Columns hands out all columns.
func (g *Guard) Columns(each func(graph.AnyColumn)) {
	g.domains.columns(each)
	g.groups.columns(each)
	g.places.columns(each)
	g.params.columns(each)
	each(g.marks.barred)
}

// MapBytes is about what is in no column, and bounded: held pages, marks, crowds.
func (g *Guard) MapBytes() int64 {
	const mark, crowd = 160, 16
	return g.held.bytes() + mark*int64(len(g.marks.pages)) + crowd*int64(len(g.crowds))
}

// Save writes all columns with their checksums.
func (g *Guard) Save(w io.Writer) error {
	if err := g.groups.seen.Save(w); err != nil {
		return err
	}
	for _, t := range []*graph.Seen{g.places.seen, g.params.seen, g.params.stems} {
		if err := t.Save(w); err != nil {
			return err
		}
	}
	return g.rest(func(c graph.AnyColumn) error { return c.Save(w) })
}

// Load reads what Save wrote into a guard that knows nothing.
func (g *Guard) Load(r io.Reader) error {
	if err := g.groups.seen.Load(r); err != nil {
		return err
	}
	for _, t := range []*graph.Seen{g.places.seen, g.params.seen, g.params.stems} {
		if err := t.Load(r); err != nil {
			return err
		}
	}
	if err := g.rest(func(c graph.AnyColumn) error { return c.Load(r) }); err != nil {
		return err
	}
	if g.groups.news.Len() != g.groups.seen.Pages() || g.places.leaves.Len() != g.places.seen.Pages() {
		return fmt.Errorf("%d groups and %d places, want %d and %d", g.groups.news.Len(), g.places.leaves.Len(),
			g.groups.seen.Pages(), g.places.seen.Pages())
	}
	return nil
}

// rest goes over the columns that are not those of tables.
func (g *Guard) rest(do func(graph.AnyColumn) error) (err error) {
	each := func(c graph.AnyColumn) {
		if err == nil {
			err = do(c)
		}
	}
	g.domains.columns(each)
	g.groups.rest(each)
	g.places.rest(each)
	g.params.rest(each)
	each(g.marks.barred)
	return err
}

// AddSite enters the next site, by its host and the number and name of its registered
// domain.
func (g *Guard) AddSite(host []byte, domain uint32, name string) {
	short := bytes.TrimPrefix(host, []byte("www."))
	g.domains.add(domain, string(short) == name)
}

// SiteDomains is the column of the registered domain of each site, to be read only.
func (g *Guard) SiteDomains() *graph.Column[uint32] { return g.domains.of }

// Seed notes that a site has a page from which the crawl begins.
func (g *Guard) Seed(s graph.Site) { g.domains.seed(s) }

// Linked notes that a page of one site that came links to a page of another.
func (g *Guard) Linked(from, to graph.Site) { g.domains.link(from, to) }

// Asked notes that a page was handed out.
func (g *Guard) Asked(p *Page) {
	g.held.settle(p.ID)
	g.domains.charge(p.Site)
	if name, depth := place(p.Rest); depth > 0 {
		g.places.enter(g.hash(p.Site, name), depth)
	}
}

// hash is that of a group or a place of a site.
func (g *Guard) hash(s graph.Site, name []byte) uint64 { return g.key.Page(uint64(s), name) }

func (g *Guard) groupOf(p *Page) uint64 {
	g.text = appendGroup(g.text[:0], p.Rest)
	return g.hash(p.Site, g.text)
}

// Came notes what a page brought that came for the first time.
func (g *Guard) Came(p *Page, n News) {
	dull := n.Same || n.Soft
	switch {
	case n.Elsewhere:
		countUp(g.same, int(p.Site))
	case !dull:
		g.domains.came(p.Site)
	}
	g.noteParams(p, n.Exact)
	news := !dull || !p.Single
	if id, _ := g.groups.enter(g.groupOf(p)); true {
		g.groups.count(id, news)
	}
	if name, depth := place(p.Rest); depth > 0 {
		id := g.places.enter(g.hash(p.Site, name), depth)
		g.places.count(id, news)
		if !dull && !n.Elsewhere {
			g.places.came(id, depth, n.Ends)
		}
	}
}

// A group is tired when so many of its pages brought nothing, and so many times as many
// as brought something. Places are larger and mixed, so it takes more.
const (
	groupLeast, groupTimes = 4, 4
	placeLeast, placeTimes = 12, 8
)

// Judge says what speaks against handing out a page. Its text may be invalid afterwards.
// One that is held stays so as long as it needs an allowance, whatever else links to it: a
// page may link to a thousand of them, and what is left is for Release to share out.
func (g *Guard) Judge(p *Page) frontier.Bar {
	if _, free := g.held.free[p.ID]; free {
		return frontier.NoBar
	}
	if r, held := g.held.of[p.ID]; held && g.allowance(p).left < math.MaxInt64 {
		return r.bar
	}
	return g.judge(p)
}

// judge is Judge for a page that is neither free nor held.
func (g *Guard) judge(p *Page) frontier.Bar {
	switch {
	case g.isWild(p.Site):
		return frontier.BarHosts
	case g.isFarm(p.Site):
		return frontier.BarFarm
	case g.isCopy(p.Site):
		return frontier.BarNoNews
	case g.isVariant(p):
		return frontier.BarDuplicate
	}
	name, depth := place(p.Rest)
	tired := false
	if id, ok := g.places.find(g.hash(p.Site, name)); ok && depth > 0 {
		if g.places.left(id, depth) == 0 {
			return frontier.BarGrows
		}
		tired = g.places.tired(id, placeLeast, placeTimes)
	}
	if !p.Single {
		return frontier.NoBar
	}
	group := g.groupOf(p)
	if id, ok := g.groups.find(group); ok && g.groups.tired(id, groupLeast, groupTimes) {
		tired = true
	}
	if tired && g.bred(p, group, g.hash(p.Site, name)) {
		return frontier.BarNoNews
	}
	return frontier.NoBar
}

// bred tells whether a page was made up: its name is an id that no person would write, one
// of the same group or place linked to it first whose like bring nothing new themselves, or
// one that links to so many that nobody has written them.
func (g *Guard) bred(p *Page, group, place uint64) bool {
	switch {
	case hasID(p.Rest):
		return true
	case g.Parent == nil:
		return false
	}
	from, ok := g.Parent(p)
	if !ok {
		return false
	}
	if _, crowd := g.crowds[from.ID]; crowd {
		return true
	}
	by := g.groupOf(&from)
	return from.Site == p.Site && (by == group || g.placeOf(&from) == place) && !g.brings(by)
}

// brings tells whether most pages of a group brought something new: a list of pages that
// look alike is no trap, though they are.
func (g *Guard) brings(group uint64) bool {
	id, ok := g.groups.find(group)
	return ok && g.groups.news.At(id) > g.groups.dull.At(id)
}

func (g *Guard) placeOf(p *Page) uint64 {
	name, _ := place(p.Rest)
	return g.hash(p.Site, name)
}

// crowd is how many new pages make the page that brought them one that nobody has written;
// maxCrowds how many such pages are known again.
const crowd, maxCrowds = 1000, 10_000

// Brought notes how many new pages a page has brought.
func (g *Guard) Brought(p graph.Page, pages int) {
	if pages > crowd && len(g.crowds) < maxCrowds {
		g.crowds[p] = true
	}
}

// Held tells whether a bar is a suspicion: such pages are held, and may be released.
func Held(b frontier.Bar) bool {
	return b == frontier.BarHosts || b == frontier.BarFarm || b == frontier.BarGrows
}

// IsTrap tells whether a bar is about traps.
func IsTrap(b frontier.Bar) bool {
	return b == frontier.BarTrap || b == frontier.BarNoNews || b == frontier.BarDuplicate || Held(b)
}
