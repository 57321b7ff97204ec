// Package rapidtest makes property tests repeatable. They draw the same cases in every
// run, so that a change breaks them or does not; -rapid.seed on the command line draws
// others.
package rapidtest

import (
	"flag"
	"testing"
)

// Main runs the tests of a package with a fixed seed, unless the command line gives
// one, and returns the exit code. To be called by TestMain.
func Main(m *testing.M) int {
	flag.Parse()
	seeded := false
	flag.Visit(func(f *flag.Flag) { seeded = seeded || f.Name == "rapid.seed" })
	if !seeded {
		if err := flag.Set("rapid.seed", "1"); err != nil {
			panic(err) // the package has no property tests
		}
	}
	return m.Run()
}
