// Package papers repeats the experiments of four papers on any graph: Cho, Garcia-Molina
// and Page 1998, Najork and Wiener 2001, Baeza-Yates and Castillo 2002, and chapter 4 of
// Castillo's thesis of 2004. A report has their numbers next to ours and states in one
// sentence whether the finding holds. The leaderboards are of no paper: one ranks any
// policies on any graphs, the other the allocations of visits.
//
// An Experiment is a value: its name, what the paper claims, what it needs of a graph
// and what to do at one place, or at all of them together. Run does the rest: it leaves
// out places that lack the needs, writes header and introduction, which are the
// files in texts, and makes the verdict from the findings at each place.
package papers

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/show"
)

// An Experiment repeats one experiment of a paper.
type Experiment struct {
	Name  string // paper and number: "castillo04-table1"
	Paper string // citation with section
	What  string // one line: what it shows

	claims  []string // findings of the paper; the verdict has a sentence on each
	needs   needs
	header  func(*Bench) []show.Field
	all     func(*run) error         // what concerns all places together; done first
	at      func(*run, *Place) error // runs at each place
	verdict func([]finding) string   // replaces the sentence on the claims
}

// Experiments lists all experiments in the order of the papers.
func Experiments() []Experiment {
	return slices.Concat(
		paper("cho98", "Cho, Garcia-Molina, Page 1998", cho98()),
		paper("najork01", "Najork, Wiener 2001", najork01()),
		paper("castillo04", "C. Castillo, Effective Web Crawling, PhD thesis, University of Chile, 2004, chapter 4", castillo04()),
		paper("wire02", "Baeza-Yates, Castillo 2002", wire02()),
		leaderboards(),
		advices(),
		freshnessBoards())
}

// All means every experiment, wherever one is named.
const All = "all"

// Names returns what Named accepts: the experiments, their papers, All.
func Names() []string {
	var names []string
	last := ""
	for _, e := range Experiments() {
		if paper, _, ok := strings.Cut(e.Name, "-"); ok && paper != last {
			names, last = append(names, paper), paper
		}
		names = append(names, e.Name)
	}
	return append(names, All)
}

// Named returns the experiments that a name means: one, all that begin with it (cho98,
// castillo04-table), or All.
func Named(name string) (found []Experiment) {
	for _, e := range Experiments() {
		if e.Name == name {
			return []Experiment{e}
		}
		if name == All || name != "" && strings.HasPrefix(e.Name, name) {
			found = append(found, e)
		}
	}
	return found
}

// paper completes the names and citations of the experiments of one paper.
func paper(prefix, citation string, list []Experiment) []Experiment {
	for i := range list {
		e := &list[i]
		e.Name, e.Paper = prefix+"-"+e.Name, citation+", "+e.Paper
	}
	return list
}

// A run collects what an experiment shows and finds.
type run struct {
	*Bench // with the places that meet the needs of the experiment
	report *show.Report
	found  [][]finding // by claim, then place
}

// Run runs the experiment and returns its report.
func (e *Experiment) Run(b *Bench) (*show.Report, error) {
	places, skipped, err := e.needs.choose(b.Places)
	if err != nil {
		return nil, err
	}
	some := *b
	some.Places = places
	r := &run{Bench: &some, found: make([][]finding, max(1, len(e.claims)))}
	r.report = &show.Report{Title: e.Name, Header: e.header(&some), Intro: append(show.Paragraphs(text(e.Name)), skipped...)}
	if e.all != nil {
		if err := e.all(r); err != nil {
			return nil, err
		}
	}
	for i, p := range places {
		if e.at == nil {
			break
		}
		b.say(i, len(places), "%s", p.World.Name)
		if err := e.at(r, p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
	}
	switch {
	case e.verdict != nil:
		r.report.Verdict = e.verdict(r.found[0])
	case len(e.claims) > 0:
		r.report.Verdict = verdicts(e.claims, r.found)
	}
	return r.report, nil
}

// show adds sections to the report.
func (r *run) show(s ...show.Section) { r.report.Sections = append(r.report.Sections, s...) }

// find adds what was found at a place, one finding for each claim.
func (r *run) find(place string, f ...finding) {
	for claim := range f {
		f[claim].place = place
		r.found[claim] = append(r.found[claim], f[claim])
	}
}

// lacks notes why no claim can be tested at a place.
func (r *run) lacks(place, why string) {
	for claim := range r.found {
		r.found[claim] = append(r.found[claim], finding{place: place, lacks: why})
	}
}

// needs holds what an experiment requires of a place.
type needs struct {
	sites   int  // least number of sites, which must be known
	history bool // an earlier crawl
}

// choose returns the places that meet the needs, and a sentence on each of the others.
func (n needs) choose(places []*Place) (kept []*Place, skipped []string, err error) {
	for _, p := range places {
		w := p.World
		switch {
		case n.history && p.History == nil:
			skipped = append(skipped, fmt.Sprintf("%s is left out: there is no earlier crawl of it.", w.Name))
		case n.sites > 0 && w.Sim.SiteOf == nil:
			skipped = append(skipped, fmt.Sprintf("%s is left out: its sites are not known, so there are no results per site.", w.Name))
		case n.sites > 0 && w.Sites() < n.sites:
			skipped = append(skipped, fmt.Sprintf("%s is left out: it has %d site, and this is about several.", w.Name, w.Sites()))
		default:
			kept = append(kept, p)
		}
	}
	switch {
	case len(kept) > 0:
		return kept, skipped, nil
	case n.history:
		return nil, nil, errors.New("no graph has a history: the values of an earlier crawl are needed")
	}
	return nil, nil, fmt.Errorf("no graph is left: %s", strings.Join(skipped, " "))
}

// A finding states whether a claim of a paper holds at one place, with the numbers that
// show it.
type finding struct {
	place   string
	holds   bool
	numbers string
	lacks   string // why the claim cannot be tested there; then nothing else counts
}

// found returns a finding with its numbers.
func found(holds bool, format string, args ...any) finding {
	return finding{holds: holds, numbers: fmt.Sprintf(format, args...)}
}

// verdicts returns one sentence on several claims.
func verdicts(claims []string, all [][]finding) string {
	s := strings.TrimSuffix(verdict(claims[0], all[0]), ".")
	for i, claim := range claims[1:] {
		f := verdict(claim, all[i+1])
		s += "; further: " + strings.ToLower(f[:1]) + strings.TrimSuffix(f[1:], ".")
	}
	return s + "."
}

// verdict returns the sentence on a claim over all places.
func verdict(claim string, all []finding) string {
	var yes, no, lack []string
	for _, f := range all {
		switch {
		case f.lacks != "":
			lack = append(lack, f.place+" ("+f.lacks+")")
		case f.holds:
			yes = append(yes, f.place+" ("+f.numbers+")")
		default:
			no = append(no, f.place+" ("+f.numbers+")")
		}
	}
	s := judged(claim, yes, no)
	if len(lack) > 0 {
		s += "; not tested on " + strings.Join(lack, ", ")
	}
	return s + "."
}

// judged returns the part of a verdict about places where the claim can be tested.
func judged(claim string, yes, no []string) string {
	n := len(yes) + len(no)
	worlds := fmt.Sprintf("all %d worlds", n)
	if n == 2 {
		worlds = "both worlds"
	}
	switch {
	case n == 0:
		return "Could not be tested here: " + claim
	case len(no) == 0 && n == 1:
		return fmt.Sprintf("Holds: %s: %s", claim, yes[0])
	case len(no) == 0:
		return fmt.Sprintf("Holds on %s: %s: %s", worlds, claim, strings.Join(yes, ", "))
	case len(yes) == 0 && n == 1:
		return fmt.Sprintf("Does not hold: %s: against it %s", claim, no[0])
	case len(yes) == 0:
		return fmt.Sprintf("Holds on none of %d worlds: %s: against it %s", n, claim, strings.Join(no, ", "))
	}
	return fmt.Sprintf("Holds on %d of %d worlds: %s: %s; but not on %s", len(yes), n, claim, strings.Join(yes, ", "), strings.Join(no, ", "))
}

// texts holds the introductions, by experiment, and other long texts. Lines are broken
// for readers; an empty line ends a paragraph.
//
//go:embed texts/*.txt
var texts embed.FS

// text returns a text, each paragraph on one line. Arguments are those of its verbs.
func text(name string, args ...any) string {
	b, err := texts.ReadFile("texts/" + name + ".txt")
	if err != nil {
		panic(err) // the name is written in this package
	}
	paragraphs := show.Paragraphs(string(b))
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	s := strings.Join(paragraphs, "\n\n")
	if len(args) > 0 {
		s = fmt.Sprintf(s, args...)
	}
	return s
}
