// Package papers lists the experiments of the laboratory: those of four papers (Cho,
// Garcia-Molina and Page 1998, Najork and Wiener 2001, Baeza-Yates and Castillo 2002, chapter 4
// of Castillo's thesis of 2004) on any graph, each with its numbers next to ours and a
// sentence that states whether the finding holds; and winnow's own boards.
package papers

import (
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/lab/boards"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/papers/castillo04"
	"github.com/winnow-crawler/winnow/lab/papers/cho98"
	"github.com/winnow-crawler/winnow/lab/papers/najork01"
	"github.com/winnow-crawler/winnow/lab/papers/wire02"
)

// Experiments lists all experiments in the order of the papers.
func Experiments() []experiment.Experiment {
	return slices.Concat(cho98.Experiments(), najork01.Experiments(), castillo04.Experiments(), wire02.Experiments(), boards.Experiments())
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
func Named(name string) (found []experiment.Experiment) {
	for _, e := range Experiments() {
		if e.Name == name {
			return []experiment.Experiment{e}
		}
		if name == All || name != "" && strings.HasPrefix(e.Name, name) {
			found = append(found, e)
		}
	}
	return found
}
