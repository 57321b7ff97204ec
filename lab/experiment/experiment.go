// Package experiment is what an experiment of the laboratory is made of. An Experiment is a
// value: its name, what a paper claims, what it needs of a graph and what to do at one place,
// or at all of them together. Run does the rest: it leaves out places that lack the needs,
// writes header and introduction, and makes the verdict from the findings at each place. A
// Bench has the places and crawls them.
package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/winnow-crawler/winnow/internal/show"
)

// An Experiment repeats one experiment of a paper.
type Experiment struct {
	Name  string // paper and number: "castillo04-table1"
	Paper string // citation with section
	What  string // one line: what it shows
	Intro string // paragraphs

	Claims  []string // findings of the paper; the verdict has a sentence on each
	Needs   Needs
	Header  func(*Bench) []show.Field
	All     func(*Run) error         // what concerns all places together; done first
	At      func(*Run, *Place) error // runs at each place
	Verdict func([]Finding) string   // replaces the sentence on the claims
	// Own says in a few words what importance is, where it is part of the experiment and no other
	// can take its place; "": Bench.Importance counts.
	Own string
}

// Paper completes the experiments of one paper: their names, citations and introductions,
// which are among its texts.
func Paper(prefix, citation string, texts fs.FS, list []Experiment) []Experiment {
	for i := range list {
		e := &list[i]
		e.Intro = Text(texts, e.Name)
		e.Name, e.Paper = prefix+"-"+e.Name, citation+", "+e.Paper
	}
	return list
}

// A Run collects what an experiment shows and finds.
type Run struct {
	*Bench   // with the places that meet the needs of the experiment
	Report   *show.Report
	Findings [][]Finding // by claim, then place
}

// Run runs the experiment and returns its report.
func (e *Experiment) Run(b *Bench) (*show.Report, error) {
	places, skipped, err := e.Needs.choose(b.Places)
	if err != nil {
		return nil, err
	}
	some := *b
	some.Places = places
	r := &Run{Bench: &some, Findings: make([][]Finding, max(1, len(e.Claims)))}
	r.Report = &show.Report{Title: e.Name, Header: append(e.Header(&some), e.importance(b)...), Intro: append(show.Paragraphs(e.Intro), skipped...)}
	if e.All != nil {
		if err := e.All(r); err != nil {
			return nil, err
		}
	}
	for i, p := range places {
		if e.At == nil {
			break
		}
		b.Say(i, len(places), "%s", p.World.Name)
		if err := e.At(r, p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
	}
	switch {
	case e.Verdict != nil:
		r.Report.Verdict = e.Verdict(r.Findings[0])
	case len(e.Claims) > 0:
		r.Report.Verdict = verdicts(e.Claims, r.Findings)
	}
	b.Found.Add(e, r)
	return r.Report, nil
}

// importance returns the line of the header about an importance that takes the place of that of
// the paper.
func (e *Experiment) importance(b *Bench) []show.Field {
	switch {
	case b.Importance == nil:
		return nil
	case e.Own != "":
		return []show.Field{Field("importance", "%s; %s does not count here", e.Own, b.ImportanceName)}
	}
	return []show.Field{Field("importance", "%s, in place of what the paper has", b.ImportanceName)}
}

// Show adds sections to the report.
func (r *Run) Show(s ...show.Section) { r.Report.Sections = append(r.Report.Sections, s...) }

// Find adds what was found at a place, one finding for each claim.
func (r *Run) Find(place string, f ...Finding) {
	for claim := range f {
		f[claim].Place = place
		r.Findings[claim] = append(r.Findings[claim], f[claim])
	}
}

// Lacks notes why no claim can be tested at a place.
func (r *Run) Lacks(place, why string) {
	for claim := range r.Findings {
		r.Findings[claim] = append(r.Findings[claim], Finding{Place: place, Lacks: why})
	}
}

// Needs holds what an experiment requires of a place.
type Needs struct {
	Sites   int  // least number of sites, which must be known
	History bool // an earlier crawl
}

// choose returns the places that meet the needs, and a sentence on each of the others.
func (n Needs) choose(places []*Place) (kept []*Place, skipped []string, err error) {
	for _, p := range places {
		w := p.World
		switch {
		case n.History && p.History == nil:
			skipped = append(skipped, fmt.Sprintf("%s is left out: there is no earlier crawl of it.", w.Name))
		case n.Sites > 0 && w.Sim.SiteOf == nil:
			skipped = append(skipped, fmt.Sprintf("%s is left out: its sites are not known, so there are no results per site.", w.Name))
		case n.Sites > 0 && w.Sites() < n.Sites:
			skipped = append(skipped, fmt.Sprintf("%s is left out: it has %d site, and this is about several.", w.Name, w.Sites()))
		default:
			kept = append(kept, p)
		}
	}
	switch {
	case len(kept) > 0:
		return kept, skipped, nil
	case n.History:
		return nil, nil, errors.New("no graph has a history: the values of an earlier crawl are needed")
	}
	return nil, nil, fmt.Errorf("no graph is left: %s", strings.Join(skipped, " "))
}

// Text returns a text of a package, each paragraph on one line, from its file. Lines of the
// file are broken for readers; an empty line ends a paragraph. Arguments are those of its
// verbs.
func Text(files fs.FS, name string, args ...any) string {
	b, err := fs.ReadFile(files, "texts/"+name+".txt")
	if err != nil {
		panic(err) // the name is written in the program
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
