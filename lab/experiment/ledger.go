package experiment

import (
	"fmt"
	"math"
	"strings"

	"github.com/winnow-crawler/winnow/internal/show"
)

// A Ledger collects what experiments find, for one page about all of them.
type Ledger struct {
	entries []entry
	failed  []string
}

// An entry is what an experiment found about one claim, or what it says without one.
type entry struct {
	experiment, paper, claim string
	findings                 []Finding
	verdict                  string // if there is no claim
}

// Add adds what a run of an experiment found. A nil ledger takes nothing.
func (l *Ledger) Add(e *Experiment, r *Run) {
	if l == nil {
		return
	}
	if e.Verdict != nil || len(e.Claims) == 0 {
		l.entries = append(l.entries, entry{experiment: e.Name, paper: e.Paper, claim: e.What, verdict: r.Report.Verdict, findings: r.Findings[0]})
		return
	}
	for i, claim := range e.Claims {
		l.entries = append(l.entries, entry{experiment: e.Name, paper: e.Paper, claim: claim, findings: r.Findings[i]})
	}
}

// Fail adds an experiment that could not run.
func (l *Ledger) Fail(name string, err error) {
	if l != nil {
		l.failed = append(l.failed, fmt.Sprintf("%s: %v", name, err))
	}
}

// Report returns the page: a table for each paper, with a row for each claim and the worlds on
// which it holds, does not hold, or cannot be told.
func (l *Ledger) Report(places []*Place) *show.Report {
	var worlds []string
	for _, p := range places {
		worlds = append(worlds, p.Describe())
	}
	rep := &show.Report{Title: "Findings",
		Intro: []string{"Worlds: " + strings.Join(worlds, "; ") + ".",
			"A claim holds on a world if the numbers in brackets say so. The interval of the share of worlds is Wilson's, 95 %: worlds are few."}}
	for i := 0; i < len(l.entries); {
		paper := prefixOf(l.entries[i].experiment)
		t := &show.Table{Columns: []show.Column{{Name: "experiment"}, {Name: "claim"}, {Name: "holds on"}, {Name: "holds"}, {Name: "does not hold"}, {Name: "cannot be told"}}}
		for ; i < len(l.entries) && prefixOf(l.entries[i].experiment) == paper; i++ {
			t.Add(l.entries[i].row()...)
		}
		rep.Sections = append(rep.Sections, show.Section{Title: paper, Table: t})
	}
	if len(l.failed) > 0 {
		rep.Sections = append(rep.Sections, show.Section{Title: "Experiments that did not run", Text: strings.Join(l.failed, "\n\n")})
	}
	rep.Verdict = l.verdict()
	return rep
}

// prefixOf returns the paper that the name of an experiment begins with.
func prefixOf(name string) string {
	paper, _, _ := strings.Cut(name, "-")
	return paper
}

// row returns the cells of an entry.
func (e *entry) row() []any {
	if e.verdict != "" {
		return []any{e.experiment, e.claim, show.None(), e.verdict, "", ""}
	}
	yes, no, lack := e.sorted()
	return []any{e.experiment, e.claim, shareOfWorlds(len(yes), len(yes)+len(no)), strings.Join(yes, "; "), strings.Join(no, "; "), strings.Join(lack, "; ")}
}

// sorted returns the worlds on which the claim holds, does not, and cannot be told.
func (e *entry) sorted() (yes, no, lack []string) {
	for _, f := range e.findings {
		switch {
		case f.Lacks != "":
			lack = append(lack, f.Place+" ("+f.Lacks+")")
		case f.Holds:
			yes = append(yes, f.Place+" ("+f.Numbers+")")
		default:
			no = append(no, f.Place+" ("+f.Numbers+")")
		}
	}
	return yes, no, lack
}

// shareOfWorlds returns "3 of 7 (16 to 75 %)".
func shareOfWorlds(k, n int) string {
	if n == 0 {
		return "-"
	}
	low, high := wilson(k, n)
	return fmt.Sprintf("%d of %d (%.0f to %.0f %%)", k, n, 100*low, 100*high)
}

// wilson returns the 95 % score interval of a share (Wilson 1927).
func wilson(k, n int) (low, high float64) {
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	middle := p + z*z/(2*m)
	half := z * math.Sqrt(float64(p*(1-p))/m+z*z/(4*m*m))
	whole := 1 + z*z/m
	return max(0, (middle-half)/whole), min(1, (middle+half)/whole)
}

// verdict counts the claims.
func (l *Ledger) verdict() string {
	all, some, none, untold := 0, 0, 0, 0
	for i := range l.entries {
		if l.entries[i].verdict != "" {
			continue
		}
		yes, no, _ := l.entries[i].sorted()
		switch {
		case len(yes)+len(no) == 0:
			untold++
		case len(no) == 0:
			all++
		case len(yes) == 0:
			none++
		default:
			some++
		}
	}
	return fmt.Sprintf("Of %d claims %d hold on every world that can tell, %d on some, %d on none; %d cannot be told here.", all+some+none+untold, all, some, none, untold)
}
