// Package policy orders the pages of a crawl: it decides which of the known pages is
// fetched next. It holds the orders of the papers, one file each, and the table of all
// policies. What a policy is, and which rules it keeps, is in package order, whose types have
// names here, too. The orders for a topic are in package focused, and several policies side by
// side in package mix.
//
// To add a policy, write a file with a function that returns its Spec, and add that
// function to the table in Specs. The tests of policytest check whether it keeps
// the rules.
package policy
