// Package score says what a page is worth: a number made of named terms, such as its PageRank,
// the sites that link to it or the slashes of its URL (Castillo and Baeza-Yates 2002, section 4).
//
//	terms         Table lists them, with unit and source; whoever uses the package measures them
//	Quantiles     turns the value of a term into its place among the known pages, from 0 to 1
//	Function      a user's expression over both; compiled once, then evaluated for every page
//	Needs         the terms that a function uses
//
// The rest computes terms: Rules from URLs, Imported from a file, Authorities and Citations
// from links. They work in slices and keep their state in columns, as policies do.
//
// An expression has no side effect, no loop and no string: it is compiled into a list of
// operations on numbers that runs once from its beginning to its end.
package score
