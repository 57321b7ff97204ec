package graph

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/winnow-crawler/winnow/graph/bv"
	"github.com/zeebo/xxh3"
	"golang.org/x/sys/unix"
)

// A Graph is a graph file, mapped: nothing is read before it is asked for, except
// that Open verifies every checksum. It never changes and may be used by several
// goroutines at once; readers and scans may not.
type Graph struct {
	path    string
	mapped  []byte
	h       *header
	forward *Links
	back    *Links
	ids     []uint32
	fetched []uint64
	siteOf  []Site
	starts  []uint32
	bySite  []Page
	names   *texts
	urls    *texts
	table   *urlTable
	card    Card
}

// Card says where a graph comes from; every dataset should state how it was
// crawled (L12: a graph is biased by the policy that gathered it).
type Card struct {
	Source         string `json:"source,omitempty"`          // files it was made from
	Origin         string `json:"origin,omitempty"`          // free text: who crawled it, when, by which policy
	Program        string `json:"program,omitempty"`         // that made the file
	DuplicateLinks int64  `json:"duplicate_links,omitempty"` // dropped on import
	OutsideLinks   int64  `json:"outside_links,omitempty"`   // dropped because an end was not a page of this world (P7)
	DroppedPages   int64  `json:"dropped_pages,omitempty"`   // known pages left out by FrontierMinInLinks (W32)
	RepeatedURLs   int64  `json:"repeated_urls,omitempty"`   // pages whose URL an earlier page has too
}

// CorruptError is the panic value of readers and scans that meet a list no writer
// makes. Checksums are verified at Open, so it means a file made to deceive, or
// bad memory.
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
	n, _ := f.ReadAt(first[:], 0)
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

// views makes the sections usable.
func (g *Graph) views() (err error) {
	if g.forward, err = g.links(secForward, secForwardIndex); err != nil {
		return err
	}
	if g.back, err = g.links(secBackward, secBackwardIndex); err != nil {
		return err
	}
	if g.names, err = g.texts(secSiteNames, secSiteIndex, g.h.sites); err != nil {
		return err
	}
	if g.urls, err = g.texts(secURLs, secURLIndex, g.h.pages); err != nil {
		return err
	}
	n := int(g.h.pages)
	if g.ids, err = column[uint32](g, secIDs, n); err != nil {
		return err
	}
	if g.fetched, err = column[uint64](g, secFetched, (n+63)/64); err != nil {
		return err
	}
	if err := g.siteViews(n); err != nil {
		return err
	}
	if b := g.bytes(secCard); b != nil {
		if err := json.Unmarshal(b, &g.card); err != nil {
			return fmt.Errorf("section %q: %w", secCard, err)
		}
	}
	return g.tableView(n)
}

func (g *Graph) siteViews(n int) (err error) {
	if g.siteOf, err = column[Site](g, secSiteOf, n); err != nil || g.siteOf == nil {
		return err
	}
	if g.starts, err = column[uint32](g, secSiteStarts, int(g.h.sites)+1); err != nil {
		return err
	}
	if g.bySite, err = column[Page](g, secSitePages, n); err != nil {
		return err
	}
	if g.starts == nil || g.bySite == nil || !slices.IsSorted(g.starts) || int(g.starts[len(g.starts)-1]) != n {
		return fmt.Errorf("damaged: pages by site")
	}
	if n > 0 && uint64(slices.Max(g.siteOf)) >= g.h.sites {
		return fmt.Errorf("damaged: a page of a site that is not there")
	}
	return nil
}

func (g *Graph) tableView(n int) error {
	b := g.bytes(secURLTable)
	if b == nil {
		return nil
	}
	slots := tableSlots(n)
	if len(b) != slots*5 || g.urls == nil {
		return fmt.Errorf("damaged: section %q has %d bytes, not %d", secURLTable, len(b), slots*5)
	}
	g.table = &urlTable{pages: cast[Page](b[:slots*4]), tags: b[slots*4:]}
	return nil
}

func (g *Graph) links(name, index string) (*Links, error) {
	s, ok := g.h.section(name)
	words, err := column[uint64](g, index, -1)
	if err != nil || !ok || words == nil {
		return nil, fmt.Errorf("section %q is missing or damaged: %v", name, err)
	}
	p := bv.Params{Window: int(g.h.window), MaxRef: int(g.h.maxRef), MinInterval: int(g.h.minInterval), ZetaK: int(g.h.k)}
	l := &Links{path: g.path, links: int64(g.h.links), bytes: int64(s.length) + int64(len(words)*8)}
	if l.stream, err = bv.NewStream(p, int(g.h.pages), g.bytes(name), s.extra); err != nil {
		return nil, fmt.Errorf("section %q: %w", name, err)
	}
	if l.index, err = bv.OpenIndex(words); err != nil {
		return nil, fmt.Errorf("section %q: %w", index, err)
	}
	if l.index.Len() != int(g.h.pages)+1 {
		return nil, fmt.Errorf("section %q: %d lists for %d pages", index, l.index.Len()-1, g.h.pages)
	}
	return l, nil
}

func (g *Graph) texts(name, index string, n uint64) (*texts, error) {
	b := g.bytes(name)
	if b == nil {
		return nil, nil
	}
	words, err := column[uint64](g, index, -1)
	if err == nil {
		var t *texts
		if t, err = openTexts(n, b, words); err == nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("section %q: %w", name, err)
}

// bytes is a section as it lies in the file, nil if there is none.
func (g *Graph) bytes(name string) []byte {
	s, ok := g.h.section(name)
	if !ok {
		return nil
	}
	return g.mapped[s.offset : s.offset+s.length : s.offset+s.length]
}

// column is a section as n numbers (any count if n < 0), nil if there is none.
func column[T Value](g *Graph, name string, n int) ([]T, error) {
	b := g.bytes(name)
	if b == nil {
		return nil, nil
	}
	v := cast[T](b)
	if n >= 0 && len(v) != n {
		return nil, fmt.Errorf("damaged: section %q has %d elements, not %d", name, len(v), n)
	}
	return v, nil
}

// Close gives the mapping up. The graph and all that came from it must not be used
// afterwards.
func (g *Graph) Close() error {
	if g.mapped == nil {
		return nil
	}
	err := unix.Munmap(g.mapped)
	g.mapped = nil
	return err
}
