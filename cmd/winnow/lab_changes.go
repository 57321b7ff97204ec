package main

import (
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/lab/boards"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/papers/wire02"
)

// settleChanges checks the flags that are about collections that change.
func (o *labOptions) settleChanges(experiments []experiment.Experiment) error {
	meant := slices.ContainsFunc(experiments, func(e experiment.Experiment) bool {
		return e.Name == boards.FreshnessName || strings.HasPrefix(e.Name, wire02.Prefix)
	})
	for _, flag := range []string{"changes", "max-touched", "rate"} {
		if o.flags.Changed(flag) && !meant {
			return console.WithHint(console.Usagef("--%s means nothing to %s", flag, experiments[0].Name), "it is for winnow lab run %s", boards.FreshnessName)
		}
	}
	switch {
	case o.touched < 0:
		return console.Usagef("--max-touched %d: it must be 0 or more", o.touched)
	case o.flags.Changed("rate") && !(o.Rate > 0 && o.Rate <= maxRate):
		return console.Usagef("--rate %v: it must be above 0 and at most %g", o.Rate, float64(maxRate))
	case o.flags.Changed("max-touched") && len(o.changes) == 0:
		return console.WithHint(console.Usagef("--max-touched is about --changes, which is not given"), "add --changes FILE")
	case len(o.changes) > 0 && len(o.changes) != len(o.graphs):
		return console.WithHint(console.Usagef("%d times --changes and %d times --graph", len(o.changes), len(o.graphs)), "give one --changes for each --graph, in the same order")
	}
	return nil
}

// maxRate is the largest number of visits a day: ten thousand a second.
const maxRate = 864e6
