package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/policy"
)

// choosePolicies finds out which policies run. One that was named and cannot run here
// is an error; of the defaults and of "all" it is left out with a note.
func (s *simulation) choosePolicies() error {
	if s.sitePolicy != "" {
		if err := s.applies(s.sitePolicy); err != nil {
			return s.explain("--site-policy", s.sitePolicy, err)
		}
	}
	if !s.flags.Changed("policy") {
		s.chosen = s.thatApply(defaultPolicies())
		return nil
	}
	for _, name := range s.policies {
		name = strings.TrimSpace(name)
		switch {
		case name == policyAll:
			s.chosen = append(s.chosen, s.thatApply(allPolicies())...)
			continue
		case slices.Contains(s.chosen, name) && slices.Contains(s.policies, policyAll):
			continue
		case slices.Contains(s.chosen, name):
			return usagef("--policy: %s is named twice", name)
		}
		if err := s.applies(name); err != nil {
			return s.explain("--policy", name, err)
		}
		s.chosen = append(s.chosen, name)
	}
	if len(s.chosen) == 0 {
		return usagef("--policy: no policy is named")
	}
	return nil
}

func allPolicies() []string {
	var names []string
	for _, s := range policy.Specs() {
		names = append(names, s.Name)
	}
	return names
}

// thatApply is those that can run here; the others are told.
func (s *simulation) thatApply(names []string) []string {
	var out []string
	for _, n := range names {
		if err := s.applies(n); err != nil {
			s.u.notef("left out: %v", err)
			continue
		}
		out = append(out, n)
	}
	return out
}

// applies finds out whether a policy can run in the world: what it needs must be there,
// and its parameters must be good for a frontier of one page.
func (s *simulation) applies(name string) error {
	choice, err := policy.Choose(name)
	if err != nil {
		return err
	}
	env := policy.Env{Batch: s.batch, MaxPages: s.g.Pages()}
	if s.g.HasURLs() {
		env.URL = s.g.AppendURL
	}
	if s.past != nil {
		env.Prior = &s.past.Prior
	}
	var oracle policy.Oracle
	if s.oracle != oracleNone {
		oracle = blind{}
	}
	if err := choice.Check(&env, oracle != nil); err != nil {
		return err
	}
	f, err := frontier.New(frontier.Options{MaxPages: 1, MaxSites: 1}, env, choice, nil, oracle)
	if err == nil {
		f.Free()
	}
	return err
}

// blind stands in for the oracle while policies are only made and not asked.
type blind struct{}

func (blind) Importance(graph.Page) float64 { return 0 }
func (blind) Place(graph.Page) int          { return 0 }

// explain says why a policy cannot run and what can be done about it.
func (s *simulation) explain(flag, name string, err error) error {
	var unknown *policy.UnknownError
	switch {
	case errors.As(err, &unknown):
		return s.unknownPolicy(flag, name, unknown)
	case errors.Is(err, policy.ErrURLs):
		return withHint(fmt.Errorf("%s: %w", flag, err), "import the graph with --urls, or leave it out")
	case errors.Is(err, policy.ErrPrior):
		return withHint(fmt.Errorf("%s: %w", flag, err), "give them with --history FILE; of an older graph: winnow rank OLD.wg -o FILE (with --urls where both know URLs)")
	case errors.Is(err, policy.ErrOracle):
		return withHint(fmt.Errorf("%s: %w", flag, err), "try: %s", s.u.withFlag("--oracle", lab.PageRankMetric))
	case strings.HasPrefix(name, "pagerank") && s.g.Pages() > pagesFor("pagerank"):
		return withHint(fmt.Errorf("%s: %w", flag, err), "try: %s", s.u.withFlag(flag, s.instead(flag, name, "batch-pagerank/k=1000")))
	}
	return usagef("%s: %w", flag, err)
}

// pagesFor is the largest world of a policy.
func pagesFor(name string) int {
	c, err := policy.Choose(name)
	if err != nil {
		return 0
	}
	return c.Spec.MaxPages
}

func (s *simulation) unknownPolicy(flag, name string, unknown *policy.UnknownError) error {
	err := usagef("%s: %w", flag, unknown)
	known := unknown.Known
	if unknown.What != "policy" {
		err = usagef("%s: policy %s: %w", flag, name, unknown)
	}
	if near, ok := nearest(unknown.Name, known); ok {
		return withHint(err, "try: %s", s.u.withFlag(flag, s.instead(flag, name, strings.Replace(name, unknown.Name, near, 1))))
	}
	if len(known) == 0 {
		return err
	}
	return withHint(err, "there are %s", strings.Join(known, ", "))
}

// instead is the value of the flag with one name in it replaced.
func (s *simulation) instead(flag, wrong, right string) string {
	if flag != "--policy" {
		return right
	}
	names := slices.Clone(s.policies)
	for i, n := range names {
		if strings.TrimSpace(n) == wrong {
			names[i] = right
		}
	}
	return strings.Join(names, ",")
}

// completesPolicies offers policies to the shell, after each comma anew and after a
// slash their parameters.
func completesPolicies(cmd *cobra.Command, flag string, more ...string) {
	fn := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(typed, ',') + 1
		var out []string
		for _, name := range append(policyWords(typed[at:]), more...) {
			out = append(out, typed[:at]+name)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, fn); err != nil {
		panic(err) // no such flag: a mistake in the verb
	}
}

// policyWords is how the name of a policy may go on.
func policyWords(typed string) []string {
	slash := strings.LastIndexByte(typed, '/')
	if slash < 0 {
		return allPolicies()
	}
	before := typed[:slash]
	choice, err := policy.Choose(before)
	if err != nil {
		return nil
	}
	var out []string
	for _, p := range choice.Spec.Params {
		if strings.Contains(before, "/"+p.Name+"=") {
			continue
		}
		if p.Values == nil {
			out = append(out, before+"/"+p.Name+"=")
		}
		for _, v := range p.Values {
			out = append(out, before+"/"+p.Name+"="+v)
		}
	}
	return out
}
