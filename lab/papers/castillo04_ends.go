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

// A batchWay is a way to work in batches.
type batchWay struct {
	name      string
	mode      frontier.Mode
	minActive bool
	spread    bool // one page of a site in a batch at most (S12)
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

// endsFetchers is r: one for eight sites, so that a crawl has more sites than fetchers
// as the thesis' had, at least 2 and at most 256.
func endsFetchers(w *lab.World) int { return min(256, max(2, w.Sites()/8)) }

// endsBatch is K: as many batches as in the thesis, also where the crawl is cut short.
func endsBatch(p *Place) int {
	return thesisBatch(min(endsLimit, len(measure.Reach(p.World.Sim.Out, p.Seeds).Order)))
}

// castilloBatchEnds is the last paragraph of 4.4 (S13, S14).
func castilloBatchEnds(b *Bench) (*show.Report, error) {
	places, skipped, err := placesWithSites(b, 2)
	if err != nil {
		return nil, err
	}
	rep := &show.Report{Header: castilloHeader(b, places,
		show.Field{Name: "options", Value: fmt.Sprintf("times %s, w = %v, c = 1, bandwidth without limit, breadth-first, r = sites/8 (2 to 256), K = 1/%d of the pages", thesisTimes, thesisDelay, thesisBatches)},
		show.Field{Name: "limit", Value: fmt.Sprintf("%d pages of each crawl", endsLimit)})}
	rep.Intro = append([]string{"Thesis, without numbers: stop a batch when too few fetchers are active and carry the rest over, or prepare the next batch in advance. Stopped early: when fewer than r/4 fetchers (at least 1) are active and nothing can be handed out. Ahead: the next batch is chosen as soon as nothing can be handed out, up to eight at a time; also with batches that have at most one page of a site, so that they lie on many. Continuous: no batches."}, skipped...)
	var stopped, ahead []finding
	for i, p := range places {
		b.say(i, len(places), "%s", p.World.Name)
		runs, err := b.endsAt(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		rep.Sections = append(rep.Sections, endsSection(p, runs))
		stopped, ahead = append(stopped, stoppedFinding(p, runs)), append(ahead, aheadFinding(p, runs))
	}
	rep.Verdict = verdicts(verdict("stopping batches early saves at least 30 % of the idle fetcher-hours", stopped),
		verdict("batches chosen ahead leave no gap, a utilisation of at least 95 % of that without batches", ahead))
	return rep, nil
}

func (b *Bench) endsAt(p *Place) ([]*sim.Result, error) {
	ways := batchWays()
	runs := make([]*sim.Result, len(ways))
	k, r := endsBatch(p), endsFetchers(p.World)
	err := b.inParallel(len(ways), func(i int) error {
		set, err := polite(p.Setting(b, nil), r)
		if err != nil {
			return err
		}
		set.MaxPages = endsLimit
		set.Frontier.Mode, set.Frontier.Batch = ways[i].mode, k
		if ways[i].minActive {
			set.Frontier.MinActive = max(1, r/4)
		}
		if ways[i].spread {
			set.Frontier.SiteShare = 1 / float64(k)
		}
		run, err := b.crawl(set, "breadth-first")
		if err == nil {
			runs[i] = run.Result
		}
		return err
	})
	return runs, err
}

// idleHours is the fetcher-hours that fetchers were idle for, until the last page was
// handed out.
func idleHours(r *sim.Result) float64 {
	idle := r.Trace.Total().Idle
	idle[sim.Limit] = 0
	return measure.Sum(idle[:]) / 3600
}

// busyShare is the share of their time that fetchers are active for.
func busyShare(r *sim.Result) float64 {
	active := r.Trace.Total().Active
	return active / (active + idleHours(r)*3600)
}

// together is on how many sites k pages in a row lie, in the mean over the crawl.
func together(w *lab.World, order []graph.Page, k int) float64 {
	sites, stretches := 0, 0
	for len(order) >= k {
		sites += len(sitesOf(w, order[:k]))
		stretches++
		order = order[k:]
	}
	return measure.Share(sites, stretches)
}

func endsSection(p *Place, runs []*sim.Result) show.Section {
	t := &show.Table{Columns: head("batches", "time, h", "active, % of fetcher time", "idle, fetcher-hours", "idle saved, %", "utilisation against continuous, %", "sites of K pages in a row")}
	c := &plot.Chart{Title: "Active fetchers over the crawl, " + p.World.Name, XLabel: "hours", YLabel: "active fetchers"}
	thesis := idleHours(runs[0])
	for i, r := range runs {
		idle := idleHours(r)
		t.Rows = append(t.Rows, []show.Cell{
			show.Words(batchWays()[i].name), show.Num(r.Took.Hours(), 3), show.Num(100*busyShare(r), 1), show.Num(idle, 2),
			show.Num(100*(1-idle/thesis), 1), show.Num(100*busyShare(r)/busyShare(runs[len(runs)-1]), 1), show.Num(together(p.World, r.Order, endsBatch(p)), 1),
		})
		s := plot.Series{Name: batchWays()[i].name}
		for _, q := range r.Trace.Points() {
			s.X, s.Y = append(s.X, q.From.Hours()), append(s.Y, q.Active)
		}
		c.Series = append(c.Series, s)
	}
	return show.Section{Title: p.World.Name, Text: fmt.Sprintf("r = %d fetchers for %s, K = %d; %s.", endsFetchers(p.World), show.Counted(p.World.Sites(), "site"), endsBatch(p), show.Counted(len(runs[0].Order), "page")), Chart: c, Table: t}
}

func stoppedFinding(p *Place, runs []*sim.Result) finding {
	thesis, early := idleHours(runs[0]), idleHours(runs[1])
	saved := 1 - early/thesis
	return finding{place: p.World.Name, holds: saved >= 0.30, numbers: fmt.Sprintf("%s saved, %.1f to %.1f h", pct(saved), thesis, early)}
}

// aheadFinding compares ahead with continuous, and says on how many sites the pages lie
// that are open at a time.
func aheadFinding(p *Place, runs []*sim.Result) finding {
	u, spread, k := busyShare(runs[2])/busyShare(runs[4]), busyShare(runs[3])/busyShare(runs[4]), endsBatch(p)
	return finding{place: p.World.Name, holds: max(u, spread) >= 0.95, numbers: fmt.Sprintf("%s, with one page of a site in a batch %s; %d pages in a row lie on %.0f and %.0f sites, without batches on %.0f",
		pct(u), pct(spread), k, together(p.World, runs[2].Order, k), together(p.World, runs[3].Order, k), together(p.World, runs[4].Order, k))}
}

// A pace is a delay with a number of pages per connection.
type pace struct {
	delay time.Duration
	per   int
}

// paces is w = 15 s with several c, each before its equal by the thesis, (w/c, 1).
func paces() []pace {
	return []pace{{thesisDelay, 1}, {thesisDelay, 10}, {thesisDelay / 10, 1}, {thesisDelay, 100}, {thesisDelay / 100, 1}}
}

// castilloEquivalence is "increasing the number of pages that are downloaded in the same
// connection is equivalent to reducing w" (4.4; S21).
func castilloEquivalence(b *Bench) (*show.Report, error) {
	places, skipped, err := placesWithSites(b, 1)
	if err != nil {
		return nil, err
	}
	rep := &show.Report{Header: castilloHeader(b, places, show.Field{Name: "options", Value: fmt.Sprintf("times %s, r = 256, bandwidth without limit, larger-sites-first", thesisTimes)},
		show.Field{Name: "limit", Value: fmt.Sprintf("%d pages of each crawl", pacesLimit)})}
	rep.Intro = append([]string{"Thesis: c pages per connection every w seconds is equivalent to one page every w/c seconds, since most of the latency belongs to the connection. It cannot be quite so: over one connection the connection is made once for c pages, with w/c it is made for each."}, skipped...)
	var found []finding
	for i, p := range places {
		b.say(i, len(places), "%s", p.World.Name)
		runs, err := b.pacesAt(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		rep.Sections, found = append(rep.Sections, paceSection(p, runs)), append(found, paceFinding(p, runs))
	}
	rep.Verdict = verdict("(w, c) and (w/c, 1) give total times within 10 % of each other for c = 10 and c = 100", found)
	return rep, nil
}

func (b *Bench) pacesAt(p *Place) ([]*sim.Result, error) {
	all := paces()
	runs := make([]*sim.Result, len(all))
	err := b.inParallel(len(all), func(i int) error {
		set, err := polite(p.Setting(b, nil), 256)
		if err != nil {
			return err
		}
		set.MaxPages = pacesLimit
		set.Frontier.Delay, set.Frontier.PerConnection = all[i].delay, all[i].per
		run, err := b.crawl(set, "larger-sites-first")
		if err == nil {
			runs[i] = run.Result
		}
		return err
	})
	return runs, err
}

// perPage is the mean seconds of a fetch.
func perPage(r *sim.Result) float64 {
	took := make([]float64, len(r.Start))
	for i := range took {
		took[i] = (r.End[i] - r.Start[i]).Seconds()
	}
	return measure.Sum(took) / float64(len(took))
}

// differs is by how much the total time of (w, c) is off that of (w/c, 1).
func differs(runs []*sim.Result, i int) float64 {
	return runs[i].Took.Seconds()/runs[i+1].Took.Seconds() - 1
}

func paceSection(p *Place, runs []*sim.Result) show.Section {
	t := &show.Table{Columns: head("w, s", "c", "time, h", "seconds of a fetch", "against (w/c, 1), %")}
	for i, q := range paces() {
		off := show.Cell{}
		if q.per > 1 {
			off = show.Num(100*differs(runs, i), 1)
		}
		t.Rows = append(t.Rows, []show.Cell{show.Brief(q.delay.Seconds()), show.Count(q.per), show.Num(runs[i].Took.Hours(), 3), show.Num(perPage(runs[i]), 3), off})
	}
	c := &plot.Chart{Title: "Time of the crawl, " + p.World.Name, XLabel: "c", YLabel: "hours", LogX: true, LogY: true, Series: []plot.Series{
		{Name: "w = 15 s, c pages per connection", X: []float64{1, 10, 100}, Y: []float64{runs[0].Took.Hours(), runs[1].Took.Hours(), runs[3].Took.Hours()}},
		{Name: "w = 15 s / c, one page", X: []float64{1, 10, 100}, Y: []float64{runs[0].Took.Hours(), runs[2].Took.Hours(), runs[4].Took.Hours()}},
	}}
	text := fmt.Sprintf("%s on %s. With c = 10 a fetch takes %.3f s, with a connection for each page %.3f s: the difference is the connection, and besides w/c = 1.5 s it is %.0f %% of the time from one page of a site to the next.",
		show.Counted(len(runs[0].Order), "page"), show.Counted(p.World.Sites(), "site"), perPage(runs[1]), perPage(runs[2]), 100*(perPage(runs[2])-perPage(runs[1]))/(perPage(runs[2])+paces()[2].delay.Seconds()))
	return show.Section{Title: p.World.Name, Text: text, Chart: c, Table: t}
}

func paceFinding(p *Place, runs []*sim.Result) finding {
	ten, hundred := differs(runs, 1), differs(runs, 3)
	return finding{place: p.World.Name, holds: max(ten, -ten, hundred, -hundred) <= 0.10,
		numbers: fmt.Sprintf("%+.1f %% with c = 10, %+.1f %% with c = 100; a fetch takes %.2f s with c = 10, %.2f s with c = 1", 100*ten, 100*hundred, perPage(runs[1]), perPage(runs[2]))}
}
