// Package order says what a policy is: an order of the known pages of a crawl. It holds what
// policies are made of and what the frontier calls, and no policy itself; package policy has the
// table of them, and its names for the types of this package are what others use.
//
// The frontier calls a policy for everything that happens, and the policy sets values on a
// board:
//
//	Known(p, from)        a page was discovered
//	Done(p, o, links)     a page was fetched, with these links, or failed
//	Taken(p)              a page was handed out (optional)
//	Work(links)           there is time for long work (optional)
//
// The frontier keeps the pages of a board in order, and hands out the best one that
// politeness allows. A policy knows nothing of clocks, waiting sites, robots.txt or the
// network, so it cannot make the crawler rude. It sees only the links of fetched pages and
// never the whole graph, so it cannot cheat. Policies that need perfect knowledge declare
// it in their Spec and are built with an Oracle, which only the laboratory has.
//
// Pages and sites are numbered in the order of discovery. So "of equal pages, the one that
// was discovered first" needs no bookkeeping.
//
// All memory of a policy is in columns, even single numbers, so that a crawl that is saved
// and loaded continues in the same order. Random numbers are hashes of a seed and a count,
// because a generator would be state. Sums are float64 in a fixed order without fused
// multiply-add, so that orders are the same on every machine.
package order
