package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Spec is one entry of the table of policies.
type Spec struct {
	Name string
	What string // one line for lists and help
	// Source says who published it, "" for what nobody has, such as winnow's own policies.
	Source string
	// Params are the parameters with what they mean, in the order of the help.
	Params []Param
	Boards int // orders it keeps; 0 means 1
	Blind  int // orders it keeps where URLs are not known; 0 means as many
	// Orders names the orders of a policy that keeps several.
	Orders []string

	// What the policy needs. Check returns an error if the world lacks it.
	URLs     bool // URLs of pages
	Links    bool // out-links of fetched pages kept
	Prior    bool // values of an earlier crawl
	Topic    bool // a topic of the crawl
	MaxPages int  // largest world it is meant for; 0 means any

	// New makes the policy. NewOmniscient makes one that needs the oracle. If both are
	// set, Oracle reports whether the parameters need the oracle.
	New           func(*Env, Params) (Policy, error)
	NewOmniscient func(*Env, Params, Oracle) (Policy, error)
	Oracle        func(Params) bool

	// Of lists the policies that it is made of, unless others are named after a colon as in
	// mix:opic+xim. NewOf makes it of them. Both are for such policies only.
	Of    string
	NewOf func(*Env, Params, []Member) (Policy, error)
}

// A Param is a parameter of a policy, given as /name=value.
type Param struct {
	Name    string
	Values  []string // the allowed ones; nil if it is a number
	Default string
	What    string
}

// Params holds the parameters of one choice.
type Params map[string]string

// Specs returns all policies, in the order in which lists show them: first those of this package,
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
		bestFirstSpec(),
		sharkSearchSpec(),
		topicalSpec(),
		scoreSpec(),
		siteAtATimeSpec(),
		webbaseSpec(),
		mixSpec(),
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
	c.Spec = c.Spec.madeOf(c.Parts)
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

// A ValueError reports a value that a parameter cannot have.
type ValueError struct {
	Name, Value string
	Rule        string   // what the value can or must be
	Known       []string // the allowed values; nil if it is a number
	Instead     string   // a value that is allowed
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s=%s: it %s", e.Name, e.Value, e.Rule)
}

// NeedsOracle reports whether the policy can only be made with an oracle.
func (c *Choice) NeedsOracle() bool {
	return c.Spec.NewOmniscient != nil && (c.Spec.Oracle == nil || c.Spec.Oracle(c.Params))
}

// Errors of Check, for what a world may lack.
var (
	ErrOracle = errors.New("it needs to know the true importance, which only a simulation has")
	ErrURLs   = errors.New("it needs the URLs of pages, which are not known here")
	ErrPrior  = errors.New("it needs the ranks of an earlier crawl")
	ErrTopic  = errors.New("it needs a topic: --query")
)

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

// Count returns the number of boards of the policy. urls reports whether URLs are known.
func (s *Spec) Count(urls bool) int {
	if !urls && s.Blind > 0 {
		return s.Blind
	}
	return max(1, s.Boards)
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

// Int returns a parameter that is a whole number from least to most, or otherwise if it is
// not given.
func (p Params) Int(name string, otherwise, least, most int) (int, error) {
	text, ok := p[name]
	if !ok {
		return otherwise, nil
	}
	v, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange) && text[0] != '-' || err == nil && v > most:
		return 0, &ValueError{Name: name, Value: text, Rule: fmt.Sprintf("can be %d at most", most), Instead: strconv.Itoa(most)}
	case err != nil || v < least:
		return 0, &ValueError{Name: name, Value: text, Rule: fmt.Sprintf("must be a whole number of at least %d", least), Instead: strconv.Itoa(max(otherwise, least))}
	}
	return v, nil
}

// Share returns a parameter that is a number from 0 to 1, or otherwise if it is not given.
func (p Params) Share(name string, otherwise float64) (float64, error) {
	text, ok := p[name]
	if !ok {
		return otherwise, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, &ValueError{Name: name, Value: text, Rule: "must be a number from 0 to 1", Instead: "0.5"}
	}
	return v, nil
}

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
