package live

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// left returns the sections about skipped pages: traps with their reasons, held pages,
// mirrors, and the largest site with its verdict.
func (r *Report) left() []show.Section {
	s := r.status
	list := []show.Section{r.skipped(s)}
	if len(s.Caps) > 0 {
		list = append([]show.Section{capSection(s.Caps)}, list...)
	}
	if s.Mirrored > 0 {
		list = append(list, mirrorSection(s))
	}
	if s.Largest != nil {
		list = append(list, largestSection(s.Largest))
	}
	if s.Sample > 1 {
		list = append(list, r.sampleSection())
	}
	return list
}

// sampleSection returns the section about a policy that works on a sample of the links.
func (r *Report) sampleSection() show.Section {
	text := fmt.Sprintf("The crawl has more links than the policy %s keeps in memory. It looks at those of one fetched page in %d; the others count as if they linked like the pages of their group. The parameter links of the policy is the number of links that are kept, at 4 bytes each.", r.config.Policy, r.status.Sample)
	return show.Section{Title: "Sample", Text: text, Fold: fmt.Sprintf("the links of one page in %d", r.status.Sample)}
}

// skipped returns the section about traps.
func (r *Report) skipped(s *history.Status) show.Section {
	sec := show.Section{Title: "Traps"}
	if !r.config.Traps {
		sec.Text = "Trap detection was off. "
	}
	t := &show.Table{Columns: []show.Column{{Name: "reason"}, {Name: "site"}, {Name: "pattern"}, {Name: "pages"}}}
	for _, x := range wording.Skipped(s) {
		for _, p := range x.Places {
			t.Rows = append(t.Rows, []show.Cell{show.Words(p.Reason), show.Words(p.Site), show.Words(p.Pattern), show.Count(p.Pages)})
		}
		sec.Text += fmt.Sprintf("%s (%s): %s.\n\n", x.Bar, show.Counted(x.Pages, "page"), x.Bar.Meaning())
	}
	if len(t.Rows) == 0 {
		sec.Text += "No page was taken for a trap."
		sec.Fold = "no traps"
		return sec
	}
	sec.Text += fmt.Sprintf("Held pages, which are admitted if evidence clears them: %s. The table lists the places with the most pages. In a pattern * is any name and # a number or an id; of a query only the names of the parameters remain.", show.Grouped(s.Held))
	sec.Table, sec.Fold = t, show.Counted(len(wording.Skipped(s)), "kind")+" of traps"
	return sec
}

// capSection returns the section about what limits left out.
func capSection(caps []state.Cap) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "limit"}, {Name: "left out"}, {Name: "of what"}, {Name: "where most"}, {Name: "to fetch them", Key: "brings_them"}}}
	for i := range caps {
		x := &caps[i]
		limit := "of a site"
		if x.Key != "" {
			limit = wording.CapName(x)
		}
		t.Rows = append(t.Rows, []show.Cell{show.Words(limit), show.Count(x.Left), show.Words(x.What), show.Words(wording.CapWhere(x)), show.Words(wording.CapRaise(x))})
	}
	return show.Section{Title: "Left out by limits", Fold: show.Counted(len(caps), "limit"), Text: "What limits of the configuration kept from being fetched. A crawl that is resumed with a larger value fetches it.", Table: t}
}

func mirrorSection(s *history.Status) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "mirror"}, {Name: "of"}}}
	for _, m := range s.Mirrors {
		t.Rows = append(t.Rows, []show.Cell{show.Words(m.Site), show.Words(m.Of)})
	}
	text := fmt.Sprintf("%s: at least four fifths of the paths fetched from both had the same content. Pages of a mirror are fetched later than their importance alone would place them.", show.Counted(s.Mirrored, "mirror"))
	return show.Section{Title: "Mirrors", Text: text, Table: t, Fold: show.Counted(s.Mirrored, "mirror")}
}

func largestSection(x *history.SiteShare) show.Section {
	row := func(name string, known int64, share float64, verdict, trapped show.Cell) []show.Cell {
		return []show.Cell{show.Words(name), show.Count(int(known)), show.Num(100*share, 1), verdict, trapped}
	}
	return show.Section{
		Title: "The largest site", Fold: fmt.Sprintf("%s, %.1f %% of the known pages", x.Site, 100*x.Share),
		Text: fmt.Sprintf("Verdict: trap if most of its known pages are skipped as traps, partly if some are, none if no page is. Cho et al. 1998 (section 5.2) knew %s URLs, of which one server had %s.", show.Grouped(wording.ChoKnown), show.Grouped(wording.ChoServer)),
		Table: &show.Table{
			Columns: []show.Column{{Name: "site"}, {Name: "known"}, {Name: "of all", Unit: "%", Key: "share"}, {Name: "verdict"}, {Name: "skipped", Key: "trapped"}},
			Rows: [][]show.Cell{
				row(x.Site, x.Pages, x.Share, show.Words(x.Verdict), show.Count(int(x.Trapped))),
				row("one server of Cho et al. 1998", wording.ChoServer, float64(wording.ChoServer)/wording.ChoKnown, show.Words(""), show.None()),
			},
		},
	}
}
