package wire02

import (
	"fmt"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
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

// saturated is what more threads must bring at least, per doubling, or they bring nothing.
const saturated = 1.05

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
	r.Find(p.World.Name, experiment.Found(narrow < saturated && wide > narrow, "four processors instead of one: %.2f times the pages a second on the narrowest line, %.2f on the widest", narrow, wide))
	return nil
}

// machine crawls with a line of so many bytes a second, processors and threads.
func machine(b *experiment.Bench, p *experiment.Place, width int64, processors, threads, pages int) (run machineRun, err error) {
	s, err := b.Polite(p, nil)
	if err != nil {
		return run, err
	}
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
	res, bytes := c.Runs[0].Result, int64(0)
	for _, n := range res.Bytes {
		bytes += n
	}
	seconds := res.Took.Seconds()
	return machineRun{
		rate: float64(len(res.Order)) / seconds, busy: res.Worked.Seconds() / (seconds * float64(processors)),
		line: float64(bytes) / (seconds * float64(width)), threads: threads,
	}, nil
}

// saturation returns from which place on more threads bring nothing: the rate never grows by more than
// the limit for each doubling afterwards.
func saturation(line []machineRun) int {
	for i := len(line) - 1; i > 0; i-- {
		doublings := 0
		for n := line[i-1].threads; n < line[i].threads; n *= 2 {
			doublings++
		}
		grown := line[i].rate / line[i-1].rate
		for range doublings {
			grown /= saturated
		}
		if grown > 1 {
			return i
		}
	}
	return 0
}

// what names what holds a crawl back.
func what(run machineRun) string {
	const nearly = 0.9
	switch {
	case run.busy >= nearly && run.busy >= run.line:
		return "processors"
	case run.line >= nearly:
		return "line"
	}
	return "neither: sites answer one page at a time"
}
