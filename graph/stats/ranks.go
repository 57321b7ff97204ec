package stats

import (
	"cmp"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// RankChange says how well the PageRank of an older snapshot foretells that of a later one. Its
// numbers are those that Castillo's thesis quotes (4.3.2, 4.3.4): the average relative error
// was 78 % after four months (Cho and Adams 2004), a quarter of all links was new after a week
// (Ntoulas, Cho and Olston 2004), the best pages keep their places longer, and 55 % of the
// pages, those that were there before, had 72 % of the PageRank. Scores have the mean 1 in
// their own snapshots.
type RankChange struct {
	Pages    int     `json:"pages"`     // in both snapshots
	Error    float64 `json:"error"`     // mean of |old - new| / new over them
	ErrorTop float64 `json:"error_top"` // the same over the best tenth of them
	// Moved is the mean distance between the two places of a page among them, as a share of
	// their number, MovedTop that of the best tenth.
	Moved    float64 `json:"moved"`
	MovedTop float64 `json:"moved_top"`
	Held     float64 `json:"held"`      // share of the new PageRank that is on pages of both
	NewLinks float64 `json:"new_links"` // share of the new links between pages of both
	// Top is, for several N, the share of the N best pages of the new snapshot that are among
	// the N best of the old one.
	Top []TopShare `json:"top"`
}

// A TopShare is the share of the best N pages that two rankings have in common.
type TopShare struct {
	N     int     `json:"n"`
	Share float64 `json:"share"`
}

// changeOfRanks compares the scores of two snapshots. to has the page of the new one that each
// old page has become.
func changeOfRanks(older, newer []float64, to []graph.Page, links Overlap) *RankChange {
	type both struct{ was, is float64 }
	var common []both
	c := &RankChange{}
	for p, q := range to {
		if q != graph.NoPage {
			common = append(common, both{older[p], newer[q]})
			c.Held += newer[q] / float64(len(newer))
		}
	}
	c.Pages = len(common)
	if all := links.LinksKept + links.LinksNew; all > 0 {
		c.NewLinks = float64(links.LinksNew) / float64(all)
	}
	if c.Pages == 0 {
		return c
	}
	wasAt := places(len(common), func(i int) float64 { return common[i].was })
	isAt := places(len(common), func(i int) float64 { return common[i].is })
	top := max(1, c.Pages/10)
	for i, x := range common {
		e := math.Abs(x.was-x.is) / x.is
		far := math.Abs(float64(wasAt[i]-isAt[i])) / float64(c.Pages)
		c.Error, c.Moved = c.Error+e/float64(c.Pages), c.Moved+far/float64(c.Pages)
		if isAt[i] < top {
			c.ErrorTop, c.MovedTop = c.ErrorTop+e/float64(top), c.MovedTop+far/float64(top)
		}
	}
	c.tops(older, newer, to)
	return c
}

// tops adds the overlaps of the best 10, 100 and so on, and of a tenth of the new snapshot.
func (c *RankChange) tops(older, newer []float64, to []graph.Page) {
	wasAt, isAt := places(len(older), func(i int) float64 { return older[i] }), places(len(newer), func(i int) float64 { return newer[i] })
	later := slices.Repeat([]int{math.MaxInt}, len(newer)) // by page of the new one: the larger of its places
	for p, q := range to {
		if q != graph.NoPage {
			later[q] = max(wasAt[p], isAt[q])
		}
	}
	slices.Sort(later)
	add := func(n int) {
		k, _ := slices.BinarySearch(later, n) // those before place n in both
		c.Top = append(c.Top, TopShare{n, float64(k) / float64(n)})
	}
	most := min(len(older), len(newer))
	for n := 10; n <= most/10; n *= 10 {
		add(n)
	}
	if n := len(newer) / 10; n > 0 && n <= most {
		add(n)
	}
}

// places returns the place of each of n things by descending value, from 0; equal ones by their
// numbers.
func places(n int, value func(i int) float64) []int {
	by := make([]int, n)
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(a, b int) int { return cmp.Or(cmp.Compare(value(b), value(a)), a-b) })
	at := make([]int, n)
	for k, i := range by {
		at[i] = k
	}
	return at
}
