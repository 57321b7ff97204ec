package graph

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

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
	Source         string `json:"source,omitempty"`                                                                             // files it was made from
	Origin         string `json:"origin,omitempty"`                                                                             // free text: who crawled it, when, by which policy
	Program        string `json:"program,omitempty"`                                                                            // that made the file
	DuplicateLinks int64  `json:"duplicate_links,omitempty" show:"duplicate links" remark:"dropped on import"`                  // dropped on import
	OutsideLinks   int64  `json:"outside_links,omitempty" show:"links outside,omitzero" remark:"dropped: the world is closed"`  // dropped because an end was not a page of this world (P7)
	DroppedPages   int64  `json:"dropped_pages,omitempty" show:"pages left out,omitzero" remark:"not fetched and few in-links"` // known pages left out by FrontierMinInLinks
	RepeatedURLs   int64  `json:"repeated_urls,omitempty" show:"repeated URLs,omitzero"`                                        // pages whose URL an earlier page has too
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
