package sim

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// Processors are the processors of the crawler's machine, which fetchers share: what a page costs
// once its body is there, and what threads cost that take turns. Baeza-Yates and Castillo 2002
// (section 7) and the thesis (4.3.5) name the questions that it answers: how many threads a
// processor can use, and from how many on the line or the processors are full.
//
// A page takes
//
//	Page + bytes / Rate + Switch x (wakes + bytes / buffer)
//
// of a processor: a thread is woken for each phase of a fetch and for each buffer of its body.
// Fetchers in this phase share the processors evenly, none with more than one. If they are more
// than there are processors, they take turns, and every turn of Turn costs another switch.
type Processors struct {
	Count  int           // 0: they are not modelled
	Page   time.Duration // of each page, whatever its size
	Rate   float64       // bytes a second that one processor reads, parses and stores
	Switch time.Duration // from one thread to another
	Turn   time.Duration // of a thread, when others wait for the processor
}

// The parts of a fetch that wake a thread (connected, first byte, body, next task), and the bytes
// that it reads at a time.
const (
	wakes      = 4
	readBuffer = 16 << 10
)

// DefaultProcessors returns n processors with the costs that winnow's own crawler had on two cores
// of a small server: 0.4 ms a page and 150 MB of HTML a second. What a switch takes, and how long
// a turn is, are assumptions.
func DefaultProcessors(n int) Processors {
	return Processors{Count: n, Page: 400 * time.Microsecond, Rate: 150e6, Switch: 2 * time.Microsecond, Turn: 4 * time.Millisecond}
}

// String returns the model for headers.
func (p Processors) String() string {
	return fmt.Sprintf("processors %d, %v a page, %.4g MB/s, %v a switch, turns of %v", p.Count, p.Page, p.Rate/1e6, p.Switch, p.Turn)
}

// Work returns what a page of so many bytes takes of one processor that nothing else wants.
func (p Processors) Work(bytes int64) time.Duration {
	w := p.Page + time.Duration(wakes+bytes/readBuffer)*p.Switch
	if p.Rate > 0 {
		w += TransferTime(float64(bytes), p.Rate)
	}
	return w
}

// second is the work that a processor does in a second, in the unit of the line that shares them.
const second = 1e9

// newProcessors returns the line on which fetchers share the processors: its bytes are
// nanoseconds of work, and no transfer has more than one processor.
func newProcessors(p Processors) *Line { return NewLine(float64(p.Count) * second) }

// process lets a fetcher that has a whole answer begin its work, or ends the task where
// processors are not modelled and nothing is to be done.
func (c *crawl) process(now time.Duration, i uint32, f *fetcher) {
	f.arrived = now
	if c.cpu == nil || f.task.Kind != event.Fetch || f.gaveUp {
		c.ends.push(step{at: now + f.after, task: f.task, fetcher: i})
		return
	}
	p := &c.o.Processors
	work := p.Work(f.bytes)
	if len(c.cpu.transfers) >= p.Count && p.Turn > 0 {
		work += time.Duration(float64(work) / float64(p.Turn) * float64(p.Switch))
	}
	c.res.Worked += work
	c.cpu.Start(now, i, int64(work), second)
}

// quiet reports whether the crawler's line is used less than MinUse of it, when a batch may end.
func (c *crawl) quiet() bool {
	return c.line != nil && c.line.used < float64(c.o.MinUse*c.line.b)
}
