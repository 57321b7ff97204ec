package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A crawlWorld is the graph of a crawl directory, made ready in a temporary file (W36):
// the pages that came and the links among them, or all known pages. Pages that are only
// known have no links that a virtual crawl could find.
type crawlWorld struct {
	rec   *history.Crawl
	trail *history.Trail
	g     *graph.Graph
	temp  string // directory of the file
	whole int    // known pages
}

// openRecording opens a crawl directory for a verb. Ctrl-C ends its reading.
func openRecording(ctx context.Context, path string) (*history.Crawl, error) {
	rec, err := history.Open(ctx, path)
	return rec, explainCrawl(err)
}

// openCrawlWorld reads the graph of a crawl: the pages that came, or all.
func openCrawlWorld(ctx context.Context, path string, all bool, tell func(stage string, done, total int64) error) (*crawlWorld, error) {
	rec, err := openRecording(ctx, path)
	if err != nil {
		return nil, err
	}
	w := &crawlWorld{rec: rec}
	if err := w.read(ctx, all, tell); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *crawlWorld) read(ctx context.Context, all bool, tell func(stage string, done, total int64) error) (err error) {
	if w.trail, err = w.rec.Trail(); err != nil {
		return explainCrawl(err)
	}
	w.whole = w.rec.Known()
	if path := w.rec.Path; len(w.trail.Visits) == 0 {
		return withHint(fmt.Errorf("%w: no page of %s has come", lab.ErrNothing, path), "let the crawl go on: winnow crawl --dir %s", path)
	}
	if w.temp, err = os.MkdirTemp("", "winnow-crawl-"); err != nil {
		return err
	}
	return w.write(ctx, filepath.Join(w.temp, "crawl.wg"), all, tell)
}

func (w *crawlWorld) write(ctx context.Context, file string, all bool, tell func(stage string, done, total int64) error) (err error) {
	feed, err := w.rec.Feed()
	if err != nil {
		return err
	}
	o := graph.ImportOptions{
		Feed: feed, Program: programName(),
		WriteOptions: graph.WriteOptions{Path: file, Progress: tell},
	}
	if !all {
		o.FrontierMinInLinks = graph.FetchedOnly
	}
	if _, err = graph.Import(ctx, o); err != nil {
		return err
	}
	w.g, err = graph.Open(file)
	return err
}

func (w *crawlWorld) close() {
	w.rec.Close()
	if w.g != nil {
		w.g.Close()
	}
	os.RemoveAll(w.temp)
}

// page is the page of the graph that a page of the crawl is; ok is false if it is not
// there.
func (w *crawlWorld) page(p graph.Page) (graph.Page, bool) { return w.g.ByID(uint32(p)) }

// seeds are where the crawl began, as far as those pages came, and every page that
// cannot be reached from them by links: one that a sitemap named.
func (w *crawlWorld) seeds(out *graph.Lists) (seeds []graph.Page, name string) {
	for _, p := range w.trail.Seeds {
		if q, ok := w.page(p); ok {
			seeds = append(seeds, q)
		}
	}
	given, reached := len(seeds), measure.Reach(out, seeds)
	for _, v := range w.trail.Visits {
		if q, ok := w.page(v.Page); ok && reached.Grow(q) {
			seeds = append(seeds, q)
		}
	}
	if name = "those of the crawl"; len(seeds) > given {
		name = fmt.Sprintf("those of the crawl (%d) and what no link leads to (%d)", given, len(seeds)-given)
	}
	return seeds, name
}

// remark says what is not in the world.
func (w *crawlWorld) remark(u *ui, path string) {
	if left := w.whole - w.g.Pages(); left > 0 {
		u.notef("%s: %s that came; %s known besides are left out (winnow graph import --crawl keeps them)", path,
			counted(int64(w.g.Pages()), "page"), formatCount(int64(left)))
	}
}
