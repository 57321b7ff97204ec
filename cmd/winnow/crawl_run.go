package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/metrics"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/hook"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

// run crawls, shows the progress, and prints a summary at the end.
func (c *crawling) run(ctx context.Context) error {
	p := watchCrawl(c.u, c.dir, &c.config)
	closeMetrics, err := serveMetrics(c.u, &c.config, p.Last)
	if err != nil {
		return err
	}
	defer closeMetrics()
	board, err := c.serveDashboard(ctx)
	if err != nil {
		return err
	}
	defer board.close()
	if err := c.printStart(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		p.Say("", "stopping; a second Ctrl-C stops at once, and nothing that was fetched is lost")
	})()
	p.Start()
	defer p.Stop()
	heap := machine.ForCrawl(int64(c.config.MaxMemory))
	defer heap.Restore()
	reload, done := hangups(&c.config)
	defer done()
	sum, err := partition.Run(ctx, crawl.RunOptions{
		Reload: reload, Control: board.control, Beside: board.offHeap,
		Dir: c.dir, Config: c.config, Seeds: c.seeds, AddSeeds: c.opt.addSeeds,
		Version: programVersion(), MachineMemory: machine.Memory(), Sockets: sockets(),
		Log: slog.New(&terminal.Log{Show: p.Say, Least: c.logLevel()}), Progress: func(s *history.Status) { heap.Leave(s.MemoryMax, s.OffHeap); p.Set(s) },
		Machine: crawl.Machine{Sizes: c.u.Sizes, Heap: crawl.MeasureHeap},
	})
	p.Stop()
	if sum != nil {
		c.sum = *sum
		if printErr := c.printEnd(sum); err == nil {
			err = printErr
		}
	}
	if err != nil {
		return err
	}
	return c.verdict(ctx, sum)
}

// ended runs the command of --on-end and returns the error of the run.
func (c *crawling) ended(ctx context.Context, err error) error {
	if c.opt.onEnd == "" {
		return err
	}
	end := hook.End{Dir: c.dir, State: c.sum.State, Why: c.sum.Why, Fetched: c.sum.Fetched, Exit: console.CodeOf(ctx, err)}
	if end.State == "" {
		end.State, end.Why = "failed", console.OneLine(err)
	}
	if failed := end.Run(c.opt.onEnd, c.u.Screen.W); failed != nil {
		c.u.Say("warning", fmt.Sprintf("--on-end: %v: %s", failed, c.opt.onEnd))
	}
	return err
}

// verdict turns the reason of the end into an exit code: reaching a limit or the end of
// the Web is a success, unless there is no page; a full disk is none.
func (c *crawling) verdict(ctx context.Context, sum *crawl.Summary) error {
	again := terminal.ResumeIn(c.dir)
	switch sum.Why {
	case "stopped":
		if ctx.Err() != nil {
			return ctx.Err()
		}
	case "disk":
		return console.WithHint(fmt.Errorf("the disk of %s has less room than --disk-reserve %s; the crawl is paused and nothing is lost", c.dir, c.config.DiskReserve),
			"make room, or give a smaller --disk-reserve, then: %s", again)
	case "memory":
		most := config.Size(sum.MemoryMax)
		return console.WithHint(fmt.Errorf("the memory of --max-memory %s is used up; the crawl is paused and nothing is lost", most),
			"try: %s --max-memory %s", again, 2*most)
	default:
		if sum.Fetched == sum.Redirects {
			return console.Missingf("%w", terminal.NoPage(ctx, c.dir, &c.config, &sum.Status))
		}
	}
	return nil
}

// programVersion returns the version for the User-Agent header, without build metadata.
func programVersion() string {
	build, ok := debug.ReadBuildInfo()
	if !ok || !strings.HasPrefix(build.Main.Version, "v") {
		return ""
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(build.Main.Version, "v"), "-")
	return version
}

func (c *crawling) logLevel() slog.Level {
	if c.u.Verbose {
		return slog.LevelDebug
	}
	return crawl.LevelNote
}

// otherFiles is the number of files and sockets that a crawl has open in addition to the
// connection of each fetcher: archive, journal, URLs, snapshots, indexes, metrics and their
// readers, standard streams. A query to the resolver takes the place of a connection.
const otherFiles = 64

// sockets returns how many connections a crawl may have open, 0 if that is not known.
func sockets() int {
	most, _ := machine.OpenFiles()
	return max(0, most-otherFiles)
}

// checkOpenFiles returns an error if there are more fetchers than the system allows open
// files: pages would fail because no connection could be opened. The same holds for a
// number of kept connections that is not the default; the crawl lowers that by itself.
func (c *crawling) checkOpenFiles() error {
	most, known := machine.OpenFiles()
	need := c.config.Fetchers + otherFiles
	if !known || need <= most {
		return c.checkKeepMost(most)
	}
	err := console.Usagef("--fetchers %d needs %s open files, and the system allows %s", c.config.Fetchers, show.Grouped(int64(need)), show.Grouped(int64(most)))
	if fewer := most - otherFiles; fewer > 0 {
		return console.WithHint(err, "raise the limit with ulimit -Hn %d, or try: %s", need, c.u.WithFlag("--fetchers", strconv.Itoa(fewer)))
	}
	return console.WithHint(err, "raise the limit with ulimit -Hn %d", need)
}

// checkKeepMost returns an error if the user wants more kept connections than the system
// allows besides those of the fetchers. most is 0 if its limit is not known.
func (c *crawling) checkKeepMost(most int) error {
	keep, fetchers := c.config.KeepMost, c.config.Fetchers
	need := fetchers + keep + otherFiles
	if most == 0 || need <= most || c.config.KeepAlive.Duration == 0 || keep == config.Default().KeepMost {
		return nil
	}
	err := console.Usagef("--keep-most %d with --fetchers %d needs %s open files, and the system allows %s", keep, fetchers, show.Grouped(int64(need)), show.Grouped(int64(most)))
	return console.WithHint(err, "raise the limit with ulimit -Hn %d, or try: %s", need, c.u.WithFlag("--keep-most", strconv.Itoa(max(1, most-fetchers-otherFiles))))
}

// serveMetrics serves metrics at the address of the configuration until close is called.
func serveMetrics(u *console.UI, c *config.Config, last metrics.Source) (close func(), err error) {
	addr, err := c.MetricsAddress()
	if addr == "" || err != nil {
		return func() {}, explainKey(u, err)
	}
	token, err := readToken("--metrics-token", c.MetricsToken)
	if err != nil {
		return nil, err
	}
	at, close, err := metrics.Serve(addr, last, token)
	if err != nil {
		return nil, console.WithHint(fmt.Errorf("--metrics: %w", err), "port 0 is any free port; try: %s", u.WithFlag("--metrics", "127.0.0.1:0"))
	}
	u.Notef("metrics at http://%s/metrics", at)
	return close, nil
}

// readToken reads a token from a file. Without a name it returns nil.
func readToken(flag, name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: open %s: %w", flag, name, result.Cause(err))
	}
	token := bytes.TrimSpace(text)
	if len(token) < 16 {
		return nil, console.WithHint(fmt.Errorf("%s: %s: a token has at least 16 characters", flag, name), "to make one: openssl rand -hex 16 > %s", terminal.Command(name))
	}
	return token, nil
}
