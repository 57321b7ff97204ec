package papers

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// An Experiment is one of the papers', or ours, that can be repeated on any graph.
type Experiment struct {
	Name  string // paper and number: "castillo04-table1"
	Paper string // citation with section
	What  string // one line: what is shown
	Run   func(*Bench) (*show.Report, error)
}

// Experiments is the table of all, in the order of the papers.
func Experiments() []Experiment {
	return slices.Concat(cho98(), najork01(), castillo04())
}

// A Bench is what an experiment is given to work with.
type Bench struct {
	Context context.Context
	Places  []*Place // at least one
	Random  uint64
	Threads int
	// Starts is the number of further start sets drawn at random for confidence bands
	// and paired differences; 0 has none.
	Starts int
	// Progress, if not nil, is told what is being done.
	Progress func(what string, done, of int)
}

// A Place is a world with where a crawl of it begins.
type Place struct {
	World     *lab.World
	Seeds     []graph.Page
	SeedsName string
	History   *lab.History // what an earlier crawl of it knew; nil when there was none
	pagerank  *measure.Truth
	backlinks *measure.Truth
}

// PageRank is the truth of the place by PageRank; it is made once.
func (p *Place) PageRank(b *Bench) (t *measure.Truth, err error) {
	if p.pagerank == nil {
		p.pagerank, err = measure.PageRankTruth(p.World.Web(), measure.TruthOptions{SelfLinks: p.World.Sim.SelfLinks, Threads: b.Threads, Progress: func(int, float64) error { return b.Context.Err() }})
	}
	return p.pagerank, err
}

// Backlinks is the truth of the place by backlinks; it is made once.
func (p *Place) Backlinks(b *Bench) (t *measure.Truth, err error) {
	if p.backlinks == nil {
		p.backlinks, err = measure.BacklinksTruth(p.World.Web(), measure.TruthOptions{SelfLinks: p.World.Sim.SelfLinks, Threads: b.Threads})
	}
	return p.backlinks, err
}

// Setting is the pure ordering experiment at the place: one fetcher, no time, K as in
// the command line's default.
func (p *Place) Setting(b *Bench, t *measure.Truth) lab.Setting {
	return lab.Setting{World: p.World, Seeds: p.Seeds, SeedsName: p.SeedsName, Truth: t, History: p.History, Random: b.Random, Batch: lab.DefaultBatch}
}

// say tells about progress.
func (b *Bench) say(done, of int, format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf(format, args...), done, of)
	}
}
