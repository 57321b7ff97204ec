package wire02

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/sim"
)

// machinePages is the number of pages of the world below, each on a site of its own and all of them
// seeds, so that no fetcher waits for links or for politeness.
const machinePages = 150

func machinePlace(t *testing.T) *experiment.Place {
	p := &experiment.Place{SeedsName: "all"}
	site := make([]graph.Site, machinePages)
	for i := range site {
		site[i] = graph.Site(i)
		p.Seeds = append(p.Seeds, graph.Page(i))
	}
	p.World = &lab.World{Name: "sites of one page", Sim: sim.World{Out: experimenttest.Web(t, make([][]graph.Page, machinePages)), SiteOf: site, Sites: machinePages}}
	return p
}

// TestProcessorsOutside compares the pages a second of the experiment with those of a program that
// goes on by steps of a fifth of a millisecond, and has nothing of package sim but the times and
// sizes of its pages: with one processor and four, on a narrow line and a wide one, with few threads
// and many.
func TestProcessorsOutside(t *testing.T) {
	p, b := machinePlace(t), experimenttest.BenchOf()
	times, err := sim.Preset(experiment.ThesisTimes, b.Random)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		width          int64
		count, threads int
	}{{width: 20e6, count: 1, threads: 4}, {width: 20e6, count: 1, threads: 64}, {width: 20e6, count: 4, threads: 256}, {width: 200e3, count: 1, threads: 64}, {width: 200e3, count: 4, threads: 64}} {
		got, err := machine(b, p, c.width, c.count, c.threads, machinePages)
		if err != nil {
			t.Fatal(err)
		}
		want := slowMachine(times, float64(c.width), float64(c.count), c.threads)
		if math.Abs(got.rate/want-1) > 0.01 {
			t.Errorf("line %d, %d processors, %d threads: %.3f pages a second, want %.3f", c.width, c.count, c.threads, got.rate, want)
		}
	}
}

// Phases of a thread of slowMachine.
const (
	connecting = iota
	answering
	receiving
	working
	closing
)

// slowMachine returns the pages a second of the first 95 %.
func slowMachine(times *sim.Times, width, processors float64, threads int) float64 {
	const step = 2e-4
	// A page of 2002 takes 20 ms, a second for 3 MB, and 10 us for each of four wakes and each 16 KB.
	work := func(page graph.Page, crowd bool) float64 {
		bytes := times.Size(page)
		w := 0.020 + float64(bytes)/3e6 + float64(4+bytes/16384)*10e-6
		if crowd { // a switch of 10 us for each turn of 4 ms
			w *= 1 + 10e-6/4e-3
		}
		return w
	}
	type thread struct {
		page  graph.Page
		phase int
		left  float64 // seconds, bytes or work
		cap   float64 // bytes a second
	}
	begin := func(page graph.Page) thread {
		return thread{page, connecting, times.Connect(graph.Site(page), uint32(page)).Seconds(), times.Speed(graph.Site(page))}
	}
	var all []thread
	var ends []float64
	next := graph.Page(0)
	for t := 0.0; len(ends) < machinePages; t += step {
		for len(all) < threads && next < machinePages {
			all = append(all, begin(next))
			next++
		}
		var bodies []*thread
		busy := 0
		for i := range all {
			switch all[i].phase {
			case receiving:
				bodies = append(bodies, &all[i])
			case working:
				busy++
			}
		}
		share := min(1, processors/float64(max(1, busy)))
		slices.SortFunc(bodies, func(a, b *thread) int { return cmp.Compare(a.cap, b.cap) })
		line := width
		for i, th := range bodies {
			rate := min(th.cap, line/float64(len(bodies)-i))
			line -= rate
			th.left -= rate * step
		}
		for i := 0; i < len(all); i++ {
			th := &all[i]
			switch th.phase {
			case receiving:
			case working:
				th.left -= share * step
			default:
				th.left -= step
			}
			for th.left <= 0 && th.phase <= closing {
				th.phase++
				switch th.phase {
				case answering:
					th.left += times.FirstByte(graph.Site(th.page), th.page, 0).Seconds()
				case receiving:
					th.left = float64(times.Size(th.page))
				case working:
					busy++
					th.left = work(th.page, float64(busy) > processors)
				case closing:
					busy--
					th.left += times.Close(graph.Site(th.page), uint32(th.page)).Seconds()
				}
			}
			if th.phase > closing {
				ends = append(ends, t+step)
				all = slices.Delete(all, i, i+1)
				i--
			}
		}
	}
	n := int(math.Ceil(mostPages * machinePages))
	return float64(n) / ends[n-1]
}
