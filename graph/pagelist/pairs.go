package pagelist

import (
	"fmt"
	"path/filepath"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/input"
)

// A PairFeed is a list of links between URLs. The URLs are in memory: some 150 bytes each.
type PairFeed struct {
	Bad   int64    // lines that are no pairs of URLs, which are left out
	First []string // the first of them, with file and line

	name string
	ids  map[string]graph.Page
	urls []string
}

// badShown is the number of bad lines that are named.
const badShown = 3

// ArePairs reports whether a file is a list of links between URLs.
func ArePairs(name string) (bool, error) {
	f, err := input.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return input.ArePairs(f)
}

// Name returns the name of the file.
func (x *PairFeed) Name() string { return x.name }

// Feed returns the graph of the links in a file. Its pages are the URLs in the order in which
// they are named first, compared byte for byte; all count as fetched.
func (x *PairFeed) Feed(name string) *graph.Feed {
	x.name, x.ids = name, map[string]graph.Page{}
	return &graph.Feed{
		Name: filepath.Base(name), Links: x.links, Pages: func() int { return len(x.urls) }, Fetched: x.fetched,
		URLs: func(emit func([]byte) error) error {
			for _, url := range x.urls {
				if err := emit([]byte(url)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (x *PairFeed) links(add func(from, to graph.Page) error, tell func(done, total int64) error) error {
	f, err := input.Open(x.name)
	if err != nil {
		return err
	}
	defer f.Close()
	n := 0
	err = input.Pairs(f, func(source, target []byte) error {
		if n++; n%4096 == 0 {
			if err := tell(f.Consumed(), f.Size()); err != nil {
				return err
			}
		}
		return add(x.page(source), x.page(target))
	}, func(line int, text []byte) {
		if x.Bad++; x.Bad <= badShown {
			x.First = append(x.First, fmt.Sprintf("%s:%d: %s", x.name, line, input.Quote(text)))
		}
	})
	if err == nil && len(x.urls) == 0 {
		err = fmt.Errorf("%s: no line is a pair of URLs", x.name)
	}
	return err
}

// page returns the number of a URL.
func (x *PairFeed) page(url []byte) graph.Page {
	p, ok := x.ids[string(url)]
	if !ok {
		p = graph.Page(len(x.urls))
		x.urls = append(x.urls, string(url))
		x.ids[x.urls[p]] = p
	}
	return p
}

// fetched returns a bit for each page.
func (x *PairFeed) fetched() []uint64 {
	bits := make([]uint64, (len(x.urls)+63)/64)
	for p := range x.urls {
		bits[p/64] |= 1 << (p % 64)
	}
	return bits
}
