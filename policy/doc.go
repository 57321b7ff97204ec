// Package policy orders the pages of a crawl: which of the known pages is fetched
// next. It holds every order of the papers, one file each, and the few types that
// they are written in.
//
// A policy is told what happens and answers by setting values on a board:
//
//	Known(p, from)        a page was discovered
//	Came(p, o, links)     a page was fetched, or failed: here are its links
//	Taken(p)              a page was handed out (optional)
//	Work(links)           there is time for long work (optional)
//
// The frontier keeps the pages of a board in order, and hands out the best that
// politeness allows. So a policy knows nothing of clocks, sites that wait, robots.txt
// or the network, and cannot make the crawler rude; it never sees the graph, only
// links of pages that have come, and cannot cheat (O1). Those that compare with
// perfect knowledge say so in their Spec and are built with an Oracle, which only the
// laboratory has.
//
// Numbers of pages and sites are numbers of discovery. "Equal values: the page
// discovered first goes first" therefore needs no bookkeeping anywhere.
//
// All that a policy remembers lies in columns, also its few single numbers: a crawl
// that is saved and loaded goes on in the same order. Random numbers are hashes of a
// seed and a count, since a generator would be state. Sums are float64 in a fixed
// order without fused multiply-add, so that orders are the same on every machine.
//
// To add a policy, write a file with a function that returns its Spec, and add that
// function to the table in Specs; policytest.Run reports whether it keeps the rules.
package policy
