package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/winnow-crawler/winnow/internal/extsort"
	"github.com/winnow-crawler/winnow/internal/input"
)

// ImportOptions names the files that a graph is made from. Formats are in docs/formats.md.
type ImportOptions struct {
	Edges   string // "src dst" per line
	BV      string // or the base name of a WebGraph file: BV.graph, BV.properties
	URLs    string // line i is the URL of id i
	Nodes   string // the ids that exist; ids of the others must not occur
	Sites   string // line i is the name of the site of id i
	Fetched string // the ids that were fetched; the others are only known
	Sizes   string // line i is the number of bytes of id i; empty where that is not known
	Feed    *Feed  // or, instead of all these, what gives pages and links by itself

	DropOutside        bool // leave out links that touch an id not in Nodes (closed world) instead of refusing them
	FrontierMinInLinks int  // leave out pages that were not fetched and have fewer in-links; see FetchedOnly
	Origin             string
	Program            string

	WriteOptions
}

// FetchedOnly as FrontierMinInLinks leaves out all pages that were not fetched.
const FetchedOnly = math.MaxInt

// ImportReport describes what an import found.
type ImportReport struct {
	Pages          int      `json:"pages"`
	Links          int64    `json:"links"`
	Card           Card     `json:"card"`
	UncrawledPages int64    `json:"uncrawled_pages,omitempty"` // before any were left out
	SpilledBytes   int64    `json:"spilled_bytes"`
	BadURLs        int64    `json:"bad_urls,omitempty"`    // lines of URLs that are no URLs
	BadURLsAt      []string `json:"bad_urls_at,omitempty"` // the first of them, with file and line
}

// Import writes a graph file. On an error nothing is written.
func Import(ctx context.Context, o ImportOptions) (ImportReport, error) {
	o.complete()
	m := &importer{ctx: ctx, o: o, pages: -1, card: Card{Source: o.sources(), Origin: o.origin(), Program: o.Program}}
	m.o.spilled = &m.report.SpilledBytes
	if err := m.check(); err != nil {
		return ImportReport{}, err
	}
	var err error
	if m.out, err = createFile(&m.o.WriteOptions); err != nil { // before hours of reading
		return ImportReport{}, err
	}
	defer m.close()
	if err := m.run(); err != nil {
		return ImportReport{}, err
	}
	return m.report, nil
}

// sources names what a graph is made from, without the directories: the same files
// give the same graph wherever they lie.
func (o *ImportOptions) sources() string {
	var names []string
	if o.Feed != nil {
		names = append(names, o.Feed.Name)
	}
	for _, name := range []string{o.Edges, o.BV, o.URLs, o.Nodes, o.Sites, o.Fetched, o.Sizes} {
		if name != "" {
			names = append(names, filepath.Base(name))
		}
	}
	return strings.Join(names, " ")
}

// origin returns what is stated about the origin, and what the feed knows of it.
func (o *ImportOptions) origin() string {
	if o.Feed == nil || o.Feed.Origin == "" {
		return o.Origin
	}
	if o.Origin == "" {
		return o.Feed.Origin
	}
	return o.Origin + "; " + o.Feed.Origin
}

// stdin is the name of standard input.
const stdin = "-"

// An importer collects the contents of the files and passes them to Write.
type importer struct {
	ctx    context.Context
	o      ImportOptions
	out    *fileWriter
	pages  int      // -1 while not known
	world  *idWorld // nil: ids are pages
	ids    []uint32
	sorter *extsort.Sorter
	card   Card
	report ImportReport
}

func (m *importer) close() {
	m.out.abort() // without effect once the file has its name
	if m.sorter != nil {
		m.sorter.Close()
	}
	if m.world != nil {
		m.world.free()
	}
}

func (m *importer) run() error {
	if m.o.Feed != nil {
		return m.runFeed()
	}
	if err := m.readWorld(); err != nil {
		return err
	}
	if m.o.BV != "" {
		return m.runBV()
	}
	return m.runEdges()
}

func (m *importer) check() error {
	switch {
	case m.o.Feed != nil:
		return m.checkFeed()
	case (m.o.Edges == "") == (m.o.BV == ""):
		return fmt.Errorf("give either an edge list or a WebGraph base name")
	case m.o.BV != "" && (m.o.Nodes != "" || m.o.Fetched != ""):
		return fmt.Errorf("a list of ids cannot be combined with a WebGraph file, whose ids are 0, 1, 2 and so on")
	case m.o.FrontierMinInLinks > 0 && m.o.Fetched == "":
		return fmt.Errorf("to leave out pages that were not fetched, say which were")
	case m.o.DropOutside && m.o.Nodes == "":
		return fmt.Errorf("to leave out links to ids outside, say which ids are inside")
	case m.o.Sizes == stdin:
		return fmt.Errorf("the list of sizes cannot come from standard input")
	case m.o.URLs == stdin || m.o.Sites == stdin:
		return fmt.Errorf("URL and site lists are read twice and cannot come from standard input")
	case m.o.Nodes == stdin && m.o.Fetched == stdin || m.o.Edges == stdin && (m.o.Nodes == stdin || m.o.Fetched == stdin):
		return fmt.Errorf("only one list can come from standard input")
	}
	return nil
}

func (m *importer) checkFeed() error {
	if m.o.Edges+m.o.BV+m.o.URLs+m.o.Nodes+m.o.Sites+m.o.Fetched+m.o.Sizes != "" {
		return fmt.Errorf("%s cannot be combined with lists", m.o.Feed.Name)
	}
	return nil
}

// readWorld determines which pages there are, as far as possible before the links are read.
func (m *importer) readWorld() error {
	lines, err := m.countLines()
	if err != nil {
		return err
	}
	if m.o.Nodes == "" {
		m.pages = lines
		return nil
	}
	ids, err := m.readIDs(m.o.Nodes)
	if err != nil {
		return err
	}
	if n := len(ids); n > 0 && lines >= 0 && int64(ids[n-1]) >= int64(lines) {
		return m.badID(m.o.Nodes, ids[n-1], 1, fmt.Sprintf(", but %s has only %d lines", m.listed(), lines))
	}
	m.ids, m.pages = ids, len(ids)
	m.world = newIDWorld(ids)
	m.o.held += m.world.bytes()
	return nil
}

func (m *importer) listed() string { return cmp.Or(m.o.URLs, m.o.Sites) }

// countLines returns the number of URLs or site names, or -1 if there is neither list. Both
// lists must be equally long.
func (m *importer) countLines() (int, error) {
	n := -1
	for _, name := range []string{m.o.URLs, m.o.Sites} {
		if name == "" {
			continue
		}
		lines := 0
		err := m.readFile(name, func(f *input.File) error {
			return input.Lines(f, func(line int, text []byte) error {
				lines = line
				if name == m.o.URLs {
					m.checkURL(line, text)
				}
				if line%4096 == 0 {
					return halted(m.ctx.Err())
				}
				return nil
			})
		})
		if err != nil {
			return 0, err
		}
		if n >= 0 && n != lines {
			return 0, fmt.Errorf("%s has %d lines and %s has %d: one line each per page is needed", m.o.URLs, n, m.o.Sites, lines)
		}
		n = lines
	}
	return n, nil
}

// badShown is the number of bad lines that a report names.
const badShown = 3

// checkURL counts a line of the URL list that is no URL. An empty line is a page whose URL is
// not known.
func (m *importer) checkURL(line int, text []byte) {
	if len(text) == 0 || input.IsURL(text) {
		return
	}
	if m.report.BadURLs++; m.report.BadURLs <= badShown {
		m.report.BadURLsAt = append(m.report.BadURLsAt, fmt.Sprintf("%s:%d: %s", m.o.URLs, line, input.Quote(text)))
	}
}

// readFile opens a list, reads it and closes it. Package input adds file and line to an
// error, unless it is a halt.
func (m *importer) readFile(name string, read func(*input.File) error) error {
	f, err := input.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	err = read(f)
	if h, ok := errors.AsType[halt](err); ok {
		return h.error
	}
	return err
}

// A halt is an error that the line being read did not cause: a full disk, an interruption.
type halt struct{ error }

func halted(err error) error {
	if err == nil {
		return nil
	}
	return halt{err}
}

// runEdges sorts the links of an edge list and writes the graph.
func (m *importer) runEdges() error {
	if m.o.Fetched != "" {
		m.o.held += int64(max(m.pages, 0)) * keptMemory
	}
	if m.o.Sizes != "" {
		m.o.held += int64(max(m.pages, 0)) * sizeMemory
	}
	return m.sortLinks(max(m.pages, 0), func() error {
		top, err := m.readEdges()
		m.pages = max(m.pages, int(top))
		return err
	})
}

// sortLinks calls read, which adds links to the sorter, and writes the graph. pages is the
// number of pages known before.
func (m *importer) sortLinks(pages int, read func() error) error {
	memory, err := m.o.sortMemory(pages, 2)
	if err != nil {
		return err
	}
	m.sorter = extsort.New(extsort.Options{Memory: memory, Dir: m.o.TempDir, Stop: m.ctx.Err, Create: m.o.createTemp})
	m.o.held += memory
	if err := read(); err != nil {
		return err
	}
	links, err := m.sorter.Sort()
	if err != nil {
		return err
	}
	src, err := m.source(links)
	if err != nil {
		return err
	}
	return m.write(src)
}

// readEdges reads all links into the sorter. If the number of pages is not known otherwise,
// it returns the largest id + 1.
func (m *importer) readEdges() (top int64, err error) {
	n, open := 0, m.pages < 0
	err = m.readFile(m.o.Edges, func(f *input.File) error {
		return input.Edges(f, func(src, dst uint32) error {
			if n++; n%(1<<16) == 0 {
				if err := m.tell(f.Consumed(), f.Size()); err != nil {
					return halt{err}
				}
			}
			if id := max(src, dst); open && int64(id) >= top {
				top = int64(id) + 1
				if err := m.fits(id); err != nil {
					return err
				}
			}
			return m.addLink(src, dst)
		})
	})
	return top, err
}

// fits returns an error if there is not enough memory for the pages up to an id. The
// sort buffer was made when no page was known, so that half of what a page needs is
// missing there.
func (m *importer) fits(id uint32) error {
	pages := int(id) + 1
	if m.o.Fetched != "" {
		pages += pages * keptMemory / pageMemory
	}
	_, err := m.o.sortMemory(pages, 1)
	if short, ok := errors.AsType[*MemoryError](err); ok {
		short.Pages, short.Need = int(id)+1, baseMemory+2*int64(pages)*pageMemory+2*minSortMemory
		return fmt.Errorf("id %d, and no list of those that exist: %w", id, err)
	}
	return err
}

func (m *importer) tell(done, total int64) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if m.o.Progress == nil {
		return nil
	}
	return m.o.Progress(StageRead, done, max(total, 0))
}

// addLink checks both ends of a link.
func (m *importer) addLink(src, dst uint32) error {
	if m.world == nil {
		if m.pages >= 0 && (int64(src) >= int64(m.pages) || int64(dst) >= int64(m.pages)) {
			return fmt.Errorf("id %d, but %s has only %d lines", max(src, dst), m.listed(), m.pages)
		}
		return halted(m.sorter.Add(uint64(src)<<32 | uint64(dst)))
	}
	p, q := m.world.page(src), m.world.page(dst)
	if p != NoPage && q != NoPage {
		return halted(m.sorter.Add(uint64(p)<<32 | uint64(q)))
	}
	if m.o.DropOutside {
		m.card.OutsideLinks++
		return nil
	}
	bad := src
	if p != NoPage {
		bad = dst
	}
	return &OutsideError{ID: bad, Nodes: m.o.Nodes}
}

// An OutsideError reports a link with an id that is not one of the pages. DropOutside
// leaves such links out.
type OutsideError struct {
	ID    uint32
	Nodes string // the list of pages
}

func (e *OutsideError) Error() string { return fmt.Sprintf("id %d is not in %s", e.ID, e.Nodes) }

// write stores the source and fills the report.
func (m *importer) write(src Source) error {
	if m.o.URLs != "" {
		src.URLs = func(emit func([]byte) error) error { return m.lines(m.o.URLs, emit) }
	}
	if m.o.Sites != "" {
		src.Sites = func(emit func([]byte) error) error { return m.lines(m.o.Sites, emit) }
	}
	if m.o.Feed != nil {
		src.URLs = m.fed
	}
	src.Pages, src.IDs = m.pages, m.ids
	sizes, err := m.readSizes()
	if err != nil {
		return err
	}
	src.Sizes = sizes
	m.report.Pages = m.pages
	src.Card = &m.card
	counted := src.Lists
	src.Lists = func(emit func(Page, []Page) error) error {
		return counted(func(p Page, links []Page) error {
			m.report.Links += int64(len(links))
			return emit(p, links)
		})
	}
	if err := write(m.ctx, src, m.o.WriteOptions, m.out); err != nil {
		return err
	}
	m.report.Card = m.card
	return nil
}

// lines calls emit with the lines of a list that belong to pages, in order.
func (m *importer) lines(name string, emit func([]byte) error) error {
	next := 0
	err := m.readFile(name, func(f *input.File) error {
		return input.Lines(f, func(line int, text []byte) error {
			if next == m.pages || m.ids != nil && int64(m.ids[next]) != int64(line-1) {
				return nil
			}
			next++
			return halted(emit(text))
		})
	})
	if err == nil && next != m.pages {
		err = fmt.Errorf("%s has become shorter while it was read", name)
	}
	return err
}
