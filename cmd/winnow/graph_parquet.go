package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
)

// pageRow is a row of pages.parquet.
type pageRow struct {
	ID        uint32 `parquet:"id,delta"`
	URL       string `parquet:"url,optional,delta"` // null: not known
	Site      string `parquet:"site,optional,dict"` // null: not known
	OutDegree uint32 `parquet:"out_degree,delta"`
	InDegree  uint32 `parquet:"in_degree,delta"`
}

// Rows in a row group: all that the writer holds in memory. Of links that is 8 bytes
// a row, of pages about a hundred.
const (
	linkGroup = 1 << 20
	pageGroup = 1 << 16
	rowBatch  = 1 << 10 // handed to the writer at once
)

// exportParquet writes the two tables into a directory, which is made if it is not
// there. On an error neither table is left, nor a directory made for them.
func exportParquet(dir string, g *graph.Graph, shown *show.Stages, r *exportResult) (err error) {
	err = os.Mkdir(dir, 0o777)
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return hintDir(fmt.Errorf("create %s: %w", dir, cause(err)), dir)
	}
	defer func() {
		if err != nil && made {
			os.Remove(dir)
		}
	}()
	pages := filepath.Join(dir, "pages.parquet")
	links := filepath.Join(dir, "links.parquet")
	pageFile, err := createResult(nil, pages)
	if err != nil {
		return err
	}
	defer pageFile.Discard()
	linkFile, err := createResult(nil, links)
	if err != nil {
		return err
	}
	defer linkFile.Discard()
	if err := writePages(pageFile, g, shown); err != nil {
		return pageFile.wrap(err)
	}
	if err := writeLinks(linkFile, g, shown); err != nil {
		return linkFile.wrap(err)
	}
	if err := pageFile.Commit(); err != nil {
		return err
	}
	if err := linkFile.Commit(); err != nil {
		os.Remove(pages)
		return err
	}
	return r.add(pages, links)
}

// A rows collects rows and hands them to a Parquet writer many at a time.
type rows[T any] struct {
	w   *parquet.GenericWriter[T]
	buf []T
}

func newRows[T any](out *resultFile, group int64) *rows[T] {
	version, commit := creator(buildInfo())
	return &rows[T]{w: parquet.NewGenericWriter[T](out,
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(group), parquet.CreatedBy("winnow", version, commit))}
}

func (r *rows[T]) add(row T) error {
	if r.buf = append(r.buf, row); len(r.buf) < rowBatch {
		return nil
	}
	return r.flush()
}

func (r *rows[T]) flush() error {
	_, err := r.w.Write(r.buf)
	r.buf = r.buf[:0]
	return err
}

func (r *rows[T]) finish() error {
	if err := r.flush(); err != nil {
		return err
	}
	return r.w.Close()
}

func writePages(out *resultFile, g *graph.Graph, shown *show.Stages) error {
	tell := shown.Of("write pages")
	w := newRows[pageRow](out, pageGroup)
	forward, backward := g.Forward().Reader(), g.Backward().Reader()
	names := map[graph.Site]string{}
	row := func(p graph.Page, url string) error {
		if p%4096 == 0 {
			if err := tell(int64(p), int64(g.Pages())); err != nil {
				return err
			}
		}
		return w.add(pageRow{
			ID: g.ID(p), URL: url, Site: siteName(g, names, g.Site(p)),
			OutDegree: uint32(forward.Degree(p)), InDegree: uint32(backward.Degree(p)),
		})
	}
	if err := eachPage(g, row); err != nil {
		return err
	}
	return w.finish()
}

// eachPage calls fn for every page with its URL, "" where that is not known.
func eachPage(g *graph.Graph, fn func(p graph.Page, url string) error) error {
	if g.HasURLs() {
		return g.EachURL(func(p graph.Page, url []byte) error {
			return fn(p, string(url))
		})
	}
	for p := range graph.Page(g.Pages()) {
		if err := fn(p, ""); err != nil {
			return err
		}
	}
	return nil
}

// siteName is the name of a site, "" where it is not known. Pages of a site
// mostly follow one another, so few names are kept at a time.
func siteName(g *graph.Graph, known map[graph.Site]string, s graph.Site) string {
	const few = 1 << 12
	if !g.HasSites() {
		return ""
	}
	name, ok := known[s]
	if !ok {
		if len(known) == few {
			clear(known)
		}
		name = g.SiteName(s)
		known[s] = name
	}
	return name
}

func writeLinks(out *resultFile, g *graph.Graph, shown *show.Stages) error {
	tell := shown.Of("write links")
	w := newRows[linkRow](out, linkGroup)
	for c := g.Forward().Scan(0, graph.Page(g.Pages())); c.Next(); {
		if c.Page()%4096 == 0 {
			if err := tell(int64(c.Page()), int64(g.Pages())); err != nil {
				return err
			}
		}
		for _, q := range c.List() {
			if err := w.add(linkRow{g.ID(c.Page()), g.ID(q)}); err != nil {
				return err
			}
		}
	}
	return w.finish()
}
