package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/pagelist"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/version"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/live"
	"github.com/winnow-crawler/winnow/lab/oracle"
)

// readFiles reads --history and an --oracle that is a file. A recorded crawl has its own
// history.
func (s *simulation) readFiles() (err error) {
	if s.history != "" {
		if s.setting.History, err = s.readHistory(s.history); err != nil {
			return fmt.Errorf("--history: %w", err)
		}
	} else if s.crawled != nil {
		if s.setting.History, err = s.crawled.History(); err != nil {
			return err
		}
	}
	if contains(append(oracle.Metrics(), oracleNone), s.oracle) {
		return nil
	}
	switch {
	case s.combined != nil || contains(lab.TopicMetrics(), s.oracle) && s.setting.Frontier.Topic != nil:
		return nil
	case contains(lab.TopicMetrics(), s.oracle) && !exists(s.oracle):
		return console.WithHint(console.Usagef("--oracle %s: %s has no topic", s.oracle, s.path), "it takes the directory of a crawl with --query")
	}
	if s.values, err = (&oracle.Source{Name: s.oracle, Note: s.u.Notef}).Read(s.g); err != nil && !exists(s.oracle) {
		err = console.WithHint(err, "it takes pagerank, backlinks, none, a file of values or an expression such as 0.7*pagerank+0.3*backlinks")
	}
	if err != nil {
		return fmt.Errorf("--oracle: %w", err)
	}
	return nil
}

// nothingToCrawl returns the error about a graph without pages.
func nothingToCrawl(name string) error {
	return console.WithHint(fmt.Errorf("%w: %s has no pages", lab.ErrNothing, name),
		"import one that has some, or make one: winnow graph generate --pages 10k -o web.wg")
}

// remark prints how many values of a file were used.
func remarkValues(u *console.UI, v *pagelist.Values, g *graph.Graph, name string) {
	u.Notef("%s: values of %s of the %s pages of %s, and of %s that are not in it", name,
		show.Grouped(v.Known()), show.Grouped(int64(g.Pages())), g.Path(), show.Grouped(int64(len(v.Gone))))
	if v.Again > 0 {
		u.Notef("%s: skipped %s about pages that already had a value", name, show.Counted(v.Again, "further line"))
	}
}

// readHistory reads the values of an earlier crawl. Pages that are not in the graph
// have vanished since.
func (s *simulation) readHistory(name string) (*lab.History, error) {
	v, err := pagelist.ReadValues(s.g, name)
	if err != nil {
		return nil, err
	}
	if v.Known() == 0 {
		return nil, console.WithHint(fmt.Errorf("%s: no page of %s has a value in it", name, s.g.Path()),
			"lines are \"id TAB value\" or \"URL TAB value\", as winnow rank and winnow rank --urls write them")
	}
	h, err := lab.NewHistory(v.Of, v.Gone)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	remarkValues(s.u, v, s.g, name)
	return h, nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func contains(words []string, word string) bool { return slices.Contains(words, word) }

// openWorld opens a crawl directory as a world. If frontier is true, its pages that were not
// fetched count as fetched.
func openWorld(ctx context.Context, u *console.UI, path string, frontier bool, shown *show.Stages) (*live.World, error) {
	w, err := live.OpenWorld(ctx, path, live.WorldOptions{FrontierPages: frontier, Program: version.Program(), Progress: shown.Set})
	if err == nil {
		noteFrontier(u, path, w.Graph)
	}
	return w, err
}

// noteFrontier prints how many pages of a graph have no content.
func noteFrontier(u *console.UI, path string, g *graph.Graph) {
	if n := g.Pages() - g.FetchedPages(); n > 0 {
		u.Notef("%s: %s and %s that are only known: these have no content and are left out of all measures", path,
			show.Counted(g.FetchedPages(), "fetched page"), show.Grouped(n))
	}
}

// open opens the world: a graph file or a crawl directory.
func (s *simulation) open(ctx context.Context) (done func(), err error) {
	if isDir(s.path) {
		if s.crawled, err = openWorld(ctx, s.u, s.path, s.frontierPages, s.shown); err != nil {
			return nil, err
		}
		s.g = s.crawled.Graph
		s.setting.Frontier.Topic, err = s.crawled.About()
		return s.crawled.Close, err
	}
	if s.g, err = graphs.Open(s.u, s.path); err != nil {
		return nil, err
	}
	if s.frontierPages {
		s.g.CountFrontier()
	}
	noteFrontier(s.u, s.path, s.g)
	return func() { s.g.Close() }, nil
}

// replays reports whether a crawl is simulated with its own times: then its pages and sites
// answer as they did. With --frontier-pages some pages have no answer.
func (s *simulation) replays() bool {
	return !s.frontierPages && isDir(s.path) && isDir(s.time) && filepath.Clean(s.path) == filepath.Clean(s.time)
}

// likeRecorded sets the seeds to those of the crawl that is the world, unless flags set them,
// and lets the world answer as it was recorded, if it is a replay.
func (s *simulation) likeRecorded() error {
	if s.replays() {
		if err := s.crawled.Replay(s.world); err != nil {
			return err
		}
	}
	if s.crawled != nil {
		if err := s.crawled.Read(s.world); err != nil {
			return err
		}
	}
	if s.setting.Score == nil && s.crawled != nil {
		if err := s.likeScored(); err != nil {
			return err
		}
	}
	switch {
	case s.crawled == nil || s.seeds != "":
	case s.replays():
		s.crawled.Start(&s.setting)
	default:
		s.setting.Seeds, _, s.setting.SeedsName = s.crawled.Seeds(s.world.Sim.Out)
	}
	return nil
}

// likeScored sets the score to that of the crawl: the one with which it began if it is a replay,
// which repeats the changes, and the last one otherwise.
func (s *simulation) likeScored() (err error) {
	if s.replays() {
		s.setting.Score = s.world.Sim.Recorded.Score
		return nil
	}
	s.setting.Score, err = s.crawled.Score()
	return err
}

// setRecordedTime sets the times to those of a crawl, and its politeness unless flags set
// it.
func (s *simulation) setRecordedTime(ctx context.Context) (err error) {
	rec := (*history.Crawl)(nil)
	if s.replays() {
		rec = s.crawled.Crawl
	} else if rec, err = recut.Open(ctx, s.time); err != nil {
		return err
	} else {
		defer rec.Close()
	}
	if s.setting.Times, err = live.Times(rec, s.g, s.setting.Random, s.replays()); err != nil {
		return err
	}
	conf, err := rec.Config()
	if err != nil {
		return err
	}
	return live.Like(&s.setting, conf, s.replays(), s.flags.Changed)
}
