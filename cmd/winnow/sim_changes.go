package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/revisit"
	"github.com/winnow-crawler/winnow/sim"
)

// simVisits are the flags of sim about pages that change and are visited again. Those that a
// crawl has too mean the same.
type simVisits struct {
	changes  string // a log, or poisson
	touched  int
	recrawl  time.Duration
	revisit  string
	balance  string
	duration time.Duration
}

// visitFlags returns the flags that JSON has only if they are given.
func visitFlags() []string {
	return []string{"changes", "max-touched", "recrawl", "revisit", "balance", "duration", "keep-pages"}
}

func (v *simVisits) addFlags(f *pflag.FlagSet) {
	f.StringVar(&v.changes, "changes", "", "when pages change: a log of lines unix time, id, pages touched (with tabs between), or poisson[:MEDIAN[:SPREAD]], with the changes a day of the median page (default: they do not; with --recrawl poisson)")
	console.Whole(f, &v.touched, "max-touched", 0, "leave rows out of --changes that touch more pages (default: none)")
	f.Var((*console.Span)(&v.recrawl), "recrawl", "visit pages again, each after this time on the average, such as 30d (default: never)")
	f.StringVar(&v.revisit, "revisit", freshness.DefaultName, "which pages are visited again: an allocation as of winnow crawl")
	f.StringVar(&v.balance, "balance", config.Default().Balance, "new pages against visits, as of winnow crawl: auto, or shares such as volume=60,quality=25,freshness=15, or '' for visits first")
	f.Var((*console.Span)(&v.duration), "duration", "virtual time after which crawls end, such as 90d (default: with --changes the length of the log, or 720d)")
}

// config returns the configuration of a crawl with a policy and the flags.
func (v *simVisits) config(policy string) *config.Config {
	c := config.Default()
	c.Policy, c.Recrawl.Duration, c.Revisit, c.Balance = policy, v.recrawl, v.revisit, v.balance
	return &c
}

// checkVisits checks the flags about pages that change.
func (o *simOptions) checkVisits(u *console.UI) error {
	v := &o.visits
	c := v.config("opic")
	if c.ChoosePolicy(); c.CheckBalance() != nil {
		return explainKey(u, c.CheckBalance())
	}
	if _, _, err := revisit.ParseDrawn(v.changes, 0); err != nil {
		return console.WithHint(console.Usagef("--changes %w", err), "try: %s", u.WithFlag("--changes", revisit.PoissonName))
	}
	switch made := v.changes == "" || strings.HasPrefix(v.changes, revisit.PoissonName); {
	case v.touched < 0:
		return console.Usagef("--max-touched %d: it must be 0 or more", v.touched)
	case o.flags.Changed("max-touched") && made:
		return console.WithHint(console.Usagef("--max-touched is about a log of --changes, which is not given"), "add --changes FILE")
	case o.flags.Changed("duration") && v.duration == 0:
		return console.WithHint(console.Usagef("--duration: it must be above 0"), "try: %s", u.WithoutFlag("--duration"))
	}
	return nil
}

// balancePolicies gives each policy turns with volume, if there is a balance.
func (s *simulation) balancePolicies() error {
	for i, name := range s.chosen {
		c := s.visits.config(name)
		c.ChoosePolicy()
		if err := c.CheckBalance(); err != nil {
			return explainKey(s.u, err)
		}
		s.chosen[i] = c.Policy
	}
	return nil
}

// setChanges sets how pages change and which are visited again.
func (s *simulation) setChanges() error {
	v := &s.visits
	s.setting.Duration = v.duration
	if v.changes == "" && v.recrawl == 0 {
		return nil
	}
	if s.replays() {
		return console.WithHint(console.Usagef("a replay has the visits of its crawl, and no --changes or --recrawl"), "use another model of time: %s", s.u.WithFlag("--time", sim.PresetNames()[0]))
	}
	c := v.config("opic")
	c.ChoosePolicy()
	b, err := c.Shares()
	if err != nil {
		return err
	}
	ch := &lab.Changes{Name: v.changes, Visits: sim.Revisits{Every: v.recrawl, Division: b.Division()}}
	if ch.Visits.Allocation, err = freshness.Choose(c.Revisit); err != nil {
		return err
	}
	s.setting.Changes = ch
	return s.readLog(ch)
}

// readLog reads the log of --changes, or makes one.
func (s *simulation) readLog(ch *lab.Changes) (err error) {
	v := &s.visits
	drawn, made, _ := revisit.ParseDrawn(v.changes, s.setting.Random) // checked before
	if made || v.changes == "" {
		length := v.duration
		if length == 0 {
			length = revisit.MadeLength
		}
		var place []int
		if s.g.HasURLs() {
			place, _ = revisit.Directories(s.g.Pages(), s.g.AppendURL)
		}
		ch.Name, ch.Log = fmt.Sprintf("at random, the median page %.3g times a day", drawn.Median), drawn.Log(s.g.Pages(), place, length)
		return nil
	}
	if ch.Log, err = readChanges(v.changes, s.g, v.touched); err != nil {
		return fmt.Errorf("--changes: %w", err)
	}
	if v.duration > ch.Log.Length {
		return console.WithHint(console.Usagef("--duration %s: the log of %s has %.0f days", v.duration, v.changes, ch.Log.Length.Hours()/24), "try: %s", s.u.WithoutFlag("--duration"))
	}
	return nil
}

// readChanges reads when the pages of a graph changed. Rows that touched more than most pages
// are left out; 0 means none are.
func readChanges(path string, g *graph.Graph, most int) (*revisit.Log, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if most == 0 {
		most = math.MaxInt
	}
	return revisit.ReadLog(f, g.IDs(), g.Pages(), most)
}
