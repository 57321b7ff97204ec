// Package lint holds the rules of the tree that the compiler cannot see, as tests over Go's own
// parser. No linter plug-in is needed, and a rule is changed where it can be read with its
// reason: in rules_test.go.
//
// There are two sets of rules, both about what a package may reach (ARCHITECTURE.md
// has the map):
//
//   - Arrows: which package of ours may import which. The table is complete;
//     a package that is not in it is a violation, so that every new package is
//     given its place on purpose.
//   - Passive packages: event, queue, policy, frontier, graph/rank and sim hold no clock, no
//     input or output, no goroutine, no lock and no randomness of their own. The
//     simulator drives them with a virtual clock and the crawler with the real one,
//     and the same input must give the same order in both.
//
// Test files are free: they may read files and measure time.
package lint
