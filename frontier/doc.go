// Package frontier holds the known pages and hands out the next one to fetch, politely
// and in the order of a policy. It is passive: no clock, no input or output, no
// goroutine. A driver tells it the time and what happened; the simulator and the
// crawler are two such drivers of the same lines.
//
// # The life of a page
//
//	unknown --Seed, Done--> known --Next, More--> acquired --Done--> fetched, failed
//	                          |  ^                   |
//	                          |  +----- Again -------+
//	                          +--- robots.txt --> refused
//
// A page becomes known by a seed or by a link in a page that came, and gets the next
// id. The policy gives it a value, and it waits in the queue of its site, on each
// board of the policy. Next chooses the best site that may be asked now, and the best
// page of it: the page is acquired, leaves all queues, and its site with it, until the
// driver reports what came of it.
//
// # The life of a site
//
//	ready --Next--> acquired --Done--> waiting --its instant--> ready
//	                            (kept: More hands out the next page at once)
//
// A site is acquired by at most one fetcher. After the end of an answer it waits for
// the largest of all delays: that of the options, a multiple of the download time, the
// Crawl-delay of its robots.txt, a Retry-After, the back-off after failures. Before
// its first page it may need two works of another kind: its address (Resolve) and its
// robots.txt (Robots). A page that robots.txt forbids becomes refused when it would be
// handed out, and costs nothing. Ready sites of an IP address that is busy, because of
// its cap or of its own delay, are passed over.
//
// # Events
//
// State changes by events only (Apply), or by Next and More, which do what the events
// Took, Refused and Asked say. A journal of the events therefore is the state: applied
// in order to an empty frontier they give the same one, whatever policy chose then.
package frontier
