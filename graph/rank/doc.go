// Package rank measures the importance of pages by their links alone: PageRank in
// the readings of both papers and its family (remote-only, weighted, reverse,
// personalised), counts of in- and out-links, HITS, harmonic centrality, and
// PageRank that is kept current while a crawl is running.
//
// # The equation
//
// A surfer follows a link of the present page with probability follow (0.9 in Cho
// et al. 1998; 6/7 in Najork and Wiener 2001, who state the jump 1/7) and jumps to
// a page drawn from the teleport distribution t otherwise. From a dangling page it
// always jumps, evenly. With P the matrix of link probabilities, whose rows are
// zero for dangling pages, and D(x) the mass that x has on those, PageRank is the
// x of sum 1 with
//
//	x = follow Pᵀ x + follow D(x)/n + (1-follow) t                          (1)
//
// For even t we never compute D. Let y solve the sparse system
//
//	y = 1 + follow Pᵀ y                                                     (2)
//
// in which what dangling pages have is simply dropped, and let S be the sum of y.
// Summing (2) over all pages gives S = n + follow (S - D(y)), so
// n = (1-follow) S + follow D(y). Divide (2) by S: x = y/S has sum 1 and satisfies
// x = n/S · 1/n + follow Pᵀ x = ((1-follow) + follow D(x))/n + follow Pᵀ x, which
// is (1). The same holds for any t when the jumps from dangling pages draw from t
// too: put n t in place of 1 in (2). See pagerank.go for the remaining case.
//
// # How it is solved
//
// By Gauss-Seidel sweeps over the in-lists, each page in ascending order with the newest
// values there are; on web graphs that takes about half the sweeps of the power method (64
// against 127 for an error of 1e-6 on cnr-2000), and a dangling page costs nothing before
// the last sweep because its value is not read. Extrapolation, adaptive skipping, sweeps in
// alternating directions and over-relaxation did not help, or diverged. Two halves of the
// pages are swept side by side, each with the other's values of the sweep before: most
// links are near, so that this costs hardly a sweep, and two threads can share the work.
//
// # When it stops
//
// At a bound of the true error, not at a small change. Let y be any approximation,
// r = 1 + follow Pᵀ y - y its residual and x = y/S. Write M for the right-hand side
// of (1): M is column-stochastic, and on vectors of sum 0 it contracts L1 by follow,
// so that for the exact x*
//
//	|x* - x| = |M x* - M x + M x - x| <= follow |x* - x| + |M x - x|,  hence
//	|x* - x| <= |M x - x| / (1-follow).
//
// As above, M x - x = (follow Pᵀ y - y + (n - Σr)/n)/S = (r - Σr/n)/S, so
//
//	|x* - x| <= (|r| + |Σr|) / ((1-follow) S).                              (3)
//
// The numerator over S is the Residual of a result, the whole its Bound; both come
// from a last sweep that computes r itself.
//
// # Determinism
//
// The same input gives the same bits with any number of threads: pages are divided
// into a number of parts that depends on the graph and the options alone, sums are
// kept per part and added in the order of parts.
package rank
