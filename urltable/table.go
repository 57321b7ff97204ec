package urltable

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// A Table maps the names of sites and the hashes of URLs to ids, which are dense and
// in the order of first sight. It answers the seen-test.
//
// A Table stores the names of sites. Of a page it stores only 64 bits of a keyed hash of
// its URL; a [Log] maps the id of a page back to its URL. Two of n pages share a hash with
// probability n^2/2^65, and the later one then counts as seen: 3e-4 at 10^8 pages, 3e-2 at
// 10^9, over a whole crawl. (Sites that share a hash, m^2/2^65, share the hashes of their
// pages.) Without the secret, no author of pages can cause a collision. A pass over all
// URLs finds out whether there was one.
//
// A page takes 13.7 to 14.6 bytes; a site takes 2.5 more and its name. All of it is
// outside the Go heap. No insert moves more than a few thousand slots.
//
// A Table has one owner and no lock. Other goroutines compute hashes with its Key.
type Table struct {
	graph.Set
	key      Key
	pages    idTable
	sites    idTable
	maxPages int
	maxSites int
	names    *graph.Column[uint8]  // of all sites, concatenated
	lengths  *graph.Column[uint16] // of each name
	starts   *graph.Column[uint64] // where every startEach-th name begins
}

// startEach is the number of names for which one start is stored: finding a name adds
// up fewer lengths than that.
const startEach = 16

// MaxSiteName is the length of the longest name of a site: a scheme, 253 bytes of host
// and a port fit. No host has a longer name.
const MaxSiteName = 280

// New returns an empty table with room for maxPages pages and maxSites sites, under
// the secret of a crawl. It reserves address space, not memory. The names of its
// columns begin with name.
func New(name string, secret [16]byte, maxPages, maxSites int) *Table {
	if name != "" {
		name += " "
	}
	t := &Table{key: NewKey(secret), maxPages: min(maxPages, graph.MaxPages), maxSites: min(maxSites, int(graph.NoSite))}
	t.pages = newIDTable(&t.Set, name+"seen pages", maxPages)
	t.sites = newIDTable(&t.Set, name+"seen sites", maxSites)
	t.names = graph.NewColumnIn[uint8](&t.Set, name+"site names", maxSites*MaxSiteName)
	t.lengths = graph.NewColumnIn[uint16](&t.Set, name+"site name lengths", maxSites)
	t.starts = graph.NewColumnIn[uint64](&t.Set, name+"site name starts", maxSites/startEach+1)
	return t
}

// Key returns the key that hashes URLs for this table.
func (t *Table) Key() Key { return t.key }

// Pages returns the number of known pages.
func (t *Table) Pages() int { return t.pages.n }

// Sites returns the number of known sites.
func (t *Table) Sites() int { return t.sites.n }

// Page returns the page with a hash, as computed by Key().Page(site, rest), and adds
// it if it is new. fresh reports whether it was added. Page returns graph.NoPage for a
// new page when the table is full.
func (t *Table) Page(hash uint64) (p graph.Page, fresh bool) {
	if t.pages.n == t.maxPages {
		p, _ = t.LookupPage(hash)
		return p, false
	}
	id, fresh := t.pages.add(hash)
	return graph.Page(id), fresh
}

// LookupPage returns the page with a hash, or graph.NoPage if it is unknown.
func (t *Table) LookupPage(hash uint64) (p graph.Page, ok bool) {
	id, ok := t.pages.lookup(hash)
	if !ok {
		return graph.NoPage, false
	}
	return graph.Page(id), true
}

// Site returns the site with a name and its hash, as computed by Key().Site(name), and
// adds it if it is new. fresh reports whether it was added. Site returns graph.NoSite
// for a new site when the table is full or the name is longer than MaxSiteName.
func (t *Table) Site(hash uint64, name []byte) (site graph.Site, fresh bool) {
	site, free := t.site(hash, name)
	if site != graph.NoSite || t.sites.n == t.maxSites || len(name) > MaxSiteName {
		return site, false
	}
	id, _ := t.sites.add(free)
	at := t.names.Len()
	t.names.Grow(at + len(name))
	copy(t.names.Slice()[at:], name)
	if id%startEach == 0 {
		t.starts.Append(uint64(at))
	}
	t.lengths.Append(uint16(len(name)))
	return graph.Site(id), true
}

// LookupSite returns the site with a name, or graph.NoSite if it is unknown.
func (t *Table) LookupSite(hash uint64, name []byte) (site graph.Site, ok bool) {
	site, _ = t.site(hash, name)
	return site, site != graph.NoSite
}

// site returns the site with a name, or else the hash under which to add it: of two
// names that share a hash the later one takes the next hash.
func (t *Table) site(hash uint64, name []byte) (site graph.Site, free uint64) {
	for ; ; hash++ {
		id, ok := t.sites.lookup(hash)
		if !ok {
			return graph.NoSite, hash
		}
		if bytes.Equal(t.Name(graph.Site(id)), name) {
			return graph.Site(id), hash
		}
	}
}

// Name returns the name of a site. The caller must not change it.
func (t *Table) Name(site graph.Site) []byte {
	block := int(site) / startEach
	from := t.starts.At(block)
	lengths := t.lengths.Slice()[block*startEach : site+1]
	for _, n := range lengths[:len(lengths)-1] {
		from += uint64(n)
	}
	to := from + uint64(lengths[len(lengths)-1])
	return t.names.Slice()[from:to:to]
}

// Save writes the table with checksums. The bytes depend on the entries, their order
// and the secret. The secret itself is not written.
func (t *Table) Save(w io.Writer) error {
	rest := t.rest()
	defer rest.Free()
	if err := rest.Save(w); err != nil {
		return err
	}
	return t.Set.Save(w)
}

// rest returns what no column holds: a hash that identifies the secret, and the states
// of the two hash tables.
func (t *Table) rest() *graph.Column[uint64] {
	c := graph.NewColumn[uint64]("seen rest", 16)
	c.Append(t.key.Page(0, []byte("the key of a table of seen URLs")))
	for _, ids := range []*idTable{&t.pages, &t.sites} {
		for _, v := range ids.state() {
			c.Append(v)
		}
	}
	return c
}

// Load replaces the contents by a saved table with the same secret. After an error the
// table is empty.
func (t *Table) Load(r io.Reader) error {
	want := t.rest()
	defer want.Free()
	rest := graph.NewColumn[uint64]("seen rest", 16)
	defer rest.Free()
	err := rest.Load(r)
	if err == nil {
		err = t.Set.Load(r)
	}
	if err == nil {
		err = t.restore(rest.Slice(), want.Slice())
	}
	if err != nil {
		t.empty()
		return fmt.Errorf("load seen URLs: %w", err)
	}
	return nil
}

// restore sets the states of the hash tables after their columns were loaded.
func (t *Table) restore(rest, want []uint64) error {
	if len(rest) != len(want) {
		return fmt.Errorf("%d numbers of state, want %d", len(rest), len(want))
	}
	if rest[0] != want[0] {
		return fmt.Errorf("saved under another secret")
	}
	if err := t.pages.restore([4]uint64(rest[1:5])); err != nil {
		return err
	}
	if err := t.sites.restore([4]uint64(rest[5:9])); err != nil {
		return err
	}
	if t.pages.n > t.maxPages || t.sites.n > t.maxSites {
		return fmt.Errorf("%d pages and %d sites, room for %d and %d", t.pages.n, t.sites.n, t.maxPages, t.maxSites)
	}
	return t.checkNames()
}

// checkNames checks that the names of all sites together make up the stored bytes.
func (t *Table) checkNames() error {
	if t.lengths.Len() != t.sites.n || t.starts.Len() != (t.sites.n+startEach-1)/startEach {
		return fmt.Errorf("%d names and %d starts for %d sites", t.lengths.Len(), t.starts.Len(), t.sites.n)
	}
	at := uint64(0)
	for i, n := range t.lengths.Slice() {
		if n > MaxSiteName || i%startEach == 0 && t.starts.At(i/startEach) != at {
			return fmt.Errorf("the name of site %d has %d bytes from %d on", i, n, at)
		}
		at += uint64(n)
	}
	if at != uint64(t.names.Len()) {
		return fmt.Errorf("names of %d bytes, %d stored", at, t.names.Len())
	}
	return nil
}

// empty removes all entries.
func (t *Table) empty() {
	t.pages.empty()
	t.sites.empty()
	t.names.Truncate(0)
	t.lengths.Truncate(0)
	t.starts.Truncate(0)
}

// A Key hashes the names of sites and URLs under the secret of one crawl. It is a value
// without state: fetchers hash the links that they find, and the owner of the crawl
// only looks the hashes up.
//
// The hash is SipHash-1-3 (Aumasson and Bernstein 2012, in the form with fewer rounds
// that hash tables use). It must be keyed: with a fixed hash, such as xxh3, an author of
// pages could choose URLs that collide, and so hide pages or slow the crawler down. It
// need not be stronger: no hash leaves the program, so nobody can learn the key from
// its results. SipHash-2-4 takes nearly twice the time.
type Key struct{ k0, k1 uint64 }

// NewKey returns the key of a secret: 16 random bytes that a crawl draws once and keeps
// in its journal.
func NewKey(secret [16]byte) Key {
	return Key{binary.LittleEndian.Uint64(secret[:8]), binary.LittleEndian.Uint64(secret[8:])}
}

// Site returns the hash of the name of a site.
func (k Key) Site(name []byte) uint64 {
	v := k.start()
	return v.finish(name, len(name))
}

// Page returns the hash of a URL, given the hash of the name of its site and the rest:
// path and query. Most links stay inside their site, so that one hash of a name serves
// many of them, as the two tables of WIRE do. Two different pairs never hash the same
// bytes: the first eight are the site.
func (k Key) Page(site uint64, rest []byte) uint64 {
	v := k.start()
	v.v3 ^= site
	v = v.round()
	v.v0 ^= site
	return v.finish(rest, 8+len(rest))
}

// sip is the state of SipHash.
type sip struct{ v0, v1, v2, v3 uint64 }

func (k Key) start() sip { // the constants spell "somepseudorandomlygeneratedbytes"
	return sip{
		k.k0 ^ 0x736f6d6570736575, k.k1 ^ 0x646f72616e646f6d,
		k.k0 ^ 0x6c7967656e657261, k.k1 ^ 0x7465646279746573,
	}
}

// finish adds b, the end of a text of size bytes, and returns the hash of the text.
func (v sip) finish(b []byte, size int) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		m := binary.LittleEndian.Uint64(b)
		v.v3 ^= m
		v = v.round()
		v.v0 ^= m
	}
	last := uint64(size) << 56
	for i, c := range b {
		last |= uint64(c) << (8 * i)
	}
	v.v3 ^= last
	v = v.round()
	v.v0 ^= last
	v.v2 ^= 0xff
	v = v.round().round().round()
	return v.v0 ^ v.v1 ^ v.v2 ^ v.v3
}

func (v sip) round() sip {
	v.v0 += v.v1
	v.v2 += v.v3
	v.v1 = bits.RotateLeft64(v.v1, 13) ^ v.v0
	v.v3 = bits.RotateLeft64(v.v3, 16) ^ v.v2
	v.v0 = bits.RotateLeft64(v.v0, 32) + v.v3
	v.v2 += v.v1
	v.v3 = bits.RotateLeft64(v.v3, 21) ^ v.v0
	v.v1 = bits.RotateLeft64(v.v1, 17) ^ v.v2
	v.v2 = bits.RotateLeft64(v.v2, 32)
	return v
}
