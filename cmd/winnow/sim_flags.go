package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/lab/oracle"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/sim"
)

const (
	timedDelay = 15 * time.Second // of a site by default, with a model of time (the thesis' w)
	keepAlive  = 15 * time.Second // after which servers close idle connections
)

// Bounds of flags of sim and lab. More than a thousand start sets hardly make the
// intervals narrower.
const (
	maxStarts  = 1_000
	maxThreads = 1_024
)

// check checks the flags before the graph is opened.
func (o *simOptions) check(u *console.UI) error {
	err := console.CheckNumbers(u, o.flags,
		console.Within("fetchers", o.setting.Fetchers, 1, config.MaxFetchers), console.Within("partitions", o.setting.Partitions, 1, frontier.MaxPartitions), console.Within("per-connection", o.setting.Frontier.PerConnection, 1, config.MaxFetchers),
		console.Within("batch", o.setting.Batch, 1, policy.MaxBatch), console.Within("min-active", o.setting.Frontier.MinActive, 0, config.MaxFetchers), console.Within("max-pages", o.setting.MaxPages, 1, math.MaxInt),
		console.Within("remember", o.setting.Remember, 1, math.MaxInt),
		console.Within("keep-pages", o.setting.KeepPages, 0, math.MaxInt32),
		console.Within("processors", o.setting.Processors.Count, 0, 1024), console.Within("retries", o.setting.Patience.Retries, 0, 100), console.Within("starts", o.starts, 0, maxStarts), console.Within("threads", o.importance.Threads, 0, maxThreads))
	if err == nil {
		err = console.NotEmpty(u, o.flags, "site-policy", "seeds", "oracle", "history", "order", "out", "score", "score-file", "import-values", "location-rules", "changes", "revisit", "balance")
	}
	if err == nil {
		err = o.readScores(u)
	}
	if err != nil {
		return err
	}
	if err := o.checkWords(u); err != nil {
		return err
	}
	if err := o.checkVisits(u); err != nil {
		return err
	}
	if v := o.importance.Follow; v <= 0 || v >= 1 {
		return console.WithHint(console.Usagef("--follow %g: it must be between 0 and 1", v), "try: %s", u.WithFlag("--follow", "0.9"))
	}
	if v := o.setting.Frontier.SiteShare; o.flags.Changed("site-share") && (v <= 0 || v > 1) {
		return console.WithHint(console.Usagef("--site-share %g: it must be above 0 and at most 1", v), "try: %s", u.WithFlag("--site-share", "1/10"))
	}
	if err := o.checkNone(u); err != nil {
		return err
	}
	return o.checkMeaning(u)
}

// checkWords checks the flags that take one word of several.
func (o *simOptions) checkWords(u *console.UI) error {
	if words := []string{truthFull, truthReachable}; !contains(words, o.truth) {
		return u.WrongWord("truth", o.truth, words)
	}
	times := append([]string{timeNone}, sim.PresetNames()...)
	if contains(times, o.time) || isDir(o.time) {
		return nil
	}
	err := console.WithHint(console.Usagef("--time %q: want %s", o.time, console.OrList(times)), "or the directory of a crawl, for the times that it recorded")
	return u.HintFlag(err, "--time", o.time, times)
}

// checkNone refuses flags that need a true importance.
func (o *simOptions) checkNone(u *console.UI) error {
	if o.oracle != oracleNone {
		return nil
	}
	for _, name := range []string{"hot", "follow", "truth", "starts"} {
		if o.flags.Changed(name) {
			return console.WithHint(console.Usagef("--%s means nothing to --oracle none", name), "try: %s", u.WithoutFlag("--oracle"))
		}
	}
	return nil
}

// checkMeaning refuses flags that have no effect together with others: the user
// probably means another experiment.
func (o *simOptions) checkMeaning(u *console.UI) error {
	if o.flags.Changed("follow") && !o.solves() {
		return console.Usagef("--follow means nothing to --oracle %s", o.oracle)
	}
	if o.truth == truthReachable && o.combined == nil && !contains(oracle.Metrics(), o.oracle) {
		return console.Usagef("--truth reachable means nothing to --oracle %s", o.oracle)
	}
	if o.setting.Bandwidth > 0 && o.time == timeNone {
		return console.WithHint(console.Usagef("--bandwidth means nothing to --time none"), "try: %s", u.WithFlag("--time", sim.PresetNames()[0]))
	}
	for _, name := range []string{"keep-alive", "processors", "min-use", "delay-factor", "delay-max", "timeout-connect", "timeout-first-byte", "retries"} {
		if o.flags.Changed(name) && o.time == timeNone {
			return console.WithHint(console.Usagef("--%s means nothing to --time none", name), "try: %s", u.WithFlag("--time", sim.PresetNames()[0]))
		}
	}
	for _, name := range []string{"timeout-connect", "timeout-first-byte", "retries"} {
		if o.flags.Changed(name) && isDir(o.time) {
			return console.WithHint(console.Usagef("--%s means nothing to --time %s, whose answers took as long as they did", name, o.time), "try: %s", u.WithFlag("--time", sim.PresetNames()[0]))
		}
	}
	if v := o.setting.Frontier.Factor; !(v >= 0 && v <= 1e6) {
		return console.WithHint(console.Usagef("--delay-factor %g: it must be from 0 to 1,000,000", v), "try: %s", u.WithFlag("--delay-factor", "10"))
	}
	if o.setting.MinUse > 0 && o.setting.Bandwidth == 0 {
		return console.WithHint(console.Usagef("--min-use is about --bandwidth, which is not given"), "try: %s", u.WithFlag("--bandwidth", "2M"))
	}
	if p := o.setting.Processors; !(p.Rate > 0) || (o.flags.Changed("cpu-page") || o.flags.Changed("cpu-rate")) && p.Count == 0 {
		return console.WithHint(console.Usagef("--cpu-page and --cpu-rate, above 0, are about --processors"), "try: %s", u.WithFlag("--processors", "1"))
	}
	for _, name := range []string{"min-active", "min-use", "site-share"} {
		if o.flags.Changed(name) && o.setting.Frontier.Mode == frontier.Continuous {
			return console.WithHint(console.Usagef("--%s means nothing to --batch-mode continuous", name), "try: %s", u.WithFlag("--batch-mode", frontier.Thesis.String()))
		}
	}
	return nil
}

// choosePolicies sets the policies that run. One that was named and cannot run is an error;
// of the defaults and of "all" it is left out with a note.
func (s *simulation) choosePolicies() error {
	if s.setting.SitePolicy = policy.Actual(s.setting.SitePolicy); s.setting.SitePolicy != "" {
		if err := s.applies(s.setting.SitePolicy); err != nil {
			return s.explain("--site-policy", s.setting.SitePolicy, err)
		}
	}
	if !s.flags.Changed("policy") && s.setting.Score != nil {
		s.policies = []string{"score"}
	} else if !s.flags.Changed("policy") {
		s.chosen = s.thatApply(defaultPolicies())
		return s.balancePolicies()
	}
	for i, name := range s.policies {
		name = policy.Actual(strings.TrimSpace(name))
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
		return console.Usagef("--policy: no policy is named")
	}
	if s.setting.Score != nil && s.visits.recrawl == 0 && !slices.ContainsFunc(append(s.chosen, s.setting.SitePolicy), ordersByScore) {
		return console.WithHint(console.Usagef("--score means nothing to --policy %s", strings.Join(s.policies, ",")), "try: %s", s.u.WithFlag("--policy", strings.Join(append(s.policies, "score"), ",")))
	}
	return s.balancePolicies()
}

// solves reports whether the oracle needs PageRank.
func (o *simOptions) solves() bool {
	m, _ := rank.Named(o.oracle)
	return m.Solves || o.combined != nil && (o.combined.Uses(score.PageRank) || o.combined.Uses(score.PageRankRemote) || o.combined.Uses(score.SitePageRank))
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
	err := console.Usagef("--policy: %s is named twice", name)
	if name != before {
		err = console.Usagef("--policy: %s and %s are the same policy", before, name)
	}
	return console.WithHint(err, "try: %s", s.u.WithFlag("--policy", strings.Join(slices.Delete(slices.Clone(s.policies), i, i+1), ",")))
}

// thatApply returns the policies that can run, with a note about each other one.
func (s *simulation) thatApply(names []string) []string {
	var out []string
	for _, n := range names {
		if err := s.applies(n); err != nil {
			s.u.Notef("left out: %v", err)
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
		return console.WithHint(fmt.Errorf("policy %s: it needs to know the true importance, which --oracle none leaves out", name),
			"try: %s", s.u.WithoutFlag("--oracle"))
	}
	return err
}

// explain adds to the error of a policy what can be done about it.
func (s *simulation) explain(flag, name string, err error) error {
	var unknown *policy.UnknownError
	var hinted *hint.Error
	said := console.Usagef("%s: %w", flag, err)
	isUnknown := errors.As(err, &unknown)
	if isUnknown && unknown.What != "policy" {
		said = console.Usagef("%s: policy %s: %w", flag, name, unknown)
	}
	switch right := nearPolicy(name, err); {
	case right != "":
		return console.WithHint(said, "try: %s", s.u.WithFlag(flag, s.instead(flag, name, right)))
	case isUnknown && len(unknown.Known) > 0:
		return console.WithHint(said, "there are %s", strings.Join(unknown.Known, ", "))
	case errors.Is(err, policy.ErrURLs):
		return console.WithHint(fmt.Errorf("%s: %w", flag, err), "import the graph with --urls, or leave it out")
	case errors.Is(err, policy.ErrPrior):
		return console.WithHint(fmt.Errorf("%s: %w", flag, err), "give them with --history FILE; of an older graph: winnow rank OLD.wg -o FILE (with --urls where both know URLs)")
	case errors.Is(err, policy.ErrTopic):
		return console.WithHint(fmt.Errorf("%s: %w", flag, err), "this world has none: leave the policy out")
	case errors.As(err, &hinted):
		return fmt.Errorf("%s: %w", flag, err)
	case !isUnknown && strings.HasPrefix(name, "pagerank") && s.g.Pages() > pagesFor("pagerank"):
		return console.WithHint(fmt.Errorf("%s: %w", flag, err), "try: %s", s.u.WithFlag(flag, s.instead(flag, name, "batch-pagerank/k=1000")))
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
