package papers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// robots is r of figures 4.10 and 4.11: the thesis does not say it, 256 is the
// most of its simulations.
const robots = 256

// A batchLine is one line of figures 4.10 and 4.11.
type batchLine struct {
	name      string
	bandwidth float64    // 0: no limit
	theirs    [2]float64 // hours with c = 1 and c = 100; 0 unknown
}

// batchLines is the small and the large bandwidth of the thesis, in bytes per second,
// and a line without limit: there politeness alone decides.
func batchLines() []batchLine {
	return []batchLine{
		{"small, 2 kB/s", 2_000, [2]float64{33, 29}},
		{"large, 20 kB/s", 20_000, [2]float64{9, 3}},
		{"no limit", 0, [2]float64{}},
	}
}

// batchesAt is the middle batch for each line and each number of pages per connection.
func (b *Bench) batchesAt(p *Place, perConnection ...int) ([][]*middleBatch, error) {
	lines := batchLines()
	all := make([][]*middleBatch, len(lines))
	for i := range all {
		all[i] = make([]*middleBatch, len(perConnection))
	}
	err := b.inParallel(len(lines)*len(perConnection), func(i int) error {
		l, k := i/len(perConnection), i%len(perConnection)
		set, err := polite(p.Setting(b, nil), robots)
		if err != nil {
			return err
		}
		set.Bandwidth, set.Frontier.PerConnection = lines[l].bandwidth, perConnection[k]
		all[l][k], err = b.middle(p, set)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.World.Name, err)
	}
	return all, nil
}

// castilloActive is figure 4.10 (X28, P21).
func castilloActive(b *Bench) (*show.Report, error) {
	places, skipped, err := placesWithSites(b, 2)
	if err != nil {
		return nil, err
	}
	rep := &show.Report{Header: castilloHeader(b, places, batchField())}
	rep.Intro = append([]string{
		"Thesis: during a batch most robots are idle most of the time, at 2 kB/s and at 20 kB/s, because few sites have most of the pages of a batch and each is asked for one page at a time.",
		"A site has one connection, so at most as many fetchers can be active as the batch has sites; idle is counted against the smaller of that and r.",
		batchBytes(),
	}, skipped...)
	var found []finding
	for i, p := range places {
		b.say(i, len(places), "%s", p.World.Name)
		all, err := b.batchesAt(p, 1)
		if err != nil {
			return nil, err
		}
		rep.Sections = append(rep.Sections, activeSection(p, all, []int{1}))
		found = append(found, activeFinding(p, all))
	}
	rep.Verdict = verdict("less than half of the fetchers are active for more than half of the time of a batch, at any bandwidth", found)
	return rep, nil
}

func batchField() show.Field {
	return show.Field{Name: "options", Value: fmt.Sprintf("times %s, w = %v, r = %d, breadth-first in batches of T/%d pages with the thesis' barrier; the batch in the middle", thesisTimes, thesisDelay, robots, thesisBatches)}
}

// usable is the number of fetchers that the batch has sites for.
func (m *middleBatch) usable() int { return min(robots, m.sites()) }

// mean is the mean number of active fetchers.
func (m *middleBatch) mean() float64 {
	busy := make([]float64, len(m.spans))
	for i, s := range m.spans {
		busy[i] = (s[1] - s[0]).Seconds()
	}
	if m.took == 0 {
		return 0
	}
	return measure.Sum(busy) / m.took.Seconds()
}

// below is the share of the batch's time in which fewer than n fetchers are active.
func (m *middleBatch) below(n float64) float64 {
	type change struct {
		at time.Duration
		by int
	}
	var all []change
	for _, s := range m.spans {
		all = append(all, change{s[0], 1}, change{s[1], -1})
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var low, last time.Duration
	active := 0
	for _, c := range all {
		if float64(active) < n {
			low += c.at - last
		}
		last, active = c.at, active+c.by
	}
	if m.took == 0 {
		return 0
	}
	return low.Seconds() / m.took.Seconds()
}

// activePoints is the number of points of a line over the time of a batch.
const activePoints = 120

// series is the mean number of active fetchers in equal parts of the batch's time.
func (m *middleBatch) series(name string) plot.Series {
	s := plot.Series{Name: name, X: make([]float64, activePoints), Y: make([]float64, activePoints)}
	width := m.took.Seconds() / activePoints
	if width == 0 {
		return plot.Series{Name: name}
	}
	for _, span := range m.spans {
		from, to := span[0].Seconds()/width, span[1].Seconds()/width
		for i := int(from); i < activePoints && float64(i) < to; i++ {
			s.Y[i] += min(to, float64(i+1)) - max(from, float64(i))
		}
	}
	for i := range s.X {
		s.X[i] = float64((float64(i) + 0.5) * width / 3600)
	}
	return s
}

func activeSection(p *Place, all [][]*middleBatch, perConnection []int) show.Section {
	t := &show.Table{Columns: head("line", "c", "time (theirs), h", "time, h", "pages", "sites", "most that can be active", "active in the mean", "less than half active, % of the time")}
	c := &plot.Chart{Title: "Active fetchers during a batch, " + p.World.Name, XLabel: "hours", YLabel: "active fetchers", LogX: true}
	for l, line := range batchLines() {
		for k, conn := range perConnection {
			m := all[l][k]
			theirs := show.None()
			if line.bandwidth > 0 {
				theirs = show.Num(line.theirs[min(conn-1, 1)], 0)
			}
			t.Rows = append(t.Rows, []show.Cell{
				show.Words(line.name), show.Count(conn), theirs, show.Num(m.took.Hours(), 3), show.Count(len(m.pages)), show.Count(m.sites()), show.Count(m.usable()),
				show.Num(m.mean(), 2), show.Num(100*m.below(float64(m.usable())/2), 1),
			})
			c.Series = append(c.Series, m.series(fmt.Sprintf("%s, c = %d", line.name, conn)))
		}
	}
	m := all[0][0]
	return show.Section{Title: p.World.Name, Text: fmt.Sprintf("Batch %d of K = %d pages; T = %d.", m.number, m.k, len(m.tree.Order)), Chart: c, Table: t}
}

// batchBytes compares what the thesis' lines can carry in the thesis' hours.
func batchBytes() string {
	var parts []string
	const k = 100_000 // of the thesis
	for _, l := range batchLines() {
		if l.bandwidth > 0 {
			parts = append(parts, fmt.Sprintf("%.1f kB a page in %.0f h at %.0f kB/s", l.bandwidth*l.theirs[0]*3600/k/1000, l.theirs[0], l.bandwidth/1000))
		}
	}
	return "Hours of the thesis are for K = 100,000 pages, if its batches were as large there as elsewhere. Then its lines carried " + strings.Join(parts, " and ") +
		", where its crawl had 19 kB a page (57 GB for 3 M pages): times are to be compared by their ratios."
}

func activeFinding(p *Place, all [][]*middleBatch) finding {
	f := finding{place: p.World.Name, holds: true}
	var parts []string
	for l, line := range batchLines() {
		m := all[l][0]
		low := m.below(float64(m.usable()) / 2)
		f.holds = f.holds && low > 0.5
		parts = append(parts, fmt.Sprintf("%s: %.0f %% of the time, %.1f of %d active in the mean", line.name, 100*low, m.mean(), m.usable()))
	}
	f.numbers = strings.Join(parts, "; ")
	return f
}

// castilloKeepAlive is figure 4.11 (X29).
func castilloKeepAlive(b *Bench) (*show.Report, error) {
	places, skipped, err := placesWithSites(b, 1)
	if err != nil {
		return nil, err
	}
	rep := &show.Report{Header: castilloHeader(b, places, batchField())}
	rep.Intro = append([]string{"Thesis: with up to 100 pages per connection a batch takes 29 instead of 33 hours at 2 kB/s and 3 instead of 9 at 20 kB/s: the wait is shared by more pages, and where the line is not the limit that is most of the time.", batchBytes()}, skipped...)
	var found []finding
	for i, p := range places {
		b.say(i, len(places), "%s", p.World.Name)
		all, err := b.batchesAt(p, 1, 100)
		if err != nil {
			return nil, err
		}
		rep.Sections = append(rep.Sections, activeSection(p, all, []int{1, 100}), ratioSection(p, all))
		found = append(found, ratioFinding(p, all))
	}
	rep.Verdict = verdict("c = 100 shortens a batch, and more so with the larger bandwidth", found)
	return rep, nil
}

// ratio is the time of a batch with c = 100 by that with c = 1, by page.
func ratio(m []*middleBatch) float64 {
	per := func(m *middleBatch) float64 { return m.took.Seconds() / float64(len(m.pages)) }
	return per(m[1]) / per(m[0])
}

func ratioSection(p *Place, all [][]*middleBatch) show.Section {
	t := &show.Table{Columns: head("line", "ratio (theirs)", "ratio", "active with c = 1", "active with c = 100")}
	for l, line := range batchLines() {
		theirs := show.None()
		if line.bandwidth > 0 {
			theirs = show.Num(line.theirs[1]/line.theirs[0], 2)
		}
		t.Rows = append(t.Rows, []show.Cell{show.Words(line.name), theirs, show.Num(ratio(all[l]), 3), show.Num(all[l][0].mean(), 2), show.Num(all[l][1].mean(), 2)})
	}
	return show.Section{Title: p.World.Name + ", c = 100 by c = 1", Table: t}
}

func ratioFinding(p *Place, all [][]*middleBatch) finding {
	small, large, free := ratio(all[0]), ratio(all[1]), ratio(all[2])
	return finding{place: p.World.Name, holds: small < 1 && large < small,
		numbers: fmt.Sprintf("to %.2f of the time at 2 kB/s, theirs 0.88; %.2f at 20 kB/s, theirs 0.33; %.2f without limit", small, large, free)}
}
