package graph

import (
	"fmt"
)

// A Feed supplies links and URLs of pages that are not in files: those of a crawl or of an
// archive. Its functions are called once each, in this order.
type Feed struct {
	Name string // for the card
	// Origin says for the card who gathered the pages, when and in which order, if that is known.
	Origin string

	// Links emits every link of every page, in any order; links may repeat. It calls tell
	// with how much was read, and the total; an error of tell ends the import.
	Links func(add func(from, to Page) error, tell func(done, total int64) error) error
	// Pages is their number: the ids are 0, 1, 2 and so on.
	Pages func() int
	// Fetched has one bit a page: which of them were fetched. Only those have links.
	Fetched func() []uint64
	// Sizes, if not nil, returns the bytes of the pages, by id: see SizeOf.
	Sizes func() []uint32
	// URLs emits the URL of every page in the order of their ids.
	URLs func(emit func(url []byte) error) error
}

// runFeed sorts the links of a feed and writes the graph.
func (m *importer) runFeed() error { return m.sortLinks(0, m.readFeed) }

// readFeed reads all links into the sorter.
func (m *importer) readFeed() error {
	f, top := m.o.Feed, NoPage
	err := f.Links(func(from, to Page) error {
		if p := max(from, to); top == NoPage || p > top {
			top = p
		}
		return m.sorter.Add(uint64(from)<<32 | uint64(to))
	}, m.tellFeed)
	if err != nil {
		return err
	}
	m.pages = f.Pages()
	m.o.held += int64(m.pages) * keptMemory
	if f.Sizes != nil {
		m.o.held += int64(m.pages) * sizeMemory
	}
	if top != NoPage && int64(top) >= int64(m.pages) {
		return fmt.Errorf("%s: a link of page %d, but there are %d pages", f.Name, top, m.pages)
	}
	return nil
}

// tellFeed reports progress as tell does, in the unit of the feed.
func (m *importer) tellFeed(done, total int64) error {
	if err := m.ctx.Err(); err != nil || m.o.Progress == nil {
		return err
	}
	return m.o.Progress(StageFeed, done, total)
}

// fed emits the URLs of the pages that remain, in order.
func (m *importer) fed(emit func([]byte) error) error {
	id, next := int64(0), 0
	err := m.o.Feed.URLs(func(url []byte) error {
		id++
		if next == m.pages || m.ids != nil && int64(m.ids[next]) != id-1 {
			return nil
		}
		next++
		return emit(url)
	})
	if err == nil && next != m.pages {
		err = fmt.Errorf("%s: %d of %d URLs", m.o.Feed.Name, next, m.pages)
	}
	return err
}
