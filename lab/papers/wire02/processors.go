package wire02

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// What the experiment about processors varies. A page costs fifty times as much as it costs winnow
// today, about what a machine of 2002 needed, so that few threads are enough to see it.
func processorCounts() []int { return []int{1, 2, 4} }
func threadCounts() []int    { return []int{1, 4, 16, 64, 256, 1024} }
func lineWidths() []int64    { return []int64{200e3, 2e6, 20e6} }
func oldMachine(n int) sim.Processors {
	p := sim.DefaultProcessors(n)
	p.Page, p.Rate, p.Switch = 50*p.Page, p.Rate/50, 5*p.Switch
	return p
}

// processorLimit bounds the pages of one crawl, and processorPart is the part of those that can be
// reached: the last pages are those of a few sites.
const (
	processorLimit = 5_000
	processorPart  = 4
)

// nearly is the part of the highest rate from which on more threads bring nothing, and of a line or
// of the processors from which on they are full. mostPages is the part of the crawl that is timed:
// a few slow sites make its end.
const (
	nearly    = 0.95
	mostPages = 0.95
)

// A machineRun is the speed of one crawl.
type machineRun struct {
	rate    float64 // pages a second
	busy    float64 // of the processors
	line    float64 // of the line
	threads int
}

// processors shows section 7: how many threads a processor can use, from how many on the line is
// full, and what more processors bring by the width of the line.
func processors(r *experiment.Run, p *experiment.Place) error {
	counts, threads, widths := processorCounts(), threadCounts(), lineWidths()
	runs := make([]machineRun, len(widths)*len(counts)*len(threads))
	pages := max(1, min(processorLimit, p.Reach(p.Seeds)/processorPart))
	err := r.InParallel(len(runs), func(i int) (err error) {
		width, count, n := widths[i/(len(counts)*len(threads))], counts[i/len(threads)%len(counts)], threads[i%len(threads)]
		runs[i], err = machine(r.Bench, p, width, count, n, pages)
		return err
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: []show.Column{{Name: "line", Unit: "kB/s", Key: "line"}, {Name: "processors"}, {Name: "threads"}, {Name: "pages a second", Key: "rate"}, {Name: "processors busy", Unit: "%", Key: "busy"}, {Name: "line used", Unit: "%", Key: "used"}}}
	chart := &plot.Chart{Title: p.World.Name + ": pages a second by threads", XLabel: "threads", YLabel: "pages a second", LogX: true}
	full := &show.Table{Columns: []show.Column{{Name: "line", Unit: "kB/s", Key: "line"}, {Name: "processors"}, {Name: "threads that are enough", Key: "threads"}, {Name: "a processor", Key: "per_processor"}, {Name: "pages a second", Key: "rate"}, {Name: "what is full"}}}
	var gains []float64 // of four processors for one, by line
	for w, width := range widths {
		best := make([]float64, len(counts))
		for k, count := range counts {
			line := runs[(w*len(counts)+k)*len(threads):][:len(threads)]
			s := plot.Series{Name: fmt.Sprintf("%d processors, %d kB/s", count, width/1000)}
			for i, run := range line {
				t.Add(int(width/1000), count, threads[i], show.Num(run.rate, 2), show.Num(100*run.busy, 1), show.Num(100*run.line, 1))
				s.Add(float64(threads[i]), run.rate)
			}
			chart.Series = append(chart.Series, s)
			enough := line[saturation(line)]
			full.Add(int(width/1000), count, enough.threads, show.Num(float64(enough.threads)/float64(count), 0), show.Num(enough.rate, 2), what(enough))
			best[k] = line[len(line)-1].rate
		}
		gains = append(gains, best[len(best)-1]/best[0])
	}
	r.Show(show.Section{Title: p.World.Name, Text: fmt.Sprintf("%v. The first %s on %s.", oldMachine(1), show.Counted(pages, "page"), show.Counted(p.World.Sites(), "site")), Table: full, Chart: chart},
		show.Section{Title: p.World.Name + ": all crawls", Table: t})
	narrow, wide := gains[0], gains[len(gains)-1]
	r.Find(p.World.Name, experiment.Found(narrow < 2-nearly && wide > narrow, "four processors instead of one: %.2f times the pages a second on the narrowest line, %.2f on the widest", narrow, wide))
	return nil
}

// machine crawls with a line of so many bytes a second, processors and threads.
func machine(b *experiment.Bench, p *experiment.Place, width int64, processors, threads, pages int) (run machineRun, err error) {
	s, err := b.Polite(p, nil)
	if err != nil {
		return run, err
	}
	s.Patience = sim.Patience{Connect: 10 * time.Second, FirstByte: 20 * time.Second, Retries: 2}
	s.Frontier.Delay, s.Fetchers, s.Bandwidth, s.MaxPages, s.Processors = 0, threads, width, pages, oldMachine(processors)
	c, err := b.Prepare(p, s)
	if err != nil {
		return run, err
	}
	one := *b
	one.Threads = 1
	if err := one.Crawl(c, []string{"breadth-first"}); err != nil {
		return run, err
	}
	return timedRun(c.Runs[0].Result, s.Processors, width, threads), nil
}

// timedRun measures the first pages of a crawl.
func timedRun(res *sim.Result, p sim.Processors, width int64, threads int) machineRun {
	n := measure.PagesAt(mostPages, len(res.Order))
	bytes, work := int64(0), 0.0
	for _, b := range res.Bytes[:n] {
		bytes += b
		work += p.Work(b).Seconds()
	}
	seconds := res.End[n-1].Seconds()
	return machineRun{
		rate: float64(n) / seconds, busy: work / (seconds * float64(p.Count)),
		line: float64(bytes) / (seconds * float64(width)), threads: threads,
	}
}

// saturation returns the place of the fewest threads that are enough: more bring hardly anything.
func saturation(line []machineRun) int {
	most := 0.0
	for _, run := range line {
		most = max(most, run.rate)
	}
	for i, run := range line {
		if run.rate >= float64(nearly*most) {
			return i
		}
	}
	return 0
}

// what names what holds a crawl back.
func what(run machineRun) string {
	switch {
	case run.busy >= nearly-0.05 && run.busy >= run.line:
		return "processors"
	case run.line >= nearly-0.05:
		return "line"
	}
	return "neither: sites answer one page at a time"
}
