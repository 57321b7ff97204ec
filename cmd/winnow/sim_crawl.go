package main

import (
	"context"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/live"
)

// openWorld opens a crawl directory as a world and notes what it leaves out.
func openWorld(ctx context.Context, u *ui, path string, shown *show.Stages) (*live.World, error) {
	w, err := live.OpenWorld(ctx, path, live.WorldOptions{Program: programName(), Progress: shown.Set})
	if err != nil {
		return nil, err
	}
	if left := w.LeftOut(); left > 0 {
		u.notef("%s: %s; %s more are known and left out (winnow graph import --crawl keeps them)", path,
			show.Counted(w.Graph.Pages(), "fetched page"), show.Grouped(left))
	}
	return w, nil
}

// open opens the world: a graph file or a crawl directory.
func (s *simulation) open(ctx context.Context) (done func(), err error) {
	if isDir(s.path) {
		if s.crawled, err = openWorld(ctx, s.u, s.path, s.shown); err != nil {
			return nil, err
		}
		s.g = s.crawled.Graph
		return s.crawled.Close, nil
	}
	if s.g, err = openGraph(s.u, s.path); err != nil {
		return nil, err
	}
	return func() { s.g.Close() }, nil
}

// setRecordedTime takes the times of a crawl, and its politeness unless flags set it.
func (s *simulation) setRecordedTime(ctx context.Context) (err error) {
	rec := (*history.Crawl)(nil)
	if s.crawled != nil && s.time == s.path {
		rec = s.crawled.Crawl
	} else if rec, err = history.Open(ctx, s.time); err != nil {
		return err
	} else {
		defer rec.Close()
	}
	if s.setting.Times, err = live.Times(rec, s.g, s.setting.Random, rec.Path == s.path); err != nil {
		return err
	}
	conf, err := rec.Config()
	if err != nil {
		return err
	}
	return s.likeCrawl(conf)
}

// likeCrawl takes the delays of a crawl, unless flags set them.
func (s *simulation) likeCrawl(c *config.Config) error {
	o, err := state.FrontierOptions(c)
	if err != nil {
		return err
	}
	f := &s.setting.Frontier
	if !s.flags.Changed("delay") {
		f.Delay, f.SmallDelay, f.SmallSite = o.Delay, o.SmallDelay, o.SmallSite
		f.Factor, f.FactorMax = o.Factor, o.FactorMax
	}
	if !s.flags.Changed("per-connection") {
		f.PerConnection = o.PerConnection
	}
	if !s.flags.Changed("fetchers") {
		s.setting.Fetchers = c.Fetchers
	}
	f.Resolve, f.Robots = o.Resolve, o.Robots
	return nil
}
