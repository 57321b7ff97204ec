package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/index"
	"github.com/winnow-crawler/winnow/crawl/move"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/version"
	"github.com/winnow-crawler/winnow/lab/live"
)

// reportPaths returns the paths of the files of a report in a directory.
func reportPaths(dir string) []string {
	var paths []string
	for _, f := range new(show.Report).Files() {
		paths = append(paths, filepath.Join(dir, f.Name))
	}
	return paths
}

// writeReport writes the files of a report into a directory, which is made when there
// is something to write.
func writeReport(u *console.UI, dir string, rep *show.Report) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return console.WithHint(fmt.Errorf("create %s: %w", dir, result.Cause(err)), "choose another place with --out")
	}
	return writeFiles(u, dir, rep.Files())
}

// writeFiles writes files into a directory. They get their names when all of them are on the
// disk: a full one leaves what was there before.
func writeFiles(u *console.UI, dir string, list []show.File) error {
	var files []*result.File
	defer func() {
		for _, f := range files {
			f.Discard()
		}
	}()
	for _, part := range list {
		f, err := result.Create(filepath.Join(dir, part.Name), u.Stdout)
		if err != nil {
			return err
		}
		files = append(files, f)
		if err := part.Write(f); err != nil {
			return f.Wrap(err)
		}
	}
	if err := result.CommitAll(files); err != nil {
		return err
	}
	u.Notef("wrote %s", filepath.Join(dir, list[0].Name))
	return nil
}

// report prints a report on standard output.
func present(u *console.UI, rep *show.Report) error {
	_, err := io.WriteString(u.Stdout, rep.Text(textOptions(u)))
	return err
}

// textOptions returns how reports are shown: with charts on a terminal or with -v, as wide
// as the terminal. Elsewhere tables are not broken.
func textOptions(u *console.UI) show.TextOptions {
	o := show.TextOptions{Width: 200, Charts: u.Verbose}
	if f := u.Stdout.Terminal(); f != nil {
		o.Width, o.Charts = console.Width(f), true
	}
	return o
}

type reportOptions struct {
	clusterFlags
	out      string   // directory; "": DIR/report
	policies []string // that are simulated for comparison with the crawl
	memory   show.Size
	limit    func(most, outside int64) // of the heap
}

func newReportCommand(u *console.UI) *cobra.Command {
	opt := &reportOptions{}
	cmd := &cobra.Command{
		Use:   "report (DIR | --cluster ADDRESS --name NAME --out DIR) [--policy P,...]",
		Short: "report on a crawl, and compare it with other policies",
		Long: `Reads the journal of a crawl, running or not, and writes report.html, curves.csv,
summary.json and curves.svg. The page begins with three sentences: what was gathered, what
was missed, and whether the order was worth it. Then come the importance gathered and the
pages and failures over time, the fifty most important pages with their places in the order,
and the important pages that failed. The rest is folded: orders, times, frontier,
connections, links, languages, types, sizes, sites, skipped pages and sessions. Importance is the
PageRank of the fetched pages.

It also simulates the crawl in the world that was recorded, with the recorded times, under
the same policy and under others. It warns if sessions had different options.

It keeps within --max-memory, or says how much it needs. If there is room for the report but
not for simulations, it leaves them out (exit code 3).

It writes a CDXJ index for each complete WARC file that has none.

With --cluster it reports on a crawl on several machines, from a temporary copy of its
journals.`,
		Example: `  winnow report example.crawl
  winnow report example.crawl --policy backlink-count,larger-sites-first --out /tmp/report
  winnow report example.crawl --policy none`,
		Args: opt.dirOrCluster,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := console.NotEmpty(u, cmd.Flags(), "out"); err != nil {
				return err
			}
			if err := opt.check(u, cmd); err != nil {
				return err
			}
			if opt.cluster != "" && opt.out == "" {
				return console.WithHint(console.Usagef("--cluster needs --out"), "try: %s", u.WithFlag("--out", "report"))
			}
			if opt.cluster != "" {
				return opt.gathered(cmd.Context(), u, false, func(dir string, _ *move.Gathered) error {
					return runReport(cmd.Context(), u, opt, dir)
				})
			}
			return runReport(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.out, "out", "", "directory for the report (default: report in the crawl directory)")
	f.StringSliceVar(&opt.policies, "policy", live.DefaultPolicies(), "policies to simulate in addition to that of the crawl, or none")
	f.Var(&opt.memory, "max-memory", "use at most this much memory, such as 2G (default: as the crawl)")
	completesPolicies(cmd, "policy", live.NoPolicy)
	opt.add(cmd)
	return cmd
}

func runReport(ctx context.Context, u *console.UI, opt *reportOptions, dir string) error {
	if opt.out == "" {
		opt.out = filepath.Join(dir, "report")
	}
	heap := machine.ForCrawl(int64(opt.memory))
	defer heap.Restore()
	opt.limit = heap.Leave
	r, err := readReport(ctx, u, dir, opt)
	if err != nil {
		return err
	}
	defer r.Close()
	wrong := r.Failed
	if err := writeReport(u, opt.out, r.Full()); err != nil {
		wrong = errors.Join(wrong, err)
	}
	indexed, err := writeIndexes(dir)
	wrong = errors.Join(wrong, err)
	if err := printReport(u, r, opt.out, indexed); err != nil {
		return err
	}
	if wrong != nil {
		return console.Missingf("%w", wrong)
	}
	return nil
}

// writeIndexes writes the indexes that are missing in all partitions of a crawl.
func writeIndexes(dir string) (n int, err error) {
	list, err := history.Dirs(dir)
	for _, d := range list {
		more, failed := index.Write(d)
		n, err = n+more, errors.Join(err, failed)
	}
	return n, err
}

// readReport reads the report of a crawl and shows the progress.
func readReport(ctx context.Context, u *console.UI, dir string, opt *reportOptions) (*live.Report, error) {
	shown := u.Stages(ctx)
	defer shown.Done()
	return live.ReadReport(ctx, dir, live.ReportOptions{
		Policies: opt.policies, Program: version.Program(), Progress: shown,
		MaxMemory: int64(opt.memory), MachineMemory: machine.Memory(), Limit: opt.limit,
	})
}

// printReport prints the main numbers on standard output.
func printReport(u *console.UI, r *live.Report, out string, indexed int) error {
	if u.AsJSON {
		s := r.Summary()
		s.Report, s.Indexes = out, indexed
		return u.JSON(s)
	}
	if indexed > 0 {
		u.Notef("wrote the index of %s", show.Counted(indexed, "WARC file"))
	}
	return present(u, r.Brief(textOptions(u).Charts))
}
