// Package parquet writes the pages and the links of a graph as Parquet tables.
package parquet

import (
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/winnow-crawler/winnow/graph"
)

// A Page is a row of the table of pages.
type Page struct {
	ID        uint32 `parquet:"id,delta"`
	URL       string `parquet:"url,optional,delta"` // null if unknown
	Site      string `parquet:"site,optional,dict"` // null if unknown
	OutDegree uint32 `parquet:"out_degree,delta"`
	InDegree  uint32 `parquet:"in_degree,delta"`
}

// A Link is a row of the table of links, in original ids.
type Link struct {
	Src uint32 `json:"src" parquet:"src,delta"`
	Dst uint32 `json:"dst" parquet:"dst,delta"`
}

// A Writer writes the tables of a graph.
type Writer struct {
	Graph           *graph.Graph
	Version, Commit string // of this program, for the header of each table

	// Progress is called now and then with the pages done and the pages of the
	// graph. An error from it stops the writer.
	Progress func(done, total int64) error
}

// Rows in a row group, all of which the encoder holds in memory: 8 bytes a link, about
// a hundred a page.
const (
	linkGroup = 1 << 20
	pageGroup = 1 << 16
	rowBatch  = 1 << 10 // rows handed to the encoder at once
)

// Pages writes the table of pages to out.
func (w *Writer) Pages(out io.Writer) error {
	g := w.Graph
	table := newTable[Page](w, out, pageGroup)
	forward, backward := g.Forward().Reader(), g.Backward().Reader()
	site := g.SiteNames()
	err := w.eachPage(func(p graph.Page, url string) error {
		return table.add(Page{
			ID: g.ID(p), URL: url, Site: site(g.Site(p)),
			OutDegree: uint32(forward.Degree(p)), InDegree: uint32(backward.Degree(p)),
		})
	})
	if err != nil {
		return err
	}
	return table.finish()
}

// Links writes the table of links to out.
func (w *Writer) Links(out io.Writer) error {
	table := newTable[Link](w, out, linkGroup)
	if err := w.EachLink(table.add); err != nil {
		return err
	}
	return table.finish()
}

// EachLink calls fn with every link of the graph, in order.
func (w *Writer) EachLink(fn func(Link) error) error {
	g := w.Graph
	for c := g.Forward().Scan(0, graph.Page(g.Pages())); c.Next(); {
		if err := w.report(c.Page()); err != nil {
			return err
		}
		for _, q := range c.List() {
			if err := fn(Link{g.ID(c.Page()), g.ID(q)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachPage calls fn with every page and its URL, "" if unknown.
func (w *Writer) eachPage(fn func(p graph.Page, url string) error) error {
	visit := func(p graph.Page, url []byte) error {
		if err := w.report(p); err != nil {
			return err
		}
		return fn(p, string(url))
	}
	if w.Graph.HasURLs() {
		return w.Graph.EachURL(visit)
	}
	for p := range graph.Page(w.Graph.Pages()) {
		if err := visit(p, nil); err != nil {
			return err
		}
	}
	return nil
}

// report calls Progress at every 4096th page.
func (w *Writer) report(p graph.Page) error {
	if p%4096 != 0 {
		return nil
	}
	return w.Progress(int64(p), int64(w.Graph.Pages()))
}

// A table collects rows and hands them to the encoder many at a time.
type table[T any] struct {
	w   *parquet.GenericWriter[T]
	buf []T
}

func newTable[T any](w *Writer, out io.Writer, group int64) *table[T] {
	return &table[T]{w: parquet.NewGenericWriter[T](out, parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(group), parquet.CreatedBy("winnow", w.Version, w.Commit))}
}

func (t *table[T]) add(row T) error {
	if t.buf = append(t.buf, row); len(t.buf) < rowBatch {
		return nil
	}
	return t.flush()
}

func (t *table[T]) flush() error {
	_, err := t.w.Write(t.buf)
	t.buf = t.buf[:0]
	return err
}

func (t *table[T]) finish() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.w.Close()
}
