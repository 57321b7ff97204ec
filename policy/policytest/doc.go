// Package policytest tests whether every policy keeps the rules. It holds only tests.
// They crawl small random webs under a frontier that is driven in virtual time, with
// failures, delays, robots.txt, batches and keep-alive, and check:
//
//   - two runs are equal, to the instant;
//   - only pages are handed out that are known, due, allowed and not taken, politely,
//     each once, and none is forgotten;
//   - a request for a page in vain changes nothing;
//   - a crawl that is saved and loaded, at any step, continues as if it had not been;
//   - a crawl that is interrupted loses nothing but tasks under way;
//   - a policy works with any other policy for the order of sites;
//   - its order is that of a naive reference, written from the published definitions
//     and not from the policy's code, which computes everything again at each step.
//
// A new policy is tested when it is in the table of package policy; its reference, of
// at most 30 lines, is in the table of references here.
package policytest
