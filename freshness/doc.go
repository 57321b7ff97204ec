// Package freshness decides which fetched pages to visit again. It is passive: it has no
// clock, no input or output and no goroutine. The simulator and the crawler drive the same
// Plan.
//
// # The model
//
// A page changes at random instants, at a rate of its own. A visit shows one bit: the page
// changed since the visit before, or it did not. From these bits and the times between the
// visits, [Rate] estimates the rate; the place of the page, which is its directory, says
// what to expect before the first visit. A copy of age t is up to date with the probability
// exp(-rate t), which WIRE calls its freshness.
//
// # The decision
//
// A Plan works in rounds, as the manager of WIRE does. In each round it computes for every
// fetched page what another visit would gain, and takes the K pages that gain most. An
// [Allocation] is the formula of that gain. Which of them is best is a question for the
// laboratory: winnow lab run freshness-leaderboard answers it for a graph and a log of its
// changes.
//
// Pages of one directory often change together. So a visit that finds a change, or does not
// find one that was expected, says something about the pages beside it. A Place remembers
// for some weeks how many changes were found in it and how many were expected, and the
// allocation [Contagion] multiplies the rates of its pages by the ratio.
//
// A page costs 20 bytes and a place 32.
package freshness
