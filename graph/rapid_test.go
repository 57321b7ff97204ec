package graph

import (
	"flag"
	"os"
	"testing"
)

// Property tests draw the same cases in every run, so that a change breaks them or
// does not; -rapid.seed on the command line draws others.
func TestMain(m *testing.M) {
	flag.Parse()
	seeded := false
	flag.Visit(func(f *flag.Flag) { seeded = seeded || f.Name == "rapid.seed" })
	if !seeded {
		flag.Set("rapid.seed", "1")
	}
	os.Exit(m.Run())
}
