package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A World is the graph of a crawl directory, in a temporary file. Pages that were not
// fetched have no links.
type World struct {
	Crawl *history.Crawl
	Trail *history.Trail
	Graph *graph.Graph

	temp string // directory of the file
}

// WorldOptions configure how a World is made.
type WorldOptions struct {
	All     bool   // all known pages, instead of those that were fetched
	Program string // for the card of the graph

	// Progress is as in graph.WriteOptions.
	Progress func(stage string, done, total int64) error
}

// OpenWorld reads the graph of a crawl.
func OpenWorld(ctx context.Context, path string, o WorldOptions) (*World, error) {
	c, err := history.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	w := &World{Crawl: c}
	if err := w.read(ctx, o); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *World) read(ctx context.Context, o WorldOptions) (err error) {
	if w.Trail, err = w.Crawl.Trail(); err != nil {
		return err
	}
	if path := w.Crawl.Path; len(w.Trail.Visits) == 0 {
		return &hint.Error{Err: fmt.Errorf("%w: no page of %s has been fetched", lab.ErrNothing, path), Hint: "resume the crawl: winnow crawl --dir " + path}
	}
	if w.temp, err = os.MkdirTemp("", "winnow-crawl-"); err != nil {
		return err
	}
	return w.write(ctx, o)
}

func (w *World) write(ctx context.Context, o WorldOptions) error {
	feed, err := w.Crawl.Feed()
	if err != nil {
		return err
	}
	file := filepath.Join(w.temp, "crawl.wg")
	imports := graph.ImportOptions{
		Feed: feed, Program: o.Program,
		WriteOptions: graph.WriteOptions{Path: file, Progress: o.Progress},
	}
	if !o.All {
		imports.FrontierMinInLinks = graph.FetchedOnly
	}
	if _, err = graph.Import(ctx, imports); err != nil {
		return err
	}
	w.Graph, err = graph.Open(file)
	return err
}

// Close closes the crawl and removes the file.
func (w *World) Close() {
	w.Crawl.Close()
	if w.Graph != nil {
		w.Graph.Close()
	}
	os.RemoveAll(w.temp)
}

// LeftOut returns how many known pages of the crawl are not in the world.
func (w *World) LeftOut() int { return w.Crawl.Known() - w.Graph.Pages() }

// page returns the page of the world for a page of the crawl, if there is one.
func (w *World) page(p graph.Page) (graph.Page, bool) { return w.Graph.ByID(uint32(p)) }

// Seeds returns the seeds of the crawl that were fetched, and every fetched page that no
// link from them leads to, such as one from a sitemap. It also returns a name for them.
func (w *World) Seeds(out *graph.Lists) (seeds []graph.Page, name string) {
	for _, p := range w.Trail.Seeds {
		if q, ok := w.page(p); ok {
			seeds = append(seeds, q)
		}
	}
	given, reached := len(seeds), measure.Reach(out, seeds)
	for _, v := range w.Trail.Visits {
		if q, ok := w.page(v.Page); ok && reached.Grow(q) {
			seeds = append(seeds, q)
		}
	}
	if name = "those of the crawl"; len(seeds) > given {
		name = fmt.Sprintf("those of the crawl (%d) and what no link leads to (%d)", given, len(seeds)-given)
	}
	return seeds, name
}
