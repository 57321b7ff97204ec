package policy

import (
	"fmt"
	"github.com/winnow-crawler/winnow/policy/order"
	"strconv"
	"strings"
)

// A Part is one of the policies that another one is made of, as opic*2 in mix:opic*2+xim.
type Part struct {
	*Choice
	Weight float64 // 1 unless it is given
}

// The most parts of a policy, and the largest weight of one.
const (
	maxParts  = 16
	maxWeight = 1000
)

// chooseParts returns the policies that a list names.
func chooseParts(list string) (parts []Part, err error) {
	for _, text := range strings.Split(list, "+") {
		part := Part{Weight: 1}
		name, weight, given := strings.Cut(text, "*")
		if given {
			part.Weight, err = strconv.ParseFloat(weight, 64)
			if err != nil || !(part.Weight > 0 && part.Weight <= maxWeight) {
				return nil, &PartError{Part: text, Rule: fmt.Sprintf("the weight after * must be a number above 0 and at most %d", maxWeight), Instead: name}
			}
		}
		if part.Choice, err = Choose(name); err != nil {
			return nil, err
		}
		if len(part.Parts) > 0 {
			return nil, &PartError{Part: text, Rule: "it is made of other policies itself", Instead: "xim"}
		}
		parts = append(parts, part)
	}
	if len(parts) > maxParts {
		return nil, fmt.Errorf("%d policies are too many: it can be made of %d at most", len(parts), maxParts)
	}
	return parts, nil
}

// A PartError reports a part that a policy cannot have.
type PartError struct {
	Part    string
	Rule    string // what is wrong with it
	Instead string // a part that is allowed
}

func (e *PartError) Error() string { return fmt.Sprintf("part %s: %s", e.Part, e.Rule) }

// madeOf returns the entry of a policy that is made of these parts. It needs what any of them
// needs.
func madeOf(s *Spec, parts []Part) *Spec {
	made := *s
	made.Boards, made.Blind, made.Orders = 0, 0, nil
	var names []string
	oracle := false
	for _, p := range parts {
		names = append(names, p.layout())
		made.Boards += p.Spec.Count(true)
		made.Blind += p.Spec.Count(false)
		made.URLs = made.URLs || p.Spec.URLs
		made.Links = made.Links || p.Spec.Links
		made.Prior = made.Prior || p.Spec.Prior
		made.Topic = made.Topic || p.Spec.Topic
		if most := p.Spec.MaxPages; most > 0 && (made.MaxPages == 0 || most < made.MaxPages) {
			made.MaxPages = most
		}
		oracle = oracle || p.NeedsOracle()
	}
	made.Name += ":" + strings.Join(names, "+")
	if oracle {
		made.NewOmniscient = func(e *Env, params Params, o Oracle) (Policy, error) { return join(s, e, params, parts, o) }
		return &made
	}
	made.New = func(e *Env, params Params) (Policy, error) { return join(s, e, params, parts, nil) }
	return &made
}

// join makes the parts, each with boards and random numbers of its own, and the policy of
// them.
func join(s *Spec, e *Env, params Params, parts []Part, o Oracle) (Policy, error) {
	var members []Member
	boards := e.Boards
	for i, p := range parts {
		own, n := *e, p.Spec.Count(e.URL != nil)
		own.Boards, boards = boards[:n], boards[n:]
		own.Random = order.Hash(e.Random, uint64(i))
		made, err := p.New(&own, o)
		if err != nil {
			return nil, err
		}
		members = append(members, Member{Name: p.Name, Policy: made, Boards: n, Weight: p.Weight})
	}
	return s.NewOf(e, params, members)
}

// layout returns the part with the parameters that were given or have defaults.
func (p Part) layout() string {
	text := p.Spec.Name
	for _, param := range p.Spec.Params {
		if v, ok := p.Params[param.Name]; ok {
			text += "/" + param.Name + "=" + v
		}
	}
	return text + p.times()
}

// times returns the weight as it is written, or "" if it is 1.
func (p Part) times() string {
	if p.Weight == 1 {
		return ""
	}
	return "*" + strconv.FormatFloat(p.Weight, 'g', -1, 64)
}
