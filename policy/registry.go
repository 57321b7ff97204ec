package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/policy/focused"
	"github.com/winnow-crawler/winnow/policy/mix"
)

// Specs returns all policies, in the order in which lists show them: first those of winnow,
// then those that were registered.
func Specs() []*Spec {
	return append([]*Spec{
		randomSpec(),
		breadthFirstSpec(),
		backlinkCountSpec(),
		pagerankSpec(),
		batchPagerankSpec(),
		partialPagerankSpec(),
		opicSpec(),
		ximSpec(),
		foresightSpec(),
		largerSitesFirstSpec(),
		historicalPagerankSpec(),
		locationSpec(),
		twoQueueSpec(),
		focused.BestFirstSpec(),
		focused.SharkSearchSpec(),
		focused.TopicalSpec(),
		scoreSpec(),
		siteAtATimeSpec(),
		webbaseSpec(),
		mix.Spec(),
		hedgeSpec(),
		omniscientSpec(),
		hornSpec(),
	}, registered...)
}

// Default is the policy of a crawl that names none. DefaultName means it wherever a policy
// can be named, so that a script compares with it whatever it is. Frugal is the policy of a
// crawl that names none and has a ceiling of memory below DefaultMemory bytes. TopicDefault is
// the policy of a crawl that has a topic and names none.
const (
	Default       = "foresight"
	TopicDefault  = "topical"
	DefaultName   = "default"
	Frugal        = "opic"
	DefaultMemory = 512 << 20
)

// Actual returns the text of a choice with the policy that is meant in place of DefaultName,
// also in parts, as in mix:default*2+xim. What is stored or shown is the actual name: the
// default of a later version may be another policy.
func Actual(text string) string {
	head, parts, listed := strings.Cut(text, ":")
	names := []string{head}
	if listed {
		names = append(names, strings.Split(parts, "+")...)
	}
	for i, name := range names {
		if rest, ok := strings.CutPrefix(name, DefaultName); ok && (rest == "" || rest[0] == '/' || rest[0] == '*') {
			names[i] = Default + rest
		}
	}
	if !listed {
		return names[0]
	}
	return names[0] + ":" + strings.Join(names[1:], "+")
}

// A Choice is a policy with its parameters, such as "opic/cash=all/remote=0.8", or one that is
// made of others, such as "mix:opic*2+xim".
type Choice struct {
	Name   string // as it was given, or the default if that was asked for
	Spec   *Spec
	Params Params
	Parts  []Part // the policies that it is made of
}

// Choose returns the policy that a text names.
func Choose(text string) (*Choice, error) {
	text, list, listed := strings.Cut(Actual(text), ":")
	c, err := chooseOne(text)
	switch {
	case err != nil:
		return nil, err
	case listed && c.Spec.Of == "":
		whole := text + ":" + list
		return nil, &PartError{Part: whole, Rule: "only mix and hedge are made of other policies", Instead: "mix:" + text + "+" + list}
	case listed:
		c.Name += ":" + list
	case c.Spec.Of != "":
		list = c.Spec.Of
	default:
		return c, nil
	}
	if c.Parts, err = chooseParts(list); err != nil {
		return nil, fmt.Errorf("policy %q: %w", c.Name, err)
	}
	c.Spec = madeOf(c.Spec, c.Parts)
	return c, nil
}

// chooseOne returns the policy that a text without parts names.
func chooseOne(text string) (*Choice, error) {
	parts := strings.Split(text, "/")
	specs := Specs()
	i := slices.IndexFunc(specs, func(s *Spec) bool { return s.Name == parts[0] })
	if i < 0 {
		return nil, &UnknownError{What: "policy", Name: parts[0], Known: append(names(specs), DefaultName)}
	}
	c := &Choice{Name: text, Spec: specs[i], Params: Params{}}
	for _, part := range parts[1:] {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("policy %q: %q is not a parameter of the form name=value", text, part)
		}
		if err := c.set(name, value); err != nil {
			return nil, fmt.Errorf("policy %q: %w", text, err)
		}
	}
	for _, p := range c.Spec.Params {
		if _, given := c.Params[p.Name]; !given && p.Default != "" {
			c.Params[p.Name] = p.Default
		}
	}
	return c, nil
}

func names(specs []*Spec) []string {
	out := make([]string, len(specs))
	for i, s := range specs {
		out[i] = s.Name
	}
	return out
}

func (c *Choice) set(name, value string) error {
	i := slices.IndexFunc(c.Spec.Params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		var known []string
		for _, p := range c.Spec.Params {
			known = append(known, p.Name)
		}
		return &UnknownError{What: "parameter", Name: name, Known: known}
	}
	if _, twice := c.Params[name]; twice {
		return fmt.Errorf("parameter %s is given twice", name)
	}
	if v := c.Spec.Params[i].Values; v != nil && !slices.Contains(v, value) {
		return &ValueError{Name: name, Value: value, Rule: "can be " + strings.Join(v, ", "), Known: v, Instead: v[0]}
	}
	c.Params[name] = value
	return nil
}

// An UnknownError reports a name that is not in a table.
type UnknownError struct {
	What, Name string
	Known      []string
}

func (e *UnknownError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("unknown %s %q: there are none", e.What, e.Name)
	}
	return fmt.Sprintf("unknown %s %q", e.What, e.Name)
}

// NeedsOracle reports whether the policy can only be made with an oracle.
func (c *Choice) NeedsOracle() bool {
	return c.Spec.NewOmniscient != nil && (c.Spec.Oracle == nil || c.Spec.Oracle(c.Params))
}

// Check returns an error if the policy cannot work in an environment. oracle reports
// whether there is an oracle.
func (c *Choice) Check(env *Env, oracle bool) error {
	switch {
	case c.NeedsOracle() && !oracle:
		return fmt.Errorf("policy %s: %w", c.Name, ErrOracle)
	case c.Spec.URLs && env.URL == nil:
		return fmt.Errorf("policy %s: %w", c.Name, ErrURLs)
	case c.Spec.Prior && env.Prior == nil:
		return fmt.Errorf("policy %s: %w", c.Name, ErrPrior)
	case c.Spec.Topic && env.Topic == nil:
		return fmt.Errorf("policy %s: %w", c.Name, ErrTopic)
	case c.Spec.MaxPages > 0 && env.MaxPages > c.Spec.MaxPages:
		return fmt.Errorf("policy %s: it is meant for at most %d pages, and there are %d", c.Name, c.Spec.MaxPages, env.MaxPages)
	}
	return nil
}

// New makes the policy in an environment. The oracle is nil outside the laboratory, and
// only policies that declare it get it.
func (c *Choice) New(env *Env, oracle Oracle) (p Policy, err error) {
	if err = c.Check(env, oracle != nil); err != nil {
		return nil, err
	}
	if c.NeedsOracle() {
		p, err = c.Spec.NewOmniscient(env, c.Params, oracle)
	} else {
		p, err = c.Spec.New(env, c.Params)
	}
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", c.Name, err)
	}
	return p, nil
}

// Published reports whether the policy is one of the literature that a crawl can follow
// without an oracle, an earlier crawl and a topic.
func (c *Choice) Published() bool {
	return c.Spec.Source != "" && !c.NeedsOracle() && !c.Spec.Prior && !c.Spec.Topic
}

// maxQueues is the most queues and open sites. A larger value is a mistake, and could take
// too much memory.
const maxQueues = 1_000_000

// The number of pages between two solves: its default, and its most.
const (
	DefaultBatch = 10_000
	MaxBatch     = 1_000_000_000
)

// Names returns the names of all policies, in the order of Specs.
func Names() []string { return names(Specs()) }

// Canonical returns the policy with all its parameters, so that two texts that mean the
// same policy give the same name: opic and opic/cash=seeds, or remote=0.8 and remote=.80.
// batch is the value of a parameter k that was not given.
func (c *Choice) Canonical(batch int) string {
	text, _, _ := strings.Cut(c.Spec.Name, ":")
	for _, p := range c.Spec.Params {
		value := c.Params[p.Name]
		if value == "" && p.Name == "k" {
			value = strconv.Itoa(batch)
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			value = strconv.FormatFloat(v, 'g', -1, 64)
		}
		text += "/" + p.Name + "=" + value
	}
	for i, p := range c.Parts {
		text += []string{":", "+"}[min(i, 1)] + p.Canonical(batch) + p.times()
	}
	return text
}

// OldKnown reports whether the pages of an earlier crawl are to be known from the start.
func (c *Choice) OldKnown() bool {
	return c.Spec.Prior && c.Params["known"] == "true" || slices.ContainsFunc(c.Parts, func(p Part) bool { return p.OldKnown() })
}

// Complete returns how a policy that is being typed may continue: all names, and after a
// slash the parameters that are not there yet. After a colon it is the same for each part.
func Complete(typed string) (out []string) {
	if i := strings.LastIndexAny(typed, ":+"); i >= 0 {
		for _, part := range Complete(typed[i+1:]) {
			if c, err := Choose(part); err != nil || len(c.Parts) == 0 {
				out = append(out, typed[:i+1]+part)
			}
		}
		return out
	}
	slash := strings.LastIndexByte(typed, '/')
	if slash < 0 {
		return append(Names(), DefaultName)
	}
	before := typed[:slash]
	choice, err := Choose(before)
	if err != nil {
		return nil
	}
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
