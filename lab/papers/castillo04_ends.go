package papers

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// endsLimit is the most pages of a crawl about batches, pacesLimit about connections.
const (
	endsLimit  = 20_000
	pacesLimit = 50_000
)

// A batchWay is a way to crawl in batches.
type batchWay struct {
	name      string
	mode      frontier.Mode
	minActive bool
	spread    bool // one page of a site in a batch at most
}

func batchWays() []batchWay {
	return []batchWay{
		{name: "thesis: wait for the last page", mode: frontier.Thesis},
		{name: "thesis, stopped early", mode: frontier.Thesis, minActive: true},
		{name: "ahead", mode: frontier.Ahead},
		{name: "ahead, one page of a site in a batch", mode: frontier.Ahead, spread: true},
		{name: "continuous", mode: frontier.Continuous},
	}
}

// batchEnds tests the last paragraph of 4.4. There are as many batches as in the
// thesis, also where the crawl is cut short, and one fetcher for eight sites, so that a
// crawl has more sites than fetchers as the thesis' had, at least 2 and at most 256.
func batchEnds(r *run, p *Place) error {
	ways, fetchers := batchWays(), min(256, max(2, p.World.Sites()/8))
	k := thesisBatch(min(endsLimit, p.reach(p.Seeds)))
	runs, err := r.timed(p, unmeasured, len(ways), func(i int, s *lab.Setting) string {
		s.Fetchers, s.MaxPages, s.Frontier.Mode, s.Frontier.Batch = fetchers, endsLimit, ways[i].mode, k
		if ways[i].minActive {
			s.Frontier.MinActive = max(1, fetchers/4)
		}
		if ways[i].spread {
			s.Frontier.SiteShare = 1 / float64(k)
		}
		return "breadth-first"
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: head("batches", "time, h", "active, % of fetcher time", "idle, fetcher-hours", "idle saved, %", "utilisation against continuous, %", "sites of K pages in a row")}
	c := &plot.Chart{Title: "Active fetchers over the crawl, " + p.World.Name, XLabel: "hours", YLabel: "active fetchers"}
	var idle, use, together []float64
	continuous := busyShare(runs[len(runs)-1].Result)
	for i, run := range runs {
		busy := busyShare(run.Result)
		idle, use = append(idle, idleHours(run.Result)), append(use, busy/continuous)
		together = append(together, p.together(run.Result.Order, k))
		t.Add(ways[i].name, show.Num(run.Result.Took.Hours(), 3), show.Num(100*busy, 1), show.Num(idle[i], 2),
			show.Num(100*(1-idle[i]/idle[0]), 1), show.Num(100*busy/continuous, 1), show.Num(together[i], 1))
		s := plot.Series{Name: ways[i].name}
		for _, q := range run.Result.Trace.Points() {
			s.Add(q.From.Hours(), q.Active)
		}
		c.Series = append(c.Series, s)
	}
	r.show(show.Section{Title: p.World.Name, Chart: c, Table: t,
		Text: fmt.Sprintf("r = %d fetchers for %s, K = %d; %s.", fetchers, show.Counted(p.World.Sites(), "site"), k, show.Counted(len(runs[0].Result.Order), "page"))})
	saved := 1 - idle[1]/idle[0]
	r.find(p.World.Name, found(saved >= 0.30, "%s saved, %.1f to %.1f h", pct(saved), idle[0], idle[1]),
		found(max(use[2], use[3]) >= 0.95, "%s, with one page of a site in a batch %s; %d pages in a row lie on %.0f and %.0f sites, without batches on %.0f",
			pct(use[2]), pct(use[3]), k, together[2], together[3], together[4]))
	return nil
}

// idleHours returns the fetcher-hours that fetchers were idle for, until the last page was
// handed out.
func idleHours(r *sim.Result) float64 {
	idle := r.Trace.Total().Idle
	idle[sim.Limit] = 0
	return measure.Sum(idle[:]) / 3600
}

// busyShare returns the share of their time that fetchers are active for.
func busyShare(r *sim.Result) float64 {
	active := r.Trace.Total().Active
	return active / (active + idleHours(r)*3600)
}

// together returns on how many sites k pages in a row lie, in the mean over the crawl.
func (p *Place) together(order []graph.Page, k int) float64 {
	sites, stretches := 0, 0
	for ; len(order) >= k; order = order[k:] {
		sites += len(p.sitesOf(order[:k]))
		stretches++
	}
	return measure.Share(sites, stretches)
}

// A pace is a delay with a number of pages per connection.
type pace struct {
	delay time.Duration
	per   int
}

// paces returns w = 15 s with several c, each before its equal by the thesis, (w/c, 1).
func paces() []pace {
	return []pace{{thesisDelay, 1}, {thesisDelay, 10}, {thesisDelay / 10, 1}, {thesisDelay, 100}, {thesisDelay / 100, 1}}
}

// equivalence tests "increasing the number of pages that are downloaded in the same
// connection is equivalent to reducing w" (4.4).
func equivalence(r *run, p *Place) error {
	all := paces()
	crawls, err := r.timed(p, unmeasured, len(all), func(i int, s *lab.Setting) string {
		s.Fetchers, s.MaxPages = 256, pacesLimit
		s.Frontier.Delay, s.Frontier.PerConnection = all[i].delay, all[i].per
		return "larger-sites-first"
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: head("w, s", "c", "time, h", "seconds of a fetch", "against (w/c, 1), %")}
	var runs []*sim.Result
	var hours, fetch []float64
	for _, c := range crawls {
		runs, hours, fetch = append(runs, c.Result), append(hours, c.Result.Took.Hours()), append(fetch, perPage(c.Result))
	}
	for i, q := range all {
		off := show.Cell{}
		if q.per > 1 {
			off = show.Num(100*differs(runs, i), 1)
		}
		t.Add(show.Brief(q.delay.Seconds()), q.per, show.Num(hours[i], 3), show.Num(fetch[i], 3), off)
	}
	x := []float64{1, 10, 100}
	c := &plot.Chart{Title: "Time of the crawl, " + p.World.Name, XLabel: "c", YLabel: "hours", LogX: true, LogY: true, Series: []plot.Series{
		{Name: "w = 15 s, c pages per connection", X: x, Y: []float64{hours[0], hours[1], hours[3]}},
		{Name: "w = 15 s / c, one page", X: x, Y: []float64{hours[0], hours[2], hours[4]}},
	}}
	r.show(show.Section{Title: p.World.Name, Chart: c, Table: t, Text: text("castillo04-connections",
		show.Counted(len(runs[0].Order), "page"), show.Counted(p.World.Sites(), "site"), fetch[1], fetch[2], 100*(fetch[2]-fetch[1])/(fetch[2]+all[2].delay.Seconds()))})
	r.find(p.World.Name, paceFinding(runs))
	return nil
}

// perPage returns the mean seconds of a fetch.
func perPage(r *sim.Result) float64 {
	took := make([]float64, len(r.Start))
	for i := range took {
		took[i] = (r.End[i] - r.Start[i]).Seconds()
	}
	return measure.Sum(took) / float64(len(took))
}

// differs returns by how much the total time of (w, c) is off that of (w/c, 1).
func differs(runs []*sim.Result, i int) float64 {
	return runs[i].Took.Seconds()/runs[i+1].Took.Seconds() - 1
}

func paceFinding(runs []*sim.Result) finding {
	ten, hundred := differs(runs, 1), differs(runs, 3)
	return found(max(ten, -ten, hundred, -hundred) <= 0.10, "%+.1f %% with c = 10, %+.1f %% with c = 100; a fetch takes %.2f s with c = 10, %.2f s with c = 1",
		100*ten, 100*hundred, perPage(runs[1]), perPage(runs[2]))
}
