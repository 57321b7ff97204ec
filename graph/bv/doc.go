// Package bv writes and reads link lists in the format of the WebGraph framework
// (Boldi and Vigna, The WebGraph framework I: compression techniques, WWW 2004).
// It serves both the store of package graph and the exchange of graphs with other
// programs: there is one codec, so what we keep on disk is what others can read.
//
// The list of page x is one stretch of bits:
//
//	degree         gamma
//	reference r    unary; 0: none, else the list starts from that of page x-r
//	copy blocks    gamma count, then lengths that alternate between copied and
//	               skipped elements of that list; the last one reaches its end
//	               and is left out
//	intervals      gamma count, then left end and length of each run of at least
//	               MinInterval consecutive ids
//	residuals      what is left, as gaps in zeta code
//
// Two properties of the Web make it small: pages near in id order (same site, same
// directory) link to nearly the same pages, and most links lead to near ids.
// MaxRef bounds the chain of references, so that one list can be read at random
// without reading the whole file; where each list begins is kept by Index.
//
// Fitted lists, which are smaller, have the same parts in other codes: see [Fitted].
package bv
