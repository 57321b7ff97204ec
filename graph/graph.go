package graph

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"os"
	"runtime"
	"slices"

	"github.com/zeebo/xxh3"
	"golang.org/x/sys/unix"
)

// A Graph is a mapped graph file: nothing is read before it is needed, except that Open
// verifies every checksum. It never changes and may be used by several goroutines at once;
// readers and scans may not.
type Graph struct {
	path    string
	mapped  []byte
	h       *header
	forward *Links
	back    *Links
	ids     []uint32
	fetched []uint64
	sizes   []uint32
	siteOf  []Site
	starts  []uint32
	bySite  []Page
	names   *texts
	urls    *texts
	table   *urlTable
	card    Card
}

// Card describes where a graph comes from; every dataset should state how it was
// crawled (a graph is biased by the policy that gathered it).
type Card struct {
	Source         string `json:"source,omitempty"`                                                                             // files it was made from
	Origin         string `json:"origin,omitempty"`                                                                             // free text: who crawled it, when, by which policy
	Program        string `json:"program,omitempty"`                                                                            // that made the file
	DuplicateLinks int64  `json:"duplicate_links,omitempty" show:"duplicate links" remark:"dropped on import"`                  // dropped on import
	OutsideLinks   int64  `json:"outside_links,omitempty" show:"links outside,omitzero" remark:"dropped: the world is closed"`  // dropped because an end was not a page of this world
	DroppedPages   int64  `json:"dropped_pages,omitempty" show:"pages left out,omitzero" remark:"not fetched and few in-links"` // known pages left out by FrontierMinInLinks
	RepeatedURLs   int64  `json:"repeated_urls,omitempty" show:"repeated URLs,omitzero"`                                        // pages whose URL an earlier page has too
}

// A CorruptError is the panic value of readers and scans that meet a list that no writer
// produces. Checksums are verified at Open, so it means a file made to deceive, or bad
// memory.
type CorruptError struct {
	Path string
	Err  error
}

func (e *CorruptError) Error() string { return fmt.Sprintf("graph %q: %v", e.Path, e.Err) }

func (e *CorruptError) Unwrap() error { return e.Err }

// Open maps a graph file and verifies it.
func Open(path string) (*Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open graph: %w", err)
	}
	defer f.Close()
	g := &Graph{path: path}
	if err := g.load(f); err != nil {
		g.Close()
		return nil, fmt.Errorf("open graph %q: %w", path, err)
	}
	return g, nil
}

func (g *Graph) load(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("not a regular file")
	}
	var first [headerSize]byte
	n, err := f.ReadAt(first[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	if g.h, err = decodeHeader(first[:n], uint64(st.Size())); err != nil {
		return err
	}
	g.mapped, err = unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	if err := g.verify(); err != nil {
		return err
	}
	return g.views()
}

// verify compares all checksums, on all cores.
func (g *Graph) verify() error {
	sums := g.mapped[g.h.sums:]
	last := len(sums) - 8
	if binary.LittleEndian.Uint64(sums[last:]) != xxh3.Hash(sums[:last]) {
		return fmt.Errorf("damaged: the checksum table (offset %d) does not match its own checksum", g.h.sums)
	}
	bad := make([]bool, last/8)
	Parallel(runtime.GOMAXPROCS(0), len(bad), func(i int) {
		lo := headerSize + i*blockSize
		block := g.mapped[lo:min(lo+blockSize, int(g.h.sums))]
		bad[i] = xxh3.Hash(block) != binary.LittleEndian.Uint64(sums[i*8:])
	})
	if i := slices.Index(bad, true); i >= 0 {
		lo := headerSize + i*blockSize
		return fmt.Errorf("damaged: the checksum of offset %d to %d does not match", lo, min(lo+blockSize, int(g.h.sums)))
	}
	return nil
}

// Close releases the mapping. The graph and everything that it returned must not be used
// afterwards.
func (g *Graph) Close() error {
	if g.mapped == nil {
		return nil
	}
	err := unix.Munmap(g.mapped)
	g.mapped = nil
	return err
}

// Pages returns the number of pages.
func (g *Graph) Pages() int { return int(g.h.pages) }

// Links returns the number of links, self-links included.
func (g *Graph) Links() int64 { return int64(g.h.links) }

// SelfLinks returns the number of pages that link to themselves.
func (g *Graph) SelfLinks() int64 { return int64(g.h.selfLinks) }

// Sites returns the number of sites.
func (g *Graph) Sites() int { return int(g.h.sites) }

// Path returns the path of the file.
func (g *Graph) Path() string { return g.path }

// Card returns the card of the graph: where it comes from.
func (g *Graph) Card() Card { return g.card }

// Checksum returns the checksums of header and content: files with the same ones hold the same
// graph.
func (g *Graph) Checksum() string {
	return fmt.Sprintf("%x-%x", g.mapped[headerSize-8:headerSize], g.mapped[len(g.mapped)-8:])
}

// Forward returns the out-links.
func (g *Graph) Forward() *Links { return g.forward }

// Backward returns the in-links.
func (g *Graph) Backward() *Links { return g.back }

// SectionBytes returns the size of all sections whose names begin with one of the
// prefixes.
func (g *Graph) SectionBytes(prefixes ...string) (n int64) {
	for _, s := range g.h.sections {
		for _, p := range prefixes {
			if len(s.name) >= len(p) && s.name[:len(p)] == p {
				n += int64(s.length)
			}
		}
	}
	return n
}

// BytesURLs returns the size of URLs, their index and the table that finds them.
func (g *Graph) BytesURLs() int64 { return g.SectionBytes(secURLs) }

// HasURLs reports whether the graph knows its URLs.
func (g *Graph) HasURLs() bool { return g.urls != nil }

// HasSites reports whether sites are known; if not, every page is its own site.
func (g *Graph) HasSites() bool { return g.siteOf != nil }

// Site returns the site of page p.
func (g *Graph) Site(p Page) Site {
	if g.siteOf == nil {
		return Site(p)
	}
	return g.siteOf[p]
}

// SiteColumn returns the site of every page, nil when every page is its own site. It
// must not be changed.
func (g *Graph) SiteColumn() []Site { return g.siteOf }

// SiteName returns the name of a site, "" when names are not known.
func (g *Graph) SiteName(s Site) string {
	if g.names == nil {
		return ""
	}
	name, err := g.names.append(nil, int(s))
	if err != nil {
		panic(&CorruptError{g.path, err})
	}
	return string(name)
}

// URL returns the URL of page p, "" when URLs are not known.
func (g *Graph) URL(p Page) string { return string(g.AppendURL(nil, p)) }

// AppendURL adds the URL of page p to b.
func (g *Graph) AppendURL(b []byte, p Page) []byte {
	if g.urls == nil {
		return b
	}
	b, err := g.urls.append(b, int(p))
	if err != nil {
		panic(&CorruptError{g.path, err})
	}
	return b
}

// EachURL calls fn for every page in order, which is much cheaper than URL for
// each. The bytes are valid during the call. An error of fn ends the walk and is
// returned as it is; a damaged URL is a CorruptError.
func (g *Graph) EachURL(fn func(p Page, url []byte) error) error {
	if g.urls == nil {
		return nil
	}
	err := g.urls.each(func(i int, s []byte) error { return fn(Page(i), s) })
	if err == errText {
		return &CorruptError{g.path, err}
	}
	return err
}

// Lookup returns the page with exactly this URL, or the smallest id if the URL occurs more
// than once.
func (g *Graph) Lookup(url string) (Page, bool) {
	if g.table == nil {
		return NoPage, false
	}
	b := []byte(url)
	scratch := make([]byte, 0, 256)
	return g.table.find(hashURL(b), func(q Page) bool {
		return int(q) < g.Pages() && g.urls.equal(int(q), b, scratch)
	})
}

// ID returns the id that page p had in the input. Users see these ids only.
func (g *Graph) ID(p Page) uint32 {
	if g.ids == nil {
		return uint32(p)
	}
	return g.ids[p]
}

// IDs returns the original id of every page, ascending; nil when they are 0, 1, 2...
func (g *Graph) IDs() []uint32 { return g.ids }

// ByID returns the page that had this id in the input, or NoPage and false if there is
// none.
func (g *Graph) ByID(id uint32) (Page, bool) {
	if g.ids == nil {
		if int64(id) < int64(g.Pages()) {
			return Page(id), true
		}
		return NoPage, false
	}
	if i, ok := slices.BinarySearch(g.ids, id); ok {
		return Page(i), true
	}
	return NoPage, false
}

// Fetched reports whether page p was fetched; a page that was only linked to is known but
// has no out-links of its own. If the input did not specify it, all pages count as fetched.
func (g *Graph) Fetched(p Page) bool {
	return g.fetched == nil || bit(g.fetched, p)
}

// CountFrontier lets all pages count as fetched: those that were only known are pages without
// links. It is to be called before anything else is.
func (g *Graph) CountFrontier() { g.fetched = nil }

// FetchedPages returns the number of pages that were fetched.
func (g *Graph) FetchedPages() (n int) {
	if g.fetched == nil {
		return g.Pages()
	}
	for _, w := range g.fetched {
		n += bits.OnesCount64(w)
	}
	return n
}

// HasUncrawled reports whether some pages are known but not fetched.
func (g *Graph) HasUncrawled() bool { return g.fetched != nil }

// Info holds what is in the header of a graph file: counts, and how many bytes they
// take. Indexes for random access are counted with what they index.
type Info struct {
	Pages         int   `json:"pages" show:"pages"`
	Links         int64 `json:"links" show:"links" remark:"{/Pages} a page"`
	Sites         int   `json:"sites" show:"sites,if=SitesKnown"`
	SitesKnown    bool  `json:"sites_known" show:"sites,unless" remark:"not known: every page counts as one"` // false: every page counts as a site
	SelfLinks     int64 `json:"self_links" show:"self-links"`
	BytesForward  int64 `json:"bytes_forward" show:"out-links,bytes" remark:"{/Links.3} bytes a link"`
	BytesBackward int64 `json:"bytes_backward" show:"in-links,bytes" remark:"{/Links.3} bytes a link"`
	BytesCompact  int64 `json:"bytes_compact,omitempty" show:"compact,bytes omitzero" remark:"{/Links.3} bytes a link in both directions"` // of a compact file: both
	BytesSizes    int64 `json:"bytes_sizes,omitempty" show:"sizes of pages,bytes omitzero"`
	BytesURLs     int64 `json:"bytes_urls" show:"URLs,bytes omitzero" remark:"{/Pages} bytes a page"`
	BytesFile     int64 `json:"bytes_file" show:"file,bytes"`
}

// ReadInfo reads the header of a graph file and nothing else: neither time nor memory
// depends on the size of the graph. It does not verify the header against the rest of the
// file; Open does that.
func ReadInfo(path string) (Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, fmt.Errorf("open graph: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Info{}, fmt.Errorf("open graph %q: %w", path, err)
	}
	var first [headerSize]byte
	n, err := f.ReadAt(first[:], 0)
	if err != nil && err != io.EOF {
		return Info{}, fmt.Errorf("open graph %q: %w", path, err)
	}
	h, err := decodeHeader(first[:n], uint64(st.Size()))
	if err != nil {
		return Info{}, fmt.Errorf("open graph %q: %w", path, err)
	}
	return (&Graph{h: h}).Info(), nil
}

// Info returns what the header contains.
func (g *Graph) Info() Info {
	_, sites := g.h.section(secSiteOf)
	compact := int64(0)
	if g.h.compact {
		compact = g.SectionBytes(secForward, secBackward)
	}
	return Info{
		Pages: g.Pages(), Links: g.Links(), Sites: g.Sites(), SitesKnown: sites, SelfLinks: g.SelfLinks(),
		BytesForward:  g.SectionBytes(secForward),
		BytesBackward: g.SectionBytes(secBackward),
		BytesCompact:  compact,
		BytesSizes:    g.SectionBytes(secSizes),
		BytesURLs:     g.BytesURLs(),
		BytesFile:     int64(g.h.size),
	}
}

// Page is the dense id of one page: one normalised URL, numbered from 0 in the
// order in which it became known. Everything kept per page is a column indexed
// by it.
type Page uint32

// Site is the dense id of one site: scheme, host and port.
type Site uint32

// NoPage and NoSite are the ids that no page and no site has.
const (
	NoPage = Page(1<<32 - 1)
	NoSite = Site(1<<32 - 1)
)

// MaxPages is the largest number of pages in one graph (or one partition of a
// crawl): every id below NoPage. A graph file ends earlier, at bv.MaxLists.
const MaxPages = 1<<32 - 1
