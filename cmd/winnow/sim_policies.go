package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/policy"
)

// choosePolicies finds out which policies run. One that was named and cannot run here
// is an error; of the defaults and of "all" it is left out with a note.
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

// chooseAll adds every policy that applies and is not chosen already, under whatever
// name.
func (s *simulation) chooseAll() {
	for _, name := range s.thatApply(allPolicies()) {
		if s.sameAs(name) == "" {
			s.chosen = append(s.chosen, name)
		}
	}
}

// sameAs is the policy among the chosen ones that is the same as another, "" if there
// is none.
func (s *simulation) sameAs(name string) string {
	for _, other := range s.chosen {
		if other == name || s.meaning(other) == s.meaning(name) {
			return other
		}
	}
	return ""
}

// meaning is a policy with all its parameters, those included that were not given:
// opic and opic/cash=seeds mean the same, and so do remote=0.8 and remote=.80.
func (s *simulation) meaning(name string) string {
	c, err := policy.Choose(name)
	if err != nil {
		return name
	}
	text := c.Spec.Name
	for _, p := range c.Spec.Params {
		value := c.Params[p.Name]
		if value == "" && p.Name == "k" {
			value = strconv.Itoa(s.setting.Batch)
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			value = strconv.FormatFloat(v, 'g', -1, 64)
		}
		text += "/" + p.Name + "=" + value
	}
	return text
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
	env := policy.Env{Batch: s.setting.Batch, MaxPages: s.g.Pages()}
	if s.g.HasURLs() {
		env.URL = s.g.AppendURL
	}
	if s.setting.History != nil {
		env.Prior = &s.setting.History.Prior
	}
	var oracle policy.Oracle
	if s.oracle != oracleNone {
		oracle = blind{}
	}
	err = choice.Check(&env, oracle != nil)
	switch {
	case errors.Is(err, policy.ErrOracle):
		return withHint(fmt.Errorf("policy %s: it needs to know the true importance, which --oracle none leaves out", name),
			"try: %s", s.u.withoutFlag("--oracle"))
	case err != nil:
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
	var value *policy.ValueError
	var hinted *hint.Error
	switch {
	case errors.As(err, &unknown):
		return s.unknownPolicy(flag, name, unknown)
	case errors.Is(err, policy.ErrURLs):
		return withHint(fmt.Errorf("%s: %w", flag, err), "import the graph with --urls, or leave it out")
	case errors.Is(err, policy.ErrPrior):
		return withHint(fmt.Errorf("%s: %w", flag, err), "give them with --history FILE; of an older graph: winnow rank OLD.wg -o FILE (with --urls where both know URLs)")
	case errors.As(err, &hinted):
		return fmt.Errorf("%s: %w", flag, err)
	case errors.As(err, &value):
		near, ok := nearest(value.Value, value.Known)
		if !ok {
			near = value.Instead
		}
		right := strings.Replace(name, value.Name+"="+value.Value, value.Name+"="+near, 1)
		return withHint(usagef("%s: %w", flag, err), "try: %s", s.u.withFlag(flag, s.instead(flag, name, right)))
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
