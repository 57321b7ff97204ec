package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// stages shows the progress of work that goes through several stages, one after the
// other, each with a line of its own. Stages that overlap are shown once, in the
// order in which they began.
type stages struct {
	ctx  context.Context
	u    *ui
	seen []string
	now  *progress
}

func newStages(ctx context.Context, u *ui) *stages { return &stages{ctx: ctx, u: u} }

// tell is what graph.WriteOptions.Progress wants: how much of a stage is done. Its
// error ends the work at Ctrl-C.
func (s *stages) tell(stage string, done, total int64) error {
	if n := len(s.seen); n == 0 || s.seen[n-1] != stage {
		for _, before := range s.seen {
			if before == stage {
				return s.ctx.Err()
			}
		}
		s.Done()
		s.seen = append(s.seen, stage)
		unit := "pages"
		switch {
		case stage == graph.StageRead:
			unit = unitBytes
		case stage == graph.StageFeed:
			unit = ""
		}
		s.now = newProgress(s.u, stage, total, unit)
	}
	s.now.Set(done)
	return s.ctx.Err()
}

// pages is tell for work that has one stage and counts pages.
func (s *stages) pages(stage string) func(done, total int64) error {
	return func(done, total int64) error { return s.tell(stage, done, total) }
}

// sweeps is what rank.Options.Progress wants. How many sweeps there will be is not
// known, but the error falls by about the same factor in each.
func (s *stages) sweeps(stage string, goal float64) func(sweep int, bound float64) error {
	var first float64
	return func(sweep int, bound float64) error {
		err := s.tell(stage, int64(sweep), 0)
		if first == 0 {
			first = bound
		}
		s.now.Note(sweepNote(sweep, first, bound, goal, time.Since(s.now.start)))
		return err
	}
}

// notes is for a stage that says in words how far it has come.
func (s *stages) notes(stage string) func(what string) error {
	return func(what string) error {
		err := s.tell(stage, 0, 0)
		s.now.Note(what)
		return err
	}
}

// sweepNote tells how far the error has come down from the first one to the goal,
// and when it will be there if it goes on like this.
func sweepNote(sweep int, first, bound, goal float64, elapsed time.Duration) string {
	note := fmt.Sprintf("sweep %d, error at most %.1e, goal %.1e", sweep, bound, goal)
	done, all := math.Log(first/bound), math.Log(first/goal)
	if !(done > 0 && all > done) {
		return note
	}
	left := time.Duration(float64(elapsed) * (all - done) / done)
	return note + ", " + formatDuration(left) + " left"
}

// Done removes the line.
func (s *stages) Done() {
	if s.now != nil {
		s.now.Done()
	}
}
