package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// labPlaces holds the open graphs that experiments run on.
type labPlaces struct {
	*labOptions
	u     *console.UI
	shown *show.Stages
	close []func() // in the order in which they were opened
}

func (l *labPlaces) free() {
	l.shown.Done()
	for i := len(l.close) - 1; i >= 0; i-- {
		l.close[i]()
	}
}

// open opens the graphs of --graph, or makes the built-in ones.
func (l *labPlaces) open(ctx context.Context) error {
	if len(l.graphs) == 0 {
		return l.builtIn(ctx)
	}
	for i, value := range l.graphs {
		path, older := splitOlder(value)
		p, err := l.place(ctx, path, path)
		if err != nil {
			return err
		}
		if len(l.changes) > 0 {
			if p.Changes, err = readChanges(l.changes[i], p.World.Graph, l.touched); err != nil {
				return fmt.Errorf("--changes: %w", err)
			}
		}
		if older != "" {
			if p.History, err = l.olderHistory(ctx, p, older); err != nil {
				return fmt.Errorf("--graph %s: %w", value, err)
			}
		}
	}
	return nil
}

// splitOlder splits G=OLDER, unless a file of that name exists.
func splitOlder(value string) (path, older string) {
	if exists(value) {
		return value, ""
	}
	path, older, _ = strings.Cut(value, "=")
	return path, older
}

// place opens a graph under a name and finds where crawls of it begin.
func (l *labPlaces) place(ctx context.Context, path, name string) (*experiment.Place, error) {
	if isDir(path) {
		return l.crawled(ctx, path, name)
	}
	g, err := graphs.Open(l.u, path)
	if err != nil {
		return nil, err
	}
	l.close = append(l.close, func() { g.Close() })
	if g.Pages() == 0 {
		return nil, nothingToCrawl(name)
	}
	seeds, seedsName, err := graphs.ChooseStart(ctx, l.u, g, l.seeds, l.Random)
	if err != nil {
		return nil, err
	}
	p := l.add(g, name)
	p.Seeds, p.SeedsName = seeds, seedsName
	return p, ctx.Err()
}

// add adds a place without seeds.
func (l *labPlaces) add(g *graph.Graph, name string) *experiment.Place {
	w := lab.NewWorld(name, g, l.selfLinks, l.Threads)
	l.close = append(l.close, w.Free)
	p := &experiment.Place{World: w}
	l.Places = append(l.Places, p)
	return p
}

// crawled does what place does, for a crawl directory: crawls begin at the seeds of that
// one.
func (l *labPlaces) crawled(ctx context.Context, path, name string) (*experiment.Place, error) {
	c, err := openWorld(ctx, l.u, path, false, l.shown)
	if err != nil {
		return nil, err
	}
	l.close = append(l.close, c.Close)
	p := l.add(c.Graph, name)
	if err := c.Read(p.World); err != nil {
		return nil, err
	}
	if p.Seeds, _, p.SeedsName = c.Seeds(p.World.Sim.Out); l.seeds != "" {
		if p.Seeds, p.SeedsName, err = graphs.ChooseStart(ctx, l.u, c.Graph, l.seeds, l.Random); err != nil {
			return nil, err
		}
	}
	return p, ctx.Err()
}

// olderHistory returns the PageRank of an older snapshot, as a crawl of it would know it.
func (l *labPlaces) olderHistory(ctx context.Context, p *experiment.Place, path string) (*lab.History, error) {
	old, err := graphs.Open(l.u, path)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	return experiment.OlderHistory(ctx, p, old, path, measure.TruthOptions{SelfLinks: l.selfLinks, Threads: l.Threads, Progress: l.shown.Sweeps("pagerank of "+path, 1e-12)})
}

// builtIn makes the synthetic webs and what an earlier crawl knew of them.
func (l *labPlaces) builtIn(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "winnow-lab-")
	if err != nil {
		return fmt.Errorf("make the built-in worlds: %w", err)
	}
	l.close = append(l.close, func() { os.RemoveAll(dir) })
	return experiment.EachBuiltIn(ctx, dir, l.shown.Set, measure.TruthOptions{SelfLinks: l.selfLinks, Threads: l.Threads}, l.place)
}
