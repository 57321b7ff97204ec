package policy

import (
	"fmt"
	"regexp"
	"slices"
)

// registered holds the policies that other packages have added.
var registered []*Spec

// policyName is what a name may look like. Slashes, colons, stars and plus signs have a meaning in
// a choice.
var policyName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Register adds a policy of another package to the table. Then its name can be chosen wherever a
// policy can be named, in crawls and in simulations. Call it from an init function: a crawl that
// runs does not expect that the table changes. Register panics if the name is taken or is not made
// of small letters, digits and dashes, and if there is no function that makes the policy.
//
// A crawl that was made with a registered policy can only be resumed by a program that registers
// it, too.
func Register(s *Spec) {
	switch {
	case !policyName.MatchString(s.Name):
		panic(fmt.Sprintf("policy: register %q: a name has small letters, digits and dashes", s.Name))
	case s.Name == DefaultName || slices.Contains(Names(), s.Name):
		panic(fmt.Sprintf("policy: register %q: there is a policy with this name", s.Name))
	case s.New == nil && s.NewOmniscient == nil && s.NewOf == nil:
		panic(fmt.Sprintf("policy: register %q: it has no function New", s.Name))
	}
	registered = append(registered, s)
}
