package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/papers"
)

func newLabCommand(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "reproduce the experiments of the papers on a graph",
		Long: `An experiment is named after a paper and its figure or table. Run on a graph, it shows the
numbers of the paper beside ours, and states in one sentence whether the finding holds
there, and if not, why.`,
	}
	cmd.AddCommand(newLabListCommand(u), newLabRunCommand(u))
	return cmd
}

func newLabListCommand(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "list the experiments",
		Example: "  winnow lab list\n  winnow lab list --json",
		Args:    exactly(),
		RunE:    func(*cobra.Command, []string) error { return runLabList(u) },
	}
}

// A labLine is the JSON output for one experiment.
type labLine struct {
	Name  string `json:"name"`
	Paper string `json:"paper"`
	What  string `json:"what"`
}

func runLabList(u *ui) error {
	t := show.NewList("name", "what", "paper")
	for _, e := range papers.Experiments() {
		if u.asJSON {
			if err := u.json(labLine{e.Name, e.Paper, e.What}); err != nil {
				return err
			}
			continue
		}
		t.Add(e.Name, e.What, e.Paper)
	}
	if u.asJSON {
		return nil
	}
	return t.Print(u.stdout)
}

// labAll means every experiment.
const labAll = "all"

// labNames returns the names that `lab run` accepts: the experiments, their papers, all.
func labNames() []string {
	var names []string
	last := ""
	for _, e := range papers.Experiments() {
		if paper, _, ok := strings.Cut(e.Name, "-"); ok && paper != last {
			names, last = append(names, paper), paper
		}
		names = append(names, e.Name)
	}
	return append(names, labAll)
}

// chooseExperiments finds the experiments that names mean: one, all that begin with it
// (cho98, castillo04-table), or all. Each runs once, in the order of the table for each
// name.
func chooseExperiments(u *ui, names []string) ([]papers.Experiment, error) {
	var out []papers.Experiment
	have := map[string]bool{}
	for _, name := range names {
		found := experimentsNamed(name)
		if len(found) == 0 {
			return nil, unknownExperiment(u, name)
		}
		for _, e := range found {
			if !have[e.Name] {
				have[e.Name] = true
				out = append(out, e)
			}
		}
	}
	return out, nil
}

func experimentsNamed(name string) (found []papers.Experiment) {
	for _, e := range papers.Experiments() {
		if e.Name == name {
			return []papers.Experiment{e}
		}
		if name == labAll || name != "" && strings.HasPrefix(e.Name, name) {
			found = append(found, e)
		}
	}
	return found
}

func unknownExperiment(u *ui, name string) error {
	err := usagef("unknown experiment %q", name)
	if near, ok := nearest(name, labNames()); ok {
		return withHint(err, "try: %s", u.commandLine(name, near))
	}
	return withHint(err, "%s", "winnow lab list shows them")
}

// completeExperiments offers experiments to the shell.
func completeExperiments(_ *cobra.Command, done []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, n := range labNames() {
		if !contains(done, n) {
			out = append(out, n)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// atLeastOne demands arguments.
func atLeastOne(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs %s", cmd.CommandPath(), name)
		}
		return nil
	}
}
