package policytest

import (
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/policy"
)

// TestPolicies runs every policy, with its defaults and with the parameters that have
// a reference.
func TestPolicies(t *testing.T) {
	names := []string{}
	for _, s := range policy.Specs() {
		names = append(names, s.Name)
	}
	for name := range references() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	names = append(names, "hedge:topical+opic", "mix:topical*2+shark-search+xim", "topical/explore=0.5")
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) { Run(t, name) })
	}
}
