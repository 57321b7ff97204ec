package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A simResult holds the results of a simulation.
type simResult struct {
	*simulation
	c      *lab.Comparison
	runs   []*lab.Run
	orders []*result.File // of the runs; nil without --order
	base   *lab.Baselines
	sets   *lab.StartSets // nil without --starts
	failed error          // policies that failed while others did not
}

// createFiles opens the files of --order under temporary names and looks whether --out
// can be made.
func (s *simulation) createFiles() error {
	inputs := []string{s.g.Path(), s.history, s.oracle, s.seeds, s.score.file, s.score.values, s.score.rules, s.visits.changes}
	if s.order == "-" {
		return console.Usagef("--order needs a file: standard output has the measures")
	}
	if s.order != "" {
		for _, name := range orderNames(s.order, s.chosen) {
			if graphs.Replaces(name, inputs...) {
				return console.Usagef("--order: %s is also an input", name)
			}
			if s.out != "" && contains(reportPaths(s.out), filepath.Clean(name)) {
				return console.Usagef("--order: %s is also a file of --out", name)
			}
			f, err := result.Create(name, s.u.Stdout)
			if err != nil {
				return graphs.HintDir(fmt.Errorf("--order: %w", err), name)
			}
			s.files = append(s.files, f)
		}
	}
	return checkOut(s.out, []string{s.out}, inputs...)
}

// orderNames returns the files of --order: FILE, or with several policies FILE.NAME each.
func orderNames(file string, policies []string) []string {
	if len(policies) == 1 {
		return []string{file}
	}
	names := make([]string, len(policies))
	for i, p := range policies {
		names[i] = file + "." + strings.ReplaceAll(p, "/", "+")
	}
	return names
}

// checkOut refuses a report in one of dirs, below out, that would replace an input, and
// checks that out can be made.
func checkOut(out string, dirs []string, inputs ...string) error {
	if out == "" {
		return nil
	}
	for _, dir := range dirs {
		for _, path := range reportPaths(dir) {
			if graphs.Replaces(path, inputs...) {
				return console.Usagef("--out %s: %s is also an input", out, path)
			}
		}
	}
	return checkOutDir(out)
}

// checkOutDir checks that files can be made in a directory that need not be there
// yet, without making it.
func checkOutDir(dir string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && filepath.Dir(at) != at:
			continue
		case err != nil:
			return fmt.Errorf("--out %s: %w", dir, result.Cause(err))
		case !info.IsDir():
			return fmt.Errorf("--out %s: %s is not a directory", dir, at)
		}
		return graphs.CheckDir(at, dir)
	}
}

// file returns the order file of policy i, or nil without --order.
func (s *simulation) file(i int) *result.File {
	if len(s.files) == 0 {
		return nil
	}
	return s.files[i]
}

// discard removes order files that were not completed.
func (s *simulation) discard() {
	for _, f := range s.files {
		f.Discard()
	}
}

// deliver writes the files and prints the results. It prints results even if a
// file cannot be written; the exit code then shows the failure.
func (r *simResult) deliver(ctx context.Context) error {
	err := r.writeOrders(ctx)
	if r.out != "" && ctx.Err() == nil {
		err = errors.Join(err, writeReport(r.u, r.out, r.report()))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if printErr := r.print(); printErr != nil {
		return printErr
	}
	if err = errors.Join(err, r.failed); err != nil {
		return console.Missingf("%w", err)
	}
	return nil
}

// writeOrders writes the ids of the pages, one a line, in the order in which they were fetched.
func (r *simResult) writeOrders(ctx context.Context) error {
	for i, run := range r.runs {
		if f := r.orders[i]; f != nil {
			if err := writeOrder(ctx, f, r.g, run.Result.Order); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeOrder(ctx context.Context, f *result.File, g *graph.Graph, order []graph.Page) error {
	var b []byte
	for i, p := range order {
		if i%65536 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b = append(strconv.AppendUint(b[:0], uint64(g.ID(p)), 10), '\n')
		if _, err := f.Write(b); err != nil {
			return f.Wrap(err)
		}
	}
	return f.Commit()
}

// report returns the report for --out. Nothing in it depends on the clock.
func (r *simResult) report() *show.Report {
	rep := r.c.Report(r.title(), r.runs, r.base)
	rep.Header = append(rep.Header, r.moreHeader()...)
	if r.sets != nil {
		rep.Sections = append(rep.Sections, r.sets.Sections()...)
	}
	return rep
}

func (r *simResult) title() string { return "sim: " + filepath.Base(r.world.Name) }

// moreHeader returns the facts about the inputs that package lab does not know.
func (r *simResult) moreHeader() (h []show.Field) {
	if r.c.Truth != nil {
		h = append(h, show.Field{Name: "importance", Value: r.truthText()})
	}
	if r.c.History != nil {
		h = append(h, show.Field{Name: "history", Value: fmt.Sprintf("%s: %s of the world, %s vanished", cmp.Or(r.history, "that of the crawl"),
			show.Counted(int64(r.c.History.Old), "page"), show.Grouped(int64(r.c.History.Gone)))})
	}
	return h
}

func (r *simResult) truthText() string {
	text := r.oracle
	if r.combined != nil {
		text = r.combined.String()
	}
	if r.solves() {
		text += fmt.Sprintf(", follow %g", r.importance.Follow)
	}
	switch {
	case r.oracle != measure.PageRankMetric && r.oracle != measure.BacklinksMetric && r.combined == nil:
		return text
	case r.truth == truthReachable:
		return text + ", of the reachable pages and the links among them"
	}
	return text + ", of the full graph"
}

// print shows the results on standard output: a table, or one object a policy.
func (r *simResult) print() error {
	if r.u.AsJSON {
		for i := range r.runs {
			if err := r.u.JSON(simObject{r.c.Summary(r.runs, i, r.base, r.sets), r.config()}); err != nil {
				return err
			}
		}
		return nil
	}
	return present(r.u, r.shownReport())
}

// shownReport returns the report for a terminal: the header, the measures with the speed of
// the simulation, the curves of the importance, and the start sets.
func (r *simResult) shownReport() *show.Report {
	rep := &show.Report{Title: r.title(), Header: append(r.c.Header(r.runs), r.moreHeader()...)}
	table := r.c.Table(r.runs, r.base)
	table.Columns = append(table.Columns, show.Column{Name: "speed", Unit: "pages/s"})
	for i, run := range r.runs {
		table.Rows[i] = append(table.Rows[i], show.Brief(float64(len(run.Result.Order))/run.Seconds))
	}
	rep.Sections = append(rep.Sections, show.Section{Table: table})
	if r.c.Judge != nil && textOptions(r.u).Charts {
		rep.Sections = append(rep.Sections, r.c.Cumulative(r.runs, r.base))
	}
	if r.c.KeepPages > 0 {
		rep.Sections = append(rep.Sections, r.c.KeptTable(r.runs))
	}
	if r.c.Times != nil {
		rep.Sections = append(rep.Sections, r.c.TimeTable(r.runs), r.c.TailTable(r.runs))
	}
	if r.c.Changes != nil {
		rep.Sections = append(rep.Sections, r.c.FreshnessTable(r.runs))
		if textOptions(r.u).Charts {
			rep.Sections = append(rep.Sections, r.c.ValueSection(r.runs))
		}
	}
	if r.sets != nil {
		rep.Sections = append(rep.Sections, r.sets.Averages())
	}
	return rep
}

// A simObject is the JSON output for one policy.
type simObject struct {
	*lab.Summary
	Config show.Object `json:"config"` // what determines a run, except its policy
}

// config returns what determines the runs, except their policies: the world, and the flags
// by their names.
func (r *simResult) config() (c show.Object) {
	add := func(key string, value any) { c = append(c, show.Member{Key: key, Value: value}) }
	add("world", r.world.Name)
	add("world_pages", r.g.Pages())
	add("world_links", r.g.Links())
	r.runFlags.VisitAll(func(f *pflag.Flag) {
		key := strings.ReplaceAll(f.Name, "-", "_")
		switch {
		case contains(visitFlags(), f.Name) && !f.Changed, key == "remember" && !f.Changed:
		case key == "seeds":
			add(key, r.c.SeedsName)
			add("seed_pages", len(r.c.Seeds))
		case key == "follow" && !r.solves():
			add(key, nil)
		case key == "hot" && r.c.Judge != nil:
			add(key, r.c.Hot())
		default:
			add(key, f.Value)
		}
	})
	return c
}
