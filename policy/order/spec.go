package order

import (
	"errors"
	"fmt"
	"strconv"
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

	// What the policy needs. It is not made in a world that lacks it.
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

// Count returns the number of boards of the policy. urls reports whether URLs are known.
func (s *Spec) Count(urls bool) int {
	if !urls && s.Blind > 0 {
		return s.Blind
	}
	return max(1, s.Boards)
}

// A Member is a part that was made, with boards of its own.
type Member struct {
	Name   string // with its parameters
	Policy Policy
	Boards int
	Weight float64
}

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

// Errors for what a policy needs and a world may lack.
var (
	ErrOracle = errors.New("it needs to know the true importance, which only a simulation has")
	ErrURLs   = errors.New("it needs the URLs of pages, which are not known here")
	ErrPrior  = errors.New("it needs the ranks of an earlier crawl")
	ErrTopic  = errors.New("it needs a topic: --query")
)
