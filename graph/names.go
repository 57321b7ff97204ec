package graph

import (
	"bytes"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/graph/bv"
)

// names writes URLs, sites and the tables that find them.
func (b *builder) names() error {
	var sites *siteWriter
	if b.src.Sites != nil || b.src.URLs != nil {
		sites = newSiteWriter(b.src.Pages)
		defer sites.of.Free()
	}
	if b.src.Sites != nil {
		if err := b.src.Sites(func(name []byte) error { return b.siteName(sites, name) }); err != nil {
			return err
		}
	}
	if b.src.URLs != nil {
		if err := b.urls(sites); err != nil {
			return err
		}
	}
	if sites == nil {
		b.w.h.sites = b.w.h.pages
		return nil
	}
	return b.sites(sites)
}

// namesMemory returns the memory that writing names takes, without the names of sites: the
// runtime and the readers; site, hash and URL table of each page.
func namesMemory(pages int) int64 { return 14<<20 + int64(pages)*20 }

// tellNames reports progress, and returns an error if there are more sites than there is
// memory for: their number is not known in advance.
func (b *builder) tellNames(stage string, done int, sites *siteWriter) error {
	base, names := namesMemory(b.src.Pages), sites.names.bytes()
	if base+names > b.o.MaxMemory {
		all := float64(names) * float64(b.src.Pages) / float64(max(1, done)) // if it goes on like this
		return &MemoryError{Need: base + int64(all), Have: b.o.MaxMemory, Pages: b.src.Pages, Sites: sites.names.Len()}
	}
	return b.tell(stage, int64(done), int64(b.src.Pages))
}

// siteName records the site of the next page, by its name in the list of sites.
func (b *builder) siteName(sites *siteWriter, name []byte) error {
	n := sites.of.Len()
	if n == b.src.Pages {
		return fmt.Errorf("more site names than the %d pages", b.src.Pages)
	}
	if n%4096 == 0 {
		if err := b.tellNames(StageSites, n, sites); err != nil {
			return err
		}
	}
	return sites.add(name)
}

// urls writes the URLs and, unless there is a list of sites, records the site of each.
func (b *builder) urls(sites *siteWriter) error {
	if err := b.w.begin(secURLs); err != nil {
		return err
	}
	t := textWriter{w: b.w}
	hashes := NewColumn[uint64]("url hashes", b.src.Pages)
	defer hashes.Free()
	err := b.src.URLs(func(url []byte) error {
		if t.n%4096 == 0 {
			if err := b.tellNames(StageURLs, t.n, sites); err != nil {
				return err
			}
		}
		if t.n == b.src.Pages {
			return fmt.Errorf("more URLs than the %d pages", b.src.Pages)
		}
		if b.src.Sites == nil {
			if err := sites.add(SiteOfURL(url)); err != nil {
				return err
			}
		}
		hashes.Append(hashURL(url))
		return t.add(url)
	})
	if err != nil {
		return err
	}
	if t.n != b.src.Pages {
		return fmt.Errorf("%d URLs for %d pages", t.n, b.src.Pages)
	}
	b.w.end(uint64(t.n))
	index, err := t.index()
	if err != nil {
		return err
	}
	if err := b.w.section(secURLIndex, rawBytes(index), 0); err != nil {
		return err
	}
	return b.urlTable(hashes.Slice(), index)
}

// urlTable writes the table that finds pages by URL. Pages with equal hashes are
// distinguished by their URLs, which it reads back from the file.
func (b *builder) urlTable(hashes, index []uint64) error {
	text, done, err := b.w.view(secURLs)
	if err != nil {
		return err
	}
	defer done()
	blocks, err := bv.OpenIndex(index)
	if err != nil {
		return err
	}
	urls := &texts{n: len(hashes), bytes: text, blocks: blocks}
	t := newURLTable(len(hashes))
	var one, two []byte
	for p, h := range hashes {
		_, found := t.insert(h, Page(p), func(q Page) bool {
			if hashes[q] != h {
				return false
			}
			one, _ = urls.append(one[:0], p)
			two, _ = urls.append(two[:0], int(q))
			return bytes.Equal(one, two)
		})
		if found {
			b.src.Card.RepeatedURLs++
		}
	}
	if err := b.w.begin(secURLTable); err != nil {
		return err
	}
	if _, err := b.w.Write(rawBytes(t.pages)); err != nil {
		return err
	}
	if _, err := b.w.Write(t.tags); err != nil {
		return err
	}
	b.w.end(0)
	return nil
}

// SiteOfURL returns the part of a URL that names its site: scheme, host and port, the
// bytes before the third slash. (Case is folded by the writer.)
func SiteOfURL(url []byte) []byte {
	at := 0
	for range 3 {
		i := bytes.IndexByte(url[at:], '/')
		if i < 0 {
			return url
		}
		at += i + 1
	}
	return url[:at-1]
}

// A siteWriter numbers sites in the order in which they appear.
type siteWriter struct {
	of    *Column[Site]
	names nameTable
	last  []byte // name of the last page's site, as given
	low   []byte // the same in lower case
}

func newSiteWriter(pages int) *siteWriter {
	return &siteWriter{of: NewColumn[Site]("site of page", pages)}
}

// add records the site of the next page.
func (s *siteWriter) add(name []byte) error {
	n := s.of.Len()
	if n > 0 && bytes.Equal(name, s.last) {
		s.of.Append(s.of.At(n - 1))
		return nil
	}
	if len(name) > nameBlock {
		return fmt.Errorf("the site of page %d has a name of %d bytes, more than %d", n, len(name), nameBlock)
	}
	s.last = append(s.last[:0], name...)
	s.low = appendLower(s.low[:0], name)
	s.of.Append(s.names.add(s.low))
	return nil
}

// appendLower folds the letters that scheme and host do not distinguish, A to Z.
// Names are bytes: folding more would need to know their encoding, and would make
// one name of all that are not UTF-8.
func appendLower(dst, name []byte) []byte {
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// sites writes the site of each page, the pages of each site, and the names.
func (b *builder) sites(s *siteWriter) error {
	of := s.of.Slice()
	if len(of) != b.src.Pages {
		return fmt.Errorf("site names for %d of %d pages", len(of), b.src.Pages)
	}
	b.w.h.sites = uint64(s.names.Len())
	if err := b.w.section(secSiteOf, rawBytes(of), 0); err != nil {
		return err
	}
	starts, pages := groupBySite(of, s.names.Len())
	if err := b.w.section(secSiteStarts, rawBytes(starts), 0); err != nil {
		return err
	}
	if err := b.w.section(secSitePages, rawBytes(pages), 0); err != nil {
		return err
	}
	if err := b.w.begin(secSiteNames); err != nil {
		return err
	}
	t := textWriter{w: b.w}
	for i := range s.names.Len() {
		if err := t.add(s.names.name(Site(i))); err != nil {
			return err
		}
	}
	b.w.end(uint64(t.n))
	index, err := t.index()
	if err != nil {
		return err
	}
	return b.w.section(secSiteIndex, rawBytes(index), 0)
}

// groupBySite lists the pages of each site: those of site s are
// pages[starts[s]:starts[s+1]].
func groupBySite(of []Site, sites int) (starts []uint32, pages []Page) {
	starts = make([]uint32, sites+1)
	for _, s := range of {
		starts[s+1]++
	}
	for s := range sites {
		starts[s+1] += starts[s]
	}
	next := append([]uint32(nil), starts...)
	pages = make([]Page, len(of))
	for p, s := range of {
		pages[next[s]] = Page(p)
		next[s]++
	}
	return starts, pages
}

// A nameTable numbers distinct names in the order in which they are added. The names lie
// one after the other in blocks, and an open-addressed table of numbers finds them: the
// bytes of the name, 8 for its place and 5 to 11 for the table, against a hundred for a Go
// map of strings.
type nameTable struct {
	blocks [][]byte
	places []uint64 // per name: block, offset, length (21 bits each of the latter)
	slots  []Site   // by hash; NoSite: empty; at most three quarters are used
}

const (
	nameBlock  = 1 << 20
	lengthBits = 21
	offsetBits = 21 // an empty name may lie at the very end of a block
)

// Len returns the number of names.
func (t *nameTable) Len() int { return len(t.places) }

// bytes returns the memory of the table, and of the lists of pages by site that are made
// from it. Tables that grow leave the smaller ones behind for a while.
func (t *nameTable) bytes() int64 {
	return int64(len(t.blocks))*nameBlock + int64(cap(t.places)*8+len(t.slots)*4)*3/2 + int64(len(t.places)*8)
}

// name returns a name; it must not be changed.
func (t *nameTable) name(s Site) []byte {
	v := t.places[s]
	length := v & (1<<lengthBits - 1)
	offset := v >> lengthBits & (1<<offsetBits - 1)
	return t.blocks[v>>(lengthBits+offsetBits)][offset : offset+length]
}

// add returns the number of a name of at most nameBlock bytes.
func (t *nameTable) add(name []byte) Site {
	if len(t.places)*4 >= len(t.slots)*3 {
		t.grow()
	}
	at := t.find(name)
	if t.slots[at] == NoSite {
		t.slots[at] = Site(len(t.places))
		t.places = append(t.places, t.keep(name))
	}
	return t.slots[at]
}

// find returns the slot of a name, or the empty one where it belongs.
func (t *nameTable) find(name []byte) uint64 {
	mask := uint64(len(t.slots) - 1)
	at := xxh3.Hash(name) & mask
	for t.slots[at] != NoSite && !bytes.Equal(t.name(t.slots[at]), name) {
		at = (at + 1) & mask
	}
	return at
}

// keep copies a name into a block and returns its place.
func (t *nameTable) keep(name []byte) uint64 {
	last := len(t.blocks) - 1
	if last < 0 || len(t.blocks[last])+len(name) > nameBlock {
		size := nameBlock
		if last < 0 {
			size = max(4096, len(name)) // most graphs have few sites
		}
		t.blocks = append(t.blocks, make([]byte, 0, size))
		last++
	}
	offset := len(t.blocks[last])
	t.blocks[last] = append(t.blocks[last], name...)
	return uint64(last)<<(lengthBits+offsetBits) | uint64(offset)<<lengthBits | uint64(len(name))
}

// grow doubles the table.
func (t *nameTable) grow() {
	t.slots = make([]Site, max(64, 2*len(t.slots)))
	for i := range t.slots {
		t.slots[i] = NoSite
	}
	for s := range t.places {
		t.slots[t.find(t.name(Site(s)))] = Site(s)
	}
}
