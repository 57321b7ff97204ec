package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/policy"
)

// choosePolicies sets the policies that run. One that was named and cannot run is an error;
// of the defaults and of "all" it is left out with a note.
func (s *simulation) choosePolicies() error {
	if s.setting.SitePolicy != "" {
		if err := s.applies(s.setting.SitePolicy); err != nil {
			return s.explain("--site-policy", s.setting.SitePolicy, err)
		}
	}
	if !s.flags.Changed("policy") {
		s.chosen = s.thatApply(defaultPolicies())
		return nil
	}
	for i, name := range s.policies {
		name = strings.TrimSpace(name)
		if name == policyAll {
			s.chooseAll()
			continue
		}
		if err := s.applies(name); err != nil {
			return s.explain("--policy", name, err)
		}
		switch same := s.sameAs(name); {
		case same == "":
			s.chosen = append(s.chosen, name)
		case !slices.Contains(s.policies, policyAll):
			return s.twice(i, same)
		}
	}
	if len(s.chosen) == 0 {
		return usagef("--policy: no policy is named")
	}
	return nil
}

// chooseAll adds every policy that applies and is not chosen already, under any name.
func (s *simulation) chooseAll() {
	for _, name := range s.thatApply(policy.Names()) {
		if s.sameAs(name) == "" {
			s.chosen = append(s.chosen, name)
		}
	}
}

// sameAs returns the chosen policy that means the same as name, "" if there is none.
func (s *simulation) sameAs(name string) string {
	for _, other := range s.chosen {
		if other == name || s.canonical(other) == s.canonical(name) {
			return other
		}
	}
	return ""
}

func (s *simulation) canonical(name string) string {
	c, err := policy.Choose(name)
	if err != nil {
		return name
	}
	return c.Canonical(s.setting.Batch)
}

// twice refuses policy i, which was named before.
func (s *simulation) twice(i int, before string) error {
	name := strings.TrimSpace(s.policies[i])
	err := usagef("--policy: %s is named twice", name)
	if name != before {
		err = usagef("--policy: %s and %s are the same policy", before, name)
	}
	return withHint(err, "try: %s", s.u.withFlag("--policy", strings.Join(slices.Delete(slices.Clone(s.policies), i, i+1), ",")))
}

// thatApply returns the policies that can run, with a note about each other one.
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

// applies returns an error if a policy cannot run in the world.
func (s *simulation) applies(name string) error {
	err := s.setting.Applies(name, s.g, s.oracle != oracleNone)
	if errors.Is(err, policy.ErrOracle) {
		return withHint(fmt.Errorf("policy %s: it needs to know the true importance, which --oracle none leaves out", name),
			"try: %s", s.u.withoutFlag("--oracle"))
	}
	return err
}

// explain adds to the error of a policy what can be done about it.
func (s *simulation) explain(flag, name string, err error) error {
	var unknown *policy.UnknownError
	var hinted *hint.Error
	said := usagef("%s: %w", flag, err)
	isUnknown := errors.As(err, &unknown)
	if isUnknown && unknown.What != "policy" {
		said = usagef("%s: policy %s: %w", flag, name, unknown)
	}
	switch right := nearPolicy(name, err); {
	case right != "":
		return withHint(said, "try: %s", s.u.withFlag(flag, s.instead(flag, name, right)))
	case isUnknown && len(unknown.Known) > 0:
		return withHint(said, "there are %s", strings.Join(unknown.Known, ", "))
	case errors.Is(err, policy.ErrURLs):
		return withHint(fmt.Errorf("%s: %w", flag, err), "import the graph with --urls, or leave it out")
	case errors.Is(err, policy.ErrPrior):
		return withHint(fmt.Errorf("%s: %w", flag, err), "give them with --history FILE; of an older graph: winnow rank OLD.wg -o FILE (with --urls where both know URLs)")
	case errors.As(err, &hinted):
		return fmt.Errorf("%s: %w", flag, err)
	case !isUnknown && strings.HasPrefix(name, "pagerank") && s.g.Pages() > pagesFor("pagerank"):
		return withHint(fmt.Errorf("%s: %w", flag, err), "try: %s", s.u.withFlag(flag, s.instead(flag, name, "batch-pagerank/k=1000")))
	}
	return said
}

// pagesFor returns the number of pages of the largest world that a policy is meant for.
func pagesFor(name string) int {
	c, err := policy.Choose(name)
	if err != nil {
		return 0
	}
	return c.Spec.MaxPages
}

// instead returns the value of the flag with one name in it replaced.
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

// completesPolicies completes the names of policies in the shell, after each comma, and
// their parameters after a slash.
func completesPolicies(cmd *cobra.Command, flag string, more ...string) {
	fn := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(typed, ',') + 1
		var out []string
		for _, name := range append(policy.Complete(typed[at:]), more...) {
			out = append(out, typed[:at]+name)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, fn); err != nil {
		panic(err) // no such flag: a mistake in the verb
	}
}
