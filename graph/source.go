package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/winnow-crawler/winnow/graph/bv"
	"github.com/winnow-crawler/winnow/internal/extsort"
)

// A Source supplies a graph to be written to a file. Its functions are called once each and
// emit everything in page order.
type Source struct {
	Pages int

	// Lists emits the out-links of pages, ascending and distinct; pages without links may
	// be left out. Slices are only read during the call.
	Lists func(emit func(p Page, links []Page) error) error

	// URLs emits the URL of every page. If nil, URLs are not known.
	URLs func(emit func(url []byte) error) error

	// Sites emits the site name of every page. If nil, it is the part of the URL before its
	// third slash, in lower case, or without URLs every page is its own site.
	Sites func(emit func(name []byte) error) error

	IDs     []uint32 // original id of each page, ascending; nil: 0, 1, 2...
	Fetched []uint64 // one bit a page; nil: all pages were fetched
	Sizes   []uint32 // bytes of each page, 0 where that is not known; nil: of none
	Card    *Card    // completed while the graph is written; nil: empty
}

// WriteOptions configures how a graph is written.
type WriteOptions struct {
	Path      string
	MaxMemory int64  // bytes for everything; 0: 1 GiB
	TempDir   string // where links are sorted; "": beside the file
	Threads   int    // 0: all cores; the file does not depend on it
	Compact   bool   // lists as small as they get, which take longer to write and to read

	// Progress, if not nil, is called now and then with a stage, how much of it is done,
	// and the total (0: not known). An error from it ends the work.
	Progress func(stage string, done, total int64) error

	held    int64  // memory that the caller has taken and keeps while links are written
	spilled *int64 // if given, bytes written for sorting are added

	// Tests fill the disk with these.
	createTemp func(dir string) (extsort.File, error)
	writeAt    func(f *os.File, b []byte, at int64) (int, error)
}

// Stages of the work, as passed to Progress.
const (
	StageRead     = "read links"
	StageFeed     = "read records"
	StageForward  = "write out-links"
	StageBackward = "write in-links"
	StageCompact  = "fit codes"
	StageSites    = "read sites"
	StageURLs     = "write urls"
)

// baseMemory is the memory that an import takes in addition to its sort buffers and
// columns: the runtime, decompression windows, lists on their way to the encoders.
const baseMemory = 28 << 20

// pageMemory is the memory per page while links are sorted: places of lists and their
// index. What names take afterwards is counted by namesMemory.
const pageMemory = 16

// minSortMemory is the least that a sort buffer gets.
const minSortMemory = 1 << 20

// maxThreads bounds the encoders. One goroutine feeds them, so more of them would only
// wait, and each takes 3 MiB of baseMemory.
const maxThreads = 4

// complete fills in the defaults.
func (o *WriteOptions) complete() {
	o.MaxMemory = cmp.Or(o.MaxMemory, 1<<30)
	o.Threads = min(cmp.Or(o.Threads, runtime.GOMAXPROCS(0)), maxThreads)
	o.TempDir = cmp.Or(o.TempDir, filepath.Dir(o.Path))
}

// maxSortMemory is the largest sort buffer. More does not help: 200 M links took 36
// CPU-seconds with buffers of 160 MB and 44 with 3 GB, which the system must clear first;
// 40 M shuffled ones 14 and 13.
const maxSortMemory = 512 << 20

// sortMemory returns what is left of the memory for each of n sort buffers.
func (o *WriteOptions) sortMemory(pages, n int) (int64, error) {
	taken := baseMemory + int64(pages)*pageMemory + o.held
	left := (o.MaxMemory - taken) / int64(n)
	if left < minSortMemory {
		return 0, &MemoryError{Need: taken + int64(n)*minSortMemory, Have: o.MaxMemory, Pages: pages}
	}
	return min(left, maxSortMemory), nil
}

// MemoryError reports that a graph needs more memory than it was given.
type MemoryError struct {
	Need, Have int64
	Pages      int
	Sites      int // found so far, when it is their names that do not fit
}

func (e *MemoryError) Error() string {
	if e.Sites > 0 {
		return fmt.Sprintf("the names of %d sites so far, and of all about %d MiB, do not fit into the %d MiB of memory that are allowed",
			e.Sites, e.Need>>20+1, e.Have>>20)
	}
	return fmt.Sprintf("%d pages need at least %d MiB of memory, %d MiB are allowed", e.Pages, e.Need>>20+1, e.Have>>20)
}

// Write stores a source as a graph file. On an error, and when ctx ends, nothing
// is left behind.
func Write(ctx context.Context, src Source, o WriteOptions) error {
	o.complete()
	w, err := createFile(&o)
	if err != nil {
		return err
	}
	defer w.abort() // without effect once the file has its name
	return write(ctx, src, o, w)
}

func write(ctx context.Context, src Source, o WriteOptions, w *fileWriter) error {
	if err := src.check(); err != nil {
		return fmt.Errorf("write graph %q: %w", o.Path, err)
	}
	src.Card = cmp.Or(src.Card, new(Card))
	b := &builder{ctx: ctx, src: src, o: o, w: w}
	if err := b.build(); err != nil {
		return err
	}
	return w.finish()
}

// check returns an error if the parts do not fit together.
func (s *Source) check() error {
	switch {
	case s.Pages < 0 || s.Pages > bv.MaxLists: // now rather than after hours of writing
		return fmt.Errorf("%d pages are not 0 to %d", s.Pages, bv.MaxLists)
	case s.IDs != nil && len(s.IDs) != s.Pages:
		return fmt.Errorf("%d original ids for %d pages", len(s.IDs), s.Pages)
	case s.Fetched != nil && len(s.Fetched) != (s.Pages+63)/64:
		return fmt.Errorf("%d bits say which of %d pages were fetched", 64*len(s.Fetched), s.Pages)
	case s.Sizes != nil && len(s.Sizes) != s.Pages:
		return fmt.Errorf("%d sizes for %d pages", len(s.Sizes), s.Pages)
	case firstFall(s.IDs) >= 0:
		return fmt.Errorf("original ids do not ascend at page %d", firstFall(s.IDs))
	}
	return nil
}

// firstFall returns the first place at which a list does not ascend strictly, or -1.
func firstFall[T ~uint32](list []T) int {
	for i := 1; i < len(list); i++ {
		if list[i] <= list[i-1] {
			return i
		}
	}
	return -1
}

// A builder writes one graph file.
type builder struct {
	ctx  context.Context
	src  Source
	o    WriteOptions
	w    *fileWriter
	self uint64
}

func (b *builder) build() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	b.w.h.pages = uint64(b.src.Pages)
	if err := b.links(); err != nil {
		return err
	}
	if err := b.columns(); err != nil {
		return err
	}
	if err := b.names(); err != nil {
		return err
	}
	card, err := json.Marshal(b.src.Card)
	if err != nil {
		return err
	}
	if err := b.w.section(secCard, card, 0); err != nil {
		return err
	}
	b.w.h.setParams(b.o.Compact)
	b.w.h.selfLinks = b.self
	return nil
}

// links writes the out-links in the order of the source, sorts them by target meanwhile,
// and then writes the in-links.
func (b *builder) links() error {
	memory, err := b.o.sortMemory(b.src.Pages, 1)
	if err != nil {
		return err
	}
	back := extsort.New(extsort.Options{Memory: memory, Dir: b.o.TempDir, LowSorted: true, Stop: b.ctx.Err, Create: b.o.createTemp})
	defer back.Close()
	err = b.direction(forwardSections, StageForward, func(emit func(Page, []Page) error) error {
		return b.src.Lists(func(p Page, links []Page) error {
			if err := b.turn(back, p, links); err != nil {
				return err
			}
			return emit(p, links)
		})
	})
	if err != nil {
		return err
	}
	in, err := back.Sort()
	if err != nil {
		return err
	}
	err = b.direction(backwardSections, StageBackward, func(emit func(Page, []Page) error) error {
		return eachList(in, emit)
	})
	if b.o.spilled != nil {
		*b.o.spilled += back.Stats().Written
	}
	return err
}

// turn checks the links of a page and hands them to the sorter by target.
func (b *builder) turn(back *extsort.Sorter, p Page, links []Page) error {
	last := int64(-1)
	for _, q := range links {
		if int64(q) <= last || int64(q) >= int64(b.src.Pages) {
			return fmt.Errorf("link %d of page %d does not ascend, or is not one of %d pages", q, p, b.src.Pages)
		}
		last = int64(q)
		if err := back.Add(uint64(q)<<32 | uint64(p)); err != nil {
			return err
		}
		if q == p {
			b.self++
		}
	}
	return nil
}

// eachList groups sorted links by their high half.
func eachList(in *extsort.Iterator, emit func(Page, []Page) error) error {
	var list []Page
	at := NoPage
	for key, ok := in.Next(); ok; key, ok = in.Next() {
		if p := Page(key >> 32); p != at {
			if len(list) > 0 {
				if err := emit(at, list); err != nil {
					return err
				}
			}
			at, list = p, list[:0]
		}
		list = append(list, Page(key))
	}
	if err := in.Err(); err != nil {
		return err
	}
	if len(list) > 0 {
		return emit(at, list)
	}
	return nil
}

// direction writes all lists of one direction and their index.
func (b *builder) direction(name linkSections, stage string, lists eachOfLists) error {
	lists = b.told(stage, lists)
	encoder, step := storeEncoder, 1
	if b.o.Compact {
		spooled, err := b.spool(lists)
		if err != nil {
			return err
		}
		defer spooled.close()
		lists = b.told(StageCompact, spooled.lists)
		book, err := b.fit(lists)
		if err != nil {
			return err
		}
		if err := b.w.section(name.codes, book.Bytes(), 0); err != nil {
			return err
		}
		encoder, step = fittedEncoder(book), compactStep
	}
	if err := b.w.begin(name.lists); err != nil {
		return err
	}
	e := newListEncoder(encoder, b.src.Pages, b.o.Threads, b.w)
	j, err := e.finish(lists(e.add))
	if err != nil {
		return err
	}
	var padding [bv.Padding]byte
	if _, err := b.w.Write(padding[:]); err != nil {
		return err
	}
	b.w.end(j.Bits())
	b.w.h.links = uint64(j.Links())
	words, err := bv.BuildIndex(bv.Every(step, j.Starts()))
	if err != nil {
		return err
	}
	return b.w.section(name.index, rawBytes(words), 0)
}

// eachOfLists calls emit with the lists of pages in order; empty ones may be left out.
type eachOfLists func(emit func(Page, []Page) error) error

func storeEncoder() chunkEncoder { return bv.NewEncoder(bv.Store, 0) }

// told returns lists that report progress.
func (b *builder) told(stage string, lists eachOfLists) eachOfLists {
	return func(emit func(Page, []Page) error) error {
		told := int64(0) // page up to which progress was reported; many pages have no list
		return lists(func(p Page, links []Page) error {
			if int64(p) >= told {
				told = int64(p) + 4096
				if err := b.tell(stage, int64(p), int64(b.src.Pages)); err != nil {
					return err
				}
			}
			return emit(p, links)
		})
	}
}

// tell reports progress, and returns an error if the work is to stop.
func (b *builder) tell(stage string, done, total int64) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if b.o.Progress == nil {
		return nil
	}
	return b.o.Progress(stage, done, total)
}

// columns writes the data per page other than links and names.
func (b *builder) columns() error {
	if b.src.IDs != nil {
		if err := b.w.section(secIDs, rawBytes(b.src.IDs), 0); err != nil {
			return err
		}
	}
	if b.src.Fetched != nil {
		if err := b.w.section(secFetched, rawBytes(b.src.Fetched), 0); err != nil {
			return err
		}
	}
	if b.src.Sizes != nil {
		return b.w.section(secSizes, rawBytes(b.src.Sizes), 0)
	}
	return nil
}
