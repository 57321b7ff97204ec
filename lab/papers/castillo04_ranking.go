package papers

import (
	"cmp"
	"fmt"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"slices"
	"strings"
)

// A ranking is a group of rows of table 4.1 as one place ranks them.
type ranking struct {
	o      *ordering
	how    string // "order only", "polite"
	group  int
	rows   []thesisRow
	theirs []float64
	ours   []float64
}

// rankingOf ranks a group; ok is false with fewer than two rows.
func (o *ordering) rankingOf(how string, group int) (k ranking, ok bool) {
	k = ranking{o: o, how: how, group: group}
	k.rows, _ = o.group(group)
	for _, r := range k.rows {
		k.theirs = append(k.theirs, r.average)
		k.ours = append(k.ours, o.run(r.policy).Measures.Average)
	}
	return k, len(k.rows) > 1
}

// kendall is the correlation with the thesis' ranking by averages.
func (k *ranking) kendall() float64 {
	v, _ := measure.TauB(k.theirs, k.ours) // of equal length
	return v
}

// kendallTau is the same by the other column, Kendall's tau of the orders.
func (k *ranking) kendallTau() float64 {
	var theirs, ours []float64
	for _, r := range k.rows {
		theirs = append(theirs, r.tau)
		ours = append(ours, k.o.run(r.policy).Measures.TauSample)
	}
	v, _ := measure.TauB(theirs, ours)
	return v
}

// kendallSeeds is kendall with OPIC in its other reading.
func (k *ranking) kendallSeeds() show.Cell {
	ours := slices.Clone(k.ours)
	for i, r := range k.rows {
		if r.policy == "opic/cash=all" {
			ours[i] = k.o.run("opic/cash=seeds").Measures.Average
		}
	}
	v, _ := measure.TauB(k.theirs, ours)
	return show.Num(v, 3)
}

// spread is the distance of the best from the worst average without an oracle, theirs
// and ours: where ours lie close together a ranking means little.
func (k *ranking) spread() (theirs, ours float64) {
	var t, o []float64
	for i, r := range k.rows {
		if !strings.HasSuffix(r.policy, "omniscient") {
			t, o = append(t, k.theirs[i]), append(o, k.ours[i])
		}
	}
	return slices.Max(t) - slices.Min(t), slices.Max(o) - slices.Min(o)
}

// A swap is a pair that the thesis has the other way round: a is above b here.
type swap struct {
	a, b       thesisRow
	oursA, gap float64
	oursB      float64
}

// swaps are the pairs the other way round, the widest apart here first.
func (k *ranking) swaps() []swap {
	var all []swap
	for i := range k.rows {
		for j := range k.rows {
			if k.ours[i] > k.ours[j] && k.theirs[i] < k.theirs[j] {
				all = append(all, swap{a: k.rows[i], b: k.rows[j], oursA: k.ours[i], oursB: k.ours[j], gap: k.ours[i] - k.ours[j]})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y swap) int { return cmp.Compare(y.gap, x.gap) })
	return all
}

// explain tells which strategies changed places and by how much.
func (k *ranking) explain() string {
	swaps := k.swaps()
	n := len(k.rows) * (len(k.rows) - 1) / 2
	where := fmt.Sprintf("%s, %s", k.o.place.World.Name, k.how)
	if len(swaps) == 0 {
		return fmt.Sprintf("%s: no pair of %d is the other way round.", where, n)
	}
	var most []string
	for _, s := range swaps[:min(4, len(swaps))] {
		most = append(most, fmt.Sprintf("%s above %s (%.3f to %.3f, theirs %.3f to %.3f)", s.a.name, s.b.name, s.oursA, s.oursB, s.a.average, s.b.average))
	}
	text := fmt.Sprintf("%s: %d of %d pairs are the other way round, widest apart: %s.", where, len(swaps), n, strings.Join(most, "; "))
	moved, times := k.mostMoved(swaps)
	return text + fmt.Sprintf(" %s takes part in %d of them; without it the correlation is %.3f.", moved.name, times, k.without(moved))
}

// mostMoved is the row in most of the swaps, the first in the table among equals.
func (k *ranking) mostMoved(swaps []swap) (row thesisRow, times int) {
	for _, r := range k.rows {
		n := 0
		for _, s := range swaps {
			if s.a.policy == r.policy || s.b.policy == r.policy {
				n++
			}
		}
		if n > times {
			row, times = r, n
		}
	}
	return row, times
}

// without is the correlation when one row is left out.
func (k *ranking) without(row thesisRow) float64 {
	var theirs, ours []float64
	for i, r := range k.rows {
		if r.policy != row.policy {
			theirs, ours = append(theirs, k.theirs[i]), append(ours, k.ours[i])
		}
	}
	v, _ := measure.TauB(theirs, ours)
	return v
}

// rankingSection compares the rankings, group by group, and finds whether they agree.
func rankingSection(plain, polite []*ordering) (show.Section, []finding) {
	t := &show.Table{Columns: head("graph", "crawl", "group", "rows", "Kendall by average", "with OPIC on seeds", "Kendall by tau", "spread of averages (theirs)", "spread of averages", "at least 0.7")}
	var texts []string
	var found []finding
	add := func(o *ordering, how string, group int) {
		k, ok := o.rankingOf(how, group)
		if !ok {
			return
		}
		t.Rows = append(t.Rows, k.cells())
		texts = append(texts, k.explain())
		if group == groupOrders && how == orderOnly {
			found = append(found, k.finding(polite))
		}
	}
	for _, o := range plain {
		add(o, orderOnly, groupOrders)
		add(o, orderOnly, groupHistory)
	}
	for _, o := range polite {
		add(o, withDelays, groupOrders)
		add(o, withDelays, groupHistory)
	}
	addMean := func(all []*ordering, how string) {
		if o := meanOrdering(all); o != nil {
			k, _ := o.rankingOf(how, groupOrders)
			t.Rows, texts = append(t.Rows, k.cells()), append(texts, k.explain())
		}
	}
	addMean(plain, orderOnly)
	addMean(polite, withDelays)
	if s := delaysText(plain, polite); s != "" {
		texts = append(texts, s)
	}
	return show.Section{Title: "The rankings compared", Text: strings.Join(texts, "\n\n"), Table: t}, found
}

// meanOrdering is the means over the graphs on which all strategies without history ran,
// as the thesis averaged its four collections; nil with fewer than two.
func meanOrdering(all []*ordering) *ordering {
	var some []*ordering
	for _, o := range all {
		if _, whole := o.group(groupOrders); whole {
			some = append(some, o)
		}
	}
	if len(some) < 2 {
		return nil
	}
	w := *some[0].place.World
	w.Name = fmt.Sprintf("mean of %d graphs", len(some))
	mean := &ordering{place: &Place{World: &w}}
	for _, r := range thesisRows() {
		if r.group == groupHistory {
			continue
		}
		avg, tau := meanOf(some, r)
		mean.runs = append(mean.runs, &lab.Run{Policy: r.policy, Measures: measure.Measures{Average: avg.Value(), TauSample: tau.Value()}})
	}
	return mean
}

// How a crawl was done.
const (
	orderOnly  = "order only"
	withDelays = "w = 15 s, r = 1"
)

func (k *ranking) cells() []show.Cell {
	group, seeds := "without history", k.kendallSeeds()
	if k.group == groupHistory {
		group, seeds = "historical", show.None()
	}
	theirs, ours := k.spread()
	agrees := "no"
	if k.kendall() >= enough {
		agrees = "yes"
	}
	return []show.Cell{show.Words(k.o.place.World.Name), show.Words(k.how), show.Words(group), show.Count(len(k.rows)),
		show.Num(k.kendall(), 3), seeds, show.Num(k.kendallTau(), 3), show.Num(theirs, 3), show.Num(ours, 3), show.Words(agrees)}
}

// finding is that of the order-only ranking; it also has the number under politeness
// and the strategy that moved most.
func (k *ranking) finding(polite []*ordering) finding {
	f := finding{place: k.o.place.World.Name, holds: k.kendall() >= enough}
	f.numbers = fmt.Sprintf("%.2f over %d, with the cash of OPIC on seeds %.2f", k.kendall(), len(k.rows), k.kendallSeeds().Value())
	for _, o := range polite {
		if o.place == k.o.place {
			p, _ := o.rankingOf(withDelays, groupOrders)
			f.numbers += fmt.Sprintf(", with w = 15 s %.2f", p.kendall())
		}
	}
	if row, n := k.mostMoved(k.swaps()); n > 0 {
		f.numbers += fmt.Sprintf(", %s in %d of %d swapped pairs", row.name, n, len(k.swaps()))
	}
	return f
}

// delaysText says what politeness does to larger-sites-first, whose point it is.
func delaysText(plain, polite []*ordering) string {
	var parts []string
	for _, q := range polite {
		for _, o := range plain {
			if o.place != q.place {
				continue
			}
			a, _ := o.average("larger-sites-first")
			p, _ := q.average("larger-sites-first")
			bfs, _ := q.average("breadth-first")
			parts = append(parts, fmt.Sprintf("%s %.3f and %.3f (breadth-first then %.3f)", o.place.World.Name, a, p, bfs))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "larger-sites-first without and with politeness: " + strings.Join(parts, "; ") +
		". Without delays it stays on the largest site until another has more pages left; with them it has to turn to others while that one waits, which is what the thesis measured."
}

// batchSection shows batch- and partial-pagerank with another K, where it was run.
func batchSection(all []*ordering) *show.Section {
	t := &show.Table{Columns: head("graph", "strategy", "average", "tau", "regret")}
	for _, o := range all {
		for _, name := range append([]string{"batch-pagerank", "partial-pagerank"}, defaultBatches(o.place)...) {
			r := o.run(name)
			if r == nil || len(defaultBatches(o.place)) == 0 {
				continue
			}
			avg, tau := o.cells(name)
			if !strings.Contains(name, "/k=") {
				name += fmt.Sprintf(" (K = %d)", o.c.Batch)
			}
			t.Rows = append(t.Rows, []show.Cell{show.Words(o.place.World.Name), show.Words(name), avg, tau, o.regret(r.Policy)})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return &show.Section{
		Title: "What K does",
		Text:  fmt.Sprintf("The default of the command line is K = %d. Where that is more than the pages that can be reached, the only solve is the first one, over the seeds: the rest is first in, first out. Shown where it differs from T/%d by more than a quarter; ramp=true solves first after as many pages as there are seeds, then whenever that has doubled, until it is K.", lab.DefaultBatch, thesisBatches),
		Table: t,
	}
}
