// Package policytest reports whether a policy keeps the rules. Run crawls small random
// webs with it, under a frontier that is driven in virtual time with failures, delays,
// robots.txt, batches and keep-alive, and checks:
//
//   - two runs are equal, to the instant;
//   - only pages are handed out that are known, due, allowed and not taken, politely,
//     each once, and none is forgotten;
//   - a call of Next that returns no task changes nothing;
//   - a crawl that is saved and loaded, at any step, continues as if it had not been;
//   - a crawl that is interrupted loses nothing but tasks under way;
//   - it works with any other policy for the order of sites (O21);
//   - its order is that of a naive reference, written from the published definitions
//     and not from the policy's code, which computes everything again at each step.
//
// A new policy is tested when it is in the table of package policy; its reference, of
// at most 30 lines, stands in the table of references here.
package policytest
