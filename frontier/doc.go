// Package frontier holds the known pages and hands out the next one to fetch, politely
// and in the order of a policy. It is passive: it has no clock, no input or output and no
// goroutine. A driver tells it the time and what happened. The simulator and the crawler
// are two such drivers.
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
// A page becomes known by a seed, by a link in a fetched page or by a sitemap, and gets
// the next id. The policy gives it a value, and it waits in the queue of its site, on
// each board of the policy. Next chooses the best site that may be requested now, and the
// best page of it. The page is then acquired and leaves all queues, and its site is not
// offered until the driver reports the outcome. A page that the driver bars is known and
// counts for the policy, but does not wait unless it is admitted later. A fetched page can
// wait again, at an instant that the driver sets; it stays fetched until it is handed out.
//
// # The life of a site
//
//	ready --Next--> acquired --Done--> waiting --its instant--> ready
//	                            (kept: More hands out the next page at once)
//
// A site is acquired by at most one fetcher. After the end of an answer it waits for the
// largest of all delays: that of the options, a multiple of the download time, the
// Crawl-delay of its robots.txt, a Retry-After, the back-off after failures, the delay of
// slow sites. Before its first page it may need two other tasks: its address (Resolve) and
// its robots.txt (Robots). A robots.txt that moved to another site is fetched there, on the
// clock of that site. Then sitemap files (Sitemap) and pages take turns. A page that
// robots.txt forbids is refused when it would be handed out, and costs no request. Ready
// sites are skipped while their IP address is busy, because of its cap or its own delay.
// The two schemes of a host are twins: they share a clock, and one of them is blocked while
// the other is acquired. A site can be held until the record of its last answer is on disk.
//
// # Events
//
// State changes only by events (Apply), or by Next and More, which do what the events Took,
// Refused and Polled record. So a journal of the events is the state: applied in order to
// an empty frontier they give the same one, no matter which policy made the decisions. If
// records are lost, Check reports which of the others can still be applied.
//
// # The parts
//
//	Frontier    connects the parts, applies events, answers questions
//	dispatcher  chooses tasks and hands them out; repeats decisions on replay
//	batches     chooses the pages of a batch
//	floor       which pages are good enough, if their number is limited
//	pages       states, depths and links of pages; pages that wait for an instant
//	sites       places and needs of sites; robots.txt, sitemaps, holds
//	clocks      when a site may be requested next: delays, back-off, paces, twins
//	addresses   when an IP address may be requested next
//	hops        robots.txt files that moved
//	orders      the queues in which pages wait, discounts
//	policies    tells the policies what happens
//	exchange    what is to be told to other partitions about their pages
//	checker     whether an event can be applied
//
// Each part has fields and methods of its own. Those above may call those below.
package frontier
