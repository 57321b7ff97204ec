package lab

import (
	"fmt"

	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// KeptPages says what a crawl with room for some pages has kept: P_BC of Cho, Garcia-Molina and
// Page (1998, section 3).
type KeptPages struct {
	Room  int      `json:"room"`  // B
	Pages int      `json:"pages"` // kept at the end
	Best  *float64 `json:"hot,omitempty"`
	// Goal is the share of B that is at least as important as the K-th best page, where the crawl
	// stops after K.
	Goal *float64 `json:"hot_goal,omitempty"`
	// Above is the share of B that has an importance of at least each of the thresholds.
	Above []float64 `json:"hot_above,omitempty"`
}

// Kept returns what a run has kept, nil if that is all. Best is the share of B that is at least
// as important as the B-th best page.
func (c *Comparison) Kept(run *Run) *KeptPages {
	if c.KeepPages == 0 {
		return nil
	}
	kept := run.Result.Kept
	k := &KeptPages{Room: c.KeepPages, Pages: len(kept)}
	if c.Judge == nil {
		return k
	}
	best := c.Judge.HotAmong(kept, k.Room, c.Judge.HotBest(k.Room))
	k.Best = &best
	if c.MaxPages > 0 {
		goal := c.Judge.HotAmong(kept, k.Room, c.Judge.HotBest(c.MaxPages))
		k.Goal = &goal
	}
	for _, h := range c.Judge.Hot() {
		k.Above = append(k.Above, c.Judge.HotAmong(kept, k.Room, h))
	}
	return k
}

// KeptTable shows what the runs have kept.
func (c *Comparison) KeptTable(runs []*Run) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "policy", Key: "policy"}, {Name: "kept", Key: "kept"}}}
	if c.Judge != nil {
		t.Columns = append(t.Columns, show.Column{Name: "hot", Unit: "%", Key: "hot"})
		if c.MaxPages > 0 {
			t.Columns = append(t.Columns, show.Column{Name: "R_K", Unit: "%", Key: "hot_goal"})
		}
		for _, h := range c.Judge.Hot() {
			t.Columns = append(t.Columns, show.Column{Name: fmt.Sprintf("I >= %g", h.G), Unit: "%", Key: fmt.Sprintf("hot_%g", h.G)})
		}
	}
	for _, run := range runs {
		k := c.Kept(run)
		row := []any{run.Policy, k.Pages}
		if k.Best != nil {
			shares := []float64{*k.Best}
			if k.Goal != nil {
				shares = append(shares, *k.Goal)
			}
			for _, v := range append(shares, k.Above...) {
				row = append(row, show.Num(100*v, 1))
			}
		}
		t.Add(row...)
	}
	room := min(c.KeepPages, len(c.Tree.Order))
	text := fmt.Sprintf("Room for %s, %.1f %% of those that can be reached. Hot is the share of the room (P_BC) with pages at least as important as the best %s.",
		show.Counted(c.KeepPages, "page"), 100*measure.Share(room, len(c.Tree.Order)), show.Grouped(room))
	if c.Judge != nil && c.MaxPages > 0 {
		text += fmt.Sprintf(" R_K is the same for the best %s, where the crawl stops.", show.Grouped(c.MaxPages))
	}
	return show.Section{Title: "Pages kept", Text: text, Table: t}
}
