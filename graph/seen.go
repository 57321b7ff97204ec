package graph

import (
	"bytes"
	"fmt"
	"io"
)

// Seen is the URL table of a growing crawl: which sites and pages are known, and
// their ids, dense and in the order of first sight. It answers the seen-test (W2,
// W22, W30).
//
// Sites are known by their names, which are kept. Pages are known by 64 bits of a
// keyed hash of their URL and nothing else; page id to URL is the business of a
// [URLLog]. Two of n pages share a hash with probability n^2/2^65, and then the later
// one is taken for seen: 3e-4 at 10^8 pages, 3e-2 at 10^9, over a whole crawl. (Sites
// that share a hash, m^2/2^65, share their pages' hashes.) Nobody can bring it about
// without the secret. A pass over all URLs finds whether it happened.
//
// A page takes 13.7 to 14.6 bytes, a site the same, 2.5 more and its name; all outside
// the Go heap. No insert moves more than a few thousand slots.
//
// A Seen has one owner and no lock. Hashes are made elsewhere, with its Key.
type Seen struct {
	key      URLKey
	pages    idTable
	sites    idTable
	maxPages int
	maxSites int
	names    *Column[uint8]  // of the sites, one after the other
	lengths  *Column[uint16] // of each name
	starts   *Column[uint64] // where every startEach-th name begins
}

// startEach is how many lengths are added up at most to find a name.
const startEach = 16

// MaxSiteName is the length of the longest name a site may have: scheme, 253 bytes of
// host and a port fit. Longer ones name no host that could be asked.
const MaxSiteName = 280

// NewSeen makes an empty table for at most so many pages and sites, under the secret
// of a crawl. It reserves address space for them, not memory.
func NewSeen(secret [16]byte, maxPages, maxSites int) *Seen {
	return &Seen{
		key:      NewURLKey(secret),
		pages:    newIDTable("seen pages", maxPages),
		sites:    newIDTable("seen sites", maxSites),
		maxPages: min(maxPages, MaxPages),
		maxSites: min(maxSites, int(NoSite)),
		names:    NewColumn[uint8]("site names", maxSites*MaxSiteName),
		lengths:  NewColumn[uint16]("site name lengths", maxSites),
		starts:   NewColumn[uint64]("site name starts", maxSites/startEach+1),
	}
}

// Key is what hashes for this table.
func (s *Seen) Key() URLKey { return s.key }

// Pages is the number of known pages.
func (s *Seen) Pages() int { return s.pages.n }

// Sites is the number of known sites.
func (s *Seen) Sites() int { return s.sites.n }

// Page returns the page with a hash, Key().Page(site, rest); fresh if it was not known
// before. When the table is full a page that is not known is NoPage, and not fresh.
func (s *Seen) Page(hash uint64) (p Page, fresh bool) {
	if s.pages.n == s.maxPages {
		p, _ = s.LookupPage(hash)
		return p, false
	}
	id, fresh := s.pages.add(hash)
	return Page(id), fresh
}

// LookupPage returns the page with a hash, if it is known, else NoPage.
func (s *Seen) LookupPage(hash uint64) (p Page, ok bool) {
	id, ok := s.pages.lookup(hash)
	if !ok {
		return NoPage, false
	}
	return Page(id), true
}

// Touch reads the slots in which pages will be looked up. The look-ups that follow
// then wait for memory together and not one after the other: worth it for the links
// of a page, once the table is larger than the cache. The result means nothing.
func (s *Seen) Touch(hashes []uint64) (sum uint64) {
	b := s.pages.slots.Slice()
	for _, h := range hashes {
		at := s.pages.home(min(h, maxHash)) * slotSize
		sum += keyAt(b, at) + uint64(b[min(at+cacheLine, len(b)-1)]) // few searches go further
	}
	return sum
}

const cacheLine = 64

// Site returns the site of a name with its hash, Key().Site(name); fresh if it was not
// known before. When the table is full, or the name is longer than MaxSiteName, a site
// that is not known is NoSite, and not fresh.
func (s *Seen) Site(hash uint64, name []byte) (site Site, fresh bool) {
	site, free := s.site(hash, name)
	if site != NoSite || s.sites.n == s.maxSites || len(name) > MaxSiteName {
		return site, false
	}
	id, _ := s.sites.add(free)
	at := s.names.Len()
	s.names.Grow(at + len(name))
	copy(s.names.Slice()[at:], name)
	if id%startEach == 0 {
		s.starts.Append(uint64(at))
	}
	s.lengths.Append(uint16(len(name)))
	return Site(id), true
}

// LookupSite returns the site of a name, if it is known, else NoSite.
func (s *Seen) LookupSite(hash uint64, name []byte) (site Site, ok bool) {
	site, _ = s.site(hash, name)
	return site, site != NoSite
}

// site returns the site of a name or the hash under which it can be entered: where
// two names share a hash, the later one has the next.
func (s *Seen) site(hash uint64, name []byte) (site Site, free uint64) {
	for ; ; hash++ {
		id, ok := s.sites.lookup(hash)
		if !ok {
			return NoSite, hash
		}
		if bytes.Equal(s.Name(Site(id)), name) {
			return Site(id), hash
		}
	}
}

// Name is the name of a site; it must not be changed.
func (s *Seen) Name(site Site) []byte {
	block := int(site) / startEach
	from := s.starts.At(block)
	lengths := s.lengths.Slice()[block*startEach : site+1]
	for _, n := range lengths[:len(lengths)-1] {
		from += uint64(n)
	}
	to := from + uint64(lengths[len(lengths)-1])
	return s.names.Slice()[from:to:to]
}

// Columns hands out every column.
func (s *Seen) Columns(each func(AnyColumn)) {
	for _, c := range []AnyColumn{s.pages.slots, s.sites.slots, s.names, s.lengths, s.starts} {
		each(c)
	}
}

// Bytes is the memory taken.
func (s *Seen) Bytes() (sum int64) {
	s.Columns(func(c AnyColumn) { sum += c.Bytes() })
	return sum
}

// Free gives the memory back.
func (s *Seen) Free() { s.Columns(AnyColumn.Free) }

// Save writes the table with checksums. The bytes depend on what was entered, in which
// order, and on the secret, which is not among them.
func (s *Seen) Save(w io.Writer) (err error) {
	rest := s.rest()
	defer rest.Free()
	save := func(c AnyColumn) {
		if err == nil {
			err = c.Save(w)
		}
	}
	save(rest)
	s.Columns(save)
	return err
}

// rest is what is in no column: a mark by which the secret is known again, and the
// states of the two tables.
func (s *Seen) rest() *Column[uint64] {
	c := NewColumn[uint64]("seen rest", 16)
	c.Append(s.key.Page(0, []byte("the key of a table of seen URLs")))
	for _, t := range []*idTable{&s.pages, &s.sites} {
		for _, v := range t.state() {
			c.Append(v)
		}
	}
	return c
}

// Load replaces the table by a saved one of the same secret. After an error the table
// is empty.
func (s *Seen) Load(r io.Reader) (err error) {
	want := s.rest()
	defer want.Free()
	rest := NewColumn[uint64]("seen rest", 16)
	defer rest.Free()
	load := func(c AnyColumn) {
		if err == nil {
			err = c.Load(r)
		}
	}
	load(rest)
	s.Columns(load)
	if err == nil {
		err = s.restore(rest.Slice(), want.Slice())
	}
	if err != nil {
		s.empty()
		return fmt.Errorf("load seen URLs: %w", err)
	}
	return nil
}

// restore takes over the states of the tables, whose columns are loaded.
func (s *Seen) restore(rest, want []uint64) error {
	if len(rest) != len(want) {
		return fmt.Errorf("%d numbers of state, want %d", len(rest), len(want))
	}
	if rest[0] != want[0] {
		return fmt.Errorf("saved under another secret")
	}
	if err := s.pages.restore([4]uint64(rest[1:5])); err != nil {
		return err
	}
	if err := s.sites.restore([4]uint64(rest[5:9])); err != nil {
		return err
	}
	if s.pages.n > s.maxPages || s.sites.n > s.maxSites {
		return fmt.Errorf("%d pages and %d sites, room for %d and %d", s.pages.n, s.sites.n, s.maxPages, s.maxSites)
	}
	return s.checkNames()
}

// checkNames checks that every site has a name and no byte is left over.
func (s *Seen) checkNames() error {
	if s.lengths.Len() != s.sites.n || s.starts.Len() != (s.sites.n+startEach-1)/startEach {
		return fmt.Errorf("%d names and %d starts for %d sites", s.lengths.Len(), s.starts.Len(), s.sites.n)
	}
	at := uint64(0)
	for i, n := range s.lengths.Slice() {
		if n > MaxSiteName || i%startEach == 0 && s.starts.At(i/startEach) != at {
			return fmt.Errorf("the name of site %d has %d bytes from %d on", i, n, at)
		}
		at += uint64(n)
	}
	if at != uint64(s.names.Len()) {
		return fmt.Errorf("names of %d bytes, %d stored", at, s.names.Len())
	}
	return nil
}

// empty forgets everything.
func (s *Seen) empty() {
	s.pages.empty()
	s.sites.empty()
	cut(s.names, 0)
	cut(s.lengths, 0)
	cut(s.starts, 0)
}
