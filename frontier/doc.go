// Package frontier holds the known pages and hands out the next one to fetch, politely
// and in the order of a policy. It is passive: no clock, no input or output, no
// goroutine. A driver tells it the time and what happened; the simulator and the
// crawler are two such drivers of the same lines.
//
// # The life of a page
//
//	unknown --Seed, Done, Listed--> known --Next, More--> acquired --Done--> fetched, failed
//	                   |            |  ^                   |                   |
//	                   |            |  +----- Again -------+                   | Due
//	                   |            |  +-- Admit --+                           v
//	                   |            |              |                     acquired again
//	                   |            +- robots.txt --> refused
//	                   +--- Bars -------------------^
//
// A page becomes known by a seed, by a link in a page that came or by a sitemap, and gets
// the next id. The policy gives it a value, and it waits in the queue of its site, on
// each board of the policy. Next chooses the best site that may be asked now, and the
// best page of it: the page is acquired, leaves all queues, and its site with it, until
// the driver reports what came of it. A page that the driver bars is known and counts for
// the policy, but does not wait unless it is admitted later. A page that came can wait
// again, at an instant that the driver sets; it stays fetched until it is handed out.
//
// # The life of a site
//
//	ready --Next--> acquired --Done--> waiting --its instant--> ready
//	                            (kept: More hands out the next page at once)
//
// A site is acquired by at most one fetcher. After the end of an answer it waits for
// the largest of all delays: that of the options, a multiple of the download time, the
// Crawl-delay of its robots.txt, a Retry-After, the back-off after failures, the interval
// of slow sites. Before its first page it may need two works of another kind: its address
// (Resolve) and its robots.txt (Robots), which may have moved to another site, and is
// asked for there, on the clock of that one. Then sitemap files (Sitemap) and pages take
// turns. A page that robots.txt forbids becomes refused when it would be handed out, and
// costs nothing. Ready sites of an IP address that is busy, because of its cap or of its
// own delay, are passed over. The two schemes of a host are twins: they share a clock, and
// one of them is blocked while the other is acquired. A site can be held until the record
// of its last answer is on disk.
//
// # Events
//
// State changes by events only (Apply), or by Next and More, which do what the events
// Took, Refused and Asked say. A journal of the events therefore is the state: applied
// in order to an empty frontier they give the same one, whatever policy chose then. Where
// records of it are lost, Check tells which of the others fit still.
package frontier
