package papers

import (
	"errors"
	"fmt"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
	"strings"
)

// historicalPolicies is the historical family as in table 4.1, with the old pages known
// from the start or to be discovered.
func historicalPolicies(known bool) []string {
	var all []string
	for _, fresh := range []string{"zero", "random", "parent", "omniscient"} {
		all = append(all, fmt.Sprintf("%s/new=%s/known=%t", historical, fresh, known))
	}
	return all
}

// castilloHistory is figure 4.6 (X23): PageRank of an earlier crawl as a guide.
func castilloHistory(b *Bench) (*show.Report, error) {
	var places []*Place
	var skipped []string
	for _, p := range b.Places {
		if p.History != nil {
			places = append(places, p)
		} else {
			skipped = append(skipped, fmt.Sprintf("%s is left out: there is no earlier crawl of it.", p.World.Name))
		}
	}
	if len(places) == 0 {
		return nil, errors.New("no graph has a history: the values of an earlier crawl are needed")
	}
	rep := &show.Report{Header: castilloHeader(b, places, orderField())}
	rep.Intro = append([]string{
		"Thesis: PageRank of May was there for 55 % of the pages of September, 45 % were new; the old pages had 72 % of the PageRank of September. Old values are not detrimental: new=random does well, all of the family are above OPIC.",
		"known=true, the default: the pages of the earlier crawl are known from the start, as a crawler that has their URLs would begin. known=false: they must be discovered.",
	}, skipped...)
	var found []finding
	for i, p := range places {
		b.say(i, len(places), "%s", p.World.Name)
		s, f, err := b.historyAt(p)
		if err != nil {
			return nil, err
		}
		rep.Sections, found = append(rep.Sections, s), append(found, f)
	}
	rep.Verdict = verdict("old PageRank is not detrimental, every historical strategy with known pages is at least as good as OPIC", found)
	return rep, nil
}

// comparedWithHistory is what figure 4.6 shows the family against.
func comparedWithHistory() []string {
	return []string{"opic/cash=all", "opic/cash=seeds", "omniscient", "breadth-first", "horn", "random"}
}

func (b *Bench) historyAt(p *Place) (s show.Section, f finding, err error) {
	t, err := p.PageRank(b)
	if err != nil {
		return s, f, err
	}
	policies := append(append(historicalPolicies(true), comparedWithHistory()...), historicalPolicies(false)...)
	o, err := b.order(p, p.Setting(b, t), policies)
	if err != nil {
		return s, f, err
	}
	pages, rank := o.old()
	s = show.Section{
		Title: p.World.Name,
		Text:  o.historyText(pages, rank),
		Chart: shareChart("Cumulative PageRank, "+p.World.Name, o.series(append(historicalPolicies(true), comparedWithHistory()...))),
		Table: o.historyTable(),
	}
	return s, o.historyFinding(), nil
}

// old is the share of the pages of E that the earlier crawl had, and of the PageRank of
// E that they have now.
func (o *ordering) old() (pages, rank float64) {
	old := o.c.OldPages()
	return measure.Share(len(old), o.reachable()), o.c.Judge.ShareOf(old)
}

func (o *ordering) historyText(pages, rank float64) string {
	return fmt.Sprintf("Of T = %d pages %s have an old PageRank (theirs 55 %%) and %s are new (theirs 45 %%); the old ones have %s of the PageRank (theirs 72 %%). %d pages of the earlier crawl have vanished.",
		o.reachable(), pct(pages), pct(1-pages), pct(rank), o.place.History.Gone)
}

// theirTable1 is table 4.1: average and tau by row.
func theirTable1(policy string) (avg, tau float64, ok bool) {
	name, _, _ := strings.Cut(policy, "/known=")
	for _, r := range thesisRows() {
		if r.policy == name || r.policy == policy {
			return r.average, r.tau, true
		}
	}
	return 0, 0, false
}

func (o *ordering) historyTable() *show.Table {
	t := &show.Table{Columns: head("strategy", "average (theirs)", "average", "tau (theirs)", "tau of a sample", "half of PageRank after, % of pages", "regret")}
	for _, r := range o.runs {
		avg, tau := show.None(), show.None()
		if a, k, ok := theirTable1(r.Policy); ok {
			avg, tau = show.Num(a, 4), show.Num(k, 4)
		}
		t.Rows = append(t.Rows, []show.Cell{
			show.Words(r.Policy), avg, show.Num(r.Measures.Average, 4), tau, show.Num(r.Measures.TauSample, 4),
			pctCell(r.Measures.PagesFor50), o.regret(r.Policy),
		})
	}
	return t
}

// historyFinding compares the family with the better reading of OPIC.
func (o *ordering) historyFinding() finding {
	f := finding{place: o.place.World.Name, holds: true}
	all, _ := o.average("opic/cash=all")
	seeds, _ := o.average("opic/cash=seeds")
	opic := max(all, seeds)
	var numbers []string
	for _, name := range historicalPolicies(true) {
		a, _ := o.average(name)
		f.holds = f.holds && a >= opic
		_, short, _ := strings.Cut(name, "/new=")
		short, _, _ = strings.Cut(short, "/")
		numbers = append(numbers, fmt.Sprintf("%s %.4f", short, a))
	}
	f.numbers = fmt.Sprintf("%s, OPIC %.4f", strings.Join(numbers, ", "), opic)
	return f
}
